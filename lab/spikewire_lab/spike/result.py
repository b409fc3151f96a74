"""The JSON of jobs of a spike, and of their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, cast, final

from ..contract.result import Failure, Job, Python, failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIBE, CAPACITY, RUN = "describe-spike", "spike-capacity", "spike"
ACTIONS = (DESCRIBE, CAPACITY, RUN)
"""Actions of a worker's job: whether the client can be used, a closed loop, a scenario."""


class PlanPhase(TypedDict):
    """A time of even load, in shares of the capacity."""

    seconds: float
    load: float


class PlanBatches(TypedDict):
    rows: int
    rate: float


class SpikePlan(TypedDict):
    """What a worker has to know of a scenario: `Scenario.as_json`, and the capacity."""

    phases: list[PlanPhase]
    windows: dict[str, tuple[float, float]]
    deadline: float
    spend: float
    hot: float
    writer: bool
    batches: PlanBatches | None
    singles: bool
    rows_needed: float
    connects: int
    capacity: float
    """Calls per second that count as a load of 1."""
    letter: str
    interval: float
    """Seconds of an interval of the results over time."""


class SpikeJob(Job):
    setting: str
    """`defaults`, `best` or `cache`."""
    spike: SpikePlan | None


class CapacityResult(TypedDict):
    """The result of a closed loop."""

    client: str
    version: str
    python: Python
    rate: float
    """Reads per second with many in flight."""
    quiet: float
    """Median seconds of a read with nothing else in flight."""
    errors: int
    first_error: str | None


class Figures(TypedDict):
    """Calls that were due in some time."""

    due: int
    answered: int
    good: int
    """Answered within the deadline."""
    errors: dict[str, int]
    """By the name of the exception; `unanswered` are those that never ended."""
    p50: float | None
    """Seconds from when answered calls were due."""
    p99: float | None
    p999: float | None
    max: float | None
    in_time: float | None
    """The share of calls that ended, answered or not, within the deadline."""
    rows: int
    """Rows that batches asked for."""
    rows_there: int


class Intervals(TypedDict):
    """Results over time, one entry for each interval, by when calls were due."""

    due: list[int]
    good: list[int]
    p99: list[float | None]
    errors: dict[str, list[int]]
    cpu: list[float]
    """Processors that the client's process used."""
    rss: list[int]


class Staleness(TypedDict):
    """Reads of a record that a writer counts up."""

    reads: int
    writes: int
    oldest: float
    """Seconds that the oldest answer lagged behind an acknowledged write, at least."""


class Surroundings(TypedDict, total=False):
    """Fields that the lab adds to a result."""

    served: int
    """Records that the nodes read or wrote meanwhile."""
    events: list[tuple[float, str]]
    """What befell nodes, and when, in seconds from the start."""


@final
class SpikeResult(Surroundings):
    """The result of one scenario for one client in one setting."""

    client: str
    version: str
    python: Python
    mode: str
    setting: str
    options: dict[str, Any]
    """The options that were used beside the defaults."""
    rejected: dict[str, str]
    """Options that this build does not have, and what it said."""
    interval: float
    over_time: Intervals
    windows: dict[str, Figures]
    """Single reads, or batches if there are no others."""
    batches: dict[str, Figures]
    """Batches beside single reads."""
    calls: int
    requests: int
    """Records that these calls asked for, those of batches included."""
    hot_reads: int
    stale: Staleness | None
    counters: dict[str, int]
    """What the client counted itself, by name."""
    load_average: list[float]


def as_spike(answer: Mapping[str, object]) -> SpikeResult | Failure:
    """Tells a result from a failure, and rejects anything else."""
    return failure_of(answer, SpikeResult.__required_keys__) or cast("SpikeResult", answer)


def as_capacity(answer: Mapping[str, object]) -> CapacityResult | Failure:
    """The same for a closed loop."""
    return failure_of(answer, CapacityResult.__required_keys__) or cast("CapacityResult", answer)
