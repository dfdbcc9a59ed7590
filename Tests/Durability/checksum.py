"""CRC-32C, as docs/journal-format.md has it, written apart from the code under test."""


def _entry(value):
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


_TABLE = [_entry(byte) for byte in range(256)]


def crc32c(content):
    value = 0xFFFFFFFF
    for byte in content:
        value = _TABLE[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283


def with_checksum(content):
    """The content with its last four bytes replaced by the checksum of what is before them."""
    return bytes(content[:-4]) + crc32c(content[:-4]).to_bytes(4, "little")
