#!/usr/bin/env python3
"""Kills a server under load again and again, and compares what it has afterwards with what it acknowledged.

Four connections pipeline recordings of which many touch four customers at once, and in some lives snapshots are taken
meanwhile. SIGKILL comes at a random moment. After each restart every acknowledged recording must be there, none half, and the
unknown ones are sent again. At the end a server that was never killed records the same, and both must tell the same digest.
"""

import random
import signal
import tempfile
import time

from families import Families, compare, digest, record, resend
from load import Load
from server import Server, finish, options


def main():
    given = options(__doc__, kills=25, longest_life_ms=150, recheck_every=50)
    chance = random.Random(given.seed)
    families, faults, torn = Families(chance), [], 0
    with tempfile.TemporaryDirectory(prefix="latchkey-kill-") as scratch:
        data = f"{scratch}/data"
        server = Server(given.binary, data)
        for life in range(1, given.kills + 1):
            before = len(families.all)
            load = Load(server, families, snapshots=chance.random() < 0.3)
            time.sleep(chance.uniform(0.002, given.longest_life_ms / 1000))
            server.end()
            load.join()
            server = Server(given.binary, data)
            torn += server.log.count("unfinished write")
            everyone = life % given.recheck_every == 0 or life == given.kills
            faults += after_restart(server, families, families.all if everyone else families.all[max(before - 64, 0):])
        mine = told(server, families)
        clean = server.end(signal.SIGTERM)
        if clean != 0:
            faults.append(f"SIGTERM ended the server with status {clean}")
        reopened = Server(given.binary, data)
        for name, digested in (("after a clean restart", told(reopened, families)),
                               ("of a server never killed", reference(given.binary, scratch, families))):
            if digested != mine:
                faults.append(f"the digest {name} is {digested}, not {mine}")
        reopened.end()
    finish({"kills": given.kills, "acknowledged": families.acknowledged_count(), "customers": 4 * len(families.all),
            "torn tails": torn, "digest": mine[:16]}, faults)


def after_restart(server, families, looked_at):
    """Compares some families, then sends again what is unknown."""
    connection = server.connect()
    faults = compare(connection, looked_at)
    resend(connection, families)
    connection.close()
    return faults


def told(server, families):
    connection = server.connect()
    return digest(connection, families.all)


def reference(binary, scratch, families):
    """The digest of a server that took the same recordings in another order, in one life."""
    server = Server(binary, f"{scratch}/reference")
    connection = server.connect()
    everything = [r for family in families.all for r in family.recordings]
    for start in range(0, len(everything), 256):
        record(connection, everything[start:start + 256])
    value = digest(connection, families.all)
    server.end()
    return value


if __name__ == "__main__":
    main()
