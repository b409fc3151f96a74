"""Queries and scans."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic
from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire import IndexRange
from spikewire.compat.aerospike.c_errors import with_c_errors_on_methods
from spikewire.compat.aerospike.exception import ClientError
from spikewire.compat.aerospike.expressions import engine_expression
from spikewire.compat.aerospike.failures import missing, of_code, reject
from spikewire.compat.aerospike.operations import prepare, results_of, text_of
from spikewire.compat.aerospike.partitions import (
    Filter,
    Reached,
    cursor_from,
    filter_of,
    reached_by,
    status_of,
    value_at,
)
from spikewire.compat.aerospike.paths import steps
from spikewire.compat.aerospike.policies import ttl_of
from spikewire.compat.aerospike.records import FAILURES, meta_of
from spikewire.compat.aerospike.values import deserializer_of, incoming, incoming_bins, outgoing
from spikewire.compat.aerospike_info import PARTITIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from typing_extensions import Self

__all__ = ["Query", "Scan", "index_range"]

_OF = {1: "list", 2: "mapkeys", 3: "mapvalues"}
#: Stands for an omitted node name, because ``None`` is rejected.
_EVERY: Any = object()


def index_range(predicate: Any, ctx: Any = None, name: str | None = None, on: Any = None) -> Any:
    """The index range for the tuple of a predicate."""
    if not isinstance(predicate, tuple) or not 3 < len(predicate) < 7:
        reject("predicate is invalid.")
    kind, of, named = predicate[:3]
    first: Any = predicate[3]
    named = text_of(named)
    last: Any = predicate[4] if len(predicate) > 4 else None
    if isinstance(first, bool):
        first = int(first)
    if isinstance(last, bool):
        last = int(last)
    part = _OF.get(predicate[5] if len(predicate) > 5 else 0)
    if kind not in (0, 1):
        reject("unknown predicate type")
    target: Any = on if on is not None else None if name is not None else named
    path = steps(ctx)
    try:
        if of == 2:
            shape = json.loads(first)
            how = "around" if shape.get("type") == "Point" else "within"
            return IndexRange(how, target, [spikewire.GeoJSON(first)], part, name, path)
        if kind == 1:
            return IndexRange("between", target, [first, last], part, name, path)
        if part is None:
            return IndexRange("equal", target, [first], None, name, path)
        return IndexRange("contains", target, [first], part, name, path)
    except (TypeError, ValueError, OverflowError) as error:
        reject(str(error))


class QueryBase:
    """What scans and queries have in common."""

    _kind: str
    #: The message if a callback raises an exception.
    _raised: str

    def __init__(self, client: Any, namespace: Any = None, set: Any = None) -> None:
        if not hasattr(client, "_policies"):
            message = f"cannot create 'aerospike.{type(self).__name__}' instances"
            raise TypeError(message)
        if not isinstance(namespace, str):
            reject("Namespace should be a string")
        if set is not None and not isinstance(set, str):
            reject("Set name should be string or None")
        self._owner = client
        self._namespace, self._set = namespace, set or None
        self._bins: list[str] | None = None
        self._index: Any = None
        self._operations: list[Any] | None = None
        self._function: tuple[str, str, list[Any]] | None = None
        self._paginates = self._done = False
        self._reached: Reached | None = None
        self._latest: Reached = {}
        self._range = 0, PARTITIONS
        self.max_records = 0
        self.records_per_second = 0
        self.ttl = 0

    def select(self, *bins: str) -> Self:
        """Reads only these bins. Returns the query."""
        if self._bins is not None:
            raise of_code(-1, "Cannot call select() more than once")
        names = [text_of(name) for name in bins]
        for name in names:
            if not isinstance(name, str):
                reject("Bin name should be of type string")
        self._bins = names or None
        return self

    def add_ops(self, ops: Any) -> None:
        """Runs operations on every record."""
        if not isinstance(ops, list):
            reject("ops must be a list")
        prepare(ops, self._owner._rules)
        self._operations = ops

    def apply(self, module: Any, function: Any, arguments: Any = None) -> Self:
        """Calls a function of a registered module, on the records or on their stream."""
        if not isinstance(module, str):
            raise of_code(-1, "udf module argument must be a string or unicode string")
        if not isinstance(function, str):
            raise of_code(-1, "udf function argument must be a string or unicode string")
        if arguments is not None and not isinstance(arguments, list):
            raise of_code(-1, "udf function arguments must be enclosed in a list")
        try:
            values = [outgoing(each, self._owner._serializers) for each in arguments or []]
        except ClientError:
            text = "udf function argument type must be supported by Aerospike"
            raise of_code(-1, text) from None
        if module and function:
            self._function = module, function, values
        return self

    def paginate(self) -> None:
        """Returns ``max_records`` at a time."""
        self._paginates = True

    def is_done(self) -> bool:
        """Whether all pages have been read."""
        return self._done

    def get_partitions_status(self) -> dict[Any, Any]:
        """How far each partition was read, for the ``partition_status`` of a ``partition_filter``;
        nothing, unless pages or partitions were requested."""
        return {} if self._reached is None else status_of(self._reached, self._latest, *self._range)

    def _each(self, callback: Any, policy: Any, options: Any, nodename: Any = _EVERY) -> None:
        if not callable(callback):
            raise of_code(-1, "callback must be a function")
        by_partition = bool(policy and policy.get("partition_filter"))
        records = self._records(policy, options, nodename)
        try:
            for partition, record in records:
                try:
                    answer = callback(partition, record) if by_partition else callback(record)
                except Exception as error:
                    raise of_code(-1, self._raised) from error
                if answer is False:
                    break
        finally:
            records.close()

    def execute_background(self, policy: Any = None) -> int:
        """Runs the operations or the function on every record, on the nodes. Returns the job's
        id."""
        client = self._owner._client
        kind = "info_write" if self._kind == "query" else "info_scan"
        own = self._owner._policies.keywords(kind, policy)
        if "txn" in own:
            missing("policy.txn")
        options: dict[str, Any] = {
            name: own[name] for name in ("where", "timeout", "ttl", "durable") if name in own
        }
        if self._index is not None:
            options["index"] = self._index
        if self.records_per_second:
            options["records_per_second"] = self.records_per_second
        ttl = ttl_of(self.ttl, options.get("ttl")) if self.ttl else None
        if ttl is not None:
            options["ttl"] = ttl
        try:
            if self._function is not None:
                for name in ("ttl", "durable"):
                    options.pop(name, None)
                job = client.apply_all(self._namespace, self._set, *self._function, **options)
            elif self._operations is not None:
                operations = prepare(self._operations, self._owner._rules).operations
                job = client.operate_all(self._namespace, self._set, operations, **options)
            else:
                reject("add_ops or apply must come before execute_background")
        except FAILURES as error:
            raise self._owner._failed(error) from None
        return int(self._owner._started(job))

    def _records(
        self, policy: Any, options: Any, nodename: Any = _EVERY
    ) -> Generator[tuple[int, Any], None, None]:
        keywords = self._query_keywords(policy, options)
        plan = None
        if self._operations is not None:
            plan = prepare(self._operations, self._owner._rules)
            keywords["operations"] = plan.operations
            keywords.pop("bins", None)
        empty = bool(options and options.get("nobins"))
        if empty:
            keywords["include_values"] = False
            keywords.pop("bins", None)
        client = self._owner._client
        try:
            if self._function is not None and self._kind == "query":
                keywords.pop("bins", None)
                query = client.query(self._namespace, self._set, **keywords)
                for value in query.aggregate(*self._function):
                    yield -1, incoming(value, deserializer_of(self._owner._serializers))
                return
            raw_filter = (policy or {}).get("partition_filter")
            if isinstance(raw_filter, dict) or nodename is _EVERY:
                parts = None
            else:  # A filter takes precedence over a node.
                raw_filter, parts = None, self._owner._mastered(self._namespace, nodename)
            if self._paginates or raw_filter is not None:
                partition_filter = filter_of({} if raw_filter is None else raw_filter)
                yield from self._tracked(keywords, plan, partition_filter, parts)
                return
            if parts is None:
                query = client.query(self._namespace, self._set, **keywords)
            else:
                query = self._continued(keywords, dict.fromkeys(parts))
            with query:
                for record in query:
                    yield (
                        record.key.partition,
                        _record_tuple(record, plan, self._owner._serializers),
                    )
        except FAILURES as error:
            raise self._owner._failed(error) from None

    def _tracked(
        self, keywords: dict[str, Any], plan: Any, partition_filter: Filter, parts: list[int] | None
    ) -> Generator[tuple[int, Any], None, None]:
        """The records of some partitions, from the position that was reached; only of ``parts``, if
        given."""
        own = self._owner._serializers
        start = self._reached if partition_filter.reached is None else partition_filter.reached
        self._range = partition_filter.begin, partition_filter.parts
        if start is None:
            whole = range(partition_filter.begin, partition_filter.begin + partition_filter.parts)
            start = dict.fromkeys(whole if parts is None else parts)
            if partition_filter.digest is not None:
                start[partition_filter.begin] = partition_filter.digest, 0
        self._reached, self._done = start, not start
        if not start:
            return
        with self._continued(keywords, start) as query:
            under_way, latest = None, self._latest
            latest.update(start)
            try:
                for record in query:
                    under_way = record.key.partition
                    yield under_way, _record_tuple(record, plan, own)
                    digest = record.key.digest
                    # The index value is part of the position.
                    value = 0 if self._index is None else value_at(query.cursor, digest)
                    latest[under_way] = digest, value
                    under_way = None
            finally:
                reached = reached_by(query.cursor)
                if under_way is not None:  # The caller stopped here: returned again.
                    reached[under_way] = latest.get(under_way)
                self._reached, self._done = reached, not reached

    def _continued(self, keywords: dict[str, Any], start: Reached) -> Any:
        """A query that continues from there."""
        client = self._owner._client
        fresh = client.query(self._namespace, self._set, **keywords).cursor
        rest = {
            name: value for name, value in keywords.items() if name != "limit"
        }  # In the cursor.
        return client.query(self._namespace, self._set, **rest, resume=cursor_from(fresh, start))

    def _query_keywords(self, policy: Any, options: Any) -> dict[str, Any]:
        del options
        own = self._owner._policies.keywords(self._kind, policy)
        keywords: dict[str, Any] = {
            name: own[name]
            for name in (
                "where", "timeout", "replica", "socket_timeout", "max_retries",
                "sleep_between_retries",
            )
            if name in own
        }  # fmt: skip
        keywords.setdefault("max_retries", self._owner._policies.of[self._kind]["max_retries"])
        entries = policy or {}
        limit = entries.get("max_records") or self.max_records
        rate = entries.get("records_per_second") or self.records_per_second
        if limit:
            keywords["limit"] = limit
        if rate:
            keywords["records_per_second"] = rate
        if self._bins is not None:
            keywords["bins"] = self._bins
        if self._index is not None:
            keywords["index"] = self._index
        return keywords


class Scan(QueryBase):
    """All records of a set or namespace."""

    _kind = "scan"
    _raised = "Callback function raised an exception"

    def results(self, policy: Any = None, nodename: Any = _EVERY) -> list[Any]:
        """The records as a list of key, metadata and bins; ``nodename``: those that this node is
        the master of."""
        _checked_node(nodename)
        return [record for _, record in self._records(policy, None, nodename)]

    def foreach(
        self,
        callback: Callable[..., Any],
        policy: Any = None,
        options: Any = None,
        nodename: Any = _EVERY,
    ) -> None:
        """Calls a function with each record, until it returns ``False``; ``nodename`` as in
        ``results``."""
        _checked_node(nodename)
        known = options if isinstance(options, dict) else None
        _checked(known)
        self._each(callback, policy, known, nodename)


class Query(QueryBase):
    """The records of a set, or those that a secondary index finds."""

    _kind = "query"
    _raised = "Callback function contains an error"

    def results(self, policy: Any = None, options: Any = None) -> list[Any]:
        """The records as a list of key, metadata and bins."""
        _checked(options)
        return [record for _, record in self._records(policy, options)]

    def foreach(
        self, callback: Callable[..., Any], policy: Any = None, options: Any = None
    ) -> None:
        """Calls a function with each record, until it returns ``False``."""
        _checked(options)
        self._each(callback, policy, options)

    def _once(self) -> None:
        if self._index is not None:
            raise of_code(-1, "Cannot call where() more than once")

    def where(self, predicate: Any, ctx: Any = None) -> Query:
        """Queries a secondary index."""
        self._once()
        self._index = index_range(predicate, ctx)
        return self

    def where_with_index_name(self, index_name: Any, predicate: Any) -> Query:
        """Queries the secondary index with this name."""
        if not isinstance(index_name, str):
            reject("index_name must be a string")
        self._once()
        self._index = index_range(predicate, name=index_name)
        return self

    def where_with_expr(self, expr: Any, predicate: Any) -> Query:
        """Queries the secondary index on an expression."""
        self._once()
        self._index = index_range(predicate, on=_expression(expr))
        return self


with_c_errors_on_methods(Scan)
with_c_errors_on_methods(Query)


def _expression(expression: Any) -> spikewire.Expression:
    """An expression, which may also be the text from ``get_expression_base64``."""
    if not isinstance(expression, str):
        return engine_expression(expression)
    try:
        return spikewire.Expression.from_bytes(base64.b64decode(expression, validate=True))
    except ValueError as error:
        reject(f"expr is not an expression: {error}")


def _checked_node(name: Any) -> None:
    if name is not _EVERY and not isinstance(name, str):
        reject("nodename must be a string")


def _checked(options: Any) -> None:
    if options is None:
        return
    if not isinstance(options, dict):
        reject("query options must be a dictionary")
    if not isinstance(options.get("nobins", False), bool):
        reject("nobins value must be a bool")


def _record_tuple(record: Any, plan: Any, own: Any) -> tuple[Any, Any, Any]:
    key = record.key
    named = key.namespace, key.set, key.key, bytearray(key.digest)
    if plan is not None:
        return named, meta_of(record), dict(results_of(plan, record, own))
    return named, meta_of(record), incoming_bins(record.bins, own)
