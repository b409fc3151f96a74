"""The command `spikewire bench`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..arguments import count
from ..clients import BUILT, OURS, PEERS
from ..clients.base import ASYNC, ASYNC_UVLOOP, CRATES, MODES, NODE, RUST
from ..plan import CLIENTS, NODE_NAMES, OUTSTANDING, Cell, Matrix
from ..run import packages
from ..work.mix import INSERTING
from ..work.shape import POOL, Shape
from . import open_flags
from .flags import Pace, add_flags
from .run import run_matrix, usage_error

if TYPE_CHECKING:
    import argparse

    from ..plan import Group

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

ALONE = Pace(10.0, 2.0, 0.5)


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command; it sets `run`, which takes the parsed flags."""
    bench = subparsers.add_parser(
        "bench",
        help="load a cluster with one client",
        description="Load a cluster with one client in a separate process.",
        allow_abbrev=False,
    )
    bench.add_argument(
        "--client",
        type=packages.client(CLIENTS, BUILT),
        default=OURS,
        metavar="NAME",
        help=f"one of {', '.join(CLIENTS)}, or another build of ours: {packages.FORM}, where"
        f" PATH is {packages.PLACES}; default: %(default)s",
    )
    bench.add_argument(
        "--mode",
        choices=MODES,
        help=f"default: {ASYNC} (for the Rust clients: {RUST}, for those of Node.js: {NODE})",
    )
    bench.add_argument(
        *("-z", "--async-tasks"),
        type=count,
        help="tasks, or operations in flight in Rust and Node.js; default: 32, or "
        f"with --rate at most {OUTSTANDING} outstanding",
    )
    bench.add_argument(
        "--processes",
        type=count,
        help="number of client processes (Python and Node.js), each with this many calls in flight;"
        " default: 1",
    )
    bench.add_argument(
        "--threads", type=count, default=32, help="threads in modes sync and rust-sync"
    )
    bench.add_argument(
        "--pool-loops",
        type=count,
        metavar="N",
        help="event loops in threads, with -z tasks on each: the client's own pool",
    )
    bench.add_argument("--python", default="", help="interpreter of the client; default: this one")
    bench.add_argument(
        "--lines",
        action="store_true",
        help="print a line per second: op/s, p50 and p99 of the samples, errors, timeouts, resident"
        " memory",
    )
    open_flags.add_flags(bench)
    add_flags(bench, rounds=1, pace=ALONE)
    bench.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """`spikewire bench`: a comparison with a single cell."""
    only, what = _only_modes(args.client)
    mode: str = args.mode or (only or (ASYNC,))[0]
    reason = None
    if only is not None and mode not in only:
        reason = f"is {what}: its mode is {' or '.join(only)}"
    if only is None:
        reason = PEERS[args.client].lacks(mode)
    if reason is None and args.processes is not None and mode in CRATES:
        return usage_error(f"--processes is not for --mode {mode}")
    if reason is not None:
        return usage_error(f"--mode {mode}: {args.client} {reason}")
    reason = open_flags.problem(args, [mode])
    if reason is not None:
        return usage_error(reason)
    if args.pool_loops is not None:
        why = _no_pool(args, mode)
        if why is not None:
            return usage_error(f"--pool-loops: {why}")
    tasks: int = args.async_tasks or (OUTSTANDING if args.rate else 32)
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
    if args.pool_loops is not None:
        matrix = replace(matrix, loops=(args.pool_loops,), tasks=(tasks * args.pool_loops,))
        matrix = OnePool(**vars(matrix))
    return run_matrix("bench", args, matrix)


@dataclass(frozen=True)
class OnePool(Matrix):
    """The pool of one client."""

    def groups(self) -> tuple[Group, ...]:
        cell = Cell(self.clients[0], self.modes[0], self.tasks[0], self.interpreters[0])
        return ((replace(cell, shape=Shape(way=POOL), loops=self.loops[0]),),)


def _no_pool(args: argparse.Namespace, mode: str) -> str | None:
    """Why there is no pool of event loops, or None."""
    if mode not in (ASYNC, ASYNC_UVLOOP):
        return f"--mode {mode} has no event loops in threads"
    if args.processes is not None or args.rate:
        return f"not with {'--rate' if args.rate else '--processes'}"
    if args.workload == INSERTING:
        return "-w I writes every key once"
    peer = PEERS[args.client]
    if peer.pool is None or POOL not in peer.pool_ways:
        return f"{args.client} has no pool"
    return None


def _only_modes(client: str) -> tuple[tuple[str, ...] | None, str]:
    """The only modes of a client that is not a Python package, and what it is instead."""
    if client in PEERS:
        return None, "a Python package"
    return ((NODE,), "an npm package") if client in NODE_NAMES else (CRATES, "a Rust crate")
