"""The embedded cluster as a Python object."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from spikewire._native import ClusterCore
from spikewire.testing.certificates import Certificates

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from spikewire.types import Seconds

__all__ = [
    "Cluster",
    "ClusterOptions",
    "Faults",
    "NamespaceOptions",
    "NodeStats",
    "TlsOptions",
    "User",
]


class TlsOptions(TypedDict, total=False):
    """TLS options of an embedded cluster."""

    name: str
    """The TLS name of all nodes, for which their certificate is issued. Default: "spikewire"."""
    client_certificates: bool
    """Whether clients must present a certificate, too. Default: False."""


class _UserOptions(TypedDict, total=False):
    roles: list[str]
    """What the user may do: names of roles, such as "read-write". Default: everything."""
    external: bool
    """A user of another system, who logs in with the password as it is. Default: False."""


class User(_UserOptions):
    """A user of an embedded cluster."""

    password: str


class NamespaceOptions(TypedDict, total=False):
    """Options of one namespace; by default those of the cluster."""

    replication_factor: int
    """Copies of every record."""
    default_ttl: int
    """Time to live of records written without one, in seconds; 0: forever."""
    nsup_period: int
    """Seconds between two removals of expired records; 0 rejects TTLs."""
    max_record_size: int
    """Largest stored record in bytes."""
    indexed_sets: list[str]
    """Sets with an index of all their records, so a scan reads no others."""
    strong_consistency: bool
    """Whether it is strongly consistent, which transactions need."""
    strong_consistency_allow_expunge: bool
    """Whether records may be deleted without durability; needs ``strong_consistency``."""


class ClusterOptions(TypedDict, total=False):
    """Keyword options of an embedded cluster."""

    port: int
    """Port of the first node, the others follow; 0: free ports. Default: 0."""
    bind: str
    """IP address to listen on. Default: "127.0.0.1"."""
    namespaces: list[str] | Mapping[str, NamespaceOptions]
    """Namespaces, the same on every node: names, or names with options. Default: ["test"]."""
    replication_factor: int
    """Copies of every record. Default: 2."""
    default_ttl: int
    """Time to live of records written without one, in seconds; 0: forever. Default: 0."""
    nsup_period: int
    """Seconds between two removals of expired records; 0 rejects TTLs. Default: 1."""
    max_record_size: int
    """Largest stored record in bytes. Default: 1,048,576."""
    indexed_sets: list[str]
    """Sets with an index of all their records, so a scan reads no others. Default: []."""
    cluster_name: str
    """Default: "spikewire"."""
    threads: int
    """Threads that serve connections, for all nodes together; each has a second thread that sends
    long replies. Default: 1.
    """
    build: str
    """Server version to report, whose features the nodes have: one, such as "8.2", or one for each
    node, separated by commas. Default: "8.1.2.0".
    """
    edition: Literal["community", "enterprise"]
    """The edition of the server: "enterprise" has durable deletes, strongly consistent namespaces,
    transactions and compression. Default: "community"."""
    strong_consistency: bool
    """Whether namespaces are strongly consistent; needs ``edition="enterprise"``. Default: False.
    """
    strong_consistency_allow_expunge: bool
    """Whether records of strongly consistent namespaces may be deleted without durability, as with
    servers configured so; needs ``strong_consistency``. Default: False.
    """
    racks: list[int]
    """Rack of each node. Default: no racks."""
    migration_pause: Seconds
    """Pause after each partition that is copied, to make a migration last. Default: 0."""
    sync_time: Seconds
    """How long a node of 8.2 or later that is started again accepts connections and answers
    nothing, as servers do until their indexes, modules and users are in sync. Default: 0.05.
    """
    udf_time: Seconds
    """CPU time that one call of a user-defined function may take. Default: 1."""
    tls: bool | TlsOptions
    """Speak TLS only, with certificates created for the cluster. Default: False."""
    users: Mapping[str, str | User]
    """Users who must log in, by name: a password, or a dict. Default: {}, no login."""
    quotas: bool
    """Whether roles may have quotas, which servers must be configured for. Default: False."""
    session_ttl: Seconds
    """How long a session token is valid for opening connections. Default: 86,400, a day."""


class Faults(TypedDict, total=False):
    """Faults of a node. Shares are from 0 to 1 and drawn per request."""

    delay: Seconds
    """Every reply is held for this long; order is kept."""
    late_end: Seconds
    """The end of a scan or query is sent this long after its last record, in its own packet."""
    drop: float
    """Share of requests that are lost before they run; their connections stay silent."""
    drop_reply: float
    """Share of requests that are run but whose reply is lost; their connections stay silent."""
    cut: float
    """Share of replies that are cut in half before the connection is closed."""
    stall: float
    """Share of replies of which half is sent, and nothing more on their connections."""
    mute_after: int
    """Each connection gets this many replies, and none afterwards. With 0, new connections are
    accepted and never answered."""
    error: float
    """Share of requests that are answered with ``code`` instead of being run."""
    code: int
    """The result code for ``error``. Default: 18, device overload."""
    refuse: Literal["never", "close", "port"]
    """New connections are served, accepted and closed at once, or not accepted at all."""
    drip: tuple[int, Seconds]
    """Replies are sent in pieces of this many bytes, with this many seconds between them."""
    info: bool
    """Whether info requests are affected too. Default: False: clients see a healthy cluster."""
    seed: int
    """The seed of the random draws: the same seed and requests give the same faults. Default: 0."""
    service_time: Seconds
    """How long the node works on a request, one after the other: a node's capacity."""


class NodeStats(TypedDict):
    """Counters and sizes of one node."""

    alive: bool
    connections: int
    connections_opened: int
    objects: int
    master_objects: int
    bytes: int
    master_partitions: int
    replica_partitions: int
    requests: int
    """Requests answered, other than info requests."""
    compressed_requests: int
    """Requests that came compressed."""
    compressed_replies: int
    """Frames of replies that were sent compressed."""
    master_commits: int
    """Writes that were answered before their copies were made, as they asked for."""


class Cluster(ClusterCore):
    """An embedded cluster of ``nodes`` nodes, serving when this returns.

    Nodes own partitions as a real cluster's do. A killed node loses its memory; with two copies of
    every record no acknowledged write is lost when one node dies. Nodes are counted from 0.

    Use it in a ``with`` block, or call ``stop()``. Its threads belong to this process: the child of
    a fork can connect to it, but not change it or look into it, and ``stop()`` has no effect there.

    Raises ``OSError`` if a port is in use, ``TypeError`` or ``ValueError`` for invalid options. Its
    methods raise ``ValueError`` for a node that does not exist, ``OSError`` after ``stop()`` and in
    the child of a fork.
    """

    def __new__(cls, nodes: int = 1, **options: Unpack[ClusterOptions]) -> Self:
        cluster = super().__new__(cls, nodes=nodes, **options)
        cluster.nodes = nodes
        return cluster

    nodes: int
    """The number of nodes that the cluster was started with."""

    @property
    def seeds(self) -> str:
        """The addresses of all nodes, separated by commas, as clients take them."""
        return ",".join(self._addresses())

    @property
    def addresses(self) -> list[str]:
        """``host:port`` of every node, dead ones included."""
        return self._addresses()

    @property
    def certificates(self) -> Certificates | None:
        """The files for clients, with the option ``tls``; they are removed with the cluster."""
        paths = self._certificates()
        return paths and Certificates(*map(Path, paths))

    def kill(self, node: int) -> None:
        """Kills a node: its connections are reset, its port is closed, its records are lost."""
        self._kill(node)

    def restart(self, node: int) -> None:
        """Restarts a dead node: same port, empty; its partitions are copied to it."""
        self._restart(node)

    def is_alive(self, node: int) -> bool:
        """Whether a node is alive."""
        return self._is_alive(node)

    def node_name(self, node: int) -> str:
        """The node's id as the protocol shows it."""
        return self._node_name(node)

    def wait_settled(self, timeout: Seconds = 30) -> bool:
        """Waits until every partition has all its copies; False if ``timeout`` passes first."""
        return self._wait_settled(timeout)

    def inject(self, node: int, **faults: Unpack[Faults]) -> None:
        """Injects faults into a node, from the next request on; replaces earlier faults."""
        self._inject(node, **faults)

    def clear_faults(self, node: int) -> None:
        """Removes the faults of a node."""
        self._clear_faults(node)

    def truncate(self, namespace: str = "test", set: str | None = None) -> None:  # noqa: A002
        """Deletes all records of a set, or of a whole namespace."""
        self._truncate(namespace, set)

    def stats(self, node: int) -> NodeStats:
        """Counters and sizes of a node."""
        return self._stats(node)

    def stop(self) -> None:
        """Stops every node. Stopping again has no effect."""
        self._stop()

    def __repr__(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        where = "stopped" if self._is_stopped() else self.seeds
        return f"<{type(self).__name__} of {nodes}, {where}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
