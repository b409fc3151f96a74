"""The JSON of a worker's job and of its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, cast, final

from .result import failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import NotRequired

    from .result import Cpu, Failure, Python, Switches


class CqlJob(TypedDict):
    """One cell in one process."""

    action: str
    step: str
    """`describe`, `populate` or `measure`."""
    client: str
    operation: str
    pattern: str
    threads: int
    depth: int
    host: str
    port: int
    canned: bool
    """Whether the server generates the rows itself."""
    keys: int
    seed: int
    warmup: float
    duration: float
    server_pid: int | None
    cpus: list[int]
    processes: NotRequired[int]
    """Processes under load at the same time, this one included; 1 without it."""
    part: NotRequired[int]
    """Which of them this is."""
    statements: NotRequired[dict[str, str]]
    """For Node.js and Rust: the statement of each operation."""
    columns: NotRequired[list[str]]
    """For Node.js and Rust: the columns of a row of a page."""
    page: NotRequired[dict[str, int]]
    """For Node.js and Rust: the `partition` of the rows of a page, their number (`rows`), and the
    page `size` to ask for."""
    payload: NotRequired[int]
    """For Node.js and Rust: bytes of an item's blob."""
    access: NotRequired[dict[str, Any]]
    """Login and TLS, as `Access.of_job` reads them; never saved."""


class CqlMemory(TypedDict):
    """Peak resident bytes: when the client was ready, and at the end."""

    ready: int
    peak: int


class CqlOpening(TypedDict, total=False):
    """When the measurement began, of clients for Python."""

    opened: int
    """When the window was opened, in nanoseconds of the clock that processes share."""
    apart: float
    """Of several processes: seconds between the first and the last opening."""


@final
class CqlResult(CqlOpening):
    """The result of one measured run."""

    client: str
    version: str
    protocol: str
    row_type: str
    loop: str | None
    python: Python | None
    """The interpreter; None for clients for Node.js and Rust."""
    elapsed: float
    operations: int
    """Operations of successful calls; in pages each row is one."""
    errors: int
    timeouts: int
    """The errors whose exception is a timeout by name."""
    first_error: str | None
    cpu: Cpu
    server_cpu: float | None
    machine_cpu: float | None
    switches: Switches
    memory: CqlMemory
    cpus: list[int]
    load_average: list[float]


def as_cql(answer: Mapping[str, Any]) -> CqlResult | Failure:
    """Tells a result from a failure, and rejects anything else."""
    return failure_of(answer, CqlResult.__required_keys__) or cast("CqlResult", answer)
