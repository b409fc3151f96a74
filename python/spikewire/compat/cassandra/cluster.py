"""The entry point: a cluster, which creates sessions."""

from __future__ import annotations

import threading
import warnings
from typing import TYPE_CHECKING, Any

from spikewire import cql
from spikewire.compat.cassandra.auth import PlainTextAuthProvider
from spikewire.compat.cassandra.differences import DIFFERENCES, REFUSED, TUNING
from spikewire.compat.cassandra.encryption import tls_of
from spikewire.compat.cassandra.errors import CompatWarning, DriverException, OperationTimedOut
from spikewire.compat.cassandra.future import QueryExhausted, ResponseFuture
from spikewire.compat.cassandra.metadata import Metadata
from spikewire.compat.cassandra.policies import (
    IdentityTranslator,
    LoadBalancingPolicy,
    ReconnectionPolicy,
    RetryPolicy,
    reconnect_of,
    retries_of,
    routing_of,
)
from spikewire.compat.cassandra.pool import Host, split
from spikewire.compat.cassandra.profiles import (
    EXEC_PROFILE_DEFAULT,
    NOT_SET,
    ExecutionProfile,
)
from spikewire.compat.cassandra.results import ResultSet
from spikewire.compat.cassandra.session import Session
from spikewire.compat.cassandra.translate import NoHostAvailable, translated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

__all__ = [
    "EXEC_PROFILE_DEFAULT",
    "Cluster",
    "ExecutionProfile",
    "NoHostAvailable",
    "OperationTimedOut",
    "QueryExhausted",
    "ResponseFuture",
    "ResultSet",
    "Session",
    "UserTypeDoesNotExist",
]

#: Note for errors of connections with an SSL context, which may contain a client certificate.
_NO_CERTIFICATE = (
    " (the client certificate of an ssl_context cannot be read from it: where the nodes ask for "
    "one, name it also in ssl_options, as certfile and keyfile)"
)

#: A number of seconds that stands for never.
_NEVER = 86_400.0


class UserTypeDoesNotExist(Exception):
    """The user-defined type does not exist."""


class _Profiles:
    """Profiles by name."""

    def __init__(self, given: dict[Any, ExecutionProfile]) -> None:
        self.profiles: dict[Any, ExecutionProfile] = dict(given)
        self.profiles.setdefault(EXEC_PROFILE_DEFAULT, ExecutionProfile())

    @property
    def default(self) -> ExecutionProfile:
        return self.profiles[EXEC_PROFILE_DEFAULT]

    def get(self, name: Any) -> ExecutionProfile:
        try:
            return self.profiles[name]
        except KeyError:
            message = f'Invalid execution_profile: "{name}" is not configured.'
            raise ValueError(message) from None

    def check(self) -> None:
        """Raises ``NotImplementedError`` if profiles require different connections."""
        wanted = self.default.routing
        for name, profile in self.profiles.items():
            if profile.load_balancing_policy is None or profile.routing.only is not None:
                continue
            if profile.routing != wanted and wanted.only is None:
                message = (
                    f"execution_profiles: {name!r} has another load_balancing_policy than the "
                    "default profile; sessions have one local datacenter"
                )
                raise NotImplementedError(message)


class Cluster:
    """A cluster's contact points, and the settings of its sessions."""

    def __init__(
        self,
        contact_points: Sequence[str | tuple[str, int]] | None = ("127.0.0.1",),
        port: int = 9042,
        compression: bool | str | None = True,
        auth_provider: Any = None,
        load_balancing_policy: LoadBalancingPolicy | None = None,
        reconnection_policy: ReconnectionPolicy | None = None,
        default_retry_policy: RetryPolicy | None = None,
        conviction_policy_factory: Any = None,
        metrics_enabled: bool = False,
        connection_class: Any = None,
        ssl_options: Any = None,
        sockopts: Any = None,
        cql_version: str | None = None,
        protocol_version: Any = NOT_SET,
        executor_threads: int = 2,
        max_schema_agreement_wait: float = 10,
        control_connection_timeout: float | None = 2.0,
        idle_heartbeat_interval: float = 30,
        connect_timeout: float | None = 5,
        address_translator: Any = None,
        execution_profiles: dict[Any, ExecutionProfile] | None = None,
        application_name: str | None = None,
        application_version: str | None = None,
        client_id: Any = None,
        ssl_context: Any = None,
        **others: Any,
    ) -> None:
        self.port = port
        self.contact_points = list(contact_points or ("127.0.0.1",))
        self.metadata = Metadata(self)
        self.sessions: set[Session] = set()
        self.is_shutdown = False
        self.connect_timeout = connect_timeout
        self.max_schema_agreement_wait = max_schema_agreement_wait
        self.auth_provider = auth_provider
        self.compression = compression
        self.ssl_context = ssl_context
        self.ssl_options = ssl_options
        self.reconnection_policy = reconnection_policy
        self.protocol_version: int | None = None
        self._lock = threading.Lock()
        self._control: Any = None
        self._user_types: dict[tuple[str, str], Any] = {}
        others |= {
            "conviction_policy_factory": conviction_policy_factory,
            "metrics_enabled": metrics_enabled,
            "connection_class": connection_class,
            "sockopts": sockopts,
            "cql_version": cql_version,
            "executor_threads": executor_threads,
            "control_connection_timeout": control_connection_timeout,
        }
        reconnect = reconnect_of(reconnection_policy)
        if reconnect is None:
            others["reconnection_policy"] = reconnection_policy
        _check_others(others)
        if address_translator is not None and type(address_translator) is not IdentityTranslator:
            message = (
                "address_translator: only IdentityTranslator is taken; spikewire.cql.Session takes "
                "address_map, a dict of addresses that nodes advertise and those to use instead"
            )
            raise NotImplementedError(message)
        self._options: dict[str, Any] = {
            "connect_timeout": _NEVER if connect_timeout is None else connect_timeout,
            "schema_agreement": max_schema_agreement_wait,
            "heartbeat": idle_heartbeat_interval or _NEVER,
            "page_size": None,
            **({} if reconnect is None else {"reconnect": reconnect}),
            **_encryption(ssl_context, ssl_options),
            **_login(auth_provider),
            **_compression(compression),
            **_version(protocol_version),
            **_application(application_name, application_version, client_id),
        }
        legacy = load_balancing_policy is not None or default_retry_policy is not None
        if execution_profiles and legacy:
            message = (
                "Clusters constructed with execution_profiles should not specify legacy parameters "
                "load_balancing_policy, default_retry_policy. Configure this in a profile instead."
            )
            raise ValueError(message)
        #: Whether the legacy settings of cluster and session are used; ``None`` until that is
        #: decided.
        self._legacy: bool | None = True if legacy else (False if execution_profiles else None)
        self.default_retry_policy = default_retry_policy
        retries_of(default_retry_policy, "default_retry_policy")
        self.profile_manager = _Profiles(execution_profiles or {})
        if load_balancing_policy is not None:
            routing_of(load_balancing_policy, "load_balancing_policy")
            self.profile_manager.default.load_balancing_policy = load_balancing_policy
        self.profile_manager.check()

    # Settings.

    @property
    def is_legacy(self) -> bool:
        """Whether the legacy settings are used instead of profiles."""
        return bool(self._legacy)

    @property
    def load_balancing_policy(self) -> LoadBalancingPolicy | None:
        """Which nodes are used."""
        return self.profile_manager.default.load_balancing_policy

    def _use_legacy_settings(self, what: str) -> None:
        if self._legacy is False:
            message = f"{what} cannot be set when using Configuration Profiles: set it in a profile"
            raise ValueError(message)
        self._legacy = True

    def add_execution_profile(
        self,
        name: Any,
        profile: ExecutionProfile,
        pool_wait_timeout: float = 5,  # noqa: ARG002
    ) -> None:
        """Adds a profile."""
        if not isinstance(profile, ExecutionProfile):  # pyright: ignore[reportUnnecessaryIsInstance]
            message = "profile must be an instance of ExecutionProfile"
            raise TypeError(message)
        if self._legacy:
            message = "Cannot add execution profiles when legacy parameters are set explicitly."
            raise ValueError(message)
        if name in self.profile_manager.profiles:
            message = f"Profile {name} already exists"
            raise ValueError(message)
        self._legacy = False
        self.profile_manager.profiles[name] = profile
        try:
            self.profile_manager.check()
        except NotImplementedError:
            del self.profile_manager.profiles[name]
            raise

    def register_user_type(self, keyspace: str, user_type: str, klass: Any) -> None:
        """Returns values of a user-defined type as ``klass(**fields)``."""
        self._user_types[keyspace, user_type] = klass
        if self._control is not None:
            found = self.metadata.keyspaces.get(keyspace)
            if found is None:
                message = (
                    f"Keyspace {keyspace} does not exist or has not been discovered by the driver"
                )
                raise UserTypeDoesNotExist(message)
            if user_type not in found.user_types:
                message = f"User type {user_type} does not exist in keyspace {keyspace}"
                raise UserTypeDoesNotExist(message)

    # Sessions.

    def connect(
        self,
        keyspace: str | None = None,
        wait_for_all_pools: bool = False,  # noqa: ARG002
    ) -> Session:
        """A session. Connections to nodes are opened on first use."""
        if self.is_shutdown:
            message = "Cluster is already shut down"
            raise DriverException(message)
        self._core()
        try:
            session = Session(self, self._open(keyspace))
        except BaseException:
            if not self.sessions:
                self._close_control()
            raise
        self.sessions.add(session)
        return session

    def _close_control(self) -> None:
        with self._lock:
            if self._control is not None:
                self._control.close()
                self._control = None

    def _core(self) -> Any:
        """The engine's session for requests about the cluster itself."""
        with self._lock:
            if self._control is None:
                self._control = self._open(None)
                self.protocol_version = self._control.protocol_version
            return self._control

    def _open(self, keyspace: str | None) -> Any:
        routing = self.profile_manager.default.routing
        points = [
            _endpoint(*point) if isinstance(point, tuple) else _endpoint(point, self.port)
            for point in self.contact_points
        ]
        options = dict(self._options)
        if keyspace is not None:
            options["keyspace"] = keyspace
        if routing.local_datacenter is not None:
            options["local_datacenter"] = routing.local_datacenter
        if routing.remote:
            options["remote_datacenters"] = True
        try:
            return cql.Session(points, **options)
        except cql.errors.InvalidRequest as error:
            message = f"Unable to connect to any servers using keyspace '{keyspace}'"
            raise NoHostAvailable(
                message, [point.rpartition(":")[0] for point in points]
            ) from error
        except cql.errors.ServerError as error:
            raise translated(error, lambda _: None) from error
        except cql.errors.Error as error:
            node = error.node or points[0]
            said = translated(error, lambda _: None)
            cause = error if isinstance(said, NoHostAvailable) else said
            message = "Unable to connect to any servers"
            if self.ssl_context is not None and "certificate" not in options["tls"]:
                message += _NO_CERTIFICATE
            told: dict[Any, Any] = {
                at: cql.errors.Error(reason, node=at) for at, reason in error.failed_attempts
            }
            raise NoHostAvailable(message, told or {node: cause}) from error

    def _hosts_of(self, core: Any) -> list[Host]:
        return [
            Host(
                *split(node.address),
                datacenter=node.datacenter,
                rack=node.rack,
                release_version=node.release,
                is_up=node.up,
            )
            for node in core.nodes
        ]

    def refresh_schema_metadata(self, max_schema_agreement_wait: float | None = None) -> None:
        """Does nothing: metadata are read on access."""

    def refresh_nodes(self, force_token_rebuild: bool = False) -> None:
        """Does nothing: the engine keeps track of the cluster by itself."""

    def shutdown(self) -> None:
        """Closes all sessions."""
        self.is_shutdown = True
        for session in list(self.sessions):
            session.shutdown()
        self._close_control()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shutdown()


def _check_others(others: dict[str, Any]) -> None:
    for name, value in others.items():
        if name in REFUSED:
            if value is not REFUSED[name] and value != REFUSED[name]:
                DIFFERENCES.missing(f"Cluster({name})")
        elif name not in TUNING:
            message = f"Cluster() got an unexpected keyword argument {name!r}"
            raise TypeError(message)
        elif value is not TUNING[name] and value != TUNING[name]:
            message = f"Cluster: {name} has no effect: the engine has its own way of doing that"
            warnings.warn(message, CompatWarning, stacklevel=3)


def _endpoint(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _encryption(context: Any, options: Any) -> dict[str, Any]:
    tls = tls_of(context, options)
    return {} if tls is None else {"tls": tls}


def _login(provider: Any) -> dict[str, Any]:
    if provider is None:
        return {}
    if isinstance(provider, PlainTextAuthProvider) and type(provider) is PlainTextAuthProvider:
        return {"user": provider.username, "password": provider.password}
    message = f"auth_provider: only PlainTextAuthProvider is taken, not {type(provider).__name__}"
    raise NotImplementedError(message)


def _compression(wanted: bool | str | None) -> dict[str, Any]:
    if wanted is True or not wanted:
        # Left to the driver, or not wanted.
        return {}
    if wanted == "lz4":
        return {"compression": "lz4"}
    message = f"compression: {wanted!r} is not taken; there is 'lz4'"
    raise NotImplementedError(message)


def _version(wanted: Any) -> dict[str, Any]:
    if wanted is NOT_SET:
        return {}
    if wanted in (4, 5):
        return {"protocol_version": wanted}
    message = f"protocol_version: {wanted!r} is not taken; there are 4 and 5"
    raise NotImplementedError(message)


def _application(name: str | None, version: str | None, client: Any) -> dict[str, Any]:
    said = {"APPLICATION_NAME": name, "APPLICATION_VERSION": version}
    if client is not None:
        said["CLIENT_ID"] = str(client)
    said = {key: value for key, value in said.items() if value}
    return {"application": said} if said else {}
