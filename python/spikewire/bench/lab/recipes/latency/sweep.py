"""Saturation in closed loops, then open loops at shares of the slowest client's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....clients import FLOOR, OURS, PEERS
from ....clients.base import ASYNC, ASYNC_UVLOOP, SYNC
from ....clients.registry import build_of
from ....open import sweep
from ....open.flags import OUTSTANDING, THREADS
from ....run.plan import Matrix
from ....table.faces import is_face
from ... import closed, opened, overtime
from ...recipe import Measurement, Part
from ...report import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....run.compare import Comparison
    from ....table.summary import Line
    from ...recipe import Bench
    from ...report import Chart, Table

CLIENTS = tuple(name for name in PEERS if name != FLOOR and not is_face(name))
TITLES = {ASYNC: "asyncio", ASYNC_UVLOOP: "uvloop", SYNC: "threads"}
LOSS = 1.05
"""Another client's p99 has to be so much shorter for ours to count as behind."""


class Sweep(Measurement):
    name = "sweep"
    title = "open loops at shares of the slowest client's saturation"

    def run(self, bench: Bench) -> Part:
        matrix = Matrix(
            clients=bench.few(CLIENTS, self.title),
            modes=bench.pick((ASYNC, SYNC), (ASYNC, SYNC), (ASYNC, ASYNC_UVLOOP, SYNC)),
            tasks=(OUTSTANDING,),
            threads=(THREADS,),
            in_flight=(1,),
            interpreters=bench.interpreters[:1],
        )
        settings = bench.settings(matrix)
        saturated = bench.compare(sweep.saturating(settings))
        table = closed.table(saturated, "saturation", "What each client can do", _saturated)
        runs = {"saturation": saturated.as_json()["cells"]}
        if saturated.interrupted:
            return Part(_section((table,), ()), runs, interrupted=True)
        slowest = sweep.slowest(saturated.lines())
        all_shares = dict(zip(sweep.rates(slowest), sweep.SHARES, strict=False))
        least: int = bench.pick(1, 2, len(all_shares))
        # The highest ones say most where not all are measured.
        shares = dict(list(all_shares.items())[-least:])
        comparison = bench.compare(sweep.at_rates(settings, tuple(shares)))
        runs["open"] = comparison.as_json()["cells"]
        labels = [f"{share:.0%}" for share in shares.values()]
        modes = [mode for mode in matrix.modes if opened.lines(comparison, mode)]
        tables = [
            opened.table(comparison, mode, f"open-{mode}", f"Open loop, {TITLES[mode]}", labels)
            for mode in modes
        ]
        charts = [chart for mode in modes for chart in _charts(comparison, mode, labels)]
        charts += overtime.charts(comparison, self.name, opened.caption(comparison.settings))
        said = [_rates(slowest)]
        return Part(
            _section((table, *tables), charts),
            runs,
            said,
            _losses(comparison, modes, labels),
            comparison.interrupted,
        )


def _section(tables: Sequence[Table], charts: Sequence[Chart]) -> Section:
    text = "Shares are of the slowest client's throughput, and all clients get the same rates."
    return Section(Sweep.name, "A sweep of rates", text, tuple(tables), tuple(charts))


def _charts(comparison: Comparison, mode: str, labels: Sequence[str]) -> Iterator[Chart]:
    rates = comparison.settings.matrix.rates
    for rate, label in zip(rates, labels, strict=True):
        title = f"{TITLES[mode]}, {rate:,.0f} op/s: response time by percentile"
        yield opened.by_percentile(
            comparison, mode, rate, f"percentiles-{mode}-{label.rstrip('%')}", title
        )
    if len(rates) > 1:
        title = f"{TITLES[mode]}: p99 of the response time by rate"
        yield opened.over_rate(comparison, mode, "p99", f"p99-{mode}", title)


def _saturated(line: Line) -> str:
    unit = "threads" if line.cell.mode == SYNC else "tasks"
    return f"{line.cell.client}, {TITLES[line.cell.mode]}, {line.cell.concurrency} {unit}"


def _rates(slowest: Line) -> str:
    assert slowest.rate is not None
    return (
        f"{_saturated(slowest)} is the slowest with {slowest.rate.median:,.0f} op/s:"
        " its shares are the rates."
    )


def _losses(comparison: Comparison, modes: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Where another client's p99 is shorter than ours."""
    said: list[str] = []
    for mode in modes:
        for rate, label in zip(comparison.settings.matrix.rates, labels, strict=True):
            lines = [line for line in opened.lines(comparison, mode) if line.cell.rate == rate]
            tails = {
                line.cell.client: line.latency["p99"]
                for line in lines
                if line.latency and "p99" in line.latency and not build_of(line.cell.client)
            }
            ours, best = tails.get(OURS), min(tails, key=lambda name: tails[name], default=OURS)
            if ours is not None and ours > LOSS * tails[best]:
                said.append(
                    f"{TITLES[mode]} at {label}: {best} has a p99 of {tails[best]:,.0f} µs,"
                    f" {OURS} of {ours:,.0f} µs."
                )
    return said
