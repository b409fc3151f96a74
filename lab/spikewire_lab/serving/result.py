"""The JSON of jobs of serving and of their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast, final

from ..contract.result import Failure, Job, Python, failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class ServingJob(Job):
    """A job of serving. Of the fields of a `Job`, `concurrency` is the number of users, `keys` the
    size of a set."""

    environment: str
    way: str
    sets: int
    """Sets that one request reads."""
    rows: int
    """Records of each set."""
    server: list[str]
    """The command of the serving process."""
    variables: dict[str, str]
    """Additional environment variables of that process."""
    replicas: int
    """Server processes that share the requests."""
    rate: float | None
    """Requests due per second in an open loop; None: each user waits for its answer."""


class ServingReport(TypedDict):
    """Reported by a serving process when it ends."""

    version: str
    python: Python
    answered: int
    """Requests for features since it started."""


class Usage(TypedDict):
    """Reported by a serving process while it runs."""

    cpu: float
    """Seconds of processor time since it started."""
    answered: int


class Served(TypedDict, total=False):
    """Added by the lab itself."""

    records: int
    """Records that the nodes read and wrote, as they counted, from before the processes started
    until they had ended."""


@final
class ServingResult(Served):
    """The result of one measurement."""

    client: str
    version: str
    environment: str
    way: str
    python: Python
    """The interpreter of the process that has the client."""
    elapsed: float
    requests: int
    """Requests answered within the window."""
    errors: int
    first_error: str | None
    mean: float
    """Mean time of a request in seconds."""
    latency: str
    """Nanoseconds of each request: base64 HDR V2. In an open loop from when it was due."""
    service: str | None
    """The same from when it began; open loops only."""
    max_ns: int
    cpu: float
    """Seconds of processor time of the processes that have the client, within the window."""
    generator_cpu: float | None
    """The same of the process that sends requests; None if there is none."""
    cluster_cpu: float | None
    """The same of an embedded cluster."""
    asked: int
    """All requests that were answered, warm-up included, as counted by the users."""
    answered: int
    """The same as counted by the serving process."""
    load_average: list[float]


Outcome = ServingResult | Failure


def as_serving(answer: Mapping[str, object]) -> Outcome:
    """Tells a result from a failure, and rejects anything else."""
    failure = failure_of(answer, ServingResult.__required_keys__)
    if failure is not None:
        return failure
    result = cast("ServingResult", answer)
    if result["asked"] != result["answered"]:
        counted = f"{result['answered']:,} requests where users counted {result['asked']:,}"
        return Failure(failed=f"the server answered {counted}")
    return result
