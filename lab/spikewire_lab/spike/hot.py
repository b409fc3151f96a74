"""The record that half of all reads ask for: a writer counts it up, and readers note the count."""

from __future__ import annotations

import importlib
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .callers import BIN
from .jobs import target_of
from .schedule import HOT
from .staleness import Acknowledged, Seen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .result import SpikeJob, SpikePlan

WRITE_EVERY = 0.02
"""Seconds between two writes."""
OPEN_SECONDS = 10.0


class Hot:
    """The reads of the record that a writer counts up."""

    def __init__(self, plan: SpikePlan) -> None:
        self.watched = plan["writer"]
        self.reads: list[Seen] = []
        self.number = 0

    def read(self, begun: int, bins: Mapping[str, Any]) -> None:
        self.number += 1
        if self.watched:
            self.reads.append(Seen(begun, bins[BIN]))


class Writer:
    """Counts up the record that is read most, with a client of its own in a thread."""

    def __init__(self, job: SpikeJob) -> None:
        self._job = job
        self._over = threading.Event()
        self._open = threading.Event()
        self.writes: list[Acknowledged] = []
        self._thread = threading.Thread(target=self._run, name="bench-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._open.wait(OPEN_SECONDS)

    def end(self) -> None:
        self._over.set()
        self._thread.join(OPEN_SECONDS)

    def _run(self) -> None:
        module: Any = importlib.import_module("spikewire")
        target, count = target_of(self._job), 0
        with module.Client.connect(target.seed_text, **target.options) as client:
            records = client.dataset(target.namespace, target.set_name)
            records.put(HOT, {BIN: count})
            self._open.set()
            while not self._over.wait(WRITE_EVERY):
                count += 1
                # Only counts that were acknowledged are compared with.
                with suppress(module.Error):
                    records.put(HOT, {BIN: count})
                    self.writes.append(Acknowledged(time.perf_counter_ns(), count))
