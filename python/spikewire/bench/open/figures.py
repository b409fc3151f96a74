"""What the rounds of one open loop come to, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..clients import FLOOR
from ..clients.base import SYNC
from ..measure import merge, percentiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..result import Result
    from ..table.summary import Line
    from .contract import Given

KEPT_UP = 0.95
"""The part of the rate that a client has to reach in each round to have kept up with it."""
GENERATOR_SHARE = 0.1
"""The part of a client's processor time from which a reader is told what the pacing took."""
PACING = (
    "more than a tenth of the processor time is the pacing, which wakes the client for each call:"
    " what calls cost is for closed loops to tell"
)


@dataclass(frozen=True)
class OpenFigures:
    """One cell over all its rounds, beside what every line has. Times are in microseconds."""

    asked: float
    """Calls each second."""
    arrivals: str
    scheduled: int
    unsent: int
    held: int
    outstanding_most: int
    service: Mapping[str, float]
    """Percentiles of the time from when calls began to their replies."""
    service_max: float
    late: Mapping[str, float]
    """Percentiles of how much later calls began than they were due."""
    kept_up: bool
    generator: float | None = None
    """Processor time for each call that the pacing takes, by the client that does nothing."""


def figures(results: Sequence[Result]) -> OpenFigures | None:
    """None for closed loops."""
    rounds = [(one, one["open"]) for one in results if "open" in one]
    if not rounds:
        return None
    given = [one for _, one in rounds]
    return OpenFigures(
        asked=given[0]["rate"],
        arrivals=given[0]["arrivals"],
        scheduled=sum(one["scheduled"] for one in given),
        unsent=sum(one["unsent"] for one in given),
        held=sum(one["held"] for one in given),
        outstanding_most=max(one["outstanding_most"] for one in given),
        service=percentiles(merge(one["service"] for one in given)),
        service_max=max(one["service_max_ns"] for one in given) / 1000,
        late=percentiles(merge(one["late"] for one in given)),
        kept_up=all(_kept_up(result, one) for result, one in rounds),
    )


def _kept_up(result: Result, given: Given) -> bool:
    """Replies that were errors are replies: what counts is whether the calls were over in time."""
    reached = given["scheduled"] / result["elapsed"]
    return not given["unsent"] and reached >= KEPT_UP * given["rate"]


def with_generator(lines: Sequence[Line]) -> list[Line]:
    """Lines of one group, those of open loops with the pacing's own processor time."""
    floor = next((line.cpu for line in lines if line.open and line.cell.client == FLOOR), None)
    return [
        line
        if line.open is None
        else replace(
            line,
            rate_ratio=None,
            open=replace(line.open, generator=None if floor is None else floor.median),
        )
        for line in lines
    ]


def title(lines: Sequence[Line]) -> str:
    """What the lines of a table share, over all rates."""
    cell = lines[0].cell
    who = "threads" if cell.mode == SYNC else "outstanding at the most"
    arrivals = next((line.open.arrivals for line in lines if line.open), "")
    return f"open loop, {cell.mode}, {cell.concurrency} {who}, {arrivals} arrivals"


def notes(line: Line) -> list[str]:
    """What a reader must not miss about an open loop."""
    found, said = line.open, list[str]()
    if found is None or line.cell.client == FLOOR:
        return said
    who = f"{line.cell.name} at {found.asked:,g}/s"
    if not found.kept_up:
        text = f"{who}: did not keep up with the rate"
        if found.unsent:
            text += f", {found.unsent:,} of {found.scheduled:,} calls had not begun"
        said.append(text)
    if found.held:
        said.append(
            f"{who}: {found.held:,} of {found.scheduled:,} calls were due while"
            f" {line.cell.concurrency} were outstanding, and waited"
        )
    cpu = line.cpu and line.cpu.median
    if cpu and found.generator and found.generator > GENERATOR_SHARE * cpu:
        said.append(PACING)
    return said
