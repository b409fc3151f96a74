"""Rounds to one line per cell: medians, spread, merged percentiles, ratios to the best peer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from ..clients import FLOOR, OURS, PEERS
from ..clients.registry import base_of
from ..clients.shape import IN_COLUMNS
from ..measure import mean, merge, percentiles, within
from ..open.figures import OpenFigures, figures, without_ratios
from ..result import Failure, Result, version_of
from ..run.plan import NODE_OURS, RUST_OURS, Cell
from ..run.rounds import ERROR_LIMIT
from .apis import Ratios, is_other_api, with_apis
from .figures import CellFigures, Spread, fastest, lowest_cpu, ratio
from .pools import LoopRatios, with_pools

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..queries.result import ScanResult

Round = Result | Failure


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


def summarise(cell: Cell, rounds: Sequence[Round], error_limit: float = ERROR_LIMIT) -> Line:
    """Summarises rounds to one line; failed rounds are listed and do not count."""
    failures = tuple(str(one["failed"]) for one in rounds if "failed" in one)
    results = [one for one in rounds if "failed" not in one]
    line = Line(cell, rounds=len(rounds), failures=failures, error_limit=error_limit)
    if not results:
        return line
    # An operation is a record, and a batch of several is one call.
    line = replace(
        line.over(results, cell.shape.rows),
        python=None if results[0]["python"] is None else version_of(results[0]["python"]),
        gil=None if results[0]["python"] is None else results[0]["python"]["gil"],
        peak_rss=max(one["memory"]["peak"] for one in results),
        unserved=sum(map(_unserved, results)) if cell.client != FLOOR else 0,
    )
    counted = [one for one in results if one["operations"]]
    return _with_costs(line, counted) if counted else line


def _missed(results: Sequence[Result]) -> float | None:
    counts = [one["misses"] for one in results if "misses" in one]
    return sum(counts) / sum(one["operations"] for one in results) if counts else None


def _unserved(result: Result) -> int:
    served = result.get("served")
    return 0 if served is None else max(0, result["operations"] - served)


def failed_calls(errors: int, timeouts: int | None) -> str:
    """The number of failed calls, and of the timeouts among them."""
    return f"{errors:,} errors" + (f", {timeouts:,} of them timeouts" if timeouts else "")


def _with_costs(line: Line, results: Sequence[Result]) -> Line:
    reads = [one["latency"]["read"] for one in results]
    writes = [one["latency"]["write"] for one in results]
    together = merge(reads + writes)
    exact = not any(one["latency"]["overwritten"] for one in results)
    return replace(
        line.with_costs(results),
        rate=Spread.of([rate_of(one) for one in results]),
        missed=_missed(results),
        latency=percentiles(together),
        latency_mean=mean(together),
        latency_read=percentiles(merge(reads)),
        latency_write=percentiles(merge(writes)),
        latency_max=max(one["latency"]["max_ns"] for one in results) / 1000 if exact else None,
        within=_within(results) or within(together),
        waits=median(one["switches"]["voluntary"] / one["operations"] for one in results),
        preemptions=median(one["switches"]["involuntary"] / one["operations"] for one in results),
        loop_delay=loop_delay(results),
        samples=sum(one["latency"]["samples"] for one in results),
        server_busy=_server_busy(results),
        memory=_memory(results),
        open=figures(results, line.cell.shape.rows),
    )


def _server_busy(results: Sequence[Result]) -> float | None:
    """The median of all rounds; needs a server whose threads are known."""
    shares = [share for share in map(busy_share, results) if share is not None]
    return median(shares) if shares else None


def busy_share(one: Result | ScanResult) -> float | None:
    """That of the busiest thread if known, else of all threads that can work at the same time."""
    busiest, threads = one.get("server_busiest"), one.get("server_threads")
    if busiest is not None:
        return busiest / one["elapsed"]
    if threads is None or one["server_cpu"] is None:
        return None
    return one["server_cpu"] / (one["elapsed"] * threads)


def _within(results: Sequence[Result]) -> dict[str, float] | None:
    counts = [one["latency"].get("within") for one in results]
    known = [count for count in counts if count is not None]
    samples = sum(one["latency"]["samples"] for one in results)
    if not known or not samples:
        return None
    return {limit: sum(count[limit] for count in known) / samples for limit in known[0]}


def loop_delay(results: Sequence[Result | ScanResult]) -> dict[str, float] | None:
    """Medians of the rounds, in microseconds; None without an event loop of Node.js."""
    known = [one["loop_delay"] for one in results if "loop_delay" in one]
    if not known:
        return None
    return {
        "p50": median(one["p50"] for one in known) / 1000,
        "p99": median(one["p99"] for one in known) / 1000,
    }


def _memory(results: Sequence[Result]) -> int | None:
    calls = [one["memory"].get("call") for one in results]
    known = [call for call in calls if call is not None]
    return round(median(known)) if known else None


def rate_of(result: Result) -> float:
    """Successful operations per second: the workers' rate if they have one, else that of the
    window."""
    return result.get("rate", result["operations"] / result["elapsed"])


def with_ratios(lines: Sequence[Line]) -> list[Line]:
    """Lines of one group with their ratios to the best peer; flawed peers do not count."""
    peers = [line for line in lines if _is_peer(line.cell.client) and not line.flawed]
    columns = [line for line in peers if gives_columns(line.cell)]
    records = [line for line in peers if not gives_columns(line.cell)]
    best_rate, best_cpu = fastest(records), lowest_cpu(records)
    least = min((line.memory for line in records if line.memory), default=None)
    compared = [
        line
        if line.cell.client == FLOOR
        else replace(
            line,
            rate_ratio=ratio(line.rate, best_rate),
            cpu_ratio=ratio(line.cpu, best_cpu),
            cpu_columns_ratio=ratio(line.cpu, lowest_cpu(columns)),
            memory_ratio=None if line.memory is None or not least else line.memory / least,
        )
        for line in lines
    ]
    return without_ratios(with_pools(with_apis(compared)))


def gives_columns(cell: Cell) -> bool:
    """Whether the caller gets columns in this cell's way."""
    if cell.shape.kind not in IN_COLUMNS:
        return False
    return PEERS[cell.client].way(cell.shape.kind, cell.shape.way).columnar


def _is_peer(client: str) -> bool:
    return base_of(client) not in (OURS, RUST_OURS, NODE_OURS, FLOOR) and not is_other_api(client)
