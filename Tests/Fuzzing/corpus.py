"""Writes the first inputs of each fuzz target: the vectors of the schema, and the scenarios' documents."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def hexes(value):
    """Every text of a JSON value that is bytes in hexadecimal, with the key that it stands under."""
    if isinstance(value, dict):
        for member in value.values():
            yield from hexes(member)
    elif isinstance(value, list):
        for element in value:
            yield from hexes(element)
    elif isinstance(value, str) and value and len(value) % 2 == 0:
        try:
            yield bytes.fromhex(value)
        except ValueError:
            pass


def documents():
    """What the scenarios record, as Apple sends it."""
    for scenario in sorted(ROOT.glob("Tests/Scenarios/*.json")):
        content = json.loads(scenario.read_text())
        for step in content.get("steps", []):
            for document in step.get("record", {}).values() if isinstance(step.get("record"), dict) else []:
                if isinstance(document, dict):
                    yield json.dumps(document).encode()


def write(target, inputs):
    folder = pathlib.Path(sys.argv[1], "corpus", target)
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(inputs):
        (folder / f"given-{number}").write_bytes(content)


vectors = {name: list(hexes(json.loads((ROOT / "schema/vectors" / f"{name}.json").read_text()))) for name in ("frames", "messages", "calls")}
write("Frame", vectors["frames"])
write("Envelope", [content[10:] for content in vectors["frames"] + vectors["calls"]] + vectors["messages"])
write("Message", [bytes([kind]) + content for kind in range(4) for content in vectors["messages"]])
write("JSON", documents())
# Three frames of one record, and two blocks, which the targets give right checksums.
record = bytes([5, 0, 0, 0]) + b"hello"
write("Journal", [(48).to_bytes(4, "little") + bytes([1]) + bytes(19) + (1).to_bytes(4, "little") + bytes(4) + record + bytes(7)] * 3)
write("Snapshot", [(5).to_bytes(4, "little") + bytes(12) + b"block" + bytes(4)])
