"""Rounds, for comparisons of all kinds: the order of cells, progress, what an interruption leaves,
and how many calls may fail."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from ..plan import SkippedClient

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from .progress import Progress

C = TypeVar("C")
T = TypeVar("T")


class Lab(Protocol):
    def run(self, command_line: Sequence[str]) -> None: ...


class Interruptible(Protocol):
    interrupted: bool


@dataclass(frozen=True)
class Rounds:
    """In every round each cell has its turn, and then the next round begins."""

    number: int
    seed: int
    """Determines the order in each round."""
    progress: Progress
    pause: float = 0.0
    """Seconds before each turn."""

    def expect(self, cells: int) -> None:
        """Announces the number of cells, of all rounds to come, to the progress display."""
        self.progress.expect(cells * self.number)

    def measure(
        self,
        cells: Sequence[C],
        turn: Callable[[C], str],
        prepare: Callable[[C], object] | None = None,
    ) -> None:
        """Measures each cell once in every round. `turn` stores its result and returns it in a few
        words; `prepare` runs before the pause."""
        for number in range(self.number):
            for cell in shuffled(cells, self.seed, number):
                self.progress.running(f"{cell} (round {number + 1})")
                if prepare is not None:
                    prepare(cell)
                time.sleep(self.pause)
                self.progress.done(f"{cell}, round {number + 1}: {turn(cell)}")


@dataclass(frozen=True)
class AnswerCache:
    """Answers that hold for the duration of a command, such as whether a client is installed: each
    question is asked once, however many comparisons the command makes."""

    _known: dict[Hashable, Any] = field(default_factory=dict["Hashable", Any])

    def __call__(self, question: Hashable, ask: Callable[[], T]) -> T:
        if question not in self._known:
            self._known[question] = ask()
        return cast("T", self._known[question])


@dataclass(frozen=True)
class Usable:
    """Which cells can be measured: checked once, and reported if not."""

    skipped: list[SkippedClient]
    progress: Progress
    _known: dict[Hashable, bool] = field(default_factory=dict["Hashable", bool])

    def __call__(
        self,
        alike: Hashable,
        client: str,
        mode: str,
        interpreter: str,
        reason: Callable[[], str | None],
    ) -> bool:
        """Whether there is no reason against it; the answer applies to all that are `alike`."""
        if alike not in self._known:
            why = reason()
            self._known[alike] = why is None
            if why is not None:
                self.skip(SkippedClient(client, mode, interpreter, why))
        return self._known[alike]

    def skip(self, skipped: SkippedClient) -> None:
        """Reports what is left out."""
        self.skipped.append(skipped)
        self.progress.skipped(skipped)


def until_interrupted(lab: Lab, results: Interruptible, command_line: Sequence[str]) -> None:
    """Runs a comparison. Ctrl-C ends it early: its results so far are kept and marked as
    interrupted."""
    try:
        lab.run(command_line)
    except KeyboardInterrupt:
        results.interrupted = True


def shuffled(cells: Sequence[C], seed: int, number: int) -> list[C]:
    """The cells of a round in random order, so that none always follows the same one."""
    mixed = list(cells)
    random.Random(f"round/{seed}/{number}").shuffle(mixed)  # noqa: S311 - repeatable, not secret
    return mixed
