"""Options of sessions and of executions, which are keywords everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

from spikewire.options import TlsOptions

if TYPE_CHECKING:
    from spikewire.types import Seconds

__all__ = [
    "Authenticator",
    "Consistency",
    "ExecuteOptions",
    "Login",
    "PrepareOptions",
    "SerialConsistency",
    "SessionOptions",
    "TlsOptions",
]

#: How many replicas must answer; upper case does as well.
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

#: The same for the condition of a lightweight transaction.
SerialConsistency = Literal["serial", "local_serial"]


class PrepareOptions(TypedDict, total=False):
    """Keyword options of ``prepare``. Unknown names are refused."""

    keyspace: str | None
    """The keyspace of tables that are named without one. Needs version 5 of the protocol. Default:
    the session's."""
    node: str | None
    """The only node to ask, by its address. Default: any."""
    payload: dict[str, bytes | None]
    """Bytes for a handler in the server, by name. Default: none."""
    timeout: Seconds | None
    """Total time including retries; 0: no limit. Default: the session's."""
    socket_timeout: Seconds | None
    """Longest silence of a connection before an attempt is abandoned; 0: no limit. Default: the
    session's."""
    max_retries: int | None
    """Further attempts after the first one. Default: the session's."""
    speculative_delay: Seconds | None
    """How long to wait for an answer before a copy of the statement goes to another node, from
    1 ms; ``None``: there are no copies. Only idempotent statements have copies. Default: the
    session's."""
    speculative_attempts: int | None
    """How many copies there may be besides the first, up to 32. Default: the session's."""


#: Options of an execution that matter when its statement is prepared first.
FOR_PREPARING = (
    "keyspace",
    "node",
    "timeout",
    "socket_timeout",
    "max_retries",
    "speculative_delay",
    "speculative_attempts",
)


class ExecuteOptions(PrepareOptions, total=False):
    """Keyword options of ``execute``, ``page``, ``query`` and ``execute_many``. Unknown names are
    refused; ``None`` stands for the default, except for ``speculative_delay``."""

    consistency: Consistency | None
    """How many replicas must answer. Default: the session's."""
    serial_consistency: SerialConsistency | None
    """The same for the condition of a lightweight transaction. Default: the session's."""
    page_size: int | None
    """Rows that the server sends at a time, from 1. Default: the session's."""
    paging_state: bytes | None
    """Where to begin: the ``paging_state`` of the page before. Default: at the beginning."""
    timestamp: int | None
    """When what is written was written, in microseconds since 1970. Default: now, unless the
    session leaves that to the server (``timestamps=False``)."""
    idempotent: bool | None
    """Whether a second execution makes no difference, so that it is tried again where the first one
    may have been applied. Default: True for SELECT, False for others."""
    tracing: bool
    """Whether the server keeps a trace, for ``session.trace(result)``. Default: False."""
    now_in_seconds: int | None
    """The time that TTLs are computed with, in seconds since 1970. Needs version 5 of the protocol.
    Default: the server's clock."""


class Login(Protocol):
    """One login; ``succeeded(token)`` is called in the end where there is such a method."""

    def answer(self, challenge: bytes | None, /) -> bytes:
        """The first answer (the challenge is ``None``), or the one to a challenge."""
        ...


class Authenticator(Protocol):
    """Logs in where a name and a password are not what a server asks for. Its methods are called by
    whatever thread opens a connection; what they raise ends the login."""

    def begin(self, class_name: str, /) -> Login:
        """Begins a login with a server whose authenticator has this class."""
        ...


class SessionOptions(TypedDict, total=False):
    """Keyword options of ``Session`` and ``AsyncSession``. Unknown names are refused."""

    keyspace: str | None
    """The keyspace of tables that are named without one. Default: none."""
    user: str | None
    """The user to log in as, together with ``password``. Default: no log-in."""
    password: str | None
    """The user's password."""
    authenticator: Authenticator | None
    """Logs in instead, where a server asks for something else. Default: none."""
    tls: bool | TlsOptions
    """Whether connections are encrypted, and how. Default: they are not."""
    protocol_version: int | None
    """The version of the native protocol, 4 or 5. Default: the highest that the server speaks."""
    compression: Literal["lz4"] | None
    """How messages are compressed. Default: not."""
    consistency: Consistency
    """How many replicas must answer. Default: "local_one"."""
    serial_consistency: SerialConsistency | None
    """The same for the condition of a lightweight transaction. Default: the server's, "serial"."""
    page_size: int | None
    """Rows that the server sends at a time; ``None``: all at once. Default: 5,000."""
    timestamps: bool
    """Whether writes carry the time of this machine, always increasing. Default: True."""
    timeout: Seconds
    """Total time of a statement including retries; 0: no limit. Default: 10 s."""
    socket_timeout: Seconds
    """Longest silence of a connection before an attempt is abandoned; 0: no limit. Default: 0."""
    max_retries: int
    """Further attempts after the first one. Default: 2."""
    speculative_delay: Seconds | None
    """How long to wait for an answer to an idempotent statement before a copy of it goes to another
    node, from 1 ms; ``None``: there are no copies. Default: ``None``."""
    speculative_attempts: int
    """How many copies of a statement there may be besides the first, up to 32. Default: 1."""
    connect_timeout: Seconds
    """Time for one connection attempt. Default: 5 s."""
    heartbeat: Seconds
    """Silence after which the connection that watches the cluster is asked for a sign of life.
    Default: 30 s."""
    reconnect: tuple[Seconds, Seconds]
    """The shortest and the longest pause between attempts to reach a node that is down: each is
    twice as long as the one before. Default: 0.1 s and 30 s."""
    idle_timeout: Seconds
    """Idle connections are closed after this time. Default: 120 s."""
    schema_agreement: Seconds
    """Longest wait until all nodes have one schema, after a statement that changes it. Default:
    10 s."""
    connections_per_node: int
    """Connections to one node (to one shard, where it has some) for each event loop, and for all
    blocking threads. Default: 1."""
    shard_aware_port: bool
    """Whether connections to a server with shards (Scylla) choose their shard by the port that they
    come from, where it has a port for that. Default: True."""
    pipeline_depth: int
    """Statements in flight on one connection before the next one waits, up to 32,767. Default:
    1,024."""
    queue_limit: int
    """Statements that may wait for one node; beyond it they raise ``TooBusy``. Default: 100,000."""
    submit_limit: int
    """Submitted statements in flight at once; beyond it ``submit`` waits. Default: 2,048."""
    max_error_rate: int
    """Errors within a second after which a node is left alone for a moment; 0: never. Default:
    100."""
    local_datacenter: str | None
    """The datacenter whose nodes are asked. Default: that of the first contact point."""
    local_rack: str | None
    """The rack whose nodes are asked first. Default: none."""
    remote_datacenters: bool
    """Whether nodes of other datacenters are asked when no local one can be. Default: False."""
    address_map: dict[str, str]
    """Addresses that nodes advertise, and those to use instead. Default: none."""
    application: dict[str, str]
    """What the server's lists of clients show: ``APPLICATION_NAME``, ``APPLICATION_VERSION``,
    ``CLIENT_ID``. Default: nothing."""
