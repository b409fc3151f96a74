"""Handlers that raise in blocking calls, in waits for submitted ones and while a client opens: each
call ends with the handler's exception or its own result, and the client goes on."""

from __future__ import annotations

import concurrent.futures
import itertools
import signal
import sys
import threading
import time

from load import Stress

import spikewire
from spikewire import op
from spikewire.testing import Cluster

KEYS = 300


class Interrupted(Exception):
    """What the handler raises."""


class Alarm:
    """A signal that arrives at some moment of a block, unless the block ends before."""

    def __init__(self) -> None:
        self.armed = False
        signal.signal(signal.SIGALRM, self._raise)

    def _raise(self, *_: object) -> None:
        if self.armed:
            self.armed = False
            raise Interrupted

    def set(self, seconds: float) -> None:
        self.armed = True
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))

    def clear(self) -> None:
        self.armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> int:
    stress, alarm = Stress(), Alarm()
    # A handler may also run in the finalizer of a client whose opening was interrupted.
    report = sys.unraisablehook
    sys.unraisablehook = lambda what: None if what.exc_type is Interrupted else report(what)
    with Cluster(nodes=2) as cluster, spikewire.Client(cluster.seeds, timeout=5) as client:
        data = client.dataset("test", "interrupts")
        data.put_many({n: {"n": n} for n in range(KEYS)}).raise_for_errors()

        def wait() -> None:
            concurrent.futures.wait([data.submit.get(n) for n in range(KEYS)])

        def as_completed() -> None:
            for future in concurrent.futures.as_completed([data.submit.get(n) for n in range(100)]):
                future.result()

        def opened() -> None:
            spikewire.Client(cluster.seeds).close()

        calls = (
            lambda: data.get(1),
            lambda: data.put(2, {"n": 2}),
            lambda: data.operate(3, [op.get("n")]),
            lambda: data.get_many(range(KEYS)),
            lambda: data.put_many({n: {"n": n} for n in range(KEYS)}),
            lambda: list(data.query()),
            lambda: data.submit.get(4).result(),
            lambda: client.info("build"),
            wait,
            as_completed,
            opened,
        )
        ended = threading.Event()
        watch = threading.Thread(target=look, args=(stress, data, ended))
        watch.start()
        for call in itertools.cycle(calls):
            if stress.is_over:
                break
            stress.add({"calls": 1})
            try:
                alarm.set(stress.random.random() ** 3 * 0.01)
                call()
                alarm.clear()
            except Interrupted:
                stress.add({"interrupts": 1})
            finally:
                alarm.clear()
            began = time.monotonic()
            record = data.submit.get(5).result(30)
            stress.check(record["n"] == 5, "a submitted call read something else")
            stress.check(data.get(6)["n"] == 6, "a call read something else")
            stress.check(time.monotonic() - began < 20, "calls after an interrupt take too long")
        ended.set()
        watch.join()
    return stress.finish()


def look(stress: Stress, data: spikewire.Dataset, ended: threading.Event) -> None:
    """Another thread, which no interrupt concerns."""
    while not ended.is_set():
        stress.check(data.get(7)["n"] == 7, "another thread read something else")
        stress.check(data.submit.get(8).result(30)["n"] == 8, "another thread's submitted call")
        stress.add({"others": 2})
        ended.wait(0.002)


if __name__ == "__main__":
    sys.exit(main())
