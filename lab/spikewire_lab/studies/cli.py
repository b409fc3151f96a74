"""The command `spikewire lab`: flags, checks, exit status."""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import cpus, seconds
from ..clients import BUILT
from ..clients.registry import base_of, build_of
from ..cql.clients import CLIENTS as CQL_CLIENTS
from ..plan import CLIENTS
from ..rehearsal import command as rehearsal
from ..requirements import missing
from ..run import packages, place, ready
from ..run.journal import NAME as JOURNAL
from ..run.journal import Journal
from . import overrides, scenario_flags, show
from .baseline import against
from .baseline import command as baseline
from .recipe import FULL, QUICK, SHORT, SIZES, Bench, Target
from .recipes import NAMES, load
from .run_folder import OUTPUT, RunFolder, flags_of
from .selfcheck import command as selfcheck

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from .report import Report

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

KNOWN = tuple(dict.fromkeys((*CLIENTS, *CQL_CLIENTS)))
FLAWED, USAGE, UNFINISHED, INTERRUPTED = 1, 2, 5, 130
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
    lab.add_argument(
        "--resume",
        type=Path,
        metavar="FOLDER",
        help="go on with the run in this folder, with the flags that began it",
    )
    _add_pieces(lab)
    lab.set_defaults(run=resume)
    commands = lab.add_subparsers(title="recipes and commands", metavar="WHAT")
    _add_recipes(commands)
    show.add_parser(commands)
    baseline.add_parser(commands)
    selfcheck.add_parser(commands)
    rehearsal.add_parser(commands)


def _add_recipes(commands: Subparsers) -> None:
    for name, about in (*NAMES.items(), (ALL, "all of these")):
        recipe = commands.add_parser(
            name, help=about, description=f"Recipe: {about}.", allow_abbrev=False
        )
        _add_flags(recipe)
        if name == scenario_flags.RECIPE:
            scenario_flags.add_flags(recipe, QUICK)
        recipe.set_defaults(run=run, recipes=tuple(NAMES) if name == ALL else (name,))


def _add_pieces(parser: argparse.ArgumentParser) -> None:
    """Adds the flags for a part of a run."""
    piece = parser.add_argument_group("a run in pieces")
    piece.add_argument(
        "--only",
        nargs="+",
        default=(),
        metavar="ROW",
        help="measure only rows whose name (`recipe/part client mode ...`, as progress shows them)"
        " contains one of these texts, and leave the others for later",
    )
    piece.add_argument(
        "--minutes",
        type=seconds,
        metavar="N",
        help="begin no measurement after this time; the same command goes on where this one ended",
    )


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
    how.add_argument(
        *("--out", "--output"),
        type=Path,
        metavar="FOLDER",
        help="where the results go, and where the same command goes on if it was ended before;"
        " default: bench-results/lab-<time>",
    )
    _add_pieces(recipe)


def run(args: argparse.Namespace) -> int:
    """Returns the exit status: 2 for wrong use; 130 for Ctrl-C; 1 if the cluster cannot be reached,
    a part failed, a line is flawed or nothing was measured; 3 if a figure got worse than in the
    baseline; 4 if there were too few rounds to tell; 5 if `--minutes` or `--only` left something
    for later; otherwise 0."""
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
    flags = flags_of(args)
    now = dt.datetime.now(dt.timezone.utc)
    folder: Path = args.out or Path("bench-results") / f"lab-{now:%Y%m%d-%H%M%S}"
    try:
        begun = RunFolder.load(folder)
        differs = None if begun is None else begun.differs(flags)
        if differs is not None:
            return _fail(differs)
        begun = begun or RunFolder.begun(folder, _command(args), flags)
    except (OSError, ValueError) as error:
        return _fail(str(error))
    progress = Progress()
    journal = Journal(
        folder / JOURNAL,
        None if args.minutes is None else 60 * args.minutes,
        tuple(args.only),
    )
    bench = Bench(
        target,
        args.size,
        tuple(args.python or [""]),
        progress,
        ["spikewire", "lab", *begun.command],
        args.clients,
        args.seed,
        logs=args.hlog,
        overrides=overrides.of_args(args),
        scenarios=scenario_flags.of_args(args),
        journal=journal,
    )
    if len(journal):
        progress.say(f"{folder}: goes on after {journal.measured:,} measurements")
    try:
        with _signals(folder), progress:
            reports = run_all([load(name) for name in args.recipes], bench, folder)
    except KeyboardInterrupt:
        # After the last report was saved, or by a second Ctrl-C while it was being saved.
        return INTERRUPTED
    except OSError as error:
        return _fail(f"the report cannot be written: {error}", FLAWED)
    for report in reports:
        print(folder / report.recipe / "report.html")
    if len(reports) > 1:
        print(folder / "index.html")
    for failure in bench.failed:
        print(f"spikewire lab: not measured: {failure}", file=sys.stderr)
    left = journal.over or (journal.left and not bench.stopped)
    status = _status(reports, failed=bool(bench.failed), left=left)
    if status in (UNFINISHED, INTERRUPTED):
        print(f"not finished: spikewire lab --resume {folder}", file=sys.stderr)
    known = [(baselines[report.recipe], report) for report in reports if report.recipe in baselines]
    verdicts = {baseline.report_changes(report.as_json()) for baseline, report in known}
    return status or next((one for one in against.STATUSES if one in verdicts), 0)


def resume(args: argparse.Namespace) -> int:
    """Goes on with the run in a folder, with the flags that began it; its exit status."""
    if args.resume is None:
        return _fail(f"what? One of {', '.join(NAMES)}, {ALL}; see `spikewire lab --help`")
    try:
        begun = RunFolder.load(args.resume)
    except ValueError as error:
        return _fail(str(error))
    if begun is None:
        return _fail(f"--resume {args.resume}: no run was begun there")
    parser = argparse.ArgumentParser(prog="spikewire lab")
    _add_recipes(parser.add_subparsers())
    again = parser.parse_args(list(begun.command))
    again.out, again.only, again.minutes = args.resume, args.only, args.minutes
    again.command = begun.command
    return run(again)


def _command(args: argparse.Namespace) -> list[str]:
    """The words behind `spikewire lab` of this command, without those of this piece of the run."""
    behind = sys.argv.index("lab") + 1 if "lab" in sys.argv else 1
    words = list(getattr(args, "command", None) or sys.argv[behind:])
    pieces = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    _add_pieces(pieces)
    pieces.add_argument("--out", "--output")
    return pieces.parse_known_args(words)[1]


@contextlib.contextmanager
def _signals(folder: Path) -> Generator[None]:
    """SIGTERM ends a run like Ctrl-C. SIGHUP does not: a run whose terminal is gone goes on, and
    writes to a file in its folder."""

    def hung_up(_number: int, _frame: object) -> None:
        file = os.open(folder / OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for stream in (1, 2):
            if os.isatty(stream):
                os.dup2(file, stream)
        os.close(file)

    terminated = signal.signal(signal.SIGTERM, signal.default_int_handler)
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    hangup = None if ignored else signal.signal(signal.SIGHUP, hung_up)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, terminated)
        if hangup is not None:
            signal.signal(signal.SIGHUP, hangup)


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


def _status(reports: Sequence[Report], *, failed: bool, left: bool) -> int:
    if any(report.interrupted for report in reports):
        return UNFINISHED if left else INTERRUPTED
    sections = [section for report in reports for section in report.sections]
    rows = (row for section in sections for table in section.tables for row in table.rows)
    return FLAWED if failed or not sections or any(row.flawed for row in rows) else 0


def _fail(reason: str, status: int = USAGE) -> int:
    print(f"spikewire lab: {reason}", file=sys.stderr)
    return status
