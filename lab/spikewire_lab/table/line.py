"""One line of a table: a cell over all its rounds, with its ratios to other lines."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..plan import Cell
from .figures import CellFigures

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Ratios:
    """Ratios of one line to others of its group; None if there is none to compare with."""

    cpu_verb: float | None = None
    """Processor time per operation relative to the verb that does the same."""
    rate_replaced: float | None = None
    """Operations per second relative to the client that this API replaces."""
    cpu_replaced: float | None = None
    """Processor time per operation relative to that client."""


@dataclass(frozen=True)
class LoopRatios:
    """One line relative to the same client on one event loop, without a pool."""

    rate: float
    """Operations per second."""
    cpu: float
    """Processor time per operation."""


@dataclass(frozen=True)
class OpenFigures:
    """One cell over all its rounds: figures that only open loops have. Times are in
    microseconds."""

    asked: float
    """Calls per second."""
    arrivals: str
    scheduled: int
    unsent: int
    held: int
    outstanding_most: int
    service: Mapping[str, float]
    """Percentiles of the time from when calls began to their replies."""
    service_max: float
    late: Mapping[str, float]
    """Percentiles of the time from when calls were due to when they began."""
    kept_up: bool
    generator: float
    """Processor time of the pacing per operation, from calls that do nothing."""
    less_pacing: float | None
    """Processor time per operation without pacing; None if a client did not keep up, since its
    process is then awake anyway."""


@dataclass(frozen=True)
class Line(CellFigures[Cell]):
    """One cell over all its rounds. Times are in microseconds, per operation where stated. In
    column tables the ratios are to peers that return records."""

    gil: bool | None = None
    unserved: int = 0
    """Operations that a client counted and the embedded cluster did not."""
    missed: float | None = None
    """The share of operations that are reads without a record, if the workload has such reads."""
    latency: Mapping[str, float] | None = None
    latency_read: Mapping[str, float] | None = None
    latency_write: Mapping[str, float] | None = None
    latency_mean: float | None = None
    latency_max: float | None = None
    """The maximum of the samples; None if not every sample was kept."""
    within: Mapping[str, float] | None = None
    """The share of the samples that took at most so many milliseconds."""
    loop_delay: Mapping[str, float] | None = None
    """The lateness of the event loop's timers: medians of the rounds' p50 and p99."""
    samples: int = 0
    waits: float | None = None
    """Voluntary context switches of the client per operation."""
    preemptions: float | None = None
    peak_rss: int | None = None
    absent: str | None = None
    """Why this client has nothing to measure here."""
    server_busy: float | None = None
    """The busy share of the embedded cluster's busiest thread, or of all of its threads together if
    only that is known. 1 is saturated."""
    memory: int | None = None
    """Bytes that one call added to the peak of the resident memory."""
    cpu_columns_ratio: float | None = None
    """Processor time relative to the most economical peer that returns columns."""
    memory_ratio: float | None = None
    """Memory of one call relative to the peer with the lowest memory that returns records."""
    apis: Ratios | None = None
    """For another API of our client: relative to its verbs and to the client it replaces."""
    one_loop: LoopRatios | None = None
    """In a comparison of pools: relative to the same client on one event loop."""
    open: OpenFigures | None = None
    """For open loops, in which `rate` is the achieved rate, and `latency` has response times."""

    @property
    def flawed(self) -> bool:
        return bool(super().flawed or self.unserved)

    def as_json(self) -> dict[str, object]:
        """For the report; the cell's own fields come first."""
        fields = asdict(self)
        cell: dict[str, object] = fields.pop("cell")
        cell["asked"] = cell.pop("rate")  # `rate` is the achieved rate
        return {**cell, **fields, "flawed": self.flawed}
