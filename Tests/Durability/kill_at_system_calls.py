#!/usr/bin/env python3
"""Kills a server at every system call that stores something, and compares what it has afterwards.

Each stage of a store's life (make, recover, append and seal, grow quiet, rotate, snapshot and prune, end) is rehearsed once
under strace, which tells its system calls. Then it is lived once for each of them, and strace kills the server at that call.
strace counts for each thread, so stages after the start are traced from then on. After each kill a server without strace must
start, have all that was acknowledged and nothing half, take recordings, and start once more.
"""

import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import stores
from families import Families, compare, record, resend
from server import NotStarted, Server, finish, options, skip

# What changes or reads a store. A kill at any other call leaves what the next of these finds.
CALLS = ["openat", "pwrite64", "fdatasync", "fsync", "rename", "unlink", "ftruncate", "mkdir", "flock", "pread64", "fadvise64",
         "getdents64"]


class Stage:
    """A part of a store's life: the store that it begins with, whether the start is traced, and what is done to the server.

    An act adds to a list what the server told beside that it recorded.
    """

    def __init__(self, name, base, traces_start, act):
        self.name, self.base, self.traces_start, self.act = name, base, traces_start, act


def nothing(server, families, told):
    pass


def append(server, families, told):
    """One recording a sync, a batch of them, and a pause for the seal."""
    connection = server.connect()
    for count in (1, 1, 8):
        told += record(connection, families.next_recordings(count))
    time.sleep(0.08)
    if not is_stopping(server):
        told += record(connection, families.next_recordings(1))


def is_stopping(server):
    """Whether a server has ended, or is about to since its disk failed while nobody waited: nothing is sent to it any more."""
    return server.process.poll() is not None or "stops, because its disk failed" in server.log


def grow_quiet(server, families, told):
    """Until the manifest notes that the journal is complete, and one recording after that."""
    connection = server.connect()
    told += record(connection, families.next_recordings(1))
    time.sleep(1.2)
    if not is_stopping(server):
        told += record(connection, families.next_recordings(1))


def rotate(server, families, told):
    """More than the room that is left in the segment."""
    connection = server.connect()
    for _ in range(5):
        told += record(connection, families.next_recordings(2))


def snapshot(server, families, told):
    """Two snapshots: the first makes a segment needless, and the second the oldest snapshot."""
    connection = server.connect()
    for _ in range(2):
        told += record(connection, families.next_recordings(1))
        time.sleep(0.08)
        connection.call("TakeSnapshot", b"")


def end(server, families, told):
    """An orderly end: drain, seal, snapshot."""
    told += record(server.connect(), families.next_recordings(4))
    server.send(signal.SIGTERM)
    server.wait()


def end_sealed(server, families, told):
    """The same after the seal, so that all of it happens on one thread."""
    told += record(server.connect(), families.next_recordings(4))
    time.sleep(0.08)
    server.send(signal.SIGTERM)
    server.wait()


class Bench:
    """The stores that the stages begin with.

    A quick one has no segment that is all but full, which a build for debugging takes minutes to make; nothing rotates.
    """

    def __init__(self, binary, scratch, is_quick):
        self.binary, self.scratch, self.is_quick = binary, pathlib.Path(scratch), is_quick
        self.small, self.full, self.two = (self.scratch / name for name in ("small", "full", "two"))
        server = Server(binary, self.small)
        # Of other names than what the lives record, so that nothing is taken for theirs.
        record(server.connect(), Families(random.Random(0), prefix="before").next_recordings(8))
        server.end()
        if not is_quick:
            stores.fill_segment(binary, self.full)
            self._rotate_after_snapshot()
        self.torn = self._torn()

    def families(self, name):
        return Families(random.Random(name))

    def _rotate_after_snapshot(self):
        stores.copy(self.full, self.two)
        server = Server(self.binary, self.two)
        connection = server.connect()
        connection.call("TakeSnapshot", b"")
        for number in range(4):
            connection.call("RecordTransaction", stores.filler(f"more-{number}", 600))
        server.end()

    def _torn(self):
        """A store whose last frame was not finished, as a crash leaves it: it has one copy of the manifest, too."""
        torn = stores.copy(self.small, self.scratch / "torn")
        segment = stores.last_segment(torn)
        content = bytearray(segment.read_bytes())
        end = stores.frames(content)[1]
        content[end:end + 100] = b"\x07" * 100
        segment.write_bytes(content)
        (torn / "manifest-b.lk").unlink()
        return torn

    def stages(self):
        stages = [
            Stage("make", None, True, nothing), Stage("recover", self.torn, True, nothing),
            Stage("append", self.small, False, append), Stage("grow quiet", self.small, False, grow_quiet),
            Stage("end", self.small, False, end),
            Stage("end sealed", self.small, False, end_sealed)]
        if self.is_quick:
            return stages + [Stage("snapshot", self.small, False, snapshot)]
        return stages + [Stage("snapshot", self.two, False, snapshot), Stage("rotate", self.full, False, rotate)]


class Life:
    """One life of a server that is killed at the n-th call of a kind, if it comes to that, and the lives after it."""

    def __init__(self, bench, stage, call, number):
        self.bench, self.stage, self.families = bench, stage, bench.families(f"{stage.name} {call} {number}")
        self.inject = ["-f", "-q", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}"]
        self.data = bench.scratch / "life"
        shutil.rmtree(self.data, ignore_errors=True)
        if stage.base:
            stores.copy(stage.base, self.data)

    def run(self):
        """Gives whether the kill came, and the faults."""
        killed = self._killed_start() if self.stage.traces_start else self._killed_act()
        return killed, self._after()

    def _killed_start(self):
        try:
            server = Server(self.bench.binary, self.data, before=["strace", "-D", *self.inject])
        except NotStarted as error:
            return error.status == -signal.SIGKILL
        server.end()
        return False

    def _killed_act(self):
        server = Server(self.bench.binary, self.data)
        tracer = subprocess.Popen(["strace", *self.inject, "-p", str(server.process.pid)], stderr=subprocess.DEVNULL)
        while not all_traced(server.process.pid):
            time.sleep(0.001)
        try:
            self.stage.act(server, self.families, [])
            killed = server.process.poll() == -signal.SIGKILL
        except OSError:
            killed = True
        if killed and server.process.returncode is None:
            killed = server.wait() == -signal.SIGKILL
        elif not killed:
            server.end()
        tracer.wait()
        return killed

    def _after(self):
        """What is wrong after two more starts, with recordings between."""
        faults = []
        for _ in range(2):
            try:
                server = Server(self.bench.binary, self.data)
            except NotStarted as error:
                return faults + [str(error)]
            connection = server.connect()
            faults += compare(connection, self.families.all)
            resend(connection, self.families)
            record(connection, self.families.next_recordings(4))
            connection.close()
            server.end()
        return faults


def all_traced(process):
    """Whether every thread of a process has a tracer."""
    tasks = list(pathlib.Path(f"/proc/{process}/task").iterdir())
    return tasks and all("TracerPid:\t0\n" not in (task / "status").read_text() for task in tasks)


def survey(bench, stage):
    """How often each call is made in a stage: for each call, the numbers of its first and its last on the thread that makes most.

    What the loader does before the store is touched stores nothing, and is left out.
    """
    traces = pathlib.Path(tempfile.mkdtemp(dir=bench.scratch))
    life = Life(bench, stage, "rehearsal", 0)
    life.inject = ["-f", "-ff", "-q", "-o", str(traces / "thread"), "-e", "trace=" + ",".join(CALLS)]
    life.run()
    found = {}
    for trace in traces.iterdir():
        lines = trace.read_text(errors="replace").splitlines()
        skipped = next((i for i, line in enumerate(lines) if str(life.data) in line), 0) if stage.traces_start else 0
        for call in CALLS:
            first = 1 + sum(line.startswith(f"{call}(") for line in lines[:skipped])
            last = sum(line.startswith(f"{call}(") for line in lines)
            if last >= first and last > found.get(call, (0, 0))[1]:
                found[call] = (first, last)
    return found


def main():
    given = options(__doc__, lives=12, only="", quick=False)
    if not shutil.which("strace"):
        skip("there is no strace")
    if subprocess.run(["strace", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode:
        skip("strace is not allowed to trace here")
    faults, kills = [], {}
    with tempfile.TemporaryDirectory(prefix="latchkey-calls-") as scratch:
        bench = Bench(given.binary, scratch, given.quick)
        stages = [stage for stage in bench.stages() if given.only in ("", stage.name)]
        points = [(stage, call, number) for stage in stages for call, (first, last) in survey(bench, stage).items()
                  for number in range(first, last + 1)]
        # A short form takes some of the points; which ones depends on the seed. 0 takes all.
        taken = random.Random(given.seed).sample(points, given.lives) if 0 < given.lives < len(points) else points
        for stage, call, number in taken:
            killed, found = Life(bench, stage, call, number).run()
            kills[stage.name] = kills.get(stage.name, 0) + killed
            faults += [f"{stage.name}, {call} {number}: {fault}" for fault in found]
    finish({"system calls": len(points), "lives": len(taken), "killed": sum(kills.values())}
           | {f"kills in the stage {name}": count for name, count in kills.items()}, faults)


if __name__ == "__main__":
    main()
