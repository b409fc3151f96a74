"""One blocking client and many threads."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS = 32


def in_threads(work: Callable[[int], Any], threads: int = THREADS, limit: float = 120) -> list[Any]:
    """The results of ``work(0)``, ``work(1)``, ...; each in a thread, all started together."""
    start = threading.Barrier(threads)

    def run(at: int) -> Any:
        start.wait()
        return work(at)

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(run, at) for at in range(threads)]
        _, late = wait(futures, timeout=limit)
        assert not late, f"{len(late)} of {len(futures)} threads hang"
        return [future.result() for future in futures]


@pytest.fixture
def shared(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20) as client:
        yield client


def test_each_thread_reads_what_it_wrote(shared: spikewire.Client, set_name: str) -> None:
    data = shared.dataset("test", set_name)

    def work(thread: int) -> int:
        rng = random.Random(thread)
        last: dict[int, int] = {}
        for turn in range(400):
            key = thread * 1000 + rng.randrange(20)
            kind = rng.random()
            if kind < 0.4:
                data.put(key, {"owner": thread, "turn": turn, "pad": "x" * rng.randrange(300)})
                last[key] = turn
            elif kind < 0.5:
                assert data.delete(key) is (key in last)
                last.pop(key, None)
            elif kind < 0.6 and key in last:
                record = data.operate(key, [op.add("turn", 1), op.get("turn")])
                last[key] += 1
                assert record["turn"] == last[key]
            else:
                record = data.get(key, default=None)  # type: ignore[arg-type]
                if key in last:
                    assert record.key.key == key
                    assert (record["owner"], record["turn"]) == (thread, last[key])
                else:
                    assert record is None
        return len(last)

    assert len(in_threads(work)) == THREADS


def test_counters_lose_nothing(shared: spikewire.Client, set_name: str) -> None:
    data = shared.dataset("test", set_name)

    def count(_: int) -> None:
        for at in range(200):
            data.add(f"n{at % 4}", {"n": 1})

    in_threads(count)
    assert sum(data.get(f"n{at}")["n"] for at in range(4)) == THREADS * 200


def test_one_thread_wins_a_create(shared: spikewire.Client, set_name: str) -> None:
    data = shared.dataset("test", set_name)

    def create(thread: int) -> bool:
        try:
            data.put("prize", {"owner": thread}, exists="create")
        except spikewire.RecordExists:
            return False
        return True

    winners = in_threads(create)
    assert winners.count(True) == 1
    assert data.get("prize")["owner"] == winners.index(True)


def test_generation_checks_detect_every_conflict(shared: spikewire.Client, set_name: str) -> None:
    data = shared.dataset("test", set_name)
    data.put(1, {"n": 0})

    def work(_: int) -> int:
        lost = 0
        for _ in range(10):
            while True:
                seen = data.get(1)
                try:
                    data.put(1, {"n": seen["n"] + 1}, generation=seen.generation)
                except spikewire.GenerationMismatch:
                    lost += 1
                else:
                    break
        return lost

    in_threads(work, 8)
    record = data.get(1)
    assert record["n"] == 80
    assert record.generation == 81


def test_misses_and_errors_reach_their_callers(shared: spikewire.Client, set_name: str) -> None:
    data = shared.dataset("test", set_name)
    data.put("text", {"v": "text"})

    def work(thread: int) -> None:
        for turn in range(150):
            which = (thread + turn) % 4
            if which == 0:
                assert data.get("text")["v"] == "text"
            elif which == 1:
                with pytest.raises(spikewire.RecordNotFound) as caught:
                    data.get(f"missing-{thread}-{turn}")
                assert caught.value.key.key == f"missing-{thread}-{turn}"  # type: ignore[union-attr]
            elif which == 2:
                with pytest.raises(spikewire.BinTypeError):
                    data.add("text", {"v": 1})
            else:
                with pytest.raises(TypeError):
                    data.put("text", {"v": object()})

    in_threads(work)


def test_threads_mix_large_and_small_values(shared: spikewire.Client, set_name: str) -> None:
    data = shared.dataset("test", set_name)

    def work(thread: int) -> None:
        size = 900_000 if thread % 4 == 0 else 10
        for turn in range(8 if size > 10 else 200):
            value = bytes([thread]) * (size + turn)
            data.put(thread, {"v": value})
            assert data.get(thread)["v"] == value

    in_threads(work, 16)


def test_many_threads_never_meet_a_fixed_limit(shared: spikewire.Client, set_name: str) -> None:
    data = shared.dataset("test", set_name)

    def work(thread: int) -> bool:
        data.put(thread, {"v": thread})
        return bool(data.get(thread)["v"] == thread)

    assert all(in_threads(work, 300))


def test_threads_may_have_clients_of_their_own(cluster: Cluster, set_name: str) -> None:
    def work(thread: int) -> None:
        with spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20) as client:
            data = client.dataset("test", set_name)
            for turn in range(20):
                data.put(thread, {"v": turn})
                assert data.get(thread)["v"] == turn

    in_threads(work, 12)


@pytest.mark.parametrize("write", [False, True])
def test_closing_fails_calls_in_flight(*, write: bool) -> None:
    with Cluster(1) as cluster:
        client = spikewire.Client(cluster.seeds, timeout=60, connect_timeout=20)
        data = client.dataset("test", "closing")
        data.put(1, {"a": 1})
        cluster.inject(0, delay=60)
        waiting = threading.Barrier(9)

        def call(thread: int) -> BaseException | None:
            waiting.wait()
            try:
                data.put(thread, {"a": 1}) if write else data.get(1)
            except BaseException as error:
                return error
            return None

        with ThreadPoolExecutor(8) as pool:
            calls = [pool.submit(call, thread) for thread in range(8)]
            waiting.wait()
            assert until(lambda: client.stats().in_flight == 8)
            client.close()
            # Long before the replies that they wait for.
            errors = [one.result(timeout=20) for one in calls]
        assert [type(error) for error in errors] == [spikewire.ClientClosed] * 8
        # Leaders of a connection had sent their requests; followers may or may not have.
        assert any(error.in_doubt for error in errors) is write  # type: ignore[union-attr]


def test_closing_under_load_raises_client_closed(cluster: Cluster, set_name: str) -> None:
    client = spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20)
    data = client.dataset("test", set_name)
    counts = [0] * 8

    def work(thread: int) -> None:
        try:
            while True:
                data.put(thread, {"n": counts[thread]})
                assert data.get(thread)["n"] == counts[thread]
                counts[thread] += 1
        except spikewire.ClientClosed:
            pass

    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(work, thread) for thread in range(8)]
        assert until(lambda: all(counts))
        client.close()
        for call in calls:
            assert call.result(timeout=20) is None


def test_closing_while_batches_run(cluster: Cluster, no_descriptor_leak: Any) -> None:
    before = no_descriptor_leak()
    for _ in range(20):
        client = spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20)
        data = client.dataset("test", "closing")
        counts = [0] * 4

        def work(
            thread: int, data: spikewire.Dataset = data, counts: list[int] = counts
        ) -> set[type[spikewire.Error]]:
            try:
                while not (errors := data.exists_many(range(40)).errors):
                    counts[thread] += 1
            except spikewire.ClientClosed:
                return {spikewire.ClientClosed}
            return {type(error) for error in errors.values()}

        with ThreadPoolExecutor(4) as pool:
            calls = [pool.submit(work, thread) for thread in range(4)]
            assert until(lambda counts=counts: all(counts))  # type: ignore[misc]
            client.close()
            assert [call.result(20) for call in calls] == [{spikewire.ClientClosed}] * 4
        # Although the client itself still exists.
        assert until(lambda: no_descriptor_leak() <= before)


def test_a_client_dropped_without_close(cluster: Cluster, no_descriptor_leak: object) -> None:
    for _ in range(5):
        client = spikewire.Client(cluster.seeds)
        client.dataset("test", "dropped").exists(1)
        holder = [client]
        del client
        with pytest.warns(ResourceWarning, match="unclosed client"):
            holder.clear()


def test_opening_and_closing_leaves_nothing_open(
    cluster: Cluster, no_descriptor_leak: object
) -> None:
    for _ in range(10):
        with spikewire.Client(cluster.seeds) as client:
            client.dataset("test", "opened").exists(1)
