"""The JSON that comes out of a process that read a whole set."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast, final

from ..result import Cpu, Failure, LoopDelay, Python, failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import NotRequired


class Grown(TypedDict):
    """Resident bytes: when the client was ready to read, the most it came to, and the way there."""

    start: int
    peak: int
    exact: NotRequired[bool]
    """Whether the peak is the system's; if not, it is the highest point of the curve, since the
    system did not forget a higher one from before."""
    curve: list[tuple[float, int]]
    """Seconds since the start and resident bytes, ten times a second, warm-up included."""


class Added(TypedDict, total=False):
    """What not every result has; `server_threads` is added by the lab itself."""

    server_threads: int
    """How many of the embedded cluster's threads can work at once."""
    server_busiest: float
    """Seconds that the busiest of its threads worked within the window."""
    checked: str
    """How every record of one more scan, behind the window, was looked at: `by key`, `by content`,
    or why not."""
    loop: str
    """What ran it, where that is not Python."""
    loop_delay: LoopDelay
    """Node.js alone."""


@final
class ScanResult(Added):
    """What one run gave."""

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
    memory: Grown
    load_average: list[float]


Outcome = ScanResult | Failure


def as_scan(answer: Mapping[str, object]) -> Outcome:
    """Distinguish a result from a failure, and refuse anything that is neither."""
    return failure_of(answer, ScanResult.__required_keys__) or cast("ScanResult", answer)
