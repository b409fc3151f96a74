"""Other builds of our client compared with the installed one, in the tables of recipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..clients.registry import base_of, build_of
from ..noise import Pair
from ..table.builds import Ratio, ratio_texts
from .baseline.changes import figure
from .report import MORE, Median

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .report import Entry, Heading, Row


def of_rows(rows: Sequence[Row], headings: Sequence[Heading]) -> list[str]:
    """For rows whose labels differ only in the client: each build relative to the first, which is
    the installed one if that was measured."""
    first: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: bool(build_of(row.client))):
        first.setdefault(_label_without_build(row), row)
    ratios: list[Ratio] = []
    for row in rows:
        other = first[_label_without_build(row)]
        if other is row or not build_of(row.client):
            continue
        builds = f"{row.label} over {other.client}"
        for heading in headings:
            before, after = other.fields.get(heading.key), row.fields.get(heading.key)
            ratios += _ratio(builds, heading, before, after)
    return ratio_texts(ratios)


def of_columns(
    rows: Sequence[Row], headings: Sequence[Heading], builds: Mapping[str, str]
) -> list[str]:
    """The same for clients in columns: `builds` maps the key prefixes of a build's columns to those
    of the columns that they are compared with."""
    titles = {heading.key: heading.title for heading in headings}
    pairs = [
        (heading, heading.key.replace(build, first, 1))
        for heading in headings
        for build, first in builds.items()
        if heading.key.startswith(build)
    ]
    ratios: list[Ratio] = []
    for heading, first in pairs:
        names = f"{heading.title} over {titles[first]}"
        for row in rows:
            before, after = row.fields.get(first), row.fields.get(heading.key)
            ratios += _ratio(names, heading, before, after, row.label)
    return ratio_texts(ratios)


def _label_without_build(row: Row) -> str:
    return row.label.replace(row.client, base_of(row.client), 1)


def _ratio(
    builds: str, heading: Heading, before: Entry, after: Entry, what: str = ""
) -> Iterator[Ratio]:
    """None if the heading has no better direction, or an entry no rounds."""
    if not heading.better or not isinstance(before, Median) or not isinstance(after, Median):
        return
    if before.value:
        pair = Pair(figure(before), figure(after), heading.better == MORE)
        yield Ratio(builds, what or heading.title, pair)
