"""How statements are executed: execution profiles, or the legacy settings of cluster and
session."""

from __future__ import annotations

from typing import Any, Final

from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.factories import named_tuple_factory
from spikewire.compat.cassandra.levels import ConsistencyLevel
from spikewire.compat.cassandra.load_balancing import Routing, routing_of
from spikewire.compat.cassandra.policies import (
    LoadBalancingPolicy,
    RetryPolicy,
    SpeculativeExecutionPolicy,
    retries_of,
    speculation_of,
)

__all__ = ["EXEC_PROFILE_DEFAULT", "NOT_SET", "ExecutionProfile", "ProfileManager"]


class _Default:
    def __repr__(self) -> str:
        return "EXEC_PROFILE_DEFAULT"


#: The name of the default profile.
EXEC_PROFILE_DEFAULT: Final = _Default()

#: Stands for an omitted argument, if ``None`` has a meaning.
NOT_SET: Final[Any] = object()


class ExecutionProfile:
    """A set of execution settings."""

    def __init__(
        self,
        load_balancing_policy: LoadBalancingPolicy | None = None,
        retry_policy: RetryPolicy | None = None,
        consistency_level: int = ConsistencyLevel.LOCAL_ONE,
        serial_consistency_level: int | None = None,
        request_timeout: float | None = 10.0,
        row_factory: Any = named_tuple_factory,
        speculative_execution_policy: SpeculativeExecutionPolicy | None = None,
        continuous_paging_options: Any = None,
    ) -> None:
        if continuous_paging_options is not None:
            DIFFERENCES.missing("ExecutionProfile(continuous_paging_options)")
        if serial_consistency_level is not None and not ConsistencyLevel.is_serial(
            serial_consistency_level
        ):
            message = (
                "serial_consistency_level must be either ConsistencyLevel.SERIAL or "
                "ConsistencyLevel.LOCAL_SERIAL."
            )
            raise ValueError(message)
        speculation_of(speculative_execution_policy, "speculative_execution_policy")
        routing_of(load_balancing_policy, "load_balancing_policy")
        retries_of(retry_policy, "retry_policy")
        self.load_balancing_policy = load_balancing_policy
        self.retry_policy = retry_policy
        self.consistency_level = consistency_level
        self.serial_consistency_level = serial_consistency_level
        self.request_timeout = request_timeout
        self.row_factory = row_factory
        self.speculative_execution_policy = speculative_execution_policy

    @property
    def routing(self) -> Routing:
        """What the load balancing policy specifies."""
        return routing_of(self.load_balancing_policy, "load_balancing_policy")

    def clone(self) -> ExecutionProfile:
        """A copy with the same settings."""
        copy = ExecutionProfile.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy


class ProfileManager:
    """Profiles by name."""

    def __init__(self, profiles: dict[Any, ExecutionProfile]) -> None:
        self.profiles: dict[Any, ExecutionProfile] = dict(profiles)
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
        routing = self.default.routing
        for name, profile in self.profiles.items():
            if profile.load_balancing_policy is None or profile.routing.chooses:
                continue
            if profile.routing != routing and not routing.chooses:
                message = (
                    f"execution_profiles: {name!r} has another load_balancing_policy than the "
                    "default profile; a session has one local datacenter"
                )
                raise NotImplementedError(message)
