"""The JSON that goes into a worker and the JSON that comes out, from Python and Rust alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, final

if TYPE_CHECKING:
    from typing_extensions import NotRequired


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
    processes: NotRequired[int]
    """At once; Node.js alone has more than one."""
    loops: NotRequired[int]
    """Event loops, each in a thread; without it, the one of an asyncio client."""
    work: NotRequired[int]
    """Microseconds of Python with each command."""


class Python(TypedDict):
    """The interpreter of a worker."""

    version: str
    build: str
    implementation: str
    free_threaded: bool
    gil: bool


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


class LoopDelay(TypedDict):
    """By how many nanoseconds timers of an event loop were late."""

    p50: float
    p99: float
    max: float


class Served(TypedDict, total=False):
    """What not every result has; `served` and `server_threads` are added by the lab itself."""

    loop_delay: LoopDelay
    """Node.js alone."""

    served: int
    """Records that the embedded cluster read and wrote in the whole run, warm-up included."""
    server_threads: int
    """How many threads the embedded cluster works with."""


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
