"""Options of a client, and of its ``get_stream``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from os import PathLike

    from spikewire.aerospike.builder.results import Missing, OnError
    from spikewire.aerospike.codec import Codec
    from spikewire.types import (
        Auth,
        CommitLevel,
        DetailLevel,
        Hedge,
        Priority,
        ReadMode,
        Replica,
        Seconds,
        ShareReads,
        Where,
    )

__all__ = ["AsyncOptions", "BlockingOptions", "ClientOptions", "StreamOptions", "TlsOptions"]


class TlsOptions(TypedDict, total=False):
    """TLS options of clients and of Cassandra sessions. Certificates and keys are in PEM format:
    paths, or the contents as bytes. Unknown names are rejected.
    """

    ca: str | PathLike[str] | bytes | None
    """Trusted certificate authorities. Default: those of the system."""
    system_ca: bool | None
    """Whether to trust the system's authorities in addition to ``ca``. Default: False if ``ca`` is
    set.
    """
    certificate: str | PathLike[str] | bytes | None
    """The client's certificate, together with ``private_key``. Default: none."""
    private_key: str | PathLike[str] | bytes | None
    """The key of ``certificate``."""
    private_key_password: str | None
    """The password of ``private_key``, if it is encrypted (PKCS #8). Default: none."""
    crls: str | PathLike[str] | bytes | list[str | PathLike[str] | bytes] | None
    """Lists of revoked certificates. If there are any, every certificate of a node's chain must be
    covered by one that has not expired. Default: none.
    """
    crl_check: Literal["chain", "leaf"]
    """Which certificates are looked up in ``crls``: all of the chain except the trusted
    authority's, or only the node's own ("leaf"). Default: "chain".
    """
    verify_hostname: bool
    """Whether a node's certificate must match its name or address. Default: True."""
    verify: bool
    """Whether a node's certificate is verified at all. If not, anybody can pose as a node. Default:
    True.
    """
    server_name: str | None
    """The name for which the certificates of all nodes are issued instead. Default: none."""


class ClientOptions(TypedDict, total=False):
    """Keyword options of ``Client`` and ``AsyncClient``. Unknown names are rejected."""

    cluster_name: str
    """The name the cluster must have. Default: any."""
    seed_only: bool
    """Whether only seeds are used: commands go to the first one that answers, whatever is behind
    its address, and other nodes are not looked for. Nodes pass on what others have, which takes
    longer; queries read only what is on the node. Default: False.
    """
    fail_if_not_connected: bool
    """Whether opening fails if no seed answers. If not, there is a client whose calls fail until
    one does; it keeps trying in the background. Default: True.
    """
    protect_servers: bool
    """Whether requests that servers of 8.1.1 and 8.1.2 may not withstand are refused for such nodes
    (``FeatureUnavailable``). Some of them end a server only if a list on their path is ordered,
    which a request does not say. Default: True.
    """
    application_id: str | None
    """The name of the program, which nodes list among their clients (server 8.1 and later): up to
    40 visible ASCII characters without commas. Default: none.
    """
    user: str | None
    """The user to log in as, together with ``password``. Default: no login."""
    password: str | None
    """The user's password. It never appears in a ``repr``, message or pickle."""
    auth: Auth | None
    """Which system knows the user: "internal" (the cluster), "external" (a directory that the
    cluster queries; the password itself is sent, so ``tls`` is required), "external-insecure" (the
    same without ``tls``), or "pki" (the client's certificate identifies the user). Default:
    "internal", if there is a user.
    """
    tls: bool | TlsOptions
    """Whether and how connections are encrypted. Default: not encrypted."""
    codec: Codec
    """How values of custom types and certain bins are stored. Default: none."""
    timeout: Seconds
    """Total time of a call including retries; 0: no limit. Default: 1 s."""
    socket_timeout: Seconds
    """How long a node may be silent before an attempt is abandoned; 0: no limit. Default: 0."""
    max_retries: int
    """Attempts after the first one. Default: 2."""
    sleep_between_retries: Seconds
    """Pause before a retry on the same node; the first one, if pauses grow. Default: 0."""
    sleep_multiplier: float
    """Factor by which each pause grows, from 1 to 100. Default: 1."""
    max_sleep_between_retries: Seconds
    """The longest pause; 0: no limit. Default: 0."""
    sleep_jitter: bool
    """Whether each pause is drawn at random between 0 and its full length. Default: False."""
    commit_level: CommitLevel
    """When writes are answered: "all", once all copies of the record have them, or "master", once
    the master has; if that fails then, a write may be lost. Default: "all".
    """
    retry_in_doubt: bool
    """Whether to retry writes that may already have been applied. Default: False."""
    replica: Replica
    """Which replica a command goes to first. Default: "sequence"."""
    read_mode: ReadMode
    """The consistency of reads. Default: "one"."""
    hedge: Hedge
    """How long to wait before sending a single-record read a second time, to another replica: a
    time, or a percentile of that node's recent response times ("p99"); 0: never. Default: 0.
    """
    hedge_percent: int
    """Maximum number of second requests per hundred reads that qualify, 1 to 100. Default: 10."""
    share_reads: ShareReads
    """Whether concurrent reads of the same record and bins share one request: "unsent" joins a
    request of which nothing was sent yet, "in_flight" also one on its way. Default: "off".
    """
    near_cache: int
    """Bytes in which replies are kept for the keys that are read most often, and answered again; at
    least 65,536, or 0 for none. Default: 0.
    """
    near_cache_staleness: Seconds
    """How old what ``near_cache`` answers may be, 0.001 to 3,600. Default: 0.1 s."""
    near_cache_heat: int
    """From how many reads per second on a key is kept in ``near_cache``, up to 100,000; 0: every
    key. Default: 100.
    """
    compress: bool
    """Whether requests and replies are compressed, where nodes are of the Enterprise Edition;
    others get plain requests. Queries and jobs are never compressed. Default: False.
    """
    error_details: DetailLevel
    """How much servers are asked to say about errors, where nodes have 8.2 or later: "subcode",
    "message" for that and a message, "trace" for both and where in an expression it happened.
    Queries, too; not jobs. Default: "off".
    """
    compression_threshold: int
    """The largest request in bytes that is not worth compressing. Default: 128."""
    racks: list[int]
    """The client's racks, best first, for ``replica="prefer-rack"``. Default: none."""
    send_key: bool
    """Whether writes store the user key with the record. Default: False."""
    connect_timeout: Seconds
    """Time for one connection attempt. Default: 1 s."""
    tend_interval: Seconds
    """Pause between two refreshes of the view of the cluster. Default: 1 s."""
    idle_timeout: Seconds
    """Idle connections are closed after this time. Default: 55 s."""
    use_services_alternate: bool
    """Whether nodes are asked for their alternate addresses. Default: False."""
    ip_map: dict[str, str]
    """Addresses that nodes advertise, and their replacements. Default: none."""
    connections_per_node: int
    """Connections to one node per event loop, and the number of threads that get one each for
    blocking calls; more threads share two others, or up to this many if replies are slow.
    Default: 4, and 64 threads, fewer if these connections were more than 256 in all.
    """
    warm_connections: int
    """Connections to each node that are opened before the first call, all at once; whoever needs
    one first gets it. Unreachable nodes are waited for up to ``connect_timeout``. Default: 0.
    """
    slow_start: Seconds
    """How long a node that comes back, or joins, takes at most to get its whole share of the reads
    that another replica can answer; 0: it gets all at once. Never longer than it was away.
    Default: 5 s.
    """
    pipeline_depth: int
    """Commands in flight on one connection before the next one waits. Default: 512."""
    queue_limit: int
    """Commands that may wait for one node; further ones raise ``TooBusy``. Default: 100,000."""
    retry_budget: float | None
    """Retries and second requests that the client may send, as a share of its recent calls, beyond
    100 and 10 per second that it always has; 0: none at all, ``None``: as many as ``max_retries``
    allows. Requests that were not sent, and the first move of a read away from a node that is mute
    or has closed its connections, are free. Default: 0.1.
    """
    adaptive_limits: bool
    """Whether a node gets fewer commands at a time while its replies are late or it says that it is
    overloaded. The others wait, interactive ones first; those that cannot be answered within their
    ``timeout`` raise ``Overloaded`` and are not sent. Default: True.
    """
    max_error_rate: int
    """Errors per window after which a node's circuit breaker opens; 0: never. Default: 100."""
    error_rate_window: int
    """Length of that window, in tend intervals. Default: 1."""


class BlockingOptions(ClientOptions, total=False):
    """Keyword options that only ``Client`` has."""

    submit_limit: int
    """Submitted calls in flight at once; further calls of ``submit`` wait. Default: 2,048."""


class StreamOptions(TypedDict, total=False):
    """Keyword options of ``get_stream``: how keys are read, and those of ``get_many``."""

    ordered: bool
    """Whether results are in the order of the keys. Default: True."""
    window: int
    """Keys per window. Default: 256."""
    limit: int
    """Windows in flight, including those waiting to be consumed. Default: 8."""
    on_error: OnError
    """What to do about a failed row. Default: "raise"."""
    missing: Missing
    """What to do about a record that does not exist. Default: "keep"."""
    buffers: bool
    """As in ``get``. Default: False."""
    where: Where | None
    """As in ``get``. Default: no filter."""
    read_touch: int | None
    """As in ``get``. Default: 0."""
    read_mode: ReadMode | None
    """As in ``get``. Default: the client's."""
    replica: Replica | None
    """As in ``get``. Default: the client's."""
    timeout: Seconds | None
    """As in ``get``, for each window. Default: the client's."""
    deadline: Seconds | None
    """As in ``get_many``, for each window. Default: none."""
    max_retries: int | None
    """As in ``get``. Default: the client's."""
    sleep_between_retries: Seconds | None
    """As in ``get``. Default: the client's."""
    sleep_multiplier: float | None
    """As in ``get``. Default: the client's."""
    max_sleep_between_retries: Seconds | None
    """As in ``get``. Default: the client's."""
    sleep_jitter: bool | None
    """As in ``get``. Default: the client's."""
    priority: Priority | None
    """As in ``get``. Default: "interactive"."""
    compress: bool | None
    """As in ``get``. Default: the client's."""
    error_details: DetailLevel | None
    """As in ``get``. Default: the client's."""


class AsyncOptions(ClientOptions, total=False):
    """Keyword options that only ``AsyncClient`` has."""

    max_in_flight: int
    """Commands in flight per event loop; further verbs wait in line, first come, first served; 0:
    no limit. Default: 0.
    """
