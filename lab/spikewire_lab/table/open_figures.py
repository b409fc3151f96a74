"""Summaries of the rounds of one open loop, and their descriptions."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from ..clients import FLOOR
from ..clients.base import RUST_SYNC, SYNC
from ..measure import joined, merge, percentiles
from ..work.shape import SINGLE
from .line import OpenFigures
from .pools import is_pooled, run_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..contract.open import OpenResult
    from ..contract.result import Result
    from .line import Line

KEPT_UP = 0.95
"""The share of the rate that a client has to reach in each round to have kept up with it."""
GENERATOR_SHARE = 0.1
"""The share of a client's processor time from which the cost of pacing is reported."""
PACING = (
    "more than a tenth of the processor time is the pacing, which wakes the process for each call;"
    " it was measured in the same process with calls that do nothing, and `less pacing` is without"
    " it"
)


def figures(results: Sequence[Result], rows: int = 1) -> OpenFigures | None:
    """None for closed loops. `rows`: operations of one call."""
    rounds = [(one, one["open"]) for one in results if "open" in one]
    if not rounds:
        return None
    open_results = [one for _, one in rounds]
    sustained = all(_sustained(result, one) for result, one in rounds)
    return OpenFigures(
        asked=open_results[0]["rate"],
        arrivals=open_results[0]["arrivals"],
        scheduled=sum(one["scheduled"] for one in open_results),
        unsent=sum(one["unsent"] for one in open_results),
        held=sum(one["held"] for one in open_results),
        outstanding_most=max(one["outstanding_most"] for one in open_results),
        service=percentiles(merge(one["service"] for one in open_results)),
        service_max=max(one["service_max_ns"] for one in open_results) / 1000,
        late=percentiles(merge(one["late"] for one in open_results)),
        kept_up=sustained,
        generator=median(1e6 * (paced(one) or 0.0) / rows for one in open_results),
        less_pacing=_less_pacing(rounds) if sustained else None,
    )


def paced(result: OpenResult) -> float | None:
    """Seconds of pacing per call; None if one of several processes has no figure."""
    return result["pacing_cpu"] / result["pacing_calls"] if result["pacing_calls"] else None


def together(parts: Sequence[OpenResult]) -> OpenResult:
    """The result of several processes among which the calls of one open loop were dealt out."""
    return {
        "rate": parts[0]["rate"],
        "arrivals": parts[0]["arrivals"],
        "scheduled": sum(one["scheduled"] for one in parts),
        "unsent": sum(one["unsent"] for one in parts),
        "service": joined(one["service"] for one in parts),
        "service_max_ns": max(one["service_max_ns"] for one in parts),
        "late": joined(one["late"] for one in parts),
        "late_max_ns": max(one["late_max_ns"] for one in parts),
        "outstanding_most": max(one["outstanding_most"] for one in parts),
        "held": sum(one["held"] for one in parts),
        "pacing_calls": sum(one["pacing_calls"] for one in parts),
        "pacing_cpu": sum(one["pacing_cpu"] for one in parts),
    }


def _less_pacing(rounds: Sequence[tuple[Result, OpenResult]]) -> float | None:
    """Median over the rounds of the processor time per operation without the pacing of all
    calls."""
    each = [
        1e6
        * (
            result["cpu"]["user"]
            + result["cpu"]["system"]
            - (paced(open_result) or 0.0) * (open_result["scheduled"] - open_result["unsent"])
        )
        / result["operations"]
        for result, open_result in rounds
        if result["operations"]
    ]
    return median(each) if each else None


def _sustained(result: Result, open_result: OpenResult) -> bool:
    """Whether the client kept up. Errors count as replies: what matters is whether calls ended in
    time."""
    reached = open_result["scheduled"] / result["elapsed"]
    return not open_result["unsent"] and reached >= KEPT_UP * open_result["rate"]


def without_ratios(lines: Sequence[Line]) -> list[Line]:
    """Removes the ratios of throughput: in open loops all lines have the same load."""
    return [
        line
        if line.open is None
        else replace(line, rate_ratio=None, rate_versus=None, one_loop=None)
        for line in lines
    ]


def title(lines: Sequence[Line]) -> str:
    """What the lines of a table share, over all rates."""
    cell = lines[0].cell
    who = "threads" if cell.mode in (SYNC, RUST_SYNC) else "outstanding at the most"
    mode = cell.mode
    if any(is_pooled(line.cell) for line in lines):
        mode, who = f"pool, {mode}", f"{who} in all"
        if cell.work:
            who += f", {cell.work} us of Python with each call"
    arrivals = next((line.open.arrivals for line in lines if line.open), "")
    many = f" in each of {cell.processes} processes" if cell.processes > 1 else ""
    return f"open loop, {mode}, {cell.concurrency} {who}{many}, {arrivals} arrivals"


def notes(line: Line, *, pools: bool = False) -> list[str]:
    """Remarks on an open loop that a reader must see; `pools` if event loops in threads are
    compared."""
    figures, notes, cell = line.open, list[str](), line.cell
    if figures is None or cell.client == FLOOR:
        return notes
    name = f"{cell.client}, {run_by(cell)}" if pools else cell.name
    if cell.shape.kind != SINGLE:
        name += f", {cell.shape.rows:,} records"
    who = f"{name} at {figures.asked:,g}/s"
    if not figures.kept_up:
        text = f"{who}: did not keep up with the rate"
        if figures.unsent:
            text += f", {figures.unsent:,} of {figures.scheduled:,} calls had not begun"
        notes.append(text)
    if figures.held:
        notes.append(
            f"{who}: {figures.held:,} of {figures.scheduled:,} calls were due while"
            f" {cell.concurrency} were outstanding, and waited"
        )
    cpu = line.cpu and line.cpu.median
    if cpu and figures.generator > GENERATOR_SHARE * cpu:
        notes.append(PACING)
    return notes
