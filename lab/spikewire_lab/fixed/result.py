"""The JSON of jobs of fixed work and of their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast, final

from ..contract.result import Cpu, Failure, Job, Python, failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class FixedJob(Job):
    """A job of fixed work. Of the fields of a `Job`, `concurrency` applies to asyncio only."""

    calls: int
    """Calls of one round."""
    rounds: int
    warmup_calls: int


class RoundOfCalls(TypedDict):
    """One round."""

    elapsed: float
    """Seconds from the start of the first call to the end of the last, with nothing but calls
    between."""
    median: float
    """Median seconds of a call, from when it is made to when its caller continues."""


@final
class FixedResult(TypedDict):
    """The result of one process."""

    client: str
    version: str
    mode: str
    operation: str
    python: Python
    rows: int
    """Records of one call."""
    calls: int
    """Calls of one round."""
    rounds: list[RoundOfCalls]
    latency: str
    """All calls of all rounds in nanoseconds: base64 HDR V2."""
    max_ns: int
    cpu: Cpu
    """Processor time of this process in the measured parts of all rounds together."""
    memory: int | None
    """Bytes that the first call added to the peak of the resident memory; None if not measured."""
    load_average: list[float]


Outcome = FixedResult | Failure


def as_fixed(answer: Mapping[str, object]) -> Outcome:
    """Tells a result from a failure, and rejects anything else."""
    return failure_of(answer, FixedResult.__required_keys__) or cast("FixedResult", answer)
