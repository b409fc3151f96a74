"""Columns that relate one figure of a row to another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .report import Heading, Median

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .report import Entry, Row, Table


@dataclass(frozen=True)
class DerivedColumn:
    """A column computed from two others, given by their keys."""

    heading: Heading
    of: Callable[[float, float], float]
    one: str
    other: str

    def figure(self, row: Row) -> float | None:
        """None if either is missing or the divisor is zero."""
        one, other = plain(row.fields.get(self.one)), plain(row.fields.get(self.other))
        return self.of(one, other) if one and other else None


def times(key: str, title: str, over: str, under: str) -> DerivedColumn:
    """How many times one column is another."""
    return DerivedColumn(Heading(key, title, "times", digits=2), lambda a, b: a / b, over, under)


def saved(key: str, title: str, less: str, more: str) -> DerivedColumn:
    """How much less one column is than another, in percent."""
    return DerivedColumn(
        Heading(key, title, "%", digits=1), lambda a, b: 100 * (1 - a / b), less, more
    )


def beside(table: Table, columns: Sequence[DerivedColumn]) -> Table:
    """The table with these columns appended, if some row has a figure for them."""
    figures_by_row = [[one.figure(row) for one in columns] for row in table.rows]
    used = [
        at
        for at in range(len(columns))
        if any(figures[at] is not None for figures in figures_by_row)
    ]
    rows = tuple(
        replace(row, fields={**row.fields, **{columns[at].heading.key: line[at] for at in used}})
        for row, line in zip(table.rows, figures_by_row, strict=True)
    )
    return replace(
        table, headings=(*table.headings, *(columns[at].heading for at in used)), rows=rows
    )


def change(one: float | None, before: float | None) -> float | None:
    """How much more a figure is than an earlier one, in percent."""
    return 100 * (one / before - 1) if one is not None and before else None


def plain(entry: Entry) -> float | None:
    """The number of a field; None for text and for empty fields."""
    if isinstance(entry, Median):
        return entry.value
    return None if isinstance(entry, str) else entry
