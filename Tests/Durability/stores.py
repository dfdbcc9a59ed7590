"""Stores made for a test: a segment that is all but full, and what stands in a segment."""

import json
import pathlib
import signal
import struct

from families import LATER, START
from server import Server
from wire import Status, encoded

SEGMENT_BYTES, HEADER_BYTES = 16 << 20, 512
BATCH, SEAL = 1, 2
COMPLETE_REVISION_OFFSET = 80
# The most that a recording keeps of Apple's fields that no rule uses is 4,096 bytes.
FILLER_BYTES = 3_900


def copy(source, target):
    """Copies a store; its files are few and flat."""
    target = pathlib.Path(target)
    target.mkdir(mode=0o700)
    for file in pathlib.Path(source).iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    return target


def last_segment(data):
    return sorted(pathlib.Path(data).glob("journal-*.lk"))[-1]


def frames(segment):
    """Where each frame of a segment begins, and where the last one ends: docs/journal-format.md."""
    starts, at = [], HEADER_BYTES
    while at + 40 <= len(segment):
        length = struct.unpack_from("<I", segment, at)[0]
        if length == 0:
            break
        starts.append(at)
        at += length
    return starts, at


def is_sealed(data):
    """Whether the last frame of a store is a seal."""
    segment = last_segment(data).read_bytes()
    starts, _ = frames(segment)
    return bool(starts) and segment[starts[-1] + 4] == SEAL


def last_revision(data):
    """The revision of the last record in the last segment."""
    segment = last_segment(data).read_bytes()
    last = frames(segment)[0][-1]
    first, count = struct.unpack_from("<Q8xI", segment, last + 8)
    return first + (count if segment[last + 4] == BATCH else 0) - 1


def complete_revision(data):
    """Up to which revision the manifest says that the journal was complete."""
    return min(struct.unpack_from("<Q", file.read_bytes(), COMPLETE_REVISION_OFFSET)[0]
               for file in pathlib.Path(data).glob("manifest-*.lk"))


def fill_segment(binary, data, room=1_000):
    """Records what no test looks at, until the store's segment has less than this room; the server ends by SIGKILL."""
    server = Server(binary, data)
    connection, number = server.connect(), 0
    while True:
        left = SEGMENT_BYTES - frames(last_segment(data).read_bytes())[1]
        if left < room:
            break
        count = max(1, (left - 8_000) // (FILLER_BYTES + 400))
        size = FILLER_BYTES if left > 8_000 else max(1, min(left // 2 - 300, FILLER_BYTES))
        for answer in connection.call_all("RecordTransaction", [filler(number + n, size) for n in range(count)], depth=count):
            if isinstance(answer, Status):
                raise answer
        number += count
    connection.close()
    server.end(signal.SIGKILL)


def filler(number, size):
    signed = {"transactionId": f"filler-{number}", "productId": "filler", "type": "Consumable", "purchaseDate": START,
              "signedDate": START, "environment": "Production", "filling": "x" * size}
    return encoded([(1, "filler"), (7, LATER), (9, json.dumps(signed))])
