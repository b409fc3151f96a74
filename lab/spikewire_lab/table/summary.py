"""Rounds to one line per cell: medians, spread, merged percentiles, ratios to the best peer."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from ..clients import FLOOR, OURS, PEERS
from ..clients.registry import base_of
from ..contract.result import Failure, Result, version_of
from ..measure import mean, merge, percentiles, within
from ..plan import NODE_BUILDER, NODE_DROP_IN, NODE_OURS, RUST_OURS, Cell
from ..work.shape import IN_COLUMNS
from .apis import is_other_api, with_apis
from .figures import (
    ERROR_LIMIT,
    CellFigures,
    Spread,
    by_round,
    cheapest_line,
    fastest,
    fastest_line,
    lowest_cpu,
    ratio,
)
from .line import Line
from .open_figures import figures, without_ratios
from .pools import with_pools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..contract.queries import ScanResult

Round = Result | Failure


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
    rate_rounds, cpu_rounds = fastest_line(records), cheapest_line(records)
    least = min((line.memory for line in records if line.memory), default=None)
    compared = [
        line
        if line.cell.client == FLOOR
        else replace(
            line,
            rate_ratio=ratio(line.rate, best_rate),
            cpu_ratio=ratio(line.cpu, best_cpu),
            rate_versus=by_round(line.rate, rate_rounds),
            cpu_versus=by_round(line.cpu, cpu_rounds),
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
    ours = (OURS, RUST_OURS, NODE_OURS, NODE_BUILDER, NODE_DROP_IN, FLOOR)
    return base_of(client) not in ours and not is_other_api(client)


def decided(lines: Sequence[CellFigures[Any]], precision: float) -> bool:
    """Whether the ratios of a group are as precise as that. Those of our own clients count, if
    there are any: of the others a reader wants to know which is the best. Flawed lines never get
    there."""
    ours = [line for line in lines if line.cell.client.startswith(OURS)]
    known = [line.rate_versus for line in ours or lines if line.rate_versus and not line.flawed]
    return all(one.within(precision) for one in known)
