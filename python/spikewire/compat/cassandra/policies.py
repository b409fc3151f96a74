"""Policies by name. They are descriptions: the engine implements them, and does not call them.

Instances of classes that override a policy are rejected, because their methods would never be
called.
"""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import math
import socket
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.levels import WriteType
from spikewire.compat.cassandra.load_balancing import (
    DCAwareRoundRobinPolicy,
    DefaultLoadBalancingPolicy,
    HostDistance,
    HostFilterPolicy,
    HostStateListener,
    LoadBalancingPolicy,
    RoundRobinPolicy,
    TokenAwarePolicy,
    WhiteListRoundRobinPolicy,
)
from spikewire.compat.cassandra.missing_errors import resolve_name

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AddressTranslator",
    "ColDesc",
    "ConstantReconnectionPolicy",
    "ConstantSpeculativeExecutionPlan",
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
    "NoSpeculativeExecutionPlan",
    "NoSpeculativeExecutionPolicy",
    "ReconnectionPolicy",
    "RetryPolicy",
    "RoundRobinPolicy",
    "SimpleConvictionPolicy",
    "SpeculativeExecutionPlan",
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


#: What a retry policy decides: what to do, and at which consistency level; ``None``: the same.
Decision: TypeAlias = "tuple[int, int | None]"


class RetryPolicy:
    """The engine's retries: by the kind of the error, and whether the statement is idempotent. The
    methods are called for policies of the program that are derived from this class."""

    RETRY = 0
    RETHROW = 1
    IGNORE = 2
    RETRY_NEXT_HOST = 3

    def on_read_timeout(
        self,
        query: Any,  # noqa: ARG002
        consistency: int,
        required_responses: int,
        received_responses: int,
        data_retrieved: bool,
        retry_num: int,
    ) -> Decision:
        """Retries once if replicas answered, but not the one with the data."""
        useful = received_responses >= required_responses and not data_retrieved
        again = retry_num == 0 and useful
        return (self.RETRY, consistency) if again else (self.RETHROW, None)

    def on_write_timeout(
        self,
        query: Any,  # noqa: ARG002
        consistency: int,
        write_type: int,
        required_responses: int,  # noqa: ARG002
        received_responses: int,  # noqa: ARG002
        retry_num: int,
    ) -> Decision:
        """Retries once if it was the log of a batch that was not written."""
        again = retry_num == 0 and write_type == WriteType.BATCH_LOG
        return (self.RETRY, consistency) if again else (self.RETHROW, None)

    def on_unavailable(
        self,
        query: Any,  # noqa: ARG002
        consistency: int,  # noqa: ARG002
        required_replicas: int,  # noqa: ARG002
        alive_replicas: int,  # noqa: ARG002
        retry_num: int,
    ) -> Decision:
        """Asks another node, once."""
        return (self.RETRY_NEXT_HOST if retry_num == 0 else self.RETHROW), None

    def on_request_error(
        self,
        query: Any,
        consistency: int,  # noqa: ARG002
        error: Any,
        retry_num: int,  # noqa: ARG002
    ) -> Decision:
        """Asks the next node, unless that might apply a statement twice that is not idempotent."""
        cause = error.__cause__
        in_doubt = getattr(cause, "in_doubt", False) and not getattr(query, "is_idempotent", False)
        return (self.RETHROW if in_doubt else self.RETRY_NEXT_HOST), None


class FallthroughRetryPolicy(RetryPolicy):
    """No retries."""

    def on_read_timeout(self, *_: Any, **__: Any) -> Decision:
        """Gives up."""
        return self.RETHROW, None

    on_write_timeout = on_unavailable = on_request_error = on_read_timeout


class NeverRetryPolicy(FallthroughRetryPolicy):
    """No retries."""


class DowngradingConsistencyRetryPolicy(RetryPolicy):
    """Retries with a lower consistency level. Not supported."""

    def __init__(self) -> None:
        DIFFERENCES.missing("DowngradingConsistencyRetryPolicy")


def is_own_retry(policy: RetryPolicy | None) -> bool:
    """Whether a policy is the program's own, whose methods are called."""
    kinds = (RetryPolicy, FallthroughRetryPolicy, NeverRetryPolicy)
    return policy is not None and type(policy) not in kinds


def retries_of(policy: RetryPolicy | None, what: str) -> int | None:
    """How often the engine retries: ``None`` for its own limit."""
    if policy is not None and not isinstance(policy, RetryPolicy):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"{what} must be a RetryPolicy, not {type(policy).__name__}"
        raise TypeError(message)
    return None if policy is None or type(policy) is RetryPolicy else 0


class SpeculativeExecutionPlan:
    """When copies of one statement are sent."""

    def next_execution(self, host: Any) -> float:
        """Seconds until the next copy, after one was sent to ``host``; below 0: none."""
        raise NotImplementedError


class NoSpeculativeExecutionPlan(SpeculativeExecutionPlan):
    """No copies."""

    def next_execution(self, host: Any) -> float:  # noqa: ARG002
        """None."""
        return -1


class ConstantSpeculativeExecutionPlan(SpeculativeExecutionPlan):
    """Copies at constant intervals."""

    def __init__(self, delay: float, max_attempts: int) -> None:
        self.delay = delay
        self.remaining = max_attempts

    def next_execution(self, host: Any) -> float:  # noqa: ARG002
        """The interval, as long as copies remain."""
        self.remaining -= 1
        return self.delay if self.remaining >= 0 else -1


class SpeculativeExecutionPolicy:
    """Whether copies of a statement are sent to other nodes before the first one has replied."""

    def new_plan(self, keyspace: str | None, statement: Any) -> SpeculativeExecutionPlan:
        """When copies of this statement are sent."""
        raise NotImplementedError


class NoSpeculativeExecutionPolicy(SpeculativeExecutionPolicy):
    """No speculative executions."""

    def new_plan(
        self,
        keyspace: str | None,  # noqa: ARG002
        statement: Any,  # noqa: ARG002
    ) -> SpeculativeExecutionPlan:
        """None."""
        return NoSpeculativeExecutionPlan()


def _check_kind(name: str, what: str, value: object, kinds: tuple[type, ...]) -> None:
    if isinstance(value, bool) or not isinstance(value, kinds):
        message = f"{name} must be {what}, not {type(value).__name__}"
        raise TypeError(message)


class ConstantSpeculativeExecutionPolicy(SpeculativeExecutionPolicy):
    """Speculative executions, each after a delay in seconds, up to a maximum number. Only for
    idempotent statements."""

    ConstantSpeculativeExecutionPlan = ConstantSpeculativeExecutionPlan

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

    def new_plan(
        self,
        keyspace: str | None,  # noqa: ARG002
        statement: Any,  # noqa: ARG002
    ) -> SpeculativeExecutionPlan:
        """Copies at these intervals."""
        return ConstantSpeculativeExecutionPlan(self.delay, self.max_attempts)


def is_own_speculation(policy: SpeculativeExecutionPolicy | None) -> bool:
    """Whether a policy is the program's own, whose methods are called."""
    kinds = (NoSpeculativeExecutionPolicy, ConstantSpeculativeExecutionPolicy)
    return policy is not None and type(policy) not in kinds


def speculation_of(policy: SpeculativeExecutionPolicy | None, what: str) -> dict[str, Any]:
    """A policy as options of an idempotent statement; none for one of the program's own."""
    if policy is not None and not isinstance(policy, SpeculativeExecutionPolicy):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"{what} must be a SpeculativeExecutionPolicy, not {type(policy).__name__}"
        raise TypeError(message)
    if isinstance(policy, ConstantSpeculativeExecutionPolicy) and not is_own_speculation(policy):
        if policy.max_attempts == 0:
            return {}
        return {
            "speculative_delay": max(policy.delay, SHORTEST_DELAY),
            "speculative_attempts": policy.max_attempts,
        }
    return {}


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
        entries = socket.getaddrinfo(socket.getfqdn(addr), 0, family, kind)
        return str(entries[0][4][0]) if entries else addr


class ColDesc(NamedTuple):
    """Names a column."""

    ks: str
    table: str
    col: str


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
