"""The cost of each layer: from a crate to its Python client to that client's chains."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.base import ASYNC, ASYNC_UVLOOP, CRATES, RUST, RUST_SYNC, SYNC
from ....plan import RUST_OURS, RUST_PEER
from ... import closed_loops
from ...reasons import dearer, later, side, why
from ...report import Heading, Median, Row, Table
from ...wording import as_many, cost
from .cases import BUILDER, CHAINS, NATIVE, SDK, SDK_BUILDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....table.line import Line

STACKS = ((RUST_PEER, NATIVE, SDK, SDK_BUILDER), (RUST_OURS, OURS, BUILDER))
"""From the lowest layer to the highest, the vendor's and ours."""
BELOW = {SYNC: RUST_SYNC, ASYNC: RUST, ASYNC_UVLOOP: RUST}
"""The mode of the crates that underlies each mode of Python."""
AT = 32
DELTA = Heading("delta", "against the layer below", "%", digits=1)
EXTRA = Heading("extra", "CPU added", "µs/op")
CRATE = {
    SYNC: "The crates' blocking clients, with 32 threads.",
    ASYNC: "The crates on tokio, with 32 tasks.",
    ASYNC_UVLOOP: "The crates on tokio, with 32 tasks.",
}
NAMES = {SYNC: "blocking, 32 threads", ASYNC: "asyncio, 32 tasks", ASYNC_UVLOOP: "uvloop, 32 tasks"}


def layers(lines: Sequence[Line], how: str) -> list[Table]:
    """A table for each way to call, with the layers that were measured in it."""
    tables: list[Table] = []
    words = closed_loops.states(lines)
    ways = dict.fromkeys(
        (line.cell.mode, closed_loops.state(line)) for line in lines if line.cell.mode not in CRATES
    )
    for mode, state in ways:
        rows = [row for stack in STACKS for row in _stack(_measured(lines, stack, mode, state))]
        if len(rows) > 1:
            name = f"layers-{mode}{re.sub('[^a-z0-9.]+', '-', words[state].lower())}"
            title = f"Layers, {NAMES[mode]}{words[state]}"
            headings = (closed_loops.RATE, DELTA, closed_loops.CPU, EXTRA)
            tables.append(Table(name, title, how, headings, rows, "layer", (CRATE[mode],)))
    return tables


def _measured(
    lines: Sequence[Line], stack: Sequence[str], mode: str, state: closed_loops.State
) -> list[Line]:
    """The lines of a stack in its order; a crate has neither modes of Python nor interpreters."""
    by_client = {
        line.cell.client: line
        for line in lines
        if line.cell.concurrency == AT
        and not line.cell.loops
        and (
            line.cell.mode == BELOW[mode]
            or (line.cell.mode, closed_loops.state(line)) == (mode, state)
        )
    }
    return [by_client[client] for client in stack if client in by_client]


def _stack(lines: Sequence[Line]) -> list[Row]:
    rows: list[Row] = []
    below: Row | None = None
    for line in lines:
        row = closed_loops.row(line, line.cell.client)
        delta = closed_loops.ratio(row.fields["rate"], below.fields["rate"]) if below else None
        cpu, less = line.cpu, None if below is None else below.fields["cpu"]
        extra = cpu.median - less.value if cpu and isinstance(less, Median) else None
        added = {"delta": None if delta is None else 100 * (delta - 1), "extra": extra}
        below = row
        rows.append(Row(row.label, {**row.fields, **added}, row.client, row.flawed))
    return rows


def compared(lines: Sequence[Line]) -> tuple[list[str], list[str]]:
    """Ours against the best of the others in each way to call, and chains against plain verbs."""
    conclusions: list[str] = []
    losses: list[str] = []
    words = closed_loops.states(lines)
    for way in dict.fromkeys(map(way_of, lines)):
        where = f"{words_of(way)}{words[way[-1]]}"
        here = [line for line in lines if way_of(line) == way and line.rate and not line.flawed]
        ours = next((line for line in here if line.cell.client in (OURS, RUST_OURS)), None)
        others = [line for line in here if not line.cell.client.startswith("spikewire")]
        if ours is None or ours.rate is None or not others:
            continue
        best = max(others, key=_rate)
        ratio = ours.rate.median / _rate(best)
        assert best.rate is not None
        next_best = f"{best.cell.client}, the {'next ' if ratio >= 1 else ''}best"
        text = f"{where}: {as_many(ours.rate, best.rate, next_best)}{cost(ours.cpu, best.cpu)}"
        if ratio >= 1:
            conclusions.append(f"{text}.")
        else:
            sides = side(ours, ours.cell.client), side(best, best.cell.client)
            losses.append(f"{text}. {why(*sides)}")
        losses += [*dearer(where, ours, others), *later(where, ours, others)]
        for plain, chains in CHAINS.items():
            pair = {line.cell.client: line for line in here}
            if plain in pair and chains in pair:
                times = _rate(pair[plain]) / _rate(pair[chains])
                conclusions.append(
                    f"{where}: {plain}'s verbs are {times:.2f} times as fast as its builder."
                )
    return conclusions, losses


_Way = tuple[str, int, int, closed_loops.State]


def way_of(line: Line) -> _Way:
    """How calls are made, without the client."""
    cell = line.cell
    return cell.mode, cell.concurrency, cell.loops, closed_loops.state(line)


def words_of(way: _Way) -> str:
    """The same in words, without interpreter and GIL state."""
    mode, many, loops, _ = way
    if loops:
        return f"Pools of {loops} loops, {many} tasks"
    unit = "thread" if mode in (SYNC, RUST_SYNC) else "task"
    return f"{mode.capitalize()}, {many} {unit}{'' if many == 1 else 's'}"


def _rate(line: Line) -> float:
    return line.rate.median if line.rate else 0.0
