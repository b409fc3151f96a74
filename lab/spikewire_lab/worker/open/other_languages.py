"""Open loops of workers in other languages: the job carries the schedule, and the results are
derived here from when calls began and ended, by the same rules as in Python."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, cast

from ...contract.open import OVERTIME, PACING_SECONDS
from ...measure import encode
from ...series.calls import EndedCalls
from ...series.timeline import Timeline
from .calls import NOT_YET, Calls, Pacing, dealt
from .schedule import offsets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...contract.result import Job
    from ...work import Operation

MEASURE = "measure"
_READ, _WRITE = cast("list[Operation]", [(0, None), (0, {})])


def scheduled(job: Job) -> Job:
    """The job with all instants of its phases, in nanoseconds from the start of each; unchanged if
    it is not an open loop."""
    if "open" not in job or job["action"] != MEASURE:
        return job
    open_load, seed, long = job["open"], job["seed"], job["duration"]

    def phase(name: str, seconds: float) -> dict[str, object]:
        # A phase without time has no calls, while a measured one has at least one.
        due = offsets(open_load["rate"], seconds, open_load["arrivals"], f"{seed}/{name}")
        return {"seconds": seconds, "due": list(due) if seconds else []}

    phases = {
        "pacing": phase("pacing", min(long, PACING_SECONDS)),
        "warmup": phase("warm-up", job["warmup"]),
        "measured": phase("measured", long),
    }
    return cast("Job", {**job, "open": {**open_load, "overtime": OVERTIME, **phases}})


def worked_out(job: Job, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result of a scheduled job: the worker's own, and what is derived from its calls;
    unchanged if nothing was scheduled."""
    if "open" not in job or job["action"] != MEASURE or "failed" in answer:
        return answer
    if "open" not in answer:
        return {"failed": "the worker has no open loop: it was built before there were any"}
    raw, open_load, phases = answer["open"], job["open"], cast("Mapping[str, Any]", job["open"])
    due = phases["measured"]["due"]
    for name in ("begun", "ended", "failures", "writes"):
        if len(raw[name]) != len(due):
            return {"failed": f"the worker knows {len(raw[name])} of {len(due)} calls: {name}"}
    lost = sum(
        begun != NOT_YET and ended == NOT_YET
        for begun, ended in zip(raw["begun"], raw["ended"], strict=True)
    )
    if lost:
        return {"failed": f"{lost} calls had begun and did not end"}
    calls = Calls(array("q", due), _operations(raw["writes"]), phases["measured"]["seconds"])
    calls.begun, calls.ended = array("q", raw["begun"]), array("q", raw["ended"])
    calls.failures = bytearray(raw["failures"])
    calls.begin(0)
    pacing = Pacing(len(phases["pacing"]["due"]), raw["pacing_cpu"])
    shares = dealt(calls, job["concurrency"] * job.get("processes", 1), job.get("processes", 1))
    outcome = calls.finish(open_load, shares, raw["now"], pacing)
    latency = {
        "read": encode(outcome.reads),
        "write": encode(outcome.writes),
        "samples": len(outcome.reads) + len(outcome.writes),
        "overwritten": 0,
        "max_ns": max((*outcome.reads, *outcome.writes), default=0),
    }
    counts = {
        "operations": (outcome.tried - outcome.errors) * job["shape"]["rows"],
        "errors": outcome.errors,
        "timeouts": outcome.timeouts,
    }
    timeline = Timeline(job["duration"], memory=False)
    timeline.sources.append(EndedCalls(calls))
    timeline.begin(0, raw["start"])
    histograms = encode if job.get("histograms") else None
    series = timeline.series(raw["now"], job["shape"]["rows"], histograms)
    # Its only rate is the one that was asked for.
    fields = {name: value for name, value in answer.items() if name != "rate"}
    return {**fields, **counts, "latency": latency, "open": outcome.open, "series": series}


def _operations(writes: Sequence[int]) -> list[Operation]:
    return [_WRITE if write else _READ for write in writes]
