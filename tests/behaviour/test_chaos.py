"""Nodes fail and return under load: no call hangs, and no acknowledged write is lost."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from apis import Api

TIMEOUT = 1.0
KEYS = 40
WORKERS = 8
#: Longest time without a success. Generous: the printed figures are what matters.
GAP = 10.0


class Journal:
    """What one worker wrote, and the outcomes."""

    def __init__(self, worker: int) -> None:
        self.worker = worker
        self.rng = random.Random(worker)
        #: The last value that was acknowledged, by key.
        self.acknowledged: dict[int, int] = {}
        #: Later values that may have been applied.
        self.open: dict[int, set[int]] = {}
        self.successes: list[float] = []
        self.longest = 0.0
        self.errors: dict[str, int] = {}
        self.turn = 0

    def next(self) -> tuple[int, bool, int]:
        """A key of this worker, whether to write it, and the value."""
        self.turn += 1
        return self.worker * 1000 + self.rng.randrange(KEYS), self.rng.random() < 0.5, self.turn

    def wrote(self, key: int, value: int) -> None:
        self.acknowledged[key] = value
        self.open.pop(key, None)

    def read(self, key: int, actual: int | None) -> None:
        allowed = {self.acknowledged.get(key), *self.open.get(key, ())}
        assert actual in allowed, f"key {key}: {actual} is none of {allowed}"

    def failed(self, error: spikewire.Error, key: int, value: int, *, write: bool) -> None:
        name = type(error).__name__
        self.errors[name] = self.errors.get(name, 0) + 1
        assert not isinstance(error, (spikewire.ProtocolError, spikewire.ClientClosed)), error
        assert write or not error.in_doubt
        if error.in_doubt:
            self.open.setdefault(key, set()).add(value)

    def took(self, began: float, *, success: bool) -> None:
        now = time.monotonic()
        self.longest = max(self.longest, now - began)
        if success:
            self.successes.append(now)


class BlockingLoad:
    """Threads of a blocking client."""

    def __init__(self, seeds: str) -> None:
        self.client = spikewire.Client(seeds, timeout=TIMEOUT, tend_interval=0.25)
        self.data = self.client.dataset("test", "chaos")
        self.journals = [Journal(worker) for worker in range(WORKERS)]
        self.stopping = threading.Event()
        self.failures: list[BaseException] = []
        self.threads = [threading.Thread(target=self._run, args=(j,)) for j in self.journals]
        for thread in self.threads:
            thread.start()

    def _run(self, journal: Journal) -> None:
        try:
            while not self.stopping.is_set():
                key, write, value = journal.next()
                began = time.monotonic()
                try:
                    if write:
                        self.data.put(key, {"v": value})
                        journal.wrote(key, value)
                    else:
                        record = self.data.get(key, default=None)
                        journal.read(key, record["v"] if record else None)
                except spikewire.Error as error:
                    journal.failed(error, key, value, write=write)
                    journal.took(began, success=False)
                    time.sleep(0.002)
                else:
                    journal.took(began, success=True)
                    time.sleep(0.0005)
        except BaseException as error:
            self.failures.append(error)

    def stop(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in self.threads), "calls hang"

    def check(self) -> None:
        for journal in self.journals:
            for key in journal.acknowledged:
                journal.read(key, self.data.get(key, timeout=30)["v"])

    def close(self) -> None:
        self.client.close()


class AsyncioLoad:
    """Tasks of an asyncio client, on a loop of their own."""

    def __init__(self, seeds: str, new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self.journals = [Journal(worker) for worker in range(WORKERS)]
        self.stopping = False
        self.failures: list[BaseException] = []
        self.loop = new_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self._work, args=(seeds, started))
        self.thread.start()
        assert started.wait(20)

    def _work(self, seeds: str, started: threading.Event) -> None:
        self.ended = asyncio.Event()
        try:
            self.loop.run_until_complete(self._main(seeds, started))
        except BaseException as error:
            self.failures.append(error)
        finally:
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()

    async def _main(self, seeds: str, started: threading.Event) -> None:
        async with spikewire.AsyncClient(seeds, timeout=TIMEOUT, tend_interval=0.25) as client:
            self.data = client.dataset("test", "chaos")
            started.set()
            await asyncio.gather(*(self._run(journal) for journal in self.journals))
            for journal in self.journals:
                for key in journal.acknowledged:
                    journal.read(key, (await self.data.get(key, timeout=30))["v"])

    async def _run(self, journal: Journal) -> None:
        while not self.stopping:
            key, write, value = journal.next()
            began = time.monotonic()
            try:
                if write:
                    await self.data.put(key, {"v": value})
                    journal.wrote(key, value)
                else:
                    record = await self.data.get(key, default=None)
                    journal.read(key, record["v"] if record else None)
            except spikewire.Error as error:
                journal.failed(error, key, value, write=write)
                journal.took(began, success=False)
                await asyncio.sleep(0.002)
            else:
                journal.took(began, success=True)
                await asyncio.sleep(0.0005)

    def stop(self) -> None:
        self.stopping = True
        self.thread.join(TIMEOUT + 30)
        assert not self.thread.is_alive(), "calls hang"

    def check(self) -> None:
        """Run on the loop, once the load has stopped."""

    def close(self) -> None:
        pass


def start(api: Api, seeds: str) -> BlockingLoad | AsyncioLoad:
    if api.is_blocking:
        return BlockingLoad(seeds)
    if api.name == "uvloop":
        return AsyncioLoad(seeds, pytest.importorskip("uvloop").new_event_loop)
    return AsyncioLoad(seeds, asyncio.new_event_loop)


def successes(load: BlockingLoad | AsyncioLoad) -> int:
    return sum(len(journal.successes) for journal in load.journals)


def written(load: BlockingLoad | AsyncioLoad) -> int:
    return sum(len(journal.acknowledged) for journal in load.journals)


def carries_on(load: BlockingLoad | AsyncioLoad) -> bool:
    """Whether every worker goes on to succeed: often enough that some keys are of each node."""
    before = [len(journal.successes) for journal in load.journals]
    return until(
        lambda: all(
            len(journal.successes) > count + 30
            for journal, count in zip(load.journals, before, strict=True)
        )
    )


def longest_gap(journals: list[Journal], since: float, until_: float) -> float:
    """The longest time without a success of any worker."""
    moments = sorted(at for journal in journals for at in journal.successes)
    moments = [since, *(at for at in moments if since <= at <= until_), until_]
    return max(after - before for before, after in zip(moments, moments[1:], strict=False))  # noqa: RUF007


def longest_gap_per_worker(journals: list[Journal], since: float, until_: float) -> float:
    return max(longest_gap([journal], since, until_) for journal in journals)


def test_a_node_dies_and_comes_back_twice(
    api: Api,
    record_property: Callable[[str, object], None],
    no_descriptor_leak: object,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Cluster(3, replication_factor=2) as cluster:
        assert cluster.wait_settled()
        load = start(api, cluster.seeds)
        try:
            assert carries_on(load)
            began = time.monotonic()
            for node in (1, 2):
                cluster.kill(node)
                assert carries_on(load), "the load does not carry on without the node"
                cluster.restart(node)
                assert cluster.wait_settled(), "the cluster does not settle"
                assert carries_on(load)
            ended = time.monotonic()
            assert until(lambda: written(load) > WORKERS * KEYS / 2)
        finally:
            load.stop()
        try:
            assert load.failures == []
            load.check()
        finally:
            load.close()
    journals = load.journals
    gap = longest_gap(journals, began, ended)
    worst = longest_gap_per_worker(journals, began, ended)
    slowest = max(journal.longest for journal in journals)
    calls = sum(len(journal.successes) for journal in journals)
    errors: dict[str, int] = {}
    for journal in journals:
        for name, count in journal.errors.items():
            errors[name] = errors.get(name, 0) + count
    record_property("gap_in_service_seconds", round(gap, 4))
    record_property("gap_of_one_worker_seconds", round(worst, 4))
    record_property("slowest_call_seconds", round(slowest, 4))
    record_property("successes", calls)
    record_property("errors", errors)
    with capsys.disabled():
        print(
            f"\n  {api.name}: gap in service {gap * 1000:.0f} ms "
            f"(one worker {worst * 1000:.0f} ms), slowest call {slowest * 1000:.0f} ms, "
            f"{calls} successes, errors {errors or 'none'}"
        )
    assert slowest < ended - began, "a call waits until both nodes are back"
    assert gap < GAP


def test_the_whole_cluster_dies_and_comes_back(api: Api, no_descriptor_leak: object) -> None:
    with Cluster(2) as cluster:
        assert cluster.wait_settled()
        with api.open(cluster.seeds, timeout=TIMEOUT, tend_interval=0.25) as client:
            data = client.dataset("test", "dead")
            data.put(1, {"v": 1}, timeout=30)
            for node in range(2):
                cluster.kill(node)
            for _ in range(5):
                with pytest.raises(spikewire.Error) as caught:
                    data.get(1)
                assert isinstance(
                    caught.value,
                    (spikewire.ConnectionFailed, spikewire.NodeUnavailable, spikewire.Timeout),
                )
            for node in range(2):
                cluster.restart(node)

            def works() -> bool:
                try:
                    data.put(1, {"v": 2})
                except spikewire.Error:
                    return False
                return True

            assert until(works)
            assert data.get(1, timeout=30)["v"] == 2


def resident() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) * 1024


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_repeated_reconnections_keep_resources_bounded(api: Api) -> None:
    """A node fails and returns repeatedly: descriptors and memory stay bounded."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("descriptors and memory are read from /proc")
    with Cluster(3) as cluster:
        assert cluster.wait_settled()
        with api.open(cluster.seeds, timeout=TIMEOUT, tend_interval=0.1) as client:
            data = client.dataset("test", "storm")

            def turn() -> None:
                cluster.kill(1)
                light_load(data)
                cluster.restart(1)
                light_load(data)

            for _ in range(5):
                turn()
            assert cluster.wait_settled()
            gc.collect()
            memory, before = resident(), descriptors()
            for _ in range(20):
                turn()
            assert cluster.wait_settled()
            # Both ends of a few connections may or may not be open at any moment.
            assert until(lambda: descriptors() <= before + 12)
            gc.collect()
            assert resident() - memory < 48 << 20
            assert until(lambda: data_works(data))


def light_load(data: Any) -> None:
    for key in range(10):
        try:
            data.put(key, {"v": key})
            data.get(key)
        except spikewire.Error as error:  # noqa: PERF203
            assert not isinstance(error, (spikewire.ProtocolError, spikewire.ClientClosed))  # noqa: PT017


def data_works(data: Any) -> bool:
    try:
        for key in range(20):
            data.put(key, {"v": key})
        return all(data.get(key)["v"] == key for key in range(20))
    except spikewire.Error:
        return False
