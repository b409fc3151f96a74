"""Explains why a cell is behind another, as far as the figures of the same run show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..run.report import BUSY, NOISE
from .text import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..cql.lines import Line as CqlLine
    from ..queries.lines import ScanLine
    from ..table.line import Line

ALIKE = 1.05
"""Costs that differ by a smaller factor count as the same."""


@dataclass(frozen=True)
class Side:
    """One of two lines that are compared by a figure with rounds."""

    client: str
    low: float
    high: float
    rounds: int
    cpu: float | None = None
    """Microseconds of the client's processor time per call or record."""
    busy: float | None = None
    """The share of the time during which the server was busy."""
    others: float | None = None
    """The share of the machine that other programs used."""


def side(line: Line | ScanLine | CqlLine, client: str) -> Side | None:
    """A line of any comparison by its throughput; None if it has none."""
    if line.rate is None:
        return None
    return Side(
        client,
        line.rate.low,
        line.rate.high,
        line.rounds,
        None if line.cpu is None else line.cpu.median,
        getattr(line, "server_busy", None),
        getattr(line, "others", None),
    )


def why(ours: Side | None, theirs: Side | None, each: str = "op") -> str:
    """A sentence with everything the figures show; `each` is the unit of the processor time."""
    if ours is None or theirs is None:
        return ""
    reasons = [*_noise(ours, theirs), *costs(ours, theirs, each), *around(ours)]
    return sentence(reasons)


def dearer(
    where: str, ours: Line | CqlLine, others: Sequence[Line | CqlLine], each: str = "op"
) -> list[str]:
    """Says that another line uses less processor time, if the difference exceeds `ALIKE`."""
    known = [line for line in others if line.cpu is not None]
    if ours.cpu is None or not known:
        return []
    best = min(known, key=lambda line: line.cpu.median if line.cpu else 0.0)
    assert best.cpu is not None
    one, other = ours.cpu, best.cpu
    if one.median <= ALIKE * other.median:
        return []
    sides = (
        Side(line.cell.client, cpu.low, cpu.high, line.rounds)
        for line, cpu in ((ours, one), (best, other))
    )
    figures = f"{number(one.median)} µs/{each}, {number(other.median)} of {best.cell.client}"
    return [f"{where}, processor time: {figures}.{_unsure(*sides)}"]


def later(where: str, ours: Line, others: Sequence[Line]) -> list[str]:
    """Says that another line has a shorter p99, if the difference exceeds `ALIKE`."""
    tails = {
        line.cell.client: line.latency["p99"]
        for line in others
        if line.latency and "p99" in line.latency
    }
    mine = (ours.latency or {}).get("p99")
    if mine is None or not tails:
        return []
    best = min(tails, key=lambda name: tails[name])
    if mine <= ALIKE * tails[best]:
        return []
    theirs = next(line for line in others if line.cell.client == best)
    because = why(side(ours, ours.cell.client), side(theirs, best))
    rates = ""
    if ours.rate and theirs.rate and ours.rate.median > ALIKE * theirs.rate.median:
        rates = f" It made {ours.rate.median / theirs.rate.median:.2f} times as many operations."
    return [f"{where}, p99: {number(mine)} µs, {number(tails[best])} of {best}.{rates} {because}"]


def _unsure(ours: Side, theirs: Side) -> str:
    reasons = _noise(ours, theirs)
    return f" {sentence(reasons)}" if reasons else ""


def sentence(reasons: Sequence[str]) -> str:
    """The findings as a sentence."""
    return f"Why: {'; '.join(reasons) or 'these figures do not tell'}."


def _noise(ours: Side, theirs: Side) -> list[str]:
    if min(ours.rounds, theirs.rounds) < 2:
        return ["each was measured once, and how far rounds lie apart is not known"]
    if ours.low <= theirs.high and theirs.low <= ours.high:
        return ["the rounds of the two overlap, so that this run does not tell them apart"]
    return []


def costs(ours: Side | None, theirs: Side | None, each: str = "op") -> list[str]:
    """Compares the processor time of the two, including that of the pacing if there is one."""
    if ours is None or theirs is None or not ours.cpu or not theirs.cpu:
        return []
    beside = (
        f"{number(ours.cpu)} µs/{each} beside {number(theirs.cpu)} µs/{each} of {theirs.client}"
    )
    if ours.cpu > ALIKE * theirs.cpu:
        return [f"it takes more processor time, {beside}"]
    if theirs.cpu > ALIKE * ours.cpu:
        waits = "the time goes to waiting, for the server or to be scheduled"
        return [f"it takes less processor time, {beside}: {waits}"]
    return [f"it takes the same processor time, {beside}: the difference is in the waits"]


def around(ours: Side | None) -> list[str]:
    """How busy server and machine were."""
    if ours is None:
        return []
    reasons: list[str] = []
    if ours.busy is not None and ours.busy >= BUSY:
        reasons.append(f"the server was busy {ours.busy:.0%} of its time and set the pace")
    if ours.others is not None and ours.others > NOISE:
        reasons.append(f"other programs took {ours.others:.0%} of the machine")
    return reasons
