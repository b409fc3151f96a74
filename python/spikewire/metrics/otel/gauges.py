"""A client's state and counters as asynchronous instruments that read its statistics."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, TypeAlias

from opentelemetry.metrics import CallbackOptions, Observation, get_meter_provider

from spikewire.statistics.closed_errors import closed_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.util.types import AttributeValue

    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.cql.session import AsyncSession, Session
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

    for name, unit, text, of_node in _NODES:
        meter.create_observable_up_down_counter(
            f"spikewire.node.{name}", [reads(_nodes(of_node))], unit, text
        )
    share = "The node's share of the requests that others can take as well."
    shares = [reads(_nodes(lambda node: node.share))]
    meter.create_observable_gauge("spikewire.node.share", shares, "1", share)
    for name, unit, text, of_client in _CLIENT:
        meter.create_observable_gauge(f"spikewire.{name}", [reads(_whole(of_client))], unit, text)
    for name, unit, text, of_command in _COMMANDS:
        meter.create_observable_counter(
            f"spikewire.{name}", [reads(_commands(of_command))], unit, text
        )


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


def _commands(number: Callable[[CommandStats], int]) -> Read:
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


_NODES: list[tuple[str, str, str, Callable[[NodeStats], int]]] = [
    ("connections", "{connection}", "Connections to the node.", lambda node: node.connections),
    ("breaker_open", "1", "1 while the breaker is open.", lambda node: int(node.breaker_open)),
    ("limit", "{command}", "Commands it gets at a time.", lambda node: node.limit or 0),
    ("waiting", "{command}", "Commands that wait for that.", lambda node: node.waiting),
]
_CLIENT: list[tuple[str, str, str, Callable[[Stats], float]]] = [
    ("commands.in_flight", "{command}", "Commands in flight.", lambda stats: stats.in_flight),
    ("commands.queued", "{command}", "Commands that wait to be sent.", lambda stats: stats.queued),
    (
        "tend.age",
        "s",
        "Time since the last refresh of the view of the cluster.",
        lambda stats: stats.tend_age,
    ),
]
_COMMANDS: list[tuple[str, str, str, Callable[[CommandStats], int]]] = [
    ("commands", "{command}", "Commands that ended.", lambda command: command.count),
    (
        "commands.records",
        "{record}",
        "Records that commands read or wrote.",
        lambda command: command.records,
    ),
    (
        "commands.retries",
        "{attempt}",
        "Attempts beyond the first.",
        lambda command: command.retries,
    ),
    ("commands.parts", "{request}", "Requests of queries and jobs.", lambda command: command.parts),
]
