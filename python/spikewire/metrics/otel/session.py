"""Traced Cassandra sessions, with the same connections and verbs."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from spikewire.context_managers import AsyncTargetContext, TargetContext
from spikewire.cql import AsyncSession, Rows, Session
from spikewire.metrics.otel.call import Call, Telemetry, endpoint
from spikewire.metrics.otel.query import AsyncQuery, Query
from spikewire.metrics.otel.statements import described

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

__all__ = ["trace_session"]

_VERBS = frozenset({"execute", "page", "prepare", "execute_many"})
#: Attributes left out of the histogram, which would otherwise have a series per statement.
_ONLY_SPANS = ("db.query.text", "cassandra.page.size", "cassandra.query.idempotent")


def trace_session(
    session: Any, tracer_provider: TracerProvider | None, meter_provider: MeterProvider | None
) -> _TracedSession | None:
    """A view of a session; ``None`` if the argument is not a session."""
    telemetry = Telemetry(tracer_provider, meter_provider)
    if isinstance(session, Session):
        return _Blocking(session, session, telemetry)
    if isinstance(session, AsyncSession):
        return _Asynchronous(session, session, telemetry)
    if isinstance(session, _TracedSession):
        raise TypeError("the session is instrumented already")
    return None


class _Statement(Call):
    """A statement in progress."""

    __slots__ = ()

    def _returned(self, result: Any) -> None:
        """Takes the node, which the driver chooses and is only known at the end."""
        if isinstance(result, Rows):
            where = endpoint(result.node)
            self._attributes |= where
            self._span.set_attributes(where)
            if result.attempts > 1:
                self._span.set_attribute("spikewire.attempts", result.attempts)


class _TracedSession:
    """Common to both views: ``_target`` is the session, ``_api`` the object whose verbs are
    called.
    """

    def __init__(self, target: Any, api: Any, telemetry: Telemetry) -> None:
        self._target = target
        self._api = api
        self._telemetry = telemetry

    def __getattr__(self, name: str) -> Any:
        # Only called for names that are not in the instance's dict.
        if name.startswith("__"):
            raise AttributeError(name)
        attribute = getattr(self._api, name)
        if name not in _VERBS:
            return attribute
        verb = self.__dict__[name] = partial(self._call, attribute, name)
        return verb

    def _begin(self, verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Call:
        keyspace = ""
        # Errors of the session are reported by the verb itself.
        with suppress(Exception):
            keyspace = self._target.keyspace or ""
        name, attributes, size = described(verb, arguments, options, keyspace)
        return _Statement(self._telemetry, name, attributes, size, only_span=_ONLY_SPANS)

    def _call(self, of: Callable[..., Any], verb: str, *arguments: Any, **options: Any) -> Any:
        call = self._begin(verb, arguments, options)
        try:
            outcome = of(*arguments, **options)
        except BaseException as error:
            call.end(error)
            raise
        return call.follow(outcome)

    def query(self, *arguments: Any, **options: Any) -> Any:
        """``query`` of the session, with a span for each way of reading it."""
        query = self._api.query(*arguments, **options)
        kind = AsyncQuery if hasattr(query, "__aiter__") else Query
        return kind(query, partial(self._begin, "query", arguments, options))

    @property
    def submit(self) -> Any:
        """The same verbs, each returning a ``concurrent.futures.Future`` immediately."""
        return _TracedSession(self._target, self._api.submit, self._telemetry)

    def __reduce__(self) -> Any:
        raise TypeError("an instrumented session can be neither copied nor pickled")

    def __repr__(self) -> str:
        return f"<traced {self._api!r}>"


class _Blocking(TargetContext, _TracedSession):
    """A blocking session."""


class _Asynchronous(AsyncTargetContext, _TracedSession):
    """An asyncio session."""
