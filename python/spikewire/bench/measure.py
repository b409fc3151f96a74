"""What is read around the measured window, and latencies as HDR histograms."""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

HIGHEST_NS = 60_000_000_000
DIGITS = 3
PERCENTILES = (50.0, 90.0, 99.0, 99.9)


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
    """Busy seconds of all processors and processes together."""

    @staticmethod
    def now(server_pid: int | None) -> Usage:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Usage(
            clock=time.perf_counter(),
            user=used.ru_utime,
            system=used.ru_stime,
            waits=used.ru_nvcsw,
            preemptions=used.ru_nivcsw,
            server=None if server_pid is None else process_cpu(server_pid),
            machine=machine_cpu(),
        )


class Window:
    """The measured stretch of a run: what was used between `open` and `close`."""

    def __init__(self, server_pid: int | None = None) -> None:
        self._server_pid = server_pid
        self._before: Usage | None = None
        self.used: Usage | None = None

    def open(self) -> None:
        self._before = Usage.now(self._server_pid)

    def close(self) -> None:
        before, after = self._before, Usage.now(self._server_pid)
        if before is None:
            raise RuntimeError("the window was never opened")
        self.used = Usage(
            clock=after.clock - before.clock,
            user=after.user - before.user,
            system=after.system - before.system,
            waits=after.waits - before.waits,
            preemptions=after.preemptions - before.preemptions,
            server=_difference(before.server, after.server),
            machine=_difference(before.machine, after.machine),
        )


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def process_cpu(pid: int) -> float | None:
    """User and system seconds of another process, where the system reports them."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def machine_cpu() -> float | None:
    """Seconds that all processors together have been busy, where the system reports them. Processes
    that give way to all others do not count: they take only what would be idle."""
    try:
        fields = Path("/proc/stat").read_text().split(maxsplit=9)[1:9]
    except OSError:
        return None
    user, _nice, system, _idle, _waiting, irq, softirq, steal = map(int, fields)
    return (user + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def peak_rss() -> int:
    """The most memory this process has held, in bytes."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def reset_peak() -> int:
    """Forget earlier peaks where the system can; the peak from which to count, in bytes."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak_rss()


class Histogram(Protocol):
    """The part of the `hdrhistogram` package that is used."""

    def record_value(self, value: int) -> bool: ...

    def decode_and_add(self, encoded: bytes) -> None: ...

    def encode(self) -> bytes: ...

    def get_value_at_percentile(self, percentile: float) -> int: ...

    def get_total_count(self) -> int: ...


class _Module(Protocol):
    def HdrHistogram(self, lowest: int, highest: int, digits: int) -> Histogram: ...  # noqa: N802


def histogram() -> Histogram:
    """An empty histogram of nanoseconds, up to a minute."""
    module = cast("_Module", importlib.import_module("hdrh.histogram"))
    return module.HdrHistogram(1, HIGHEST_NS, DIGITS)


def encode(samples: Iterable[int]) -> str:
    """Nanoseconds to a compressed V2 histogram in base64, the field's exchange format."""
    recorded = histogram()
    for nanoseconds in samples:
        recorded.record_value(min(max(nanoseconds, 1), HIGHEST_NS))
    return recorded.encode().decode("ascii")


def merge(encoded: Iterable[str]) -> Histogram:
    """One histogram of them all: percentiles are never averaged."""
    merged = histogram()
    for text in encoded:
        merged.decode_and_add(text.encode("ascii"))
    return merged


def percentiles(merged: Histogram) -> dict[str, float]:
    """Microseconds at the usual percentiles, empty without samples."""
    if merged.get_total_count() == 0:
        return {}
    return {f"p{at:g}": merged.get_value_at_percentile(at) / 1000 for at in PERCENTILES}
