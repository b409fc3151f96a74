"""The calls of one run: when each was due, began and ended, and what follows from that."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..measure import encode
from ..series.ended import FAILED, LATE, Ended
from ..work.mix import READING
from ..worker.drivers import Outcome, is_timeout
from .contract import OVERTIME
from .schedule import NS, held, offsets, overlap

if TYPE_CHECKING:
    from ..measure import Window
    from ..work import Operation
    from ..worker.drivers import Load
    from .contract import Asked, Given

NOT_YET = -1


def followed(window: Window, calls: Calls) -> None:
    """What comes of these calls is summed by the window's intervals."""
    if window.timeline is not None:
        window.timeline.sources.append(Ended(calls))


@dataclass
class OpenOutcome(Outcome):
    """What all workers did, with response times as latencies."""

    open: Given | None = None


@dataclass
class Calls:
    """One phase of a run. Workers write to `begun` and `ended` at their call's number."""

    due: array[int]
    """Nanoseconds from the start, ascending."""
    operations: list[Operation]
    seconds: float
    outcome: OpenOutcome = field(default_factory=OpenOutcome)
    start: int = NOT_YET
    """On the clock of `begun` and `ended`, which hold -1 for what has not happened."""

    def __post_init__(self) -> None:
        self.begun = array("q", [NOT_YET]) * len(self.due)
        self.ended = array("q", [NOT_YET]) * len(self.due)
        self.failures = bytearray(len(self.due))

    @staticmethod
    def of(asked: Asked, load: Load, seconds: float, seed: str) -> Calls:
        due = offsets(asked["rate"], seconds, asked["arrivals"], seed)
        operations: list[Operation] = []
        for number in range(load.workers):
            for first, others in load.blocks(number):
                operations += (first, *others)
            if len(operations) >= len(due):
                break
        return Calls(due, operations, seconds)

    def begin(self, now: int) -> None:
        self.start = now

    @property
    def end(self) -> int:
        """Until when the window is open even if all replies are there."""
        return self.start + round(self.seconds * NS)

    @property
    def limit(self) -> int:
        """From when on no call begins any more."""
        return self.end + round(self.seconds * OVERTIME * NS)

    def failed(self, at: int, error: BaseException) -> None:
        self.failures[at] = LATE if is_timeout(error) else FAILED
        self.outcome.failed(error)

    def finish(self, asked: Asked, most: int, now: int) -> OpenOutcome:
        """What came of it, with at most so many calls at once, at the end of the window."""
        outcome = self.outcome
        sent = [at for at, instant in enumerate(self.begun) if instant != NOT_YET]
        good = [at for at in sent if not self.failures[at]]
        due = [self.start + instant for instant in self.due]
        begun, ended = [self.begun[at] for at in sent], [self.ended[at] for at in sent]
        outcome.tried = len(sent)
        for at in good:
            self._keep(at, self.ended[at] - due[at])
        for at, instant in enumerate(self.begun):
            if instant == NOT_YET:
                self._keep(at, now - due[at])
        service = [self.ended[at] - self.begun[at] for at in good]
        late = [self.begun[at] - due[at] for at in good]
        outcome.open = {
            "rate": asked["rate"],
            "arrivals": asked["arrivals"],
            "scheduled": len(due),
            "unsent": len(due) - len(sent),
            "service": encode(service),
            "service_max_ns": max(service, default=0),
            "late": encode(late),
            "late_max_ns": max(late, default=0),
            "outstanding_most": overlap(begun, ended),
            "held": held([due[at] for at in sent], begun, ended, most),
        }
        return outcome

    def response(self, at: int) -> int:
        """Of a call that has ended; of a write negative."""
        response = self.ended[at] - self.start - self.due[at]
        return response if self._reads(at) else -response

    def _keep(self, at: int, response: int) -> None:
        (self.outcome.reads if self._reads(at) else self.outcome.writes).append(response)

    def _reads(self, at: int) -> bool:
        operation = self.operations[at % len(self.operations)]
        return operation[2] in READING if len(operation) > 2 else operation[1] is None
