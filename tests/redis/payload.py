"""What DUMP gives and RESTORE takes: a value, two bytes of RDB version, and eight bytes of CRC-64 over all before them."""

import struct

_POLYNOMIAL = 0x95AC9329AC4BC9B5  # of CRC-64/Jones, 0xad93d23594c935a9, bits reversed


def _table():
    entries = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (_POLYNOMIAL if byte & 1 else 0)
        entries.append(byte)
    return entries


_TABLE = _table()


def crc64(data):
    crc = 0
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc


def value_of(dump):
    """Without version and checksum: equal in servers of all versions."""
    return dump[:-10]


def signed(value, version=10):
    """A payload that Redis accepts, so that the module has to judge the value. Servers from 7.0 know version 10."""
    body = value + struct.pack("<H", version)
    return body + struct.pack("<Q", crc64(body))
