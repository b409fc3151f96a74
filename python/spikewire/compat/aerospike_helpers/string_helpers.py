"""Flags of operations on text: see ``operations.string_operations``."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["NumericType", "RegexFlags", "StringPolicy", "WriteFlags"]


class RegexFlags(IntEnum):
    """How patterns match."""

    DEFAULT = 0
    CASE_INSENSITIVE = 1
    MULTILINE = 2
    DOTALL = 4
    UNIX_LINES = 8
    GLOBAL = 16


class WriteFlags(IntEnum):
    """When text is written."""

    DEFAULT = 0
    CREATE_ONLY = 1
    UPDATE_ONLY = 2
    NO_FAIL = 4


class NumericType(IntEnum):
    """Which numbers a text may be."""

    ANY = 0
    INT = 1
    FLOAT = 2


class StringPolicy:
    """When text is written."""

    def __init__(self, write_flags: WriteFlags = WriteFlags.DEFAULT) -> None:
        self.write_flags = write_flags
