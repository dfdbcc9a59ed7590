#!/usr/bin/env python3
"""Lets a server's disk fail in every way that a test can bring about, and says whether the server did what it promises.

1. Each system call that stores something fails once with EIO, and once with ENOSPC. Either the start ends with a message and
   status 2; or the waiting recordings are told that their outcome is unknown, and the process stops with status 70 and a
   message; or nothing was stored, the caller is told so, checks go on, and recordings work again.
2. Every write and read of a file does only half of what it was asked, and is interrupted now and then.
3. A file system of 20 MiB fills up, and gets room again.
4. What no start may accept: each has a message of its own that says what to do.
"""

import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import kill_at_system_calls as lives
import refusals
import stores
from families import Families, compare, record, resend
from server import DISK_FAILED, DISK_FULL, DISK_UNREADABLE, FAILURE, NotStarted, Server, finish, options, skip
from wire import Status

CALLS = {"EIO": ["openat", "pwrite64", "fdatasync", "fsync", "rename", "unlink", "ftruncate", "mkdir", "flock", "pread64", "fadvise64"],
         "ENOSPC": ["openat", "pwrite64", "fsync", "fdatasync", "rename", "mkdir"]}
REFUSED = (DISK_FAILED, DISK_FULL, DISK_UNREADABLE, FAILURE)
CRASHES = (-signal.SIGSEGV, -signal.SIGILL, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGBUS)


class FailingLife(lives.Life):
    """One life in which one system call fails."""

    def __init__(self, bench, stage, call, number, error):
        super().__init__(bench, stage, call, number)
        self.inject[-1] = f"inject={call}:error={error}:when={number}"
        self.refusals, self.faults, self.error = [], [], error

    def run(self):
        """Gives how it ended, and the faults."""
        ending = self._failing_start() if self.stage.traces_start else self._failing_act()
        return ending, self.faults + self._after()

    def _failing_start(self):
        try:
            server = Server(self.bench.binary, self.data, before=["strace", "-D", *self.inject])
        except NotStarted as error:
            if error.status not in REFUSED or "errno" not in error.log:
                self.faults.append(f"ended with status {error.status} and said {error.log[-300:]!r}")
            return "refused to start"
        server.end()
        return "went on"

    def _failing_act(self):
        server = Server(self.bench.binary, self.data)
        tracer = subprocess.Popen(["strace", *self.inject, "-p", str(server.process.pid)], stderr=subprocess.DEVNULL)
        while not lives.all_traced(server.process.pid):
            time.sleep(0.001)
        told = []
        try:
            self.stage.act(server, self.families, told)
        except (OSError, Status) as error:
            told.append(error)
        ending = self._judge(server, told)
        tracer.wait()
        return ending

    def _judge(self, server, told):
        if self.stage.act in (lives.end, lives.end_sealed):
            status = server.wait()
            if status not in (0, *REFUSED):
                self.faults.append(f"an orderly end gave status {status}: {server.log[-300:]}")
            return "ended"
        # The seal of what was recorded last may be what fails; a server that stops says so before it lets go of its clients.
        time.sleep(0.3)
        is_told = any(isinstance(answer, OSError) or answer.name in ("UNKNOWN", "UNAVAILABLE") for answer in told)
        if not is_told and not lives.is_stopping(server):
            try:
                return self._goes_on(server, told)
            except OSError:
                pass  # The call that fails came only now, and the server stops.
        status = server.wait()
        if status != DISK_FAILED or "stops, because its disk failed" not in server.log:
            self.faults.append(f"stopped with status {status} and said {server.log[-300:]!r}")
        if self.families.unknown() and not any(isinstance(answer, Status) and answer.name == "UNKNOWN" for answer in told):
            self.faults.append("stopped without telling those who waited that their outcome is unknown")
        return "stopped"

    def _goes_on(self, server, told):
        """Has a server record more; adds to the list what it told, and raises OSError where it stops now."""
        connection = server.connect()
        self.faults += compare(connection, self.families.all)
        resend(connection, self.families)
        # The call that fails may be one of these; the next then work.
        refused = record(connection, self.families.next_recordings(4))
        told += refused
        if any(answer.name == "UNKNOWN" for answer in refused):
            raise ConnectionError("the server stops")
        for refusal in record(connection, self.families.next_recordings(4)) if refused else []:
            self.faults.append(f"does not record again: {refusal}")
        connection.close()
        server.end()
        return "went on"


def fail_calls(given, scratch):
    """Part 1; gives the figures and the faults."""
    bench = lives.Bench(given.binary, scratch, given.quick)
    points = [(stage, call, number, error) for stage in bench.stages() for call, (first, last) in lives.survey(bench, stage).items()
              for number in range(first, last + 1) for error, calls in CALLS.items() if call in calls and given.call in ("", call)]
    taken = random.Random(given.seed).sample(points, given.lives) if 0 < given.lives < len(points) else points
    endings, faults = {}, []
    for stage, call, number, error in taken:
        ending, found = FailingLife(bench, stage, call, number, error).run()
        if ending == "went on" and stage.name in ("append", "rotate") and (call, error) == ("fdatasync", "EIO"):
            found.append("went on after a sync of the journal failed")
        endings[ending] = endings.get(ending, 0) + 1
        faults += [f"{stage.name}, {call} {number} {error}: {fault}" for fault in found]
    return {"calls that can fail": len(points), "failed": len(taken)} | endings, faults


def short_steps(given, scratch):
    """Part 2: a library in front of the C library halves reads and writes of files, and interrupts every fifth."""
    source, library = pathlib.Path(scratch, "halves.c"), pathlib.Path(scratch, "halves.so")
    source.write_text(r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>
static long calls;
static int interrupted(void) { if (__sync_add_and_fetch(&calls, 1) % 5) return 0; errno = EINTR; return 1; }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) {
  static ssize_t (*next)(int, const void *, size_t, off_t);
  if (!next) next = dlsym(RTLD_NEXT, "pwrite");
  return interrupted() ? -1 : next(f, b, n > 1 ? n / 2 : n, o);
}
ssize_t pread(int f, void *b, size_t n, off_t o) {
  static ssize_t (*next)(int, void *, size_t, off_t);
  if (!next) next = dlsym(RTLD_NEXT, "pread");
  return interrupted() ? -1 : next(f, b, n > 1 ? n / 2 : n, o);
}
""")
    subprocess.run([shutil.which("gcc") or "clang", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    families, faults = Families(random.Random(given.seed)), []
    for _ in range(3):
        server = Server(given.binary, f"{scratch}/halves", environment={"LD_PRELOAD": str(library)})
        connection = server.connect()
        for _ in range(20):
            faults += map(str, record(connection, families.next_recordings(32)))
        try:
            connection.call("TakeSnapshot", b"")
        except Status as error:
            server.end()
            return {"recordings by halves": families.acknowledged_count()}, [*faults, f"a snapshot by halves: {error}"]
        record(connection, families.next_recordings(32))
        server.end()
    server = Server(given.binary, f"{scratch}/halves")
    faults += compare(server.connect(), families.all)
    server.end()
    return {"recordings by halves": families.acknowledged_count()}, faults


def full_disk(given, scratch):
    """Part 3: recordings are refused while there is no room for a segment, checks go on, and it ends by itself."""
    place = pathlib.Path(scratch, "full-disk")
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "latchkey", str(place)], stderr=subprocess.DEVNULL)
    if mounted.returncode:
        print("skipped: full_disk, since mounting needs root")
        return {}, []
    families, faults = Families(random.Random(given.seed)), []
    try:
        stores.fill_segment(given.binary, place / "data")
        server = Server(given.binary, place / "data", log=f"{scratch}/full-disk.log")
        connection = server.connect()
        fill(place / "ballast")
        refused = [r for _ in range(8) for r in record(connection, families.next_recordings(8))]
        if not refused or any(r.name != "RESOURCE_EXHAUSTED" or "retry after" not in r.message for r in refused):
            faults.append(f"a full disk was answered by {[str(r) for r in refused[:1]]}")
        faults += compare(connection, families.all)
        if faults:
            return {"refused while full": len(refused)}, faults
        try:
            connection.call("TakeSnapshot", b"")
            faults.append("a snapshot was taken without room")
        except Status:
            pass
        subprocess.run(["mount", "-o", "remount,size=120m", str(place)], check=True)
        faults += [f"with room again: {r}" for r in record(connection, families.next_recordings(8))]
        connection.call("TakeSnapshot", b"")
        server.end()
        server = Server(given.binary, place / "data", log=f"{scratch}/full-disk.log")
        faults += compare(server.connect(), families.all)
        server.end()
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
    return {"refused while full": len(refused)}, faults


def fill(ballast):
    """Takes all the room that is left."""
    with open(ballast, "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass


def main():
    given = options(__doc__, lives=12, only="", call="", quick=False)
    figures, faults = {}, []
    with tempfile.TemporaryDirectory(prefix="latchkey-failing-") as scratch:
        parts = [short_steps, refusals.refuse] if given.quick else [short_steps, refusals.refuse, full_disk]
        if subprocess.run(["sh", "-c", "strace -o /dev/null true"], stderr=subprocess.DEVNULL).returncode == 0:
            parts.insert(0, fail_calls)
        else:
            print("skipped: fail_calls, since there is no strace that may trace")
        for part in (part for part in parts if given.only in ("", part.__name__)):
            told, found = part(given, scratch)
            figures |= told
            faults += found
    finish(figures, faults)


if __name__ == "__main__":
    main()
