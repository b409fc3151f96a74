"""Policies by name. They are descriptions: the engine implements them, and does not call them.

Instances of classes that override a policy are rejected, because their methods would never be
called.
"""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import math
import socket
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.levels import WriteType
from spikewire.compat.cassandra.missing_errors import resolve_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spikewire.compat.cassandra.pool import Host

__all__ = [
    "AddressTranslator",
    "ColDesc",
    "ConstantReconnectionPolicy",
    "ConstantSpeculativeExecutionPolicy",
    "ConvictionPolicy",
    "DCAwareRoundRobinPolicy",
    "DefaultLoadBalancingPolicy",
    "DowngradingConsistencyRetryPolicy",
    "EC2MultiRegionTranslator",
    "ExponentialReconnectionPolicy",
    "FallthroughRetryPolicy",
    "HostDistance",
    "HostFilterPolicy",
    "HostStateListener",
    "IdentityTranslator",
    "LoadBalancingPolicy",
    "NeverRetryPolicy",
    "NoSpeculativeExecutionPolicy",
    "ReconnectionPolicy",
    "RetryPolicy",
    "RoundRobinPolicy",
    "SimpleConvictionPolicy",
    "SpeculativeExecutionPolicy",
    "TokenAwarePolicy",
    "WhiteListRoundRobinPolicy",
    "WriteType",
]


#: The engine's shortest pause before it reconnects to a node, in seconds.
SHORTEST_PAUSE = 0.001

#: The engine's limits for speculative executions: their number, and the seconds in between.
MOST_ATTEMPTS = 32
SHORTEST_DELAY = 0.001


WT = WriteType


class HostDistance:
    """How close a node is."""

    IGNORED = -1
    LOCAL_RACK = 0
    LOCAL = 1
    REMOTE = 2


class Routing(NamedTuple):
    """What a load balancing policy specifies."""

    #: The datacenter whose nodes are used.
    local_datacenter: str | None = None
    #: Whether others are used if none of its nodes is available.
    remote: bool = False
    #: The only addresses to use.
    only: tuple[str, ...] | None = None
    #: Whether a node may be used.
    accepts: Callable[[Any], bool] | None = None

    @property
    def chooses(self) -> bool:
        """Whether each statement goes to a node that the policy names, instead of one of the
        engine's choice."""
        return self.only is not None or self.accepts is not None

    def takes(self, host: Host) -> bool:
        """Whether a node may be used."""
        if self.only is not None and host.address not in self.only:
            return False
        return self.accepts is None or bool(self.accepts(host))


class HostStateListener:
    """Is notified of nodes, see ``Cluster.register_listener``."""

    def on_up(self, host: Any) -> None:
        """A node is up."""

    def on_down(self, host: Any) -> None:
        """A node is down."""

    def on_add(self, host: Any) -> None:
        """A node was added, and is up."""

    def on_remove(self, host: Any) -> None:
        """A node was removed."""


class LoadBalancingPolicy(HostStateListener):
    """Which node is used."""


class RoundRobinPolicy(LoadBalancingPolicy):
    """All nodes. If the partition is known, its replicas come first, as with all policies here."""


class DCAwareRoundRobinPolicy(LoadBalancingPolicy):
    """The nodes of one datacenter, by default that of the first contact point."""

    def __init__(self, local_dc: str = "", used_hosts_per_remote_dc: int = 0) -> None:
        self.local_dc = local_dc
        self.used_hosts_per_remote_dc = used_hosts_per_remote_dc


class TokenAwarePolicy(LoadBalancingPolicy):
    """Replicas first. The engine always does that, and chooses among them by load."""

    def __init__(self, child_policy: LoadBalancingPolicy, shuffle_replicas: bool = False) -> None:
        self._child_policy = child_policy
        self.shuffle_replicas = shuffle_replicas


class WhiteListRoundRobinPolicy(RoundRobinPolicy):
    """Only the nodes with these addresses, in turn."""

    def __init__(self, hosts: Sequence[str]) -> None:
        self._allowed_hosts = tuple(hosts)


class HostFilterPolicy(LoadBalancingPolicy):
    """Only the nodes for which a function is true, in turn."""

    def __init__(self, child_policy: LoadBalancingPolicy, predicate: Any) -> None:
        self._child_policy = child_policy
        self.predicate = predicate


class DefaultLoadBalancingPolicy(LoadBalancingPolicy):
    """The same as another policy."""

    def __init__(self, child_policy: LoadBalancingPolicy) -> None:
        self._child_policy = child_policy


def routing_of(policy: LoadBalancingPolicy | None, what: str) -> Routing:
    """What a policy specifies. Raises ``NotImplementedError`` if that is not supported."""
    if isinstance(policy, LoadBalancingPolicy):
        kind = type(policy)
        if kind in (TokenAwarePolicy, DefaultLoadBalancingPolicy):
            return routing_of(getattr(policy, "_child_policy", None), what)
        if isinstance(policy, HostFilterPolicy) and kind is HostFilterPolicy:
            inner = routing_of(policy._child_policy, what)
            outer, own = inner.accepts, policy.predicate
            both: Callable[[Any], bool] = (
                own if outer is None else lambda host: outer(host) and own(host)
            )
            return inner._replace(accepts=both, remote=True)
        if isinstance(policy, WhiteListRoundRobinPolicy) and kind is WhiteListRoundRobinPolicy:
            return Routing(only=policy._allowed_hosts, remote=True)
        if isinstance(policy, DCAwareRoundRobinPolicy) and kind is DCAwareRoundRobinPolicy:
            return Routing(policy.local_dc or None, policy.used_hosts_per_remote_dc > 0)
        if kind is RoundRobinPolicy:
            return Routing(remote=True)
    if policy is None:
        return Routing()
    message = (
        f"{what}: {type(policy).__name__} is not supported, its methods would never be called: "
        "the engine routes statements itself. Use RoundRobinPolicy, DCAwareRoundRobinPolicy, "
        "WhiteListRoundRobinPolicy or the parameter host of execute"
    )
    raise NotImplementedError(message)


class ConvictionPolicy:
    """When a node is down. The engine decides that by itself."""

    def __init__(self, host: Any) -> None:
        self.host = host

    def add_failure(self, connection_exc: Any) -> bool:  # noqa: ARG002
        """Whether the node is down after a failure."""
        return True

    def reset(self) -> None:
        """Forgets former failures."""


class SimpleConvictionPolicy(ConvictionPolicy):
    """After the first failure."""


class ReconnectionPolicy:
    """When to reconnect to lost nodes."""


class ConstantReconnectionPolicy(ReconnectionPolicy):
    """At constant intervals, as long as the session is open."""

    def __init__(self, delay: float, max_attempts: int | None = 64) -> None:
        if delay < 0:
            message = "delay must not be negative"
            raise ValueError(message)
        self.delay = delay
        self.max_attempts = max_attempts

    def new_schedule(self) -> Iterable[float]:
        """The pauses."""
        count = self.max_attempts
        while count is None or count > 0:
            yield self.delay
            count = None if count is None else count - 1


class ExponentialReconnectionPolicy(ReconnectionPolicy):
    """At intervals that double, as long as the session is open."""

    def __init__(self, base_delay: float, max_delay: float, max_attempts: int | None = 64) -> None:
        if base_delay < 0 or max_delay < 0:
            message = "delays must not be negative"
            raise ValueError(message)
        if max_delay < base_delay:
            message = "max_delay must not be below base_delay"
            raise ValueError(message)
        self.base_delay = base_delay
        self.max_delay = max_delay
        self.max_attempts = max_attempts

    def new_schedule(self) -> Iterable[float]:
        """The pauses."""
        attempt = 0
        while self.max_attempts is None or attempt < self.max_attempts:
            # Beyond that, powers of two are no float.
            yield min(self.base_delay * 2 ** min(attempt, 64), self.max_delay)
            attempt += 1


def reconnect_of(policy: object) -> tuple[float, float] | None:
    """The shortest and the longest pause of a policy. ``None`` for the engine's own, also if the
    policy has none."""
    if isinstance(policy, type):
        message = (
            "reconnection_policy should not be a class, it should be an instance of that class"
        )
        raise TypeError(message)
    if type(policy) is ConstantReconnectionPolicy:
        pauses = (policy.delay, policy.delay)
    elif type(policy) is ExponentialReconnectionPolicy:
        pauses = (policy.base_delay, policy.max_delay)
    else:
        return None
    shortest, longest = (max(pause, SHORTEST_PAUSE) for pause in pauses)
    return shortest, longest


class RetryPolicy:
    """The engine's retries: by the kind of the error, and whether the statement is idempotent."""

    RETRY = 0
    RETHROW = 1
    IGNORE = 2
    RETRY_NEXT_HOST = 3


class FallthroughRetryPolicy(RetryPolicy):
    """No retries."""


class NeverRetryPolicy(RetryPolicy):
    """No retries."""


class DowngradingConsistencyRetryPolicy(RetryPolicy):
    """Retries with a lower consistency level. Not supported."""

    def __init__(self) -> None:
        DIFFERENCES.missing("DowngradingConsistencyRetryPolicy")


def retries_of(policy: RetryPolicy | None, what: str) -> int | None:
    """A policy's limit of retries; ``None`` for the engine's."""
    if policy is None or type(policy) is RetryPolicy:
        return None
    if type(policy) in (FallthroughRetryPolicy, NeverRetryPolicy):
        return 0
    message = (
        f"{what}: {type(policy).__name__} is not supported, its methods would never be called: "
        "the engine retries statements itself. Use RetryPolicy, FallthroughRetryPolicy or "
        "NeverRetryPolicy, and a statement's is_idempotent"
    )
    raise NotImplementedError(message)


class SpeculativeExecutionPolicy:
    """Whether copies of a statement are sent to other nodes before the first one has replied."""


class NoSpeculativeExecutionPolicy(SpeculativeExecutionPolicy):
    """No speculative executions."""


def _check_kind(name: str, what: str, value: object, kinds: tuple[type, ...]) -> None:
    if isinstance(value, bool) or not isinstance(value, kinds):
        message = f"{name} must be {what}, not {type(value).__name__}"
        raise TypeError(message)


class ConstantSpeculativeExecutionPolicy(SpeculativeExecutionPolicy):
    """Speculative executions, each after a delay in seconds, up to a maximum number. Only for
    idempotent statements."""

    def __init__(self, delay: float, max_attempts: int) -> None:
        _check_kind("delay", "a number of seconds", delay, (int, float))
        if not 0 <= delay < math.inf:
            message = f"delay must be a number of seconds from 0, got {delay!r}"
            raise ValueError(message)
        _check_kind("max_attempts", "an int", max_attempts, (int,))
        if not 0 <= max_attempts <= MOST_ATTEMPTS:
            message = f"max_attempts must be from 0 to {MOST_ATTEMPTS}, got {max_attempts}"
            raise ValueError(message)
        self.delay = delay
        self.max_attempts = max_attempts


def speculation_of(policy: SpeculativeExecutionPolicy | None, what: str) -> dict[str, Any]:
    """A policy as options of an idempotent statement. Raises ``NotImplementedError`` if it is not
    supported."""
    if policy is None or type(policy) is NoSpeculativeExecutionPolicy:
        return {}
    if isinstance(policy, ConstantSpeculativeExecutionPolicy) and (
        type(policy) is ConstantSpeculativeExecutionPolicy
    ):
        if policy.max_attempts == 0:
            return {}
        return {
            "speculative_delay": max(policy.delay, SHORTEST_DELAY),
            "speculative_attempts": policy.max_attempts,
        }
    message = (
        f"{what}: {type(policy).__name__} is not supported, its methods would never be called: "
        "use ConstantSpeculativeExecutionPolicy"
    )
    raise NotImplementedError(message)


class AddressTranslator:
    """How to reach nodes: the base class of translators."""

    def translate(self, addr: str) -> str:
        """The address to use for an advertised one."""
        raise NotImplementedError


class IdentityTranslator(AddressTranslator):
    """Uses the advertised addresses."""

    def translate(self, addr: str) -> str:
        """The address to use for an advertised one."""
        return addr


class EC2MultiRegionTranslator(AddressTranslator):
    """Uses private addresses within a region of Amazon and public ones between regions, as the name
    servers there tell them."""

    def translate(self, addr: str) -> str:
        """The address to use for an advertised one."""
        kind = socket.SOCK_STREAM
        family = socket.getaddrinfo(addr, 0, socket.AF_UNSPEC, kind)[0][0]
        found = socket.getaddrinfo(socket.getfqdn(addr), 0, family, kind)
        return str(found[0][4][0]) if found else addr


class ColDesc(NamedTuple):
    """Names a column."""

    ks: str
    table: str
    col: str


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
