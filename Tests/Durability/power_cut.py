#!/usr/bin/env python3
"""Cuts the power of a file system under a server's load, and compares what is there after the next mount.

An image of ext4 or XFS is mounted, and the file system is told to stop without writing anything more, its own log included; so
only what was synced is there afterwards. Some cuts come while a store is made or recovered. The server itself goes on for a
moment and must not acknowledge anything. The control is the same server with syncs that do nothing: it must lose what it
acknowledged, or the test proves nothing.
"""

import random
import shutil
import signal
import tempfile
import threading
import time

import disk
from families import Families, compare, record, resend
from load import Load
from server import NotStarted, Server, finish, options, skip


class Rig:
    """A disk, the stores that live on it one after the other, and what went wrong."""

    def __init__(self, binary, kind, scratch, chance, environment=None):
        self.binary, self.chance, self.environment = binary, chance, environment
        self.disk, self.scratch = disk.Disk(kind, scratch), scratch
        self.stores, self.faults, self.lossy = 0, [], 0
        self.statuses = {}
        self.new_store()

    def new_store(self):
        """Goes on with an empty directory."""
        shutil.rmtree(self.disk.place / f"store-{self.stores}", ignore_errors=True)
        self.stores += 1
        self.data, self.families = self.disk.place / f"store-{self.stores}", Families(self.chance)

    def start(self):
        return Server(self.binary, self.data, environment=self.environment, log=f"{self.scratch}/{self.disk.place.name}.log")

    def cycle(self):
        """One life, cut while it starts or while it records, and the comparison after it."""
        before = len(self.families.all)
        if self.chance.random() < 0.25:
            self.cut_while_starting()
        else:
            self.cut_under_load()
        self.disk.unmount()
        self.disk.mount()
        found = self.compare(self.families.all[max(before - 64, 0):])
        self.lossy += bool(found)
        self.faults += found

    def cut_while_starting(self):
        cut = threading.Timer(self.chance.uniform(0, 0.08), self.disk.cut)
        cut.start()
        try:
            server = self.start()
            cut.join()
            server.end()
        except NotStarted as error:
            self.count(error.status)
        cut.join()

    def cut_under_load(self):
        server = self.start()
        load = Load(server, self.families, snapshots=self.chance.random() < 0.3)
        time.sleep(self.chance.uniform(0.005, 0.25))
        self.disk.cut()
        # The server meets the failing disk by itself, unless it has nothing to write.
        time.sleep(0.02)
        server.send(signal.SIGKILL)
        self.count(server.wait())
        load.join()

    def compare(self, looked_at):
        """What is wrong after the power is back; the store is used further."""
        try:
            server = self.start()
        except NotStarted as error:
            self.new_store()
            return [f"the store did not open again: {error}"]
        connection = server.connect()
        found = compare(connection, looked_at)
        resend(connection, self.families)
        record(connection, self.families.next_recordings(8))
        connection.close()
        server.end()
        return found

    def count(self, status):
        self.statuses[status] = self.statuses.get(status, 0) + 1


def main():
    given = options(__doc__, cuts=8, control_cuts=4, file_system="ext4")
    reason = disk.why_not(given.file_system)
    if reason:
        skip(reason)
    with tempfile.TemporaryDirectory(prefix="latchkey-power-", ignore_cleanup_errors=True) as scratch:
        figures, faults = run(given, scratch, given.cuts, None)
        with tempfile.TemporaryDirectory(prefix="control-", dir=scratch, ignore_cleanup_errors=True) as second:
            control, lost = run(given, second, given.control_cuts, disk.without_sync(scratch))
    figures["cuts of the control"], figures["of which lost data"] = given.control_cuts, control["cuts that lost"]
    if not lost:
        faults.append("the control without syncs lost nothing, so this test proves nothing")
    finish(figures, faults)


def run(given, scratch, cuts, environment):
    """So many cuts; gives the figures and the faults."""
    rig = Rig(given.binary, given.file_system, scratch, random.Random(given.seed), environment)
    acknowledged = 0
    try:
        for number in range(1, cuts + 1):
            rig.cycle()
            if number % 20 == 0:
                acknowledged += rig.families.acknowledged_count()
                rig.new_store()
    finally:
        rig.disk.let_go()
    acknowledged += rig.families.acknowledged_count()
    return {"power cuts on " + given.file_system: cuts, "acknowledged": acknowledged, "cuts that lost": rig.lossy,
            "ended by itself with status 70": rig.statuses.get(70, 0)}, rig.faults


if __name__ == "__main__":
    main()
