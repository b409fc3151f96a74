"""Rounds to one line per cell: medians, spread, merged percentiles, ratios to the best peer."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

from ..clients import FLOOR, OURS, PEERS
from ..clients.registry import base_of
from ..clients.shape import IN_COLUMNS
from ..measure import mean, merge, percentiles, within
from ..open.figures import OpenFigures, figures, without_ratios
from ..result import Failure, Result
from ..run.plan import NODE_OURS, RUST_OURS, Cell
from ..run.rounds import ERROR_LIMIT, error_share
from .faces import Ratios, is_face, with_faces
from .pools import LoopRatios, with_pools

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..cql.result import CqlResult
    from ..queries.result import ScanResult

Round = Result | Failure


@dataclass(frozen=True)
class Spread:
    """The middle of several rounds, and how far apart they lay."""

    median: float
    low: float
    high: float
    values: tuple[float, ...] = field(default=(), compare=False)
    """Of the rounds, in their order."""

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        return Spread(median(values), min(values), max(values), tuple(values))

    @property
    def percent(self) -> float:
        """The distance between the extremes, in percent of the median."""
        return 100 * (self.high - self.low) / self.median if self.median else 0.0


@dataclass(frozen=True)
class Line:
    """One cell over all its rounds. Times are in microseconds, per operation where it says so."""

    cell: Cell
    rounds: int
    failures: tuple[str, ...]
    version: str | None = None
    loop: str | None = None
    python: str | None = None
    gil: bool | None = None
    unserved: int = 0
    """Operations that a client counted and the embedded cluster did not."""
    missed: float | None = None
    """The part of the operations that were reads which found no record, where reads may."""
    rate: Spread | None = None
    cpu: Spread | None = None
    cpu_user: float | None = None
    cpu_system: float | None = None
    cpu_server: float | None = None
    latency: Mapping[str, float] | None = None
    latency_read: Mapping[str, float] | None = None
    latency_write: Mapping[str, float] | None = None
    latency_mean: float | None = None
    latency_max: float | None = None
    """Of what was sampled; None where not every sample was kept."""
    within: Mapping[str, float] | None = None
    """The part of the samples that took so many milliseconds at the most."""
    loop_delay: Mapping[str, float] | None = None
    """By how much timers of the event loop were late: medians of the rounds' p50 and p99."""
    others: float | None = None
    """Processors that neither this client nor the server used, as a part of the machine."""
    samples: int = 0
    errors: int = 0
    timeouts: int | None = None
    """Of the errors; None where they are not told apart."""
    error_share: float = 0.0
    """Failed calls over all."""
    error_limit: float = ERROR_LIMIT
    waits: float | None = None
    """Voluntary context switches of the client per operation."""
    preemptions: float | None = None
    first_error: str | None = None
    peak_rss: int | None = None
    absent: str | None = None
    """Why this client has nothing to measure here."""
    server_busy: float | None = None
    """The part of its time that the busiest of the embedded cluster's threads worked; of all of
    them together where only that is known. 1 is all it has."""
    memory: int | None = None
    """How many bytes one call added to the peak of the resident memory."""
    rate_ratio: float | None = None
    """Operations per second over those of the fastest peer beside it."""
    cpu_ratio: float | None = None
    """Processor time per operation over that of the thriftiest peer beside it. In column tables
    both are about peers that give records."""
    cpu_columns_ratio: float | None = None
    """Processor time over that of the thriftiest peer that gives columns."""
    memory_ratio: float | None = None
    """Memory of one call over that of the most frugal peer that gives records."""
    faces: Ratios | None = None
    """Of another face of our own client over its verbs, and over what it replaces."""
    one_loop: LoopRatios | None = None
    """Of a comparison of pools, over the same client on one event loop."""
    open: OpenFigures | None = None
    """Of open loops, in which `rate` is what was reached, and `latency` has response times."""

    @property
    def flawed(self) -> bool:
        return bool(self.error_share > self.error_limit or self.failures or self.unserved)

    def as_json(self) -> dict[str, object]:
        """For the report; the cell's own fields come first."""
        fields = asdict(self)
        cell: dict[str, object] = fields.pop("cell")
        cell["asked"] = cell.pop("rate")  # `rate` is what was reached
        return {**cell, **fields, "flawed": self.flawed}


def summarise(cell: Cell, rounds: Sequence[Round], error_limit: float = ERROR_LIMIT) -> Line:
    """One line; rounds that failed are listed and do not count."""
    failures = tuple(str(one["failed"]) for one in rounds if "failed" in one)
    results = [one for one in rounds if "failed" not in one]
    line = Line(cell, rounds=len(rounds), failures=failures, error_limit=error_limit)
    if not results:
        return line
    line = replace(
        line,
        version=results[0]["version"],
        loop=results[0]["loop"],
        python=_python(results[0]),
        gil=None if results[0]["python"] is None else results[0]["python"]["gil"],
        errors=sum(one["errors"] for one in results),
        timeouts=_timeouts(results),
        error_share=_error_share(cell, results),
        first_error=next((one["first_error"] for one in results if one["first_error"]), None),
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


def _timeouts(results: Sequence[Result]) -> int | None:
    known = [one["timeouts"] for one in results if "timeouts" in one]
    return sum(known) if known else None


def failed_calls(errors: int, timeouts: int | None) -> str:
    """How many calls failed, and how many of them by a timeout."""
    return f"{errors:,} errors" + (f", {timeouts:,} of them timeouts" if timeouts else "")


def _error_share(cell: Cell, results: Sequence[Result]) -> float:
    """Of calls: an operation is a record, and a batch of several is one call."""
    errors = sum(one["errors"] for one in results)
    return error_share(errors, sum(one["operations"] for one in results) / cell.shape.rows)


def _python(result: Result) -> str | None:
    """The interpreter's version, marked as vendors do where it is free-threaded."""
    python = result["python"]
    return python and python["version"] + ("t" if python["free_threaded"] else "")


def _with_costs(line: Line, results: Sequence[Result]) -> Line:
    reads = [one["latency"]["read"] for one in results]
    writes = [one["latency"]["write"] for one in results]
    together = merge(reads + writes)
    exact = not any(one["latency"]["overwritten"] for one in results)
    server = [_each(one, one["server_cpu"]) for one in results if one["server_cpu"] is not None]
    return replace(
        line,
        rate=Spread.of([rate_of(one) for one in results]),
        cpu=Spread.of([_each(one, sum(_seconds(one))) for one in results]),
        cpu_user=median(_each(one, one["cpu"]["user"]) for one in results),
        cpu_system=median(_each(one, one["cpu"]["system"]) for one in results),
        cpu_server=median(server) if server else None,
        others=elsewhere(results),
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
    """Over all rounds; needs a server of which the threads are known."""
    shares = [share for share in map(busy_share, results) if share is not None]
    return median(shares) if shares else None


def busy_share(one: Result | ScanResult) -> float | None:
    """The busiest thread's where it is known, else that of all threads that can work at once."""
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
    """Medians of the rounds, in microseconds; None where there is no event loop of Node.js."""
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


def elsewhere(results: Sequence[Result | CqlResult]) -> float | None:
    """The worst round's share of the machine that went elsewhere; needs a known server."""
    shares: list[float] = []
    for one in results:
        busy, server = one["machine_cpu"], one["server_cpu"]
        if server is None and one.get("server_remote"):
            server = 0.0
        if busy is not None and server is not None:
            elsewhere = busy - server - sum(_seconds(one))
            shares.append(elsewhere / (one["elapsed"] * (os.cpu_count() or 1)))
    return max(shares, default=None)


def _seconds(result: Result | CqlResult) -> tuple[float, float]:
    return result["cpu"]["user"], result["cpu"]["system"]


def rate_of(result: Result) -> float:
    """Successful operations each second: the workers' where they have one, else the window's."""
    return result.get("rate", result["operations"] / result["elapsed"])


def _each(result: Result, seconds: float) -> float:
    """Microseconds per successful operation."""
    return seconds * 1e6 / result["operations"]


def with_ratios(lines: Sequence[Line]) -> list[Line]:
    """Lines of one group with their ratios to the best peer; flawed peers are no measure."""
    peers = [line for line in lines if _is_peer(line.cell.client) and not line.flawed]
    columns = [line for line in peers if gives_columns(line.cell)]
    records = [line for line in peers if not gives_columns(line.cell)]
    best_rate = max((line.rate.median for line in records if line.rate), default=None)
    best_cpu = _least_cpu(records)
    least = min((line.memory for line in records if line.memory), default=None)
    compared = [
        line
        if line.cell.client == FLOOR
        else replace(
            line,
            rate_ratio=_over(line.rate, best_rate),
            cpu_ratio=_over(line.cpu, best_cpu),
            cpu_columns_ratio=_over(line.cpu, _least_cpu(columns)),
            memory_ratio=None if line.memory is None or not least else line.memory / least,
        )
        for line in lines
    ]
    return without_ratios(with_pools(with_faces(compared)))


def _least_cpu(lines: Sequence[Line]) -> float | None:
    return min((line.cpu.median for line in lines if line.cpu), default=None)


def gives_columns(cell: Cell) -> bool:
    """Whether the caller gets columns from this cell's way."""
    if cell.shape.kind not in IN_COLUMNS:
        return False
    return PEERS[cell.client].way(cell.shape.kind, cell.shape.way).columnar


def _is_peer(client: str) -> bool:
    return base_of(client) not in (OURS, RUST_OURS, NODE_OURS, FLOOR) and not is_face(client)


def _over(spread: Spread | None, best: float | None) -> float | None:
    return None if spread is None or not best else spread.median / best
