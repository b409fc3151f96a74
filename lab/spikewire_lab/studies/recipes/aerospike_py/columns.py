"""The columns of the study's tables: a client with one of its APIs each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.base import ASYNC, SYNC
from ....clients.registry import base_of, build_of
from ....fixed.cells import OFFICIAL, PEER
from ...reasons import Side
from ...relative import saved, times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....fixed.summary import Summary
    from ...relative import DerivedColumn


@dataclass(frozen=True)
class Column:
    client: str
    mode: str
    title: str

    @property
    def key(self) -> str:
        return f"{self.client}-{self.mode}"


PEER_SYNC = Column(PEER, SYNC, "aerospike-py, sequential")
OFFICIAL_SYNC = Column(OFFICIAL, SYNC, "aerospike, sequential")
OURS_SYNC = Column(OURS, SYNC, "spikewire, sequential")
PEER_ASYNC = Column(PEER, ASYNC, "aerospike-py, concurrent")
OURS_ASYNC = Column(OURS, ASYNC, "spikewire, concurrent")
COLUMNS = (PEER_SYNC, OFFICIAL_SYNC, OURS_SYNC, PEER_ASYNC, OURS_ASYNC)


def with_builds(clients: Sequence[str]) -> tuple[Column, ...]:
    """All columns, each of ours followed by those of its builds among these clients."""
    return tuple(
        replace(column, client=client, title=column.title.replace(column.client, client))
        for column in COLUMNS
        for client in (
            column.client,
            *(one for one in clients if build_of(one) and base_of(one) == column.client),
        )
    )


def builds_in(columns: Sequence[Column]) -> dict[str, str]:
    """The keys of columns of builds, with the key of the installed build's column for each."""
    return {
        column.key: replace(column, client=base_of(column.client)).key
        for column in columns
        if build_of(column.client)
    }


PUBLISHED = (PEER_SYNC, OFFICIAL_SYNC, PEER_ASYNC)
"""The columns of the study."""
OFFICIAL_TO = tuple(one for one in COLUMNS if one is not OFFICIAL_SYNC)
"""The columns that the study compares with the official client, and ours."""
RIVALS = {OURS_SYNC: (PEER_SYNC, OFFICIAL_SYNC), OURS_ASYNC: (PEER_ASYNC,)}
"""The columns that each of ours is compared with: the same calls, made in the same way."""


def side_of(column: Column, summary: Summary) -> Side:
    """A column's figures, to explain why one is behind another."""
    rounds = summary.whole
    return Side(column.client, rounds.low, rounds.high, rounds.rounds, summary.cpu * 1e6)


def to_official(columns: Sequence[Column], *, rates: bool) -> list[DerivedColumn]:
    """How many times as fast as the official client each is, as in the study."""
    official = OFFICIAL_SYNC.key
    return [
        times(f"{one.key}-to-official", f"{one.title}: speed, to {OFFICIAL}", *pair)
        for one in columns
        for pair in [(one.key, official) if rates else (official, one.key)]
        if one in OFFICIAL_TO
    ]


def to_dictionaries(columns: Sequence[Column]) -> list[DerivedColumn]:
    """How many times as fast arrays are as dictionaries."""
    return [
        times(f"{key}-gain", f"{one.title}: numpy's speed", f"{key}-dict", f"{key}-numpy")
        for one in columns
        for key in [one.key]
    ]


def savings(columns: Sequence[Column]) -> list[DerivedColumn]:
    """How much less memory arrays take than dictionaries."""
    return [
        saved(f"{key}-saved", f"{one.title}: saved by numpy", f"{key}-numpy", f"{key}-dict")
        for one in columns
        for key in [one.key]
    ]
