"""Statistics, counting and events of several clients of one cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from spikewire.statistics.control import Metrics
from spikewire.statistics.stats import (
    CommandStats,
    HotKey,
    NearCacheStats,
    NodeStats,
    StageStats,
    Stats,
)

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from spikewire.statistics.control import AnyClient
    from spikewire.statistics.events import Event
    from spikewire.types import Seconds

__all__ = ["CombinedMetrics", "sum_stats"]

_T = TypeVar("_T")


def sum_stats(several: Sequence[Stats]) -> Stats:
    """The summed statistics of clients: commands with the same labels and entries of the same node
    are merged. ``counting`` is whether all clients count, ``tend_age`` the maximum.
    """
    return Stats(
        counting=all(stats.counting for stats in several),
        commands=_merged((it for stats in several for it in stats.commands), _labels, _commands),
        nodes=_merged((it for stats in several for it in stats.nodes), _node, _nodes),
        in_flight=sum(stats.in_flight for stats in several),
        queued=sum(stats.queued for stats in several),
        hedges_sent=sum(stats.hedges_sent for stats in several),
        hedges_won=sum(stats.hedges_won for stats in several),
        retries_sent=sum(stats.retries_sent for stats in several),
        retries_denied=sum(stats.retries_denied for stats in several),
        reads_shared=sum(stats.reads_shared for stats in several),
        rows_late=sum(stats.rows_late for stats in several),
        tends=sum(stats.tends for stats in several),
        failed_tends=sum(stats.failed_tends for stats in several),
        near_cache=_near_caches([it.near_cache for it in several if it.near_cache]),
        tend_age=max(stats.tend_age for stats in several),
        stages=_merged(
            (it for stats in several for it in stats.stages), lambda it: it.stage, _stages
        ),
        unreachable={name: why for stats in several for name, why in stats.unreachable.items()},
    )


def _near_caches(several: Sequence[NearCacheStats]) -> NearCacheStats | None:
    if not several:
        return None
    keys = _merged((key for it in several for key in it.hot_keys), _place, _hot_keys)
    return NearCacheStats(
        hits=sum(it.hits for it in several),
        misses=sum(it.misses for it in several),
        revalidations=sum(it.revalidations for it in several),
        evictions=sum(it.evictions for it in several),
        entries=sum(it.entries for it in several),
        bytes=sum(it.bytes for it in several),
        hot_keys=tuple(sorted(keys, key=lambda key: -key.reads_per_second)),
    )


def _place(key: HotKey) -> Hashable:
    return key.namespace, key.set, key.digest


def _hot_keys(one: HotKey, other: HotKey) -> HotKey:
    return replace(one, reads_per_second=one.reads_per_second + other.reads_per_second)


def _merged(
    all_of_them: Iterable[_T], key: Callable[[_T], Hashable], add: Callable[[_T, _T], _T]
) -> tuple[_T, ...]:
    totals: dict[Hashable, _T] = {}
    for it in all_of_them:
        label = key(it)
        totals[label] = add(totals[label], it) if label in totals else it
    return tuple(totals.values())


def _labels(one: CommandStats) -> Hashable:
    return one.operation, one.namespace, one.node, one.result


def _commands(one: CommandStats, other: CommandStats) -> CommandStats:
    return replace(
        one,
        count=one.count + other.count,
        seconds=one.seconds + other.seconds,
        records=one.records + other.records,
        retries=one.retries + other.retries,
        buckets=_columns(one.buckets, other.buckets),
        parts=one.parts + other.parts,
        bytes_sent=one.bytes_sent + other.bytes_sent,
        bytes_received=one.bytes_received + other.bytes_received,
    )


def _node(one: NodeStats) -> Hashable:
    return one.name, one.address, one.label


def _nodes(one: NodeStats, other: NodeStats) -> NodeStats:
    return replace(
        one,
        connections=one.connections + other.connections,
        opened=one.opened + other.opened,
        errors=one.errors + other.errors,
        breaker_open=one.breaker_open or other.breaker_open,
        limit=_sum_limits(one.limit, other.limit),
        in_flight=one.in_flight + other.in_flight,
        waiting=one.waiting + other.waiting,
        rejections=one.rejections + other.rejections,
        share=min(one.share, other.share),
        connect_buckets=_columns(one.connect_buckets, other.connect_buckets),
        connect_seconds=one.connect_seconds + other.connect_seconds,
        control_sent=one.control_sent + other.control_sent,
        control_received=one.control_received + other.control_received,
    )


def _sum_limits(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _stages(one: StageStats, other: StageStats) -> StageStats:
    return replace(
        one,
        count=one.count + other.count,
        seconds=one.seconds + other.seconds,
        buckets=_columns(one.buckets, other.buckets),
    )


def _columns(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(sum, zip(one, other, strict=True)))


class CombinedMetrics(Metrics):
    """``Metrics`` of several clients at once. Each client reports its own events."""

    __slots__ = ("_each",)

    def __init__(self, clients: Sequence[AnyClient]) -> None:
        super().__init__(clients[0])
        self._each = [Metrics(client) for client in clients]

    @property
    def enabled(self) -> bool:
        """Whether all clients count commands."""
        return all(one.enabled for one in self._each)

    @property
    def stages(self) -> bool:
        """Whether all clients time the stages of commands."""
        return all(one.stages for one in self._each)

    def enable(self, *, stages: bool = False) -> None:
        """As ``Metrics.enable``."""
        for one in self._each:
            one.enable(stages=stages)

    def disable(self) -> None:
        """As ``Metrics.disable``."""
        for one in self._each:
            one.disable()

    def reset(self) -> None:
        """As ``Metrics.reset``."""
        for one in self._each:
            one.reset()

    def on_event(self, callback: Callable[[Event], object]) -> Callable[[], None]:
        """As ``Metrics.on_event``; every client reports events of a node."""
        return self._all(lambda one: one.on_event(callback))

    def log_events(self, logger: logging.Logger | None = None) -> Callable[[], None]:
        """As ``Metrics.log_events``; every client reports events of a node."""
        return self._all(lambda one: one.log_events(logger))

    def log_slow(self, slower_than: Seconds | None, **options: Any) -> None:
        """As ``Metrics.log_slow``."""
        for one in self._each:
            one.log_slow(slower_than, **options)

    def _all(self, begin: Callable[[Metrics], Callable[[], None]]) -> Callable[[], None]:
        stops: list[Callable[[], None]] = []

        def stop() -> None:
            for end in stops:
                end()

        try:
            for one in self._each:
                stops.append(begin(one))  # noqa: PERF401 - an error must stop those started
        except BaseException:
            stop()
            raise
        return stop
