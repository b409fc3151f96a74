"""``spikewire cassandra``: runs a cluster until the command is stopped."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from spikewire.testing.cassandra.canned_server import CannedServer
from spikewire.testing.cassandra.cluster import CassandraCluster
from spikewire.testing.cassandra.jars import VERSION

if TYPE_CHECKING:
    from types import FrameType
    from typing import TypeAlias

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

__all__ = ["add_parser"]

#: How often the nodes are checked, in seconds.
INTERVAL = 0.5


def add_parser(commands: Commands) -> None:
    """Adds the command to those of ``spikewire``."""
    parser = commands.add_parser(
        "cassandra",
        help="run a real Cassandra cluster for tests",
        description=f"Runs a Cassandra {VERSION} cluster on this machine until Ctrl-C or SIGTERM. "
        "Needs Java 17, and Maven to download Cassandra on the first run. Reports progress on "
        "standard error, and prints one line when all nodes are ready, `ready "
        "HOST:PORT,HOST:PORT,...`: the contact points for clients. The exit status is 0 when it "
        "is stopped, 1 if it could not start or a node died.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--nodes", type=int, default=1, metavar="N", help="nodes in the cluster")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="IPv4 address of the first node; the others use the following ones",
    )
    parser.add_argument("--port", type=int, default=9042, help="port of every node; 0: a free one")
    parser.add_argument(
        "--heap",
        type=int,
        metavar="MIB",
        default=argparse.SUPPRESS,
        help="heap per node (default: 512 for one node, 256 for several)",
    )
    parser.add_argument("--vnodes", type=int, default=1, metavar="N", help="tokens per node")
    for name, what in (("rack", "r1, r2, ..."), ("datacenter", "dc1 for all")):
        parser.add_argument(
            f"--{name}",
            action="append",
            metavar="NAME",
            default=argparse.SUPPRESS,
            help=f"{name} of a node; repeat for each node (default: {what})",
        )
    parser.add_argument(
        "--password",
        action="store_true",
        help="require a login; the first user is cassandra, with the password cassandra",
    )
    parser.add_argument(
        "--tls",
        action="store_true",
        help="require TLS; the paths of the files for clients are printed to standard error",
    )
    parser.add_argument(
        "--client-certificates",
        action="store_true",
        help="with --tls: require a client certificate, too",
    )
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        default=argparse.SUPPRESS,
        help="folder to keep the data in (default: a temporary folder, removed at the end)",
    )
    parser.add_argument(
        "--quick-start",
        action="store_true",
        help="start faster and run slower: for tests, not for measurements",
    )
    parser.add_argument(
        "--canned",
        action="store_true",
        help="instead of Cassandra, run one node in this process that stores nothing and returns "
        "canned replies, to measure clients; only --host and --port can be combined with it",
    )
    # For programs that start it, which it must not outlive.
    parser.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(run=_run, usual=parser.parse_args([]))


def _run(options: argparse.Namespace) -> int:
    former = signal.signal(signal.SIGTERM, _stop)
    try:
        return _serve_canned(options) if options.canned else _serve(options)
    finally:
        signal.signal(signal.SIGTERM, former)


def _stop(_number: int, _frame: FrameType | None) -> None:
    # Like Ctrl-C, so that starting nodes are ended, too.
    raise KeyboardInterrupt


def _serve(options: argparse.Namespace) -> int:
    with _cluster(options) as cluster:
        files = cluster.certificates
        if files:
            print(f"authority {files.ca}", file=sys.stderr)
            print(f"certificate {files.certificate}, key {files.key}", file=sys.stderr)
        print(f"ready {','.join(cluster.addresses)}", flush=True)
        try:
            return _watch(cluster)
        except KeyboardInterrupt:
            return 0


def _serve_canned(options: argparse.Namespace) -> int:
    with_it = {"canned", "with_parent", "host", "port", "run", "usual"}
    usual: argparse.Namespace = options.usual
    for name, value in vars(options).items():
        if name not in with_it and value != getattr(usual, name, None):
            message = f"--{name.replace('_', '-')} does not go with --canned"
            raise ValueError(message)
    parent = os.getppid()
    with CannedServer(host=options.host, port=options.port) as server:
        print(f"ready {server.address}", flush=True)
        try:
            while not options.with_parent or os.getppid() == parent:
                time.sleep(INTERVAL)
        except KeyboardInterrupt:
            pass
    return 0


def _cluster(options: argparse.Namespace) -> CassandraCluster:
    arguments = vars(options)
    optional = {
        option: arguments[name]
        for option, name in (
            ("heap", "heap"),
            ("racks", "rack"),
            ("datacenters", "datacenter"),
            ("data", "data"),
        )
        if name in arguments
    }
    return CassandraCluster(
        options.nodes,
        host=options.host,
        port=options.port,
        vnodes=options.vnodes,
        password=options.password,
        tls=options.tls,
        client_certificates=options.client_certificates,
        quick_start=options.quick_start,
        progress=lambda line: print(line, file=sys.stderr, flush=True),
        **optional,
    )


def _watch(cluster: CassandraCluster) -> int:
    """Waits until a node ends unexpectedly."""
    while True:
        for node, address in enumerate(cluster.addresses):
            if not cluster.is_alive(node):
                print(f"spikewire: node {node} at {address} ended unexpectedly", file=sys.stderr)
                return 1
        time.sleep(INTERVAL)
