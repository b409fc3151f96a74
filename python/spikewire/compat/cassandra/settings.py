"""Defaults for the statements of a session: settings and profiles."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.encoder import Encoder
from spikewire.compat.cassandra.levels import ConsistencyLevel
from spikewire.compat.cassandra.profiles import EXEC_PROFILE_DEFAULT, ExecutionProfile

if TYPE_CHECKING:
    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.pool import Host

__all__ = ["Settings"]


class Settings:
    """The settings of a session."""

    #: Seconds to wait for a trace.
    max_trace_wait: float | None = 2.0
    #: Rows per page; ``None`` for all at once.
    default_fetch_size: int | None = 5000
    #: Whether writes use timestamps of this machine instead of the coordinator's.
    use_client_timestamp = True

    def __init__(self, cluster: Cluster, core: Any) -> None:
        self.cluster = cluster
        self._core = core
        self._own: ExecutionProfile | None = None
        self._encoder = Encoder()

    @property
    def encoder(self) -> Encoder:
        """Writes values as literals of CQL, for programs that make the text of statements."""
        return self._encoder

    @property
    def keyspace(self) -> str | None:
        """The keyspace of statements."""
        name: str | None = self._core.keyspace
        return name

    @property
    def hosts(self) -> list[Host]:
        """The nodes that are up."""
        return [host for host in self.cluster._hosts_of(self._core) if host.is_up]

    def _settings(self) -> ExecutionProfile:
        return self._own or self.cluster.profile_manager.default

    def _set(self, name: str, attribute: str, value: Any) -> None:
        self.cluster._use_legacy_settings(f"Session {name}")
        if self._own is None:
            self._own = self.cluster.profile_manager.default.clone()
        setattr(self._own, attribute, value)

    @property
    def row_factory(self) -> Any:
        """Creates rows from tuples; see ``spikewire.compat.cassandra.query``."""
        return self._settings().row_factory

    @row_factory.setter
    def row_factory(self, factory: Any) -> None:
        self._set("row_factory", "row_factory", factory)

    @property
    def default_timeout(self) -> float | None:
        """The timeout of statements in seconds; ``None`` for no limit."""
        return self._settings().request_timeout

    @default_timeout.setter
    def default_timeout(self, timeout: float | None) -> None:
        self._set("default_timeout", "request_timeout", timeout)

    @property
    def default_consistency_level(self) -> int:
        """The consistency level of statements without one."""
        return self._settings().consistency_level

    @default_consistency_level.setter
    def default_consistency_level(self, level: int) -> None:
        self._set("default_consistency_level", "consistency_level", level)

    @property
    def default_serial_consistency_level(self) -> int | None:
        """The level of conditional statements without one."""
        return self._settings().serial_consistency_level

    @default_serial_consistency_level.setter
    def default_serial_consistency_level(self, level: int | None) -> None:
        if level is not None and not ConsistencyLevel.is_serial(level):
            message = (
                f"default_serial_consistency_level must be SERIAL or LOCAL_SERIAL, not {level}"
            )
            raise ValueError(message)
        self._set("default_serial_consistency_level", "serial_consistency_level", level)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("client_protocol_handler", "timestamp_generator"):
            DIFFERENCES.missing(f"Session.{name}")
        if name == "encoder":
            message = "Session.encoder cannot be replaced: values are bound, not written into text"
            raise NotImplementedError(message)
        if name == "use_client_timestamp" and not value:
            message = "Session.use_client_timestamp cannot be turned off"
            raise NotImplementedError(message)
        super().__setattr__(name, value)

    # Profiles.

    def get_execution_profile(self, name: Any) -> ExecutionProfile:
        """The profile with this name. Raises ``ValueError`` if there is none."""
        return self.cluster.profile_manager.get(name)

    def execution_profile_clone_update(self, ep: Any, **kwargs: Any) -> ExecutionProfile:
        """A copy of a profile with other settings."""
        of = ep if isinstance(ep, ExecutionProfile) else self.get_execution_profile(ep)
        settings = {
            name: getattr(of, name)
            for name in (
                "load_balancing_policy",
                "retry_policy",
                "consistency_level",
                "serial_consistency_level",
                "request_timeout",
                "row_factory",
                "speculative_execution_policy",
            )
        }
        return type(of)(**{**settings, **kwargs})

    def _profile(self, profile: Any) -> ExecutionProfile:
        if profile is EXEC_PROFILE_DEFAULT:
            return self._settings()
        if self.cluster.is_legacy:
            message = "Cannot specify execution_profile while using legacy parameters."
            raise ValueError(message)
        return (
            profile
            if isinstance(profile, ExecutionProfile)
            else self.get_execution_profile(profile)
        )
