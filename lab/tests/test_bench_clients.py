"""Further ways to use clients, each against the embedded cluster: they do what the lab requires."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import pytest

from spikewire_lab.clients import PEERS, aerospike_c, executor
from spikewire_lab.clients.base import ASYNC, ASYNC_UVLOOP, SYNC, Target, Verbs
from spikewire_lab.plan import Cell, Group, Matrix
from spikewire_lab.run.progress import Progress
from spikewire_lab.studies.recipe import Bench
from spikewire_lab.studies.recipe import Target as Where
from spikewire_lab.work.shape import BATCH_READ, BATCH_WRITE, POOL, Shape

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("spikewire.testing", reason="the native module is not built")


@dataclass(frozen=True)
class Cells(Matrix):
    cells: Group = ()

    def groups(self) -> tuple[Group, ...]:
        return (self.cells,)


READS, WRITES = Shape(BATCH_READ, 8), Shape(BATCH_WRITE, 8)
CELLS = (
    Cell("spikewire-futures", SYNC, 2),
    Cell("spikewire-futures", SYNC, 2, shape=READS),
    Cell("spikewire-futures", SYNC, 2, shape=WRITES),
    Cell("spikewire", ASYNC_UVLOOP, 2, shape=READS),
    *(
        Cell(client, ASYNC_UVLOOP, 4, shape=replace(shape, way=POOL), loops=2)
        for client in ("spikewire", "spikewire-builder", "aerospike-sdk-builder")
        for shape in (Shape(), READS, WRITES)
    ),
    Cell("aerospike-sdk-local", SYNC, 2),
    Cell("aerospike-sdk-local-builder", SYNC, 2),
    Cell("aerospike-executor", ASYNC, 3),
)


@pytest.mark.skipif(importlib.util.find_spec("uvloop") is None, reason="uvloop is not installed")
def test_every_way_reads_what_was_written_without_an_error() -> None:
    bench = Bench(Where(nodes=1), "quick", ("",), Progress(bar=False), ["lab"])
    clients = tuple(dict.fromkeys(cell.client for cell in CELLS))
    matrix = Cells(clients, (), (), (), (), ("",), cells=CELLS)
    comparison = bench.compare(bench.settings(matrix, keys=500))
    absent = {one.client for one in comparison.skipped}
    assert all(PEERS[client].module != "spikewire" for client in absent), comparison.skipped
    (lines,) = comparison.lines()
    assert {line.cell for line in lines} == {cell for cell in CELLS if cell.client not in absent}
    for line in lines:
        assert not line.flawed, (str(line.cell), line.failures, line.first_error)
        assert line.rate is not None
        assert line.rate.low > 0


def test_an_executor_has_room_for_every_call_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    """All calls that the job has in flight can wait for each other."""
    callers = 40
    together = threading.Barrier(callers)

    class Stub(aerospike_c.Blocking):
        def open(self, target: Target) -> None:
            pass

        def written(self, _call: object) -> Verbs:
            return Verbs("", "", {"get": together.wait, "put": together.wait})

        def close(self) -> None:
            pass

    async def all_at_once() -> list[object]:
        client = executor.Asyncio()
        await client.open(Target((), "test", "bench", callers))
        names = client.verbs().names
        run = cast("Callable[..., Awaitable[object]]", names["run"])
        calls = (run(names["executor"], names["get"], 10.0) for _ in range(callers))
        try:
            return await asyncio.gather(*calls)
        finally:
            await client.close()

    monkeypatch.setattr(aerospike_c, "Blocking", Stub)
    assert sorted(map(str, asyncio.run(all_at_once()))) == sorted(map(str, range(callers)))
