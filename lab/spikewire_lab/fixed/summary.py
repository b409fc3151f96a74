"""Summaries of rounds of fixed work by the study's rules: trimmed, and medians of medians."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .result import FixedResult

LEAST_TRIMMED, LEAST_LEFT = 5, 3
REACH = 1.5
"""How far outside the quartiles a round may lie, in interquartile ranges."""


def trimmed(values: Sequence[float]) -> list[float]:
    """The values without those that lie more than 1.5 interquartile ranges outside the quartiles.

    Fewer than five values are returned as they are, and so are those of which fewer than three
    would be left. The quartiles are values of the list, a quarter and three quarters from its
    beginning.
    """
    if len(values) < LEAST_TRIMMED:
        return list(values)
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 4], ordered[3 * len(ordered) // 4]
    reach = REACH * (high - low)
    inside = [value for value in values if low - reach <= value <= high + reach]
    return inside if len(inside) >= LEAST_LEFT else list(values)


@dataclass(frozen=True)
class RoundFigures:
    """The study's four figures, from trimmed or untrimmed rounds."""

    each: float
    """Median of the rounds: seconds per record."""
    rate: float
    """Median of the rounds: records per second."""
    deviation: float | None
    """Standard deviation of the rounds' medians, in seconds per record; None for a single round."""
    low: float
    """The rounds with the fewest and with the most seconds per record."""
    high: float
    rounds: int
    """The number of rounds left after trimming."""
    values: tuple[float, ...] = ()
    """Seconds per record of each process: rounds of one process do not show how processes
    differ."""


@dataclass(frozen=True)
class Summary:
    """One cell: all rounds of all of its processes."""

    study: RoundFigures
    """By the study's rules: each figure from the rounds that remain after trimming by that
    figure."""
    whole: RoundFigures
    """The same from all rounds."""
    p50: float
    """Median of the rounds' medians, trimmed: seconds of a call."""
    p99: float
    """99th percentile of all calls of all rounds, untrimmed as in the study: seconds of a call."""
    most: float
    """The slowest call, in seconds."""
    cpu: float
    """Seconds of processor time per record."""
    calls: int
    """Calls of all rounds."""
    memory: tuple[int, ...]
    """Bytes that the first call of each process added to the peak memory."""


def summarise(results: Sequence[FixedResult]) -> Summary:
    """Summarises all processes that measured one cell; at least one."""
    first = results[0]
    records = first["rows"] * first["calls"]
    rounds = [one for result in results for one in result["rounds"]]
    elapsed = [one["elapsed"] / records for one in rounds]
    medians = [one["median"] / first["rows"] for one in rounds]
    processes = tuple(
        statistics.median(one["elapsed"] / records for one in result["rounds"])
        for result in results
    )
    latency = measure.merge(result["latency"] for result in results)
    used = sum(result["cpu"]["user"] + result["cpu"]["system"] for result in results)
    return Summary(
        study=replace(_reckon(elapsed, medians, trim=True), values=processes),
        whole=replace(_reckon(elapsed, medians, trim=False), values=processes),
        p50=statistics.median(trimmed(medians)) * first["rows"],
        p99=latency.get_value_at_percentile(99.0) / 1e9,
        most=max(result["max_ns"] for result in results) / 1e9,
        cpu=used / (records * len(rounds)),
        calls=latency.get_total_count(),
        memory=tuple(one["memory"] for one in results if one["memory"] is not None),
    )


def _reckon(elapsed: Sequence[float], medians: Sequence[float], *, trim: bool) -> RoundFigures:
    times = trimmed(elapsed) if trim else list(elapsed)
    rates = [1 / each for each in elapsed]
    rates = trimmed(rates) if trim else rates
    middles = trimmed(medians) if trim else list(medians)
    return RoundFigures(
        each=statistics.median(times),
        rate=statistics.median(rates),
        deviation=statistics.stdev(middles) if len(middles) > 1 else None,
        low=min(times),
        high=max(times),
        rounds=len(times),
    )
