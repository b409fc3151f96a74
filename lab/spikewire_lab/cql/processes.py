"""One cell in several processes at the same time, each with its own session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..contract.cql import as_cql
from ..run.processes import distance, failure_of, in_processes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..contract.cql import CqlJob, CqlResult
    from ..contract.result import Failure
    from ..run.meeting import Meeting

SUMS = ("operations", "errors", "timeouts")
NESTED = ("cpu", "switches", "memory")


def together(
    job: CqlJob, start: Callable[[CqlJob, Meeting], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Starts all processes of a job, each with other random keys; returns one answer for them."""
    many = job.get("processes", 1)

    def run(part: int, meeting: Meeting) -> Mapping[str, Any]:
        mine = cast("CqlJob", {**job, "part": part, "seed": job["seed"] * many + part})
        return start(mine, meeting)

    return merged([as_cql(one) for one in in_processes(many, run)], job["duration"])


def merged(results: Sequence[CqlResult | Failure], duration: float) -> Mapping[str, Any]:
    """The combined result of windows that opened at the same time: operations, processor time and
    memory are sums, the time is the longest, the server's processor time the mean."""
    if (failure := failure_of(results)) is not None:
        return failure
    all_: list[Mapping[str, Any]] = [one for one in results if "failed" not in one]
    apart = distance([one["opened"] for one in all_], duration)
    if not isinstance(apart, int | float):
        return apart
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
