"""The commands `spikewire bench` and `spikewire compare`: flags, checks, exit status."""

from __future__ import annotations

import datetime as dt
import importlib.util
import os
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import faces, pools
from .arguments import checked, count, counts, cpus, names, seconds, seconds_or_none, value
from .clients import OURS, PEERS
from .clients.base import ASYNC, MODES, NODE, RUST, SYNC
from .clients.shape import BATCH_SIZES, COLUMN_BINS, COLUMN_ROWS, WRITE_SIZES
from .cluster import parse_seeds
from .cql import flags as cql_flags
from .faces import FACES_MODE
from .plan import (
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
from .pools import POOL_MODE
from .queries import flags as query_flags
from .queries.cells import (
    NODE_QUERIES_MODE,
    QUERIES_MODE,
    QUERY_MODES,
    RECORD_SIZES,
    RECORDS,
    SLOW_RECORDS,
)
from .workload import parse_bins, parse_workload

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from .compare import Comparison, Settings

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class Pace:
    """Seconds that a run measures and warms up, and that lie between two runs."""

    duration: float
    warmup: float
    pause: float


FLAWED, USAGE, INTERRUPTED = 1, 2, 130
NEEDED = {"rich": "rich", "hdrh": "hdrhistogram"}


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
        default=32,
        help="tasks, or operations in flight in Rust and Node.js",
    )
    bench.add_argument(
        "--processes", type=count, help="of Node.js at once, in mode node; default: 1"
    )
    bench.add_argument("--threads", type=count, default=32, help="threads in mode sync")
    bench.add_argument("--python", default="", help="interpreter of the client; default: this one")
    _add_common(bench, rounds=1, pace=ALONE)
    bench.set_defaults(run=run_bench)

    compare = subparsers.add_parser(
        "compare",
        help="load a cluster with several clients, side by side",
        description="Give several clients the same work, in interleaved rounds.",
        allow_abbrev=False,
    )
    usual = [name for name in CLIENTS if name != "null" and not faces.is_face(name)]
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
        f"together: {_listed(pools.TASKS)}",
    )
    compare.add_argument(
        "--threads", type=counts, default=(1, 32), metavar="N,...", help="default: 1,32"
    )
    compare.add_argument(
        "--in-flight",
        type=counts,
        metavar="N,...",
        help="operations in flight of the clients in Rust and Node.js; default: "
        f"32,256 in mode {RUST}, {_listed(NODE_IN_FLIGHT)} in {NODE}, "
        f"{_listed(NODE_BATCHES)} batches in {NODE_BATCH_MODE}",
    )
    compare.add_argument(
        "--processes",
        type=counts,
        metavar="N,...",
        help="processes of Node.js at once, each with so many in flight; default: 1",
    )
    pools.add_flags(compare)
    compare.add_argument("--sweep", action="store_true", help="asyncio with 128 and 512 tasks too")
    compare.add_argument("--floor", action="store_true", help="also a client that does nothing")
    for flag, about, default in _SIZES:
        compare.add_argument(
            flag,
            type=counts,
            metavar="N,...",
            help=f"{about}; default: {_listed(default)}",
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


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _add_common(
    parser: argparse.ArgumentParser, rounds: int, pace: Pace, short: Pace | None = None
) -> None:
    where = parser.add_argument_group("cluster")
    where.add_argument(
        *("-H", "--hosts"),
        type=value(parse_seeds),
        default=(),
        metavar="HOST[:PORT],...",
        help="default: an embedded cluster on this machine",
    )
    where.add_argument("--nodes", type=count, default=3, help="of the embedded cluster; default: 3")
    where.add_argument(
        "--server-threads",
        type=count,
        default=max(1, (os.cpu_count() or 1) // 2),
        help="of the embedded cluster; default: half the processors",
    )
    where.add_argument("-n", "--namespace", default="test", help="default: %(default)s")
    where.add_argument("-s", "--set", default="bench", help="default: %(default)s")
    work = parser.add_argument_group("work")
    work.add_argument("-k", "--keys", type=count, default=100_000, help="default: 100,000")
    work.add_argument(
        *("-o", "--bins"),
        type=checked(parse_bins),
        default="I1",
        metavar="SPEC,...",
        help="I<bytes>, S<characters>, B<bytes>: bins b0, b1, ...; default: I1",
    )
    work.add_argument(
        *("-w", "--workload"),
        type=checked(parse_workload),
        default="RU,50",
        metavar="RU,PERCENT|I",
        help="read that percentage and update the rest, or write every key once; default: RU,50",
    )
    work.add_argument("--seed", type=int, default=1, help="of the random keys and values")
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
    how.add_argument(
        "--json", type=Path, metavar="PATH", help="default: bench-results/<command>-<time>.json"
    )


def run_bench(args: argparse.Namespace) -> int:
    """`spikewire bench`: a comparison with a single cell."""
    only, what = _only_mode(args.client)
    mode: str = args.mode or only or ASYNC
    reason = f"is {what}: its mode is {only}" if mode != only else None
    if only is None:
        reason = PEERS[args.client].lacks(mode)
    if reason is None and args.processes is not None and mode != NODE:
        return _refuse(f"--processes is for --mode {NODE}")
    if reason is not None:
        return _refuse(f"--mode {mode}: {args.client} {reason}")
    matrix = Matrix(
        clients=(args.client,),
        modes=(mode,),
        tasks=(args.async_tasks,),
        threads=(args.threads,),
        in_flight=(args.async_tasks,),
        interpreters=(args.python,),
        node_in_flight=(args.async_tasks,),
        processes=(args.processes or 1,),
    )
    return _run("bench", args, matrix)


def _only_mode(client: str) -> tuple[str | None, str]:
    """The one mode of a client that is no Python package, and what it is."""
    if client in PEERS:
        return None, "a Python package"
    return (NODE, "an npm package") if client in NODE_CLIENTS else (RUST, "a Rust crate")


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
    if set(args.modes) & set(QUERY_MODES):
        return _run_queries(args)
    matrix = Matrix(
        clients=args.clients,
        modes=args.modes,
        tasks=args.async_tasks or (1, 32),
        threads=args.threads,
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
    problem = query_flags.problem(args, args.parser.parse_args([])) or _missing()
    if problem is not None:
        return _refuse(problem)
    from .queries.run import run

    path: Path = args.json or _default_path("compare")
    return run(args, path)


def _missing() -> str | None:
    """What the lab needs and is not installed."""
    missing = [
        package for module, package in NEEDED.items() if not importlib.util.find_spec(module)
    ]
    return f"missing {' and '.join(missing)}: pip install 'spikewire[bench]'" if missing else None


def _run(kind: str, args: argparse.Namespace, matrix: Matrix) -> int:
    problem = _missing() or _impossible(args, matrix)
    if problem is not None:
        return _refuse(problem)
    from .compare import CannotRunError, compare
    from .progress import Progress
    from .report import show, write_json

    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        comparison = compare(
            kind, _settings(args, matrix), ["spikewire", *sys.argv[1:]], Progress()
        )
    except (CannotRunError, RuntimeError) as error:
        print(f"spikewire {kind}: {error}", file=sys.stderr)
        return FLAWED
    finally:
        signal.signal(signal.SIGTERM, previous)
    path: Path = args.json or _default_path(kind)
    show(comparison)
    write_json(comparison, path)
    print(f"written to {path}", file=sys.stderr)
    return _status(comparison)


def _settings(args: argparse.Namespace, matrix: Matrix) -> Settings:
    from .compare import Settings

    return Settings(
        matrix=matrix,
        hosts=args.hosts,
        namespace=args.namespace,
        set_name=args.set,
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
        nodes=args.nodes,
        server_threads=args.server_threads,
        gil=None if args.gil is None else args.gil == "on",
        client_cpus=args.client_cpus,
        server_cpus=args.server_cpus,
        keep_awake=args.keep_awake,
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


def _impossible(args: argparse.Namespace, matrix: Matrix) -> str | None:
    """Checks that concern several flags."""
    if args.server_cpus and args.hosts:
        return "--server-cpus is for the embedded cluster, not for one given by -H"
    for interpreter in matrix.interpreters:
        if interpreter and shutil.which(interpreter) is None:
            return f"--python {interpreter}: no such program"
    in_node = matrix.node_in_flight if NODE in matrix.modes else ()
    widest = max(*matrix.tasks, *matrix.threads, *matrix.in_flight, *in_node)
    if args.keys < widest:
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
