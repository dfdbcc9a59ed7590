#!/usr/bin/env python3
"""Traces every stage of a store's life, and holds the order of its writes, syncs and renames to the rules.

A power cut shows only what one file system happens to lose: ext4 and XFS often store a rename along with the next sync of
another file. The order itself shows more. On each thread:
1. what is written to a journal is synced before anything else is written, renamed, removed or announced;
2. a file is synced after its last write before it is renamed;
3. a directory is synced after a rename in it before anything else is written to a journal, renamed, removed or announced;
4. a start syncs the last segment before it reads it.
"""

import re
import shutil
import subprocess
import tempfile
import pathlib

import kill_at_system_calls as lives
from server import finish, options, skip

CALLS = "pwrite64,fdatasync,fsync,rename,unlink,pread64,write,ftruncate"
# A call on an open file, with its path as strace -y tells it; or one on two paths or one.
ON_FILE, ON_PATHS = re.compile(r'(\w+)\(\d+<([^>]*)>'), re.compile(r'(rename|unlink)\("([^"]*)"(?:, "([^"]*)")?')


class Order:
    """What one thread has written and not yet synced."""

    def __init__(self, data):
        self.data, self.faults, self.events = str(data), [], 0
        self.unsynced, self.renamed_in, self.synced = set(), None, set()

    def see(self, line):
        paths, on_file = ON_PATHS.match(line), ON_FILE.match(line)
        if paths and paths[2].startswith(self.data):
            self._settled(line)
            if paths[1] == "rename":
                if paths[2] in self.unsynced:
                    self.faults.append(f"renamed before it was synced: {line}")
                self.renamed_in = self.data
        elif on_file and on_file[1] == "write" and '"listening' in line:
            self._settled(line)
        elif on_file and on_file[2].startswith(self.data):
            self._see_file(on_file[1], on_file[2], line)

    def _see_file(self, call, path, line):
        if call == "pwrite64":
            if is_segment(path):
                self._settled(line)
            self.unsynced.add(path)
        elif call in ("fsync", "fdatasync"):
            self.events += 1
            self.unsynced.discard(path)
            self.synced.add(path)
            if path == self.renamed_in:
                self.renamed_in = None
        elif call == "pread64" and is_segment(path) and path not in self.synced:
            self.faults.append(f"read before it was synced: {line}")

    def _settled(self, line):
        """Nothing may be on its way when the next thing begins."""
        if self.renamed_in:
            self.faults.append(f"the directory was not synced before: {line}")
        if any(is_segment(path) for path in self.unsynced):
            self.faults.append(f"the journal was not synced before: {line}")
        self.renamed_in = None
        self.unsynced = {path for path in self.unsynced if not is_segment(path)}


def is_segment(path):
    return "/journal-" in path and path.endswith(".lk")


def trace(bench, stage):
    """The orders of all threads in one stage."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=bench.scratch))
    life = lives.Life(bench, stage, "order", 0)
    life.inject = ["-f", "-ff", "-y", "-q", "-s", "16", "-o", str(folder / "thread"), "-e", f"trace={CALLS}"]
    _, faults = life.run()
    orders = []
    for file in folder.iterdir():
        order = Order(life.data)
        for line in file.read_text(errors="replace").splitlines():
            order.see(line)
        orders.append(order)
    return faults, orders


def main():
    given = options(__doc__, quick=False)
    if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode:
        skip("there is no strace that may trace")
    figures, faults = {"stages": 0, "syncs": 0}, []
    with tempfile.TemporaryDirectory(prefix="latchkey-order-") as scratch:
        bench = lives.Bench(given.binary, scratch, given.quick)
        for stage in bench.stages():
            found, orders = trace(bench, stage)
            figures["stages"] += 1
            figures["syncs"] += sum(order.events for order in orders)
            faults += [f"{stage.name}: {fault}" for fault in found + [fault for order in orders for fault in order.faults]]
    finish(figures, faults)


if __name__ == "__main__":
    main()
