"""The rounds of a rehearsal, one for each multiple of the rate."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import spikewire

from ..access.info import seeds_text
from .breaks import Break, breaks_of
from .intervals import total
from .pacer import BIN, Pacer, sender
from .plan import SECOND, timetable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from ..run.place import Place
    from .intervals import Interval
    from .plan import Plan
    from .records import Records

LOADED, LOADED_BYTES = 200, 4_000_000
"""Records and their bytes per batch while the data is written, at most (or one record)."""
AT_ONCE = 8
"""Such batches in flight."""
LONG, SHORT = 1.0, 0.2
"""Seconds of an interval; the short ones are for rounds of a few seconds."""
FEWEST = 5
"""Intervals that a round has at least, unless they are short."""


@dataclass
class Round:
    """A replay at a multiple of the recorded rate."""

    times: float
    planned: float
    """Calls per second that it was to send."""
    length: float
    """Seconds of an interval."""
    intervals: list[Interval] = field(default_factory=list["Interval"])
    breaks: list[Break] = field(default_factory=list[Break])
    complete: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "times": self.times,
            "calls_per_second": self.planned,
            "complete": self.complete,
            "breaks": [vars(one) for one in self.breaks],
            "interval_seconds": self.length,
            "intervals": [one.as_json() for one in self.intervals],
            "total": total(self.intervals).as_json(),
        }


@dataclass(frozen=True)
class Settings:
    """How to rehearse."""

    place: Place
    times: tuple[float, ...]
    deadline: float
    """Seconds within which an answer is good."""
    seed: int = 1
    options: str = ""
    """Options of the client, as in its URL."""


def set_names(plan: Plan, place: Place) -> dict[int, tuple[str, str]]:
    """Namespace and set on the cluster, for each set of the trace: never a set of a program."""
    return {number: (place.namespace, f"{place.set_name}_{number}") for number in plan.sets}


def rehearse(
    plan: Plan, settings: Settings, rounds: list[Round], began: Callable[[str], object]
) -> None:
    """Runs rounds in the order of their multiples until one breaks, and appends each as it begins:
    after Ctrl-C the last one is not complete. `began` gets what is done next."""
    with settings.place.cluster() as cluster:
        began(cluster.describe())
        seeds = seeds_text(cluster.seeds, cluster.access)
        options = cluster.access.options()
        if settings.place.services_alternate:
            options["use_services_alternate"] = True

        async def run() -> None:
            async with client_of(seeds, settings.options, **options) as client:
                await _load(client, plan, settings, began)
                for times in settings.times:
                    one = _prepare(plan, times)
                    rounds.append(one)
                    began(f"{times:g} times: {one.planned:,.0f} calls per second")
                    await _round(client, plan, settings, one)
                    if one.breaks:
                        break

        asyncio.run(run())


def client_of(seeds: str, text: str, **options: Any) -> spikewire.AsyncClient:
    """A client that is not connected yet, with options as in a URL, if any. Raises `ValueError` or
    `TypeError` for invalid ones."""
    if text:
        return spikewire.AsyncClient.from_url(f"aerospike://{seeds}/?{text}", **options)
    return spikewire.AsyncClient(seeds, **options)


async def _load(
    client: spikewire.AsyncClient, plan: Plan, settings: Settings, began: Callable[[str], object]
) -> None:
    """Writes the records that existed when they were recorded."""
    names = set_names(plan, settings.place)
    count = sum(len(records.present()) for records in plan.sets.values())
    size = sum(records.size(key) for records in plan.sets.values() for key in records.present())
    began(f"writing {count:,} records, {size / 1e6:,.1f} MB")
    running: set[asyncio.Future[Any]] = set()
    for number, records in plan.sets.items():
        dataset = client.dataset(*names[number])
        for part in _parts(records):
            rows: dict[Any, Any] = {key: {BIN: bytes(records.size(key))} for key in part}
            running.add(dataset.put_many(rows, timeout=30))
            if len(running) >= AT_ONCE:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    one.result().raise_for_errors()
    for one in running:
        (await one).raise_for_errors()


def _parts(records: Records) -> Iterator[list[int]]:
    """The keys of batches."""
    part, size = list[int](), 0
    for key in records.present():
        size += records.size(key)
        if part and (len(part) == LOADED or size > LOADED_BYTES):
            yield part
            part, size = [], records.size(key)
        part.append(key)
    if part:
        yield part


def _prepare(plan: Plan, times: float) -> Round:
    seconds = plan.micros / SECOND / times
    length = LONG if seconds >= FEWEST * LONG else SHORT
    return Round(times, plan.rate * times, length)


async def _round(client: spikewire.AsyncClient, plan: Plan, settings: Settings, one: Round) -> None:
    due, which = timetable(plan, one.times, settings.seed)
    send = sender(client, plan, set_names(plan, settings.place), settings.seed)
    pacer = Pacer(send, plan, one.length, settings.deadline)
    one.intervals = pacer.intervals
    try:
        with _collected_once():
            await pacer.run(due, which)
        one.complete = True
    finally:
        one.breaks = breaks_of(one.intervals, one.length, settings.deadline)


@contextlib.contextmanager
def _collected_once() -> Generator[None, None, None]:
    """The plan's objects are not looked at by the garbage collector meanwhile."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
