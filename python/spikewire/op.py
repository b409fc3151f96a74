"""Operations for ``operate``: several steps on one record, applied in order and all or nothing.

    from spikewire import op

    record = users.operate("alice", [op.add("visits", 1), op.get("visits")])
    record.results  # (None, 1): one result per operation

Each function checks and encodes its arguments at once, so an operation can be kept and used again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Operation

if TYPE_CHECKING:
    from spikewire.types import BinValue

__all__ = ["add", "append", "delete", "get", "prepend", "put", "touch"]


def get(bin: str | None = None) -> Operation:  # noqa: A002
    """Reads a bin, or every bin. Reading every bin cannot be mixed with other results."""
    return Operation("get", bin)


def put(bin: str, value: BinValue) -> Operation:  # noqa: A002
    """Writes a bin; ``None`` removes it."""
    return Operation("put", bin, value)


def add(bin: str, value: float) -> Operation:  # noqa: A002
    """Adds to a number; a missing bin counts as 0. Integers wrap at 64 bits on the server."""
    return Operation("add", bin, value)


def append(bin: str, value: str | bytes) -> Operation:  # noqa: A002
    """Appends to text or bytes; a missing bin counts as empty."""
    return Operation("append", bin, value)


def prepend(bin: str, value: str | bytes) -> Operation:  # noqa: A002
    """Prepends to text or bytes; a missing bin counts as empty."""
    return Operation("prepend", bin, value)


def touch() -> Operation:
    """Renews the record's expiry; fails with ``RecordNotFound`` if the record is missing."""
    return Operation("touch")


def delete() -> Operation:
    """Deletes the record; writes that follow start from an empty one."""
    return Operation("delete")
