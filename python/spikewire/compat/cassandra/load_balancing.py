"""Load balancing policies: those of the other driver, and those that programs derive from them.

The engine routes by itself for the former, and their methods are not called; they are there for
policies of the program that build on them.
"""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spikewire.compat.cassandra.pool import Host

__all__ = [
    "DCAwareRoundRobinPolicy",
    "DefaultLoadBalancingPolicy",
    "HostDistance",
    "HostFilterPolicy",
    "HostStateListener",
    "LoadBalancingPolicy",
    "RoundRobinPolicy",
    "Routing",
    "TokenAwarePolicy",
    "WhiteListRoundRobinPolicy",
    "routing_of",
]


class HostDistance:
    """How close a node is."""

    IGNORED = -1
    LOCAL_RACK = 0
    LOCAL = 1
    REMOTE = 2


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
    """Which node is used: the base class of policies."""

    def check_supported(self) -> None:
        """Raises an exception if the policy cannot be used."""

    def populate(self, cluster: Any, hosts: Iterable[Host]) -> None:
        """Called with the nodes, when the cluster is connected."""
        raise NotImplementedError

    def distance(self, host: Host) -> int:
        """How close a node is; nodes that are ``IGNORED`` are not used."""
        raise NotImplementedError

    def make_query_plan(
        self, working_keyspace: str | None = None, query: Any = None
    ) -> Iterable[Host]:
        """The nodes to try for a statement, in order."""
        raise NotImplementedError


class RoundRobinPolicy(LoadBalancingPolicy):
    """All nodes. If the partition is known, its replicas come first, as with all policies here."""

    def __init__(self) -> None:
        self._hosts: dict[Host, None] = {}
        self._turns = itertools.count(random.randrange(1 << 16))  # noqa: S311

    def populate(self, cluster: Any, hosts: Iterable[Host]) -> None:  # noqa: ARG002
        """Takes note of the nodes."""
        self._hosts = dict.fromkeys(hosts)

    def distance(self, host: Host) -> int:  # noqa: ARG002
        """All are local."""
        return HostDistance.LOCAL

    def make_query_plan(
        self,
        working_keyspace: str | None = None,  # noqa: ARG002
        query: Any = None,  # noqa: ARG002
    ) -> Iterable[Host]:
        """All nodes, each of them first in turn."""
        return self._rotated(list(self._hosts))

    def _rotated(self, hosts: list[Host]) -> list[Host]:
        first = next(self._turns) % len(hosts) if hosts else 0
        return hosts[first:] + hosts[:first]

    def on_up(self, host: Host) -> None:
        """It is used again."""
        self._hosts = {**self._hosts, host: None}

    def on_down(self, host: Host) -> None:
        """It is not used."""
        self._hosts = {known: None for known in self._hosts if known != host}

    on_add = on_up
    on_remove = on_down


class DCAwareRoundRobinPolicy(RoundRobinPolicy):
    """The nodes of one datacenter, by default that of the first contact point."""

    def __init__(self, local_dc: str = "", used_hosts_per_remote_dc: int = 0) -> None:
        super().__init__()
        self.local_dc = local_dc
        self.used_hosts_per_remote_dc = used_hosts_per_remote_dc

    def populate(self, cluster: Any, hosts: Iterable[Host]) -> None:
        """Takes note of the nodes, and of the datacenter of the contact points."""
        hosts = list(hosts)
        super().populate(cluster, hosts)
        if not self.local_dc:
            points = {endpoint.address for endpoint in cluster.endpoints_resolved}
            places = [host.datacenter for host in hosts if host.address in points]
            self.local_dc = next((place for place in places if place), "")

    def distance(self, host: Host) -> int:
        """Nodes of other datacenters are ``REMOTE`` if they are used, or else ``IGNORED``."""
        if host.datacenter == self.local_dc:
            return HostDistance.LOCAL
        used = self._remote()
        return HostDistance.REMOTE if host in used else HostDistance.IGNORED

    def _remote(self) -> list[Host]:
        places: dict[str | None, list[Host]] = {}
        for host in self._hosts:
            if host.datacenter != self.local_dc:
                places.setdefault(host.datacenter, []).append(host)
        count = self.used_hosts_per_remote_dc
        return [host for hosts in places.values() for host in hosts[:count]]

    def make_query_plan(
        self,
        working_keyspace: str | None = None,  # noqa: ARG002
        query: Any = None,  # noqa: ARG002
    ) -> Iterable[Host]:
        """The nodes of the datacenter, each of them first in turn, then those of others."""
        local = [host for host in self._hosts if host.datacenter == self.local_dc]
        return self._rotated(local) + self._rotated(self._remote())


class _Wrapper(LoadBalancingPolicy):
    """A policy on top of another one."""

    _child_policy: LoadBalancingPolicy

    def check_supported(self) -> None:
        """As the other policy says."""
        self._child_policy.check_supported()

    def populate(self, cluster: Any, hosts: Iterable[Host]) -> None:
        """Passes it on."""
        self._child_policy.populate(cluster, hosts)

    def distance(self, host: Host) -> int:
        """As the other policy says."""
        return self._child_policy.distance(host)

    def make_query_plan(
        self, working_keyspace: str | None = None, query: Any = None
    ) -> Iterable[Host]:
        """As the other policy says."""
        return self._child_policy.make_query_plan(working_keyspace, query)

    def on_up(self, host: Host) -> None:
        """Passes it on."""
        self._child_policy.on_up(host)

    def on_down(self, host: Host) -> None:
        """Passes it on."""
        self._child_policy.on_down(host)

    def on_add(self, host: Host) -> None:
        """Passes it on."""
        self._child_policy.on_add(host)

    def on_remove(self, host: Host) -> None:
        """Passes it on."""
        self._child_policy.on_remove(host)


class TokenAwarePolicy(_Wrapper):
    """Replicas first. The engine always does that, and chooses among them by load."""

    def __init__(self, child_policy: LoadBalancingPolicy, shuffle_replicas: bool = False) -> None:
        self._child_policy = child_policy
        self.shuffle_replicas = shuffle_replicas
        self._cluster: Any = None

    def populate(self, cluster: Any, hosts: Iterable[Host]) -> None:
        """Takes note of the cluster, which knows replicas."""
        self._cluster = cluster
        super().populate(cluster, hosts)

    def make_query_plan(
        self, working_keyspace: str | None = None, query: Any = None
    ) -> Iterator[Host]:
        """The replicas that are up, the closest first, then the nodes of the other policy."""
        key = getattr(query, "routing_key", None)
        keyspace = getattr(query, "keyspace", None) or working_keyspace
        replicas: list[Host] = []
        if key is not None and keyspace and self._cluster is not None:
            replicas = list(self._cluster.metadata.get_replicas(keyspace, key))
        if self.shuffle_replicas:
            random.shuffle(replicas)
        seen: set[Host] = set()
        for distance in (HostDistance.LOCAL_RACK, HostDistance.LOCAL, HostDistance.REMOTE):
            for host in replicas:
                if host.is_up and self.distance(host) == distance:
                    seen.add(host)
                    yield host
        for host in self._child_policy.make_query_plan(working_keyspace, query):
            if host not in seen:
                yield host


class WhiteListRoundRobinPolicy(RoundRobinPolicy):
    """Only the nodes with these addresses, in turn."""

    def __init__(self, hosts: Sequence[str]) -> None:
        super().__init__()
        self._allowed_hosts = tuple(hosts)

    def populate(self, cluster: Any, hosts: Iterable[Host]) -> None:
        """Takes note of those nodes."""
        super().populate(cluster, [host for host in hosts if self._is_allowed(host)])

    def _is_allowed(self, host: Host) -> bool:
        return host.address in self._allowed_hosts

    def distance(self, host: Host) -> int:
        """Others are ``IGNORED``."""
        return HostDistance.LOCAL if self._is_allowed(host) else HostDistance.IGNORED

    def on_up(self, host: Host) -> None:
        """It is used again, if it is one of them."""
        if self._is_allowed(host):
            super().on_up(host)

    on_add = on_up


class HostFilterPolicy(_Wrapper):
    """Only the nodes for which a function is true, in turn."""

    def __init__(self, child_policy: LoadBalancingPolicy, predicate: Any) -> None:
        self._child_policy = child_policy
        self.predicate = predicate

    def distance(self, host: Host) -> int:
        """Others are ``IGNORED``."""
        return self._child_policy.distance(host) if self.predicate(host) else HostDistance.IGNORED

    def make_query_plan(
        self, working_keyspace: str | None = None, query: Any = None
    ) -> Iterator[Host]:
        """Those of the other policy's nodes."""
        plan = self._child_policy.make_query_plan(working_keyspace, query)
        return (host for host in plan if self.predicate(host))


class DefaultLoadBalancingPolicy(_Wrapper):
    """The same as another policy."""

    def __init__(self, child_policy: LoadBalancingPolicy) -> None:
        self._child_policy = child_policy


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
    #: A policy of the program, which is asked for each statement.
    own: LoadBalancingPolicy | None = None

    @property
    def chooses(self) -> bool:
        """Whether each statement goes to a node that the policy names, instead of one of the
        engine's choice."""
        return self.only is not None or self.accepts is not None or self.own is not None

    def takes(self, host: Host) -> bool:
        """Whether a node may be used."""
        if self.only is not None and host.address not in self.only:
            return False
        return self.accepts is None or bool(self.accepts(host))


def routing_of(policy: LoadBalancingPolicy | None, what: str) -> Routing:
    """What a policy specifies. Raises ``TypeError`` if it is none."""
    if policy is None:
        return Routing()
    if not isinstance(policy, LoadBalancingPolicy):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"{what} must be a LoadBalancingPolicy, not {type(policy).__name__}"
        raise TypeError(message)
    kind = type(policy)
    if isinstance(policy, _Wrapper) and kind in (
        TokenAwarePolicy,
        DefaultLoadBalancingPolicy,
        HostFilterPolicy,
    ):
        inner = routing_of(policy._child_policy, what)
        if inner.own is not None:
            return Routing(own=policy, remote=True)
        if not isinstance(policy, HostFilterPolicy):
            return inner
        outer, own = inner.accepts, policy.predicate
        both: Callable[[Any], bool] = (
            own if outer is None else lambda host: outer(host) and own(host)
        )
        return inner._replace(accepts=both, remote=True)
    if isinstance(policy, WhiteListRoundRobinPolicy) and kind is WhiteListRoundRobinPolicy:
        return Routing(only=policy._allowed_hosts, remote=True)
    if isinstance(policy, DCAwareRoundRobinPolicy) and kind is DCAwareRoundRobinPolicy:
        return Routing(policy.local_dc or None, policy.used_hosts_per_remote_dc > 0)
    return Routing(remote=True) if kind is RoundRobinPolicy else Routing(own=policy, remote=True)
