"""Rows about how long checks take beside other work: the p99 of an open loop at half of what a closed one with one in flight
reaches."""

import contextlib
import itertools
import json
import subprocess
import threading
import time

from measuring import bench_words, fill, in_turns, load, serving, tell
from subscriptions import NOW, begins, month, record_all
from wire import Connection, Status, encoded

CONNECTIONS, CLOSED_DEPTH, OPEN_DEPTH = 50, 1, 256
RATIO_AIM = 1.3
# Checks are 99 % of these calls.
SLOW_MIX = "check=297,list=1,history=1,explain=1"
RECORDINGS_PER_SECOND = 20_000
# One customer in so many has paid for a subscription in so many months.
LONG_HISTORY_EVERY, LONG_HISTORY_MONTHS = 20, 36
# How long long work may take beside checks, and an answer of a server that can't keep up.
PATIENCE_SECONDS = 600


def slow_calls(plan):
    """Checks with and without 1 % of lists, histories and explanations on the same connections."""
    with _filled(plan) as (server, rate):
        _compare(plan, "a check among 1 % slow calls", "with them", server, rate, mix=SLOW_MIX)


def snapshots(plan):
    """Checks while a server takes one snapshot after the other, and while it takes none."""
    with _filled(plan) as (server, rate):
        numbers = itertools.count()

        def take(connection):
            # So that there is something new to keep.
            connection.call("RecordTransaction", month("snapshots", f"snapshot-{next(numbers)}", NOW))
            connection.call("TakeSnapshot", b"")
        _compare(plan, "a check", "during snapshots", server, rate, lambda: _repeating(server, take, "snapshots"))


def rebuilds(plan):
    """Checks while a server rebuilds everyone again and again, and while it doesn't."""
    with _filled(plan) as (server, rate):
        def rebuild(connection):
            for _ in connection.stream("RebuildEntitlements", encoded([(3, 1)])):
                pass
        _compare(plan, "a check", "during rebuilds of everyone", server, rate, lambda: _repeating(server, rebuild, "rebuilds"))


def recordings(plan):
    """Checks with and without 20,000 recordings a second. One load makes both: two would wait for each other on their core."""
    with _filled(plan) as (server, rate):
        _compare(plan, "a check", f"beside {RECORDINGS_PER_SECOND:,} recordings a second", server, rate,
                 mix=f"check={rate:.0f},record={RECORDINGS_PER_SECOND}", more=RECORDINGS_PER_SECOND)


@contextlib.contextmanager
def _filled(plan):
    """A server with customers, some of them with long histories, and half the rate of checks that it can do."""
    with serving(plan, "data") as server:
        fill(plan.binary, server, plan.customers, plan.seed)
        _lengthen_histories(plan, server)
        capacity = load(plan, server, CONNECTIONS, CLOSED_DEPTH)["answers_per_second"]
        print(f"  closed loop, {CONNECTIONS} × {CLOSED_DEPTH}: {capacity:,.0f} checks a second; open loop at half of that")
        yield server, capacity / 2


def _compare(plan, what, with_words, server, rate, beside=contextlib.nullcontext, mix="check", more=0):
    """Prints the p99 of checks with other work and without; the mix has so many more calls a second."""
    def with_work():
        with beside():
            return _p99(plan, server, rate + more, mix)
    pairs = in_turns(plan, with_work, lambda: _p99(plan, server, rate))
    tell(f"p99 of {what}, {rate:,.0f} calls a second", *pairs, (with_words, "without"), RATIO_AIM, "µs")


def _p99(plan, server, rate, mix="check"):
    """The time in µs within which 99 % of checks were answered, from when they were due."""
    words = ("--rate", f"{rate:.0f}", "--arrivals", "poisson", "--mix", mix, "--deadline", PATIENCE_SECONDS)
    result = load(plan, server, CONNECTIONS, OPEN_DEPTH, *words)
    # Calls that couldn't be made for want of answers are in the latencies of all calls only, and nearly all of them are checks.
    latencies = result["latency_ns"] if result["unsent"] else result["calls"]["check"]
    return latencies["p99"] / 1000


# Other work


@contextlib.contextmanager
def _repeating(server, work, name):
    """Has a thread do a work over and over until the end of the block, and waits for the last one; its error is raised there."""
    is_over, done, errors = threading.Event(), [], []

    def run():
        try:
            with contextlib.closing(Connection(server.address, PATIENCE_SECONDS)) as connection:
                while not is_over.is_set():
                    work(connection)
                    done.append(time.monotonic())
        except (OSError, Status) as error:
            errors.append(error)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
    thread.join()
    if errors:
        raise RuntimeError(f"{name} failed: {errors[0]}")


# Long histories


def _lengthen_histories(plan, server):
    """Records a subscription of three years for one customer in twenty."""
    customers = _customers(plan, server)[::LONG_HISTORY_EVERY]
    with contextlib.closing(Connection(server.address)) as connection:
        for number, customer in enumerate(customers):
            ids = [f"{number + 1}{period:010}" for period in range(LONG_HISTORY_MONTHS)]
            record_all(connection, [month(customer, transaction, begin, original=ids[0])
                                    for transaction, begin in zip(ids, begins(LONG_HISTORY_MONTHS))])


def _customers(plan, server):
    """Everyone whom a server knows, in the order in which they were recorded."""
    words = [plan.binary, "dump", "--connect", server.address]
    known = {}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        for line in process.stdout:
            record = json.loads(line)["latchkey_entry"].get("record", {})
            known |= dict.fromkeys(record.get("holders", []))
    return list(known)
