"""What the kinds of stress share: a cluster whose faults change, counts, and the last line."""

from __future__ import annotations

import faulthandler
import json
import random
import sys
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spikewire.testing import Cluster
    from spikewire.testing.cluster import Faults

FAULTS: tuple[Faults, ...] = (
    {},
    {"drop": 0.02},
    {"drop_reply": 0.02},
    {"cut": 0.02},
    {"error": 0.1, "code": 18},
    {"refuse": "close"},
    {"delay": 0.02},
    {"drip": (7, 0.001)},
)


class Stress:
    """A round: its end, its random numbers, its counts and what was wrong."""

    def __init__(self) -> None:
        self.seconds, self.seed = float(sys.argv[1]), int(sys.argv[2])
        #: How much work ends the round before its time is up; 0: only the time does.
        self.goal = int(sys.argv[3]) if len(sys.argv) > 3 else 0
        self.done = 0
        self.random = random.Random(self.seed)
        self.end = time.monotonic() + self.seconds
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._lock = threading.Lock()
        # A round that hangs says where before it is ended from outside.
        faulthandler.dump_traceback_later(self.seconds + 90, exit=True)

    @property
    def is_over(self) -> bool:
        """Whether the time is up, or enough is done."""
        return time.monotonic() >= self.end or 0 < self.goal <= self.done

    def note_done(self) -> None:
        """Counts a piece of work, for the goal."""
        with self._lock:
            self.done += 1

    def add(self, counts: Mapping[str, int]) -> None:
        """Adds what one worker counted."""
        with self._lock:
            self.counts.update(counts)

    def check(self, holds: bool, text: str) -> None:
        """Notes what is wrong."""
        if not holds:
            with self._lock:
                self.wrong.append(text)

    def run(self, *workers: Callable[[], object]) -> None:
        """Runs each in a thread until all have ended; an exception of one is something wrong."""

        def guarded(worker: Callable[[], object]) -> None:
            try:
                worker()
            except BaseException as error:
                self.check(False, f"{type(error).__name__}: {error}")
                raise

        threads = [threading.Thread(target=guarded, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def change_faults(self, cluster: Cluster) -> None:
        """Draws a fault for a node every few hundredths of a second, until the time is up; then
        there are none."""
        draw = random.Random(self.seed)
        while not self.is_over:
            node = draw.randrange(cluster.nodes)
            cluster.inject(node, seed=draw.randrange(1 << 30), **draw.choice(FAULTS))
            time.sleep(0.05)
        for node in range(cluster.nodes):
            cluster.clear_faults(node)

    def finish(self) -> int:
        """Prints the counts; returns the exit status."""
        faulthandler.cancel_dump_traceback_later()
        reached = f"only {self.done:,} of {self.goal:,} in {self.seconds:.0f} s"
        self.check(self.done >= self.goal, reached)
        print(json.dumps(dict(self.counts)), flush=True)
        for text in self.wrong[:20]:
            print(text, file=sys.stderr)
        return 1 if self.wrong else 0
