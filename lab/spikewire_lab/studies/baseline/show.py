"""Changes as tables, on the terminal and as one HTML page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ...noise import BETTER, RULE, UNCHANGED, UNTOLD, WORSE
from ..html import parts
from ..report import Heading, Row, Table
from ..text import entry_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from ..report import Report
    from .changes import Change, Changes, Place

_HEADINGS = tuple(
    Heading(key, key)
    for key in ("figure", "change", "verdict", "rounds", "before", "after", "table")
)


def counts(compared: Changes) -> str:
    """A sentence with the numbers of entries that got better, got worse and so on."""
    known = [
        (len(compared.of(BETTER)), BETTER),
        (len(compared.of(WORSE)), WORSE),
        (len(compared.of(UNCHANGED)), UNCHANGED),
        (len(compared.of(UNTOLD)), UNTOLD),
        (len(compared.before_only), "only in the first"),
        (len(compared.after_only), "only in the second"),
        (len(compared.flawed), "not compared, flawed"),
        (len(compared.whole), "not judged, of all rounds together"),
    ]
    return "; ".join(f"{number} {what}" for number, what in known)


def table(compared: Changes) -> Table:
    """Changed entries, worse before better, then possible changes; the largest differences
    first."""
    suspect = [one for one in compared.both if one.suspect]
    changed = [
        one
        for group in (compared.of(WORSE), compared.of(BETTER), suspect)
        for one in sorted(group, key=lambda one: -abs(one.relative))
    ]
    rows = [Row(one.place.label, _fields(one), one.place.client) for one in changed]
    title = "What changed, or may have" if suspect else "What changed"
    return Table("changes", title, RULE, _HEADINGS, rows)


def _fields(change: Change) -> dict[str, str]:
    heading, unit = change.heading, change.heading.unit
    return {
        "table": f"{change.place.section}, {change.place.table}",
        "figure": f"{heading.title} ({unit})" if unit else heading.title,
        "before": entry_text(change.before, heading),
        "after": entry_text(change.after, heading),
        "change": f"{change.relative:+.1%}",
        "verdict": change.verdict,
        "rounds": _rounds(change),
    }


def _rounds(change: Change) -> str:
    """The number of rounds, and how many are needed if that is not enough."""
    needed = change.judged.needed
    if change.verdict == UNTOLD and not needed:
        return f"{change.rounds}, another load"
    return f"{change.rounds}, {needed} needed" if needed else str(change.rounds)


def lists(compared: Changes) -> list[tuple[str, list[str]]]:
    """Entries that could not be compared, by reason."""
    known = (
        ("Only in the first", compared.before_only),
        ("Only in the second", compared.after_only),
        ("Not compared: flawed in one of them", compared.flawed),
    )
    return [(title, _named(places)) for title, places in known if places]


def _named(places: Sequence[Place]) -> list[str]:
    """One name for each line of a table, followed by its columns."""
    lines: dict[str, list[str]] = {}
    for one in places:
        line = f"{one.section}, {one.table}: {one.label}"
        lines.setdefault(line, []).append(one.heading)
    return [f"{line} ({', '.join(columns)})" for line, columns in lines.items()]


def terminal(compared: Changes, differences: Sequence[str], console: Console) -> None:
    """Prints everything."""
    from rich.table import Table as Printed
    from rich.text import Text

    def say(text: str) -> None:
        console.print(Text(text), highlight=False)

    for one in differences:
        say(f"differs: {one}")
    rows = table(compared)
    if rows.rows:
        printed = Printed(title=rows.title, title_justify="left")
        for name in (rows.first, *(one.title for one in rows.headings)):
            right = name in ("before", "after", "change")
            printed.add_column(name, justify="right" if right else "left")
        for row in rows.rows:
            style = {WORSE: "red", BETTER: "green"}.get(str(row.fields["verdict"]))
            fields = [str(row.fields[one.key]) for one in rows.headings]
            printed.add_row(*map(Text, (row.label, *fields)), style=style)
        console.print(printed)
    for title, names in lists(compared):
        say(f"{title}:")
        for name in names:
            say(f"  {name}")
    say(counts(compared))
    for one in filter(None, (compared.machine, compared.lacking())):
        say(one)
    say(RULE)


def page(before: Report, after: Report, compared: Changes, differences: Sequence[str]) -> str:
    """The same as one HTML page."""
    return parts.document(f"{after.title}: changes", _body(before, after, compared, differences))


def _body(
    before: Report, after: Report, compared: Changes, differences: Sequence[str]
) -> Iterator[str]:
    yield '<header><p class="kind">Spikewire lab · compare</p>'
    yield f"<h1>{escape(after.title)}: what changed</h1>"
    dates = [str(one.environment.get("date") or "unknown") for one in (before, after)]
    yield parts.facts([("first", dates[0]), ("second", dates[1]), ("entries", counts(compared))])
    yield "</header><main>"
    lacking = list(filter(None, (compared.machine, compared.lacking())))
    yield from parts.plainly("What cannot be told", "lacking", lacking)
    yield from parts.plainly("What else differs", "differs", differences)
    yield from parts.table(table(compared), "compare")
    for number, (title, names) in enumerate(lists(compared)):
        yield from parts.plainly(title, f"apart-{number}", names)
    yield "</main>"
