"""What a recipe gives: tables and charts as plain data, and what has to be known beside them.

Every page, in whatever format, is made from these and from nothing else, so that a report that was
saved as JSON can be shown or compared again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Literal, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

SCHEMA = 1

MORE: Final = "more"
LESS: Final = "less"
BARS: Final = "bars"
LINES: Final = "lines"
STEPS: Final = "steps"
"""Kinds of charts: a bar for each label, a line through points, the same as steps."""


@dataclass(frozen=True)
class Measured:
    """The median of several rounds and how far apart they lay; one round has no spread."""

    value: float
    low: float | None = None
    high: float | None = None
    rounds: int = 1
    values: tuple[float, ...] = ()
    """Of the rounds, for comparisons with another report."""

    @staticmethod
    def of(values: Sequence[float]) -> Measured:
        """Of the values of all rounds."""
        return Measured(median(values), min(values), max(values), len(values), tuple(values))


Entry = Measured | float | int | str | None
"""What stands in a field of a table; None is shown as a dash."""


@dataclass(frozen=True)
class Heading:
    """A column of a table."""

    key: str
    title: str
    unit: str = ""
    better: Literal["more", "less", ""] = ""
    """Which way is better, for colours and for comparisons of two reports."""
    digits: int | None = None
    """Behind the decimal point; three significant digits where nothing is said."""


@dataclass(frozen=True)
class Row:
    """A line of a table: what it is about, and a field for each heading that has one."""

    label: str
    fields: Mapping[str, Entry]
    client: str = ""
    """As the lab calls it: gives the line its colour, and is what `lab compare` matches."""
    flawed: str = ""
    """Why the figures of this line are not to be relied on."""


@dataclass(frozen=True)
class Table:
    """A table, under a sentence that says how it was measured."""

    name: str
    """Short, without spaces: what `lab compare` and links call it."""
    title: str
    caption: str
    headings: Sequence[Heading]
    rows: Sequence[Row]
    first: str = "client"
    """The heading over the labels."""
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Series:
    """Points of one client in a chart; in bars `x` is a label."""

    name: str
    points: Sequence[tuple[float | str, float]]
    client: str = ""
    spread: Sequence[tuple[float, float]] = ()
    """The lowest and the highest round of each point, where there were several."""


@dataclass(frozen=True)
class Axis:
    title: str
    unit: str = ""
    logarithmic: bool = False
    percentiles: bool = False
    """Values are percentiles: shown so that 99, 99.9 and 99.99 are as far apart."""


@dataclass(frozen=True)
class Chart:
    """A picture, over a sentence that says how it was measured."""

    name: str
    title: str
    caption: str
    kind: Literal["bars", "lines", "steps"]
    x: Axis
    y: Axis
    series: Sequence[Series]


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    name: str
    title: str
    text: str
    """Paragraphs, in Markdown without headings."""
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()


@dataclass
class Report:
    """All that one run of a recipe gave."""

    recipe: str
    title: str
    text: str
    """What was published, what is measured again, what was done otherwise and why."""
    source: str = ""
    """The document that the recipe runs again."""
    published: list[Table] = field(default_factory=list[Table])
    """The figures of that document."""
    sections: list[Section] = field(default_factory=list[Section])
    conclusions: list[str] = field(default_factory=list[str])
    """What follows from these figures, in sentences made from them."""
    losses: list[str] = field(default_factory=list[str])
    """Where another client is ahead of ours, and by how much."""
    skipped: list[str] = field(default_factory=list[str])
    interrupted: bool = False
    environment: dict[str, Any] = field(default_factory=dict[str, Any])
    """Date, machine, versions, build, command: `environment.describe`."""
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    elapsed: float = 0.0
    loads: list[float] = field(default_factory=list[float])
    """The machine's load average over a minute, before each run."""
    runs: dict[str, Any] = field(default_factory=dict[str, Any])
    """Every single run by section, as workers answered; saved apart from the rest."""

    def as_json(self) -> dict[str, Any]:
        """Without the single runs."""
        made = asdict(self)
        del made["runs"]
        return {"schema": SCHEMA, **made}

    @staticmethod
    def from_json(read: Mapping[str, Any]) -> Report:
        """What `as_json` wrote; raises `ValueError` for anything else."""
        if "kind" in read:
            raise ValueError("a comparison, which has no pages: `spikewire lab` writes reports")
        if read.get("schema") != SCHEMA:
            raise ValueError(f"not a report of this lab: schema {read.get('schema')!r}")
        try:
            plain = {name: value for name, value in read.items() if name != "schema"}
            plain["published"] = [_table(one) for one in plain["published"]]
            plain["sections"] = [_section(one) for one in plain["sections"]]
            return Report(**plain)
        except KeyError as error:
            raise ValueError(f"not a whole report: {error} is missing") from None
        except (TypeError, AttributeError) as error:
            raise ValueError(f"not a whole report: {error}") from None


def load(path: Path, make: Callable[[Mapping[str, Any]], Report] = Report.from_json) -> Report:
    """The report in a file; raises `ValueError` where there is none. `make` takes what it holds."""
    try:
        read: object = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    if not isinstance(read, dict):
        raise ValueError(f"{path}: not a report")
    try:
        return make(cast("Mapping[str, Any]", read))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _section(read: Mapping[str, Any]) -> Section:
    parts: dict[str, Any] = {
        "tables": tuple(map(_table, read["tables"])),
        "charts": tuple(map(_chart, read["charts"])),
    }
    return Section(**{**read, **parts})


def _table(read: Mapping[str, Any]) -> Table:
    parts: dict[str, Any] = {
        "headings": tuple(Heading(**one) for one in read["headings"]),
        "rows": tuple(map(_row, read["rows"])),
        "notes": tuple(read["notes"]),
    }
    return Table(**{**read, **parts})


def _row(read: Mapping[str, Any]) -> Row:
    entries: Mapping[str, Any] = read["fields"]
    parts: dict[str, Any] = {"fields": {key: _entry(one) for key, one in entries.items()}}
    return Row(**{**read, **parts})


def _entry(read: Any) -> Entry:
    if not isinstance(read, dict):
        return cast("Entry", read)
    fields = cast("dict[str, Any]", read)
    parts: dict[str, Any] = {**fields, "values": tuple(fields.get("values", ()))}
    return Measured(**parts)


def _chart(read: Mapping[str, Any]) -> Chart:
    parts: dict[str, Any] = {
        "x": Axis(**read["x"]),
        "y": Axis(**read["y"]),
        "series": tuple(map(_series, read["series"])),
    }
    return Chart(**{**read, **parts})


def _series(read: Mapping[str, Any]) -> Series:
    parts: dict[str, Any] = {
        "points": tuple((x, y) for x, y in read["points"]),
        "spread": tuple((low, high) for low, high in read["spread"]),
    }
    return Series(**{**read, **parts})
