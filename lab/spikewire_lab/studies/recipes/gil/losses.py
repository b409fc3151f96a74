"""Columns in which another client leaves more of the interpreter's time than ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.registry import build_of
from ... import closed_loops
from ...relative import plain
from ...report import LESS
from ...text import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...report import Heading, Row

LOSS = 1.1
"""The factor by which another client has to be ahead to be reported."""


@dataclass(frozen=True)
class Loss:
    """A column in which the best of the other clients is ahead of ours."""

    setting: str
    """The part of the label after the client, which both lines share."""
    heading: Heading
    ours: Row
    theirs: Row

    def __str__(self) -> str:
        theirs, ours = (
            number(plain(row.fields[self.heading.key]) or 0.0, self.heading.digits)
            for row in (self.theirs, self.ours)
        )
        return (
            f"{self.setting}, {self.heading.title}: {theirs} {self.heading.unit} beside"
            f" {self.theirs.client}, {ours} beside {OURS}."
        )


def losses_in(rows: Sequence[Row], headings: Sequence[Heading]) -> Iterator[Loss]:
    """All such columns, by setting. Flawed lines do not count, nor do other builds of ours as other
    clients."""
    good = [row for row in rows if not row.flawed and not build_of(row.client)]
    for setting in dict.fromkeys(map(closed_loops.setting, good)):
        here = [row for row in good if closed_loops.setting(row) == setting]
        for heading in headings:
            figures = {
                row.client: (value, row)
                for row in here
                if (value := plain(row.fields.get(heading.key))) is not None
            }
            ours = figures.pop(OURS, None)
            if ours is None or not figures:
                continue
            least = heading.better == LESS
            theirs = (min if least else max)(figures.values(), key=lambda one: one[0])
            more, less = (ours, theirs) if least else (theirs, ours)
            if more[0] > LOSS * less[0]:
                yield Loss(setting, heading, ours[1], theirs[1])
