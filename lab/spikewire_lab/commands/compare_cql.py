"""The command `spikewire compare-cql`: flags, checks, exit status."""

from __future__ import annotations

import datetime as dt
import json
import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..access import flags as access_flags
from ..access.seeds import parse_seeds
from ..arguments import count, counts, cpus, names, seconds, seconds_or_none, value
from ..cql.cells import OPERATIONS, PATTERNS, Matrix
from ..cql.clients import CLIENTS, OURS
from ..cql.servers import CANNED, CASSANDRA, GIVEN
from ..requirements import missing
from ..run import packages, ready
from ..run.rounds import MORE_ROUNDS
from ..studies import overrides
from ..studies.baseline import against
from ..studies.baseline.saved import CQL
from .flags import add_error_limit, most_rounds, precision

if TYPE_CHECKING:
    import argparse

    from ..cql.lab import Settings

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

FLAWED, USAGE, INTERRUPTED = 1, 2, 130
PORT = 9042
SERVERS = (CASSANDRA, CANNED)
BURST = 10_000


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command; it sets `run`, which takes the parsed flags."""
    parser = subparsers.add_parser(
        "compare-cql",
        help="load a Cassandra with several clients, side by side",
        description="Run the same prepared statements with several Cassandra clients, with the five"
        " ways to keep calls in flight and on event loops, in interleaved rounds, each "
        "run in a separate process.",
        allow_abbrev=False,
    )
    for flag, known, about in (
        ("--clients", tuple(CLIENTS), "client"),
        ("--operations", OPERATIONS, "operation"),
        ("--patterns", PATTERNS, "pattern"),
    ):
        parser.add_argument(
            flag,
            type=packages.clients(known, (OURS,)) if about == "client" else names(about, known),
            default=known,
            metavar="NAME,...",
            help=f"default: all of {', '.join(known)}",
        )
    where = parser.add_argument_group("server")
    where.add_argument(
        "--servers",
        type=names("server", SERVERS),
        default=SERVERS,
        metavar="NAME,...",
        help=f"{CASSANDRA}: a real node on this machine, which needs Java 17 and Maven; {CANNED}: "
        "replies without a database, so that clients set the pace; default: both",
    )
    where.add_argument(
        *("-H", "--host"),
        type=value(partial(parse_seeds, usual=PORT)),
        metavar="HOST[:PORT]",
        help="a running Cassandra instead of these; the keyspace spikewire_lab is created there",
    )
    access_flags.add_flags(parser, cassandra=True)
    where.add_argument(
        "--nodes",
        type=count,
        default=1,
        metavar="N",
        help=f"nodes of the server {CASSANDRA}, each a JVM of its own; default: 1",
    )
    where.add_argument(
        "--replicas",
        type=count,
        metavar="N",
        help="replicas of each row, in a new keyspace; default: 3, or as many as there are nodes",
    )
    where.add_argument("--heap", type=count, metavar="MIB", help="of the real node; default: 512")
    where.add_argument(
        "--no-populate", dest="populate", action="store_false", help="use the existing rows"
    )
    how = parser.add_argument_group("work")
    how.add_argument(
        "--threads",
        type=counts,
        default=(1, 2, 4, 8, 16),
        metavar="N,...",
        help="threads for the threaded patterns; default: 1,2,4,8,16",
    )
    how.add_argument(
        "--chains",
        type=counts,
        default=(120, 250, 500, 5000),
        metavar="N,...",
        help="chains of callbacks started by one thread; default: 120,250,500,5000",
    )
    how.add_argument(
        *("-z", "--async-tasks"),
        type=counts,
        default=(1, 128),
        metavar="N,...",
        help="calls in flight on event loops and on tokio; default: 1,128",
    )
    how.add_argument(
        "--processes",
        type=counts,
        default=(1,),
        metavar="N,...",
        help="processes of the clients for Python at the same time, each with its own session; "
        "default: 1",
    )
    how.add_argument(
        "--burst",
        type=count,
        default=BURST,
        metavar="N",
        help="futures started before any is awaited, if nothing else bounds them; divided among "
        f"the threads; default: {BURST:,}",
    )
    how.add_argument("-k", "--keys", type=count, default=20_000, help="items; default: 20,000")
    how.add_argument("--seed", type=int, default=1, help="seed of the random keys")
    _add_measurement(parser)
    parser.set_defaults(run=run)


def _add_measurement(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("measurement")
    for flags, parse, default, about in (
        (("-d", "--duration"), seconds, 3.0, "seconds"),
        (("--warmup",), seconds_or_none, 1.0, "seconds before"),
        (("--pause", "--cooldown"), seconds_or_none, 0.2, "seconds before each run"),
        (
            ("--server-warmup",),
            seconds_or_none,
            20.0,
            "seconds of warm-up calls to a real Cassandra, for its JIT compiler",
        ),
    ):
        group.add_argument(
            *flags, type=parse, default=default, help=f"{about}; default: {default:g}"
        )
    group.add_argument("--rounds", type=count, default=5, help="default: %(default)s")
    overrides.add_precision(group, f"{MORE_ROUNDS} times --rounds, if that is 5 or more")
    add_error_limit(group)
    for flag, about in (("--client-cpus", "the client"), ("--server-cpus", "the server")):
        group.add_argument(
            flag, type=cpus, default=(), metavar="N,...", help=f"pin {about} to these processors"
        )
    group.add_argument(
        "--keep-awake",
        action="store_true",
        help="keep the processors from idling, so no client is charged for waking them",
    )
    against.add_flag(group, "a JSON file written by this command")
    for flag, suffix in (("--json", "json"), ("--markdown", "md")):
        group.add_argument(
            flag,
            type=Path,
            metavar="PATH",
            help=f"default: bench-results/compare-cql-<time>.{suffix}",
        )


def settings(args: argparse.Namespace) -> Settings:
    """The settings that valid flags ask for."""
    from ..cql.lab import Settings

    return Settings(
        matrix=Matrix(
            clients=args.clients,
            servers=(GIVEN,) if args.host else args.servers,
            operations=args.operations,
            patterns=args.patterns,
            threads=args.threads,
            chains=args.chains,
            tasks=args.async_tasks,
            burst=args.burst,
            processes=args.processes,
        ),
        seed_node=args.host[0] if args.host else None,
        keys=args.keys,
        duration=args.duration,
        warmup=args.warmup,
        pause=args.pause,
        rounds=args.rounds,
        server_warmup=args.server_warmup,
        seed=args.seed,
        populate=args.populate,
        heap=args.heap,
        client_cpus=args.client_cpus,
        server_cpus=args.server_cpus,
        keep_awake=args.keep_awake,
        nodes=args.nodes,
        replicas=_replicas(args),
        error_limit=args.error_limit / 100,
        most_rounds=most_rounds(args),
        precision=precision(args),
        access=access_flags.access_of(args, _names(args)),
    )


def _replicas(args: argparse.Namespace) -> int:
    """Of a cluster given by `-H` the lab does not know the nodes."""
    replicas: int | None = args.replicas
    nodes: int = args.nodes
    return replicas or min(3, nodes)


def _names(args: argparse.Namespace) -> list[str]:
    """The TLS name of the given address, which has none."""
    return [""] if args.host else []


def problem(args: argparse.Namespace) -> str | None:
    """Why this cannot be measured, or None."""
    lacking = missing()
    if lacking is not None:
        return lacking
    if args.host and len(args.host) > 1:
        return "-H takes one address: clients find the other nodes themselves"
    if args.nodes > 1 and (args.host or args.servers == (CANNED,)):
        return f"--nodes is for the server {CASSANDRA}"
    if args.nodes < _replicas(args) and not args.host:
        return f"--replicas {args.replicas}: there are only {args.nodes} nodes"
    if args.user is not None and not args.host:
        return "--user is for a Cassandra given by -H: the lab's own knows no users"
    reason = access_flags.problem(args, _names(args))
    if reason is not None:
        return reason
    if args.tls and not args.host and args.servers == (CANNED,):
        return f"--tls: the server {CANNED} has none"
    if args.burst < max(args.threads):
        return f"--burst {args.burst}: fewer calls than the {max(args.threads)} threads"
    if not settings(args).matrix.groups():
        return "none of these clients has any of these patterns for these operations"
    return ready.unwritable(args.json) or ready.unwritable(args.markdown, "--markdown")


def run(args: argparse.Namespace) -> int:
    """Measures and returns the exit status; tables go to standard output, and all results to the
    files."""
    reason, baseline = problem(args), None
    if reason is None:
        try:
            baseline = against.of_flag(args, (CQL,))
        except ValueError as error:
            reason = str(error)
    if reason is not None:
        print(f"spikewire: {reason}", file=sys.stderr)
        return USAGE
    from ..cql.lab import compare_cql
    from ..cql.table import markdown, show
    from ..run.compare import CannotRunError
    from ..run.progress import Progress

    unreached = ready.out_of_reach(args.host or ())
    if unreached is not None:
        print(f"spikewire compare-cql: {unreached}", file=sys.stderr)
        return FLAWED
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        comparison = compare_cql(settings(args), ["spikewire", *sys.argv[1:]], Progress())
    except (CannotRunError, RuntimeError, OSError) as error:
        print(f"spikewire compare-cql: {error}", file=sys.stderr)
        return FLAWED
    finally:
        signal.signal(signal.SIGTERM, previous)
    show(comparison)
    now = dt.datetime.now(dt.timezone.utc).strftime("%Y%m%d-%H%M%S")
    report = comparison.as_json()
    texts = {
        args.json or Path(f"bench-results/compare-cql-{now}.json"): json.dumps(report),
        args.markdown or Path(f"bench-results/compare-cql-{now}.md"): markdown(comparison),
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"written to {path}", file=sys.stderr)
    status = INTERRUPTED if comparison.interrupted else FLAWED if comparison.flawed else 0
    return against.ended(status, baseline, report)
