"""The data of a recipe's report: tables, charts and remarks as plain data.

Pages of every format are made only from these, so that a report that was saved as JSON can be
rendered or compared again.
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
"""Kinds of charts: a bar for each label, a line through points, a step line."""


@dataclass(frozen=True)
class Median:
    """The median of several rounds and their spread; one round has no spread."""

    value: float
    low: float | None = None
    high: float | None = None
    rounds: int = 1
    values: tuple[float, ...] = ()
    """The values of the rounds, for comparisons with another report."""

    @staticmethod
    def of(values: Sequence[float]) -> Median:
        """Summarises the values of all rounds."""
        return Median(median(values), min(values), max(values), len(values), tuple(values))


Entry = Median | float | int | str | None
"""A field of a table; None is shown as a dash."""


@dataclass(frozen=True)
class Heading:
    """A column of a table."""

    key: str
    title: str
    unit: str = ""
    better: Literal["more", "less", ""] = ""
    """Which direction is better, for colours and for comparisons of two reports."""
    digits: int | None = None
    """Decimal places; by default three significant digits are shown."""


@dataclass(frozen=True)
class Row:
    """A line of a table: its label, and a field for each heading that has one."""

    label: str
    fields: Mapping[str, Entry]
    client: str = ""
    """The client's name in the lab: it gives the line its colour, and `lab compare` matches by
    it."""
    flawed: str = ""
    """Why the figures of this line are unreliable; empty if they are not."""


@dataclass(frozen=True)
class Table:
    """A table with a caption that says how it was measured."""

    name: str
    """Short, without spaces: its name in `lab compare` and in links."""
    title: str
    caption: str
    headings: Sequence[Heading]
    rows: Sequence[Row]
    first: str = "client"
    """The heading of the label column."""
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Series:
    """Points of one client in a chart; in bar charts `x` is a label."""

    name: str
    points: Sequence[tuple[float | str, float]]
    client: str = ""
    spread: Sequence[tuple[float, float]] = ()
    """The lowest and the highest round of each point, if there were several."""


@dataclass(frozen=True)
class Axis:
    title: str
    unit: str = ""
    logarithmic: bool = False
    percentiles: bool = False
    """Values of the x axis are percentiles, spaced so that 99, 99.9 and 99.99 are equally far
    apart."""


@dataclass(frozen=True)
class Chart:
    """A chart with a caption that says how it was measured."""

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
    """The results of one run of a recipe."""

    recipe: str
    title: str
    text: str
    """What was published, what is measured again, what was done differently and why."""
    source: str = ""
    """The document whose study the recipe repeats."""
    published: list[Table] = field(default_factory=list[Table])
    """The figures of that document."""
    sections: list[Section] = field(default_factory=list[Section])
    conclusions: list[str] = field(default_factory=list[str])
    """Conclusions: sentences generated from these figures."""
    losses: list[str] = field(default_factory=list[str])
    """Where another client is ahead of ours, and by how much."""
    skipped: list[str] = field(default_factory=list[str])
    interrupted: bool = False
    environment: dict[str, Any] = field(default_factory=dict[str, Any])
    """Date, machine, versions, build, command: `environment.describe`."""
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    elapsed: float = 0.0
    loads: list[float] = field(default_factory=list[float])
    """The one-minute load average of the machine before each run."""
    runs: dict[str, Any] = field(default_factory=dict[str, Any])
    """Every single run by section, as workers returned it; saved separately."""

    def as_json(self) -> dict[str, Any]:
        """The report without the single runs."""
        fields = asdict(self)
        del fields["runs"]
        return {"schema": SCHEMA, **fields}

    @staticmethod
    def from_json(read: Mapping[str, Any]) -> Report:
        """Reads what `as_json` wrote; raises `ValueError` for anything else."""
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
    """The report in a file; raises `ValueError` if there is none. `make` converts its JSON."""
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
    return Median(**parts)


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
