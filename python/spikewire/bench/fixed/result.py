"""The JSON of jobs of fixed work, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast, final

from ..result import Cpu, Failure, Job, Python, failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class FixedJob(Job):
    """Of what a `Job` has, `concurrency` is for asyncio alone."""

    calls: int
    """Of one round."""
    rounds: int
    warmup_calls: int


class RoundOfCalls(TypedDict):
    """One round."""

    elapsed: float
    """Seconds: from the first call to the end of the last, with nothing but calls in between."""
    median: float
    """Seconds of a call, from when it is made to when its caller goes on."""


@final
class FixedResult(TypedDict):
    """What one process gave."""

    client: str
    version: str
    mode: str
    operation: str
    python: Python
    rows: int
    """Records that one call was about."""
    calls: int
    """Of one round."""
    rounds: list[RoundOfCalls]
    latency: str
    """All calls of all rounds in nanoseconds: base64 HDR V2."""
    max_ns: int
    cpu: Cpu
    """Of this process, in the measured stretches of all rounds together."""
    memory: int | None
    """By how many bytes the first call took the peak of the resident memory; None where
    that was not measured."""
    load_average: list[float]


Outcome = FixedResult | Failure


def as_fixed(answer: Mapping[str, object]) -> Outcome:
    """Distinguish a result from a failure, and refuse anything that is neither."""
    return failure_of(answer, FixedResult.__required_keys__) or cast("FixedResult", answer)
