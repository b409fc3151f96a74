"""Row factories: they create the rows of a page from column names and tuples of values."""

from __future__ import annotations

import functools
import re
from collections import OrderedDict, namedtuple
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["dict_factory", "named_tuple_factory", "ordered_dict_factory", "tuple_factory"]

_EDGES = re.compile(r"^[^a-zA-Z0-9]*|[^a-zA-Z0-9_]*$")
_OTHERS = re.compile(r"\W")


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
    """Column names that are not valid attribute names are changed until they are."""
    clean = [_OTHERS.sub("_", _EDGES.sub("", name)) for name in names]
    return namedtuple("Row", clean, rename=True)  # noqa: PYI024  # pyright: ignore[reportUntypedNamedTuple]
