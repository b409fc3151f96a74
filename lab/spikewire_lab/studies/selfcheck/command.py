"""The command `spikewire lab self-check`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...requirements import missing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rich.table import Table

    from .finding import Finding

NAME = "self-check"
FAILED, USAGE = 1, 2


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Registers the command next to the recipes."""
    check = commands.add_parser(
        NAME,
        help="check that the lab measures correctly",
        description="Measures clients of which all figures are known, through the drivers and the"
        " summary of every comparison: most of them in played time, where figures are exact, some"
        " in real time, where a busy machine makes them try again. Ends with 1 if a figure is"
        " wrong.",
        allow_abbrev=False,
    )
    check.set_defaults(run=run)


def run(_args: argparse.Namespace) -> int:
    """Returns the exit status: 0, 1 if a figure is wrong, 2 if something is not installed."""
    lacking = missing()
    if lacking is not None:
        print(f"spikewire lab: {lacking}", file=sys.stderr)
        return USAGE
    from ...run.report import console_for
    from . import exact, timed

    findings = [*exact.every(), *timed.every()]
    console = console_for()
    console.print(table(findings))
    wrong = sum(not one.passed for one in findings)
    repeated = sum(one.tries > 1 for one in findings)
    if repeated:
        text = f"{repeated} of them in real time and right, or given up, after several tries"
        console.print(text, markup=False, highlight=False)
    verdict = f"{wrong} wrong" if wrong else "all right"
    console.print(f"{len(findings)} figures: {verdict}", markup=False, highlight=False)
    return FAILED if wrong else 0


def table(findings: Sequence[Finding]) -> Table:
    """One line for each figure."""
    from rich.table import Table

    table = Table(title="self-check", title_justify="left")
    for name in ("measured with", "figure"):
        table.add_column(name)
    for name in ("known", "measured", "may differ by"):
        table.add_column(name, justify="right")
    table.add_column("")
    last = ""
    for one in findings:
        if last and one.check != last:
            table.add_section()
        verdict = "right" if one.passed else "WRONG"
        if one.tries > 1:
            verdict += f", {one.tries} tries"
        table.add_row(
            one.check if one.check != last else "",
            f"{one.what} ({one.unit})" if one.unit else one.what,
            _number(one.known),
            "-" if one.measured is None else _number(one.measured),
            _number(one.allowed),
            verdict,
            style=None if one.passed else "bold red",
        )
        last = one.check
    return table


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
