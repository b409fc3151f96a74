"""Figures as text, the same on all kinds of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .report import Median

if TYPE_CHECKING:
    from .report import Entry, Heading

DASH = "–"


def entry_text(entry: Entry, heading: Heading | None = None) -> str:
    """A field of a table: a dash if empty, thousands separated, followed by the spread of
    rounds."""
    if entry is None:
        return DASH
    if isinstance(entry, str):
        return entry
    digits = None if heading is None else heading.digits
    if not isinstance(entry, Median):
        return number(entry, digits)
    text = number(entry.value, digits)
    if entry.low is None or entry.high is None or entry.rounds < 2:
        return text
    return f"{text} ({number(entry.low, digits)} to {number(entry.high, digits)})"


def number(value: float, digits: int | None = None) -> str:
    """A number with this many decimal places, or by default three significant digits."""
    if digits is None:
        size = abs(value)
        digits = 0 if size >= 100 or value == int(value) else 1 if size >= 10 else 2
    return f"{value:,.{digits}f}"
