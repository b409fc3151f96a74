"""Comparisons of two figures in words, the same on all pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..table.versus import EQUAL, UNCLEAR, versus

if TYPE_CHECKING:
    from ..table.figures import Spread


def as_many(ours: Spread, other: Spread, client: str, what: str = "operations") -> str:
    """Our rate beside that of another client: so many times as many, or as many."""
    ratio = versus(ours.values, other.values)
    verdict = "" if ratio is None else ratio.verdict
    if verdict == EQUAL:
        return f"as many {what} per second as {client}: their rounds do not tell them apart"
    times = ours.median / other.median if ratio is None else ratio.ratio
    text = f"{times:.2f} times as many {what} per second as {client}"
    return f"{text}, which so few rounds do not tell from noise" if verdict == UNCLEAR else text


def cost(ours: Spread | None, other: Spread | None) -> str:
    """Our processor time per operation beside that of another client; empty if one is unknown."""
    if ours is None or other is None or not other.median:
        return ""
    return f", with {100 * ours.median / other.median:.0f} % of its CPU time per operation"
