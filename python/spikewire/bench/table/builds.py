"""What another build of our package does beside the one that is installed, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..clients.registry import base_of, build_of
from ..noise import UNCHANGED, Figure, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .summary import Line, Spread


def compared(lines: Sequence[Line]) -> list[str]:
    """Of lines that are compared with each other, each build beside the first build of its client:
    the installed one where that was measured."""
    return [text for line in lines for text in _beside(line, lines)]


def _beside(line: Line, lines: Sequence[Line]) -> Iterator[str]:
    if not build_of(line.cell.client):
        return
    base = base_of(line.cell.client)
    same = [other for other in lines if _alike(other, line) and base_of(other.cell.client) == base]
    first = min(same, key=lambda other: bool(build_of(other.cell.client)))
    if first is line:
        return
    parts = [
        _ratio("op/s", line.rate, first.rate, line, first, more=True),
        _ratio("CPU", line.cpu, first.cpu, line, first, more=False),
    ]
    said = ", ".join(part for part in parts if part)
    if said:
        work = f"{line.cell.shape}".strip()
        where = f", {work}" if work else ""
        yield f"{line.cell.client} over {first.cell.client}{where}: {said}"


def _alike(one: Line, other: Line) -> bool:
    return replace(one.cell, client="") == replace(other.cell, client="")


def _ratio(
    what: str, one: Spread | None, other: Spread | None, line: Line, first: Line, *, more: bool
) -> str:
    if one is None or other is None or not other.median:
        return ""
    found = verdict(_figure(other, first.rounds), _figure(one, line.rounds), more=more)
    single = min(line.rounds, first.rounds) < 2
    known = "of unknown noise" if single else "within noise" if found == UNCHANGED else found
    return f"{what} {one.median / other.median:.3f} ({known})"


def _figure(spread: Spread, rounds: int) -> Figure:
    if rounds < 2:
        return Figure(spread.median, None, None)
    return Figure(spread.median, spread.low, spread.high)
