"""The total timeout of a batch includes the pauses between its rounds."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api

#: Seconds between rounds: longer than any delay of a slow machine.
PAUSE = 60


@pytest.fixture
def own() -> Iterator[Cluster]:
    with Cluster(nodes=1) as cluster:
        yield cluster


def test_no_pause_or_request_lasts_beyond_the_timeout(api: Api, own: Cluster) -> None:
    options = {"max_retries": 5, "sleep_between_retries": PAUSE}
    with api.open(own.seeds, timeout=PAUSE / 2, **options) as client:
        data = client.dataset("test", "late")
        data.put_many({n: {"n": 0} for n in range(10)}).raise_for_errors()
        own.inject(0, error=1.0, code=18)
        begun = time.monotonic()
        batch = data.put_many({n: {"n": 1} for n in range(10)})
        assert time.monotonic() - begun < PAUSE / 2
        assert set(batch.codes) == {18}
        own.clear_faults(0)
        assert [row["n"] for row in data.get_many(range(10))] == [0] * 10


def test_signals_end_a_pause(own: Cluster) -> None:
    options: dict[str, Any] = {"timeout": 4 * PAUSE, "connect_timeout": 20}
    with spikewire.Client(own.seeds, sleep_between_retries=PAUSE, **options) as client:
        data = client.dataset("test", "late")
        data.put_many({n: {"n": n} for n in range(10)}).raise_for_errors()
        own.inject(0, error=1.0, code=18)

        def interrupt(*_: object) -> None:
            raise InterruptedError("the signal")

        former = signal.signal(signal.SIGALRM, interrupt)
        begun = time.monotonic()
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            with pytest.raises(InterruptedError, match="the signal"):
                data.get_many(range(10), replica="master")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, former)
        assert time.monotonic() - begun < PAUSE / 2
