"""The statistics of a client as metric families, following Prometheus' conventions."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from spikewire.metrics.table import (
    CLIENT,
    COMMANDS,
    EVERY,
    HISTOGRAMS,
    HOT_KEYS,
    NEAR_CACHE,
    NODES,
)
from spikewire.statistics.stats import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from spikewire.metrics import table
    from spikewire.statistics.stats import CommandStats, HotKey, StageStats, Stats

    Labels: TypeAlias = dict[str, str]

    _T = TypeVar("_T")


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
    for (name, text), all_times, labels in (
        (HISTOGRAMS["commands"], stats.commands, _of),
        (HISTOGRAMS["stages"], stats.stages, _of_stage),
    ):
        times: list[Any] = list(all_times)
        samples = [(labels(it), it.seconds) for it in times]
        yield Family(name, "histogram", text, samples, [_buckets(it) for it in times])
    yield from _numbers(COMMANDS, stats.commands, _of)
    yield from _numbers(NODES, stats.nodes, lambda node: {"node": node.label})
    if stats.near_cache is not None:
        yield from _numbers(NEAR_CACHE, [stats.near_cache], lambda _: {})
        yield from _numbers(HOT_KEYS, stats.near_cache.hot_keys, _of_key)
    yield from _numbers(CLIENT, [stats], lambda _: {})


def _numbers(
    entries: Iterable[table.Family[_T]], every: Sequence[_T], labels: Callable[[_T], Labels]
) -> Iterator[Family]:
    for name, kind, text, number in entries:
        yield Family(name, kind, text, [(labels(one), float(number(one))) for one in every], [])


def _of_key(key: HotKey) -> Labels:
    return {"namespace": key.namespace, "set": key.set, "digest": key.digest.hex()}


def _of_stage(stage: StageStats) -> Labels:
    return {"stage": stage.stage}


def _of(command: CommandStats) -> Labels:
    return {
        "operation": command.operation,
        "namespace": command.namespace,
        "node": command.node,
        "result": command.result,
    }


def _buckets(command: CommandStats | StageStats) -> list[tuple[float, int]]:
    up_to = list(accumulate(command.buckets))
    inside = [(bound, up_to[at]) for at, bound in enumerate(BOUNDS) if at % EVERY == 0]
    return [*inside, (math.inf, command.count)]
