"""The commands `spikewire bench` and `spikewire compare`: flags, checks, exit status."""

from __future__ import annotations

import datetime as dt
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import (
    checked,
    count,
    counts,
    cpus,
    names,
    percentage,
    seconds,
    seconds_or_none,
)
from .clients import OURS, PEERS
from .clients.base import ASYNC, CRATES, MODES, NODE, RUST, SYNC
from .clients.shape import BATCH_SIZES, COLUMN_BINS, COLUMN_ROWS, WRITE_SIZES
from .cql import flags as cql_flags
from .lab import cli as lab_cli
from .needed import missing
from .open import flags as open_flags
from .queries import flags as query_flags
from .queries.cells import (
    NODE_QUERIES_MODE,
    QUERIES_MODE,
    QUERY_MODES,
    RECORD_SIZES,
    RECORDS,
    SLOW_RECORDS,
)
from .run import place
from .run.plan import (
    BATCH_MODE,
    CLIENTS,
    COLUMNS_MODE,
    COMPARED,
    NODE_BATCH_MODE,
    NODE_CLIENTS,
    TABLES,
    Matrix,
    Sizes,
)
from .table import faces, pools
from .table.faces import FACES_MODE
from .table.pools import POOL_MODE
from .work import parse_bins, parse_workload
from .work.keys import DISTRIBUTIONS, UNIFORM
from .work.mix import COUNTING, GRAMMAR, INSERTING, MEANINGS, READ

if TYPE_CHECKING:
    import argparse

    from .run.compare import Comparison, Settings

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class Pace:
    """Seconds that a run measures and warms up, and that lie between two runs."""

    duration: float
    warmup: float
    pause: float


FLAWED, USAGE, INTERRUPTED = 1, 2, 130


_SIZES = (
    ("--batch-sizes", f"records of a batch read in mode {BATCH_MODE}", BATCH_SIZES),
    ("--write-sizes", f"records of a batch write in mode {BATCH_MODE}", WRITE_SIZES),
    (
        "--records",
        f"records of a call in mode {COLUMNS_MODE}, of the set ({RECORDS}) in {QUERIES_MODE}",
        COLUMN_ROWS,
    ),
    ("--column-bins", f"bins of those records in mode {COLUMNS_MODE}", COLUMN_BINS),
    ("--record-size", f"bytes of a record in mode {QUERIES_MODE}", RECORD_SIZES),
)
ALONE, LONG, SHORT = Pace(10.0, 2.0, 0.5), Pace(5.0, 2.0, 0.5), Pace(1.0, 0.4, 0.1)
FACE_MODES, FACE_PACE = (ASYNC, SYNC, BATCH_MODE), Pace(1.5, 0.5, 0.1)
_BATCHES = (BATCH_MODE, NODE_BATCH_MODE)
_OF_MODES = {
    "--batch-sizes": _BATCHES,
    "--write-sizes": _BATCHES,
    "--records": (COLUMNS_MODE,),
    "--column-bins": (COLUMNS_MODE,),
    "--record-size": (QUERIES_MODE, NODE_QUERIES_MODE),
    "--slow-records": (QUERIES_MODE,),
    "--in-flight": (RUST, NODE, NODE_BATCH_MODE),
    "--processes": (NODE, NODE_BATCH_MODE),
    "--loops": (POOL_MODE,),
    "--work": (POOL_MODE,),
}
NODE_IN_FLIGHT, NODE_BATCHES = (1, 32, 128, 512), (1, 8)
"""Calls in flight in Node.js unless something else is asked for: of single records, of batches."""
NODE_BATCH_SIZES = (128,)
_SECONDS = {"duration": "seconds", "warmup": "seconds before", "pause": "seconds between runs"}


def add_parsers(subparsers: Subparsers) -> None:
    """Register both commands; each sets `run`, which takes the parsed flags."""
    bench = subparsers.add_parser(
        "bench",
        help="load a cluster with one client",
        description="Load a cluster with one client in a process of its own.",
        allow_abbrev=False,
    )
    bench.add_argument("--client", choices=CLIENTS, default=OURS, help="default: %(default)s")
    bench.add_argument(
        "--mode",
        choices=MODES,
        help=f"default: {ASYNC} (for the Rust clients: {RUST}, for those of Node.js: {NODE})",
    )
    bench.add_argument(
        *("-z", "--async-tasks"),
        type=count,
        help="tasks, or operations in flight in Rust and Node.js; default: 32, or "
        f"{open_flags.OUTSTANDING} outstanding at the most with --rate",
    )
    bench.add_argument(
        "--processes", type=count, help="of Node.js at once, in mode node; default: 1"
    )
    bench.add_argument(
        "--threads", type=count, default=32, help="threads in modes sync and rust-sync"
    )
    bench.add_argument("--python", default="", help="interpreter of the client; default: this one")
    open_flags.add_flags(bench)
    _add_common(bench, rounds=1, pace=ALONE)
    bench.set_defaults(run=run_bench)

    compare = subparsers.add_parser(
        "compare",
        help="load a cluster with several clients, side by side",
        description="Give several clients the same work, in interleaved rounds.",
        allow_abbrev=False,
    )
    usual = [name for name in CLIENTS if name not in PEERS or PEERS[name].usual]
    compare.add_argument(
        "--clients",
        type=names("client", CLIENTS),
        metavar="NAME,...",
        help=f"default: all of {', '.join(usual)}; in mode {FACES_MODE}: "
        f"{', '.join(faces.CLIENTS)}",
    )
    compare.add_argument(
        *("--mode", "--modes"),
        dest="modes",
        type=names("mode", (*COMPARED, FACES_MODE, POOL_MODE, *QUERY_MODES)),
        default=MODES,
        metavar="MODE,...",
        help=f"default: {', '.join(MODES)} with single records; "
        f"{' and '.join(TABLES)} are tables of their own, about many records in one call; "
        f"{FACES_MODE} compares the faces of spikewire, in {', '.join(FACE_MODES)}; "
        f"{POOL_MODE} compares event loops in threads with one loop and with calling threads; "
        f"{' and '.join(QUERY_MODES)} are another comparison, about scans",
    )
    compare.add_argument(
        *("-z", "--async-tasks"),
        type=counts,
        metavar="N,...",
        help=f"default: 1,32; in mode {BATCH_MODE}: 32; in mode {POOL_MODE}, on all loops "
        f"together: {pools.listed(pools.TASKS)}",
    )
    compare.add_argument(
        "--threads", type=counts, metavar="N,...", help="default: 1,32; with --rate: 32"
    )
    compare.add_argument(
        "--in-flight",
        type=counts,
        metavar="N,...",
        help="operations in flight of the clients in Rust and Node.js; default: "
        f"32,256 in mode {RUST}, {pools.listed(NODE_IN_FLIGHT)} in {NODE}, "
        f"{pools.listed(NODE_BATCHES)} batches in {NODE_BATCH_MODE}",
    )
    compare.add_argument(
        "--processes",
        type=counts,
        metavar="N,...",
        help="processes of Node.js at once, each with so many in flight; default: 1",
    )
    pools.add_flags(compare)
    open_flags.add_flags(compare)
    compare.add_argument("--sweep", action="store_true", help="asyncio with 128 and 512 tasks too")
    compare.add_argument("--floor", action="store_true", help="also a client that does nothing")
    for flag, about, default in _SIZES:
        compare.add_argument(
            flag,
            type=counts,
            metavar="N,...",
            help=f"{about}; default: {pools.listed(default)}",
        )
    compare.add_argument(
        "--slow-records",
        type=count,
        metavar="N",
        help=f"in mode {QUERIES_MODE}: most records for peers that keep all of them, or take long; "
        f"default: {SLOW_RECORDS}",
    )
    compare.add_argument(
        "--python",
        action="append",
        metavar="PATH",
        help="interpreter of the clients; may be given again to compare interpreters",
    )
    _add_common(compare, rounds=3, pace=LONG, short=SHORT)
    compare.set_defaults(run=run_compare, parser=compare, usual=tuple(usual))
    cql_flags.add_parser(subparsers)
    lab_cli.add_parser(subparsers)


def _add_common(
    parser: argparse.ArgumentParser, rounds: int, pace: Pace, short: Pace | None = None
) -> None:
    place.add_alternate(place.add_flags(parser))
    work = parser.add_argument_group("work")
    work.add_argument("-k", "--keys", type=count, default=100_000, help="default: 100,000")
    work.add_argument(
        *("-o", "--bins"),
        type=checked(parse_bins),
        metavar="SPEC,...",
        help="I<bytes>, F8, S<characters>, B<bytes>: bins b0, b1, ...; default: I1, with YCSB 10 of"
        " S100",
    )
    work.add_argument(
        *("-w", "--workload"),
        type=checked(parse_workload),
        default="RU,50",
        metavar="WORKLOAD",
        help=f"{GRAMMAR}; default: RU,50. "
        + "; ".join(f"{form}: {meaning}" for form, meaning in MEANINGS.items()).replace("%", "%%"),
    )
    work.add_argument(
        "--distribution",
        choices=DISTRIBUTIONS,
        help="of the keys of single records; default: uniform, with YCSB its own",
    )
    work.add_argument(
        "--misses",
        type=percentage,
        default=0.0,
        metavar="PERCENT",
        help="of the reads of whole records, of keys that are not there; default: 0",
    )
    work.add_argument("--seed", type=int, default=1, help="of the random keys and values")
    work.add_argument(
        "--max-ops",
        type=count,
        metavar="N",
        help="operations after which a run ends, if its time is not over before; default: no bound",
    )
    work.add_argument(
        "--truncate",
        action="store_true",
        help="empty the set before it is written, and after each run of -w I",
    )
    work.add_argument(
        *("--no-populate",), dest="populate", action="store_false", help="the records are there"
    )
    how = parser.add_argument_group("measurement")
    for flags, name, parse in _PACE:
        default: float = getattr(pace, name)
        text = f"{_SECONDS[name]}; default: {default:g}"
        if short is not None:
            text += f", or {getattr(short, name):g} where no mode has single records"
        how.add_argument(*flags, type=parse, default=None if short else default, help=text)
    how.add_argument("--rounds", type=count, default=rounds, help="default: %(default)s")
    how.add_argument(
        "--error-limit",
        type=percentage,
        default=0.1,
        metavar="PERCENT",
        help="of its calls may fail before a client is no measure for others; default: 0.1",
    )
    how.add_argument(
        "--lat-sample-every", type=count, default=16, metavar="N", help="time 1 in N; default: 16"
    )
    how.add_argument(
        "--gil", choices=("on", "off"), help="of the clients' interpreter, if it is free-threaded"
    )
    how.add_argument(
        "--client-cpus", type=cpus, default=(), metavar="N,...", help="keep the client to these"
    )
    how.add_argument(
        "--server-cpus",
        type=cpus,
        default=(),
        metavar="N,...",
        help="keep the embedded cluster to these",
    )
    how.add_argument(
        "--keep-awake",
        action="store_true",
        help="keep the processors from idling, so that no client is charged for waking them",
    )
    text = "default: bench-results/<command>-<time>.json"
    how.add_argument("--json", type=Path, metavar="PATH", help=text)


def run_bench(args: argparse.Namespace) -> int:
    """`spikewire bench`: a comparison with a single cell."""
    only, what = _only_modes(args.client)
    mode: str = args.mode or (only or (ASYNC,))[0]
    reason = None
    if only is not None and mode not in only:
        reason = f"is {what}: its mode is {' or '.join(only)}"
    if only is None:
        reason = PEERS[args.client].lacks(mode)
    if reason is None and args.processes is not None and mode != NODE:
        return _refuse(f"--processes is for --mode {NODE}")
    if reason is not None:
        return _refuse(f"--mode {mode}: {args.client} {reason}")
    reason = open_flags.problem(args, [mode])
    if reason is not None:
        return _refuse(reason)
    tasks: int = args.async_tasks or (open_flags.OUTSTANDING if args.rate else 32)
    matrix = Matrix(
        clients=(args.client,),
        modes=(mode,),
        tasks=(tasks,),
        threads=(args.threads,),
        in_flight=(tasks,),
        interpreters=(args.python,),
        node_in_flight=(tasks,),
        processes=(args.processes or 1,),
    )
    return _run("bench", args, matrix)


def _only_modes(client: str) -> tuple[tuple[str, ...] | None, str]:
    """The modes of a client that is no Python package, and what it is."""
    if client in PEERS:
        return None, "a Python package"
    return ((NODE,), "an npm package") if client in NODE_CLIENTS else (CRATES, "a Rust crate")


def run_compare(args: argparse.Namespace) -> int:
    """`spikewire compare`: the whole matrix."""
    for alone in (FACES_MODE, POOL_MODE):
        if alone in args.modes and len(args.modes) > 1:
            return _refuse(f"--mode {alone} is a comparison of its own")
    if POOL_MODE in args.modes:
        pace = FACE_PACE
        problem = pools.complete(args)
        if problem is not None:
            return _refuse(problem)
    elif FACES_MODE in args.modes:
        args.modes, pace = FACE_MODES, FACE_PACE
        args.clients = args.clients or faces.CLIENTS
        args.batch_sizes = args.batch_sizes or faces.BATCH_SIZES
        args.write_sizes = args.write_sizes or faces.WRITE_SIZES
    else:
        pace = SHORT if set(args.modes) <= set(TABLES) else LONG
    args.clients = args.clients or args.usual
    if args.rate and args.modes is MODES:
        args.modes = open_flags.OPEN_MODES
    problem = open_flags.problem(args, args.modes)
    if problem is not None:
        return _refuse(problem)
    if set(args.modes) & set(QUERY_MODES):
        return _run_queries(args)
    matrix = Matrix(
        clients=args.clients,
        modes=args.modes,
        tasks=args.async_tasks or ((open_flags.OUTSTANDING,) if args.rate else (1, 32)),
        threads=args.threads or ((open_flags.THREADS,) if args.rate else (1, 32)),
        in_flight=args.in_flight or (32, 256),
        interpreters=tuple(args.python or [""]),
        sweep=args.sweep,
        floor=args.floor,
        batch_tasks=args.async_tasks or (32,),
        sizes=Sizes(
            args.batch_sizes or BATCH_SIZES,
            args.write_sizes or WRITE_SIZES,
            args.records or COLUMN_ROWS,
            args.column_bins or COLUMN_BINS,
        ),
        node_in_flight=args.in_flight or NODE_IN_FLIGHT,
        node_batches=args.in_flight or NODE_BATCHES,
        node_sizes=Sizes(args.batch_sizes or NODE_BATCH_SIZES, args.write_sizes or ()),
        processes=args.processes or (1,),
        loops=args.loops or (),
        work=args.work or (0,),
    )
    problem = _unused(args)
    if problem is not None:
        return _refuse(problem)
    for name, usual in vars(pace).items():
        if getattr(args, name) is None:
            setattr(args, name, usual)
    if not matrix.groups():
        return _refuse("none of these clients has any of these modes")
    return _run("compare", args, matrix)


def _run_queries(args: argparse.Namespace) -> int:
    """Scans have a lab of their own."""
    problem = query_flags.problem(args, args.parser.parse_args([])) or missing()
    if problem is not None:
        return _refuse(problem)
    from .queries.run import run

    path: Path = args.json or _default_path("compare")
    return run(args, path)


def _run(kind: str, args: argparse.Namespace, matrix: Matrix) -> int:
    problem = missing() or _workless(args, matrix) or _impossible(args, matrix)
    if problem is not None:
        return _refuse(problem)
    from .run.compare import CannotRunError, compare
    from .run.progress import Progress
    from .table.report import show, write_json

    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        command_line = ["spikewire", *sys.argv[1:]]
        settings, path = _settings(args, matrix), args.json or _default_path(kind)
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
    return _status(comparison)


def _settings(args: argparse.Namespace, matrix: Matrix) -> Settings:
    from .run.compare import Settings

    return Settings(
        matrix=matrix,
        **place.given(args),
        keys=args.keys,
        bins=args.bins,
        workload=args.workload,
        duration=args.duration,
        warmup=args.warmup,
        rounds=args.rounds,
        sample_every=args.lat_sample_every,
        seed=args.seed,
        pause=args.pause,
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
    )


def _unused(args: argparse.Namespace) -> str | None:
    """A flag that none of the modes asked for looks at, or that one of them cannot do."""
    for flag, modes in _OF_MODES.items():
        given = getattr(args, flag.strip("-").replace("-", "_"))
        if given is not None and not set(modes) & set(args.modes):
            return f"{flag} is for --mode {' or '.join(modes)}"
    for table in TABLES:
        if table in args.modes and args.workload == "I":
            return f"-w I writes every key once, so there is nothing to read for --mode {table}"
    return None


def _workless(args: argparse.Namespace, matrix: Matrix) -> str | None:
    """Fills in what goes with a workload; why it cannot be run, if there is a reason."""
    workload = parse_workload(args.workload)
    distribution: str | None = args.distribution
    args.bins = args.bins or workload.bins
    args.distribution = distribution or workload.distribution
    special = not workload.plain or args.misses or args.distribution != UNIFORM
    asked = f"-w {args.workload}"
    if args.misses and READ not in workload.verbs:
        return f"--misses {args.misses:g}: {asked} has no reads of whole records"
    if distribution not in (None, UNIFORM) and workload.kind == INSERTING:
        return f"--distribution {distribution}: {asked} writes every key once"
    if workload.verbs & COUNTING and not any(one.kind == "I" for one in parse_bins(args.bins)):
        return f"{asked} adds to an integer bin, and -o {args.bins} has none"
    if args.truncate and not args.populate and workload.kind != INSERTING:
        return "--truncate would remove the records that --no-populate expects"
    alone = [mode for mode in (*TABLES, POOL_MODE) if mode in matrix.modes]
    if matrix.loops:
        alone.append(POOL_MODE)
    if args.max_ops is not None and (alone or args.rate):
        return f"--max-ops is not for {f'--mode {alone[0]}' if alone else '--rate'}"
    if special and alone:
        return f"--mode {alone[0]} has whole reads and writes of uniform keys alone"
    return None


def _impossible(args: argparse.Namespace, matrix: Matrix) -> str | None:
    """Checks that concern several flags."""
    unfit = place.problem(args)
    if unfit is not None:
        return unfit
    for interpreter in matrix.interpreters:
        if interpreter and shutil.which(interpreter) is None:
            return f"--python {interpreter}: no such program"
    in_node = matrix.node_in_flight if NODE in matrix.modes else ()
    widest = max(*matrix.tasks, *matrix.threads, *matrix.in_flight, *in_node)
    if args.keys < widest and not args.rate:
        return f"-k {args.keys}: fewer keys than the {widest} workers"
    largest = max(*matrix.sizes.reads, *matrix.sizes.writes)
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


def _default_path(kind: str) -> Path:
    now = dt.datetime.now(dt.timezone.utc).strftime("%Y%m%d-%H%M%S")
    return Path("bench-results") / f"{kind}-{now}.json"


def _refuse(reason: str) -> int:
    print(f"spikewire: {reason}", file=sys.stderr)
    return USAGE


_PACE = (
    (("-d", "--duration"), "duration", seconds),
    (("--warmup",), "warmup", seconds_or_none),
    (("--pause",), "pause", seconds_or_none),
)
