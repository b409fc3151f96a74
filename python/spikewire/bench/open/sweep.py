"""A sweep of rates: shares of what the slowest client can do, so that all bear the same load."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..clients import FLOOR
from ..clients.base import ASYNC, ASYNC_UVLOOP
from ..run.compare import CannotRunError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..run.compare import Settings
    from ..table.summary import Line

SHARES = (0.25, 0.5, 0.75, 0.9)
SATURATING_TASKS = 128
"""In flight on an event loop, to see what a client can do; threads are as many as in open loops."""


def saturating(settings: Settings) -> Settings:
    """A comparison of closed loops that tells what each client can do."""
    tasks = (SATURATING_TASKS,) if {ASYNC, ASYNC_UVLOOP} & set(settings.matrix.modes) else (1,)
    return replace(settings, matrix=replace(settings.matrix, tasks=tasks, rates=()))


def at_rates(settings: Settings, rates: Sequence[float]) -> Settings:
    """The same clients in open loops, and the one that does nothing, to see what pacing takes."""
    return replace(settings, matrix=replace(settings.matrix, rates=tuple(rates), floor=True))


def slowest(groups: Iterable[Sequence[Line]]) -> Line:
    """Of closed loops, the line that did the fewest calls each second; raises `CannotRunError`
    where nothing was measured."""
    lines = [line for group in groups for line in group if line.cell.client != FLOOR]
    measured = [(line.rate.median, line) for line in lines if line.rate is not None]
    if not measured:
        raise CannotRunError("no client was measured in a closed loop, so there is no rate to take")
    return min(measured, key=lambda one: one[0])[1]


def rates(line: Line) -> tuple[float, ...]:
    """Shares of that line's calls each second, to two digits, each once."""
    most = 0.0 if line.rate is None else line.rate.median
    return tuple(dict.fromkeys(float(f"{share * most:.2g}") for share in SHARES))
