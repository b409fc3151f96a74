"""OpenTelemetry: a span for each command, its duration as a metric, and what a client holds.

    from spikewire.metrics import otel

    client = otel.instrument(spikewire.Client("db1"))
    users = client.dataset("test", "users")
    users.get("alice")  # a span "get users", child of the one that is current here

``instrument`` returns a view of a client, as profiles do; code that does not use the view pays
nothing. ``observe`` needs no view: it exports connections, queues and breakers as asynchronous
instruments.

| module | what it holds |
|---|---|
| ``view`` | clients and datasets whose verbs are traced |
| ``call`` | one command: its attributes, its span, its duration |
| ``query`` | queries: a span for each way of reading them |
| ``session``, ``statements`` | sessions with Cassandra, and what their statements are called |
| ``gauges`` | instruments that look at ``client.stats()`` |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.cql.session import AsyncSession, Session

try:
    from spikewire.metrics.otel.gauges import observe
    from spikewire.metrics.otel.session import trace_session
    from spikewire.metrics.otel.view import trace_client
except ModuleNotFoundError as error:
    if not (error.name or "").startswith("opentelemetry"):
        raise
    raise ImportError(
        "spikewire.metrics.otel needs opentelemetry-api: pip install opentelemetry-api"
    ) from error

__all__ = ["instrument", "observe"]

_C = TypeVar("_C", bound="Client | AsyncClient | Session | AsyncSession")


def instrument(
    client: _C,
    *,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
) -> _C:
    """The same client, with a span for every command and its duration in the histogram
    ``db.client.operation.duration``; the client itself is unchanged.

    The client may have a profile, and need not be open yet; opening or closing the view opens or
    closes it. The view's datasets, ``session()``, ``submit`` and ``concurrent`` are traced as well.
    Providers default to the global ones. Cassandra sessions and their ``submit`` work the same way.

    Raises ``TypeError`` if the argument is not a client or session.
    """
    any_client = cast("Any", client)
    session = trace_session(any_client, tracer_provider, meter_provider)
    return cast("_C", session or trace_client(any_client, tracer_provider, meter_provider))
