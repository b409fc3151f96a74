"""Other builds of our package compared with the installed one, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..clients.registry import base_of, build_of
from ..noise import UNTOLD, Figure, Pair, in_words, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .figures import Spread
    from .line import Line


def compared(lines: Sequence[Line]) -> list[str]:
    """For lines that are compared with each other: each build relative to the first build of its
    client, which is the installed one if that was measured."""
    return ratio_texts([ratio for line in lines for ratio in _beside(line, lines)])


def ratio_texts(ratios: Sequence[Ratio]) -> list[str]:
    """Ratios of one comparison in words, grouped by builds and work."""
    texts: dict[str, list[str]] = {}
    for ratio, judged in zip(ratios, judge([ratio.pair for ratio in ratios]), strict=True):
        known = judged.verdict
        if judged.verdict == UNTOLD:
            known += f" with {in_words(ratio.pair.rounds)}, {judged.needed} needed"
        over = ratio.pair.after.value / ratio.pair.before.value
        texts.setdefault(ratio.builds, []).append(f"{ratio.what} {over:.3f} ({known})")
    return [f"{builds}: {', '.join(parts)}" for builds, parts in texts.items()]


class Ratio(NamedTuple):
    """A figure of a build relative to that of the first build."""

    builds: str
    """Both builds, and their work."""
    what: str
    pair: Pair


def _beside(line: Line, lines: Sequence[Line]) -> Iterator[Ratio]:
    if not build_of(line.cell.client):
        return
    base = base_of(line.cell.client)
    same = [other for other in lines if _alike(other, line) and base_of(other.cell.client) == base]
    first = min(same, key=lambda other: bool(build_of(other.cell.client)))
    if first is line:
        return
    work = f"{line.cell.shape}".strip()
    builds = f"{line.cell.client} over {first.cell.client}{f', {work}' if work else ''}"
    for what, before, after, more in (
        ("op/s", first.rate, line.rate, True),
        ("CPU", first.cpu, line.cpu, False),
    ):
        if before is not None and after is not None and before.median:
            yield Ratio(builds, what, Pair(_figure(before), _figure(after), more))


def _alike(one: Line, other: Line) -> bool:
    return replace(one.cell, client="") == replace(other.cell, client="")


def _figure(spread: Spread) -> Figure:
    return Figure(spread.median, len(spread.values), spread.values)
