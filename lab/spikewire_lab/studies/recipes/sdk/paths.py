"""Plain verbs compared with chains, and pools of loops with one loop, of the same client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....clients.base import ASYNC_UVLOOP
from ... import closed_loops
from ...report import MORE, Heading, Row, Table
from .cases import chains_of
from .layers import AT, way_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....table.line import Line

PLAIN = Heading("plain", "plain verbs", "op/s", MORE, 0)
CHAINED = Heading("chains", "chains", "op/s", MORE, 0)
TIMES = Heading("times", "plain over chains", "times")
ONE = Heading("one", "one loop", "op/s", MORE, 0)
POOL = Heading("pool", "pool", "op/s", MORE, 0)
MORE_BY = Heading("more", "pool against one loop", "%", MORE, 1)


def paths(lines: Sequence[Line], how: str) -> Iterator[Table]:
    """A client's plain verbs relative to its chains, for each way to call; nothing without a
    pair."""
    words = closed_loops.states(lines)
    rows: list[Row] = []
    by_way = {(line.cell.client, way_of(line)): line for line in lines}
    for (client, way), line in by_way.items():
        chained = by_way.get((chains_of(client), way))
        if chained is None:
            continue
        plain, chains = (closed_loops.measured(one.rate, one.rounds) for one in (line, chained))
        times = closed_loops.ratio(plain, chains)
        label = f"{client}, {words_of(way).lower()}{words[way[-1]]}"
        fields = {"plain": plain, "chains": chains, "times": times}
        rows.append(Row(label, fields, client, closed_loops.row(line, "").flawed))
    if rows:
        headings = (CHAINED, PLAIN, TIMES)
        yield Table("paths", "Plain verbs and chains", how, headings, rows)


def pools(lines: Sequence[Line], how: str) -> Iterator[Table]:
    """A pool of loops relative to one uvloop loop with 32 tasks; nothing without both."""
    words = closed_loops.states(lines)
    single = {
        (line.cell.client, closed_loops.state(line)): line
        for line in lines
        if (line.cell.mode, line.cell.concurrency, line.cell.loops) == (ASYNC_UVLOOP, AT, 0)
    }
    rows: list[Row] = []
    for line in lines:
        cell, state = line.cell, closed_loops.state(line)
        alone = single.get((cell.client, state))
        if not cell.loops or alone is None:
            continue
        one, pool = (closed_loops.measured(each.rate, each.rounds) for each in (alone, line))
        ratio = closed_loops.ratio(pool, one)
        more = None if ratio is None else 100 * (ratio - 1)
        tasks = f"{cell.loops} x {cell.concurrency // cell.loops} tasks"
        fields = {"one": one, "pool": pool, "more": more}
        label = f"{cell.client}, {tasks}{words[state]}"
        rows.append(Row(label, fields, cell.client, closed_loops.row(line, "").flawed))
    if rows:
        yield Table("pools", "Pools beside one loop", how, (ONE, POOL, MORE_BY), rows)
