"""Several processes of one client under load at the same time, and their combined result."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, cast

from ..contract.result import Failure, ProcessResult, Result
from ..measure import encode, joined, merge
from ..series.timeline import BEYOND
from ..table.open_figures import paced, together
from ..worker.meeting import GONE
from .launch import as_result, run_job
from .meeting import Meeting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..contract.result import Job, Latency
    from ..contract.series import Series

NS = 1_000_000_000
APART = 0.1
"""Windows whose openings differ by more than this share of their length overlap too little."""
COUNTS = ("operations", "errors", "timeouts")


def run_processes(
    command: Sequence[str],
    job: Job,
    variables: Mapping[str, str],
    on_report: Callable[[Any], object] | None = None,
) -> Mapping[str, Any]:
    """Runs a job in its number of processes; returns one answer for all of them."""
    many = job.get("processes", 1)

    def run(part: int, meeting: Meeting) -> Mapping[str, Any]:
        mine = cast("Job", {**job, "part": part, "histograms": True})
        return run_job(command, mine, variables, on_report=on_report, meeting=meeting)

    return merged([as_result(one) for one in in_processes(many, run)], job)


def in_processes(
    many: int, run: Callable[[int, Meeting], Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The answers of processes that begin at the same time; `run` has the number of each."""
    meeting = Meeting(many)

    def answer_of(part: int) -> Mapping[str, Any]:
        answer = run(part, meeting)
        if "failed" in answer:
            meeting.missed()
        return answer

    with ThreadPoolExecutor(many) as threads:
        try:
            return list(threads.map(answer_of, range(many)))
        except BaseException:
            meeting.stop()
            raise


def failure_of(results: Sequence[Mapping[str, Any]]) -> Failure | None:
    """The failure of all processes, if one of them failed."""
    failures = [str(one["failed"]) for one in results if "failed" in one]
    if not failures:
        return None
    # That others did not arrive is a consequence of the first failure.
    first = next((one for one in failures if GONE not in one), failures[0])
    return Failure(failed=f"one of {len(results)} processes: {first}")


def distance(openings: Sequence[int], duration: float) -> float | Failure:
    """How far apart windows open, in seconds; a failure if they overlap too little."""
    apart = (max(openings) - min(openings)) / NS
    if apart > APART * duration:
        return Failure(failed=f"the processes began {apart * 1000:,.0f} ms apart")
    return apart


def merged(results: Sequence[Result | Failure], job: Job) -> Mapping[str, Any]:
    """The combined result: operations, processor time, memory and errors are sums, latencies one
    histogram, and the rate is the sum of the processes' rates, all measured at the same time."""
    if (failure := failure_of(results)) is not None:
        return failure
    all_ = [one for one in results if "failed" not in one]
    openings = [one.get("opened", 0) for one in all_]
    apart = distance(openings, job["duration"])
    if not isinstance(apart, int | float):
        return apart
    rates = [one["rate"] for one in all_ if "rate" in one]
    result = cast("dict[str, Any]", {**all_[0]})
    result |= {
        "elapsed": _elapsed(all_, openings),
        "operations": sum(one["operations"] for one in all_),
        "errors": sum(one["errors"] for one in all_),
        "timeouts": sum(one.get("timeouts", 0) for one in all_),
        "first_error": next((one["first_error"] for one in all_ if one["first_error"]), None),
        "cpu": _sums(one["cpu"] for one in all_),
        "server_cpu": _mean(one["server_cpu"] for one in all_),
        "machine_cpu": _mean(one["machine_cpu"] for one in all_),
        "switches": _sums(one["switches"] for one in all_),
        "latency": _latency([one["latency"] for one in all_]),
        "memory": _sums({**one["memory"], "call": 0} for one in all_),
        "apart": apart,
        "each": [_process_result(one) for one in all_],
    }
    del result["memory"]["call"]
    if len(rates) == len(all_):
        result["rate"] = sum(rates)
    opened = [one["open"] for one in all_ if "open" in one]
    if opened:
        result["open"] = together(opened)
    if "misses" in result:
        result["misses"] = sum(one.get("misses", 0) for one in all_)
    if "server_busiest" in result:
        result["server_busiest"] = _mean(one.get("server_busiest") for one in all_)
    all_series = [one["series"] for one in all_ if "series" in one]
    if len(all_series) == len(all_):
        series = _series(all_series)
        if not job.get("histograms"):
            del series["read"], series["write"]
        result["series"] = series
    return result


def _elapsed(all_: Sequence[Result], openings: Sequence[int]) -> float:
    """For windows of a planned length, the longest; for work that ends by itself, from the first
    opening to the last end, since work done at different times must not count as simultaneous."""
    if any("rate" in one or "open" in one for one in all_):
        return max(one["elapsed"] for one in all_)
    ends = (at / NS + one["elapsed"] for at, one in zip(openings, all_, strict=True))
    return max(ends) - min(openings) / NS


def _process_result(one: Result) -> ProcessResult:
    result: ProcessResult = {
        "operations": one["operations"],
        "rate": one.get("rate", one["operations"] / one["elapsed"]),
        "cpu": one["cpu"],
        "memory": one["memory"],
    }
    pacing = paced(one["open"]) if "open" in one else None
    if pacing is not None:
        result["pacing"] = pacing
    return result


def _sums(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    known = list(parts)
    return {key: sum(one[key] for one in known) for key in known[0]}


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of what each process observed; None if one has no value."""
    known = list(values)
    seen = [value for value in known if value is not None]
    return sum(seen) / len(seen) if len(seen) == len(known) else None


def _latency(parts: Sequence[Latency]) -> Latency:
    return {
        "read": joined(one["read"] for one in parts),
        "write": joined(one["write"] for one in parts),
        "samples": sum(one["samples"] for one in parts),
        "overwritten": sum(one["overwritten"] for one in parts),
        "max_ns": max(one["max_ns"] for one in parts),
    }


def _series(parts: Sequence[Series]) -> Series:
    """Their windows opened at the same time, so their intervals coincide."""
    series: Any = {"start": min(one["start"] for one in parts), "interval": parts[0]["interval"]}
    for name in COUNTS:
        series[name] = [sum(all_) for all_ in zip_longest(*(_of(parts, name)), fillvalue=0)]
    held = list(zip(*(one.get("rss", []) for one in parts), strict=False))
    if held:
        series["rss"] = [sum(all_) for all_ in held]
    empty = encode(())
    for name in ("read", "write"):
        columns = zip_longest(*_of(parts, name), fillvalue=empty)
        series[name] = [joined(all_) for all_ in columns]
    whole = [merge(both) for both in zip(series["read"], series["write"], strict=True)]
    counts = [one.get_total_count() for one in whole]
    series["p50_ns"] = [
        one.get_value_at_percentile(50) if count else None
        for one, count in zip(whole, counts, strict=True)
    ]
    series["p99_ns"] = [
        one.get_value_at_percentile(99) if count >= 100 * BEYOND else None
        for one, count in zip(whole, counts, strict=True)
    ]
    series["max_ns"] = [
        max((one for one in all_ if one is not None), default=None)
        for all_ in zip_longest(*_of(parts, "max_ns"))
    ]
    return cast("Series", series)


def _of(parts: Sequence[Series], name: str) -> list[list[Any]]:
    return [cast("Mapping[str, list[Any]]", one)[name] for one in parts]
