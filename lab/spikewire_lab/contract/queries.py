"""The JSON result of a process that read a whole set."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast, final

from .result import Cpu, Failure, LoopDelay, Python, failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import NotRequired


class MemoryUse(TypedDict):
    """Resident bytes: when the client was ready to read, the peak, and the curve."""

    start: int
    peak: int
    exact: NotRequired[bool]
    """Whether the peak is the system's; if not, it is the highest point of the curve, since the
    system could not reset an earlier, higher peak."""
    curve: list[tuple[float, int]]
    """Seconds since the start and resident bytes, ten times a second, warm-up included."""


class OptionalFields(TypedDict, total=False):
    """Optional fields; `server_threads` is added by the lab itself."""

    server_threads: int
    """Threads of the embedded cluster that can work at the same time."""
    server_busiest: float
    """Busy seconds of its busiest thread within the window."""
    checked: str
    """How every record of an additional scan after the window was checked: `by key`, `by content`,
    or why not."""
    loop: str
    """The runtime, if it is not Python."""
    loop_delay: LoopDelay
    """Only for Node.js."""


@final
class ScanResult(OptionalFields):
    """The result of one run."""

    client: str
    version: str
    mode: str
    python: Python | None
    elapsed: float
    scans: int
    """Whole scans within the window."""
    records: int
    """Records of all these scans together."""
    cpu: Cpu
    server_cpu: float | None
    machine_cpu: float | None
    memory: MemoryUse
    load_average: list[float]


Outcome = ScanResult | Failure


def as_scan(answer: Mapping[str, object]) -> Outcome:
    """Tells a result from a failure, and rejects anything else."""
    return failure_of(answer, ScanResult.__required_keys__) or cast("ScanResult", answer)
