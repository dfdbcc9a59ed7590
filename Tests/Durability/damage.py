#!/usr/bin/env python3
"""Damages a small store in every way, starts the real server on it, and says whether the damage was found or did no harm.

Four stores: one ended in order (with two snapshots), one killed after it was quiet for a second (sealed, which the manifest
notes), one killed just after it was sealed, one killed under load (not sealed). Of each file: every flipped bit, every
truncation, every zero-filled tail, every missing sector of 512 bytes; then missing, swapped and duplicated files. A start must
refuse the store with a message that names a file, or hold and answer exactly what was acknowledged.

Two exceptions, which docs/durability.md explains, and no more. What takes the end of the journal away, its seal included, from
a store that was killed before it was quiet, leaves what a crash leaves: whole recordings from the start. And a flipped bit of
the last frame of a journal that was never sealed is taken for an unfinished write: that one recording is missing, and a
warning says so.
"""

import pathlib
import random
import shutil
import signal
import tempfile
import time

import stores
from families import ACKNOWLEDGED, SENT, Families, compare, record
from server import ANOTHER_STORE, DAMAGED, FAILURE, MISSING_FILE, NEWER_FORMAT, NotStarted, Server, finish, options
from wire import Status

SECTOR_BYTES, KEPT_ZEROS = 512, 64
# A record of the journal that says nothing is an error as any other.
REFUSED = (DAMAGED, MISSING_FILE, ANOTHER_STORE, NEWER_FORMAT, FAILURE)
EXACT, WITHOUT_LAST, WHOLE_PREFIX = "exact", "without the last", "a whole prefix"


class Store:
    """A store as it was left, and what was acknowledged."""

    def __init__(self, given, scratch, name):
        self.name, self.path = name, pathlib.Path(scratch, name)
        self.families = Families(random.Random(given.seed))
        server = Server(given.binary, self.path)
        connection = server.connect()
        self.recordings = []
        while len(self.recordings) < 12:
            # One by one, so that each is a frame.
            for recording in self.families.next_recordings(1):
                record(connection, [recording])
                self.recordings.append(recording)
            if len(self.recordings) in (4, 8) and name == "ended":
                connection.call("TakeSnapshot", b"")
        while not stores.is_sealed(self.path) or (name == "quiet" and not self._is_noted()):
            time.sleep(0.01)
        server.end(signal.SIGTERM if name == "ended" else signal.SIGKILL)
        if self._is_noted() != self.is_proven:
            raise SystemExit(f"this machine is too slow or too fast to leave the store that is {name}")
        self._shorten()
        self.files = {file.name: file.read_bytes() for file in self.path.iterdir() if file.suffix == ".lk"}

    @property
    def is_proven(self):
        """Whether no loss of the journal's end may pass for a crash."""
        return self.name in ("ended", "quiet")

    def _is_noted(self):
        return stores.complete_revision(self.path) == stores.last_revision(self.path)

    def _shorten(self):
        """Leaves few zeros at the end of the segment; takes its seal away where there shall be none."""
        segment = stores.last_segment(self.path)
        content = segment.read_bytes()
        starts, end = stores.frames(content)
        if self.name == "unsealed":
            end = starts.pop()
        self.last_frame = range(starts[-1], end)
        segment.write_bytes(content[:end] + bytes(KEPT_ZEROS))

    def damages(self):
        """Every damage: what it is in words, the files that differ (None: missing), and what may be held instead."""
        for name, content in sorted(self.files.items()):
            shortened = EXACT if self.is_proven or not name.startswith("journal") else WHOLE_PREFIX
            for bit in range(len(content) * 8):
                flipped = bytearray(content)
                flipped[bit // 8] ^= 1 << bit % 8
                in_last = self.name == "unsealed" and name.startswith("journal") and bit // 8 in self.last_frame
                yield f"{name}: bit {bit} flipped", {name: bytes(flipped)}, WITHOUT_LAST if in_last else EXACT
            for length in range(len(content)):
                yield f"{name}: cut to {length} bytes", {name: content[:length]}, shortened
                if any(content[length:]):
                    yield f"{name}: zeros from {length}", {name: content[:length] + bytes(len(content) - length)}, shortened
            for start in range(0, len(content), SECTOR_BYTES):
                end = min(start + SECTOR_BYTES, len(content))
                lost = content[:start] + bytes(end - start) + content[end:]
                yield f"{name}: sector at {start} missing", {name: lost}, shortened
            yield f"{name} missing", {name: None}, EXACT
        yield from self._exchanges()

    def _exchanges(self):
        for name, content in sorted(self.files.items()):
            for other in sorted(self.files):
                if name < other:
                    yield f"{name} and {other} swapped", {name: self.files[other], other: content}, EXACT
                if name != other:
                    yield f"{other} a copy of {name}", {other: content}, EXACT
            kind = name.split("-")[0]
            for revision in (1, 2, 13, 99):
                copied = f"{kind}-{revision:020}.lk"
                if kind != "manifest" and copied not in self.files:
                    yield f"{name} there again as {copied}", {copied: content}, EXACT

    def faults(self, connection, accepted):
        """What is wrong with what a server holds."""
        unsure = {EXACT: 0, WITHOUT_LAST: 1, WHOLE_PREFIX: len(self.recordings)}[accepted]
        certain = len(self.recordings) - unsure
        for index, recording in enumerate(self.recordings):
            recording.fate = ACKNOWLEDGED if index < certain else SENT
        return compare(connection, self.families.all)


def verdict(given, store, life, changes, accepted):
    """Starts a server on a damaged copy; gives how it went, and the faults."""
    shutil.rmtree(life, ignore_errors=True)
    life.mkdir(mode=0o700)
    for name, content in {**store.files, **changes}.items():
        if content is not None:
            (life / name).write_bytes(content)
    try:
        server = Server(given.binary, life)
    except NotStarted as error:
        told = any(word in error.log for word in (".lk is ", ".lk was ", ".lk belongs ", "the snapshot ", "the record "))
        if error.status in REFUSED and told:
            return "refused", []
        return "refused", [f"status {error.status}, and said {error.log[-300:]!r}"]
    connection = server.connect()
    try:
        faults = store.faults(connection, accepted)
    except (KeyError, ValueError, OSError, Status) as error:
        faults = [f"what it answers can't be read: {error!r}"]
    warned = "warning: " in server.log
    connection.close()
    server.end()
    return "warned of, no harm" if warned else "no harm", faults


def main():
    given = options(__doc__, damages=60)
    figures, faults = {}, []
    memory = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="latchkey-damage-", dir=memory) as scratch:
        kept = [Store(given, scratch, name) for name in ("ended", "quiet", "sealed", "unsealed")]
        every = [(store, *damage) for store in kept for damage in store.damages()]
        # A short form takes some; which ones depends on the seed. 0 takes all.
        taken = random.Random(given.seed).sample(every, given.damages) if 0 < given.damages < len(every) else every
        for store, what, changes, accepted in taken:
            ending, found = verdict(given, store, pathlib.Path(scratch, "life"), changes, accepted)
            figures[ending] = figures.get(ending, 0) + 1
            faults += [f"{store.name}, {what}: {fault}" for fault in found]
    finish({"damages": len(every), "tried": len(taken)} | figures, faults)


if __name__ == "__main__":
    main()
