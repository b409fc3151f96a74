"""The entry point: a cluster, which creates sessions."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any
from warnings import warn

from spikewire import cql
from spikewire.compat.cassandra.cluster_options import (
    application_of,
    bundle_of,
    check_unsupported,
    compression_of,
    encryption_of,
    endpoint_text,
    login_of,
    protocol_version_of,
    translation_of,
)
from spikewire.compat.cassandra.connection import Connection, DefaultEndPoint
from spikewire.compat.cassandra.control import ControlConnection, Listeners
from spikewire.compat.cassandra.differences import TUNING, UNSUPPORTED
from spikewire.compat.cassandra.error_translation import NoHostAvailable, translate_error
from spikewire.compat.cassandra.errors import DriverException, OperationTimedOut
from spikewire.compat.cassandra.future import QueryExhausted, ResponseFuture
from spikewire.compat.cassandra.levels import ConsistencyLevel
from spikewire.compat.cassandra.load_balancing import routing_of
from spikewire.compat.cassandra.metadata import Metadata
from spikewire.compat.cassandra.metadata_refresh import MetadataRefresh
from spikewire.compat.cassandra.missing_errors import raise_missing_attribute, resolve_name
from spikewire.compat.cassandra.policies import (
    DCAwareRoundRobinPolicy,
    IdentityTranslator,
    LoadBalancingPolicy,
    ReconnectionPolicy,
    RetryPolicy,
    TokenAwarePolicy,
    reconnect_of,
    retries_of,
)
from spikewire.compat.cassandra.pool import Host, split
from spikewire.compat.cassandra.profiles import (
    EXEC_PROFILE_DEFAULT,
    NOT_SET,
    ExecutionProfile,
    ProfileManager,
)
from spikewire.compat.cassandra.query import (
    FETCH_SIZE_UNSET,
    BatchStatement,
    BoundStatement,
    PreparedStatement,
    SimpleStatement,
    bind_params,
    dict_factory,
    named_tuple_factory,
    tuple_factory,
)
from spikewire.compat.cassandra.results import ResultSet
from spikewire.compat.cassandra.session import Session
from spikewire.compat.cassandra.synchronization import new_lock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

__all__ = [
    "EXEC_PROFILE_DEFAULT",
    "FETCH_SIZE_UNSET",
    "BatchStatement",
    "BoundStatement",
    "Cluster",
    "ConsistencyLevel",
    "DefaultConnection",
    "ExecutionProfile",
    "NoHostAvailable",
    "OperationTimedOut",
    "PreparedStatement",
    "ProfileManager",
    "QueryExhausted",
    "ResponseFuture",
    "ResultSet",
    "Session",
    "SimpleStatement",
    "UserTypeDoesNotExist",
    "bind_params",
    "default_lbp_factory",
    "dict_factory",
    "named_tuple_factory",
    "tuple_factory",
    "warn",
]

#: The connections of programs that derive their own, which has no effect.
DefaultConnection = conn_class = Connection

#: Note for errors of connections with an SSL context, which may contain a client certificate.
_NO_CERTIFICATE = (
    " (a client certificate cannot be read from an ssl_context: if the nodes require one, pass it "
    "in ssl_options as well, as certfile and keyfile)"
)

#: A number of seconds that stands for never.
_NEVER = 86_400.0


class UserTypeDoesNotExist(Exception):
    """The user-defined type does not exist."""


class _ConfigMode:
    """Whether a cluster has settings for all statements or profiles."""

    UNCOMMITTED = 0
    LEGACY = 1
    PROFILES = 2


_NOT_SET = NOT_SET
_USUAL_POINTS = ("127.0.0.1",)


def default_lbp_factory() -> LoadBalancingPolicy:
    """The policy of clusters without one."""
    return TokenAwarePolicy(DCAwareRoundRobinPolicy())


class Cluster(MetadataRefresh):
    """A cluster's contact points, and the settings of its sessions."""

    def __init__(
        self,
        contact_points: Sequence[str | tuple[str, int]] | None = _USUAL_POINTS,
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
        cloud: Any = None,
        **others: Any,
    ) -> None:
        if isinstance(contact_points, (str, bytes)):
            message = (
                "contact_points should not be a string, it should be a sequence (e.g. list) of "
                f"strings: [{contact_points!r}]"
            )
            raise TypeError(message)
        self.port = port
        excluded = (ssl_context, ssl_options, others.get("endpoint_factory"))
        is_alone = contact_points == _USUAL_POINTS and excluded == (None, None, None)
        bundle = bundle_of(cloud, is_alone=is_alone)
        self.cloud = cloud
        self.contact_points = [] if bundle else list(contact_points or _USUAL_POINTS)
        self.metadata = Metadata(self)
        #: Whether the schema, and who owns which tokens, are read when they are accessed.
        self.schema_metadata_enabled = bool(others.pop("schema_metadata_enabled", True))
        self.token_metadata_enabled = bool(others.pop("token_metadata_enabled", True))
        #: Whether the metadata follow changes of the schema without a refresh.
        self.schema_event_refresh_window = others.pop("schema_event_refresh_window", 2)
        self._follows_schema = self.schema_event_refresh_window >= 0
        self.sessions: set[Session] = set()
        self.is_shutdown = False
        self.connect_timeout = connect_timeout
        self.application_name = application_name
        self.application_version = application_version
        self.client_id = client_id
        self.idle_heartbeat_interval = idle_heartbeat_interval
        self.address_translator = address_translator or IdentityTranslator()
        self.max_schema_agreement_wait = max_schema_agreement_wait
        self.auth_provider = auth_provider
        self.compression = compression
        self.ssl_context = ssl_context
        self.ssl_options = ssl_options
        self.reconnection_policy = reconnection_policy
        self.protocol_version: int | None = None
        self._lock = new_lock()
        self._control: Any = None
        self._user_types: dict[tuple[str, str], Any] = {}
        self._listeners = Listeners(self)
        #: The program's own load balancing policies that know the nodes.
        self._populated: list[LoadBalancingPolicy] = []
        others |= {
            "conviction_policy_factory": conviction_policy_factory,
            "metrics_enabled": metrics_enabled,
            "connection_class": connection_class,
            "sockopts": sockopts,
            "cql_version": cql_version,
            "executor_threads": executor_threads,
            "control_connection_timeout": control_connection_timeout,
        }
        if conviction_policy_factory is not None and not callable(conviction_policy_factory):
            message = "conviction_policy_factory must be callable"
            raise ValueError(message)
        reconnect = reconnect_of(reconnection_policy)
        if reconnect is None:
            others["reconnection_policy"] = reconnection_policy
        check_unsupported(others)
        for name, default in [*TUNING.items(), *UNSUPPORTED.items()]:
            if name != "reconnection_policy":
                setattr(self, name, others.get(name, default))
        self._options: dict[str, Any] = {
            "connect_timeout": _NEVER if connect_timeout is None else connect_timeout,
            "schema_agreement": max_schema_agreement_wait,
            "heartbeat": idle_heartbeat_interval or _NEVER,
            "page_size": None,
            **({} if reconnect is None else {"reconnect": reconnect}),
            **encryption_of(ssl_context, ssl_options),
            **bundle,
            **login_of(auth_provider),
            **translation_of(address_translator),
            **compression_of(compression),
            **protocol_version_of(protocol_version),
            **application_of(application_name, application_version, client_id),
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
        self.profile_manager = ProfileManager(execution_profiles or {})
        if load_balancing_policy is not None:
            routing_of(load_balancing_policy, "load_balancing_policy")
            self.profile_manager.default.load_balancing_policy = load_balancing_policy
        self.profile_manager.check()

    # Settings.

    @property
    def _config_mode(self) -> int:
        if self._legacy is None:
            return _ConfigMode.UNCOMMITTED
        return _ConfigMode.LEGACY if self._legacy else _ConfigMode.PROFILES

    @property
    def is_legacy(self) -> bool:
        """Whether the legacy settings are used instead of profiles."""
        return bool(self._legacy)

    @property
    def load_balancing_policy(self) -> LoadBalancingPolicy | None:
        """Which nodes are used."""
        return self.profile_manager.default.load_balancing_policy

    @load_balancing_policy.setter
    def load_balancing_policy(self, policy: LoadBalancingPolicy) -> None:
        routing_of(policy, "load_balancing_policy")
        if self._control is not None:
            message = "load_balancing_policy cannot be set once the cluster is connected"
            raise NotImplementedError(message)
        self._use_legacy_settings("load_balancing_policy")
        self.profile_manager.default.load_balancing_policy = policy

    @property
    def endpoints_resolved(self) -> list[DefaultEndPoint]:
        """The addresses of the contact points."""
        points = [split(point) for point in self._points()]
        endpoints = {
            DefaultEndPoint(str(address[0]), int(address[1])): None
            for host, port in points
            for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        }
        return list(endpoints)

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
        if self._control is not None:
            self._populate(self._control)
            self._listeners.watch()

    def register_user_type(self, keyspace: str, user_type: str, klass: Any) -> None:
        """Returns values of a user-defined type as ``klass(**fields)``."""
        self._user_types[keyspace, user_type] = klass
        if self._control is not None:
            keyspace_metadata = self.metadata.keyspaces.get(keyspace)
            if keyspace_metadata is None:
                message = (
                    f"Keyspace {keyspace} does not exist or has not been discovered by the driver"
                )
                raise UserTypeDoesNotExist(message)
            if user_type not in keyspace_metadata.user_types:
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
        self._populate(self._core())
        self._listeners.watch()
        try:
            session = Session(self, self._open(keyspace))
        except BaseException:
            if not self.sessions:
                self._close_control()
            raise
        self.sessions.add(session)
        return session

    def _populate(self, core: Any) -> None:
        """Tells the program's own load balancing policies of the nodes, once each."""
        hosts = self._hosts_of(core)
        for profile in self.profile_manager.profiles.values():
            policy = profile.routing.own
            if policy is None or any(policy is known for known in self._populated):
                continue
            policy.check_supported()
            policy.populate(self, [host for host in hosts if host.is_up])
            self._populated.append(policy)
            self._listeners.add(policy, hosts)

    def _close_control(self) -> None:
        with self._lock:
            if self._control is not None:
                self._control.close()
                self._control = None

    def _core(self) -> Any:
        """The engine's session for requests about the cluster itself."""
        control = self._control
        if control is not None:
            return control
        with self._lock:
            if self._control is None:
                if self.is_shutdown:
                    message = "Cluster is already shut down"
                    raise DriverException(message)
                self._control = self._open(None)
                self.protocol_version = self._control.protocol_version
            return self._control

    def _connect(self, keyspace: str | None) -> Any:
        """A session of the engine, whose errors are not converted."""
        return cql.Session(self._points(), **self._session_options(keyspace))

    def _points(self) -> list[str]:
        return [
            endpoint_text(*point) if isinstance(point, tuple) else endpoint_text(point, self.port)
            for point in self.contact_points
        ]

    def _session_options(self, keyspace: str | None) -> dict[str, Any]:
        routing = self.profile_manager.default.routing
        options = dict(self._options)
        if keyspace is not None:
            options["keyspace"] = keyspace
        if routing.local_datacenter is not None:
            options["local_datacenter"] = routing.local_datacenter
        if routing.remote:
            options["remote_datacenters"] = True
        return options

    def _open(self, keyspace: str | None) -> Any:
        points = self._points()
        try:
            return self._connect(keyspace)
        except cql.errors.InvalidRequest as error:
            message = f"Unable to connect to any servers using keyspace '{keyspace}'"
            raise NoHostAvailable(
                message, [point.rpartition(":")[0] for point in points]
            ) from error
        except cql.errors.ServerError as error:
            raise translate_error(error, lambda _: None) from error
        except cql.errors.Error as error:
            node = error.node or next(iter(points), "the metadata service")
            exception = translate_error(error, lambda _: None)
            cause = error if isinstance(exception, NoHostAvailable) else exception
            message = "Unable to connect to any servers"
            if self.ssl_context is not None and "certificate" not in self._options["tls"]:
                message += _NO_CERTIFICATE
            errors: dict[Any, Any] = {
                at: cql.errors.Error(reason, node=at) for at, reason in error.failed_attempts
            }
            raise NoHostAvailable(message, errors or {node: cause}) from error

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

    def refresh_nodes(self, force_token_rebuild: bool = False) -> None:
        """Does nothing: the engine keeps track of the cluster by itself."""

    def shutdown(self) -> None:
        """Closes all sessions."""
        self.is_shutdown = True
        self._listeners.end()
        for session in list(self.sessions):
            session.shutdown()
        self._close_control()

    def get_control_connection_host(self) -> Host | None:
        """A node that is up. The engine moves its control connection by itself."""
        hosts = self._hosts_of(self._core())
        return next((host for host in hosts if host.is_up), None)

    @property
    def control_connection(self) -> ControlConnection:
        """What waits for one schema. The engine's own control connection has no object."""
        return ControlConnection(self)

    def register_listener(self, listener: Any) -> None:
        """Calls ``on_add``, ``on_remove``, ``on_up`` and ``on_down`` of a ``HostStateListener``
        with a ``Host``, in a thread of its own. One that is registered
        before the cluster is connected is called with ``on_add`` for each node."""
        control = self._control
        self._listeners.add(listener, [] if control is None else self._hosts_of(control))
        if control is not None:
            self._listeners.watch()

    def unregister_listener(self, listener: Any) -> None:
        """Calls a listener no more."""
        self._listeners.discard(listener)

    def __getattr__(self, name: str) -> Any:
        return raise_missing_attribute(self, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shutdown()


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
