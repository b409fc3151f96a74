"""How old answers are: a writer counts up a record, and each read says which count it saw."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .result import Staleness

NS = 1_000_000_000


class Seen(NamedTuple):
    """A read: when it began, and the count that it returned."""

    begun: int
    value: int


class Acknowledged(NamedTuple):
    """A write: when it was acknowledged, and the count that it wrote."""

    at: int
    value: int


def staleness(reads: Iterable[Seen], writes: Sequence[Acknowledged]) -> Staleness:
    """The oldest answer. A read that began after a higher count was acknowledged, and saw a lower
    one, is as old as the time since the first higher count was."""
    values = [write.value for write in writes]
    oldest, number = 0, 0
    for read in reads:
        number += 1
        newer = bisect_right(values, read.value)
        if newer < len(writes) and writes[newer].at < read.begun:
            oldest = max(oldest, read.begun - writes[newer].at)
    return {"reads": number, "writes": len(writes), "oldest": oldest / NS}
