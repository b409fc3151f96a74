"""Saturation in closed loops, then open loops at shares of the slowest client's rate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....clients import ONE_OF_EACH, OURS
from ....clients.base import ASYNC, ASYNC_UVLOOP, NODE, RUST, RUST_SYNC, SYNC
from ....clients.registry import build_of
from ....plan import NODE_CLIENTS, OUTSTANDING, RUST_CLIENTS, THREADS, Matrix
from ....run import sweep
from ... import closed_loops, open_loops, timelines
from ...reasons import around, costs, sentence, side
from ...recipe import Measurement, Part
from ...report import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....run.compare import Comparison
    from ....table.line import Line
    from ...recipe import Bench
    from ...report import Chart, Table

CLIENTS = (
    *ONE_OF_EACH,
    *RUST_CLIENTS,
    *NODE_CLIENTS,
)
FEW = (OURS, "aerospike-sdk", "aerospike", "aerospike-py")
"""The clients of the short form."""
TITLES = {
    ASYNC: "asyncio",
    ASYNC_UVLOOP: "uvloop",
    SYNC: "threads",
    RUST: "Rust on tokio",
    RUST_SYNC: "Rust in threads",
    NODE: "Node.js",
}
OURS_IN = dict.fromkeys((ASYNC, ASYNC_UVLOOP, SYNC), OURS) | {
    RUST: RUST_CLIENTS[0],
    RUST_SYNC: RUST_CLIENTS[0],
    NODE: NODE_CLIENTS[0],
}
PAST_P99 = 0.01
LOSS = 1.05
"""The factor by which another client's p99 has to be shorter for ours to count as behind."""


class Sweep(Measurement):
    name = "sweep"
    title = "open loops at shares of the slowest client's saturation"
    seconds = 60

    def run(self, bench: Bench) -> Part:
        matrix = Matrix(
            clients=bench.few(CLIENTS, self.title, FEW),
            modes=bench.pick((ASYNC, SYNC), (ASYNC, SYNC), (ASYNC, SYNC, RUST, RUST_SYNC, NODE)),
            tasks=(OUTSTANDING,),
            threads=(THREADS,),
            in_flight=(OUTSTANDING,),
            node_in_flight=(OUTSTANDING,),
            interpreters=bench.interpreters,
            gil=bench.gil_states(),
        )
        settings = bench.settings(matrix, rounds=bench.pick(1, 1, 5))
        saturated = bench.compare(sweep.saturating(settings))
        words = closed_loops.states([line for group in saturated.lines() for line in group])

        def label(line: Line) -> str:
            return _saturated(line) + words[closed_loops.state(line)]

        table = closed_loops.table(saturated, "saturation", "What each client can do", label)
        runs = {"saturation": saturated.as_json()["cells"]}
        if saturated.interrupted:
            return Part(_section(_TEXT, (table,), ()), runs, interrupted=True)
        slowest = sweep.slowest(saturated.lines())
        settings = replace(settings, rates_from=sweep.rates_in_words(slowest))
        all_shares = dict(zip(sweep.rates(slowest), sweep.SHARES, strict=False))
        least: int = bench.pick(1, 2, len(all_shares))
        # If only some are measured, the highest ones say most.
        shares = dict(list(all_shares.items())[-least:])
        comparison = bench.compare(sweep.at_rates(settings, tuple(shares)))
        runs["open"] = comparison.as_json()["cells"]
        labels = [f"{share:.0%}" for share in shares.values()]
        modes = [mode for mode in matrix.modes if open_loops.lines(comparison, mode)]
        tables = [
            open_loops.table(comparison, mode, f"open-{mode}", f"Open loop, {TITLES[mode]}", labels)
            for mode in modes
        ]
        charts = [chart for mode in modes for chart in _charts(comparison, mode, labels)]
        charts += timelines.charts(comparison, self.name, open_loops.caption(comparison.settings))
        rates_text = _rates(label(slowest), slowest)
        return Part(
            _section(f"{_TEXT} {rates_text}", (table, *tables), charts),
            runs,
            [rates_text],
            _losses(comparison, modes, labels),
            comparison.interrupted,
        )


_TEXT = "Shares are of the slowest client's throughput, and all clients get the same rates."


def _section(text: str, tables: Sequence[Table], charts: Sequence[Chart]) -> Section:
    return Section(Sweep.name, "A sweep of rates", text, tuple(tables), tuple(charts))


def _charts(comparison: Comparison, mode: str, labels: Sequence[str]) -> Iterator[Chart]:
    """Charts for each interpreter and GIL state."""
    rates = comparison.settings.matrix.rates
    for number, (state, words) in enumerate(open_loops.states(comparison, mode).items()):
        where, title_start = mode + (f"-{number + 1}" if number else ""), TITLES[mode] + words
        for rate, label in zip(rates, labels, strict=True):
            title = f"{title_start}, {rate:,.0f} op/s: response time by percentile"
            name = f"percentiles-{where}-{label.rstrip('%')}"
            yield open_loops.by_percentile(comparison, mode, state, rate, name, title)
        if len(rates) > 1:
            title = f"{title_start}: p99 of the response time by rate"
            yield open_loops.over_rate(comparison, mode, state, "p99", f"p99-{where}", title)


def _saturated(line: Line) -> str:
    unit = "threads" if line.cell.mode in (SYNC, RUST_SYNC) else "calls in flight"
    return f"{line.cell.client}, {TITLES[line.cell.mode]}, {line.cell.concurrency} {unit}"


def _rates(label: str, slowest: Line) -> str:
    assert slowest.rate is not None
    return (
        f"The slowest client, {label}, reaches {slowest.rate.median:,.0f} op/s; the rates are"
        " shares of that."
    )


def _losses(comparison: Comparison, modes: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Where another client's p99 is shorter than ours."""
    losses: list[str] = []
    for mode in modes:
        for state, words in open_loops.states(comparison, mode).items():
            for rate, label in zip(comparison.settings.matrix.rates, labels, strict=True):
                at_all_rates = open_loops.lines(comparison, mode, state)
                lines = [line for line in at_all_rates if line.cell.rate == rate]
                losses += _loss(f"{TITLES[mode]} at {label}{words}", OURS_IN[mode], lines)
    return losses


def _loss(where: str, us: str, lines: Sequence[Line]) -> list[str]:
    tails = {
        line.cell.client: line.latency["p99"]
        for line in lines
        if line.latency and "p99" in line.latency and not build_of(line.cell.client)
    }
    ours, best = tails.get(us), min(tails, key=lambda name: tails[name], default=us)
    if ours is None or ours <= LOSS * tails[best]:
        return []
    known = {line.cell.client: line for line in lines}
    because = _why(known[us], known[best])
    return [
        f"{where}: {best} has a p99 of {tails[best]:,.0f} µs, {us} of {ours:,.0f} µs. {because}"
    ]


def _why(ours: Line, theirs: Line) -> str:
    """At what stage their calls waited, and their costs."""
    reasons: list[str] = []
    for line in (ours, theirs):
        response = (line.latency or {}).get("p99")
        service = line.open.service.get("p99") if line.open else None
        if response and service:
            reasons.append(
                f"from their beginning to the reply calls of {line.cell.client} took"
                f" {service:,.0f} µs (p99)"
            )
    sides = side(ours, ours.cell.client), side(theirs, theirs.cell.client)
    return sentence([*reasons, *pauses(ours), *costs(*sides), *around(sides[0])])


def pauses(line: Line) -> list[str]:
    """A remark that single pauses determine the p99, if one pause delays more calls than it
    excludes."""
    longest = (line.latency_max or 0.0) / 1e6
    delayed = min(round(longest * line.cell.rate), line.samples)
    if not line.samples or delayed < PAST_P99 * line.samples:
        return []
    text = (
        f"single pauses decide this p99: the slowest call took {longest * 1e3:,.1f} ms, and at this"
        f" rate a pause that long delays {delayed:,} of the {line.samples:,} calls"
    )
    return [text]
