"""Tables with a line for each client and way, one for each server and operation."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ... import closed_loops
from ...builds import of_rows
from ...recipe import Part
from ...report import Row, Section, Table
from .patterns import CPU_OF_CALL, RATE_OF_CALL, compared, flaw
from .settings import SERVERS, caption

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....cql.lab import CqlComparison, Settings
    from ....cql.lines import Line

HEADINGS = (RATE_OF_CALL, CPU_OF_CALL)


def part_of(name: str, title: str, text: str, comparison: CqlComparison) -> Part:
    """A part with such tables; losses and conclusions are from the groups of the comparison."""
    groups, options = comparison.lines(), comparison.settings
    lines = [line for group in groups for line in group]
    section = Section(name, title, text, list(_tables(name, lines, options, comparison.notes())))
    conclusions, losses = compared(groups)
    conclusions = [f"{title}: {text[:1].lower()}{text[1:]}" for text in conclusions]
    runs = comparison.as_json()["cells"]
    return Part(section, runs, conclusions, losses, comparison.interrupted)


def _tables(
    name: str, lines: Sequence[Line], options: Settings, notes: Sequence[str]
) -> Iterator[Table]:
    each = groupby(lines, key=lambda line: (line.cell.shape.server, line.cell.shape.operation))
    for at, ((server, operation), those) in enumerate(each):
        rows = [_row(line) for line in those]
        title = f"{operation.capitalize()}s at {SERVERS[server]}"
        more = (*(notes if at == 0 else ()), *of_rows(rows, HEADINGS))
        yield Table(
            f"{name}-{server}-{operation}", title, caption(options), HEADINGS, rows, notes=more
        )


def _row(line: Line) -> Row:
    fields = {
        "rate": closed_loops.measured(line.rate, line.rounds),
        "cpu": closed_loops.measured(line.cpu, line.rounds),
    }
    label = f"{line.cell.client}, {line.cell.shape.title}"
    return Row(label, fields, line.cell.client, flaw(line))
