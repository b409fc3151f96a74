"""The JSON that goes into a worker and the JSON that comes out, from Python and Rust alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import NotRequired

    from .open.contract import Asked, Given
    from .run.build import Build
    from .series.contract import Series
    from .worker.companion import Beside


class Work(TypedDict):
    """A `Shape`: what one call does."""

    kind: str
    rows: int
    columns: int
    way: str


class Job(TypedDict):
    """One run of one client in one process."""

    action: str
    """`describe`, `populate` or `measure`."""
    client: str
    mode: str
    concurrency: int
    shape: Work
    seeds: list[tuple[str, int]]
    namespace: str
    set: str
    keys: int
    bins: str
    workload: str
    warmup: float
    duration: float
    sample_every: int
    seed: int
    cpus: list[int]
    server_pid: int | None
    package: NotRequired[str]
    """The folder in which the package lies that is to be loaded, for a build of our own client."""
    processes: NotRequired[int]
    """At once, each with so many calls in flight."""
    loops: NotRequired[int]
    """Event loops, each in a thread; without it, the one of an asyncio client."""
    work: NotRequired[int]
    """Microseconds of Python with each command."""
    services_alternate: NotRequired[bool]
    """Whether the client asks the nodes for their alternate addresses."""
    access: NotRequired[dict[str, Any]]
    """How it is let in: what `Access.of_job` reads; never saved."""
    max_ops: NotRequired[int]
    """Operations after which the measurement ends, if its time is not over before."""
    distribution: NotRequired[str]
    """Of the keys of single records; without it they are uniform."""
    misses: NotRequired[float]
    """Percentage of the reads that are of keys that are not there."""
    next_key: NotRequired[int]
    """The first key that is inserted where a workload inserts; without it, `keys`."""
    open: NotRequired[Asked]
    """Calls begin at a rate, however long they take; without it, in a closed loop."""
    between: NotRequired[list[int]]
    """The least and the greatest value that an index query selects; without it, whole sets are
    read."""
    verify: NotRequired[bool]
    """Whether every record of one more scan is looked at behind the window."""
    beside: NotRequired[str]
    """What runs in the same process: a kind of `companion`."""
    lines: NotRequired[bool]
    """Whether every second is to be told when it is over."""
    part: NotRequired[int]
    """Which of several processes this is, from 0 on."""
    histograms: NotRequired[bool]
    """Whether the result is to have them for each interval."""


class Python(TypedDict):
    """The interpreter of a worker."""

    version: str
    build: str
    implementation: str
    free_threaded: bool
    gil: bool


def version_of(python: Python) -> str:
    """The interpreter's version, marked as vendors do where it is free-threaded: `3.14.0t`."""
    return python["version"] + ("t" if python["free_threaded"] else "")


class Description(TypedDict):
    """Whether a client can be used, which version it is, and where it runs."""

    client: str
    unavailable: str | None
    version: str | None
    python: Python | None


class Cpu(TypedDict):
    """Seconds of processor time within the window."""

    user: float
    system: float


class Switches(TypedDict):
    """Context switches of the client's process within the window."""

    voluntary: int
    involuntary: int


class Latency(TypedDict):
    """Sampled latencies in nanoseconds: base64 HDR V2 histograms, and the exact maximum."""

    read: str
    write: str
    samples: int
    overwritten: int
    max_ns: int
    within: NotRequired[dict[str, int]]
    """Samples that took so many milliseconds at the most; Node.js alone."""


class Memory(TypedDict):
    """Peak resident bytes: before the client was imported, when it was ready, at the end; and in
    column tables how far the first call alone took it."""

    bare: int
    ready: int
    peak: int
    call: NotRequired[int | None]


class Each(TypedDict):
    """What one of several processes did."""

    operations: int
    rate: float
    cpu: Cpu
    memory: Memory
    pacing: NotRequired[float]
    """Seconds of processor time that beginning a call takes in it; of open loops."""


class LoopDelay(TypedDict):
    """By how many nanoseconds timers of an event loop were late."""

    p50: float
    p99: float
    max: float


class Served(TypedDict, total=False):
    """What not every result has; `served` and `server_threads` are added by the lab itself."""

    build: Build
    """Of our package, where the process has loaded it."""

    loop_delay: LoopDelay
    """Node.js alone."""

    timeouts: int
    """Of the errors, those that a client's error calls so."""
    rate: float
    """Of closed loops: `operations` each second, of every worker until the end of its own last
    call, and all of them together."""
    opened: int
    """When the window opened, on the clock that all processes of a machine share; of one of several
    processes."""
    apart: float
    """Seconds between the first opening of a window and the last, of several processes."""
    each: list[Each]
    """The several processes, of which everything else is the sum."""
    series: Series
    """Of closed loops and open ones."""
    served: int
    """Records that the embedded cluster read and wrote in the whole run, warm-up included."""
    misses: int
    """Reads that found no record, where reads may: they count as operations like any other."""
    next_key: int
    """The first key that is not there yet, after a workload that inserts."""
    shares: dict[str, float]
    """Of each verb in the streams, where there are more than reads and writes; `miss` is a read of
    a key that is not there."""
    server_threads: int
    """How many of the embedded cluster's threads can work at once."""
    server_busiest: float
    """Seconds that the busiest of its threads worked within the window."""
    server_remote: bool
    """Whether no server is on this machine, so that no other program's time is a server's."""
    open: Given
    """Of open loops alone; `latency` then has response times."""
    beside: Beside
    """Of jobs that ask for it; `cpu` then includes it."""


@final
class Result(Served):
    """What one measured run gave."""

    client: str
    version: str
    mode: str
    concurrency: int
    loop: str | None
    python: Python | None
    elapsed: float
    operations: int
    """Of successful calls; in batches each record is one."""
    errors: int
    """Calls that failed."""
    first_error: str | None
    cpu: Cpu
    server_cpu: float | None
    machine_cpu: float | None
    """Busy seconds of all processors within the window, all processes together."""
    switches: Switches
    latency: Latency
    memory: Memory
    cpus: list[int]
    load_average: list[float]


@final
class Failure(TypedDict):
    """What is said instead when a run could not be made."""

    failed: str


def failure_of(answer: Mapping[str, object], required: frozenset[str]) -> Failure | None:
    """Why a worker's answer is no result: it says so, or lacks some of what a result has."""
    if "failed" in answer:
        return Failure(failed=str(answer["failed"]))
    missing = required - answer.keys()
    if missing:
        return Failure(failed=f"the worker's answer lacks {', '.join(sorted(missing))}")
    return None
