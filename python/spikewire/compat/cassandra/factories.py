"""Row factories: they create the rows of a page from column names and tuples of values."""

from __future__ import annotations

import functools
from collections import OrderedDict, namedtuple
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.identifiers import attributes

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["dict_factory", "named_tuple_factory", "ordered_dict_factory", "tuple_factory"]


def tuple_factory(colnames: Sequence[str], rows: list[Any]) -> list[Any]:  # noqa: ARG001
    """Rows as tuples."""
    return rows


def named_tuple_factory(colnames: Sequence[str], rows: list[Any]) -> list[Any]:
    """Rows as named tuples. One class is created for all results with the same columns."""
    return list(map(_row_class(tuple(colnames))._make, rows))


def dict_factory(colnames: Sequence[str], rows: list[Any]) -> list[dict[str, Any]]:
    """Rows as dictionaries."""
    return [dict(zip(colnames, row, strict=True)) for row in rows]


def ordered_dict_factory(colnames: Sequence[str], rows: list[Any]) -> list[OrderedDict[str, Any]]:
    """Rows as ``OrderedDict``."""
    return [OrderedDict(zip(colnames, row, strict=True)) for row in rows]


@functools.lru_cache(4096)
def _row_class(names: tuple[str, ...]) -> Any:
    return namedtuple("Row", attributes(names))  # noqa: PYI024  # pyright: ignore[reportUntypedNamedTuple]
