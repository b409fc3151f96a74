"""The embedded cluster of a scenario, whose nodes can be made to fail."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..run.cluster import EmbeddedCluster
from . import nodes
from .scenarios import CLEAR, INJECT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ANSWER_SECONDS = 40.0


class FaultyCluster(EmbeddedCluster):
    """`nodes` as a child process, which takes commands until its standard input is closed."""

    def __init__(
        self,
        count: int,
        namespace: str,
        threads: int = 1,
        cpus: Sequence[int] = (),
        copies: int = 2,
    ) -> None:
        command = [sys.executable, "-m", nodes.__name__]
        super().__init__(count, namespace, threads, cpus, command, copies)
        self.count = count
        self._first = {
            "nodes": count,
            "namespaces": [namespace],
            "threads": threads,
            "replication_factor": copies,
        }
        self._answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def send(self, action: str, node: int = 0, faults: Mapping[str, object] | None = None) -> int:
        """Has a command executed; returns when it was done, in nanoseconds of
        `time.perf_counter_ns`."""
        with self._lock:
            assert self._process is not None
            assert self._process.stdin is not None
            command = {"action": action, "node": node, "faults": dict(faults or {})}
            try:
                self._process.stdin.write(f"{json.dumps(command)}\n")
                self._process.stdin.flush()
                answer = self._answers.get(timeout=ANSWER_SECONDS)
            except (OSError, ValueError, queue.Empty) as error:
                raise RuntimeError(f"the embedded cluster does not answer: {error!r}") from None
        if "failed" in answer:
            raise RuntimeError(f"the embedded cluster: {answer['failed']}")
        at: int = answer["at"]
        return at

    def limit(self, service_time: float) -> None:
        """Gives each node a service time, or takes it away with 0."""
        for node in range(self.count):
            if service_time:
                self.send(INJECT, node, {"service_time": service_time})
            else:
                self.send(CLEAR, node)

    def _start(self) -> subprocess.Popen[str]:
        self._process = process = subprocess.Popen(  # noqa: S603 - no shell, our own arguments
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        # One that has ended gives the reason on its standard output.
        with suppress(OSError):
            process.stdin.write(f"{json.dumps(self._first)}\n")
            process.stdin.flush()
        self._listener = threading.Thread(target=self._listen, args=(process,), daemon=True)
        self._listener.start()
        return process

    def _other(self, line: str) -> None:
        if line.startswith("{"):
            self._answers.put(json.loads(line))

    def _stop(self) -> None:
        process = self._process
        super()._stop()
        if process is not None and process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
