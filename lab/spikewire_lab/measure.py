"""Clocks and counters read around the measured window, and latencies as HDR histograms."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typing_extensions import Self

    from .series.timeline import Timeline

NS = 1_000_000_000
HIGHEST_NS = 60_000_000_000
DIGITS = 3
PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
BEYOND = 10
"""Samples that must lie beyond a percentile for it to be shown; the median is always shown."""
WITHIN_MS = (1, 2, 4, 8, 16)
"""Milliseconds for which the calls that took no longer are counted."""


@dataclass(frozen=True)
class Usage:
    """Clocks and counters of this process, and of the server if it is on this machine."""

    clock: float
    user: float
    system: float
    waits: int
    preemptions: int
    server: float | None
    machine: float | None
    """Busy seconds of all processors, for all processes together."""
    server_threads: Mapping[int, float]
    """Seconds of each thread of the server."""

    @staticmethod
    def now(
        server_pids: Sequence[int],
        clock: Callable[[], float] = time.perf_counter,
        *,
        opening: bool = False,
    ) -> Usage:
        """Reads the values of now. Those of other processes take time to read, which must not fall
        into the window: they are read before one opens and after it has closed."""
        own = None if opening else (clock(), resource.getrusage(resource.RUSAGE_SELF))
        each = [process_cpu(pid) for pid in server_pids]
        known = [seconds for seconds in each if seconds is not None]
        server = sum(known) if known and len(known) == len(each) else None
        threads = {
            thread: seconds for pid in server_pids for thread, seconds in threads_cpu(pid).items()
        }
        machine = machine_cpu()
        instant, used = own or (clock(), resource.getrusage(resource.RUSAGE_SELF))
        return Usage(
            clock=instant,
            user=used.ru_utime,
            system=used.ru_stime,
            waits=used.ru_nvcsw,
            preemptions=used.ru_nivcsw,
            server=server,
            machine=machine,
            server_threads=threads,
        )


class Window:
    """The measured part of a run: what was used between `open` and `close`."""

    def __init__(
        self,
        server_pid: int | Sequence[int] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`server_pid`: the process of a server on this machine, or its processes."""
        self._server_pids: Sequence[int] = (
            ()
            if server_pid is None
            else (server_pid,)
            if isinstance(server_pid, int)
            else server_pid
        )
        self._clock = clock
        self._before: Usage | None = None
        self.used: Usage | None = None
        self.at_edges: Callable[[], object] = bool
        """Called when the window opens and when it closes, outside the window."""
        self.at_instants: Callable[[], object] = bool
        """Called at the very instants of opening and closing; must take next to no time."""
        self.prepared: Callable[[], object] = bool
        """Called when everything is prepared, before the warm-up."""
        self.opens: Callable[[], int] | None = None
        """Returns the instant, in nanoseconds, at which to open, for windows of several processes
        that open together."""
        self.timeline: Timeline | None = None
        """Set if results by interval are wanted."""

    def open(self) -> None:
        self.at_edges()
        if self.timeline is not None:
            self.timeline.prepare()
        if self.opens is not None:
            time.sleep(max(0, self.opens() - time.perf_counter_ns()) / NS)
        self._before = Usage.now(self._server_pids, self._clock, opening=True)
        self.at_instants()
        if self.timeline is not None:
            self.timeline.begin(self.began)

    @property
    def began(self) -> int:
        """When the window was opened, in nanoseconds."""
        if self._before is None:
            raise RuntimeError("the window was never opened")
        return round(self._before.clock * NS)

    def close(self) -> None:
        self.at_instants()
        before, after = self._before, Usage.now(self._server_pids, self._clock)
        if before is None:
            raise RuntimeError("the window was never opened")
        self.at_edges()
        if self.timeline is not None:
            self.timeline.end()
        self.used = Usage(
            clock=after.clock - before.clock,
            user=after.user - before.user,
            system=after.system - before.system,
            waits=after.waits - before.waits,
            preemptions=after.preemptions - before.preemptions,
            server=_difference(before.server, after.server),
            machine=_difference(before.machine, after.machine),
            server_threads={
                thread: seconds - before.server_threads.get(thread, 0.0)
                for thread, seconds in after.server_threads.items()
            },
        )


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def server_of(job: Mapping[str, Any]) -> int | list[int] | None:
    """The process, or the processes, of the job's server on this machine; None if it has none."""
    return cast("list[int] | None", job.get("server_pids")) or cast("int | None", job["server_pid"])


def process_cpu(pid: int) -> float | None:
    """User and system seconds of another process, if the system reports them."""
    return _cpu_in(Path(f"/proc/{pid}/stat"))


def threads_cpu(pid: int) -> dict[int, float]:
    """The same of each of its threads."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return {}
    times = {int(task.name): _cpu_in(task / "stat") for task in tasks}
    return {task: seconds for task, seconds in times.items() if seconds is not None}


def _cpu_in(stat: Path) -> float | None:
    try:
        fields = stat.read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def machine_cpu() -> float | None:
    """Busy seconds of all processors together, if the system reports them. Processes of idle
    priority do not count: they only use time that would be idle."""
    try:
        fields = Path("/proc/stat").read_text().split(maxsplit=9)[1:9]
    except OSError:
        return None
    user, _nice, system, _idle, _waiting, irq, softirq, steal = map(int, fields)
    return (user + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def peak_rss() -> int:
    """The peak resident memory of this process, in bytes."""
    known = _memory().get("VmHWM")
    if known is not None:
        return known
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def rss() -> int | None:
    """The resident memory of this process in bytes, if the system reports it."""
    return _memory().get("VmRSS")


def _memory() -> dict[str, int]:
    """Memory figures of this process, in bytes; empty if the system reports none."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return {}
    fields = (line.partition(":") for line in lines if line.startswith(("VmHWM:", "VmRSS:")))
    return {name: int(value.split()[0]) * 1024 for name, _, value in fields}


class Growth:
    """Bytes that a `with` block adds to the peak of the resident memory.

    Free memory is returned to the system first, if possible: allocations that fit into memory that
    the process already holds would not show.
    """

    size: int | None = None
    """None until the block has ended, and on systems that cannot reset the peak."""

    def __enter__(self) -> Self:
        give_back()
        self._forgotten = forget_peak()
        self._before = peak_rss()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._forgotten:
            self.size = peak_rss() - self._before


def give_back() -> None:
    """Returns free memory to the system, if possible."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


FORGOTTEN = 1 << 21
"""Bytes by which a peak that was just reset may exceed the current memory: other threads
continue."""


def forget_peak() -> bool:
    """Resets the peak of the resident memory; returns whether the system supports it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    held = _memory()
    return "VmHWM" in held and held["VmHWM"] - held.get("VmRSS", 0) <= FORGOTTEN


class _Step(Protocol):
    value_iterated_to: int
    count_at_value_iterated_to: int


class Histogram(Protocol):
    """The part of the `hdrhistogram` package that is used."""

    def record_value(self, value: int) -> bool: ...

    def decode_and_add(self, encoded: bytes) -> None: ...

    def encode(self) -> bytes: ...

    def get_value_at_percentile(self, percentile: float) -> int: ...

    def get_total_count(self) -> int: ...

    def get_mean_value(self) -> float: ...

    def get_recorded_iterator(self) -> Iterable[_Step]: ...


class _Module(Protocol):
    def HdrHistogram(self, lowest: int, highest: int, digits: int) -> Histogram: ...  # noqa: N802


_gil_before: list[bool] = []


def gil_enabled() -> bool:
    """Whether the interpreter has its GIL, or had it before histograms were first used: their
    package switches it on, which happens when all measurements are done."""
    return _gil_before[0] if _gil_before else _gil_enabled()


def _gil_enabled() -> bool:
    enabled = getattr(sys, "_is_gil_enabled", None)
    return bool(enabled()) if enabled is not None else True


def histogram() -> Histogram:
    """An empty histogram of nanoseconds, up to a minute."""
    if not _gil_before:
        _gil_before.append(_gil_enabled())
    module = cast("_Module", importlib.import_module("hdrh.histogram"))
    return module.HdrHistogram(1, HIGHEST_NS, DIGITS)


def encode(samples: Iterable[int]) -> str:
    """Encodes nanoseconds as a compressed V2 histogram in base64, the common exchange format."""
    recorded = histogram()
    for nanoseconds in samples:
        recorded.record_value(min(max(nanoseconds, 1), HIGHEST_NS))
    return recorded.encode().decode("ascii")


def merge(encoded: Iterable[str]) -> Histogram:
    """Merges them into one histogram: percentiles are never averaged."""
    merged = histogram()
    for text in encoded:
        merged.decode_and_add(text.encode("ascii"))
    return merged


def joined(encoded: Iterable[str]) -> str:
    """The merged histogram, encoded again."""
    return merge(encoded).encode().decode("ascii")


def enough(samples: int, percentile: float) -> bool:
    """Whether this number of samples is enough for a percentile."""
    beyond = samples * round(10_000 - 100 * percentile)  # in ten-thousandths: 99.9 is inexact
    return bool(samples) and (percentile <= PERCENTILES[0] or beyond >= 10_000 * BEYOND)


def percentiles(merged: Histogram) -> dict[str, float]:
    """Microseconds at those of the usual percentiles for which there are enough samples."""
    total = merged.get_total_count()
    return {
        f"p{at:g}": merged.get_value_at_percentile(at) / 1000
        for at in PERCENTILES
        if enough(total, at)
    }


def mean(merged: Histogram) -> float | None:
    """Microseconds; None without samples."""
    return merged.get_mean_value() / 1000 if merged.get_total_count() else None


def within(merged: Histogram) -> dict[str, float] | None:
    """The share of the samples that took at most so many milliseconds."""
    total, counted = merged.get_total_count(), dict.fromkeys(WITHIN_MS, 0)
    if not total:
        return None
    for step in merged.get_recorded_iterator():
        for limit in WITHIN_MS:
            if step.value_iterated_to <= limit * 1_000_000:
                counted[limit] += step.count_at_value_iterated_to
    return {str(limit): count / total for limit, count in counted.items()}


def load_average() -> list[float]:
    return [round(value, 2) for value in os.getloadavg()]
