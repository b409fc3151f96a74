"""Summaries of the rounds of a scan, or of gets during scans."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from ..table.figures import Spread
from ..table.summary import busy_share, loop_delay
from .cells import NOTHING, Scan
from .gets import GetRound, GetsDuringScans, Getter, latency

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..contract.queries import Outcome, ScanResult


@dataclass(frozen=True)
class ScanLine:
    """One row: medians of the rounds, and the highest memory of any."""

    scan: Scan
    rounds: int
    failures: tuple[str, ...]
    version: str = ""
    runtime: str = ""
    """The runtime of the client."""
    rows: int | None = None
    """Records of one scan."""
    rate: Spread | None = None
    """Records per second."""
    cpu: Spread | None = None
    """Microseconds of the client's processor time for each record."""
    cpu_server: float | None = None
    server_busy: float | None = None
    """The share of the time that the embedded cluster's threads were busy; 1 is saturated."""
    grown: int | None = None
    """Bytes from the resident memory before the first scan to the peak, in the highest round."""
    checked: str | None = None
    """How every record of a scan was checked: `by key`, `by content`, or why not."""
    grown_exact: bool = True
    """Whether the system recorded that peak; if not, it is the highest of ten samples a second."""
    loop_delay: Mapping[str, float] | None = None
    """The lateness of Node.js timers in microseconds."""
    rate_ratio: float | None = None
    """Records per second relative to the fastest peer."""
    cpu_ratio: float | None = None
    """Processor time relative to the most economical peer."""

    @property
    def remarks(self) -> list[str]:
        """How this scan differs from the usual ones."""
        remarks: list[str] = []
        if self.grown is not None and not self.grown_exact:
            remarks.append("+MB by ten samples a second, as an earlier peak was not forgotten")
        if self.checked is not None and self.checked.startswith("not"):
            remarks.append(f"records were not compared with what was written: {self.checked}")
        return remarks

    def as_json(self) -> dict[str, object]:
        fields = asdict(self)
        scan: dict[str, object] = fields.pop("scan")
        return {**scan, **fields}


@dataclass(frozen=True)
class DuringLine:
    """Single records during scans."""

    latency: Mapping[str, float]
    """Microseconds, all rounds merged."""
    ratio: float | None
    """p99 relative to that of the gets alone."""
    scan_rate: float | None
    """Records per second that the scans read meanwhile, in total; median of the rounds."""


@dataclass(frozen=True)
class GetLine:
    """Single records alone and during scans, all rounds merged; microseconds."""

    getter: Getter
    rounds: int
    failures: tuple[str, ...]
    alone: Mapping[str, float]
    beside: DuringLine
    """Scans of another process, always by the same client."""
    among: DuringLine | None
    """Scans by the same client in the same process; None if it has no fast scan."""

    def as_json(self) -> dict[str, object]:
        fields = asdict(self)
        getter: dict[str, object] = fields.pop("getter")
        return {**getter, **fields}


def scan_lines(group: Mapping[Scan, Sequence[Outcome]]) -> list[ScanLine]:
    """Lines that are compared with each other."""
    lines = [_scan_line(scan, rounds) for scan, rounds in group.items()]
    idle = [line for line in lines if line.scan.consumer == NOTHING]
    peers = [line for line in idle if not line.scan.ours and not line.failures]
    rates = [line.rate.median for line in peers if line.rate]
    costs = [line.cpu.median for line in peers if line.cpu]

    def compared(line: ScanLine) -> ScanLine:
        if line not in idle or not line.rate or not line.cpu or not rates:
            return line
        return replace(
            line,
            rate_ratio=line.rate.median / max(rates),
            cpu_ratio=line.cpu.median / min(costs) if min(costs) else None,
        )

    return [compared(line) for line in lines]


def _scan_line(scan: Scan, rounds: Sequence[Outcome]) -> ScanLine:
    failures = tuple(one["failed"] for one in rounds if "failed" in one)
    results = [one for one in rounds if "failed" not in one]
    line = ScanLine(scan, len(rounds), failures)
    if not results:
        return line
    server = [one["server_cpu"] * 1e6 / one["records"] for one in results if one["server_cpu"]]
    busy = [share for share in map(busy_share, results) if share is not None]
    return replace(
        line,
        version=results[0]["version"],
        runtime=_runtime(results[0]),
        rows=results[0]["records"] // results[0]["scans"],
        rate=Spread.of([one["records"] / one["elapsed"] for one in results]),
        cpu=Spread.of([sum(_seconds(one)) * 1e6 / one["records"] for one in results]),
        cpu_server=median(server) if server else None,
        server_busy=median(busy) if busy else None,
        checked=next((one["checked"] for one in results if "checked" in one), None),
        grown_exact=all(one["memory"].get("exact", True) for one in results),
        loop_delay=loop_delay(results),
        grown=max(one["memory"]["peak"] - one["memory"]["start"] for one in results),
    )


def _runtime(one: ScanResult) -> str:
    python = one["python"]
    return one.get("loop", "") if python is None else f"Python {python['version']}"


def _seconds(one: ScanResult) -> tuple[float, float]:
    return one["cpu"]["user"], one["cpu"]["system"]


def get_lines(rounds: Mapping[Getter, Sequence[GetRound]]) -> list[GetLine]:
    return [_get_line(getter, runs) for getter, runs in rounds.items()]


def _get_line(getter: Getter, rounds: Sequence[GetRound]) -> GetLine:
    failures = tuple(one.failure for one in rounds if one.failure is not None)
    good = [one for one in rounds if one.failure is None]
    alone = latency([one.alone for one in good])
    beside = _during([one.beside for one in good], alone)
    crowded = [one.among for one in good if one.among is not None]
    among = _during(crowded, alone) if crowded else None
    return GetLine(getter, len(rounds), failures, alone, beside, among)


def _during(rounds: Sequence[GetsDuringScans | None], alone: Mapping[str, float]) -> DuringLine:
    known = [one for one in rounds if one is not None]
    percentiles = latency([one.gets for one in known])
    ratio = percentiles["p99"] / alone["p99"] if "p99" in alone and "p99" in percentiles else None
    rates = [one.rate for one in known if one.rate is not None]
    return DuringLine(percentiles, ratio, median(rates) if rates else None)
