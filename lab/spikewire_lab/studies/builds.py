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
    the installed one if that was measured. Figures without rounds are left out."""
    first: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: bool(build_of(row.client))):
        first.setdefault(_same(row), row)
    return ratio_texts(
        [
            ratio
            for row in rows
            for other in (first[_same(row)],)
            if other is not row and build_of(row.client)
            for heading in headings
            for ratio in _ratio(
                f"{row.label} over {other.client}",
                heading,
                other.fields.get(heading.key),
                row.fields.get(heading.key),
            )
        ]
    )


def of_columns(
    rows: Sequence[Row], headings: Sequence[Heading], builds: Mapping[str, str]
) -> list[str]:
    """The same for clients in columns: `builds` maps the key prefixes of a build's columns to those
    of the columns that they are compared with."""
    titles = {heading.key: heading.title for heading in headings}
    beside = [
        (heading, heading.key.replace(build, first, 1))
        for heading in headings
        for build, first in builds.items()
        if heading.key.startswith(build)
    ]
    return ratio_texts(
        [
            ratio
            for heading, first in beside
            for row in rows
            for ratio in _ratio(
                f"{heading.title} over {titles[first]}",
                heading,
                row.fields.get(first),
                row.fields.get(heading.key),
                row.label,
            )
        ]
    )


def _same(row: Row) -> str:
    return row.label.replace(row.client, base_of(row.client), 1)


def _ratio(
    builds: str, heading: Heading, before: Entry, after: Entry, what: str = ""
) -> Iterator[Ratio]:
    if not heading.better or not isinstance(before, Median) or not isinstance(after, Median):
        return
    if before.value:
        pair = Pair(figure(before), figure(after), heading.better == MORE)
        yield Ratio(builds, what or heading.title, pair)
