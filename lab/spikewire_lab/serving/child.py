"""The serving process as a child of its users: started, waited for, ended by its own process id."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import deque
from typing import TYPE_CHECKING, cast

from ..run.cluster import stop_process
from ..run.launch import environment
from .cells import SERVE
from .server import SERVING

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from .result import ServingJob, ServingReport

START_SECONDS, END_SECONDS = 60.0, 20.0


class Child:
    """Raises `RuntimeError` with the server's own reason if it does not start."""

    def __init__(self, job: ServingJob) -> None:
        self._job = job
        self._last_lines: deque[str] = deque(maxlen=20)
        self._known = threading.Event()
        self.port = 0

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(  # noqa: S603 - no shell, our own arguments
            self._job["server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(self._job["variables"]),
        )
        try:
            self._listener = threading.Thread(target=self._listen, daemon=True)
            self._listener.start()
            assert self._process.stdin is not None
            with self._process.stdin as into:
                json.dump({**self._job, "action": SERVE}, into)
            self._known.wait(START_SECONDS)
            if not self.port:
                raise RuntimeError(f"the server did not start: {self._reason()}")
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def end(self) -> ServingReport:
        """Terminates the server, and returns its last report."""
        self._process.terminate()
        self._process.wait(END_SECONDS)
        answer = self._answer()
        if "answered" not in answer:
            raise RuntimeError(f"the server ended: {self._reason(answer)}")
        return cast("ServingReport", answer)

    def _listen(self) -> None:
        """Reads all of its output, so that it never blocks on it."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if line.startswith(f"{SERVING} "):
                self.port = int(line.split()[1])
                self._known.set()
            elif line.strip():
                self._last_lines.append(line.strip())
        self._known.set()

    def _answer(self) -> dict[str, object]:
        assert self._process.stdout is not None
        try:
            return cast("dict[str, object]", json.loads(self._process.stdout.read()))
        except ValueError:
            return {}

    def _reason(self, answer: dict[str, object] | None = None) -> str:
        stop_process(self._process)
        answer = self._answer() if answer is None else answer
        last = self._last_lines[-1] if self._last_lines else "it said nothing"
        return str(answer.get("failed", f"status {self._process.returncode}: {last}"))

    def _stop(self) -> None:
        stop_process(self._process)
        self._listener.join(END_SECONDS)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
