"""Statistics of a client as plain data; ``client.stats()``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from spikewire._native import Signals

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from typing_extensions import TypedDict

    CommandFields: TypeAlias = tuple[str, str, str, str, list[int], float, int, int, int, int, int]
    LimiterFields: TypeAlias = tuple[int | None, int, int, int]
    HotKeyFields: TypeAlias = tuple[str, str, bytes, float]
    NearCacheFields: TypeAlias = tuple[int, int, int, int, int, int, list[HotKeyFields]]
    NodeCounterFields: TypeAlias = tuple[tuple[list[int], float], tuple[int, int]]
    NodeFields: TypeAlias = tuple[
        str, str, int, int, int, bool, str, float, LimiterFields, NodeCounterFields
    ]

    class StatsFields(TypedDict):
        """Statistics as the engine reports them."""

        counting: bool
        commands: list[CommandFields]
        nodes: list[NodeFields]
        in_flight: int
        queued: int
        hedges_sent: int
        hedges_won: int
        retries_sent: int
        retries_denied: int
        reads_shared: int
        rows_late: int
        near_cache: NearCacheFields | None
        unreachable: dict[str, str]
        tends: int
        failed_tends: int
        tend_age: float
        stages: list[tuple[str, list[int], float]]


#: The upper bounds of the latency buckets, in seconds: 1 µs to 17 s, eight per doubling. A last
#: bucket beyond them has none.
BOUNDS: tuple[float, ...] = tuple(Signals.bounds())


@dataclass(frozen=True)
class CommandStats:
    """Totals of commands of one kind, on one namespace and node, with one result."""

    operation: str
    """``get``, ``exists``, ``put``, ``add``, ``append``, ``prepend``, ``touch``, ``delete``,
    ``operate``, ``apply``, ``batch_read``, ``batch_write`` or ``info``. A batch is one command per
    node involved. ``query``, ``aggregate``, ``job_start`` and ``job_wait`` count once, however many
    requests they make. For Cassandra: ``query``, ``prepare``, ``execute``, ``batch``.
    """
    namespace: str
    """Empty if there is none. A batch over several namespaces counts under that of its first
    row.
    """
    node: str
    """Name and address; empty if the command reached no node, and for queries that succeeded."""
    result: str
    """``ok``, a result code's name such as ``not_found``, or a client-side failure: ``timeout``,
    ``connection``, ``busy``, ``circuit_open``, ``no_node``, ``withdrawn`` ...
    """
    count: int
    """Commands."""
    seconds: float
    """The sum of their latencies, each from the call to its end, including all attempts and
    pauses.
    """
    records: int
    """Records involved."""
    retries: int
    """Attempts beyond the first."""
    buckets: tuple[int, ...]
    """The number of latencies in each bucket of ``BOUNDS``, and beyond the last."""
    parts: int = 0
    """Requests sent to nodes for queries, aggregations and jobs; 0 for other commands."""
    bytes_sent: int = 0
    """Bytes of requests, each counted once however many attempts there were."""
    bytes_received: int = 0
    """Bytes of replies."""

    @property
    def mean(self) -> float:
        """The mean latency in seconds; NaN if there are no commands."""
        return self.seconds / self.count if self.count else math.nan

    def quantile(self, share: float) -> float:
        """A latency in seconds that this share of the commands (0.99) did not exceed; at most an
        eighth too high. NaN if there are no commands, infinite beyond 17 s.

        Raises ``ValueError`` for a share that is not between 0 and 1.
        """
        return quantile(self.buckets, share)


@dataclass(frozen=True)
class StageStats:
    """How long a stage of commands took, while stages were timed (``enable(stages=True)``)."""

    stage: str
    """``encode``: from the call until its request is composed; ``queue``: until the operating
    system has it, including earlier attempts; ``wire``: until its reply has arrived; ``turn``:
    until its turn among the replies that arrived together; ``deliver``: until it is handed over,
    that is, decoded and given to its future, or copied for the waiting thread; ``hand_over``: until
    the calling thread, or the task awaiting the future, continues; ``decode``: from the copy to
    objects; for a batch, once all of its rows have been read.
    """
    count: int
    """Commands; for ``encode``, ``hand_over`` and ``decode`` calls: a batch is one, whatever the
    number of nodes. For ``hand_over`` on asyncio, every sixteenth.
    """
    seconds: float
    """The sum of the stage's times."""
    buckets: tuple[int, ...]
    """The number in each bucket of ``BOUNDS``, and beyond the last."""

    @property
    def mean(self) -> float:
        """The mean in seconds; NaN if there are no commands."""
        return self.seconds / self.count if self.count else math.nan

    def quantile(self, share: float) -> float:
        """As ``CommandStats.quantile``."""
        return quantile(self.buckets, share)


@dataclass(frozen=True)
class NodeStats:
    """A node as the client sees it."""

    name: str
    """The node's own name; for Cassandra its host id."""
    address: str
    connections: int
    """Connections that commands share, open or being opened, excluding those of queries."""
    opened: int
    """The number of them opened so far."""
    errors: int
    """Failures in this window of the circuit breaker (``max_error_rate``)."""
    breaker_open: bool
    """Whether the circuit breaker keeps commands away."""
    label: str
    """The node as named in commands and events: name and address; for Cassandra the address."""
    share: float = 1.0
    """Its share of the requests that another node can take as well: 0 while it is believed not to
    answer, growing to 1 after it has come back (``slow_start``).
    """
    limit: int | None = None
    """How many commands the node gets at a time, because its replies are late or it said that it is
    overloaded; ``None``: there is no such limit at the moment.
    """
    in_flight: int = 0
    """How many it has, while there is a limit."""
    waiting: int = 0
    """How many wait because of the limit."""
    rejections: int = 0
    """How many were rejected with ``Overloaded`` since the client found the node."""
    connect_buckets: tuple[int, ...] = ()
    """How long it took until connections were ready for commands, since the client found the node:
    the number of times in each bucket of ``BOUNDS``, and beyond the last.
    """
    connect_seconds: float = 0.0
    """The sum of these times."""
    control_sent: int = 0
    """Bytes of the client's own requests, by which it follows the cluster, and of info commands,
    since it found the node.
    """
    control_received: int = 0
    """Bytes of the replies to these."""


@dataclass(frozen=True)
class HotKey:
    """A key in the near cache that is read often."""

    namespace: str
    set: str
    """Empty for records without a set."""
    digest: bytes
    """Of the record: that of ``dataset.key(...)``."""
    reads_per_second: float
    """How often it is read, answered by the cache or not, in the last quarter of a second."""


@dataclass(frozen=True)
class NearCacheStats:
    """A client's near cache (``near_cache``), since the client was opened."""

    hits: int
    """Reads that it answered. They are not among the commands."""
    misses: int
    """Reads that it could have answered and that were sent."""
    revalidations: int
    """How often a record was asked whether it has changed."""
    evictions: int
    """Entries that made room for others."""
    entries: int
    bytes: int
    """What the entries take."""
    hot_keys: tuple[HotKey, ...]
    """The keys read most often, at most 20."""


@dataclass(frozen=True)
class Stats:
    """A client's counters since the last reset, and its current state."""

    counting: bool
    """Whether commands are counted (``client.metrics.enable()``)."""
    commands: tuple[CommandStats, ...]
    nodes: tuple[NodeStats, ...]
    in_flight: int
    """Commands sent or waiting to be sent, as of the last replies; while counting is off, it is
    updated ten times a second.
    """
    queued: int
    """Those of them waiting for a place on a connection."""
    hedges_sent: int
    """Second requests (``hedge``, and for rows of slow nodes with ``deadline``) since the client
    was opened; always counted."""
    hedges_won: int
    """Those of them that were answered first."""
    reads_shared: int
    """Reads answered by the request of another, identical one (``share_reads``) since the client
    was opened; always counted."""
    rows_late: int
    """Rows that had not come by the ``deadline`` of their call; always counted."""
    tends: int
    """How often the client refreshed its view of the cluster."""
    failed_tends: int
    """How often a refresh found no node."""
    tend_age: float
    """Time since the last refresh, in seconds."""
    retries_sent: int = 0
    """Retries, second requests and speculative executions since the client was opened; always
    counted.
    """
    retries_denied: int = 0
    """Those that were not sent because of ``retry_budget``."""
    near_cache: NearCacheStats | None = None
    """The cache for hot keys, if the client has one."""
    stages: tuple[StageStats, ...] = ()
    """The stages of all commands together; empty if they were not timed."""
    unreachable: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes of the cluster that cannot be reached from here, by name: the addresses that were
    tried, and why each failed. Always empty for Cassandra.
    """

    def select(
        self,
        *,
        operation: str | None = None,
        namespace: str | None = None,
        node: str | None = None,
        result: str | None = None,
    ) -> CommandStats:
        """The sum of all commands with these labels; labels that are not given are empty in the
        result.
        """
        labels = (operation, namespace, node, result)
        commands = [
            command
            for command in self.commands
            if all(
                label is None or label == value
                for label, value in zip(
                    labels,
                    (command.operation, command.namespace, command.node, command.result),
                    strict=True,
                )
            )
        ]
        return CommandStats(
            operation=operation or "",
            namespace=namespace or "",
            node=node or "",
            result=result or "",
            count=sum(command.count for command in commands),
            seconds=sum(command.seconds for command in commands),
            records=sum(command.records for command in commands),
            retries=sum(command.retries for command in commands),
            parts=sum(command.parts for command in commands),
            bytes_sent=sum(command.bytes_sent for command in commands),
            bytes_received=sum(command.bytes_received for command in commands),
            buckets=tuple(
                sum(column)
                for column in zip(
                    [0] * (len(BOUNDS) + 1), *(it.buckets for it in commands), strict=True
                )
            ),
        )


def quantile(buckets: tuple[int, ...], share: float) -> float:
    """The bound in ``BOUNDS`` that this share of the values in the buckets does not exceed."""
    if not 0 <= share <= 1:
        raise ValueError(f"share must be between 0 and 1, got {share!r}")
    count = sum(buckets)
    if not count:
        return math.nan
    rank = max(1, math.ceil(share * count))
    for bound, seen in zip((*BOUNDS, math.inf), accumulate(buckets), strict=True):
        if seen >= rank:
            return bound
    return math.inf


def stats_of(fields: StatsFields) -> Stats:
    """Builds the public classes from the engine's report."""
    return Stats(
        counting=fields["counting"],
        commands=tuple(map(_command_of, fields["commands"])),
        nodes=tuple(map(_node_of, fields["nodes"])),
        in_flight=fields["in_flight"],
        queued=fields["queued"],
        hedges_sent=fields["hedges_sent"],
        hedges_won=fields["hedges_won"],
        retries_sent=fields["retries_sent"],
        retries_denied=fields["retries_denied"],
        reads_shared=fields["reads_shared"],
        rows_late=fields["rows_late"],
        tends=fields["tends"],
        failed_tends=fields["failed_tends"],
        tend_age=fields["tend_age"],
        stages=tuple(
            StageStats(stage, sum(buckets), seconds, tuple(buckets))
            for stage, buckets, seconds in fields["stages"]
        ),
        unreachable=fields["unreachable"],
        near_cache=_near_cache_of(fields["near_cache"]),
    )


def _near_cache_of(fields: NearCacheFields | None) -> NearCacheStats | None:
    if fields is None:
        return None
    hits, misses, revalidations, evictions, entries, size, hot_keys = fields
    return NearCacheStats(
        hits=hits,
        misses=misses,
        revalidations=revalidations,
        evictions=evictions,
        entries=entries,
        bytes=size,
        hot_keys=tuple(HotKey(*key) for key in hot_keys),
    )


def _node_of(fields: NodeFields) -> NodeStats:
    limiter, ((buckets, seconds), control) = fields[8:]
    return NodeStats(*fields[:8], *limiter, tuple(buckets), seconds, *control)


def _command_of(fields: CommandFields) -> CommandStats:
    operation, namespace, node, result, buckets, seconds, records, retries, parts = fields[:9]
    bytes_sent, bytes_received = fields[9:]
    return CommandStats(
        operation=operation,
        namespace=namespace,
        node=node,
        result=result,
        count=sum(buckets),
        seconds=seconds,
        records=records,
        retries=retries,
        buckets=tuple(buckets),
        parts=parts,
        bytes_sent=bytes_sent,
        bytes_received=bytes_received,
    )
