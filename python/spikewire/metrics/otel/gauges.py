"""A client's state and counters as asynchronous instruments that read its statistics."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, TypeAlias

from opentelemetry.metrics import CallbackOptions, Observation, get_meter_provider

from spikewire.metrics.table import (
    CLIENT_INSTRUMENTS,
    COMMANDS_INSTRUMENTS,
    NODES_INSTRUMENTS,
)
from spikewire.statistics.closed_errors import closed_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.util.types import AttributeValue

    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.cql.session import AsyncSession, Session
    from spikewire.metrics import table
    from spikewire.statistics.stats import CommandStats, NodeStats, Stats

    Labels: TypeAlias = dict[str, str]
    Read: TypeAlias = Callable[[Stats], Iterable[Observation]]


def observe(
    client: Client | AsyncClient | Session | AsyncSession,
    *,
    meter_provider: MeterProvider | None = None,
    attributes: dict[str, str] | None = None,
) -> None:
    """Creates instruments that read ``client.stats()`` whenever metrics are collected: connections
    and breakers of each node, commands in flight and waiting; while commands are counted
    (``client.metrics.enable()``), also their number by kind, namespace, node and result.

    Commands are not slowed down. ``attributes`` are added to every value, to tell several clients
    of a program apart. The instruments do not keep the client alive, and report nothing once it is
    closed.
    """
    meter = (meter_provider or get_meter_provider()).get_meter("spikewire")
    known = weakref.ref(getattr(client, "_target", client))
    more = attributes or {}

    def reads(read: Read) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def look(_: CallbackOptions) -> Iterator[Observation]:
            client = known()
            if client is None:
                return
            try:
                stats = client.stats()
            except closed_errors():  # The client is closed, or not open yet.
                return
            for seen in read(stats):
                yield Observation(seen.value, {**more, **(seen.attributes or {})})

        return look

    for entries, read in (
        (NODES_INSTRUMENTS, _nodes),
        (CLIENT_INSTRUMENTS, _whole),
        (COMMANDS_INSTRUMENTS, _commands),
    ):
        instruments: list[table.Instrument[Any]] = list(entries)
        for name, kind, unit, text, number in instruments:
            create: Any = getattr(meter, f"create_observable_{kind}")
            create(name, [reads(read(number))], unit, text)


def _nodes(number: Callable[[NodeStats], float]) -> Read:
    def read(stats: Stats) -> Iterator[Observation]:
        for node in stats.nodes:
            host, _, port = node.address.rpartition(":")
            where: dict[str, AttributeValue] = {
                "server.address": host.strip("[]"),
                "server.port": int(port),
            }
            where["spikewire.node"] = node.name
            yield Observation(number(node), where)

    return read


def _whole(number: Callable[[Stats], float]) -> Read:
    return lambda stats: [Observation(number(stats))]


def _commands(number: Callable[[CommandStats], float]) -> Read:
    def read(stats: Stats) -> Iterator[Observation]:
        for command in stats.commands:
            yield Observation(
                number(command),
                {
                    "db.operation.name": command.operation,
                    "db.namespace": command.namespace,
                    "spikewire.node": command.node.partition(" ")[0],
                    "spikewire.result": command.result,
                },
            )

    return read
