"""The differences between two reports: entries matched by name, and judged by one rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ...noise import (
    BETTER,
    THRESHOLD,
    UNTOLD,
    WORSE,
    Figure,
    Judgement,
    Pair,
    busier,
    in_words,
    judge,
    relative,
)
from ..report import MORE, Median

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..report import Heading, Report, Row


class Place(NamedTuple):
    """The position of an entry, the same in both reports. An entry with another unit is another
    place."""

    section: str
    table: str
    client: str
    label: str
    heading: str
    unit: str
    number: int = 0
    """Index among lines with the same name, in their order."""


@dataclass(frozen=True)
class Cell:
    """An entry with the data needed to judge it."""

    value: Median | float
    heading: Heading
    flawed: bool


@dataclass(frozen=True)
class Change:
    """An entry that both reports have."""

    place: Place
    heading: Heading
    before: Median
    after: Median
    judged: Judgement

    @property
    def relative(self) -> float:
        """The difference as a share of the old value; infinite if the old value is 0."""
        return relative(self.before.value, self.after.value)

    @property
    def verdict(self) -> str:
        return self.judged.verdict

    @property
    def rounds(self) -> int:
        """Rounds of the side that has fewer."""
        return min(figure(self.before).number, figure(self.after).number)

    @property
    def suspect(self) -> bool:
        """Whether it may have changed but there are too few rounds to tell."""
        return self.verdict == UNTOLD and abs(self.relative) > THRESHOLD


@dataclass(frozen=True)
class Changes:
    """All differences between two reports."""

    both: list[Change] = field(default_factory=list[Change])
    before_only: list[Place] = field(default_factory=list[Place])
    after_only: list[Place] = field(default_factory=list[Place])
    flawed: list[Place] = field(default_factory=list[Place])
    """In both, but flawed in one of them: not compared."""
    machine: str = ""
    """A remark that the machine was busier in one of them; empty if it was not."""
    whole: list[Place] = field(default_factory=list[Place])
    """In both, but computed from all rounds together, so that their noise is unknown."""

    def of(self, verdict: str) -> list[Change]:
        """Changes with this verdict, in the order of the reports."""
        return [one for one in self.both if one.verdict == verdict]

    @property
    def worse(self) -> bool:
        """Whether a figure got worse."""
        return bool(self.of(WORSE))

    @property
    def untold(self) -> bool:
        """Whether there were too few rounds, for a figure that may have changed or for all of
        them."""
        return any(one.suspect for one in self.both) or (
            bool(self.both) and len(self.of(UNTOLD)) == len(self.both)
        )

    def lacking(self) -> str:
        """A remark that there are too few rounds, for how many figures, and how many rounds are
        needed; empty if there are enough."""
        untold = [one for one in self.of(UNTOLD) if one.judged.needed]
        if not untold:
            return ""
        known = sorted({one.rounds for one in untold})
        rounds = " or ".join(map(in_words, known))
        return (
            f"cannot tell with {rounds}, {untold[0].judged.needed} needed of each side:"
            f" {len(untold)} of {len(self.both)} figures"
        )


def changes(before: Report, after: Report) -> Changes:
    """Compares all figures for which one direction is better.

    Raises `ValueError` if the reports are of different recipes.
    """
    if before.recipe != after.recipe:
        raise ValueError(f"reports of different recipes: {before.recipe} and {after.recipe}")
    old, new = dict(_cells(before)), dict(_cells(after))
    machine = busier(before.loads, after.loads, after.environment.get("cpu_count") or 1)
    changes = Changes(
        machine=_busier(machine, before, after),
        before_only=[place for place in old if place not in new],
        after_only=[place for place in new if place not in old],
    )
    known: list[tuple[Place, Heading, Median, Median]] = []
    for place, cell in old.items():
        other = new.get(place)
        if other is None:
            continue
        one, two = cell.value, other.value
        if cell.flawed or other.flawed:
            changes.flawed.append(place)
        elif isinstance(one, Median) and isinstance(two, Median):
            known.append((place, other.heading, one, two))
        else:
            changes.whole.append(place)
    pairs = [
        Pair(figure(one), figure(two), heading.better == MORE) for _, heading, one, two in known
    ]
    changes.both.extend(
        Change(*one, judged) for one, judged in zip(known, judge(pairs, machine), strict=True)
    )
    return changes


def _busier(machine: int, before: Report, after: Report) -> str:
    if not machine:
        return ""
    loads = f"load average {median(before.loads):.1f}, then {median(after.loads):.1f}"
    which, verdict = ("second", WORSE) if machine > 0 else ("first", BETTER)
    return f"the machine was busier in the {which} ({loads}): what got {verdict} may be its doing"


def _cells(report: Report) -> Iterator[tuple[Place, Cell]]:
    for section in report.sections:
        for table in section.tables:
            seen = Counter[tuple[str, str]]()
            for row in table.rows:
                number = seen[row.client, row.label]
                seen[row.client, row.label] += 1
                for heading, value in _figures(row, table.headings):
                    names = section.name, table.name, row.client, row.label
                    place = Place(*names, heading.key, heading.unit, number)
                    yield place, Cell(value, heading, bool(row.flawed))


def _figures(row: Row, headings: Sequence[Heading]) -> Iterator[tuple[Heading, Median | float]]:
    for heading in headings:
        entry = row.fields.get(heading.key)
        if not heading.better or entry is None or isinstance(entry, str):
            continue
        yield heading, entry


def figure(one: Median) -> Figure:
    """The figure as the rule needs it."""
    return Figure(one.value, one.rounds, one.values, one.low, one.high)


_MACHINE = ("cpu_model", "cpu_count")
_MOMENT = ("date", "command_line", "load_average")
"""Values that differ with each run."""


def machines(before: Report, after: Report) -> list[str]:
    """The differences of the machines, in words; empty if they are alike."""
    return list(_differences(_only(before, _MACHINE), _only(after, _MACHINE)))


def conditions(before: Report, after: Report) -> list[str]:
    """The differences in versions, settings and size, and what is incomplete, in words."""
    names = dict.fromkeys((*before.environment, *after.environment))
    others = tuple(name for name in names if name not in (*_MACHINE, *_MOMENT))
    differences = [
        *_differences(_only(before, others), _only(after, others)),
        *_differences(before.settings, after.settings),
    ]
    for name, report in (("first", before), ("second", after)):
        if report.interrupted:
            differences.append(f"the {name} report was interrupted")
    return differences


def _only(report: Report, names: tuple[str, ...]) -> dict[str, Any]:
    known = {name: report.environment.get(name) for name in names}
    if isinstance(known.get("cluster"), dict):
        # Ports of an embedded cluster differ with each run.
        known["cluster"] = {**cast("dict[str, Any]", known["cluster"]), "seeds": None}
    return known


def _differences(
    before: Mapping[str, Any], after: Mapping[str, Any], where: str = ""
) -> Iterator[str]:
    for name in dict.fromkeys((*before, *after)):
        pair: tuple[object, object] = before.get(name), after.get(name)
        if pair[0] == pair[1]:
            continue
        called = f"{where} {name}".strip().replace("_", " ")
        if all(one is None or isinstance(one, dict) for one in pair):
            old, new = cast("tuple[dict[str, Any] | None, dict[str, Any] | None]", pair)
            yield from _differences(old or {}, new or {}, called)
        else:
            yield f"{called}: {_as_text(pair[0])}, then {_as_text(pair[1])}"


def _as_text(value: object) -> str:
    return "unknown" if value is None or value == "" else str(value)
