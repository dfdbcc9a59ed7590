#!/usr/bin/env python3
"""Fills a server with families, and says what its state takes: memory, starts by snapshot and by journal, a rebuild of everyone.
Then it renews the subscriptions of others, and says what memory each renewal takes.

Processor time is that of the whole server; what is told for a second of a core is a count by that time, so that other work on the
machine counts little. The journal that is replayed holds every recording, since no snapshot is taken while the server is filled.

    swift build -c release --product latchkey
    Tests/Performance/state.py [--customers 1000000] [--binary PATH]
"""

import contextlib
import random
import signal
import statistics
import subprocess
import time
import uuid

import measuring
from flatness import processor_seconds, resident_bytes, status
from server import Server, options
from subscriptions import begins, month, record_all
from wire import Connection

EMPTY_STARTS = 15
# How many subscribers there are, as a share of the customers, and how often each one renews.
SUBSCRIBERS_SHARE, RENEWALS = 20, 12


def start(binary, data):
    """A server that is ready, and how many seconds that took."""
    began = time.monotonic()
    server = Server(binary, data, options=measuring.WITHOUT_SNAPSHOTS)
    return server, time.monotonic() - began


def tell(what, seconds, processor, count, unit):
    """Prints a line about work on so many of a unit."""
    print(f"{what}: {seconds:.2f} s; processor time {processor:.2f} s, {count / max(processor, 0.01):,.0f} {unit} a second of a core")


def empty_starts(binary, folder):
    """How long a server takes to be ready on a directory that isn't there."""
    times = []
    for number in range(EMPTY_STARTS):
        server, seconds = start(binary, folder / f"empty-{number}")
        times.append(seconds * 1000)
        if number == 0:
            memory = resident_bytes(status(server))
        server.end()
    print(f"empty start: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms of {EMPTY_STARTS}; {memory / 1e6:.1f} MB")
    return memory


def fill(binary, server, customers, seed):
    """Records everyone; gives how many recordings that were."""
    before, began = processor_seconds(server), time.monotonic()
    count = measuring.fill(binary, server, customers, seed)
    tell(f"{count:,} recordings", time.monotonic() - began, processor_seconds(server) - before, count, "recordings")
    return count


def restart(binary, data, what, count, unit):
    """Starts a server on what another one left, and tells of it."""
    server, seconds = start(binary, data)
    tell(what, seconds, processor_seconds(server), count, unit)
    return server


def rebuild(binary, server, customers):
    """Rebuilds everyone."""
    before, began = processor_seconds(server), time.monotonic()
    subprocess.run([binary, "rebuild", "--everyone", "--connect", server.address], capture_output=True, check=True)
    tell("rebuild of everyone", time.monotonic() - began, processor_seconds(server) - before, customers, "customers")


def renew(binary, folder, customers, seed):
    """What memory each further renewal takes, after a start."""
    subscribers, sizes, numbers = max(customers // SUBSCRIBERS_SHARE, 1), [], random.Random(seed)
    ids = [str(uuid.UUID(int=numbers.getrandbits(128), version=4)) for _ in range(subscribers)]
    server, _ = start(binary, folder / "renewals")
    for months in (range(1), range(1, 1 + RENEWALS)):
        moments = begins(1 + RENEWALS)
        recordings = [month(customer, f"{number + 1}{period:010}", moments[period], original=f"{number + 1}{0:010}")
                      for period in months for number, customer in enumerate(ids)]
        with contextlib.closing(Connection(server.address)) as connection:
            record_all(connection, recordings)
        server.end()
        server, _ = start(binary, folder / "renewals")
        sizes.append(resident_bytes(status(server)))
    server.end()
    print(f"memory: {(sizes[1] - sizes[0]) / (subscribers * RENEWALS):,.0f} bytes for each further renewal after a start")


def main():
    chosen = options(__doc__, customers=1_000_000)
    with measuring.scratch("latchkey-state-") as folder:
        empty = empty_starts(chosen.binary, folder)
        server, _ = start(chosen.binary, folder / "data")
        count = fill(chosen.binary, server, chosen.customers, chosen.seed)
        print(f"memory: {(resident_bytes(status(server)) - empty) / chosen.customers:,.0f} bytes a customer after recording")
        server.end()
        server = restart(chosen.binary, folder / "data", "start by the journal", count, "recordings")
        rebuild(chosen.binary, server, chosen.customers)
        began = time.monotonic()
        subprocess.run([chosen.binary, "snapshot", "--connect", server.address], capture_output=True, check=True)
        print(f"snapshot: {time.monotonic() - began:.2f} s")
        server.end(signal.SIGKILL)
        server = restart(chosen.binary, folder / "data", "start by a snapshot", chosen.customers, "customers")
        print(f"memory: {(resident_bytes(status(server)) - empty) / chosen.customers:,.0f} bytes a customer after a start")
        server.end()
        renew(chosen.binary, folder, chosen.customers, chosen.seed)


if __name__ == "__main__":
    main()
