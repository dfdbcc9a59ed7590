"""Stores that no start may accept, and the words of the message that each must be told by."""

import os
import pathlib
import random
import struct
import subprocess

import stores
from checksum import with_checksum
from families import Families, record
from server import ANOTHER_STORE, DAMAGED, IN_USE, MISSING_FILE, NEWER_FORMAT, NO_STORE, NOT_PERMITTED, NotStarted, Server


def segment(data):
    return stores.last_segment(data)


def change_header(file, offset, value):
    """Writes an integer into a file's header, whose checksum is right again."""
    content = file.read_bytes()
    header = bytearray(content[:512])
    struct.pack_into("<I", header, offset, value)
    file.write_bytes(with_checksum(header) + content[512:])


def missing_segment(data, other):
    segment(data).unlink()


def lost_end(data, other):
    """As if the disk had forgotten all that was written to the segment."""
    content = segment(data).read_bytes()
    segment(data).write_bytes(content[:512] + bytes(len(content) - 512))


def missing_snapshot(data, other):
    next(data.glob("snapshot-*.lk")).unlink()


def missing_manifests(data, other):
    for file in data.glob("manifest-*.lk"):
        file.unlink()


def newer_segment(data, other):
    change_header(segment(data), 8, 2)


def newer_feature(data, other):
    change_header(segment(data), 16, 1)


def newer_manifest(data, other):
    change_header(data / "manifest-a.lk", 8, 2)


def newer_snapshot(data, other):
    change_header(next(data.glob("snapshot-*.lk")), 16, 4)


def segment_of_another_store(data, other):
    segment(data).write_bytes(segment(other).read_bytes())


def foreign_directory(data, other):
    for file in data.iterdir():
        file.unlink()
    (data / "letters.txt").write_text("not a store")


# What was done to a store, the status it must be refused with, and what the message must hold.
CASES = [
    (missing_segment, MISSING_FILE, ["journal-", "is missing", "restore a backup"]),
    (lost_end, DAMAGED, ["journal-", "was complete on the disk up to revision", "restore a backup"]),
    (missing_snapshot, MISSING_FILE, ["snapshot-", "is missing", "restore a backup"]),
    (missing_manifests, MISSING_FILE, ["manifest-a.lk is missing", "restore a backup"]),
    (newer_segment, NEWER_FORMAT, ["journal-", "written by a newer Latchkey"]),
    (newer_feature, NEWER_FORMAT, ["journal-", "written by a newer Latchkey"]),
    (newer_manifest, NEWER_FORMAT, ["manifest-a.lk", "written by a newer Latchkey"]),
    (newer_snapshot, NEWER_FORMAT, ["snapshot-", "written by a newer Latchkey"]),
    (segment_of_another_store, ANOTHER_STORE, ["journal-", "another store", "restore a backup"]),
    (foreign_directory, NO_STORE, ["letters.txt", "not a Latchkey store", "empty or missing directory"]),
]


def refuse(given, scratch):
    """Tries every case; gives the figures and the faults."""
    stored, other, faults = pathlib.Path(scratch, "stored"), pathlib.Path(scratch, "other"), []
    for data in (stored, other):
        server = Server(given.binary, data)
        connection = server.connect()
        record(connection, Families(random.Random(given.seed)).next_recordings(8))
        connection.call("TakeSnapshot", b"")
        server.end()
    for number, (damage, status, words) in enumerate(CASES):
        data = stores.copy(stored, pathlib.Path(scratch, f"refused-{number}"))
        damage(data, other)
        faults += expect(given.binary, data, damage.__name__, status, words)
    server = Server(given.binary, stored)
    faults += expect(given.binary, stored, "lock_held", IN_USE, ["in use by another process", "Stop that process"], log=f"{scratch}/second.log")
    server.end()
    more, found = read_only(given, scratch, stored)
    return {"refusals told apart": len(CASES) + 1 + more}, faults + found


def read_only(given, scratch, stored):
    """A file system that may only be read."""
    place = pathlib.Path(scratch, "readonly")
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "latchkey", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, stderr=subprocess.DEVNULL).returncode:
        print("skipped: read_only, since mounting needs root")
        return 0, []
    try:
        data = stores.copy(stored, place / "data")
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        return 1, expect(given.binary, data, "read_only", NOT_PERMITTED, ["Read-only file system", "Make the file system writable"], log=f"{scratch}/readonly.log")
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def expect(binary, data, name, status, words, log=None):
    """Starts a server that must refuse; gives what is wrong with how it did."""
    try:
        Server(binary, data, log=log).end()
        return [f"{name}: the store was accepted"]
    except NotStarted as error:
        missing = [word for word in words if word not in error.log]
        if error.status != status or missing:
            return [f"{name}: status {error.status}, without {missing}: {error.log[-400:]}"]
        return []
