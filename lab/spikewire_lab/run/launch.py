"""Child processes: one job each, with a time limit, ended only by their own process id."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..access import HIDDEN, Access
from ..clients.registry import build_of
from ..contract.open import OVERTIME
from ..contract.result import Failure, Job, Result, failure_of
from ..series.lines import MARK
from ..work.mix import INSERTING
from ..worker.job import INSERT_LIMIT
from .cluster import stop_process
from .packages import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..contract.cql import CqlJob
    from .meeting import Meeting

FOLDER = Path(__file__).resolve().parents[1]
CLIENT_VARIABLES = (
    *("AEROSPIKE_", "CASS_DRIVER_", "PSDK_", "SPIKEWIRE_", "OTEL_", "UV_", "UVLOOP_", "RUST_LOG"),
    *("TOKIO_", "PYTHON_GIL", "PYTHONASYNCIODEBUG", "PYTHONDEVMODE", "PYTHONTRACEMALLOC"),
    *("PYTHONMALLOC", "PYTHONPROFILE", "PYTHONWARNINGS"),
)
"""Prefixes of variables that change how a client or its runtime works."""
RUST_VARIABLES = ("SPIKEWIRE_NATIVE",)
"""Passed only to the Rust programs, where it selects our client's own threads. In the npm package
the same name selects the file to load."""
RECORDED = (
    *("LD_", "DYLD_", "MALLOC_", "GLIBC_TUNABLES", "JEMALLOC_", "MIMALLOC_", "PYTHON", "NODE_"),
)
"""Passed on, because a machine may need them, and recorded."""
SETUP_SECONDS = 120.0
LAST_WORDS = 5.0
"""Seconds after a child's end in which its remaining output must arrive."""
POPULATE = "populate"


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's variables without those that change how a client works, and `extra`."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(CLIENT_VARIABLES)}
    return {**inherited, **extra}


def rust_variables() -> dict[str, str]:
    """The variables for the Rust programs that are set."""
    return {name: os.environ[name] for name in RUST_VARIABLES if name in os.environ}


def recorded_variables() -> dict[str, str]:
    """The variables passed on that may affect measurements. For those that hold paths, which say
    more about the machine than about the run, only the fact that they are set."""
    known = (*RECORDED, *RUST_VARIABLES)
    passed = sorted(environment(rust_variables()).items())
    return {
        name: "a path" if os.sep in value else value
        for name, value in passed
        if name.startswith(known)
    }


def python_worker(interpreter: str) -> list[str]:
    """The command of a worker, which loads the lab by its folder; "" is this interpreter."""
    return [interpreter or sys.executable, str(FOLDER)]


class OutputReader:
    """Reads a child's output in a thread while it works."""

    def __init__(
        self,
        process: subprocess.Popen[str],
        on_report: Callable[[Any], object] | None,
        meeting: Meeting | None,
    ) -> None:
        """Takes over its standard error, which would otherwise be read twice, and its standard
        input if it is to wait for other processes."""
        assert process.stderr is not None
        self._stream, process.stderr = process.stderr, None
        self._on_report, self._others, self._meeting = on_report, list[str](), meeting
        self._input = process.stdin
        if meeting is not None:
            meeting.joined(process)
        self._thread = threading.Thread(target=self._run, name="bench-listening", daemon=True)
        self._thread.start()

    def end(self) -> str:
        """The lines that were not for the lab."""
        self._thread.join(LAST_WORDS)
        if self._meeting is not None and self._input is not None:
            # If it did not get as far as the meeting.
            with suppress(OSError):
                self._input.close()
        return "".join(self._others)

    def _run(self) -> None:
        with self._stream as stream:
            for line in stream:
                if not line.startswith(MARK):
                    self._others.append(line)
                    continue
                report = json.loads(line.removeprefix(MARK))
                if "ready" in report and self._meeting is not None and self._input is not None:
                    self._meeting.reached(self._input)
                elif self._on_report is not None:
                    self._on_report(report)


def _begin(process: subprocess.Popen[str], text: str) -> None:
    """Writes only the job and leaves the input open for more."""
    assert process.stdin is not None
    stdin, process.stdin = process.stdin, None
    # A process that has ended reports why itself.
    with suppress(OSError):
        stdin.write(text)
        stdin.flush()


def run_job(
    command: Sequence[str],
    job: Job | CqlJob,
    extra: Mapping[str, str] | None = None,
    seconds: float = SETUP_SECONDS,
    on_report: Callable[[Any], object] | None = None,
    meeting: Meeting | None = None,
) -> Mapping[str, Any]:
    """Starts a child, passes it the job, and waits for its answer: so many seconds in addition to
    the job's warm-up and measurement. `on_report` is called in another thread with each of its
    reports before; in the `meeting` it waits for other processes."""
    package = folder_of(build_of(job["client"]))
    full_job = job if package is None else {**job, "package": package}
    limit = seconds + job["warmup"] + job["duration"]
    if "open" in job:
        limit += OVERTIME * (job["warmup"] + job["duration"])
    if job["action"] == POPULATE or job.get("workload") == INSERTING:
        limit += INSERT_LIMIT
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, our own arguments
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(extra or {}),
            start_new_session=True,
        )
    except OSError as error:
        return Failure(failed=f"cannot start {command[0]}: {error.strerror}")
    with process:
        text = f"{json.dumps(full_job)}\n"
        listening = None
        if on_report is not None or meeting is not None:
            listening = OutputReader(process, on_report, meeting)
        if meeting is not None:
            _begin(process, text)
        try:
            out, err = process.communicate(None if meeting else text, timeout=limit)
        except subprocess.TimeoutExpired:
            return Failure(failed=f"no answer within {limit:g} s")
        finally:
            stop_process(process)
            others = "" if listening is None else listening.end()
    return hidden(_answer(out, others or err or "", process.returncode), Access.of_job(full_job))


def _answer(out: str, err: str, status: int) -> Mapping[str, Any]:
    try:
        answer: object = json.loads(out)
    except ValueError:
        last = err.strip().splitlines()[-1:] or ["it said nothing"]
        return Failure(failed=f"the worker ended with status {status}: {last[0]}")
    if not isinstance(answer, dict):
        return Failure(failed=f"the worker answered {out[:80]!r}")
    return cast("Mapping[str, Any]", answer)


def hidden(answer: Mapping[str, Any], access: Access) -> Mapping[str, Any]:
    """The answer without the password, which a client's own message might contain."""
    password = access.password.text()
    if not password:
        return answer
    texts = {name: answer[name] for name in ("failed", "first_error") if answer.get(name)}
    return {**answer, **{name: text.replace(password, HIDDEN) for name, text in texts.items()}}


def as_result(answer: Mapping[str, Any]) -> Result | Failure:
    """Tells a result from a failure, and rejects anything else."""
    return failure_of(answer, Result.__required_keys__) or cast("Result", answer)
