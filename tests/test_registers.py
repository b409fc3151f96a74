"""The check of stress that a history of transactions is serializable finds what is not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).parent.parent / "tools/stress/registers.py"
SPEC = importlib.util.spec_from_file_location("registers", PATH)
assert SPEC is not None
assert SPEC.loader is not None
registers: Any = importlib.util.module_from_spec(SPEC)
# Dataclasses look their module up.
sys.modules["registers"] = registers
SPEC.loader.exec_module(registers)


def done(tag: int, reads: dict[int, int], *writes: int, outcome: str = "committed") -> Any:
    return registers.Done(tag, outcome, reads, frozenset(writes))


def test_a_serial_history_is_fine() -> None:
    history = [
        done(1, {7: 0, 8: 0}, 7, 8),
        done(2, {7: 1, 8: 1}, 7),
        done(3, {7: 1, 8: 1}),
        done(4, {8: 1, 7: 2}, 8),
        done(5, {7: 2}, 7, outcome="aborted"),
        done(6, {7: 2}, 7, outcome="unknown"),
    ]
    assert registers.problems(history, {7: 2, 8: 4}) == []
    # The unknown one is committed if it is seen.
    assert registers.problems(history, {7: 6, 8: 4}) == []


@pytest.mark.parametrize(
    ("history", "final", "text"),
    [
        ([done(1, {7: 0}, 7), done(2, {7: 0}, 7)], {7: 2}, "1 and 2 both replaced 0"),
        ([done(1, {7: 0}, 7), done(2, {7: 1}, 7)], {7: 1}, "ends with 1, not 2"),
        ([done(1, {7: 0}, 7, outcome="aborted"), done(2, {7: 1})], {7: 0}, "1 was read and is ab"),
        ([done(1, {7: 5})], {7: 0}, "5 was read and never written"),
        # Each has read what the other has replaced.
        (
            [done(1, {7: 0, 8: 0}, 7), done(2, {7: 0, 8: 0}, 8)],
            {7: 1, 8: 2},
            "not serializable: ",
        ),
        # A reader that sees one write of a transaction and not the other.
        ([done(1, {7: 0, 8: 0}, 7, 8), done(2, {7: 1, 8: 0})], {7: 1, 8: 1}, "not serializable"),
    ],
)
def test_what_is_wrong_is_found(history: list[Any], final: dict[int, int], text: str) -> None:
    assert text in "; ".join(registers.problems(history, final))
