"""Writes the first inputs of each fuzz target, and its dictionary: from the vectors, the scenarios, the golden files, and Inputs."""

import base64
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path(sys.argv[1])
HEADER_BYTES, FOOTER_BYTES = 512, 48
MESSAGE_KINDS = 46  # As many as MessageTarget has decoders.


def hexes(value):
    """Every text of a JSON value that is bytes in hexadecimal."""
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
    """What the scenarios record, as Apple sends it, and the catalogs that they have."""
    for scenario in sorted(ROOT.glob("Tests/Scenarios/*.json")):
        content = json.loads(scenario.read_text())
        for step in content.get("steps", []):
            for document in step.get("record", {}).values() if isinstance(step.get("record"), dict) else []:
                if isinstance(document, dict):
                    yield json.dumps(document).encode()
        if isinstance(content.get("catalog"), dict):
            yield json.dumps(content["catalog"]).encode()


def golden(pattern):
    """The golden files of a kind."""
    return [path.read_bytes() for path in sorted(ROOT.glob(f"Tests/Golden/*/{pattern}"))]


def kept(target):
    """What Tests/Fuzzing/keep kept of what earlier runs found."""
    path = ROOT / "Tests/Fuzzing/Inputs" / target
    return [base64.b64decode(line) for line in path.read_text().splitlines()] if path.exists() else []


def write(target, inputs):
    """Puts inputs, and those kept for it, into the corpus of a target, each once."""
    folder = OUT / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(dict.fromkeys([*inputs, *kept(target)])):
        (folder / f"given-{number}").write_bytes(content)


def write_dictionary(target, *folders):
    """The strings that the sources of a decoder name, which are the keys that it knows."""
    names = set()
    for folder in folders:
        for path in (ROOT / "Sources" / folder).rglob("*.swift"):
            names.update(re.findall(r'"([A-Za-z][A-Za-z0-9_]{1,40})"', path.read_text()))
    (OUT / f"{target}.dictionary").write_text("".join(f'"\\"{name}\\""\n' for name in sorted(names)))


vectors = {name: list(hexes(json.loads((ROOT / "schema/vectors" / f"{name}.json").read_text()))) for name in ("frames", "messages", "calls")}
write("Frame", vectors["frames"])
write("Envelope", [content[10:] for content in vectors["frames"] + vectors["calls"]] + vectors["messages"])
write("Message", [bytes([kind]) + content for kind in range(MESSAGE_KINDS) for content in vectors["messages"]])
write("JSON", documents())
write_dictionary("JSON", "AppStore")

segments = [content[HEADER_BYTES:].rstrip(b"\0")[:2048] for content in golden("journal-*.lk")]
# Three frames of one record, which the target gives right checksums.
record = bytes([5, 0, 0, 0]) + b"hello"
frame = (48).to_bytes(4, "little") + bytes([1]) + bytes(19) + (1).to_bytes(4, "little") + bytes(4) + record + bytes(7)
write("Journal", segments + [frame * 3])

snapshots = golden("snapshot-*.lk")
blocks = [content[HEADER_BYTES:-FOOTER_BYTES] for content in snapshots] + [(5).to_bytes(4, "little") + bytes(12) + b"block" + bytes(4)]
write("Block", blocks)
write("Snapshot", blocks)
write("Stored", [content[16:-4] for content in blocks] + [b'{"latchkey_entry":{"settings":{"clock_skew_ms":1}}}'])
write_dictionary("Stored", "Storage", "LatchkeyWire/Messages")
write("Manifest", golden("manifest-*.lk") + [content[-FOOTER_BYTES:] for content in snapshots])
