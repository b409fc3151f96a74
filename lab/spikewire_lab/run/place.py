"""The cluster under load: its flags, the same for every command, and their meaning."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..access import OPEN, Access
from ..access import flags as access_flags
from ..access.seeds import parse_named_seeds
from ..arguments import count, value
from .aerospike_server import AerospikeServer
from .cluster import EmbeddedCluster, ExternalCluster
from .placement import allowed, halves

if TYPE_CHECKING:
    import argparse

    from ..access.seeds import Seed
    from ..contract.result import Job
    from .cluster import Cluster

COPIES = 2
NODES, REAL_NODES = 3, 1
"""Default numbers of nodes: of the embedded cluster, of a real server."""
BINARY = "--server-binary"
SERVICES_ALTERNATE = "--services-alternate"
NO_ALTERNATE = "its worker does not ask for alternate addresses"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where to measure: a cluster, and the set in it."""

    hosts: tuple[Seed, ...] = ()
    """Empty: an embedded cluster, described by the other fields."""
    namespace: str = "test"
    set_name: str = "bench"
    nodes: int = NODES
    server_binary: str = ""
    """The program of a real server to start; empty: the embedded cluster."""
    server_threads: int = 1
    server_cpus: tuple[int, ...] = ()
    """Processors that a server of the lab's own is restricted to; empty: all."""
    replication_factor: int | None = None
    """Copies of each record in the embedded cluster; None: two, or one with a single node."""
    services_alternate: bool = False
    """Whether clients ask the nodes for their alternate addresses."""
    access: Access = OPEN
    """Login and TLS."""

    def place(self) -> dict[str, Any]:
        """Only these fields, for other settings with the same place."""
        return {field.name: getattr(self, field.name) for field in fields(Place)}

    def cluster(self) -> Cluster:
        """The given cluster, or one that is started when it is entered."""
        if self.hosts:
            return ExternalCluster(self.hosts, access=self.access)
        copies = self.replication_factor or min(COPIES, self.nodes)
        if self.server_binary:
            return AerospikeServer(
                self.server_binary, self.nodes, self.namespace, self.server_cpus, copies
            )
        return EmbeddedCluster(
            self.nodes,
            self.namespace,
            self.server_threads,
            self.server_cpus,
            copies=copies,
            access=self.access,
        )

    def reach(self, job: Job, cluster: Cluster | None) -> None:
        """Adds to a job what its client needs to connect, in addition to the seeds."""
        if self.services_alternate:
            job["services_alternate"] = True
        if cluster is not None and len(cluster.pids) > 1:
            job["server_pids"] = list(cluster.pids)
        if cluster is not None and cluster.access:
            job["access"] = cluster.access.job()

    def as_json(self) -> dict[str, Any]:
        """The settings for a saved file, without secrets."""
        place = asdict(self)
        # A path says more about the machine than about the run.
        place["server_binary"] = Path(self.server_binary).name
        access = self.access.as_json()
        del place["access"]
        return place if access is None else {**place, "access": access}


def add_flags(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:  # pyright: ignore[reportPrivateUsage]
    """Adds the flags of the cluster; returns their group for further flags."""
    where = parser.add_argument_group("cluster")
    where.add_argument(
        *("-H", "--hosts", "--seeds"),
        type=value(parse_named_seeds),
        default=(),
        metavar="HOST[:TLS-NAME][:PORT],...",
        help="default: an embedded cluster on this machine",
    )
    where.add_argument(
        BINARY,
        default="",
        metavar="PATH",
        help="start this server (`asd` of Aerospike, 7.0 or later) on this machine for the run,"
        " instead of the embedded cluster",
    )
    where.add_argument(
        "--nodes",
        type=count,
        help=f"of the embedded cluster, default: {NODES}; of {BINARY}, default: {REAL_NODES}",
    )
    where.add_argument(
        "--share-cpus",
        action="store_true",
        help="let clients and a server of the lab's own share all processors; by default each gets"
        " half of them where there are four or more",
    )
    where.add_argument(
        "--server-threads",
        type=count,
        default=max(1, (os.cpu_count() or 1) // 2),
        help="of the embedded cluster; default: half the processors",
    )
    where.add_argument(
        "--replication-factor",
        type=count,
        metavar="N",
        help=f"copies of each record in the embedded cluster; default: {COPIES}, or 1 with one"
        " node",
    )
    where.add_argument("-n", "--namespace", default="test", help="default: %(default)s")
    where.add_argument(
        *("-s", "--set"), dest="set_name", default="bench", help="default: %(default)s"
    )
    access_flags.add_flags(parser)
    return where


def add_alternate(where: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]
    """Adds the flag for clusters whose nodes have a second address."""
    where.add_argument(
        SERVICES_ALTERNATE,
        action="store_true",
        help="clients ask the nodes of -H for their alternate addresses",
    )


def options_of(args: argparse.Namespace) -> dict[str, Any]:
    """The fields of a `Place` from the flags, completed by their defaults."""
    _complete(args)
    options = {
        field.name: getattr(args, field.name) for field in fields(Place) if field.name in args
    }
    seeds = tuple((host, port) for host, port, _ in args.hosts)
    return {**options, "hosts": seeds, "access": access_flags.access_of(args, _names(args))}


def _complete(args: argparse.Namespace) -> None:
    """Fills in the number of nodes, and processors for clients and server."""
    if args.nodes is None:
        args.nodes = REAL_NODES if args.server_binary else NODES
    chosen = [getattr(args, name, None) for name in ("client_cpus", "server_cpus")]
    if args.hosts or args.share_cpus or None in chosen or any(chosen):
        return
    args.client_cpus, args.server_cpus = halves(allowed())


def _names(args: argparse.Namespace) -> list[str]:
    """The TLS names of the seeds, empty for seeds without one."""
    return [name for _, _, name in args.hosts]


def problem(args: argparse.Namespace) -> str | None:
    """Why these flags cannot be combined, or None."""
    if args.hosts and args.server_binary:
        return f"{BINARY} starts a server, and -H names one that runs: choose one"
    if args.server_binary and shutil.which(str(args.server_binary)) is None:
        return f"{BINARY} {args.server_binary}: no such program"
    if args.hosts and args.server_cpus:
        return "--server-cpus is for the embedded cluster, not for one given by -H"
    if args.hosts and args.replication_factor is not None:
        return "--replication-factor is for the embedded cluster, not for one given by -H"
    if "services_alternate" in args and args.services_alternate and not args.hosts:
        return f"{SERVICES_ALTERNATE} is for a cluster given by -H: the embedded one has no others"
    nodes = args.nodes or (REAL_NODES if args.server_binary else NODES)
    if (args.replication_factor or 1) > nodes:
        copies = args.replication_factor
        return f"--replication-factor {copies}: more copies than the nodes, which are {nodes}"
    reason = access_flags.problem(args, _names(args))
    if reason is None and args.server_binary and access_flags.access_of(args, _names(args)):
        return (
            f"{BINARY}: the lab starts it without users and TLS; pass -H for a server that has them"
        )
    return reason
