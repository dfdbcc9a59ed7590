#!/usr/bin/env python3
"""Kills a server under load again and again, and compares what it has afterwards with what it acknowledged.

Four connections pipeline recordings of which many touch four customers at once, and in some lives snapshots are taken
meanwhile. SIGKILL comes at a random moment. After each restart every acknowledged recording must be there, none half, and the
unknown ones are sent again. A store lives through fifty kills; then a server that was never killed records the same in another
order, and both must tell the same digest.
"""

import random
import signal
import tempfile
import time

from families import Families, compare, digest, record, resend
from load import Load
from server import Server, finish, options

KILLS_OF_A_STORE = 50


class Killed:
    """A store whose server is killed again and again."""

    def __init__(self, binary, data, chance):
        self.binary, self.data, self.chance = binary, data, chance
        self.families, self.faults, self.torn = Families(chance), [], 0

    def live(self, kills, longest_life_seconds):
        """So many lives and kills, then an orderly end; gives the digest of what it held at last."""
        server = Server(self.binary, self.data)
        for _ in range(kills):
            before = len(self.families.all)
            load = Load(server, self.families, snapshots=self.chance.random() < 0.3)
            time.sleep(self.chance.uniform(0.002, longest_life_seconds))
            server.end()
            load.join()
            server = Server(self.binary, self.data)
            self.torn += server.log.count("unfinished write")
            self._compare(server, self.families.all[max(before - 64, 0):])
        self._compare(server, self.families.all)
        told = self._digest(server)
        status = server.end(signal.SIGTERM)
        if status != 0:
            self.faults.append(f"SIGTERM ended the server with status {status}")
        server = Server(self.binary, self.data)
        self._expect(self._digest(server), told, "after an orderly end and a start")
        server.end()
        return told

    def compare_with_reference(self, told):
        """Has a server that is never killed record the same, and compares the digests."""
        server = Server(self.binary, f"{self.data}-reference")
        connection = server.connect()
        everything = [r for family in self.families.all for r in family.recordings]
        for start in range(0, len(everything), 256):
            record(connection, everything[start:start + 256])
        self._expect(self._digest(server), told, "of a server that was never killed")
        server.end()

    def _compare(self, server, looked_at):
        """Compares some families, then sends again what is unknown."""
        connection = server.connect()
        self.faults += compare(connection, looked_at)
        resend(connection, self.families)
        connection.close()

    def _digest(self, server):
        return digest(server.connect(), self.families.all)

    def _expect(self, found, told, what):
        if found != told:
            self.faults.append(f"the digest {what} is {found}, not {told}")


def main():
    given = options(__doc__, kills=15, longest_life_ms=100)
    chance = random.Random(given.seed)
    figures, faults = {"kills": 0, "acknowledged": 0, "customers": 0, "torn tails": 0, "equal digests": 0}, []
    while figures["kills"] < given.kills:
        kills = min(KILLS_OF_A_STORE, given.kills - figures["kills"])
        with tempfile.TemporaryDirectory(prefix="latchkey-kill-") as scratch:
            store = Killed(given.binary, f"{scratch}/data", chance)
            store.compare_with_reference(store.live(kills, given.longest_life_ms / 1000))
        for name, value in (("kills", kills), ("acknowledged", store.families.acknowledged_count()),
                            ("customers", 4 * len(store.families.all)), ("torn tails", store.torn),
                            ("equal digests", 2 - sum("digest" in fault for fault in store.faults))):
            figures[name] += value
        faults += store.faults
    finish(figures, faults)


if __name__ == "__main__":
    main()
