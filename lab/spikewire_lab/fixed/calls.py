"""The timed loops, generated for each client and operation so that no wrapper is measured."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..clients.base import SYNC, Verbs
from ..queries.cells import NOTHING
from ..work import bin_names
from ..work.shape import NUMPY_PLAIN
from ..work.tables import NUMPY_TYPES
from ..worker.loop import batch_verbs, compiled, record_verbs, table_verbs
from .cells import (
    BATCH_READ,
    BATCH_READ_DICT,
    BATCH_READ_NUMPY,
    BATCH_WRITE,
    GET,
    OPERATE,
    PUT,
    REMOVE,
    SCAN,
)
from .clients import SCANS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from ..work import Operation
    from ..worker.job import Plan
    from .clients import Asyncio, Blocking

    Clock = Callable[[], int]
    Loop = Callable[[Sequence[Operation], Clock, list[int]], object]
    One = Callable[
        [Operation, AbstractAsyncContextManager[None], Clock, list[int]], Awaitable[None]
    ]

# Each appends nanoseconds for each call; lists grow by copying, which is outside the timed part.
_SEQUENTIAL = """
def bind({names}):
    def loop(operations, clock, times):
        for k, bins in operations:
            begun = clock()
            {call}
            times.append(clock() - begun)
    return loop
"""

_CONCURRENT = """
def bind({names}):
    async def one(operation, gate, clock, times):
        async with gate:
            k, bins = operation
            begun = clock()
            {call}
            times.append(clock() - begun)
    return one
"""


@dataclass(frozen=True)
class Call:
    """An operation as source code, with the names in it; `k` and `bins` are its arguments."""

    source: str
    names: Mapping[str, object]

    def sequential(self) -> Loop:
        """One call after the other."""
        return cast("Loop", self._bound(_SEQUENTIAL))

    def concurrent(self) -> One:
        """One of many gathered calls, made when the gate admits it."""
        return cast("One", self._bound(_CONCURRENT))

    def _bound(self, template: str) -> object:
        source = inspect.cleandoc(template.format(names=", ".join(self.names), call=self.source))
        return compiled(source, f"<bench calls: {self.source}>", self.names)


def call_of(operation: str, plan: Plan, client: Blocking | Asyncio) -> Call:
    """The operation as source code for this client. Batches access every bin of every row, scans
    the bins of every record; NumPy returns the array."""
    if operation == SCAN:
        wait = "" if plan.job["mode"] == SYNC else "await "
        way = SCANS[plan.job["client"], plan.job["mode"]]
        names = {"scan": client.scan, "target": plan.target, "check": _counted(plan.job["keys"])}
        return Call(f"check({wait}scan(target, {way!r}, {NOTHING!r}))", names)
    verbs, reads = _verbs(operation, plan, client)
    return Call(verbs.read if reads else verbs.write, verbs.names)


def _verbs(operation: str, plan: Plan, client: Blocking | Asyncio) -> tuple[Verbs, bool]:
    if operation in (OPERATE, REMOVE):
        return client.changes(), operation == OPERATE
    if operation in (GET, PUT):
        return client.verbs(), operation == GET
    names = bin_names(plan.bins)
    if operation == BATCH_READ_NUMPY:
        types = (NUMPY_TYPES.get(one.kind, f"S{one.size}") for one in plan.bins)
        dtype = list(zip(names, types, strict=True))
        # Every key exists, so that no mask is needed.
        return table_verbs(client.table(NUMPY_PLAIN, names, dtype)), True
    if operation == BATCH_READ_DICT:
        return record_verbs(client.many("")), True
    assert operation in (BATCH_READ, BATCH_WRITE)
    return batch_verbs(client.many(""), names), operation == BATCH_READ


def checking(operation: str, plan: Plan, client: Blocking | Asyncio) -> Verbs | None:
    """The read for a check before the clock starts, in the way that is measured; None for
    operations that read nothing or check themselves."""
    if operation not in (GET, BATCH_READ, BATCH_READ_DICT, BATCH_READ_NUMPY):
        return None
    return _verbs(operation, plan, client)[0]


def _counted(records: int) -> Callable[[tuple[int, object]], None]:
    def check(read: tuple[int, object]) -> None:
        if read[0] != records:
            raise RuntimeError(f"a scan gave {read[0]:,} of {records:,} records")

    return check
