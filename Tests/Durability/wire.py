"""A client of the protocol written by hand with the standard library alone: protobuf's fields, ttrpc's frames, a connection."""

import itertools
import socket
import struct

METHODS = {"CheckAccess": 1, "CheckAccessBatch": 2, "RecordTransaction": 3, "RebuildEntitlements": 4, "GetHistory": 6,
           "ExplainAccess": 7, "WatchChanges": 8, "GetRefundReport": 9, "Hello": 10, "TakeSnapshot": 11}
STATUSES = {2: "UNKNOWN", 3: "INVALID_ARGUMENT", 4: "DEADLINE_EXCEEDED", 8: "RESOURCE_EXHAUSTED", 9: "FAILED_PRECONDITION",
            11: "OUT_OF_RANGE", 13: "INTERNAL", 14: "UNAVAILABLE"}
REQUEST, RESPONSE, DATA = 1, 2, 3
REMOTE_CLOSED, NO_DATA = 1, 4


def encoded(fields):
    """A message from a list of pairs: a field's number, and its value as an integer, text or bytes."""
    message = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            message += _varint(number << 3) + _varint(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            message += _varint(number << 3 | 2) + _varint(len(content)) + content
    return bytes(message)


def decoded(message):
    """A message as a dictionary: each field's number, and the list of its values as integers or bytes."""
    fields, at = {}, 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        if tag & 7 == 0:
            value, at = _read_varint(message, at)
        elif tag & 7 == 2:
            length, at = _read_varint(message, at)
            value, at = message[at:at + length], at + length
        else:
            raise ValueError(f"no message of this protocol has wire type {tag & 7}")
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def _varint(value):
    held = bytearray()
    while value > 127:
        held.append(value & 127 | 128)
        value >>= 7
    held.append(value)
    return bytes(held)


def _read_varint(message, at):
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


class Status(Exception):
    """The server answered with a status other than OK."""

    def __init__(self, name, message):
        super().__init__(f"{name}: {message}")
        self.name, self.message = name, message


class Connection:
    """One connection; requests may be pipelined, and their answers come in any order."""

    def __init__(self, address, timeout_seconds=60):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=timeout_seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.streams, self.held = itertools.count(1, 2), bytearray()

    def close(self):
        self.socket.close()

    def call(self, method, request):
        """Calls a unary method; gives the answer's bytes or raises its `Status`."""
        self.send(method, [request])
        answer = self.receive()[1]
        if isinstance(answer, Status):
            raise answer
        return answer

    def call_all(self, method, requests, depth=64):
        """Calls a method for each request, so many in flight; gives the answers in the order of the requests."""
        answers = []
        for start in range(0, len(requests), depth):
            streams = self.send(method, requests[start:start + depth])
            received = dict(self.receive() for _ in streams)
            answers += [received[stream] for stream in streams]
        return answers

    def send(self, method, requests):
        """Sends requests at once; gives their stream ids."""
        frames, streams = bytearray(), []
        for request in requests:
            data, stream = encoded([(3, request), (15, METHODS[method])]), next(self.streams)
            frames += struct.pack(">IIBB", len(data), stream, REQUEST, 0) + data
            streams.append(stream)
        self.socket.sendall(frames)
        return streams

    def receive(self):
        """The next answer: its stream id, and the payload or the `Status`. Raises `ConnectionError` at the end."""
        stream, kind, _, data = self._frame()
        assert kind == RESPONSE, f"a unary call was answered by a frame of type {kind}"
        return stream, _answer(data)

    def stream(self, method, request):
        """Calls a streaming method, alone on this connection; gives its messages up to its end, or raises its `Status`."""
        self.send(method, [request])
        while True:
            _, kind, flags, data = self._frame()
            if kind == RESPONSE:
                raise _answer(data)
            if not flags & NO_DATA:
                yield data
            if flags & REMOTE_CLOSED:
                return

    def _frame(self):
        length, stream, kind, flags = struct.unpack(">IIBB", self._exactly(10))
        return stream, kind, flags, self._exactly(length)

    def _exactly(self, count):
        while len(self.held) < count:
            received = self.socket.recv(1 << 16)
            if not received:
                raise ConnectionError("the server closed the connection")
            self.held += received
        taken = bytes(self.held[:count])
        del self.held[:count]
        return taken


def _answer(data):
    """The payload of a response, or the `Status` that it carries instead."""
    response = decoded(data)
    status = decoded(response.get(1, [b""])[-1])
    code = status.get(1, [0])[-1]
    if code:
        return Status(STATUSES.get(code, str(code)), status.get(2, [b""])[-1].decode())
    return response.get(2, [b""])[-1]
