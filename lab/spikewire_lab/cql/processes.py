"""One cell in several processes at the same time, each with its own session."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

from ..contract.cql import as_cql
from ..contract.result import Failure
from ..run.meeting import Meeting
from ..run.processes import APART, NS
from ..worker.meeting import GONE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..contract.cql import CqlJob, CqlResult

SUMS = ("operations", "errors", "timeouts")
NESTED = ("cpu", "switches", "memory")


def together(
    job: CqlJob, start: Callable[[CqlJob, Meeting], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Starts all processes of a job, each with other random keys; returns one answer for them."""
    many = job.get("processes", 1)
    meeting = Meeting(many)

    def run(part: int) -> Mapping[str, Any]:
        mine = cast("CqlJob", {**job, "part": part, "seed": job["seed"] * many + part})
        answer = start(mine, meeting)
        if "failed" in answer:
            meeting.missed()
        return answer

    with ThreadPoolExecutor(many) as threads:
        try:
            answers = list(threads.map(run, range(many)))
        except BaseException:
            meeting.stop()
            raise
    return merged([as_cql(one) for one in answers], job["duration"])


def merged(results: Sequence[CqlResult | Failure], duration: float) -> Mapping[str, Any]:
    """The combined result of windows that opened at the same time: operations, processor time and
    memory are sums, the time is the longest, the server's processor time the mean."""
    failures = [str(one["failed"]) for one in results if "failed" in one]
    if failures:
        # That others did not arrive is a consequence of the first failure.
        first = next((one for one in failures if GONE not in one), failures[0])
        return Failure(failed=f"one of {len(results)} processes: {first}")
    all_: list[Mapping[str, Any]] = [one for one in results if "failed" not in one]
    openings = [one["opened"] for one in all_]
    apart = (max(openings) - min(openings)) / NS
    if apart > APART * duration:
        return Failure(failed=f"the processes began {apart * 1000:,.0f} ms apart")
    result: dict[str, Any] = {**all_[0], "apart": apart}
    result |= {name: sum(one[name] for one in all_) for name in SUMS}
    for name in NESTED:
        result[name] = {key: sum(one[name][key] for one in all_) for key in all_[0][name]}
    for name in ("server_cpu", "machine_cpu"):
        seen = [one[name] for one in all_ if one[name] is not None]
        result[name] = sum(seen) / len(seen) if len(seen) == len(all_) else None
    result["elapsed"] = max(one["elapsed"] for one in all_)
    errors = (one["first_error"] for one in all_)
    result["first_error"] = next((error for error in errors if error), None)
    return result
