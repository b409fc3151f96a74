"""The command `spikewire compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arguments import count, counts, names, percentage
from ..clients import BUILT, PEERS
from ..clients.base import ASYNC, ASYNC_UVLOOP, MODES, NODE, RUST, SYNC
from ..plan import (
    BATCH_MODE,
    BATCHES,
    CLIENTS,
    COLUMNS_MODE,
    COMPARED,
    NODE_BATCH_MODE,
    OUTSTANDING,
    TABLES,
    THREADS,
    Matrix,
    Sizes,
)
from ..queries import flags as query_flags
from ..queries.cells import (
    INDEX_MODE,
    NODE_QUERIES_MODE,
    QUERIES_MODE,
    QUERY_MODES,
    RECORD_SIZES,
    RECORDS,
    SELECTED,
    SLOW_RECORDS,
)
from ..requirements import missing
from ..run import packages, ready
from ..table import apis, pools
from ..table.apis import APIS_MODE
from ..table.pools import POOL_MODE
from ..work.shape import BATCH_SIZES, COLUMN_BINS, COLUMN_ROWS, TABLE_ROWS, WRITE_SIZES
from . import open_flags
from .flags import Pace, add_flags
from .run import default_path, run_matrix, usage_error

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

_SIZES = (
    ("--batch-sizes", f"records per batch read in mode {BATCH_MODE}", BATCH_SIZES),
    ("--write-sizes", f"records per batch write in mode {BATCH_MODE}", WRITE_SIZES),
    (
        "--records",
        f"records per call in mode {COLUMNS_MODE}, per set ({RECORDS}) in {QUERIES_MODE}",
        COLUMN_ROWS,
    ),
    (
        "--table-records",
        f"records per written table in mode {COLUMNS_MODE}",
        TABLE_ROWS,
    ),
    ("--column-bins", f"bins per record in mode {COLUMNS_MODE}", COLUMN_BINS),
    ("--record-size", f"bytes per record in mode {QUERIES_MODE}", RECORD_SIZES),
)
LONG, SHORT = Pace(2.0, 1.0, 0.3), Pace(1.0, 0.4, 0.1)
API_MODES, API_PACE = (ASYNC, SYNC, BATCH_MODE), Pace(1.5, 0.5, 0.1)
_BATCHES = (BATCH_MODE, NODE_BATCH_MODE)
_OF_MODES = {
    "--batch-sizes": _BATCHES,
    "--write-sizes": _BATCHES,
    "--records": (COLUMNS_MODE,),
    "--column-bins": (COLUMNS_MODE,),
    "--table-records": (COLUMNS_MODE,),
    "--record-size": (QUERIES_MODE, INDEX_MODE, NODE_QUERIES_MODE),
    "--slow-records": (QUERIES_MODE, INDEX_MODE),
    "--select": (INDEX_MODE,),
    "--in-flight": (RUST, NODE, NODE_BATCH_MODE),
    "--processes": (ASYNC, ASYNC_UVLOOP, SYNC, NODE, NODE_BATCH_MODE),
    "--loops": (POOL_MODE,),
    "--work": (POOL_MODE,),
}
NODE_IN_FLIGHT, NODE_BATCHES = (1, 32, 128, 512), (1, 8)
"""Default numbers of calls in flight in Node.js: single records, batches."""
NODE_BATCH_SIZES = (128,)


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command; it sets `run`, which takes the parsed flags."""
    compare = subparsers.add_parser(
        "compare",
        help="load a cluster with several clients, side by side",
        description="Give several clients the same work, in interleaved rounds.",
        allow_abbrev=False,
    )
    usual = [name for name in CLIENTS if name not in PEERS or PEERS[name].usual]
    compare.add_argument(
        "--clients",
        type=packages.clients(CLIENTS, BUILT),
        metavar="NAME,...",
        help=f"default: all of {', '.join(usual)}; in mode {APIS_MODE}: "
        f"{', '.join(apis.CLIENTS)}; another build of ours: {packages.FORM}, where PATH is"
        f" {packages.PLACES}",
    )
    compare.add_argument(
        *("--mode", "--modes"),
        dest="modes",
        type=names("mode", (*COMPARED, APIS_MODE, POOL_MODE, *QUERY_MODES)),
        default=MODES,
        metavar="MODE,...",
        help=f"default: {', '.join(MODES)} with single records; "
        f"{' and '.join(TABLES)} are separate tables, with many records per call; "
        f"{APIS_MODE} compares the APIs of spikewire, in {', '.join(API_MODES)}; "
        f"{POOL_MODE} compares event loops in threads with one loop and with calling threads; "
        f"{' and '.join(QUERY_MODES)} are a separate comparison, of scans and index queries",
    )
    compare.add_argument(
        *("-z", "--async-tasks"),
        type=counts,
        metavar="N,...",
        help=f"default: 1,32; in mode {BATCH_MODE}: {BATCHES}; "
        f"in mode {POOL_MODE}, on all loops together: {pools.listed(pools.TASKS)}; with --rate, "
        f"the maximum outstanding: {OUTSTANDING}, batches {BATCHES}",
    )
    compare.add_argument(
        "--threads", type=counts, metavar="N,...", help="default: 1,32; with --rate: 32"
    )
    compare.add_argument(
        "--in-flight",
        type=counts,
        metavar="N,...",
        help="operations in flight for the Rust and Node.js clients; default: "
        f"32,256 in mode {RUST}, {pools.listed(NODE_IN_FLIGHT)} in {NODE}, "
        f"{pools.listed(NODE_BATCHES)} batches in {NODE_BATCH_MODE}; with --rate as -z",
    )
    compare.add_argument(
        "--processes",
        type=counts,
        metavar="N,...",
        help="number of client processes (Python and Node.js), each with this many calls "
        "in flight; default: 1",
    )
    pools.add_flags(compare)
    open_flags.add_flags(compare)
    compare.add_argument(
        "--sweep", action="store_true", help="also measure asyncio with 128 and 512 tasks"
    )
    compare.add_argument(
        "--floor", action="store_true", help="also measure a client that does nothing"
    )
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
        help=f"in mode {QUERIES_MODE}: maximum number of records for peers that keep all of them, "
        f"or are slow; default: {SLOW_RECORDS}",
    )
    compare.add_argument(
        "--select",
        type=percentage,
        metavar="PERCENT",
        help=f"in mode {INDEX_MODE}: the percentage of records that a query returns; "
        f"default: {SELECTED:g}",
    )
    compare.add_argument(
        "--python",
        action="append",
        metavar="PATH",
        help="interpreter of the clients; may be repeated to compare interpreters",
    )
    add_flags(compare, rounds=5, pace=LONG, short=SHORT)
    compare.set_defaults(run=run, parser=compare, usual=tuple(usual))


def run(args: argparse.Namespace) -> int:
    """`spikewire compare`: all clients in all modes."""
    problem = open_flags.problem(args, args.modes)
    if problem is not None:
        return usage_error(problem)
    open_flags.complete(args)
    for alone in (APIS_MODE, POOL_MODE):
        if alone in args.modes and len(args.modes) > 1:
            return usage_error(f"--mode {alone} is a comparison of its own")
    if POOL_MODE in args.modes:
        pace = API_PACE
        problem = pools.complete(args)
        if problem is not None:
            return usage_error(problem)
    elif APIS_MODE in args.modes:
        args.modes, pace = API_MODES, API_PACE
        args.clients = args.clients or apis.CLIENTS
        args.batch_sizes = args.batch_sizes or apis.BATCH_SIZES
        args.write_sizes = args.write_sizes or apis.WRITE_SIZES
    else:
        pace = SHORT if set(args.modes) <= set(TABLES) else LONG
    args.clients = args.clients or args.usual
    if set(args.modes) & set(QUERY_MODES):
        return _run_queries(args)
    # In an open loop each batch size costs a run at each rate: only requested sizes are measured.
    sizes_only = bool(args.rate and (args.batch_sizes or args.write_sizes))
    matrix = Matrix(
        clients=args.clients,
        modes=args.modes,
        tasks=args.async_tasks or ((OUTSTANDING,) if args.rate else (1, 32)),
        threads=args.threads or ((THREADS,) if args.rate else (1, 32)),
        in_flight=args.in_flight or ((OUTSTANDING,) if args.rate else (32, 256)),
        interpreters=tuple(args.python or [""]),
        sweep=args.sweep,
        floor=args.floor,
        batch_tasks=args.async_tasks or (BATCHES,),
        sizes=Sizes(
            args.batch_sizes or (() if sizes_only else BATCH_SIZES),
            args.write_sizes or (() if sizes_only else WRITE_SIZES),
            args.records or COLUMN_ROWS,
            args.column_bins or COLUMN_BINS,
            args.table_records or TABLE_ROWS,
        ),
        node_in_flight=args.in_flight or ((OUTSTANDING,) if args.rate else NODE_IN_FLIGHT),
        node_batches=args.in_flight or ((BATCHES,) if args.rate else NODE_BATCHES),
        node_sizes=Sizes(
            args.batch_sizes or (() if sizes_only else NODE_BATCH_SIZES),
            args.write_sizes or (),
        ),
        processes=args.processes or (1,),
        loops=args.loops or (),
        work=args.work or (0,),
    )
    problem = _unused(args)
    if problem is not None:
        return usage_error(problem)
    for name, usual in vars(pace).items():
        if getattr(args, name) is None:
            setattr(args, name, usual)
    if not matrix.groups():
        return usage_error("none of these clients has any of these modes")
    return run_matrix("compare", args, matrix)


def _run_queries(args: argparse.Namespace) -> int:
    """Scans are measured by their own lab."""
    path: Path = args.json or default_path("compare")
    problem = (
        query_flags.problem(args, args.parser.parse_args([]))
        or missing()
        or ready.unwritable(args.json)
    )
    if problem is not None:
        return usage_error(problem)
    from .queries import run

    return run(args, path)


def _unused(args: argparse.Namespace) -> str | None:
    """A flag that none of the requested modes uses, or that one of them does not support."""
    for flag, modes in _OF_MODES.items():
        value = getattr(args, flag.strip("-").replace("-", "_"))
        if value is not None and not set(modes) & set(args.modes):
            return f"{flag} is for --mode {' or '.join(modes)}"
    for table in TABLES:
        if table in args.modes and args.workload == "I":
            return f"-w I writes every key once, so there is nothing to read for --mode {table}"
    return None
