"""The ``spikewire`` command: serve, info, bench, compare."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from typing import TYPE_CHECKING

import spikewire
from spikewire.bench import cli as bench

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except (spikewire.Error, OSError, ValueError) as error:
        print(f"spikewire: {error}", file=sys.stderr)  # noqa: T201
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spikewire",
        description="A native Aerospike-protocol client: embedded cluster and benchmark lab.",
    )
    parser.add_argument("--version", action="version", version=f"spikewire {spikewire.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_serve(commands)
    _add_info(commands)
    bench.add_parsers(commands)
    return parser


def _add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    serve = commands.add_parser(
        "serve",
        help="run an embedded cluster",
        description="Runs an embedded cluster until Ctrl-C. Prints one line, "
        "`ready host:port,host:port,...`, when it takes connections.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    serve.add_argument("--nodes", type=int, default=1, help="nodes in the cluster")
    serve.add_argument(
        "--port", type=int, default=3000, help="port of the first node; 0 takes free ports"
    )
    serve.add_argument("--bind", default="127.0.0.1", help="IP address to listen on")
    serve.add_argument(
        "--namespace", action="append", help="namespace, may be repeated (default: test)"
    )
    serve.add_argument("--replication-factor", type=int, default=2, help="copies of every record")
    serve.add_argument(
        "--default-ttl", type=int, default=0, help="seconds a record lives by default; 0: for ever"
    )
    serve.add_argument(
        "--max-record-size", type=int, default=1 << 20, help="largest record in bytes"
    )
    serve.add_argument("--cluster-name", default="spikewire", help="name of the cluster")
    serve.add_argument("--threads", type=int, default=1, help="threads that serve connections")
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    from spikewire.testing import Cluster

    # Handlers first: a signal during start-up must end the program as cleanly.
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with Cluster(
        options.nodes,
        port=options.port,
        bind=options.bind,
        namespaces=options.namespace or ["test"],
        replication_factor=options.replication_factor,
        default_ttl=options.default_ttl,
        max_record_size=options.max_record_size,
        cluster_name=options.cluster_name,
        threads=options.threads,
    ) as cluster:
        print(f"ready {cluster.seeds}", flush=True)  # noqa: T201
        stopped.wait()
    return 0


def _add_info(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    info = commands.add_parser(
        "info",
        help="show the nodes of a cluster",
        description="Connects to a cluster and shows its nodes, or sends them info commands.",
    )
    info.add_argument("-H", "--hosts", default="127.0.0.1:3000", help="seeds")
    info.add_argument("command", nargs="*", help="info commands to send to every node")
    info.set_defaults(run=_info)


def _info(options: argparse.Namespace) -> int:
    with spikewire.Client(options.hosts) as client:
        for node in client.nodes():
            print(node.name, node.address)  # noqa: T201
            for command in options.command:
                print(f"  {command}: {client.info(command, node=node.name)}")  # noqa: T201
    return 0
