"""Google's protobuf runtime over the .proto files of this folder's parent.

Needs the package protobuf (4 or newer) and protoc. Values are given as plain dictionaries: only the fields that are present,
under their names in the schema; enumerations as numbers, bytes as hex.
"""

import pathlib
import subprocess
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FOLDER = pathlib.Path(__file__).resolve().parent.parent
FILES = ["envelope.proto", "health.proto", "latchkey.proto"]


class Schema:
    """All messages and enumerations, by their full names."""

    def __init__(self):
        self.messages, self.enumerations = {}, {}
        pool = descriptor_pool.DescriptorPool()
        for file in self._compile().file:
            pool.Add(file)
            described = pool.FindFileByName(file.name)
            self.enumerations.update({e.full_name: e for e in described.enum_types_by_name.values()})
            for message in described.message_types_by_name.values():
                self.messages[message.full_name] = message_factory.GetMessageClass(message)
                self.enumerations.update({e.full_name: e for e in message.enum_types})

    @staticmethod
    def _compile():
        with tempfile.NamedTemporaryFile() as output:
            subprocess.run(
                ["protoc", f"--proto_path={FOLDER}", f"--descriptor_set_out={output.name}", *FILES], check=True)
            return descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(output.name).read_bytes())

    def make(self, name, values):
        """Builds a message from a plain dictionary."""
        message = self.messages[name]()
        fill(message, values)
        return message


def is_repeated(field):
    """Says whether a field is a list; newer runtimes say so by a property, and older ones by a label."""
    repeated = getattr(field, "is_repeated", None)
    return field.label == field.LABEL_REPEATED if repeated is None else repeated


def fill(message, values):
    for name, value in values.items():
        field = message.DESCRIPTOR.fields_by_name[name]
        if is_repeated(field) and field.message_type:
            for each in value:
                fill(getattr(message, name).add(), each)
        elif is_repeated(field):
            getattr(message, name).extend(value)
        elif field.message_type:
            getattr(message, name).SetInParent()
            fill(getattr(message, name), value)
        else:
            setattr(message, name, bytes.fromhex(value) if field.type == field.TYPE_BYTES else value)


def plain(message):
    """Gives a message's present fields as a plain dictionary."""

    def value(field, given):
        if field.message_type:
            return plain(given)
        return given.hex() if field.type == field.TYPE_BYTES else given

    return {
        field.name: [value(field, each) for each in given] if is_repeated(field) else value(field, given)
        for field, given in message.ListFields()
    }
