"""The calls of one run: when each was due, began and ended, and the results derived from that."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...contract.open import OVERTIME, PACING_SECONDS
from ...measure import encode
from ...series.calls import FAILED, LATE, EndedCalls
from ...work.mix import READING
from ..drivers import Outcome, is_timeout, share
from .schedule import NS, held, offsets, overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...contract.open import OpenLoad, OpenResult
    from ...measure import Window
    from ...work import Operation
    from ..drivers import Load

NOT_YET = -1


def followed(window: Window, calls: Calls) -> None:
    """Sums these calls by the intervals of the window."""
    if window.timeline is not None:
        window.timeline.sources.append(EndedCalls(calls))


@dataclass
class OpenOutcome(Outcome):
    """The results of all workers, with response times as latencies."""

    open: OpenResult | None = None


def _due(open_load: OpenLoad, load: Load, seconds: float, seed: str) -> array[int]:
    """The due times of this process's share of the calls."""
    due = offsets(open_load["rate"], seconds, open_load["arrivals"], seed)
    return due[load.part :: load.processes]


def dealt(calls: Calls, most: int, parts: int = 1) -> list[tuple[Sequence[int], int]]:
    """Deals the calls, and the number that may be outstanding, out in turns."""
    count = len(calls.due)
    return [(range(part, count, parts), share(most, part, parts)) for part in range(parts)]


@dataclass(frozen=True)
class Pacing:
    """The cost of starting calls that do nothing."""

    calls: int
    cpu: float
    """Seconds of processor time."""

    @staticmethod
    def of(calls: Calls, window: Window) -> Pacing:
        """The cost measured by `window`, which was open during these calls."""
        used = window.used
        assert used is not None
        return Pacing(len(calls.due), used.user + used.system)


@dataclass
class Calls:
    """One phase of a run. Workers of any thread write to `begun`, `ended` and `failures` at the
    index of their call."""

    due: array[int]
    """Due times in nanoseconds from the start, ascending."""
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
    def of(open_load: OpenLoad, load: Load, seconds: float, seed: str) -> Calls:
        due = _due(open_load, load, seconds, seed)
        operations: list[Operation] = []
        for number in range(load.workers):
            for first, others in load.blocks(number):
                operations += (first, *others)
            if len(operations) >= len(due):
                break
        return Calls(due, operations, seconds)

    @staticmethod
    def idle(open_load: OpenLoad, load: Load, seed: str) -> Calls:
        """A phase whose calls do nothing, to measure the cost of pacing."""
        seconds = min(load.duration, PACING_SECONDS)
        return Calls(_due(open_load, load, seconds, seed), [(0, None)], seconds)

    def begin(self, now: int) -> None:
        self.start = now

    @property
    def has_begun(self) -> bool:
        return self.start != NOT_YET

    @property
    def end(self) -> int:
        """The earliest time at which the window closes, even if all replies have arrived."""
        return self.start + round(self.seconds * NS)

    @property
    def limit(self) -> int:
        """The time after which no call begins any more."""
        return self.end + round(self.seconds * OVERTIME * NS)

    def failed(self, at: int, error: BaseException) -> None:
        self.failures[at] = LATE if is_timeout(error) else FAILED
        if self.outcome.first_error is None:
            self.outcome.first_error = f"{type(error).__name__}: {error}"

    def finish(
        self,
        open_load: OpenLoad,
        shares: Sequence[tuple[Sequence[int], int]],
        now: int,
        pacing: Pacing,
    ) -> OpenOutcome:
        """The results at the end of the window. `shares`: the parts that were dealt out."""
        outcome = self.outcome
        outcome.timeouts = self.failures.count(LATE)
        outcome.errors = self.failures.count(FAILED) + outcome.timeouts
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
            "rate": open_load["rate"],
            "arrivals": open_load["arrivals"],
            "scheduled": len(due),
            "unsent": len(due) - len(sent),
            "service": encode(service),
            "service_max_ns": max(service, default=0),
            "late": encode(late),
            "late_max_ns": max(late, default=0),
            "outstanding_most": overlap(begun, ended),
            "held": sum(self._held(numbers, most) for numbers, most in shares),
            "pacing_calls": pacing.calls,
            "pacing_cpu": pacing.cpu,
        }
        return outcome

    def response(self, at: int) -> int:
        """Response time of a call that has ended; negative for a write."""
        response = self.ended[at] - self.start - self.due[at]
        return response if self._reads(at) else -response

    def _held(self, numbers: Sequence[int], most: int) -> int:
        """The calls among these that were due while the maximum number was outstanding."""
        sent = [at for at in numbers if self.begun[at] != NOT_YET]
        due = [self.start + self.due[at] for at in sent]
        return held(due, [self.begun[at] for at in sent], [self.ended[at] for at in sent], most)

    def _keep(self, at: int, response: int) -> None:
        (self.outcome.reads if self._reads(at) else self.outcome.writes).append(response)

    def _reads(self, at: int) -> bool:
        operation = self.operations[at % len(self.operations)]
        return operation[2] in READING if len(operation) > 2 else operation[1] is None
