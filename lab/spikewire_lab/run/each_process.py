"""The result of each of several processes, in a line of its own."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..plan import Cell
    from ..table.line import Line
    from .compare import Comparison


def each_process(comparison: Comparison, lines: Sequence[Line]) -> Iterator[str]:
    """Medians of the rounds, and the highest memory of all; empty for single processes."""
    for line in lines:
        yield from _each(comparison, line.cell)


def _each(comparison: Comparison, cell: Cell) -> Iterator[str]:
    results = (one for one in comparison.rounds.get(cell, ()) if "failed" not in one)
    rounds = [one["each"] for one in results if "each" in one]
    for number, one in enumerate(zip(*rounds, strict=True), 1):
        rate = median(each["rate"] for each in one)
        peak = max(each["memory"]["peak"] for each in one)
        grown = max(each["memory"]["peak"] - each["memory"]["bare"] for each in one)
        costs = [
            (each["cpu"]["user"] + each["cpu"]["system"]) * 1e6 / each["operations"]
            for each in one
            if each["operations"]
        ]
        cost = f"{median(costs):.1f} us CPU per op" if costs else "no operation succeeded"
        pacing = [each["pacing"] * 1e6 for each in one if "pacing" in each]
        if pacing:
            cost += f" and {median(pacing):.1f} of pacing for each call"
        yield (
            f"{cell.name}, process {number} of {cell.processes}: {rate:,.0f} op/s, {cost},"
            f" {peak / 1e6:,.0f} MB, {grown / 1e6:,.0f} MB of it since before the client was loaded"
        )
