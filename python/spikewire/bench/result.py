"""The JSON that goes into a worker and the JSON that comes out, from Python and Rust alike."""

from __future__ import annotations

from typing import TypedDict, final


class Job(TypedDict):
    """One run of one client in one process."""

    action: str
    """`describe`, `populate` or `measure`."""
    client: str
    mode: str
    concurrency: int
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


class Memory(TypedDict):
    """Peak resident bytes: before the client was imported, when it was ready, at the end."""

    bare: int
    ready: int
    peak: int


class Served(TypedDict, total=False):
    """What the lab itself adds to a result."""

    served: int
    """Requests that the embedded cluster counted during the whole run, warm-up included."""


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
    errors: int
    first_error: str | None
    cpu: Cpu
    server_cpu: float | None
    machine_cpu: float | None
    """Busy seconds of all processors within the window, whoever used them."""
    switches: Switches
    latency: Latency
    memory: Memory
    cpus: list[int]
    load_average: list[float]


@final
class Failure(TypedDict):
    """What is said instead when a run could not be made."""

    failed: str
