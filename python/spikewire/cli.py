"""The ``spikewire`` command: serve, info, top, cassandra, compat, and what ``commands`` finds."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import TYPE_CHECKING, Any, cast

import spikewire
from spikewire import commands as others
from spikewire.compat import command as compat
from spikewire.opening import flags
from spikewire.testing import Cluster
from spikewire.testing.cassandra import command as cassandra
from spikewire.top import command as top
from spikewire.top.terminal import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from spikewire.testing import TlsOptions, User

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

__all__ = ["main"]

#: Replies and errors may have several lines.
_LINES = "\n\t"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    parser, commands = _parser()
    name = next((word for word in words if not word.startswith("-")), None)
    if name not in commands.choices:
        # Only now, since loading them takes time.
        failed = others.add_parsers(commands)
        why = None if name in commands.choices or name is None else others.lacking(name)
        for reason in failed if why is None else [*failed, why]:
            print(f"spikewire: {reason}", file=sys.stderr)
        if why is not None:
            return 2
    options = parser.parse_args(words)
    try:
        status: int = options.run(options)
    except (spikewire.Error, OSError, ValueError) as error:
        print(f"spikewire: {visible(str(error), _LINES)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status


class _Parser(argparse.ArgumentParser):
    """A parser that takes options only by their whole names, as do those of its commands."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **named})


def _parser() -> tuple[argparse.ArgumentParser, Commands]:
    own = _Parser(
        prog="spikewire",
        description="A native client for Aerospike and Apache Cassandra: embedded cluster, and a "
        "live view of running programs.",
    )
    # The functions that add commands take those of any parser.
    parser = cast("argparse.ArgumentParser", own)
    parser.add_argument("--version", action="version", version=f"spikewire {spikewire.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_serve(commands)
    _add_info(commands)
    top.add_parser(commands)
    cassandra.add_parser(commands)
    compat.add_parser(commands)
    return parser, commands


def _add_serve(commands: Commands) -> None:
    serve = commands.add_parser(
        "serve",
        help="run an embedded cluster",
        description="Runs a cluster in this process until Ctrl-C or SIGTERM: real nodes that own "
        "partitions and keep their records in memory. Prints one line when it accepts "
        "connections, `ready HOST:PORT,HOST:PORT,...`: the seeds for clients. The exit "
        "status is 0 when it is stopped, 1 if it could not start, 2 for options that do not fit.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    serve.add_argument("--nodes", type=int, default=1, metavar="N", help="nodes in the cluster")
    serve.add_argument(
        "--port",
        type=int,
        default=3000,
        help="port of the first node, the others use the following ones; 0: free ports",
    )
    serve.add_argument(
        "--bind",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="IP address to listen on, which clients must be able to reach",
    )
    serve.add_argument(
        "--namespace",
        action="append",
        metavar="NAME",
        default=argparse.SUPPRESS,
        help="namespace on every node; may be repeated (default: test)",
    )
    serve.add_argument(
        "--replication-factor", type=int, default=2, metavar="N", help="copies of every record"
    )
    serve.add_argument(
        "--default-ttl",
        type=int,
        default=0,
        metavar="SECONDS",
        help="time to live of records written without one; 0: forever",
    )
    serve.add_argument(
        "--nsup-period",
        type=int,
        default=1,
        metavar="SECONDS",
        help="time between two removals of expired records; 0 rejects TTLs",
    )
    serve.add_argument(
        "--max-record-size",
        type=int,
        default=1 << 20,
        metavar="BYTES",
        help="largest accepted record",
    )
    serve.add_argument(
        "--indexed-set",
        action="append",
        metavar="NAME",
        default=argparse.SUPPRESS,
        help="set with an index of all its records, so a scan of it reads no others; may be "
        "repeated",
    )
    serve.add_argument(
        "--cluster-name", default="spikewire", metavar="NAME", help="name of the cluster"
    )
    serve.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="threads that serve connections, for all nodes together; each has a second thread that"
        " sends long replies",
    )
    serve.add_argument(
        "--build", default="8.1.2.0", metavar="VERSION", help="server version to report"
    )
    serve.add_argument(
        "--edition",
        choices=("community", "enterprise"),
        default="community",
        help="edition of the server; enterprise has transactions and compression",
    )
    serve.add_argument(
        "--strong-consistency",
        action="store_true",
        help="with --edition enterprise: strongly consistent namespaces, which transactions need",
    )
    serve.add_argument(
        "--strong-consistency-allow-expunge",
        action="store_true",
        help="with --strong-consistency: records may be deleted without durability",
    )
    serve.add_argument(
        "--racks",
        type=_numbers,
        metavar="N,N",
        default=argparse.SUPPRESS,
        help="rack of each node, separated by commas (default: no racks)",
    )
    serve.add_argument(
        "--migration-pause",
        type=int,
        default=0,
        metavar="MS",
        help="pause after each partition that is copied, in milliseconds",
    )
    serve.add_argument(
        "--sync-time",
        type=int,
        default=50,
        metavar="MS",
        help="for how long a node of 8.2 or later that is started again answers nothing",
    )
    serve.add_argument(
        "--udf-time",
        type=int,
        default=1000,
        metavar="MS",
        help="CPU time that one call of a user-defined function may take, in milliseconds",
    )
    serve.add_argument(
        "--tls",
        action="store_true",
        help="speak TLS only; the paths of the files for clients are printed to standard error",
    )
    serve.add_argument(
        "--tls-name",
        default="spikewire",
        metavar="NAME",
        help="with --tls: TLS name of all nodes, for which their certificate is issued",
    )
    serve.add_argument(
        "--client-certificates",
        action="store_true",
        help="with --tls: require a client certificate, too",
    )
    serve.add_argument(
        "--user",
        action="append",
        metavar="NAME:PASSWORD",
        default=argparse.SUPPRESS,
        help="user with all permissions; clients must then log in; may be repeated",
    )
    serve.add_argument(
        "--roles",
        action="append",
        metavar="NAME:ROLE,ROLE",
        default=argparse.SUPPRESS,
        help="roles of a user instead of all permissions; may be repeated",
    )
    serve.add_argument(
        "--quotas",
        action="store_true",
        help="with --user: roles may have quotas, which servers must be configured for",
    )
    serve.add_argument(
        "--session-ttl",
        type=int,
        default=86_400,
        metavar="SECONDS",
        help="time for which users who logged in may open connections",
    )
    serve.set_defaults(run=_serve, parser=serve)


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        message = f"takes numbers separated by commas, such as 1,1,2, not {text!r}"
        raise argparse.ArgumentTypeError(message) from None


def _serve(options: argparse.Namespace) -> int:
    # Blocked and waited for, because a handler could run just before the wait and be missed. All
    # threads of the cluster inherit the mask, so a signal during start-up also ends it cleanly.
    ends = {signal.SIGINT, signal.SIGTERM}
    former = signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    try:
        try:
            cluster = _cluster(options)
        except (ValueError, OverflowError) as error:
            parser: argparse.ArgumentParser = options.parser
            flags.reject(parser, str(error))
        with cluster:
            files = cluster.certificates
            if files:
                print(f"authority {files.ca}", file=sys.stderr)
                print(f"certificate {files.certificate}, key {files.key}", file=sys.stderr)
            print(f"ready {cluster.seeds}", flush=True)
            signal.sigwait(ends)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
    return 0


def _cluster(options: argparse.Namespace) -> Cluster:
    tls: TlsOptions = {
        "name": options.tls_name,
        "client_certificates": options.client_certificates,
    }
    if not options.tls and tls != {"name": "spikewire", "client_certificates": False}:
        raise ValueError("--tls-name and --client-certificates go with --tls")
    users = _users(getattr(options, "user", []), getattr(options, "roles", []))
    if options.quotas and not users:
        raise ValueError("--quotas goes with --user")
    return Cluster(
        options.nodes,
        port=options.port,
        bind=options.bind,
        namespaces=getattr(options, "namespace", ["test"]),
        replication_factor=options.replication_factor,
        default_ttl=options.default_ttl,
        max_record_size=options.max_record_size,
        indexed_sets=getattr(options, "indexed_set", []),
        cluster_name=options.cluster_name,
        threads=options.threads,
        tls=options.tls and tls,
        build=options.build,
        edition=options.edition,
        strong_consistency=options.strong_consistency,
        strong_consistency_allow_expunge=options.strong_consistency_allow_expunge,
        racks=getattr(options, "racks", []),
        nsup_period=options.nsup_period,
        migration_pause=options.migration_pause / 1000,
        sync_time=options.sync_time / 1000,
        udf_time=options.udf_time / 1000,
        users=users,
        quotas=options.quotas,
        session_ttl=options.session_ttl,
    )


def _users(entries: Sequence[str], roles: Sequence[str]) -> dict[str, str | User]:
    users: dict[str, User] = {}
    for user in entries:
        name, colon, password = user.partition(":")
        if not colon:
            raise ValueError("--user takes NAME:PASSWORD")
        users[name] = {"password": password}
    for text in roles:
        name, colon, names = text.rpartition(":")
        if not colon:
            raise ValueError(f"--roles takes NAME:ROLE,ROLE, not {text!r}")
        if name not in users:
            raise ValueError(f"--roles: there is no --user {name!r}")
        users[name]["roles"] = names.split(",")
    return {**users}


def _add_info(commands: Commands) -> None:
    info = commands.add_parser(
        "info",
        help="show the nodes of a cluster, or send them info commands",
        description="Connects to a cluster and prints one line per node: its id and its address. "
        "Info commands are sent to each node; its answers follow its line.",
        epilog="example: spikewire info -H 127.0.0.1:3000 build namespaces namespace/test",
    )
    info.add_argument(
        "-H",
        "--hosts",
        default="127.0.0.1:3000",
        metavar="SEEDS",
        help="addresses of nodes of the cluster: HOST[:TLS-NAME][:PORT],... (default: %(default)s)",
    )
    flags.add_flags(info, any_name=True)
    info.add_argument(
        "command",
        nargs="*",
        metavar="COMMAND",
        default=argparse.SUPPRESS,
        help="info command to send to every node",
    )
    info.set_defaults(run=_info, parser=info)


def _info(options: argparse.Namespace) -> int:
    reason = flags.problem(options)
    if reason is not None:
        flags.reject(options.parser, reason)
    commands: list[str] = getattr(options, "command", [])
    failed = 0
    with spikewire.Client(options.hosts, **flags.client_options(options)) as client:
        for node in client.nodes():
            print(visible(node.name), visible(node.address))
            for command in commands:
                failed |= _ask(client, node, command)
    return failed


def _ask(client: spikewire.Client, node: spikewire.Node, command: str) -> int:
    # An error of one node does not hide the replies of the others.
    try:
        print(f"  {command}: {visible(client.info(command, node=node.name), _LINES)}")
    except spikewire.Error as error:
        print(f"  {command}: {visible(str(error), _LINES)}", file=sys.stderr)
        return 1
    return 0
