"""The command `spikewire lab`: flags, checks, exit status."""

from __future__ import annotations

import datetime as dt
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import cpus
from ..clients import BUILT
from ..clients.registry import base_of, build_of
from ..cql.clients import CLIENTS as CQL_CLIENTS
from ..plan import CLIENTS
from ..rehearsal import command as rehearsal
from ..requirements import missing
from ..run import packages, place, ready
from . import overrides, scenario_flags, show
from .baseline import against
from .baseline import command as baseline
from .recipe import FULL, QUICK, SHORT, SIZES, Bench, Target
from .recipes import NAMES, load
from .selfcheck import command as selfcheck

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from .report import Report

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

KNOWN = tuple(dict.fromkeys((*CLIENTS, *CQL_CLIENTS)))
FLAWED, USAGE, INTERRUPTED = 1, 2, 130
ALL = "all"


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command; each subcommand and recipe sets `run`, which takes the parsed
    flags."""
    lab = subparsers.add_parser(
        "lab",
        help="rerun published studies, for all clients",
        description="Runs recipes, each of which reproduces a published study, and writes each as "
        "an HTML page, as Markdown and as JSON.",
        allow_abbrev=False,
    )
    commands = lab.add_subparsers(title="recipes and commands", metavar="WHAT", required=True)
    for name, about in (*NAMES.items(), (ALL, "all of these")):
        recipe = commands.add_parser(
            name, help=about, description=f"Recipe: {about}.", allow_abbrev=False
        )
        _add_flags(recipe)
        if name == scenario_flags.RECIPE:
            scenario_flags.add_flags(recipe, QUICK)
        recipe.set_defaults(run=run, recipes=tuple(NAMES) if name == ALL else (name,))
    show.add_parser(commands)
    baseline.add_parser(commands)
    selfcheck.add_parser(commands)
    rehearsal.add_parser(commands)


def _add_flags(recipe: argparse.ArgumentParser) -> None:
    recipe.add_argument(
        "--size",
        choices=SIZES,
        default=FULL,
        help=f"how much is measured; `make bench` runs {SHORT}; default: %(default)s",
    )
    recipe.add_argument(
        "--clients",
        type=packages.clients(KNOWN, BUILT),
        default=(),
        metavar="NAME,...",
        help="only these of the recipe's clients; default: all",
    )
    recipe.add_argument(
        "--python",
        action="append",
        metavar="PATH",
        help="interpreter of the clients; may be repeated to compare interpreters",
    )
    place.add_alternate(place.add_flags(recipe))
    how = recipe.add_argument_group("measurement")
    overrides.add_flags(how)
    for whose in ("client", "server"):
        how.add_argument(
            f"--{whose}-cpus",
            type=cpus,
            default=(),
            metavar="N,...",
            help=f"pin {'clients' if whose == 'client' else 'the embedded cluster'} to these"
            " processors",
        )
    how.add_argument("--keep-awake", action="store_true", help="keep the processors from idling")
    how.add_argument("--seed", type=int, default=1, help="seed of the random keys and values")
    how.add_argument(
        "--hlog",
        action="store_true",
        help="keep HDR interval logs (V2) of all runs next to the report, as --size full does",
    )
    against.add_flag(how, "a report.json, or the folder of a run with several recipes")
    how.add_argument("--out", type=Path, metavar="FOLDER", help="default: bench-results/lab-<time>")


def run(args: argparse.Namespace) -> int:
    """Returns the exit status: 2 for wrong use; 130 for Ctrl-C; 1 if the cluster cannot be reached,
    a part failed, a line is flawed or nothing was measured; 3 if a figure got worse than in the
    baseline; 4 if there were too few rounds to tell; otherwise 0."""
    lacking = (
        ready.no_program(args.python or ())
        or place.problem(args)
        or overrides.problem(args, args.recipes)
        or missing()
        or _buildless(args)
    )
    if lacking is not None:
        return _fail(lacking)
    try:
        baselines = _baselines(args)
    except ValueError as error:
        return _fail(str(error))
    from ..run.progress import Progress
    from .run import run_all

    target = Target(
        client_cpus=args.client_cpus, keep_awake=args.keep_awake, **place.options_of(args)
    )
    unreached = ready.out_of_reach(target.hosts, target.access)
    if unreached is not None:
        return _fail(unreached, FLAWED)
    progress = Progress()
    bench = Bench(
        target,
        args.size,
        tuple(args.python or [""]),
        progress,
        ["spikewire", *sys.argv[1:]],
        args.clients,
        args.seed,
        logs=args.hlog,
        overrides=overrides.of_args(args),
        scenarios=scenario_flags.of_args(args),
    )
    now = dt.datetime.now(dt.timezone.utc)
    folder: Path = args.out or Path("bench-results") / f"lab-{now:%Y%m%d-%H%M%S}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return _fail(str(error))
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with progress:
            reports = run_all([load(name) for name in args.recipes], bench, folder)
    except KeyboardInterrupt:
        # After the last report was saved, or by a second Ctrl-C while it was being saved.
        return INTERRUPTED
    except OSError as error:
        return _fail(f"the report cannot be written: {error}", FLAWED)
    finally:
        signal.signal(signal.SIGTERM, previous)
    for report in reports:
        print(folder / report.recipe / "report.html")
    if len(reports) > 1:
        print(folder / "index.html")
    for failure in bench.failed:
        print(f"spikewire lab: not measured: {failure}", file=sys.stderr)
    status = _status(reports, failed=bool(bench.failed))
    known = [(baselines[report.recipe], report) for report in reports if report.recipe in baselines]
    verdicts = {baseline.report_changes(report.as_json()) for baseline, report in known}
    return status or next((one for one in against.STATUSES if one in verdicts), 0)


def _baselines(args: argparse.Namespace) -> dict[str, against.Baseline]:
    """Baselines by recipe; raises `ValueError` for one that cannot be compared with."""
    path: Path | None = args.baseline
    if path is None or not path.is_dir():
        one = against.of_flag(args, args.recipes)
        return {} if one is None else {one.before.recipe: one}
    reports = {name: path / name / "report.json" for name in args.recipes}
    there = {name: file for name, file in reports.items() if file.is_file()}
    if not there:
        raise ValueError(f"--baseline: {path} has no report of {' or '.join(args.recipes)}")
    try:
        return {name: against.Baseline.open(file, (name,)) for name, file in there.items()}
    except ValueError as error:
        raise ValueError(f"--baseline: {error}") from None


def _buildless(args: argparse.Namespace) -> str | None:
    """A requested recipe that has no lines for a requested build."""
    for name in filter(build_of, args.clients):
        for recipe in map(load, args.recipes):
            if base_of(name) not in recipe.builds:
                return (
                    f"--clients {name}: {recipe.name} has lines for builds of"
                    f" {', '.join(recipe.builds)} alone; `spikewire compare` has more"
                )
    return None


def _status(reports: Sequence[Report], *, failed: bool) -> int:
    if any(report.interrupted for report in reports):
        return INTERRUPTED
    sections = [section for report in reports for section in report.sections]
    rows = (row for section in sections for table in section.tables for row in table.rows)
    return FLAWED if failed or not sections or any(row.flawed for row in rows) else 0


def _fail(reason: str, status: int = USAGE) -> int:
    print(f"spikewire lab: {reason}", file=sys.stderr)
    return status
