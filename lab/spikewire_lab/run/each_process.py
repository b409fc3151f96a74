"""The result of each of several processes, in a line of its own."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..contract.result import ProcessResult
    from ..plan import Cell
    from ..table.line import Line
    from .compare import Comparison


def each_process(comparison: Comparison, lines: Sequence[Line]) -> Iterator[str]:
    """Medians of the rounds, and the highest memory of all; empty for single processes."""
    for line in lines:
        yield from _process_lines(comparison, line.cell)


def _process_lines(comparison: Comparison, cell: Cell) -> Iterator[str]:
    results = (result for result in comparison.rounds.get(cell, ()) if "failed" not in result)
    rounds = [result["each"] for result in results if "each" in result]
    for number, of_process in enumerate(zip(*rounds, strict=True), 1):
        yield f"{cell.name}, process {number} of {cell.processes}: {_in_words(of_process)}"


def _in_words(rounds: Sequence[ProcessResult]) -> str:
    """The rounds of one process."""
    rate = median(one["rate"] for one in rounds)
    peak = max(one["memory"]["peak"] for one in rounds)
    grown = max(one["memory"]["peak"] - one["memory"]["bare"] for one in rounds)
    costs = [
        (one["cpu"]["user"] + one["cpu"]["system"]) * 1e6 / one["operations"]
        for one in rounds
        if one["operations"]
    ]
    cost = f"{median(costs):.1f} us CPU per op" if costs else "no operation succeeded"
    pacing = [one["pacing"] * 1e6 for one in rounds if "pacing" in one]
    if pacing:
        cost += f" and {median(pacing):.1f} of pacing for each call"
    return (
        f"{rate:,.0f} op/s, {cost},"
        f" {peak / 1e6:,.0f} MB, {grown / 1e6:,.0f} MB of it since before the client was loaded"
    )
