"""Single records alone, then beside scans of another process, and among scans of the same one."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..measure import merge, percentiles
from ..run.cluster import stop_process
from ..run.interrupts import interrupts_wait
from ..run.launch import as_result, environment, python_worker
from .cells import GET_AMONG_SCANS, GETS_SCANS, KEEP_SCANNING, usual_way
from .worker import SCANNING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from ..contract.result import Failure, Job, Result

START_SECONDS, ANSWER_SECONDS = 60.0, 30.0


@dataclass(frozen=True)
class Getter:
    """A client whose gets are measured."""

    client: str
    mode: str
    interpreter: str = ""

    def __str__(self) -> str:
        return f"{self.client} {self.mode} get"


@dataclass(frozen=True)
class GetsDuringScans:
    """Gets during scans."""

    gets: Result | Failure
    scanned: int | None = None
    """Records that the scans read meanwhile, in total."""
    seconds: float = 0.0
    """The seconds in which they were read."""

    @staticmethod
    def of_json(read: Mapping[str, Any] | None) -> GetsDuringScans | None:
        """Reads the fields as `asdict` gives them."""
        return None if read is None else GetsDuringScans(**read)

    @property
    def rate(self) -> float | None:
        """Scanned records per second."""
        return self.scanned / self.seconds if self.scanned is not None and self.seconds else None


@dataclass(frozen=True)
class GetRound:
    """Gets alone, beside scans of another process, and among scans of the same one."""

    alone: Result | Failure
    beside: GetsDuringScans | None = None
    among: GetsDuringScans | None = None
    """None if the client has no scan that is fast enough."""

    @staticmethod
    def of_json(read: Mapping[str, Any]) -> GetRound:
        """Reads the fields as `asdict` gives them; others beside them are ignored."""
        during = GetsDuringScans.of_json
        return GetRound(read["alone"], during(read["beside"]), during(read["among"]))

    @property
    def failure(self) -> str | None:
        crowded = (one.gets for one in (self.beside, self.among) if one is not None)
        for outcome in (self.alone, *crowded):
            if "failed" in outcome:
                return outcome["failed"]
            if outcome["errors"]:
                return f"{outcome['errors']:,} errors, the first: {outcome['first_error']}"
        return None

    def brief(self) -> str:
        if self.failure is not None:
            return f"failed: {self.failure}"
        parts = [f"{_p99([self.alone])} alone"]
        for during, where in ((self.beside, "beside"), (self.among, "among")):
            if during is not None:
                parts.append(f"{_p99([during.gets])} {where} {GETS_SCANS} scans")
        return f"p99 {', '.join(parts)}"


def latency(outcomes: Sequence[Result | Failure]) -> dict[str, float]:
    """Percentiles in microseconds over all runs that have any."""
    return percentiles(merge(one["latency"]["read"] for one in outcomes if "failed" not in one))


def _p99(outcomes: Sequence[Result | Failure]) -> str:
    known = latency(outcomes).get("p99")
    return "too few samples" if known is None else f"{known:,.0f} us"


def gets_alone_and_not(
    start: Callable[[Job], Mapping[str, object]], getting: Job, scanning: Job
) -> GetRound:
    """All runs, one after the other, in processes of their own."""
    alone = as_result(start(getting))
    if "failed" in alone:
        return GetRound(alone)
    beside = _beside(start, getting, scanning)
    if usual_way(getting["client"], getting["mode"]) is None:
        return GetRound(alone, beside)
    return GetRound(alone, beside, _among(start({**getting, "action": GET_AMONG_SCANS})))


def _beside(
    start: Callable[[Job], Mapping[str, object]], getting: Job, scanning: Job
) -> GetsDuringScans:
    scans = ScanProcess(scanning)
    with scans:
        if scans.failed is not None:
            return GetsDuringScans({"failed": scans.failed})
        gets = as_result(start(getting))
    if scans.records is None:
        return GetsDuringScans({"failed": scans.failed or "the scans did not say what they read"})
    return GetsDuringScans(gets, scans.records, scans.seconds)


def _among(answer: Mapping[str, object]) -> GetsDuringScans:
    scanned, seconds = answer.get("scanned"), answer.get("scan_seconds")
    if not isinstance(scanned, int) or not isinstance(seconds, float):
        return GetsDuringScans(as_result(answer))
    return GetsDuringScans(as_result(answer), scanned, seconds)


@dataclass
class ScanProcess:
    """A process that scans for the duration of the `with` block."""

    job: Job
    records: int | None = None
    seconds: float = 0.0
    failed: str | None = None
    _last_lines: deque[str] = field(default_factory=lambda: deque[str](maxlen=5))
    _going: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        job: Job = {**self.job, "action": KEEP_SCANNING}
        with contextlib.ExitStack() as undo:
            with interrupts_wait():
                self._start()
                undo.callback(self._stop)
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(job))
            self._process.stdin.close()
            self._going.wait(START_SECONDS)
            if SCANNING not in self._last_lines:
                output = " ".join(self._last_lines) or "nothing was said"
                self.failed = f"the scans did not start: {output}"
            self._began = time.perf_counter()
            undo.pop_all()
        return self

    def _start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - no shell, our own arguments
            python_worker(""),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment({}),
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _stop(self) -> None:
        assert self._process.stdout is not None
        stop_process(self._process)
        self._process.stdout.close()
        self._listener.join()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Terminates the process, which then reports what it did."""
        self.seconds = time.perf_counter() - self._began
        process = self._process
        assert process.stdout is not None
        process.terminate()
        killer = threading.Timer(ANSWER_SECONDS, process.kill)
        killer.start()
        try:
            self._read_lines(process.stdout.read())
        finally:
            killer.cancel()
            self._stop()

    def _read_lines(self, text: str) -> None:
        try:
            answer: dict[str, object] = json.loads(text)
        except ValueError:
            self.failed = self.failed or f"the scans ended with {text[:80]!r}"
            return
        records = answer.get("records")
        self.records = records if isinstance(records, int) else None
        if self.records is None:
            self.failed = f"the scans failed: {answer.get('failed')}"

    def _listen(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in stream:
                self._last_lines.append(line.rstrip())
                if line.rstrip() == SCANNING:
                    self._going.set()
        self._going.set()
