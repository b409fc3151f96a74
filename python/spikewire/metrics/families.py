"""The statistics of a client as metric families, following Prometheus' conventions."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

from spikewire.statistics.stats import (
    BOUNDS,
    CommandStats,
    NearCacheStats,
    NodeStats,
    StageStats,
    Stats,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    Labels: TypeAlias = dict[str, str]

#: Every eighth bound is a Prometheus bucket: one per doubling of a microsecond.
_STEP = 8


class Family(NamedTuple):
    """A metric family: a name with its samples."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: list[tuple[Labels, float]]
    """Of a histogram: its sums."""
    buckets: list[list[tuple[float, int]]]
    """Of a histogram: how many are at most so large, for each of its samples; the last bound is
    infinite."""


def families(stats: Stats) -> Iterator[Family]:
    """All families. Counter names are without ``_total``."""
    yield Family(
        "spikewire_command_duration_seconds",
        "histogram",
        "Time from the call of a command to its end, with all attempts.",
        [(_of(command), command.seconds) for command in stats.commands],
        [_buckets(command) for command in stats.commands],
    )
    yield Family(
        "spikewire_stage_duration_seconds",
        "histogram",
        "Time that parts of commands take, while that is timed.",
        [({"stage": stage.stage}, stage.seconds) for stage in stats.stages],
        [_buckets(stage) for stage in stats.stages],
    )
    for name, text, number in _COMMANDS:
        samples = [(_of(command), float(number(command))) for command in stats.commands]
        yield Family(f"spikewire_command_{name}", "counter", text, samples, [])
    for name, kind, text, of_node in _NODES:
        nodes = [({"node": node.label}, float(of_node(node))) for node in stats.nodes]
        yield Family(f"spikewire_node_{name}", kind, text, nodes, [])
    yield from _near_cache(stats.near_cache)
    for name, kind, text, of_client in _CLIENT:
        yield Family(f"spikewire_{name}", kind, text, [({}, float(of_client(stats)))], [])


_COMMANDS: list[tuple[str, str, Callable[[CommandStats], int]]] = [
    ("records", "Records that commands read or wrote.", lambda command: command.records),
    ("retries", "Attempts at commands beyond the first.", lambda command: command.retries),
    ("parts", "Requests of queries and jobs.", lambda command: command.parts),
]
_NODES: list[tuple[str, Literal["counter", "gauge"], str, Callable[[NodeStats], float]]] = [
    ("connections", "gauge", "Connections to the node.", lambda node: node.connections),
    ("connections_opened", "counter", "Connections opened.", lambda node: node.opened),
    ("window_errors", "gauge", "Failures in the breaker's window.", lambda node: node.errors),
    ("breaker_open", "gauge", "1 while the breaker is open.", lambda node: node.breaker_open),
    ("limit", "gauge", "Commands it gets at a time; 0: no limit.", lambda node: node.limit or 0),
    ("waiting", "gauge", "Commands that wait because of the limit.", lambda node: node.waiting),
    ("rejections", "counter", "Commands that failed as Overloaded.", lambda node: node.rejections),
    (
        "share",
        "gauge",
        "The node's share of the requests that others can take as well.",
        lambda node: node.share,
    ),
]
_CLIENT: list[tuple[str, Literal["counter", "gauge"], str, Callable[[Stats], float]]] = [
    ("commands_in_flight", "gauge", "Commands in flight.", lambda stats: stats.in_flight),
    ("commands_queued", "gauge", "Commands that wait to be sent.", lambda stats: stats.queued),
    ("hedges_sent", "counter", "Second requests for reads.", lambda stats: stats.hedges_sent),
    (
        "hedges_won",
        "counter",
        "Second requests that were answered first.",
        lambda stats: stats.hedges_won,
    ),
    ("retries_sent", "counter", "Retries and copies.", lambda stats: stats.retries_sent),
    (
        "retries_denied",
        "counter",
        "Retries and copies that the retry budget did not allow.",
        lambda stats: stats.retries_denied,
    ),
    (
        "reads_shared",
        "counter",
        "Reads answered by the request of another, identical one.",
        lambda stats: stats.reads_shared,
    ),
    ("rows_late", "counter", "Rows that came after a deadline.", lambda stats: stats.rows_late),
    ("tends", "counter", "Refreshes of the view of the cluster.", lambda stats: stats.tends),
    ("tends_failed", "counter", "Refreshes that found no node.", lambda stats: stats.failed_tends),
    ("tend_age_seconds", "gauge", "Time since the last refresh.", lambda stats: stats.tend_age),
    ("counting", "gauge", "1 while commands are counted.", lambda stats: stats.counting),
]

_NEAR_CACHE: list[
    tuple[str, Literal["counter", "gauge"], str, Callable[[NearCacheStats], float]]
] = [
    ("hits", "counter", "Reads answered by the near cache.", lambda cache: cache.hits),
    ("misses", "counter", "Reads that it might have answered.", lambda cache: cache.misses),
    (
        "revalidations",
        "counter",
        "Questions whether a record has changed.",
        lambda cache: cache.revalidations,
    ),
    ("evictions", "counter", "Entries that made room.", lambda cache: cache.evictions),
    ("entries", "gauge", "Entries of the near cache.", lambda cache: cache.entries),
    ("bytes", "gauge", "Bytes that they take.", lambda cache: cache.bytes),
]


def _near_cache(cache: NearCacheStats | None) -> Iterator[Family]:
    if cache is None:
        return
    for name, kind, text, of_cache in _NEAR_CACHE:
        yield Family(f"spikewire_near_cache_{name}", kind, text, [({}, float(of_cache(cache)))], [])
    keys: list[tuple[Labels, float]] = [
        (
            {"namespace": key.namespace, "set": key.set, "digest": key.digest.hex()},
            key.reads_per_second,
        )
        for key in cache.hot_keys
    ]
    text = "How often the keys of the near cache are read that are read most often."
    yield Family("spikewire_hot_key_reads_per_second", "gauge", text, keys, [])


def _of(command: CommandStats) -> Labels:
    return {
        "operation": command.operation,
        "namespace": command.namespace,
        "node": command.node,
        "result": command.result,
    }


def _buckets(command: CommandStats | StageStats) -> list[tuple[float, int]]:
    up_to = list(accumulate(command.buckets))
    inside = [(bound, up_to[at]) for at, bound in enumerate(BOUNDS) if at % _STEP == 0]
    return [*inside, (math.inf, command.count)]
