"""Implements ``spikewire.op``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Marker, Operation
from spikewire.aerospike.op import bit, hll, list, map, path, string  # noqa: A004

if TYPE_CHECKING:
    from spikewire.types import BinValue, Where

__all__ = [
    "INFINITY",
    "WILDCARD",
    "add",
    "append",
    "bit",
    "delete",
    "get",
    "hll",
    "list",
    "map",
    "path",
    "prepend",
    "put",
    "read",
    "string",
    "touch",
    "write",
]


#: Equals any one value; nothing that follows it in the searched value is compared, so that
#: ``["a", WILDCARD]`` finds the lists that begin with ``"a"`` and go on. Cannot be stored.
WILDCARD = Marker("wildcard")

#: Greater than every value, as the end of a range. Cannot be stored.
INFINITY = Marker("infinity")


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
    """Renews the record's time to live; fails with ``RecordNotFound`` if the record is missing."""
    return Operation("touch")


def delete() -> Operation:
    """Deletes the record; subsequent writes start from an empty one."""
    return Operation("delete")


def read(name: str, expression: Where, *, no_fail: bool = False) -> Operation:
    """Reads the value of an expression, as if it were a bin of this name.

    ``expression``: made by ``spikewire.exp``, a text, or a tuple of a text and its parameters.
    ``no_fail``: returns ``None`` if the value is unknown, for instance because a bin is missing,
    instead of failing with ``OpNotApplicable``."""
    return Operation.read(name, expression, no_fail=no_fail)


def write(
    bin: str,  # noqa: A002
    expression: Where,
    *,
    create_only: bool = False,
    update_only: bool = False,
    allow_delete: bool = False,
    no_fail: bool = False,
) -> Operation:
    """Writes the value of an expression into a bin.

    ``create_only``: refuses a bin that exists (``BinExists``). ``update_only``: refuses to create
    one (``BinNotFound``). ``allow_delete``: ``None`` removes the bin instead of failing.
    ``no_fail``: does nothing instead of failing, also if the value is unknown."""
    return Operation.write(
        bin,
        expression,
        create_only=create_only,
        update_only=update_only,
        allow_delete=allow_delete,
        no_fail=no_fail,
    )


def __dir__() -> tuple[str, ...]:
    return tuple(__all__)
