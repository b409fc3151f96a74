"""Streams with more than whole reads and writes: the statement of a client for each verb of a
workload."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..clients.base import FIND
from ..work import mix
from ..work.records import record_of
from ..work.shape import BATCH_READ

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..clients.base import ManyVerbs, Peer, Verbs
    from ..work import Bins, Workload

_NEEDS = {
    mix.READ_ONE: mix.READ_ONE,
    mix.REPLACE: mix.REPLACE,
    mix.OPERATE: mix.OPERATE,
    mix.ADD: mix.ADD,
    mix.INCREMENT: mix.ADD,
    mix.DECREMENT: mix.ADD,
    mix.TOUCH: mix.TOUCH,
    mix.EXISTS: mix.EXISTS,
    mix.REMOVE: mix.REMOVE,
    mix.LATEST: FIND,
    mix.MISS: FIND,
}
"""What a client must support for a verb that needs more than reads, writes and batches."""


def verbs_of(workload: Workload, misses: float) -> list[str]:
    """Every verb of its streams, the most frequent first."""
    shares = sorted(workload.shares, key=lambda one: -one[1])
    verbs = [verb for verb, percent in shares if percent]
    return [*verbs, mix.MISS] if misses and mix.READ in verbs else verbs


def shares(workload: Workload, misses: float) -> dict[str, float]:
    """Each verb's share of the streams."""
    parts = {verb: percent / 100 for verb, percent in workload.shares if percent}
    if misses and mix.READ in parts:
        reads = parts[mix.READ]
        parts[mix.READ], parts[mix.MISS] = reads * (1 - misses / 100), reads * misses / 100
    return parts


def finds(workload: Workload, misses: float) -> bool:
    """Whether a read may find no record, so that all reads are written to expect it."""
    return bool(misses) or workload.sparse or bool(workload.verbs & mix.LOSING)


def may_miss(workload: Workload, misses: float) -> bool:
    """Whether some of the reads may find no record."""
    return finds(workload, misses) or mix.LATEST in workload.verbs


def lacking(peer: Peer, workload: Workload, misses: float) -> str | None:
    """Why a client cannot run a workload, or None."""
    needed = {_NEEDS[verb] for verb in verbs_of(workload, misses) if verb in _NEEDS}
    if finds(workload, misses):
        needed.add(FIND)
    words = {FIND: "read that may find nothing", mix.READ_ONE: "read of one bin"}
    absent = [f"{words.get(one, one)} for single records" for one in sorted(needed - peer.verbs)]
    if mix.SCAN in workload.verbs and not any(way.kind == BATCH_READ for way in peer.ways):
        absent.append("batch read, of which a scan is made,")
    return f"has no {' and no '.join(absent)} in this lab" if absent else None


@dataclass
class Fresh:
    """The numbers of inserted records, shared by all workers of a process."""

    start: int
    step: int = 1
    """The number of processes that share the numbers."""
    numbers: Iterable[int] = field(init=False)
    newest: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = itertools.count(self.start, self.step)
        self.newest = [self.start - 1]


@dataclass
class Misses:
    """Reads that found no record, of all workers of a process within its window."""

    numbers: Iterator[int] = field(default_factory=itertools.count)
    """Each read that finds nothing takes one; no two threads take the same."""
    marks: list[int] = field(default_factory=list[int])

    def mark(self) -> None:
        """Called at both ends of the window."""
        self.marks.append(next(self.numbers))

    def between(self) -> int:
        """The number of such reads between the two marks."""
        begun, ended = self.marks
        return ended - begun - 1


def stepped(
    verbs: Verbs,
    many: ManyVerbs | None,
    workload: Workload,
    misses: float,
    counter: str,
    pool: list[Bins],
    fresh: Fresh,
    missed: Misses,
) -> Verbs:
    """The client's verbs with the statement for each verb of the workload."""
    read = verbs.more[FIND] if finds(workload, misses) else verbs.read
    steps: dict[str, str] = {}
    for verb in verbs_of(workload, misses):
        steps[verb] = _statement(verb, verbs, many, read)
    names: Mapping[str, object] = {
        **(many.names if many else {}),
        **verbs.names,
        "counter": counter,
        "fresh": fresh.numbers,
        "newest": fresh.newest,
        "missed": missed.numbers,
        "pool": pool,
        "record_of": record_of,
    }
    return replace(verbs, steps=steps, names=names, whole=verbs.whole or verbs.read)


def _statement(verb: str, verbs: Verbs, many: ManyVerbs | None, read: str) -> str:
    if verb == mix.READ:
        return read
    if verb in (mix.WRITE, mix.WRITE_ONE):
        return verbs.write
    if verb in (mix.UPDATE, mix.UPDATE_ONE):
        return f"{read}\n{verbs.write}"
    if verb in (mix.INCREMENT, mix.DECREMENT):
        return f"{read}\n{verbs.more[mix.ADD]}"
    if verb == mix.SCAN:
        assert many is not None
        return f"for row in {many.read}:\n    {many.bins}"
    if verb == mix.INSERT:
        number = "k = next(fresh)\nbins = record_of(pool, k)"
        return f"{number}\n{verbs.write}\nnewest[0] = k"
    if verb == mix.LATEST:
        return f"k = newest[0] - k\n{verbs.more[FIND]}"
    if verb == mix.MISS:
        return verbs.more[FIND]
    return verbs.more[verb]
