"""HDR interval logs: a file of histograms for each run, readable by other tools."""

from __future__ import annotations

import datetime as dt
import importlib
import re
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

from ..measure import merge

if TYPE_CHECKING:
    from pathlib import Path

    from ..contract.result import Result

KINDS = ("read", "write")
_NS_A_MS = 1_000_000.0


class _Writer(Protocol):
    """The part of `HistogramLogWriter` that is used."""

    def output_comment(self, comment: str) -> None: ...

    def output_log_format_version(self) -> None: ...

    def output_base_time(self, base_time_msec: float) -> None: ...

    def output_legend(self) -> None: ...

    def output_interval_histogram(
        self,
        histogram: Any,
        start_time_stamp_sec: float,
        end_time_stamp_sec: float,
        max_value_unit_ratio: float,
    ) -> None: ...


def _writer(file: TextIO) -> _Writer:
    module: Any = importlib.import_module("hdrh.log")
    return cast("_Writer", module.HistogramLogWriter(file))


def file_name(run: str, kind: str) -> str:
    """The file name of a run, such as `spikewire async 32, round 1`."""
    return f"{re.sub(r'[^0-9A-Za-z.]+', '-', run).strip('-').lower()}-{kind}.hlog"


def keep(folder: Path, run: str, result: Result) -> list[Path]:
    """Writes the latencies of a run, reads and writes to separate files; for open loops these are
    response times. Histograms are of nanoseconds, maxima in milliseconds. The intervals are those
    of the result's series, from which the histograms are then removed."""
    series = result.get("series")
    if series is None:
        return []
    paths: list[Path] = []
    for kind, encoded in zip(KINDS, (series.pop("read", []), series.pop("write", [])), strict=True):
        histograms = [merge([one]) for one in encoded]
        if not any(one.get_total_count() for one in histograms):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        paths.append(folder / file_name(run, kind))
        with paths[-1].open("w", encoding="utf-8") as file:
            writer = _writer(file)
            writer.output_comment(f"[Latencies in nanoseconds: {run}, {kind}]")
            writer.output_log_format_version()
            # The package's own method for this line fails. Both lines have to give the same
            # instant, or readers place the first interval before the start.
            start = round(series["start"], 3)
            date = dt.datetime.fromtimestamp(start, dt.timezone.utc).isoformat()
            writer.output_comment(f"[StartTime: {start:.3f} (seconds since epoch), {date}]")
            writer.output_base_time(start * 1000)
            writer.output_legend()
            for at, one in enumerate(histograms):
                begun = at * series["interval"]
                # The writer takes 0 for a missing time.
                writer.output_interval_histogram(
                    one, begun or 1e-9, begun + series["interval"], _NS_A_MS
                )
    return paths
