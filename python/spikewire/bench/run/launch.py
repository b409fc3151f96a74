"""Children: one job each, bounded in time, ended by their own process id and nothing else."""

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
from ..open.contract import OVERTIME
from ..result import Failure, Job, Result, failure_of
from ..series.lines import MARK
from ..work.mix import INSERTING
from ..worker.job import INSERT_LIMIT
from .cluster import stop_process
from .packages import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..cql.result import CqlJob
    from .together import Meeting

FOLDER = Path(__file__).resolve().parents[1]
CLIENT_VARIABLES = (
    *("AEROSPIKE_", "CASS_DRIVER_", "PSDK_", "SPIKEWIRE_", "OTEL_", "UV_", "UVLOOP_", "RUST_LOG"),
    *("TOKIO_", "PYTHON_GIL", "PYTHONASYNCIODEBUG", "PYTHONDEVMODE", "PYTHONTRACEMALLOC"),
    *("PYTHONMALLOC", "PYTHONPROFILE", "PYTHONWARNINGS"),
)
"""What they begin with: the client and the runtime under it would work differently."""
RUST_VARIABLES = ("SPIKEWIRE_NATIVE",)
"""Passed to the Rust programs alone: ours with threads of its own. To the npm package the same name
would say which file to load."""
RECORDED = (
    *("LD_", "DYLD_", "MALLOC_", "GLIBC_TUNABLES", "JEMALLOC_", "MIMALLOC_", "PYTHON", "NODE_"),
)
"""Passed on, because a machine may need them, and written down."""
SETUP_SECONDS = 120.0
LAST_WORDS = 5.0
"""Seconds after a child's end within which all that it said has been read."""
POPULATE = "populate"


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's variables without those that change how a client works, and `extra`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(CLIENT_VARIABLES)}
    return {**kept, **extra}


def rust_variables() -> dict[str, str]:
    """Those for the Rust programs that are set."""
    return {name: os.environ[name] for name in RUST_VARIABLES if name in os.environ}


def recorded_variables() -> dict[str, str]:
    """Those of the variables passed on that can change what is measured; of those that hold paths,
    which say more about the machine than about the run, it is only known that they are set."""
    known = (*RECORDED, *RUST_VARIABLES)
    passed = sorted(environment(rust_variables()).items())
    return {
        name: "a path" if os.sep in value else value
        for name, value in passed
        if name.startswith(known)
    }


def python_worker(interpreter: str) -> list[str]:
    """A worker that loads the lab without the package around it; "" is this interpreter."""
    return [interpreter or sys.executable, str(FOLDER)]


class Listening:
    """Reads what a child says while it works, in a thread."""

    def __init__(
        self,
        process: subprocess.Popen[str],
        heard: Callable[[Any], object] | None,
        meeting: Meeting | None,
    ) -> None:
        """Its standard error is no longer the process's, which would read it as well; nor is its
        standard input, where it is to wait for others."""
        assert process.stderr is not None
        self._stream, process.stderr = process.stderr, None
        self._heard, self._others, self._meeting = heard, list[str](), meeting
        self._input = process.stdin
        if meeting is not None:
            meeting.joined(process)
        self._thread = threading.Thread(target=self._run, name="bench-listening", daemon=True)
        self._thread.start()

    def end(self) -> str:
        """The lines that were not for the lab."""
        self._thread.join(LAST_WORDS)
        if self._meeting is not None and self._input is not None:
            # Where it did not come to the meeting.
            with suppress(OSError):
                self._input.close()
        return "".join(self._others)

    def _run(self) -> None:
        with self._stream as stream:
            for line in stream:
                if not line.startswith(MARK):
                    self._others.append(line)
                    continue
                said = json.loads(line.removeprefix(MARK))
                if "ready" in said and self._meeting is not None and self._input is not None:
                    self._meeting.reached(self._input)
                elif self._heard is not None:
                    self._heard(said)


def _begin(process: subprocess.Popen[str], text: str) -> None:
    """Hands over the job alone: more is to follow."""
    assert process.stdin is not None
    given, process.stdin = process.stdin, None
    # A process that is gone says so by itself.
    with suppress(OSError):
        given.write(text)
        given.flush()


def run_job(
    command: Sequence[str],
    job: Job | CqlJob,
    extra: Mapping[str, str] | None = None,
    seconds: float = SETUP_SECONDS,
    heard: Callable[[Any], object] | None = None,
    meeting: Meeting | None = None,
) -> Mapping[str, Any]:
    """Start a child, hand it the job, and wait for its answer: so many seconds, and those that
    the job warms up and measures. `heard` is called in another thread with what it says before; in
    the `meeting` it waits for others."""
    package = folder_of(build_of(job["client"]))
    given = job if package is None else {**job, "package": package}
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
        text = f"{json.dumps(given)}\n"
        listening = None
        if heard is not None or meeting is not None:
            listening = Listening(process, heard, meeting)
        if meeting is not None:
            _begin(process, text)
        try:
            out, err = process.communicate(None if meeting else text, timeout=limit)
        except subprocess.TimeoutExpired:
            return Failure(failed=f"no answer within {limit:g} s")
        finally:
            stop_process(process)
            others = "" if listening is None else listening.end()
    return hidden(_answer(out, others or err or "", process.returncode), Access.of_job(given))


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
    """The answer without the password, which a client's own words might have."""
    password = access.password.text()
    if not password:
        return answer
    texts = {name: answer[name] for name in ("failed", "first_error") if answer.get(name)}
    return {**answer, **{name: text.replace(password, HIDDEN) for name, text in texts.items()}}


def as_result(answer: Mapping[str, Any]) -> Result | Failure:
    """Distinguish a result from a failure, and refuse anything that is neither."""
    return failure_of(answer, Result.__required_keys__) or cast("Result", answer)
