"""A real server, and a client of its protocol written by hand: ttrpc's frames, and messages of Google's protobuf runtime."""

import itertools
import pathlib
import signal
import socket
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "schema" / "vectors"))
from google_messages import Schema  # noqa: E402

METHODS = {"CheckAccessBatch": 2, "RecordTransaction": 3, "RebuildEntitlements": 4, "ListEntitlements": 5, "GetRefundReport": 9,
           "TakeSnapshot": 11, "ReloadConfiguration": 12, "GrantAccess": 13}
STATUSES = {2: "UNKNOWN", 3: "INVALID_ARGUMENT", 8: "RESOURCE_EXHAUSTED", 9: "FAILED_PRECONDITION", 13: "INTERNAL",
            14: "UNAVAILABLE"}
REQUEST, RESPONSE, DATA = 1, 2, 3
REMOTE_CLOSED, NO_DATA = 1, 4


class Status(Exception):
    """The server answered with a status other than OK."""

    def __init__(self, name, message):
        super().__init__(name, message)  # as given, so that it can be sent to another process
        self.name = name
        self.message = message

    def __str__(self):
        return f"{self.name}: {self.message}"


class Connection:
    """One connection, one call at a time."""

    def __init__(self, address, schema):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.schema, self.streams = schema, itertools.count(1, 2)

    def call(self, method, request, answer):
        """Calls a unary method; gives the answer's message."""
        stream = self._send(method, request, 0)
        kind, _, data = self._frame(stream)
        assert kind == RESPONSE, f"a unary call was answered by a frame of type {kind}"
        return self._message(answer, self._payload(data))

    def stream(self, method, request, answer):
        """Calls a streaming method; gives each message."""
        stream = self._send(method, request, REMOTE_CLOSED)
        while True:
            kind, flags, data = self._frame(stream)
            if kind == RESPONSE:
                self._payload(data)
                return
            if not flags & NO_DATA:
                yield self._message(answer, data)
            if flags & REMOTE_CLOSED:
                return

    def _send(self, method, request, flags):
        envelope = self.schema.messages["ttrpc.Request"](payload=request.SerializeToString(), method_number=METHODS[method])
        data, stream = envelope.SerializeToString(), next(self.streams)
        self.socket.sendall(struct.pack(">IIBB", len(data), stream, REQUEST, flags) + data)
        return stream

    def _frame(self, stream):
        length, answered, kind, flags = struct.unpack(">IIBB", self._exactly(10))
        assert answered == stream, f"stream {stream} was asked, and {answered} answered"
        return kind, flags, self._exactly(length)

    def _exactly(self, count):
        held = bytearray()
        while len(held) < count:
            received = self.socket.recv(count - len(held))
            if not received:
                raise ConnectionError("the server closed the connection")
            held += received
        return bytes(held)

    def _payload(self, data):
        response = self._message("ttrpc.Response", data)
        if response.status.code:
            raise Status(STATUSES.get(response.status.code, str(response.status.code)), response.status.message)
        return response.payload

    def _message(self, name, data):
        return self.schema.messages[name].FromString(data)


class Server:
    """A `latchkey serve` process on a directory of its own, and a connection to it."""

    schema = None

    def __init__(self, binary, directory, settings):
        Server.schema = Server.schema or Schema()
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.catalog, self.log = self.directory / "catalog.json", open(self.directory / "log", "ab")
        self.words = [binary, "serve", "--listen", "127.0.0.1:0", "--loops", "1", "--data", str(self.directory / "data"),
                      "--catalog", str(self.catalog), "--environment", settings["environment"],
                      "--transfer-policy", settings["transfer_policy"], "--clock-skew", f"{settings['clock_skew_ms']}ms"]
        for customer in settings["sandbox_customers"]:
            self.words += ["--sandbox-customer", customer]
        if settings["bundle_id"]:
            self.words += ["--bundle-id", settings["bundle_id"]]
        if settings["customer_from_app_account_token"]:
            self.words += ["--customer-from-app-account-token"]
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise RuntimeError(f"the server didn't start: see {self.directory / 'log'}")
        self.connection = Connection(line.split()[-1], self.schema)

    def stop(self, by=signal.SIGKILL):
        """Ends the process by a signal."""
        if self.process is not None:
            self.connection.socket.close()
            self.process.send_signal(by)
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def message(self, name, **fields):
        return self.schema.messages[f"latchkey.v1.{name}"](**fields)

    def call(self, method, request):
        return self.connection.call(method, request, f"latchkey.v1.{method}Response")

    def name(self, enumeration, number):
        """The name of an enumeration's number, without its prefix."""
        described = self.schema.enumerations[f"latchkey.v1.{enumeration}"]
        value = described.values_by_number.get(number)
        return value.name[len(enumeration) + 1:] if value else str(number)
