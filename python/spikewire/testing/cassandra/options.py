"""Options of a cluster, with validation."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from typing_extensions import Unpack

    from spikewire.types import Seconds

__all__ = ["UNHURRIED", "CassandraOptions", "Settings", "seconds_of", "settings_of", "silent"]

SMALLEST_HEAP = 192

#: For ``yaml``, where tests share one node: a busy machine is no reason for it to give up. (Where
#: nodes are to fail, coordinators have to notice it sooner.)
UNHURRIED = {f"{kind}_request_timeout": "30s" for kind in ("read", "range", "write")}


class CassandraOptions(TypedDict, total=False):
    """Keyword options of a Cassandra cluster."""

    host: str | None
    """IPv4 address of the first node; the others use the following ones. Default: None, loopback
    addresses that no other cluster uses.
    """
    port: int
    """Port for clients, the same on every node; 0: a free one. Default: 9042."""
    heap: int
    """Heap of each node in MiB; the process takes about 400 MiB more. Default: 512 for one node,
    256 for each of several."""
    racks: Sequence[str]
    """Rack of each node. Default: "r1", "r2", and so on."""
    datacenters: Sequence[str]
    """Data centre of each node. Default: "dc1" for all."""
    vnodes: int
    """Tokens per node, spread evenly over the ring. Default: 1."""
    cluster_name: str
    """Default: "spikewire"."""
    password: bool
    """Whether users must log in; the first one is ``cassandra`` with the password ``cassandra``.
    Default: False."""
    tls: bool | Literal["optional"]
    """Whether clients must (or may) use TLS, with certificates created for the cluster. Default:
    False.
    """
    client_certificates: bool
    """Whether clients must present one of these certificates; requires ``tls``. Default: False."""
    certificate_names: Sequence[str]
    """Names and addresses in the nodes' certificate. Default: their addresses and "localhost"."""
    data: str | PathLike[str] | None
    """Folder to keep the data in; a cluster of the same kind continues with existing data, and
    ``host`` defaults to 127.0.0.1. Default: None, a temporary folder that is removed with the
    cluster.
    """
    yaml: Mapping[str, Any]
    """Additional or overriding settings for ``cassandra.yaml``. Default: {}."""
    jvm: Sequence[str]
    """Further flags for the JVM. Default: []."""
    quick_start: bool
    """Whether the JVM uses only its quick compiler, which starts a third faster and runs slower:
    for tests, never for measurements. Default: False.
    """
    timeout: Seconds
    """How long all nodes may take to become ready. Default: 120 per node."""
    progress: Callable[[str], None]
    """Called with a line of text for each step while the cluster starts. Default: none."""


@dataclass(frozen=True)
class Settings:
    """Options with defaults filled in."""

    nodes: int
    host: str | None
    port: int
    heap: int
    racks: Sequence[str]
    datacenters: Sequence[str]
    vnodes: int
    cluster_name: str
    password: bool
    tls: bool | Literal["optional"]
    client_certificates: bool
    certificate_names: Sequence[str] | None
    data: str | PathLike[str] | None
    quick_start: bool
    timeout: float
    progress: Callable[[str], None]
    yaml: Mapping[str, Any] = field(default_factory=dict[str, Any])
    jvm: Sequence[str] = ()


def settings_of(nodes: int, **options: Unpack[CassandraOptions]) -> Settings:
    """Validates options and fills in defaults; raises ``TypeError`` or ``ValueError`` naming the
    option.
    """
    unknown = options.keys() - CassandraOptions.__optional_keys__
    if unknown:
        known = ", ".join(sorted(CassandraOptions.__optional_keys__))
        message = (
            f"no such option of a Cassandra cluster: {', '.join(sorted(unknown))}; "
            f"there are: {known}"
        )
        raise TypeError(message)
    values = cast("dict[str, Any]", options)
    _within("nodes", nodes, 1, 100)
    settings = Settings(
        nodes=nodes,
        # Existing data is tied to the addresses of its nodes.
        host=values.get("host") or (None if values.get("data") is None else "127.0.0.1"),
        port=values.get("port", 9042),
        heap=values.get("heap", 512 if nodes == 1 else 256),
        racks=values.get("racks", [f"r{node + 1}" for node in range(nodes)]),
        datacenters=values.get("datacenters", ["dc1"] * nodes),
        vnodes=values.get("vnodes", 1),
        cluster_name=values.get("cluster_name", "spikewire"),
        password=values.get("password", False),
        tls=values.get("tls", False),
        client_certificates=values.get("client_certificates", False),
        certificate_names=values.get("certificate_names"),
        data=values.get("data"),
        quick_start=values.get("quick_start", False),
        timeout=seconds_of(values.get("timeout", 120.0 * nodes)),
        progress=values.get("progress", silent),
        yaml=values.get("yaml", {}),
        jvm=values.get("jvm", ()),
    )
    _within("port", settings.port, 0, 65535)
    _within("heap", settings.heap, SMALLEST_HEAP, 1 << 20)
    _within("vnodes", settings.vnodes, 1, 1024)
    if settings.tls not in (True, False, "optional"):
        message = f'tls must be True, False or "optional", not {settings.tls!r}'
        raise ValueError(message)
    if settings.client_certificates and settings.tls is not True:
        message = "client_certificates needs tls"
        raise ValueError(message)
    for name, many in (("racks", settings.racks), ("datacenters", settings.datacenters)):
        if isinstance(many, str) or len(many) != nodes:
            message = f"{name} must have one name for each of {nodes} nodes, not {many!r}"
            raise ValueError(message)
    return settings


def seconds_of(seconds: Seconds) -> float:
    """A time in seconds."""
    return seconds.total_seconds() if isinstance(seconds, timedelta) else float(seconds)


def silent(_line: str) -> None:
    """Ignores progress messages."""


def _within(name: str, number: object, least: int, most: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool):
        message = f"{name} must be a whole number, not {number!r}"
        raise TypeError(message)
    if not least <= number <= most:
        message = f"{name} must be from {least} to {most}, not {number}"
        raise ValueError(message)
