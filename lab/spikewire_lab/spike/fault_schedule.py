"""What befalls nodes in a scenario, at its instants, while a client is measured."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from .scenarios import INJECT, SLOW, SLOW_BOUNDS, TIMES_SLOWER

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from .cluster import FaultyCluster
    from .scenarios import Event, Scenario

NS = 1_000_000_000


def slowness(quiet: float) -> float:
    """Seconds by which a slow node delays its replies."""
    least, most = SLOW_BOUNDS
    return min(max(TIMES_SLOWER * quiet, least), most)


class FaultSchedule:
    """Carries out the events of a scenario, from when its worker says that it begins."""

    def __init__(self, scenario: Scenario, cluster: FaultyCluster | None, quiet: float) -> None:
        self._scenario, self._cluster, self._quiet = scenario, cluster, quiet
        self._began, self._known, self._over = 0, threading.Event(), threading.Event()
        self.log: list[tuple[float, str]] = []
        """What was done, and when, in seconds from the start."""
        self.failed = ""
        self._thread = threading.Thread(target=self._run, name="lab-faults", daemon=True)

    def on_report(self, report: Any) -> None:
        """Takes a report of the worker."""
        if "began" in report:
            self._began = report["began"]
            self._known.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._known.set()
        self._thread.join()

    def _run(self) -> None:
        self._known.wait()
        at = 0.0
        for phase in self._scenario.phases:
            for event in phase.events:
                wait = self._began / NS + at - time.perf_counter()
                if self._over.wait(max(0.0, wait)) or not self._began:
                    return
                try:
                    self._carry_out(event)
                except RuntimeError as error:
                    self.failed = str(error)
                    return
            at += phase.seconds

    def _carry_out(self, event: Event) -> None:
        assert self._cluster is not None
        faults, text = dict(event.faults), event.action
        if event.action == INJECT:
            if event.faults is SLOW:
                faults = {"delay": slowness(self._quiet)}
            text = ", ".join(f"{name} {value}" for name, value in faults.items())
        done = self._cluster.send(event.action, event.node, faults)
        self.log.append(((done - self._began) / NS, f"node {event.node}: {text}"))
