"""From a trace to calls and when they are due."""

from __future__ import annotations

import bisect
import random
from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .records import records_of, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spikewire.recording import Trace

    from .records import Records

VERBS = {
    "get": "get",
    "exists": "exists",
    "put": "put",
    "delete": "delete",
    "touch": "touch",
    "add": "add",
    "append": "put",
    "prepend": "put",
    "operate": "operate",
    "apply": "operate",
    "batch_read": "get_many",
    "batch_write": "put_many",
}
"""What is called for each operation of a trace."""
SUBSTITUTES = ("append", "prepend", "apply")
"""Operations that something else of the same size stands for."""
SECOND = 1_000_000


class Call(NamedTuple):
    """A call of the trace."""

    verb: str
    set: int
    rows: int
    size: int
    """Bytes of each record that it writes."""
    keys: tuple[int, ...]
    """The records of it that were recorded."""


@dataclass
class Plan:
    """The calls of a trace, in order."""

    calls: list[Call]
    at: array[int]
    """When each one came, in microseconds of the trace."""
    sets: dict[int, Records]
    micros: int
    """The time that the trace covers."""
    share: float
    left_out: Counter[str]
    """Calls that are not sent, by operation."""
    substitutes: Counter[str]
    """Calls that others stand for, by operation."""

    @property
    def rate(self) -> float:
        """Calls per second of the live traffic, also of those that were not recorded."""
        return len(self.calls) / self.share / (self.micros / SECOND)

    def shorten(self, seconds: float) -> None:
        """Keeps the beginning. Raises `ValueError` if no call came in that time."""
        micros = int(seconds * SECOND)
        if micros >= self.micros:
            return
        count = bisect.bisect_left(self.at, micros)
        if count == 0:
            raise ValueError(f"the trace has no call in its first {seconds:g} s")
        self.calls, self.at, self.micros = self.calls[:count], self.at[:count], micros


def plan_of(trace: Trace) -> Plan:
    """The calls of a trace. The requests of one batch to several nodes, which began at the same
    time, are one call again. Raises `ValueError` for a trace without calls."""
    sets = records_of(trace)
    calls, at = list[Call](), array("Q")
    left_out, substitutes = Counter[str](), Counter[str]()
    for first, last in _groups(trace):
        operation = trace.labels[trace.operation[first]]
        verb = VERBS.get(operation)
        number = trace.set[first]
        keys = tuple(trace.key[one] for one in range(first, last) if trace.key[one])
        if verb is None or not keys:
            left_out[operation or "other"] += last - first
            continue
        if operation in SUBSTITUTES:
            substitutes[operation] += 1
        elif verb == "operate" and not trace.writes[first]:
            verb = "get"
        rows = _rows(trace, first, last)
        request = sum(trace.request[first:last])
        size = size_of(operation, rows, request, 0) or sets[number].size(keys[0])
        calls.append(Call(verb, number, rows, size, keys))
        at.append(trace.arrival[first])
    if not calls:
        raise ValueError("the trace has no call that can be sent again")
    micros = max(int(trace.seconds * SECOND), at[-1] + 1)
    return Plan(calls, at, sets, micros, trace.share, left_out, substitutes)


def _groups(trace: Trace) -> Iterator[tuple[int, int]]:
    """Ranges of entries that are one call."""
    first, total = 0, len(trace)
    while first < total:
        last = first + 1
        if trace.labels[trace.operation[first]].startswith("batch"):
            while last < total and _is_same_batch(trace, first, last):
                last += 1
        yield first, last
        first = last


def _is_same_batch(trace: Trace, one: int, other: int) -> bool:
    columns = (trace.arrival, trace.operation, trace.set)
    return all(column[one] == column[other] for column in columns)


def _rows(trace: Trace, first: int, last: int) -> int:
    """Rows of a call. Those of a request that failed were sent again by another one."""
    entries = range(first, last)
    good = [trace.rows[at] for at in entries if trace.labels[trace.result[at]] == "ok"]
    return sum(good) or sum(trace.rows[at] for at in entries)


def timetable(plan: Plan, times: float, seed: int) -> tuple[array[int], array[int]]:
    """When calls are due in a rehearsal at so many times the rate, in microseconds, and which they
    are: time runs as much faster.

    Of a trace with a share of the traffic, each call stands for several. The others come at random
    times in the same second of the trace, and are like any recorded call of that second.
    """
    due, which = array("Q"), array("I")
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    copies = 1 / plan.share
    first, total = 0, len(plan.calls)
    while first < total:
        second = plan.at[first] // SECOND
        last = first
        while last < total and plan.at[last] // SECOND == second:
            last += 1
        more = _rounded((last - first) * (copies - 1), chance)
        length = min(SECOND, plan.micros - second * SECOND)
        calls = [(plan.at[at], at) for at in range(first, last)]
        calls += [
            (second * SECOND + chance.randrange(max(1, length)), chance.randrange(first, last))
            for _ in range(more)
        ]
        calls.sort()
        due.extend(int(at / times) for at, _ in calls)
        which.extend(call for _, call in calls)
        first = last
    return due, which


def _rounded(number: float, chance: random.Random) -> int:
    whole = int(number)
    return whole + (chance.random() < number - whole)


def keys_of(call: Call, records: Records, chance: random.Random) -> Sequence[int]:
    """The records of a call: those that were recorded, and for other rows of a batch any that were
    in batches, the more often the hotter."""
    more = call.rows - len(call.keys)
    return (*call.keys, *chance.choices(records.in_batches, k=more)) if more > 0 else call.keys
