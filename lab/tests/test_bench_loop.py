"""The closed loop counts its calls, times what it should, and survives a failing client."""

from __future__ import annotations

import asyncio
import itertools
import time
from array import array
from typing import TYPE_CHECKING

import pytest

from spikewire_lab.clients.base import (
    BlockingClient,
    ManyVerbs,
    TableVerbs,
    Target,
    Verbs,
)
from spikewire_lab.clients.null import Asyncio as NullAsyncio
from spikewire_lab.clients.null import Blocking as NullBlocking
from spikewire_lab.measure import Window
from spikewire_lab.work import Block, Operation, into_blocks
from spikewire_lab.worker.drivers import Load, bounded, run_tasks, run_threads, sample_buffer
from spikewire_lab.worker.loop import (
    asyncio_loop,
    blocking_loop,
    loop_source,
    record_verbs,
    table_verbs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET = Target((("127.0.0.1", 3000),), "test", "bench")
OPERATIONS: list[Operation] = [(key, {"b0": key} if key % 2 else None) for key in range(40)]


def ticks() -> Iterator[int]:
    return itertools.count(1000, 10)


def test_reads_and_writes_follow_the_stream() -> None:
    read: list[int] = []
    written: list[tuple[int, object]] = []
    verbs = Verbs(
        "get(k)", "put(k, bins)", {"get": read.append, "put": lambda k, b: written.append((k, b))}
    )
    loop = blocking_loop(verbs)
    tally = loop(into_blocks(OPERATIONS, 16), [], time.perf_counter_ns, array("q", [0] * 8), print)
    assert tally[:2] == (40, 3)
    assert read == list(range(0, 40, 2))
    assert written == [(key, {"b0": key}) for key in range(1, 40, 2)]


def test_one_call_per_block_is_timed_and_writes_are_negative() -> None:
    clock = ticks()
    verbs = Verbs("None", "None")
    samples = array("q", [0] * 4)
    operations: list[Operation] = [(0, None), (1, {"b0": 1}), (2, {"b0": 1}), (3, None)]
    tally = blocking_loop(verbs)(into_blocks(operations, 2), [], clock.__next__, samples, print)
    assert tally == (4, 2, 1040)
    assert list(samples) == [10, -10, 0, 0]


def test_a_full_sample_buffer_wraps() -> None:
    samples = array("q", [0] * 4)
    tally = blocking_loop(Verbs("None", "None"))(
        into_blocks(OPERATIONS, 1), [], ticks().__next__, samples, print
    )
    assert tally[:2] == (40, 40)
    assert sorted(abs(sample) for sample in samples) == [10] * 4


def test_a_failure_counts_as_tried_and_is_never_a_latency() -> None:
    errors: list[str] = []
    samples = array("q", [0] * 64)
    tally = blocking_loop(Verbs("1 / 0", "None"))(
        into_blocks(OPERATIONS, 1),
        [],
        ticks().__next__,
        samples,
        lambda error: errors.append(type(error).__name__),
    )
    assert tally[:2] == (40, 20)
    assert errors == ["ZeroDivisionError"] * 20
    assert all(sample < 0 for sample in samples[:20])


@pytest.mark.parametrize("every", [1, 16])
def test_the_loop_ends_at_the_requested_call(every: int) -> None:
    stop: list[bool] = []

    def get(key: int) -> None:
        if key == 20:
            stop.append(True)

    blocks = into_blocks([(key, None) for key in range(40)], every)
    loop = blocking_loop(Verbs("get(k)", "None", {"get": get}))
    tried, *_ = loop(blocks, stop, time.perf_counter_ns, array("q", [0] * 64), print)
    assert tried == 21


def test_the_asyncio_loop_is_the_same_text() -> None:
    plain = loop_source(Verbs("get(k)", "put(k, bins)"))
    awaited = loop_source(Verbs("await get(k)", "await put(k, bins)"), "async def")
    assert awaited.replace("await ", "").replace("async def loop", "def loop") == plain
    assert "await get(k)" in awaited


PINNED = """\
def bind(unmarked, get, put):
    def loop(blocks, stop, clock, samples, failed, marks=unmarked):
        tried = taken = before = held = had = 0
        last, edge = len(samples) - 1, marks.edge
        for (k, bins), followers in blocks:
            begun = clock()
            if begun >= edge:
                edge = marks.passed(before, held, had, begun, tried, taken)
            before, held, had = begun, tried, taken
            try:
                if bins is None:
                    get(k)
                    samples[taken & last] = clock() - begun
                else:
                    put(k, bins)
                    samples[taken & last] = begun - clock()
                taken += 1
            except Exception as error:
                failed(error)
            tried += 1
            if stop:
                break
            for k, bins in followers:
                try:
                    if bins is None:
                        get(k)
                    else:
                        put(k, bins)
                except Exception as error:
                    failed(error)
                tried += 1
                if stop:
                    return tried, taken, marks.ended(before, held, had, clock(), tried, taken)
        return tried, taken, marks.ended(before, held, had, clock(), tried, taken)
    return loop"""


def test_the_source_of_the_read_write_loop_is_pinned() -> None:
    """Further verbs have loops of their own: the cost of this source is in every client's
    figures."""
    verbs = Verbs("get(k)", "put(k, bins)", {"get": print, "put": print}, more={"touch": "pass"})
    assert loop_source(verbs) == PINNED


def test_tables_have_names_that_the_loop_has_not() -> None:
    errors: list[BaseException] = []

    def get(keys: list[int]) -> list[dict[str, int]]:
        return [{"b0": key} for key in keys]

    for verbs in (
        record_verbs(ManyVerbs("get(k)", names={"get": get})),
        table_verbs(TableVerbs("get(k)", "table", {"get": get})),
    ):
        blocks: list[Block] = [(([1, 2], None), [])]
        samples = array("q", [0])
        tally = blocking_loop(verbs)(blocks, [], time.perf_counter_ns, samples, errors.append)
        assert tally[:2] == (1, 1)
        assert samples[0] > 0
    assert not errors


def test_asyncio_tasks_take_turns() -> None:
    async def main() -> list[int]:
        order: list[int] = []

        async def get(key: int) -> None:
            order.append(key)
            await asyncio.sleep(0)

        loop = asyncio_loop(Verbs("await get(k)", "None", {"get": get}))
        clock, samples = time.perf_counter_ns, array("q", [0] * 8)
        streams: list[list[Block]] = [into_blocks([(0, None)] * 3, 16)]
        streams.append(into_blocks([(1, None)] * 3, 16))
        await asyncio.gather(*(loop(blocks, [], clock, samples, print) for blocks in streams))
        return order

    assert asyncio.run(main()) == [0, 1, 0, 1, 0, 1]


def load(workers: int, duration: float = 0.1) -> Load:
    return Load(workers, 0.02, duration, lambda _: into_blocks(OPERATIONS, 16))


@pytest.mark.parametrize("workers", [1, 4])
def test_threads_are_measured_over_real_time(workers: int) -> None:
    client, window = NullBlocking(), Window()
    client.open(TARGET)
    began = time.perf_counter()
    outcome = run_threads(client, load(workers), window)
    assert window.used is not None
    assert 0.09 < window.used.clock <= time.perf_counter() - began
    assert 0 < window.used.user + window.used.system < 2 * workers * window.used.clock
    assert outcome.tried > 0
    assert outcome.errors == 0
    assert len(outcome.reads) + len(outcome.writes) + outcome.overwritten > outcome.tried / 32


def test_tasks_are_measured_over_real_time() -> None:
    async def main() -> tuple[int, float]:
        client, window = NullAsyncio(), Window()
        await client.open(TARGET)
        outcome = await run_tasks(client, load(4), window)
        assert window.used is not None
        return outcome.tried, window.used.clock

    tried, clock = asyncio.run(main())
    assert tried > 0
    assert clock > 0.09


def test_writing_every_key_ends_when_all_are_written() -> None:
    once = Load(4, 0.0, 3600.0, lambda _: into_blocks(OPERATIONS, 16), repeat=False)
    # The watchdog would not wait for the duration.
    outcome = run_threads(NullBlocking(), once, Window())
    assert outcome.tried == 4 * len(OPERATIONS)


class Broken(BlockingClient):
    """A client that opens and then fails, or that cannot even return its verbs."""

    def __init__(self, read: str) -> None:
        self._read = read

    def open(self, target: Target) -> None:
        pass

    def verbs(self) -> Verbs:
        if not self._read:
            raise LookupError("no verbs")
        return Verbs(self._read, "None")

    def close(self) -> None:
        pass


def test_errors_of_all_threads_add_up_and_the_first_is_reported() -> None:
    outcome = run_threads(Broken("[][k]"), load(4), Window())
    assert outcome.errors * 2 == pytest.approx(outcome.tried, abs=4)
    assert outcome.first_error == "IndexError: list index out of range"


def test_a_thread_that_cannot_begin_ends_the_run() -> None:
    with pytest.raises(LookupError, match="no verbs"):
        run_threads(Broken(""), load(4), Window())


@pytest.mark.parametrize("workers", [1, 3, 32, 512, 5000])
def test_sample_buffers_are_powers_of_two_and_small_together(workers: int) -> None:
    size = len(sample_buffer(workers))
    assert size & (size - 1) == 0
    assert size >= 256
    assert workers > 1024 or size * workers <= 1 << 18


@pytest.mark.parametrize("most", [0, 1, 3, 4, 39, 40, 41, 333])
def test_bounded_runs_end_after_so_many_operations(most: int) -> None:
    blocks = into_blocks(OPERATIONS, 16)
    operations = [one for first, others in bounded(blocks, most) for one in (first, *others)]
    assert operations == [OPERATIONS[at % len(OPERATIONS)] for at in range(most)]
    # The watchdog would not wait for the duration.
    bound = Load(4, 0.0, 3600.0, lambda _: blocks, most=most)
    assert run_threads(NullBlocking(), bound, Window()).tried == most

    async def main() -> int:
        return (await run_tasks(NullAsyncio(), bound, Window())).tried

    assert asyncio.run(main()) == most
