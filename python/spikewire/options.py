"""Options of a client, and of its ``get_stream``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from os import PathLike

    from spikewire.builder.results import Missing, OnError
    from spikewire.codec import Codec
    from spikewire.types import Auth, Hedge, ReadMode, Replica, Seconds, Where

__all__ = ["AsyncOptions", "BlockingOptions", "ClientOptions", "StreamOptions", "TlsOptions"]


class TlsOptions(TypedDict, total=False):
    """How connections are encrypted, of clients and of sessions with Cassandra. Certificates and
    keys are in PEM format: paths, or the bytes themselves. Unknown names are refused."""

    ca: str | PathLike[str] | bytes | None
    """Authorities that are trusted. Default: those of the system."""
    system_ca: bool | None
    """Whether those of the system are trusted beside ``ca``. Default: False, if there is ``ca``."""
    certificate: str | PathLike[str] | bytes | None
    """The client's certificate, together with ``private_key``. Default: none."""
    private_key: str | PathLike[str] | bytes | None
    """Its key, which is not encrypted."""
    verify_hostname: bool
    """Whether a node's certificate must be for its name or address. Default: True."""
    server_name: str | None
    """The name that the certificates of all nodes are for instead. Default: none."""


class ClientOptions(TypedDict, total=False):
    """Keyword options of ``Client`` and ``AsyncClient``. Unknown names are refused."""

    cluster_name: str
    """The name the cluster must have. Default: any."""
    user: str | None
    """The user to log in as, together with ``password``. Default: no log-in."""
    password: str | None
    """The user's password. It is in no ``repr``, message or pickle."""
    auth: Auth | None
    """Who knows the user: the cluster ("internal"), or a directory that it asks, which takes the
    password as it is and so needs ``tls`` ("external", or without it "external-insecure"); "pki":
    the client's certificate says who it is. Default: "internal", if there is a user."""
    tls: bool | TlsOptions
    """Whether connections are encrypted, and how. Default: they are not."""
    codec: Codec
    """How values of custom types and certain bins are stored. Default: none."""
    timeout: Seconds
    """Total time of a call including retries; 0: no limit. Default: 1 s."""
    socket_timeout: Seconds
    """Longest silence of a node before an attempt is abandoned; 0: no limit. Default: 0."""
    max_retries: int
    """Further attempts after the first one. Default: 2."""
    sleep_between_retries: Seconds
    """Pause before a retry on the same node; the first of them where pauses grow. Default: 0."""
    sleep_multiplier: float
    """What each pause is multiplied by for the next one, from 1 to 100. Default: 1."""
    max_sleep_between_retries: Seconds
    """The longest pause; 0: no limit. Default: 0."""
    sleep_jitter: bool
    """Whether each pause is drawn at random between 0 and what it would be. Default: False."""
    retry_in_doubt: bool
    """Whether writes that may have been applied are tried again. Default: False."""
    replica: Replica
    """Which replica a command goes to first. Default: "sequence"."""
    read_mode: ReadMode
    """The consistency of reads. Default: "one"."""
    hedge: Hedge
    """When reads of one record have a second request, to another replica, because no answer has
    come: after a time, or after as long as a share of that node's answers take ("p99"); 0: never.
    Default: 0."""
    hedge_percent: int
    """Most second requests for a hundred reads that may have one, 1 to 100. Default: 10."""
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
    """Addresses that nodes advertise, and those to use instead. Default: none."""
    connections_per_node: int
    """Connections to one node for each event loop, and for all blocking threads. Default: 4."""
    pipeline_depth: int
    """Commands in flight on one connection before the next one waits. Default: 512."""
    queue_limit: int
    """Commands that may wait for one node; beyond it they raise ``TooBusy``. Default: 100,000."""
    max_error_rate: int
    """Errors per window after which a node's circuit breaker opens; 0: never. Default: 100."""
    error_rate_window: int
    """Length of that window in tend intervals. Default: 1."""


class BlockingOptions(ClientOptions, total=False):
    """Keyword options that only ``Client`` has."""

    submit_limit: int
    """Submitted calls in flight at once; beyond it ``submit`` waits. Default: 2,048."""


class StreamOptions(TypedDict, total=False):
    """Keyword options of ``get_stream``: how keys are read, and those of ``get_many``."""

    ordered: bool
    """Whether results come in the order of the keys. Default: True."""
    window: int
    """Keys that are sent together. Default: 256."""
    limit: int
    """Windows in flight, those that wait to be taken included. Default: 8."""
    on_error: OnError
    """What is done about a row that failed. Default: "raise"."""
    missing: Missing
    """What is done about a record that is not there. Default: "keep"."""
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


class AsyncOptions(ClientOptions, total=False):
    """Keyword options that only ``AsyncClient`` has."""

    max_in_flight: int
    """Commands in flight on one event loop: beyond it verbs wait in line, first come, first served;
    0: no limit. Default: 0."""
