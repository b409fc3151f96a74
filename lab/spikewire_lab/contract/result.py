"""The JSON of a worker's job and of its result, for Python and Rust alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import NotRequired

    from .build import Build
    from .open import OpenLoad, OpenResult
    from .series import Series


class Work(TypedDict):
    """The fields of a `Shape`: what one call does."""

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
    server_pids: NotRequired[list[int]]
    """Instead of `server_pid` for a server of several processes; only clients in Python use it."""
    package: NotRequired[str]
    """The folder of the package to load, for a build of our own client."""
    processes: NotRequired[int]
    """Processes at the same time, each with the job's number of calls in flight."""
    loops: NotRequired[int]
    """Event loops, each in a thread; without it, the single one of an asyncio client."""
    work: NotRequired[int]
    """Microseconds of Python code run with each command."""
    services_alternate: NotRequired[bool]
    """Whether the client asks the nodes for their alternate addresses."""
    access: NotRequired[dict[str, Any]]
    """Login and TLS, as `Access.of_job` reads them; never saved."""
    max_ops: NotRequired[int]
    """Operations after which the measurement ends, unless its time is over first."""
    distribution: NotRequired[str]
    """The distribution of the keys of single records; uniform without it."""
    misses: NotRequired[float]
    """Percentage of the reads that use missing keys."""
    sparse: NotRequired[bool]
    """Whether the set is empty at first, and reads that find no record are no errors."""
    next_key: NotRequired[int]
    """The first key to insert, for workloads that insert; without it, `keys`."""
    open: NotRequired[OpenLoad]
    """Calls begin at a rate, however long they take; without it, a closed loop."""
    between: NotRequired[list[int]]
    """The lowest and the highest value that an index query selects; without it, whole sets are
    read."""
    verify: NotRequired[bool]
    """Whether every record of an additional scan after the window is checked."""
    beside: NotRequired[str]
    """What else runs in the same process: a kind of `background_load`."""
    lines: NotRequired[bool]
    """Whether to report every second when it is over."""
    part: NotRequired[int]
    """Index of this process among several, from 0."""
    histograms: NotRequired[bool]
    """Whether the result includes histograms of each interval."""


class Python(TypedDict):
    """The interpreter of a worker."""

    version: str
    build: str
    implementation: str
    free_threaded: bool
    gil: bool


def version_of(python: Python) -> str:
    """The interpreter's version, marked in the usual way if it is free-threaded: `3.14.0t`."""
    return python["version"] + ("t" if python["free_threaded"] else "")


class Description(TypedDict):
    """Whether a client can be used, its version, and its interpreter."""

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
    """Samples that took at most so many milliseconds; Node.js only."""


class Memory(TypedDict):
    """Peak resident bytes: before the client was imported, when it was ready, at the end; and for
    column tables the growth caused by the first call alone."""

    bare: int
    ready: int
    peak: int
    call: NotRequired[int | None]


class ProcessResult(TypedDict):
    """The result of one of several processes."""

    operations: int
    rate: float
    cpu: Cpu
    memory: Memory
    pacing: NotRequired[float]
    """Seconds of processor time to begin a call in it; open loops only."""


class LoopDelay(TypedDict):
    """The lateness of an event loop's timers in nanoseconds."""

    p50: float
    p99: float
    max: float


class OptionalFields(TypedDict, total=False):
    """Optional fields; `served` and `server_threads` are added by the lab itself."""

    build: Build
    """The build of our package, if the process has loaded it."""

    loop_delay: LoopDelay
    """Node.js only."""

    timeouts: int
    """The errors that the client's exceptions call timeouts."""
    rate: float
    """For closed loops: operations per second, summed over the workers, each until the end of its
    own last call."""
    opened: int
    """When the window opened, on the clock that all processes of a machine share; for one of
    several processes."""
    apart: float
    """Seconds between the first and the last opening of the windows of several processes."""
    each: list[ProcessResult]
    """The single processes, whose sums the other fields hold."""
    series: Series
    """For closed and open loops."""
    served: int
    """Records that the embedded cluster read and wrote in the whole run, warm-up included."""
    misses: int
    """Reads that found no record, if the workload has such reads: they count as operations."""
    next_key: int
    """The first key that does not exist yet, after a workload that inserts."""
    shares: dict[str, float]
    """The share of each verb in the streams, if there are more than reads and writes; `miss` is a
    read of a missing key."""
    server_threads: int
    """Threads of the embedded cluster that can work at the same time."""
    server_busiest: float
    """Busy seconds of its busiest thread within the window."""
    server_remote: bool
    """Whether no server is on this machine, so that other programs' time does not include a
    server's."""
    open: OpenResult
    """Open loops only; `latency` then has response times."""
    turn: dict[str, Any]
    """Round and place in it, processors, load and steal time around the run; added by the lab."""
    beside: BackgroundFigures
    """For jobs that ask for it; `cpu` then includes it."""


@final
class Result(OptionalFields):
    """The result of one measured run."""

    client: str
    version: str
    mode: str
    concurrency: int
    loop: str | None
    python: Python | None
    elapsed: float
    operations: int
    """Operations of successful calls; in batches each record is one."""
    errors: int
    """Failed calls."""
    first_error: str | None
    cpu: Cpu
    server_cpu: float | None
    machine_cpu: float | None
    """Busy seconds of all processors within the window, for all processes together."""
    switches: Switches
    latency: Latency
    memory: Memory
    cpus: list[int]
    load_average: list[float]


@final
class Failure(TypedDict):
    """Returned instead of a result if a run failed."""

    failed: str


def failure_of(answer: Mapping[str, object], required: frozenset[str]) -> Failure | None:
    """Why a worker's answer is not a result: it is a failure, or lacks fields of a result."""
    if "failed" in answer:
        return Failure(failed=str(answer["failed"]))
    missing = required - answer.keys()
    if missing:
        return Failure(failed=f"the worker's answer lacks {', '.join(sorted(missing))}")
    return None


class BackgroundFigures(TypedDict):
    """Part of a result: figures of what ran next to the client, alone and then together with it."""

    kind: str
    alone: NotRequired[str]
    """The lateness of the ticker in nanoseconds (base64 HDR V2)."""
    together: NotRequired[str]
    alone_rate: NotRequired[float]
    """Counts per second."""
    together_rate: NotRequired[float]
    together_cpu: NotRequired[float]
    """Seconds of processor time that it used, if the system reports that of a thread."""
