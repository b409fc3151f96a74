"""The rules of all comparisons: order of rounds, skipped clients, interruptions, errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from spikewire_lab.plan import SkippedClient
from spikewire_lab.run.progress import Progress
from spikewire_lab.run.rounds import Rounds, Usable, shuffled, until_interrupted
from spikewire_lab.table.figures import error_share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass
class Outcomes:
    done: list[str] = field(default_factory=list[str])
    interrupted: bool = False


@dataclass
class Lab:
    outcomes: Outcomes
    rounds: Rounds
    turn: Callable[[str], dict[str, str]]

    def run(self, command_line: Sequence[str]) -> None:
        assert command_line == ["spikewire", "compare"]
        self.rounds.measure("abc", self.turn, lambda *_: "")


def test_each_cell_has_one_turn_in_every_round(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[str] = []

    def turn(cell: str) -> dict[str, str]:
        steps.append(cell)
        return {"cell": cell}

    def keep(cell: str, outcome: dict[str, str]) -> str:
        assert outcome["cell"] == cell
        return f"measured {cell}"

    rounds = Rounds(3, 1, Progress(bar=False))
    rounds.expect(4)
    rounds.measure("abcd", turn, keep, lambda cell: steps.append(f"before {cell}"))
    assert steps[::2] == [f"before {cell}" for cell in steps[1::2]]
    cells = "".join(steps[1::2])
    each = [cells[at : at + 4] for at in (0, 4, 8)]
    assert each == ["".join(shuffled("abcd", 1, number)) for number in range(3)]
    assert {"".join(sorted(one)) for one in each} == {"abcd"}
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith(f"{each[0][0]}, round 1: measured {each[0][0]}")
    assert lines[-1].startswith("[12/12]")


def test_an_interruption_keeps_what_was_finished() -> None:
    outcomes = Outcomes()

    def turn(cell: str) -> dict[str, str]:
        if len(outcomes.done) == 4:
            raise KeyboardInterrupt
        outcomes.done.append(cell)
        return {}

    until_interrupted(
        Lab(outcomes, Rounds(2, 1, Progress(bar=False)), turn), outcomes, ["spikewire", "compare"]
    )
    assert outcomes.interrupted
    assert len(outcomes.done) == 4
    assert set(outcomes.done[:3]) == set("abc")


def test_unavailable_clients_are_checked_and_reported_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls: list[str] = []
    skipped: list[SkippedClient] = []

    def missing() -> str:
        calls.append("missing")
        return "is not installed"

    usable = Usable(skipped, Progress(bar=False))
    for _ in range(2):
        assert not usable(("a", 1), "a", "sync", "", missing)
        assert usable("b", "b", "sync", "", lambda: None)
    assert calls == ["missing"]
    assert skipped == [SkippedClient("a", "sync", "", "is not installed")]
    assert capsys.readouterr().err.count("skipped: a sync: is not installed") == 1


@pytest.mark.parametrize(
    ("errors", "calls", "share"), [(0, 0, 0), (0, 9, 0), (1, 9, 0.1), (2, 0, 1)]
)
def test_error_share_divides_errors_by_calls(errors: int, calls: int, share: float) -> None:
    assert error_share(errors, calls) == share
