"""Replication strategies of keyspaces."""

from __future__ import annotations

from typing import Any

from spikewire.compat.cassandra.names import literal_map

__all__ = [
    "LocalStrategy",
    "NetworkTopologyStrategy",
    "ReplicationFactor",
    "ReplicationStrategy",
    "SimpleStrategy",
]

_PACKAGE = "org.apache.cassandra.locator."


class ReplicationFactor:
    """The number of replicas."""

    def __init__(self, all_replicas: int, transient_replicas: int | None = None) -> None:
        self.all_replicas = all_replicas
        self.transient_replicas = transient_replicas
        self.full_replicas = all_replicas - (transient_replicas or 0)

    @staticmethod
    def create(rf: Any) -> ReplicationFactor:
        """From ``3`` or, with a transient replica, ``3/1``."""
        replicas, _, transient = str(rf).partition("/")
        try:
            return ReplicationFactor(int(replicas), int(transient) if transient else None)
        except ValueError:
            message = f"Unable to determine replication factor from: {rf}"
            raise ValueError(message) from None

    def __str__(self) -> str:
        transient = "" if self.transient_replicas is None else f"/{self.transient_replicas}"
        return f"{self.all_replicas}{transient}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReplicationFactor) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


class ReplicationStrategy:
    """How a keyspace is replicated."""

    def __init__(self, options_map: dict[str, str], name: str | None = None) -> None:
        #: The class of the server, without its package if that is Cassandra's.
        self.name = name or type(self).__name__
        self.options_map = dict(options_map)

    @staticmethod
    def create(strategy_class: str | None, options_map: dict[str, str]) -> Any:
        """The strategy of a class of the server; ``None`` for virtual keyspaces."""
        if not strategy_class:
            return None
        name = strategy_class.removeprefix(_PACKAGE)
        known = {kind.__name__: kind for kind in ReplicationStrategy.__subclasses__()}
        if name in known:
            return known[name](options_map)
        return ReplicationStrategy(options_map, name)

    def settings(self) -> dict[str, str]:
        """The settings, with the class."""
        return {"class": self.name, **self.options_map}

    def export_for_schema(self) -> str:
        """The settings as a literal of CQL."""
        return literal_map(self.settings())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReplicationStrategy) and self.settings() == other.settings()

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<{self.name} {self.options_map}>"


class SimpleStrategy(ReplicationStrategy):
    """The next nodes of the ring."""

    def __init__(self, options_map: dict[str, str], name: str | None = None) -> None:
        super().__init__(options_map, name)
        self.replication_factor_info = ReplicationFactor.create(options_map["replication_factor"])

    @property
    def replication_factor(self) -> int:
        """The number of full replicas."""
        return self.replication_factor_info.full_replicas


class NetworkTopologyStrategy(ReplicationStrategy):
    """A number of replicas in each datacenter."""

    def __init__(self, options_map: dict[str, str], name: str | None = None) -> None:
        super().__init__(options_map, name)
        self.dc_replication_factors_info = {
            datacenter: ReplicationFactor.create(factor)
            for datacenter, factor in options_map.items()
        }
        self.dc_replication_factors = {
            datacenter: factor.full_replicas
            for datacenter, factor in self.dc_replication_factors_info.items()
        }


class LocalStrategy(ReplicationStrategy):
    """Each node for itself."""
