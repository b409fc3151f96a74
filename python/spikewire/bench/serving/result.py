"""The JSON of jobs of serving, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast, final

from ..result import Failure, Job, Python, failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class ServingJob(Job):
    """Of what a `Job` has, `concurrency` is the number of users, `keys` the size of a set."""

    environment: str
    way: str
    sets: int
    """That one request needs records of."""
    rows: int
    """Records of each set."""
    server: list[str]
    """The command of the process that serves."""
    variables: dict[str, str]
    """Of its environment."""
    rate: float | None
    """Requests due each second, of an open loop; without one each user waits for its answer."""


class Served(TypedDict):
    """What a serving process says when it ends."""

    version: str
    python: Python
    answered: int
    """Requests for features since it started."""


class Usage(TypedDict):
    """What a serving process says of itself while it runs."""

    cpu: float
    """Seconds of processor time since it started."""
    answered: int


@final
class ServingResult(TypedDict):
    """What one measurement gave."""

    client: str
    version: str
    environment: str
    way: str
    python: Python
    """Of the process that has the client."""
    elapsed: float
    requests: int
    """Answered within the window."""
    errors: int
    first_error: str | None
    mean: float
    """Seconds."""
    latency: str
    """Nanoseconds of each request: base64 HDR V2. In an open loop from when it was due."""
    service: str | None
    """The same from when it began, in an open loop alone."""
    max_ns: int
    cpu: float
    """Seconds of processor time of the process that has the client, within the window."""
    generator_cpu: float | None
    """The same of the one that sends requests; None where there is none."""
    cluster_cpu: float | None
    """The same of an embedded cluster."""
    asked: int
    """All requests that were answered, warm-up included, as the users counted them."""
    answered: int
    """The same as the serving process counted them."""
    load_average: list[float]


Outcome = ServingResult | Failure


def as_serving(answer: Mapping[str, object]) -> Outcome:
    """Distinguish a result from a failure, and refuse anything that is neither."""
    failure = failure_of(answer, ServingResult.__required_keys__)
    if failure is not None:
        return failure
    result = cast("ServingResult", answer)
    if result["asked"] != result["answered"]:
        counted = f"{result['answered']:,} requests where users counted {result['asked']:,}"
        return Failure(failed=f"the server answered {counted}")
    return result
