"""The statistics between two scrapes, by operation, node and result."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from spikewire.top.scrape import Series

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spikewire.top.scrape import Scrape


@dataclass(frozen=True)
class Line:
    """Statistics of a group of commands during the interval."""

    name: str
    rate: float
    """Commands per second."""
    errors: float
    """Those of them per second whose result is neither ``ok`` nor about the record itself, such
    as ``not_found``."""
    p50: float | None
    """Latencies in seconds; ``None`` where there was no command."""
    p99: float | None
    results: dict[str, float]
    """Per second, by result."""


@dataclass(frozen=True)
class NodeLine(Line):
    """Statistics of a node, with its connections."""

    connections: int
    breaker_open: bool
    limit: int
    """Commands it gets at a time; 0: no limit."""
    waiting: int
    rejections: float
    """Commands per second that failed as Overloaded."""

    @property
    def load(self) -> tuple[float, float, float]:
        """Its limit, what waits for it, and what is rejected."""
        return self.limit, self.waiting, self.rejections


@dataclass(frozen=True)
class HotKeyLine:
    """A key that the near cache has and that is read often."""

    namespace: str
    set: str
    digest: str
    """In hexadecimal digits."""
    rate: float
    """Reads per second."""


@dataclass(frozen=True)
class View:
    """All statistics of an interval."""

    seconds: float
    """The length of the interval."""
    counting: bool
    in_flight: int
    queued: int
    retries: float
    """Further attempts per second."""
    denied: float
    """Those per second that the retry budget did not allow."""
    total: Line
    operations: list[Line]
    nodes: list[NodeLine]
    stages: list[Line]
    hot_keys: list[HotKeyLine]
    """The hottest first; empty without a near cache."""
    hit_rate: float
    """Reads per second that the near cache answered, which are not among the commands."""

    def plain(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return asdict(self)


#: Results that are not errors: the command worked, but may have found another state of the record
#: than hoped for.
_ANSWERS = frozenset({"ok", "not_found", "record_exists", "generation", "filtered_out"})


def between(before: Scrape, after: Scrape) -> View:
    """The statistics between two scrapes."""
    seconds = max(after.at - before.at, 1e-9)
    commands = [_since(before.commands.get(key), series) for key, series in after.commands.items()]
    stages = [_since(before.stages.get(key), series) for key, series in after.stages.items()]
    hits = after.total("near_cache_hits_total") - before.total("near_cache_hits_total")
    retries = after.total("command_retries_total") - before.total("command_retries_total")
    denied = after.total("retries_denied_total") - before.total("retries_denied_total")
    by_operation = _grouped(
        commands, lambda of: f"{of.get('operation', '')} {of.get('namespace', '')}".strip()
    )
    by_node = _grouped(commands, lambda of: of.get("node", ""))
    names = {of.get("node", "") for of, _ in after.values.get("node_connections", [])}
    return View(
        seconds=seconds,
        counting=after.total("counting") > 0,
        in_flight=int(after.total("commands_in_flight")),
        queued=int(after.total("commands_queued")),
        retries=max(retries, 0.0) / seconds,
        denied=max(denied, 0.0) / seconds,
        total=_line("all", commands, seconds),
        operations=sorted(
            (_line(name, these, seconds) for name, these in by_operation.items()),
            key=lambda line: -line.rate,
        ),
        nodes=[
            NodeLine(
                **vars(_line(name or "none", by_node.get(name, []), seconds)),
                connections=int(after.total("node_connections", node=name)),
                breaker_open=after.total("node_breaker_open", node=name) > 0,
                limit=int(after.total("node_limit", node=name)),
                waiting=int(after.total("node_waiting", node=name)),
                rejections=_rejections(before, after, name) / seconds,
            )
            for name in sorted(names | set(by_node))
        ],
        stages=[
            _line(name, these, seconds)
            for name, these in _grouped(stages, lambda of: of.get("stage", "")).items()
        ],
        hot_keys=sorted(
            (
                HotKeyLine(of.get("namespace", ""), of.get("set", ""), of.get("digest", ""), rate)
                for of, rate in after.values.get("hot_key_reads_per_second", [])
            ),
            key=lambda line: -line.rate,
        ),
        hit_rate=max(hits, 0.0) / seconds,
    )


def _rejections(before: Scrape, after: Scrape, node: str) -> float:
    was, now = (scrape.total("node_rejections_total", node=node) for scrape in (before, after))
    return now - was if now >= was else now


def _since(before: Series | None, after: Series) -> Series:
    """The difference of two series. If the program was restarted or its counters were reset,
    everything counts.
    """
    if before is None or before.count > after.count:
        return after
    return Series(
        after.labels,
        {bound: count - before.buckets.get(bound, 0.0) for bound, count in after.buckets.items()},
        after.count - before.count,
        after.seconds - before.seconds,
    )


def _grouped(
    commands: Iterable[Series], name: Callable[[dict[str, str]], str]
) -> dict[str, list[Series]]:
    grouped: dict[str, list[Series]] = {}
    for series in commands:
        grouped.setdefault(name(series.labels), []).append(series)
    return grouped


def _line(name: str, commands: list[Series], seconds: float) -> Line:
    results: dict[str, float] = {}
    buckets: dict[float, float] = {}
    for series in commands:
        result = series.labels.get("result", "ok")
        if series.count:
            results[result] = results.get(result, 0.0) + series.count / seconds
        for bound, count in series.buckets.items():
            buckets[bound] = buckets.get(bound, 0.0) + count
    errors = sum(rate for result, rate in results.items() if result not in _ANSWERS)
    return Line(
        name=name,
        rate=sum(results.values()),
        errors=errors,
        p50=quantile(buckets, 0.5),
        p99=quantile(buckets, 0.99),
        results=results,
    )


def quantile(buckets: dict[float, float], share: float) -> float | None:
    """The latency that this share of the commands did not exceed, assuming an even spread within
    buckets; ``None`` if there are no commands.
    """
    bounds = sorted(buckets)
    if not bounds or buckets[bounds[-1]] <= 0:
        return None
    rank = share * buckets[bounds[-1]]
    for lower, upper in pairwise([0.0, *bounds]):
        below = buckets.get(lower, 0.0)
        if buckets[upper] >= rank:
            if math.isinf(upper):
                return lower
            inside = buckets[upper] - below
            part = (rank - below) / inside if inside > 0 else 1.0
            return lower + (upper - lower) * part
    return bounds[-1]
