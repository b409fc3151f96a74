"""What rounds of fixed work come to, as the study reckons it: trimmed, and medians of medians."""

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
"""Of the distance between the quartiles: how far outside of them a round may lie."""


def trimmed(values: Sequence[float]) -> list[float]:
    """Without those that lie more than 1.5 times the interquartile range outside of the quartiles.

    Fewer than five values are left as they are, and so are those of which fewer than three would be
    left. The quartiles are values of the list, a quarter and three quarters from its beginning.
    """
    if len(values) < LEAST_TRIMMED:
        return list(values)
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 4], ordered[3 * len(ordered) // 4]
    reach = REACH * (high - low)
    kept = [value for value in values if low - reach <= value <= high + reach]
    return kept if len(kept) >= LEAST_LEFT else list(values)


@dataclass(frozen=True)
class Reckoned:
    """The four figures of the study, from rounds that were trimmed or not."""

    each: float
    """Median of the rounds: seconds of a round by the records in it."""
    rate: float
    """Median of the rounds: records each second."""
    deviation: float | None
    """Standard deviation of the rounds' medians, in seconds by record; None for a single round."""
    low: float
    """The round with the least seconds by record, and the one with the most."""
    high: float
    rounds: int
    """How many are left."""
    values: tuple[float, ...] = ()
    """Seconds by record of each process: rounds of one are no measure of how processes differ."""


@dataclass(frozen=True)
class Summary:
    """One cell: all rounds of all of its processes."""

    study: Reckoned
    """As the study reckons: each figure from the rounds that trimming leaves of it."""
    whole: Reckoned
    """The same of all rounds."""
    p50: float
    """Median of the rounds' medians, trimmed: seconds of a call."""
    p99: float
    """Of all calls of all rounds, which the study does not trim either: seconds of a call."""
    most: float
    """The slowest call, in seconds."""
    cpu: float
    """Seconds of processor time by record."""
    calls: int
    """Of all rounds."""
    memory: tuple[int, ...]
    """What the first call of each process took, in bytes."""


def summarise(results: Sequence[FixedResult]) -> Summary:
    """Of all processes that measured one cell; at least one."""
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


def _reckon(elapsed: Sequence[float], medians: Sequence[float], *, trim: bool) -> Reckoned:
    kept = trimmed(elapsed) if trim else list(elapsed)
    rates = [1 / each for each in elapsed]
    rates = trimmed(rates) if trim else rates
    middles = trimmed(medians) if trim else list(medians)
    return Reckoned(
        each=statistics.median(kept),
        rate=statistics.median(rates),
        deviation=statistics.stdev(middles) if len(middles) > 1 else None,
        low=min(kept),
        high=max(kept),
        rounds=len(kept),
    )
