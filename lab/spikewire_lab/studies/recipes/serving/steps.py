"""The study's chain of improvements, each step measured in environment C, and with our client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....clients import OURS
from ....serving.cells import BATCH, SETS
from ...relative import change, plain
from ...report import Row, Table
from .figures import AVERAGE, P95, RATE
from .published import CHANGE, STEPS, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ....serving.cells import Cell
    from ...report import Entry
    from .figures import Figures
    from .lab import Amount

OUR_STEPS = (
    Step("spikewire, gathered batches", OURS, SETS, free_threaded=False),
    Step("spikewire, one batch", OURS, BATCH, free_threaded=False),
    Step("spikewire, one batch, no GIL", OURS, BATCH, free_threaded=True),
)


def steps(by_cell: Mapping[Cell, Figures], much: Amount) -> Table:
    """A row for each step; a step that was not measured has a dash and a note with the reason."""
    rows: list[Row] = []
    missing: list[str] = []
    first: Entry = None
    for step in (*STEPS, *OUR_STEPS):
        figures = _figures(step, by_cell)
        if figures is None:
            missing.append(step.what)
        of = {} if figures is None else figures.fields()
        fields = {one.key: of.get(one.key) for one in (AVERAGE, P95, RATE)}
        first = first or fields[P95.key]
        fields[CHANGE.key] = change(plain(fields[P95.key]), plain(first))
        rows.append(Row(step.what, fields, step.client))
    note = (
        f"Not measured in this run: {'; '.join(missing)}. Steps without a GIL need a free-threaded"
        " interpreter (--python) with the client, uvicorn, httptools, FastAPI and NumPy."
    )
    title = "Step by step in environment C"
    headings = (AVERAGE, P95, CHANGE, RATE)
    notes = (note,) if missing else ()
    return Table("steps", title, much.caption(), headings, tuple(rows), "step", notes)


def _figures(step: Step, by_cell: Mapping[Cell, Figures]) -> Figures | None:
    for cell, figures in by_cell.items():
        free = not figures.results[0]["python"]["gil"]
        if (cell.client, cell.way, free) == (step.client, step.way, step.free_threaded):
            return figures
    return None
