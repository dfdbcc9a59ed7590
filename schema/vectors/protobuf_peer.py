"""The other side of Tests/LatchkeyWireTests/AgreementTests.swift: Google's protobuf runtime behind lines of text.

Reads commands from standard input and answers each with one line of JSON:
  names               all messages, and all enumerations with their numbers and names
  parse MESSAGE HEX   {"fields": …} or {"error": …}; HEX is "-" for no bytes
  build MESSAGE SEED  {"hex": …, "fields": …} of a random message, as one or two encodings that merge
"""

import json
import random
import sys

from google_messages import Schema, is_repeated, plain

TEXTS = ["", "a", "premium", "Zoë 🗝", "\0\"\\\n", "x" * 130, "ß" * 8300]
NUMBERS = {
    "int32": [-(2**31), -1, 0, 1, 127, 128, 2**31 - 1],
    "int64": [-(2**63), -1, 0, 1, 127, 128, 1702592000000, 2**63 - 1],
    "uint32": [0, 1, 127, 128, 2**32 - 1],
    "uint64": [0, 1, 127, 128, 2**63, 2**64 - 1],
    "enum": [-1, 0, 1, 2, 15, 77, 2**31 - 1],
}


def scalar(field, chance):
    if field.type == field.TYPE_STRING:
        return chance.choice(TEXTS)
    if field.type == field.TYPE_BYTES:
        return chance.randbytes(chance.choice([0, 1, 127, 128, 300]))
    if field.type == field.TYPE_BOOL:
        return chance.random() < 0.5
    kinds = {
        field.TYPE_INT32: "int32", field.TYPE_INT64: "int64", field.TYPE_UINT32: "uint32", field.TYPE_UINT64: "uint64",
        field.TYPE_ENUM: "enum",
    }
    return chance.choice(NUMBERS[kinds[field.type]])


def fill(message, chance):
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.4:
            continue
        if is_repeated(field):
            values = getattr(message, field.name)
            for _ in range(chance.randrange(4)):
                fill(values.add(), chance) if field.message_type else values.append(scalar(field, chance))
        elif field.message_type:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), chance)
        else:
            setattr(message, field.name, scalar(field, chance))
    return message


def build(kind, seed):
    chance = random.Random(seed)
    parts = [fill(kind(), chance).SerializeToString() for _ in range(chance.choice([1, 1, 2]))]
    data = b"".join(parts)
    return {"hex": data.hex(), "fields": plain(kind.FromString(data))}


def parse(kind, text):
    try:
        return {"fields": plain(kind.FromString(bytes.fromhex("" if text == "-" else text)))}
    except Exception as error:
        return {"error": str(error)}


def names(schema):
    enumerations = {n: {v.name: v.number for v in e.values} for n, e in schema.enumerations.items()}
    return {"messages": sorted(schema.messages), "enumerations": enumerations}


def main():
    schema = Schema()
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "names":
            answer = names(schema)
        elif command == "parse":
            answer = parse(schema.messages[arguments[0]], arguments[1])
        else:
            answer = build(schema.messages[arguments[0]], int(arguments[1]))
        print(json.dumps(answer))


main()
