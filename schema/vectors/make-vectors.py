"""Writes frames.json, messages.json and calls.json beside it; README.md says what they hold.

The bytes come from Google's protobuf runtime and from the hand-made parts below, never from Latchkey's own code.
Run it with any Python that has protobuf 4 or newer; protoc must be on the path.
"""

import json
import struct

from google_messages import FOLDER, Schema, plain

SCHEMA = Schema()
CHECK = {"customer_id": "alice", "entitlement": "premium"}
MIB = 1 << 20


def encode(name, values):
    return SCHEMA.make(name, values).SerializeToString(deterministic=True)


def frame(stream, kind, data=b"", flags=0, length=None):
    return struct.pack(">IIBB", len(data) if length is None else length, stream, kind, flags) + data


def request(values, stream=1, flags=0):
    return frame(stream, 1, encode("ttrpc.Request", values), flags)


def check(stream=1, **more):
    payload = encode("latchkey.v1.CheckAccessRequest", CHECK).hex()
    return request({"method_number": 1, "payload": payload, **more}, stream)


# --------------------------------------------------------------------------------------------------------- messages

TRANSACTION = {
    "transaction_id": "2000000000000001", "original_transaction_id": "2000000000000000", "product_id": "com.example.pro",
    "type": 1, "ownership": 1, "environment": 1, "purchase_date_ms": 1700000000000, "expires_date_ms": 1702592000000,
    "signed_date_ms": 1700000000123, "is_upgraded": True, "price_milliunits": 9990, "currency": "EUR",
}

GOOD_MESSAGES = [
    ("an empty check", "latchkey.v1.CheckAccessRequest", {}),
    ("a check", "latchkey.v1.CheckAccessRequest", CHECK),
    ("a check of a moment before 1970", "latchkey.v1.CheckAccessRequest", {**CHECK, "at_time_ms": -1}),
    ("a check with the greatest revision", "latchkey.v1.CheckAccessRequest", {**CHECK, "min_revision": 2**64 - 1}),
    ("a customer beyond ASCII", "latchkey.v1.CheckAccessRequest", {**CHECK, "customer_id": "Zoë 🗝"}),
    ("access until a moment", "latchkey.v1.CheckAccessResponse",
     {"allowed": True, "reason": 1, "valid_until_ms": 1702592000000, "ownership": 1, "revision": 42}),
    ("an end at 1970 is not an absent one", "latchkey.v1.CheckAccessResponse", {"allowed": True, "valid_until_ms": 0}),
    ("a reason that no build knows yet", "latchkey.v1.CheckAccessResponse", {"reason": 4711, "revision": 1}),
    ("a negative reason takes ten bytes", "latchkey.v1.CheckAccessResponse", {"reason": -1}),
    ("a batch with an empty check in the middle", "latchkey.v1.CheckAccessBatchRequest", {"checks": [CHECK, {}, CHECK]}),
    ("a transaction", "latchkey.v1.Transaction", TRANSACTION),
    ("a refund without a named reason keeps reason 0", "latchkey.v1.Transaction",
     {**TRANSACTION, "revocation_date_ms": 1700500000000, "revocation_reason": 0, "revocation_percentage": 100000}),
    ("a recording whose nested message needs two bytes of length", "latchkey.v1.RecordTransactionRequest",
     {"customer_id": "alice", "transaction": {**TRANSACTION, "app_account_token": "t" * 200}, "shared_from": ["1", ""]}),
    ("a nested message that is there but empty", "latchkey.v1.RecordTransactionRequest", {"transaction": {}}),
    ("a call with metadata", "ttrpc.Request",
     {"service": "latchkey.v1.Entitlements", "method": "CheckAccess", "payload": "0a05616c696365", "timeout_nano": 5 * 10**9,
      "metadata": [{"key": "authorization", "value": "Bearer id.secret"}]}),
    ("a failed call", "ttrpc.Response", {"status": {"code": 3, "message": "customer_id: 1 to 128 bytes"}}),
    ("a healthy server", "grpc.health.v1.HealthCheckResponse", {"status": 1}),
]

NAME = "latchkey.v1.CheckAccessRequest"
LENIENT_MESSAGES = [
    ("fields in descending order", NAME, "1207 7072656d69756d 0a05 616c696365"),
    ("the last of several values counts", NAME, "0a01 61 0a01 62 0a01 63"),
    ("an unknown field of every wire type is skipped", NAME,
     "7801 79 0102030405060708 7a02 ffff 7b 0801 7c 7d 01020304 0a01 61"),
    ("a known field with another wire type is skipped", NAME, "0805 0a01 61"),
    ("a varint padded to ten bytes", NAME, "18 81808080808080808000"),
    ("the tenth byte of a varint loses what 64 bits can't hold", NAME, "18 ffffffffffffffffff7f"),
    ("a boolean above 1 is true", "latchkey.v1.CheckAccessResponse", "0802"),
    ("a reason is cut to 32 bits", "latchkey.v1.CheckAccessResponse", "10 8180808010"),
    ("a singular message is merged", "latchkey.v1.RecordTransactionRequest", "1203 0a01 31 1203 1a01 70"),
]

REFUSED_MESSAGES = [
    ("the bytes end inside a tag", NAME, "8a", "truncated"),
    ("the bytes end before a value", NAME, "18", "truncated"),
    ("the bytes end inside a varint", NAME, "1880", "truncated"),
    ("a varint runs over ten bytes", NAME, "18 8080808080808080808001", "varint too long"),
    ("a tag runs over 32 bits", NAME, "ffffffff7f 00", "varint too long"),
    ("a length points beyond the end", NAME, "0a02 61", "length beyond end"),
    ("a length of 4 GiB", NAME, "0a ffffffff0f 61", "length beyond end"),
    ("a nested length points beyond its message", "latchkey.v1.CheckAccessBatchRequest", "0a02 0a01 0a00", "length beyond end"),
    ("field number 0", NAME, "0000", "field number zero"),
    ("wire type 6", NAME, "0e00", "unknown wire type"),
    ("wire type 7", NAME, "0f00", "unknown wire type"),
    ("a lone continuation byte in a text", NAME, "0a01 80", "invalid UTF-8"),
    ("an overlong character in a text", NAME, "0a02 c080", "invalid UTF-8"),
    ("half of a surrogate pair in a text", NAME, "0a03 eda080", "invalid UTF-8"),
    ("a group ends that did not begin", NAME, "7c", "unmatched group"),
    ("a group doesn't end", NAME, "7b 0801", "unmatched group"),
    ("a group ends with another's number", NAME, "7b 8401", "unmatched group"),
    ("a fixed value is cut short", NAME, "7d 010203", "truncated"),
    ("groups are nested over 100 deep", NAME, "7b" * 101 + "7c" * 101, "nested too deeply"),
]


def messages():
    for name, kind, values in GOOD_MESSAGES:
        yield {"name": name, "message": kind, "hex": encode(kind, values).hex(), "canonical": True, "fields": values}
    for name, kind, text in LENIENT_MESSAGES:
        data = bytes.fromhex(text)
        fields = plain(SCHEMA.messages[kind].FromString(data))
        yield {"name": name, "message": kind, "hex": data.hex(), "canonical": False, "fields": fields}
    for name, kind, text, error in REFUSED_MESSAGES:
        data = bytes.fromhex(text)
        try:
            SCHEMA.messages[kind].FromString(data)
        except Exception:
            yield {"name": name, "message": kind, "hex": data.hex(), "error": error}
        else:
            raise SystemExit(f"Google's runtime takes: {name}")


# ----------------------------------------------------------------------------------------------------------- frames


def header(stream, kind, flags=0, data=b""):
    return {"stream_id": stream, "type": kind, "flags": flags, "data": data.hex()}


def closes(code, stream):
    return {"then": "close", "status": code, "status_stream_id": stream}


def frames():
    one = check()
    data = one[10:]
    answer = encode("ttrpc.Response", {"payload": encode("latchkey.v1.CheckAccessResponse", GOOD_MESSAGES[5][2]).hex()})
    client, server = {"from": "client"}, {"from": "server"}
    end, more = {"then": "end"}, {"then": "need more"}
    first = header(1, 1, data=data)
    yield {"name": "a request", **client, "hex": one.hex(), "frames": [first], **end}
    yield {"name": "two requests in one read", **client, "hex": (one + check(3)).hex(),
           "frames": [first, header(3, 1, data=data)], **end}
    yield {"name": "stream ids may skip", **client, "hex": (one + check(99)).hex(),
           "frames": [first, header(99, 1, data=data)], **end}
    yield {"name": "the greatest stream id", **client, "hex": check(2**32 - 1).hex(),
           "frames": [header(2**32 - 1, 1, data=data)], **end}
    yield {"name": "a streaming request", **client, "hex": request({"method_number": 4}, flags=1).hex(),
           "frames": [header(1, 1, 1, bytes.fromhex("7804"))], **end}
    yield {"name": "unknown flags are ignored", **client, "hex": request({"method_number": 1}, flags=0xF8).hex(),
           "frames": [header(1, 1, 0xF8, bytes.fromhex("7801"))], **end}
    yield {"name": "a cancel", **client, "hex": (one + frame(1, 17)).hex(), "frames": [first, header(1, 17)], **end}
    yield {"name": "a response", **server, "hex": frame(1, 2, answer).hex(), "frames": [header(1, 2, data=answer)], **end}
    yield {"name": "an empty response", **server, "hex": frame(1, 2).hex(), "frames": [header(1, 2)], **end}
    yield {"name": "a stream's message and its end", **server, "hex": (frame(1, 3, b"\x08\x01") + frame(1, 3, flags=5)).hex(),
           "frames": [header(1, 3, 0, b"\x08\x01"), header(1, 3, 5)], **end}
    yield {"name": "a server that drains after stream 7", **server, "hex": frame(0, 16, struct.pack(">I", 7)).hex(),
           "frames": [header(0, 16, 0, struct.pack(">I", 7))], **end}
    yield {"name": "nothing yet", **client, "hex": "", "frames": [], **more}
    yield {"name": "nine bytes of a header", **client, "hex": one[:9].hex(), "frames": [], **more}
    yield {"name": "a header alone", **client, "hex": one[:10].hex(), "frames": [], **more}
    yield {"name": "all but the last byte", **client, "hex": one[:-1].hex(), "frames": [], **more}
    yield {"name": "a length at the limit", **client, "hex": frame(1, 1, length=4 * MIB).hex(), "frames": [], **more}
    yield {"name": "a length one over the limit", **client, "hex": frame(1, 1, length=4 * MIB + 1).hex(), "frames": [],
           **closes("RESOURCE_EXHAUSTED", 1)}
    yield {"name": "a length of 4 GiB", **client, "hex": frame(5, 1, length=2**32 - 1).hex(), "frames": [],
           **closes("RESOURCE_EXHAUSTED", 5)}
    for kind in (0, 4, 15, 18, 255):
        yield {"name": f"frame type {kind}", **client, "hex": frame(1, kind).hex(), "frames": [],
               **closes("INVALID_ARGUMENT", 1)}
    for kind in (2, 3, 16):
        yield {"name": f"frame type {kind} from a client", **client, "hex": frame(1, kind).hex(), "frames": [],
               **closes("INVALID_ARGUMENT", 1)}
    yield {"name": "stream id 0", **client, "hex": check(0).hex(), "frames": [], **closes("INVALID_ARGUMENT", 0)}
    yield {"name": "an even stream id", **client, "hex": check(2).hex(), "frames": [], **closes("INVALID_ARGUMENT", 2)}
    yield {"name": "a stream id used again", **client, "hex": (one + one).hex(), "frames": [first],
           **closes("INVALID_ARGUMENT", 1)}
    yield {"name": "a stream id that falls", **client, "hex": (check(5) + check(3)).hex(),
           "frames": [header(5, 1, data=data)], **closes("INVALID_ARGUMENT", 3)}


# ------------------------------------------------------------------------------------------------------------ calls


def call(name, status, data, **more):
    return {"name": name, "hex": data.hex(), "status": status, **more}


def customer(length):
    payload = encode("latchkey.v1.CheckAccessRequest", {**CHECK, "customer_id": "c" * length}).hex()
    return request({"method_number": 1, "payload": payload})


def calls():
    names = {"service": "latchkey.v1.Entitlements", "method": "CheckAccess"}
    payload = encode("latchkey.v1.CheckAccessRequest", CHECK).hex()
    yield call("a check by number", "OK", check(), method="CheckAccess")
    yield call("a check by name", "OK", request({**names, "payload": payload}), method="CheckAccess")
    yield call("the number counts where both are given", "OK", request({"service": "x", "method": "y", "method_number": 1,
               "payload": payload}), method="CheckAccess")
    yield call("a health check", "OK", request({"service": "grpc.health.v1.Health", "method": "Check"}), method="Check")
    yield call("a number that no method has", "UNIMPLEMENTED", request({"method_number": 99}))
    yield call("a name that no method has", "UNIMPLEMENTED", request({**names, "method": "Check"}))
    yield call("neither number nor name", "UNIMPLEMENTED", request({}))
    yield call("an envelope that isn't protobuf", "INVALID_ARGUMENT", frame(1, 1, b"\x0a\xff"))
    yield call("a message that isn't protobuf", "INVALID_ARGUMENT", request({"method_number": 1, "payload": "0aff"}),
               method="CheckAccess")
    yield call("a customer's id that isn't UTF-8", "INVALID_ARGUMENT",
               request({"method_number": 1, "payload": "0a01ff120170"}), method="CheckAccess")
    yield call("a customer's id without bytes", "INVALID_ARGUMENT", customer(0), method="CheckAccess")
    yield call("a customer's id of 1 byte", "OK", customer(1), method="CheckAccess")
    yield call("a customer's id of 128 bytes", "OK", customer(128), method="CheckAccess")
    yield call("a customer's id of 129 bytes", "INVALID_ARGUMENT", customer(129), method="CheckAccess")


def write(name, vectors):
    lines = ",\n".join("  " + json.dumps(vector, ensure_ascii=False) for vector in vectors)
    (FOLDER / "vectors" / name).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write("messages.json", messages())
    write("frames.json", frames())
    write("calls.json", calls())
