"""The command `spikewire lab compare`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ...noise import RULE
from ...requirements import missing
from .against import CANNOT_TELL
from .changes import changes, conditions, machines

if TYPE_CHECKING:
    import argparse

NAME = "compare"
GOT_WORSE, USAGE = 1, 2


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Registers the command next to the recipes."""
    compare = commands.add_parser(
        NAME,
        help="show what changed between two saved reports",
        description="Compares two reports of one recipe, or two JSON files of `spikewire compare`"
        f" or `bench`. {RULE} The exit status is {GOT_WORSE} if a figure got worse, {CANNOT_TELL}"
        " if none did but at least one with medians that far apart could not be decided, or none"
        " could.",
        allow_abbrev=False,
    )
    compare.add_argument(
        "before",
        type=Path,
        metavar="A.json",
        help="a report.json, or a JSON file written by `spikewire compare`",
    )
    compare.add_argument("after", type=Path, metavar="B.json", help="a later report.json")
    compare.add_argument(
        "--force", action="store_true", help="compare reports of different machines, too"
    )
    compare.add_argument("--html", type=Path, metavar="FILE", help="also write an HTML page")
    compare.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Returns the exit status: 0, 1 if a figure got worse, 2 if the reports cannot be compared, 4
    if there are too few rounds to tell."""
    lacking = missing()
    if lacking is not None:
        return _usage_error(lacking)
    from ...run.report import console_for
    from ..files import write
    from .saved import read
    from .show import page, terminal

    try:
        before, after = read(args.before), read(args.after)
        compared = changes(before, after)
    except ValueError as error:
        return _usage_error(str(error))
    others = machines(before, after)
    if others and not args.force:
        return _usage_error(
            f"different machines ({'; '.join(others)}): --force compares them anyway"
        )
    differences = [*others, *conditions(before, after)]
    terminal(compared, differences, console_for())
    if args.html is not None:
        try:
            write(args.html, page(before, after, compared, differences).encode())
        except OSError as error:
            return _usage_error(str(error))
    return GOT_WORSE if compared.worse else CANNOT_TELL if compared.untold else 0


def _usage_error(reason: str) -> int:
    print(f"spikewire lab compare: {reason}", file=sys.stderr)
    return USAGE
