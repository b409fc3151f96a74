"""A comparison as tables: on the terminal, and in Markdown."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, cast

from ..run.report import NOISE, console_for
from ..table.headings import errors, tenths, times
from ..table.summary import failed_calls
from .cells import PAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from .lab import CqlComparison
    from .lines import Line

LEFT = 3
"""The number of text columns."""


def headings(operation: str) -> tuple[str, ...]:
    unit = "row" if operation in PAGES else "op"
    return (
        *("calls", "client", "gives", f"{unit}/s", "spread %", f"CPU us/{unit}", "user", "sys"),
        *("server", "+MB", "errors", f"{unit}/s ÷ best", "CPU ÷ best"),
    )


def row(line: Line) -> list[str]:
    rate, cpu = line.rate, line.cpu
    client = f"{line.cell.client} {line.version or ''}".strip()
    return [
        line.cell.shape.title,
        f"{client} !" if line.flawed else client,
        line.row_type or "-",
        f"{rate.median:,.0f}" if rate else "-",
        f"{rate.percent:.0f}" if rate and line.rounds > 1 else "-",
        tenths(cpu.median if cpu else None),
        tenths(line.cpu_user),
        tenths(line.cpu_system),
        tenths(line.cpu_server),
        "-" if line.grown is None else f"{line.grown / 1e6:,.1f}",
        errors(line.errors, line.timeouts),
        times(line.rate_versus, line.rate_ratio),
        times(line.cpu_versus, line.cpu_ratio),
    ]


def tables(comparison: CqlComparison) -> list[tuple[str, str, list[list[Line]]]]:
    """For each table a title, the operation, and groups of lines."""
    tables: list[tuple[str, str, list[list[Line]]]] = []
    each = groupby(comparison.lines(), key=lambda lines: lines[0].cell.shape)
    by_table = groupby(
        (lines for _, groups in each for lines in groups),
        key=lambda lines: (lines[0].cell.shape.server, lines[0].cell.shape.operation),
    )
    for (server, operation), groups in by_table:
        sections = list(groups)
        python = next((line.python for lines in sections for line in lines if line.python), None)
        runtime = f"Python {python}" if python else "Node.js"
        tables.append((f"{operation}, {server}, {runtime}", operation, sections))
    return tables


def remarks(sections: Sequence[Sequence[Line]]) -> list[str]:
    """Remarks on one table."""
    lines = [line for section in sections for line in section]
    remarks: list[str] = []
    for line in lines:
        remarks += [f"{line.cell}: round failed: {why}" for why in dict.fromkeys(line.failures)]
        if line.errors:
            failed = failed_calls(line.errors, line.timeouts)
            remarks.append(f"{line.cell}: {failed}, the first: {line.first_error}")
    shares = [line.others for line in lines if line.others is not None and line.others > NOISE]
    if shares:
        much = f"other programs used up to {max(shares):.0%} of this machine"
        remarks.append(f"{much} in {len(shares)} of {len(lines)} lines")
    return remarks


def show(comparison: CqlComparison, console: Console | None = None) -> None:
    """Prints all tables, then the remarks on them."""
    from rich.table import Table

    console = console or console_for()
    for title, operation, sections in tables(comparison):
        table = Table(title=title, title_justify="left")
        for at, name in enumerate(headings(operation)):
            table.add_column(name, justify="left" if at < LEFT else "right", no_wrap=True)
        for section in sections:
            for line in section:
                table.add_row(*row(line), style="bold red" if line.flawed else None)
            table.add_section()
        console.print(table)
        for text in remarks(sections):
            console.print(f"  {text}", markup=False, highlight=False)
    for text in comparison.notes():
        console.print(text, markup=False, highlight=False)


def markdown(comparison: CqlComparison) -> str:
    """The same as Markdown."""
    where = comparison.environment
    known = ("date", "system", "cpu_model", "cpu_count", "load_average")
    lines = [
        "# Clients of Cassandra",
        "",
        ", ".join(f"{name}: {where.get(name)}" for name in known),
        "",
        f"`{' '.join(map(str, _list(where.get('command_line'))))}`",
        "",
    ]
    for name, facts in comparison.servers.items():
        lines.append(f"- {name}: {_facts(facts)}")
    for title, operation, sections in tables(comparison):
        names = headings(operation)
        rule = ["---" if at < LEFT else "---:" for at in range(len(names))]
        lines += ["", f"## {title}", "", _cells(names), _cells(rule)]
        lines += [_cells(row(line)) for section in sections for line in section]
        lines += ["", *(f"- {text}" for text in remarks(sections))]
    lines += ["", *(f"- {text}" for text in comparison.notes())]
    return "\n".join(lines) + "\n"


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _facts(facts: object) -> str:
    known = cast("dict[str, object]", facts)
    return ", ".join(" ".join(map(str, _list(one))) or str(one) for one in known.values())
