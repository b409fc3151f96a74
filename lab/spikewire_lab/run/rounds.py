"""Rounds, for comparisons of all kinds: the order of cells, progress, what an interruption leaves,
and how many calls may fail."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from ..plan import SkippedClient
from .journal import ENVIRONMENT, Journal, TimeOverError
from .placement import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

    from .progress import Progress

C = TypeVar("C")
T = TypeVar("T")


S = TypeVar("S")


class Lazy(Generic[S]):
    """Something that is made when it is needed first, and only then."""

    def __init__(self, make: Callable[[], S]) -> None:
        self._make = make
        self._value: S | None = None

    def __call__(self) -> S:
        if self._value is None:
            self._value = self._make()
        return self._value


class Lab(Protocol):
    def run(self, command_line: Sequence[str]) -> None: ...


class Interruptible(Protocol):
    interrupted: bool


class NotSelectedError(Exception):
    """None of the rows is among those that the command is to measure."""


MORE_ROUNDS = 3
"""Rounds go on up to this many times their least number, if ratios are not precise before."""


class Rounds:
    """In every round each cell has its turn, in an order drawn for the round, and then the next
    round begins. After the least number of rounds, only cells that are still undecided go on."""

    def __init__(
        self,
        number: int,
        seed: int,
        progress: Progress,
        pause: float = 0.0,
        journal: Journal | None = None,
        most: int | None = None,
    ) -> None:
        """`seed` determines the order in each round, `pause` the seconds before each turn. `most`
        is the highest number of rounds; by default there are as many as `number`. Turns that the
        journal knows are not taken again."""
        self.number, self.most = number, max(number, most or number)
        self.seed, self.pause = seed, pause
        self._progress = progress
        self.journal = Journal() if journal is None else journal
        self._name = self.journal.begin_comparison()
        self.server_pids: Callable[[], Sequence[int]] = tuple
        """Processes of the server, once it runs."""

    def expect(self, cells: int) -> None:
        """Announces the number of cells, of all rounds to come, to the progress display."""
        self._progress.expect(cells * self.number)

    def environment(self, describe: Callable[[], dict[str, object]]) -> dict[str, object]:
        """That of the first command that measured here; later ones only go on."""
        known = self.known(ENVIRONMENT)
        if not known:
            known = describe()
            self.remember(ENVIRONMENT, known)
        return known

    def known_environment(self) -> dict[str, object]:
        """The same, empty if nothing was measured yet."""
        return self.known(ENVIRONMENT)

    def known(self, name: str) -> dict[str, Any]:
        """What `remember` has kept under this name; empty if it has not."""
        return self.journal.get(f"{self._name}|{name}") or {}

    def remember(self, name: str, facts: Mapping[str, Any]) -> None:
        """Keeps facts beside the measurements."""
        self.journal.keep(f"{self._name}|{name}", facts)

    def check(self, cells: Sequence[object]) -> None:
        """Raises `NotSelectedError` if none of these is to be measured now, and none was before."""
        for cell in cells:
            first = self.journal.get(self._key(0, cell))
            if first is not None or self.journal.wants(str(cell)):
                return
        raise NotSelectedError

    def _key(self, number: int, cell: object) -> str:
        return f"{self._name}|{number}|{cell!r}"

    def measure(
        self,
        cells: Sequence[C],
        turn: Callable[[C], Mapping[str, Any]],
        keep: Callable[[C, Any], str],
        prepare: Callable[[C], object] | None = None,
        undecided: Callable[[], Collection[C]] | None = None,
    ) -> None:
        """Measures each cell once in every round. `turn` measures it, `keep` stores the result and
        returns it in a few words; `prepare` runs before the pause. `undecided` has the cells that
        need further rounds.

        Raises `TimeOverError` after the last turn that the journal's time allows.
        """
        late = False
        pending = [
            cell
            for number in range(self.number)
            for cell in cells
            if self.journal.get(self._key(number, cell)) is None and self.journal.wants(str(cell))
        ]
        if len(pending) < len(cells) * self.number:
            self._progress.expect(len(pending))
        for number in range(self.most):
            those: Collection[C] = cells
            if number >= self.number:
                those = () if late or undecided is None else undecided()
                if not those:
                    break
                self._progress.more(
                    sum(self.journal.get(self._key(number, cell)) is None for cell in those)
                )
            for place, cell in enumerate(shuffled(cells, self.seed, number)):
                if cell not in those:
                    continue
                known = self.journal.get(self._key(number, cell))
                if known is None:
                    if late or not self._may(cell):
                        late = late or not self._in_time()
                        continue
                    known = self._measured(cell, turn, prepare, number, place)
                    self._progress.done(f"{cell}, round {number + 1}: {keep(cell, known)}")
                else:
                    keep(cell, known)
        if late:
            raise TimeOverError

    def _may(self, cell: object) -> bool:
        if not self.journal.wants(str(cell)):
            self.journal.skipped_rows += 1
            return False
        return self._in_time()

    def _in_time(self) -> bool:
        try:
            self.journal.check_time()
        except TimeOverError:
            return False
        return True

    def _measured(
        self,
        cell: C,
        turn: Callable[[C], Mapping[str, Any]],
        prepare: Callable[[C], object] | None,
        number: int,
        place: int,
    ) -> dict[str, Any]:
        self._progress.running(f"{cell} (round {number + 1})")
        if prepare is not None:
            prepare(cell)
        time.sleep(self.pause)
        watch = Watch(self.server_pids())
        outcome = dict(turn(cell))
        outcome["turn"] = {"round": number + 1, "place": place + 1, **watch.ended()}
        self.journal.keep(self._key(number, cell), outcome)
        return outcome


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
    interrupted. So does the end of its time, which then ends whatever else is to be measured."""
    try:
        lab.run(command_line)
    except (KeyboardInterrupt, TimeOverError):
        results.interrupted = True


def shuffled(cells: Sequence[C], seed: int, number: int) -> list[C]:
    """The cells of a round in random order, so that none always follows the same one."""
    mixed = list(cells)
    random.Random(f"round/{seed}/{number}").shuffle(mixed)  # noqa: S311 - repeatable, not secret
    return mixed
