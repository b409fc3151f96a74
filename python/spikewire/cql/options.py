"""Keyword options of sessions and of executions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict

from spikewire.options import TlsOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spikewire.types import Hedge, Priority, Seconds

__all__ = [
    "Authenticator",
    "Consistency",
    "ExecuteOptions",
    "Login",
    "PrepareOptions",
    "SerialConsistency",
    "SessionOptions",
    "TlsOptions",
    "options_of_preparing",
]

#: Consistency levels; upper case is accepted, too.
Consistency = Literal[
    "any",
    "one",
    "two",
    "three",
    "quorum",
    "all",
    "local_quorum",
    "each_quorum",
    "serial",
    "local_serial",
    "local_one",
]

#: Consistency levels for the condition of a lightweight transaction.
SerialConsistency = Literal["serial", "local_serial"]


class PrepareOptions(TypedDict, total=False):
    """Keyword options of ``prepare``. Unknown names are rejected."""

    keyspace: str | None
    """The keyspace of tables named without one. Needs version 5 of the protocol. Default: the
    session's.
    """
    node: str | None
    """The only node to use, by its address. Default: any."""
    payload: dict[str, bytes | None]
    """Bytes for a handler in the server, by name. Default: none."""
    timeout: Seconds | None
    """Total time including retries; 0: no limit. Default: the session's."""
    socket_timeout: Seconds | None
    """How long a connection may be silent before an attempt is abandoned; 0: no limit. Default: the
    session's.
    """
    max_retries: int | None
    """Attempts after the first one. Default: the session's."""
    speculative_delay: Hedge | None
    """How long to wait for an answer before sending a copy of the statement to another node: a
    time, at least 1 ms, or a percentile of recent latencies ("p99"); ``None``: no copies. Only
    idempotent statements have copies. Default: the session's.
    """
    priority: Priority | None
    """"background" for statements that go behind others where statements wait for a node. Default:
    "interactive".
    """
    speculative_attempts: int | None
    """Maximum number of copies in addition to the first request, up to 32. Default: the
    session's.
    """


class ExecuteOptions(PrepareOptions, total=False):
    """Keyword options of ``execute``, ``page``, ``query`` and ``execute_many``. Unknown names are
    rejected; ``None`` stands for the default, except for ``speculative_delay``.
    """

    consistency: Consistency | None
    """How many replicas must answer. Default: the session's."""
    serial_consistency: SerialConsistency | None
    """The same for the condition of a lightweight transaction. Default: the session's."""
    page_size: int | None
    """Rows per page, at least 1. Default: the session's."""
    paging_state: bytes | None
    """Where to start: the ``paging_state`` of the previous page. Default: at the beginning."""
    timestamp: int | None
    """The timestamp of the write, in microseconds since 1970. Default: now, unless the session
    leaves it to the server (``timestamps=False``).
    """
    idempotent: bool | None
    """Whether the statement is safe to repeat, so it is retried even if it may already have been
    applied. Default: True for SELECT, False for others.
    """
    tracing: bool
    """Whether the server keeps a trace, for ``session.trace(result)``. Default: False."""
    now_in_seconds: int | None
    """The time used to compute TTLs, in seconds since 1970. Needs version 5 of the protocol.
    Default: the server's clock.
    """


_OF_PREPARING = PrepareOptions.__annotations__.keys() - {"payload"}


def options_of_preparing(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an execution that also apply to preparing its statement."""
    return {name: value for name, value in options.items() if name in _OF_PREPARING}


class Login(Protocol):
    """One login; its method ``succeeded(token)``, if any, is called at the end."""

    def answer(self, challenge: bytes | None, /) -> bytes:
        """The first answer (the challenge is ``None``), or the one to a challenge."""
        ...


class Authenticator(Protocol):
    """Logs in to servers that require something other than a name and password. Its methods are
    called by the thread that opens a connection; an exception ends the login. One with a method
    ``begin_at(class_name, node)`` is called with the node's address (``host:port``) as well.
    """

    def begin(self, class_name: str, /) -> Login:
        """Starts a login with a server whose authenticator has this class."""
        ...


class SessionOptions(TypedDict, total=False):
    """Keyword options of ``Session`` and ``AsyncSession``. Unknown names are rejected."""

    keyspace: str | None
    """The keyspace of tables named without one. Default: none."""
    user: str | None
    """The user to log in as, together with ``password``. Default: no login."""
    password: str | None
    """The user's password."""
    authenticator: Authenticator | None
    """Logs in instead, if the server requires something else. Default: none."""
    tls: bool | TlsOptions
    """Whether and how connections are encrypted. Default: not encrypted."""
    protocol_version: int | None
    """The version of the native protocol, 4 or 5. Default: the highest that the server speaks."""
    compression: Literal["lz4"] | None
    """How messages are compressed. Default: no compression."""
    consistency: Consistency
    """How many replicas must answer. Default: "local_one"."""
    serial_consistency: SerialConsistency | None
    """The same for the condition of a lightweight transaction. Default: the server's, "serial"."""
    page_size: int | None
    """Rows per page; ``None``: all at once. Default: 5,000."""
    timestamps: bool
    """Whether writes carry client-side timestamps, which always increase. Default: True."""
    timeout: Seconds
    """Total time of a statement including retries; 0: no limit. Default: 10 s."""
    socket_timeout: Seconds
    """How long a connection may be silent before an attempt is abandoned; 0: no limit. Default:
    0.
    """
    max_retries: int
    """Attempts after the first one. Default: 2."""
    speculative_delay: Hedge | None
    """How long to wait for an answer to an idempotent statement before sending a copy to another
    node: a time, at least 1 ms, or a percentile of recent latencies ("p99", from "p50" to "p99.9")
    of the node whose is lowest, once 100 of a node are known; ``None``: no copies. Default:
    ``None``.
    """
    speculative_attempts: int
    """Maximum number of copies in addition to the first request, up to 32. Default: 1."""
    connect_timeout: Seconds
    """Time for one connection attempt. Default: 5 s."""
    heartbeat: Seconds
    """Silence after which a heartbeat is sent on the connection that watches the cluster. Default:
    30 s.
    """
    reconnect: tuple[Seconds, Seconds]
    """The shortest and the longest pause between attempts to reach a node that is down; pauses
    double, and each is shortened at random by up to half. Default: 0.1 s and 30 s.
    """
    idle_timeout: Seconds
    """Idle connections are closed after this time. Default: 120 s."""
    secure_connect_bundle: str
    """The path of the archive with which a managed cluster is found (Astra). It has the contact
    points, the certificates and the local datacenter, so the list of contact points must be empty,
    and there is no ``tls`` besides. ``user`` and ``password`` are those of the cluster, such as
    ``"token"`` and a token. Default: none.
    """
    schema_agreement: Seconds
    """How long to wait for all nodes to agree on the schema after a statement that changes it.
    Default: 10 s.
    """
    connections_per_node: int
    """Connections to one node (or shard, if it has shards) per event loop, and the number of
    threads that get one each for blocking calls; more threads share. Default: 1, and 64 threads,
    fewer if these connections were more than 256 in all.
    """
    warm_connections: int
    """Connections that are opened before the first statement, all at once, to each node that
    statements go to; whoever needs one first gets it. Unreachable nodes are waited for up to
    ``connect_timeout``. Default: 0.
    """
    slow_start: Seconds
    """How long a node that comes back, or joins, takes at most to get its whole share of the
    statements that another replica can take; 0: it gets all at once. Default: 5 s.
    """
    shard_aware_port: bool
    """Whether connections to a server with shards (Scylla) choose their shard by their source port,
    if the server has a port for that. Default: True.
    """
    pipeline_depth: int
    """Statements in flight on one connection before the next one waits, up to 32,767. Default:
    1,024."""
    queue_limit: int
    """Statements that may wait for one node; further ones raise ``TooBusy``. Default: 100,000."""
    submit_limit: int
    """Submitted statements in flight at once; further calls of ``submit`` wait. Default: 2,048."""
    retry_budget: float | None
    """Retries and speculative executions that the session may send, as a share of its recent
    statements, beyond 100 and 10 per second that it always has; 0: none at all, ``None``: as many
    as ``max_retries`` allows. Default: 0.1.
    """
    adaptive_limits: bool
    """Whether a node gets fewer statements at a time while its replies are late or it says that it
    is overloaded. The others wait, interactive ones first; those that cannot be answered within
    their ``timeout`` raise ``Overloaded`` and are not sent. Default: True.
    """
    max_error_rate: int
    """Errors within a second after which a node is avoided for a while; 0: never. Default: 100."""
    local_datacenter: str | None
    """The datacenter whose nodes are used. Default: that of the first contact point."""
    local_rack: str | None
    """The rack whose nodes are preferred. Default: none."""
    remote_datacenters: bool
    """Whether nodes of other datacenters are used if no local one is available. Default: False."""
    address_map: dict[str, str]
    """Addresses that nodes advertise, and their replacements. Default: none."""
    address_translator: Callable[[str], str] | None
    """Says where an advertised address (``host:port``) is reached: ``host`` or ``host:port``, where
    a host may be a name; without a port it is the advertised one. Called by the thread that watches
    the cluster. If it raises, opening fails; later, the nodes stay as they were known. Default:
    none.
    """
    application: dict[str, str]
    """What the server's lists of clients show: ``APPLICATION_NAME``, ``APPLICATION_VERSION``,
    ``CLIENT_ID``. Default: nothing."""
