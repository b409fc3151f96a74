"""A sweep of rates: shares of the slowest client's throughput, so that all have the same load."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..clients import FLOOR
from ..work.shape import MAP
from .compare import CannotRunError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..table.line import Line
    from .compare import Settings

SHARES = (0.25, 0.5, 0.75, 0.9)
SATURATING_TASKS = 128
"""Calls in flight to find a client's saturation; threads and batches are as many as in open
loops."""


def saturating(settings: Settings) -> Settings:
    """A closed-loop comparison that finds the saturation of each client."""
    matrix = settings.matrix

    def most(outstanding: Sequence[int]) -> tuple[int, ...]:
        return (min(SATURATING_TASKS, max(outstanding)),)

    closed = replace(
        matrix,
        tasks=most(matrix.tasks),
        in_flight=most(matrix.in_flight),
        node_in_flight=most(matrix.node_in_flight),
        rates=(),
    )
    return replace(settings, matrix=closed)


def at_rates(settings: Settings, rates: Sequence[float]) -> Settings:
    """The same clients in open loops."""
    return replace(settings, matrix=replace(settings.matrix, rates=tuple(rates)))


def slowest(groups: Iterable[Sequence[Line]]) -> Line:
    """The closed-loop line with the fewest calls per second; raises `CannotRunError` if nothing was
    measured."""
    lines = [line for group in groups for line in group]
    measured = [
        (calls(line), line)
        for line in lines
        if line.rate is not None and line.cell.client != FLOOR and line.cell.shape.way != MAP
    ]
    if not measured:
        raise CannotRunError("no client was measured in a closed loop, so there is no rate to take")
    return min(measured, key=lambda one: one[0])[1]


def calls(line: Line) -> float:
    """Calls per second; a batch is one call."""
    return 0.0 if line.rate is None else line.rate.median / line.cell.shape.rows


def rates(line: Line) -> tuple[float, ...]:
    """Shares of that line's call rate, rounded to two digits, without duplicates."""
    return tuple(dict.fromkeys(float(f"{share * calls(line):.2g}") for share in SHARES))


def rates_in_words(line: Line) -> str:
    """Which client determines the rates of a sweep, in words."""
    shares = ", ".join(f"{share:.0%}"[:-1] for share in SHARES[:-1])
    return (
        f"rates are {shares} and {SHARES[-1]:.0%} of the {calls(line):,.0f} calls each second of"
        f" the slowest: {line.cell}"
    )
