"""`--baseline`: comparison of a run with a saved one."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...noise import RULE, needed, suffice
from .changes import changes, conditions, machines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from ..report import Report

STATUSES = GOT_WORSE, CANNOT_TELL = 3, 4
"""Exit statuses if a figure got worse, and if there were too few rounds to tell; 1 is for runs with
errors."""
FLAG = "--baseline"


def add_flag(group: argparse._ArgumentGroup, what: str) -> None:  # pyright: ignore[reportPrivateUsage]
    """Adds the flag that names the saved run."""
    group.add_argument(
        FLAG,
        type=Path,
        metavar="FILE",
        help=f"{what}: reports what has changed since. The exit status is {GOT_WORSE} if a figure"
        f" got worse, {CANNOT_TELL} if none did but at least one with medians that far apart could"
        f" not be decided, or none could. {RULE}".replace("%", "%%"),
    )


@dataclass(frozen=True)
class Baseline:
    """A saved run that can be compared with."""

    path: Path
    before: Report

    @staticmethod
    def open(path: Path, recipes: tuple[str, ...]) -> Baseline:
        """Raises `ValueError` for a file that is not a run, or a run of other `recipes` or another
        machine."""
        from ...run import environment
        from ..report import Report
        from .saved import read

        before = read(path)
        if before.recipe not in recipes:
            allowed = " or ".join(recipes)
            raise ValueError(
                f"{path} is a run of {before.recipe}, and this will be one of {allowed}"
            )
        here = Report(before.recipe, "", "", environment=environment.machine([]))
        others = machines(before, here)
        if others:
            raise ValueError(f"{path} is of another machine: {'; '.join(others)}")
        return Baseline(path, before)

    def report_changes(self, report: Mapping[str, Any]) -> int:
        """Prints what changed in a run, given as JSON, and returns the exit status: 0 if nothing
        got worse."""
        from ...run.report import console_for
        from .saved import of
        from .show import terminal

        # As it will be read from a file: tuples become lists.
        after = of(json.loads(json.dumps(report)))
        console = console_for()
        console.print(f"\nsince {self.path}:", markup=False, highlight=False)
        differences = changes(self.before, after)
        terminal(differences, conditions(self.before, after), console)
        return GOT_WORSE if differences.worse else CANNOT_TELL if differences.untold else 0


def _too_few(baseline: Baseline, rounds: int) -> str:
    """A remark that this number of rounds cannot show a change of a single figure; empty if it
    can."""
    before = changes(baseline.before, baseline.before).both
    most = max((one.rounds for one in before), default=0)
    if not before or suffice(most, rounds, len(before)):
        return ""
    return (
        f"--rounds {rounds}: too few to tell whether one of {len(before)} figures changed since"
        f" {baseline.path}, which has {most}: {needed(len(before))} needed of each side"
    )


def of_flag(args: argparse.Namespace, recipes: tuple[str, ...]) -> Baseline | None:
    """The saved run that the user named; raises `ValueError` if it cannot be compared with."""
    if args.baseline is None:
        return None
    from .saved import COMPARISONS

    try:
        baseline = Baseline.open(args.baseline, recipes)
    except ValueError as error:
        raise ValueError(f"{FLAG}: {error}") from None
    # Parts of a recipe have their own numbers of rounds.
    compares = baseline.before.recipe in COMPARISONS
    problem = _too_few(baseline, args.rounds) if compares else ""
    if problem:
        print(f"spikewire: {problem}", file=sys.stderr)
    return baseline


def ended(status: int, baseline: Baseline | None, report: Mapping[str, Any]) -> int:
    """Compares the JSON of a comparison with the baseline, if there is one. Returns the exit
    status: that of the run itself unless that is 0."""
    verdict = 0 if baseline is None else baseline.report_changes(report)
    return status or verdict
