"""What both commands do with their flags: checks, the run itself, the exit status."""

from __future__ import annotations

import datetime as dt
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..plan import BATCH_MODE, NODE_BATCH_MODE, TABLES, Matrix
from ..requirements import missing
from ..run import place, ready
from ..studies.baseline import against
from ..table.pools import POOL_MODE
from ..work import parse_bins, parse_workload
from ..work.keys import UNIFORM
from ..work.mix import COUNTING, EMPTY, INSERTING, READ
from . import open_flags
from .flags import most_rounds, precision

if TYPE_CHECKING:
    import argparse

    from ..run.compare import Comparison, Settings

FLAWED, USAGE, INTERRUPTED = 1, 2, 130


def run_matrix(kind: str, args: argparse.Namespace, matrix: Matrix) -> int:
    """Measures the matrix and returns the exit status. Tables go to standard output, and all
    results to a file."""
    path: Path = args.json or default_path(kind)
    problem = (
        missing()
        or _workless(args, matrix)
        or _impossible(args, matrix)
        or ready.unwritable(args.json)
    )
    if problem is not None:
        return usage_error(problem)
    try:
        baseline = against.of_flag(args, (kind,))
    except ValueError as error:
        return usage_error(str(error))
    where = place.options_of(args)
    unreached = ready.out_of_reach(where["hosts"], where["access"])
    if unreached is not None:
        print(f"spikewire {kind}: {unreached}", file=sys.stderr)
        return FLAWED
    from ..run.compare import CannotRunError, compare
    from ..run.progress import Progress
    from ..run.report import show, write_json

    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        command_line = ["spikewire", *sys.argv[1:]]
        settings = _settings(args, matrix)
        if args.rate:
            comparison = open_flags.run(kind, settings, args.rate, command_line, path)
        else:
            comparison = compare(kind, settings, command_line, Progress())
    except (CannotRunError, RuntimeError) as error:
        print(f"spikewire {kind}: {error}", file=sys.stderr)
        return FLAWED
    finally:
        signal.signal(signal.SIGTERM, previous)
    show(comparison)
    write_json(comparison, path)
    print(f"written to {path}", file=sys.stderr)
    return against.ended(_status(comparison), baseline, comparison.as_json())


def _settings(args: argparse.Namespace, matrix: Matrix) -> Settings:
    from ..run.compare import Settings

    return Settings(
        matrix=matrix,
        **place.options_of(args),
        keys=args.keys,
        bins=args.bins,
        workload=args.workload,
        duration=args.duration,
        warmup=args.warmup,
        rounds=args.rounds,
        sample_every=args.lat_sample_every,
        seed=args.seed,
        pause=args.pause,
        most_rounds=most_rounds(args),
        precision=precision(args),
        populate=args.populate,
        gil=None if args.gil is None else args.gil == "on",
        client_cpus=args.client_cpus,
        keep_awake=args.keep_awake,
        error_limit=args.error_limit / 100,
        arrivals=args.arrivals or "constant",
        distribution=args.distribution,
        misses=args.misses,
        max_ops=args.max_ops,
        truncate=args.truncate,
        per_process=args.per_process,
        lines=getattr(args, "lines", False),
        logs="" if args.hlog is None else str(args.hlog),
    )


def _workless(args: argparse.Namespace, matrix: Matrix) -> str | None:
    """Fills in the defaults of a workload; returns why it cannot be run, or None."""
    workload = parse_workload(args.workload)
    distribution: str | None = args.distribution
    args.bins = args.bins or workload.bins
    args.distribution = distribution or workload.distribution
    sparse = args.truncate and not args.populate and workload.kind != INSERTING
    special = not workload.plain or args.misses or sparse or args.distribution != UNIFORM
    flag = f"-w {args.workload}"
    if args.misses and READ not in workload.verbs:
        return f"--misses {args.misses:g}: {flag} has no reads of whole records"
    if distribution not in (None, UNIFORM) and workload.kind == INSERTING:
        return f"--distribution {distribution}: {flag} writes every key once"
    if workload.verbs & COUNTING and not any(one.kind == "I" for one in parse_bins(args.bins)):
        return f"{flag} adds to an integer bin, and -o {args.bins} has none"
    needing = ", ".join(sorted(workload.verbs - EMPTY))
    if sparse and needing:
        return f"--truncate with --no-populate leaves an empty set, and {needing} needs records"
    alone = [mode for mode in (*TABLES, POOL_MODE) if mode in matrix.modes]
    if matrix.loops:
        alone.append(POOL_MODE)
    if args.max_ops is not None and (alone or args.rate):
        return f"--max-ops is not for {f'--mode {alone[0]}' if alone else '--rate'}"
    if special and alone and alone[0] != POOL_MODE:
        return f"--mode {alone[0]} has whole reads and writes of uniform keys alone"
    return None


def _impossible(args: argparse.Namespace, matrix: Matrix) -> str | None:
    """Checks that concern several flags."""
    unfit = place.problem(args)
    if unfit is not None:
        return unfit
    if args.hlog is not None and args.hlog.exists() and not args.hlog.is_dir():
        return f"--hlog {args.hlog}: not a folder"
    no_interpreter = ready.no_program(matrix.interpreters)
    if no_interpreter is not None:
        return no_interpreter
    several = max(matrix.processes)
    if args.per_process and several == 1:
        return "--per-process is for several --processes"
    if args.max_ops is not None and args.max_ops < several:
        return f"--max-ops {args.max_ops}: fewer operations than the {several} processes"
    widest = max(
        (cell.concurrency for group in matrix.groups() for cell in group if cell.shape.rows == 1),
        default=0,
    )
    if args.keys < widest and not args.rate:
        return f"-k {args.keys}: fewer keys than the {widest} workers"
    largest = max((*matrix.sizes.reads, *matrix.sizes.writes))
    if BATCH_MODE in matrix.modes and args.keys < largest:
        return f"-k {args.keys}: fewer keys than a batch of {largest}"
    largest = max((*matrix.node_sizes.reads, *matrix.node_sizes.writes))
    if NODE_BATCH_MODE in matrix.modes and args.keys < largest:
        return f"-k {args.keys}: fewer keys than a batch of {largest}"
    return None


def _status(comparison: Comparison) -> int:
    if comparison.interrupted:
        return INTERRUPTED
    flawed = any(line.flawed for lines in comparison.lines() for line in lines)
    return FLAWED if flawed else 0


def default_path(kind: str) -> Path:
    now = dt.datetime.now(dt.timezone.utc).strftime("%Y%m%d-%H%M%S")
    return Path("bench-results") / f"{kind}-{now}.json"


def usage_error(reason: str) -> int:
    print(f"spikewire: {reason}", file=sys.stderr)
    return USAGE
