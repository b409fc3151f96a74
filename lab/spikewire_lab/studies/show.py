"""The command `spikewire lab show`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..requirements import missing
from .report import load

if TYPE_CHECKING:
    import argparse

NAME = "show"
USAGE = 2


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Registers the command next to the recipes."""
    show = commands.add_parser(
        NAME,
        help="regenerate the pages of a saved report",
        description="Regenerates report.html and report.md from the report.json of a run. Nothing "
        "is measured.",
        allow_abbrev=False,
    )
    show.add_argument("report", type=Path, metavar="REPORT.json")
    show.add_argument("--out", type=Path, metavar="FOLDER", help="default: that of the report")
    show.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Returns the exit status: 0, or 2 for a file that is not a report or cannot be written."""
    lacking = missing()
    if lacking is not None:
        return _usage_error(lacking)
    from .files import save_pages

    folder: Path = args.out or args.report.parent
    try:
        save_pages(load(args.report), folder)
    except (OSError, ValueError) as error:
        return _usage_error(str(error))
    print(folder / "report.html")
    return 0


def _usage_error(reason: str) -> int:
    print(f"spikewire lab show: {reason}", file=sys.stderr)
    return USAGE
