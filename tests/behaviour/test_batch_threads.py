"""Batches of many threads over shared connections."""

from __future__ import annotations

import random
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS = 16
OK, NO_ANSWER, UNREACHABLE, CLOSED = 0, 9, -10, -5


@pytest.fixture
def nodes() -> Iterator[Cluster]:
    """A cluster of its own, whose nodes tests may disturb."""
    with Cluster(nodes=3) as cluster:
        yield cluster


@pytest.fixture
def shared(nodes: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(nodes.seeds, timeout=30, connections_per_node=4) as client:
        data = client.dataset("test", "shared")
        data.put_many((key, {"n": key}) for key in range(1000)).raise_for_errors()
        yield client


def in_threads(work: Callable[[int], Any], threads: int = THREADS) -> list[Any]:
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, at) for at in range(threads)]
        return [future.result(timeout=120) for future in futures]


def everywhere(cluster: Cluster, **faults: Any) -> None:
    for node in range(3):
        cluster.inject(node, **faults)


def test_each_thread_gets_its_own_rows(shared: spikewire.Client) -> None:
    data = shared.dataset("test", "shared")

    def work(thread: int) -> None:
        rng = random.Random(thread)
        for turn in range(120):
            size = rng.choice([1, 2, 4, 20, 128, 600])
            keys = [rng.randrange(1100) for _ in range(size)]
            batch = data.get_many(keys)
            numbers = [None if record is None else record["n"] for record in batch]
            assert numbers == [key if key < 1000 else None for key in keys]
            own = [2000 + thread * 10 + at for at in range(size % 5)]
            data.put_many((key, {"n": turn}) for key in own).raise_for_errors()
            assert [record and record["n"] for record in data.get_many(own)] == [turn] * len(own)

    in_threads(work)


def test_many_threads_need_few_connections(nodes: Cluster, shared: spikewire.Client) -> None:
    data = shared.dataset("test", "shared")
    before = [nodes.stats(node)["connections"] for node in range(3)]
    in_threads(lambda _: [data.get_many(range(40)).raise_for_errors() for _ in range(50)], 32)
    after = [nodes.stats(node)["connections"] for node in range(3)]
    # `connections_per_node` for threads that have one each, and at most as many that the others
    # share: two, unless replies are slow, as on a busy machine.
    more = [there - here for here, there in zip(before, after, strict=True)]
    assert max(more) <= 4 + 4, more


def test_a_short_timeout_holds_among_longer_ones(nodes: Cluster, shared: spikewire.Client) -> None:
    data = shared.dataset("test", "shared")
    everywhere(nodes, delay=1.5)

    def work(thread: int) -> list[int]:
        return list(data.get_many(range(9), timeout=0.2 if thread % 2 else 30).codes)

    codes = in_threads(work, 8)
    assert codes[::2] == [[OK] * 9] * 4
    # A node that answers nothing, not even the client's own requests, is not waited for to the end.
    assert {code for row in codes[1::2] for code in row} <= {NO_ANSWER, UNREACHABLE}


def test_a_slow_node_delays_only_its_own_batches(nodes: Cluster, shared: spikewire.Client) -> None:
    data = shared.dataset("test", "shared")
    nodes.inject(0, delay=25)
    with ThreadPoolExecutor(1) as pool:
        # The first caller becomes the leader, and waits for the slow node: rows for the master only
        # do not go on to another one.
        first = pool.submit(data.get_many, range(60), replica="master")
        outcomes = in_threads(
            lambda key: data.get_many([key, key], replica="master", timeout=2).codes[0], 40
        )
        assert not first.done()
        # What the other nodes answered is kept.
        nodes.kill(0)
        assert first.result(timeout=60).found > 10
    assert set(outcomes) == {OK, NO_ANSWER}
    assert outcomes.count(OK) > 10


@pytest.mark.parametrize("write", [False, True])
def test_closing_ends_batches_in_flight(
    nodes: Cluster, shared: spikewire.Client, *, write: bool
) -> None:
    data = shared.dataset("test", "shared")
    everywhere(nodes, delay=20)

    def work(thread: int) -> Any:
        keys = range(thread * 10, thread * 10 + 10)
        try:
            done = data.put_many((key, {"n": 0}) for key in keys) if write else data.get_many(keys)
        except spikewire.ClientClosed:
            return {CLOSED}, []  # this thread had not got that far
        return set(done.codes), [error.in_doubt for error in done.errors.values()]

    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(work, thread) for thread in range(8)]
        assert until(lambda: nodes.stats(0)["connections"] > 2)
        shared.close()
        ended = [call.result(timeout=15) for call in calls]
    assert all(codes == {CLOSED} for codes, _ in ended)
    # Requests that were written may be carried out; those queued behind them will not be.
    assert any(any(doubts) for _, doubts in ended) is write


class Stop(Exception):  # noqa: N818
    """Raised by a signal handler."""


@pytest.fixture
def alarm() -> Iterator[Callable[[float, Callable[[], object]], None]]:
    """Runs something in a signal handler, on the main thread, after this many seconds."""
    before = signal.getsignal(signal.SIGALRM)

    def after(seconds: float, work: Callable[[], object]) -> None:
        signal.signal(signal.SIGALRM, lambda *_: work())
        signal.setitimer(signal.ITIMER_REAL, seconds)

    yield after
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("others", [0, 4])
def test_a_signal_ends_the_wait_of_the_main_thread_alone(
    nodes: Cluster,
    shared: spikewire.Client,
    alarm: Callable[[float, Callable[[], object]], None],
    others: int,
) -> None:
    data = shared.dataset("test", "shared")
    everywhere(nodes, delay=1.5)

    def stop() -> None:
        raise Stop

    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(data.get_many, range(30)) for _ in range(others)]
        alarm(0.2, stop)
        with pytest.raises(Stop):
            data.put_many((key, {"n": -1}) for key in range(30))
        # The other threads get their results.
        assert [call.result(timeout=60).found for call in calls] == [30] * others
    for node in range(3):
        nodes.clear_faults(node)
    assert data.get_many(range(30)).found == 30


@pytest.mark.parametrize("others", [0, 4])
def test_a_signal_handler_may_send_a_batch(
    nodes: Cluster,
    shared: spikewire.Client,
    alarm: Callable[[float, Callable[[], object]], None],
    others: int,
) -> None:
    data = shared.dataset("test", "shared")
    everywhere(nodes, delay=1)
    seen: list[int] = []
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(data.get_many, range(30)) for _ in range(others)]
        alarm(0.2, lambda: seen.append(data.get_many(range(20)).found))
        assert data.get_many(range(10)).found == 10
        assert [call.result(timeout=60).found for call in calls] == [30] * others
    assert seen == [20]


def test_a_thread_that_ends_leaves_no_waiting_thread(shared: spikewire.Client) -> None:
    data = shared.dataset("test", "shared")
    ends = threading.Event()

    def brief() -> None:
        assert data.get_many(range(6)).found == 6

    def steady(_: int) -> int:
        turns = 0
        while not ends.is_set():
            assert data.get_many(range(50)).found == 50
            turns += 1
        return turns

    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(steady, at) for at in range(4)]
        for _ in range(60):
            thread = threading.Thread(target=brief)
            thread.start()
            thread.join(timeout=60)
            assert not thread.is_alive()
        ends.set()
        assert all(call.result(timeout=60) for call in calls)
