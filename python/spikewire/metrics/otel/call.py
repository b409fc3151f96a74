"""One command: its span, its duration and their attributes."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from opentelemetry.metrics import get_meter_provider
from opentelemetry.trace import SpanKind, Status, StatusCode, get_tracer_provider

from spikewire._native import Key, Signals
from spikewire.aerospike.profiles.kinds import VERBS, writes
from spikewire.aerospike.profiles.modes import mode_of
from spikewire.cql.errors import Error as StatementError
from spikewire.errors import Error, ServerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider
    from opentelemetry.util.types import AttributeValue

    Attributes = dict[str, AttributeValue]

_SCHEMA = "https://opentelemetry.io/schemas/1.33.0"
_NAME = "spikewire"

#: The boundaries from the conventions, and some below, as most commands are faster.
_BOUNDARIES = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)

#: Verbs on one record.
_POINT = frozenset(
    "get exists put add append prepend delete touch apply operate".split()  # noqa: SIM905
)
_READS = frozenset({"get", "exists"})
#: Verbs on many records, and the operation on each record.
_MANY = {
    "get_many": "get",
    "get_numpy": "get",
    "exists_many": "exists",
    "put_many": "put",
    "delete_many": "delete",
    "operate_many": "operate",
    "apply_many": "apply",
}


class Telemetry:
    """The tracer and the histogram."""

    def __init__(
        self, tracer_provider: TracerProvider | None, meter_provider: MeterProvider | None
    ) -> None:
        tracers = tracer_provider or get_tracer_provider()
        meters = meter_provider or get_meter_provider()
        self.tracer = tracers.get_tracer(_NAME, schema_url=_SCHEMA)
        self.durations = meters.get_meter(_NAME, schema_url=_SCHEMA).create_histogram(
            "db.client.operation.duration",
            unit="s",
            description="Duration of database client operations.",
            explicit_bucket_boundaries_advisory=_BOUNDARIES,
        )


class Instruments(Telemetry):
    """The tracer and the histogram for a client, and attributes of its calls."""

    def __init__(
        self,
        client: Any,
        tracer_provider: TracerProvider | None,
        meter_provider: MeterProvider | None,
    ) -> None:
        super().__init__(tracer_provider, meter_provider)
        self._signals = Signals(client)

    def begin(
        self, api: Any, verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
    ) -> Call:
        """Starts a call of a verb of a client or dataset."""
        size = _size(verb, arguments, options)
        operation = _operation(verb, size)
        namespace, collection = _space(api, verb, arguments, options)
        attributes: Attributes = {"db.system.name": "aerospike", "db.operation.name": operation}
        if namespace:
            attributes["db.namespace"] = namespace
        if collection:
            attributes["db.collection.name"] = collection
        if verb in _POINT:
            attributes |= self._route(api, verb, arguments, options)
        return Call(self, f"{operation} {collection or namespace}".rstrip(), attributes, size)

    def _route(
        self, api: Any, verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
    ) -> Attributes:
        # Invalid arguments are reported by the verb itself.
        with suppress(Exception):
            key = key_argument = arguments[0] if arguments else options["key"]
            if not isinstance(key_argument, Key):
                key = api.key(key_argument) if hasattr(api, "set") else Key(*key_argument[:3])
            writing = verb not in _READS
            if verb == "operate":
                operations = arguments[1] if len(arguments) > 1 else options.get("operations")
                writing = writes(operations)
            node = self._signals.route(
                key, writing, _replica(api, verb, writing, arguments, options)
            )
            if node is not None:
                name, host, port = node
                return {"server.address": host, "server.port": port, "spikewire.node": name}
        return {}


class Call:
    """A started command."""

    __slots__ = ("_attributes", "_durations", "_only_span", "_span", "_started")

    def __init__(
        self,
        instruments: Telemetry,
        name: str,
        attributes: Attributes,
        size: int | None = None,
        *,
        only_span: tuple[str, ...] = (),
    ) -> None:
        self._attributes = attributes
        self._durations = instruments.durations
        self._only_span = (*only_span, "spikewire.node")
        of_the_span = attributes
        if size is not None and size > 1:
            of_the_span = attributes | {"db.operation.batch.size": size}
        self._span: Span = instruments.tracer.start_span(
            name, kind=SpanKind.CLIENT, attributes=of_the_span
        )
        self._started = perf_counter()

    def follow(self, outcome: Any) -> Any:
        """Ends it with the verb's result: immediately, or when its future is done."""
        if hasattr(outcome, "add_done_callback"):
            outcome.add_done_callback(self._done)
            return outcome
        if asyncio.iscoroutine(outcome):
            return self._awaited(outcome)
        self._returned(outcome)
        self.end()
        return outcome

    def _returned(self, result: Any) -> None:
        """Takes attributes from the result."""

    async def _awaited(self, outcome: Any) -> Any:
        try:
            result = await outcome
        except BaseException as error:
            self.end(error)
            raise
        self._returned(result)
        self.end()
        return result

    def _done(self, future: Any) -> None:
        if future.cancelled():
            cancelled = asyncio.CancelledError if asyncio.isfuture(future) else CancelledError
            self.end(cancelled())
        else:
            # Not `exception()`, which would mark the exception as retrieved.
            error = future._exception  # noqa: SLF001
            if error is None:
                self._returned(future.result())
            self.end(error)

    def end(self, error: BaseException | None = None) -> None:
        """Ends the call, with an error or without."""
        took = perf_counter() - self._started
        attributes, span = self._attributes, self._span
        if error is not None:
            more = _of_error(error)
            attributes |= more
            span.set_attributes(more)
            if isinstance(error, (Error, StatementError)) and error.attempts > 1:
                span.set_attribute("spikewire.attempts", error.attempts)
            span.set_status(Status(StatusCode.ERROR, getattr(error, "message", "") or str(error)))
        of_all = {name: of for name, of in attributes.items() if name not in self._only_span}
        self._durations.record(took, of_all)
        span.end()


def _of_error(error: BaseException) -> Attributes:
    kind = type(error)
    # `CancelledError` is named by its public module.
    public = {"asyncio.exceptions": "asyncio", "concurrent.futures._base": "concurrent.futures"}
    name = public.get(kind.__module__, kind.__module__)
    module = "" if name == "builtins" else f"{name}."
    values: Attributes = {"error.type": f"{module}{kind.__qualname__}"}
    if isinstance(error, ServerError):
        values["db.response.status_code"] = str(error.code)
    if isinstance(error, StatementError) and error.code is not None:
        values["db.response.status_code"] = f"{error.code:04X}"
    if isinstance(error, (Error, StatementError)) and error.node is not None:
        values |= endpoint(error.node)
    return values


def endpoint(node: str) -> Attributes:
    """The attributes of a node, from its optional name and its address."""
    name, _, address = node.rpartition(" ")
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        return {}
    values: Attributes = {"server.address": host.strip("[]"), "server.port": int(port)}
    return values | {"spikewire.node": name} if name else values


def _operation(verb: str, size: int | None) -> str:
    """The operation's name; the conventions do not call a single row a batch."""
    if verb == "batch":
        return "BATCH"
    if verb in _MANY:
        return _MANY[verb] if size == 1 else f"BATCH {_MANY[verb]}"
    return verb


def _rows(arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    if arguments:
        return arguments[0]
    return next((options[name] for name in ("keys", "records", "rows") if name in options), None)


def _size(verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> int | None:
    if verb not in _MANY and verb != "batch":
        return None
    rows = _rows(arguments, options)
    return len(rows) if hasattr(rows, "__len__") else None


def _space(
    api: Any, verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[str, str]:
    """The namespace and the set of a call, as far as its arguments show them."""
    if hasattr(api, "set"):
        return api.namespace, api.set or ""
    if verb in _POINT:
        return _of_key(arguments[0] if arguments else options.get("key"))
    if verb in _MANY or verb == "batch":
        rows: Any = _rows(arguments, options)
        # An iterator must not be consumed.
        first: Any = next(iter(rows), None) if type(rows) in (list, tuple, dict) else None
        return _of_key(getattr(first, "key", first) if verb == "batch" else first)
    whole = (*arguments, None, None)
    namespace = options.get("namespace", whole[0])
    collection = options.get("set", whole[1])
    return str(namespace or ""), str(collection or "")


def _of_key(key: Any) -> tuple[str, str]:
    if isinstance(key, Key):
        return key.namespace, key.set or ""
    if isinstance(key, tuple):
        parts: tuple[Any, ...] = key  # pyright: ignore[reportUnknownVariableType]
        namespace, collection, *_ = (*parts, "", "")
        return str(namespace or ""), str(collection or "")
    return "", ""


def _replica(
    api: Any, verb: str, writing: bool, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> Any:
    """The replica option of a call, or of a view's profile; otherwise the client's."""
    if options.get("replica") is not None:
        return options["replica"]
    profile = getattr(api, "profile", None)
    if profile is None:
        return None
    state = profile.state
    mode = mode_of(api._target, verb, arguments, options) if verb in state.by_mode else None  # noqa: SLF001
    used = state.calls[verb, writing and len(VERBS[verb]) > 1, mode].get("replica")
    return None if used is None else used.value
