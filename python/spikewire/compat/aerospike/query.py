"""Queries and scans."""

# Programs pass anything: what it is is looked at here.
# pyright: basic
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire import IndexRange
from spikewire.compat.aerospike.failures import missing, of_code, refuse
from spikewire.compat.aerospike.operations import prepared, results_of, text_of
from spikewire.compat.aerospike.policies import ttl_of
from spikewire.compat.aerospike.records import FAILURES, meta_of
from spikewire.compat.aerospike.values import incoming, incoming_bins, outgoing
from spikewire.compat.aerospike_helpers.cdt_ctx import steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Query", "Scan", "index_range"]

_OF = {1: "list", 2: "mapkeys", 3: "mapvalues"}
_PARTITIONS = 4096


def index_range(predicate: Any, ctx: Any = None, name: str | None = None, on: Any = None) -> Any:
    """What the tuple of a predicate asks an index for."""
    if not isinstance(predicate, tuple) or not 3 < len(predicate) < 7:
        refuse("predicate is invalid")
    kind, of, named, first = predicate[:4]
    named = text_of(named)
    last: Any = predicate[4] if len(predicate) > 4 else None
    part = _OF.get(predicate[5] if len(predicate) > 5 else 0)
    if kind not in (0, 1):
        refuse("unknown predicate type")
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
        refuse(str(error))


class Scan:
    """All records of a set or namespace."""

    _kind = "scan"

    def __init__(self, client: Any, namespace: Any, set: Any = None) -> None:
        if not isinstance(namespace, str):
            refuse("Namespace should be a string")
        if set is not None and not isinstance(set, str):
            refuse("Set name should be string or None")
        self._owner = client
        self._namespace, self._set = namespace, set or None
        self._bins: list[str] | None = None
        self._index: Any = None
        self._operations: list[Any] | None = None
        self._function: tuple[str, str, list[Any]] | None = None
        self._paginates = self._done = False
        self._cursor: bytes | None = None
        self.max_records = 0
        self.records_per_second = 0
        self.ttl = 0

    def select(self, *bins: str) -> None:
        """Reads these bins only."""
        names = [text_of(name) for name in bins]
        for name in names:
            if not isinstance(name, str):
                refuse("Bin name should be of type string")
        self._bins = names or None

    def add_ops(self, ops: Any) -> None:
        """Operations on every record."""
        if not isinstance(ops, list):
            refuse("ops must be a list")
        prepared(ops)
        self._operations = ops

    def apply(self, module: Any, function: Any, arguments: Any = None) -> None:
        """A function of a registered module, on the records or their stream."""
        if not isinstance(module, str):
            refuse("Module name should be a string or unicode string.")
        if not isinstance(function, str):
            refuse("function name must be a string")
        if arguments is not None and not isinstance(arguments, list):
            refuse("Arguments should be a list")
        self._function = module, function, [outgoing(each) for each in arguments or []]

    def paginate(self) -> None:
        """Gives ``max_records`` at a time."""
        self._paginates = True

    def is_done(self) -> bool:
        """Whether the pages are at their end."""
        return self._done

    def get_partitions_status(self) -> dict[Any, Any]:
        """Nothing, unless pages or partitions were asked for, and then it is not there."""
        if self._paginates or self._cursor is not None:
            missing(f"{type(self).__name__}.get_partitions_status")
        return {}

    def results(self, policy: Any = None, options: Any = None, nodename: Any = None) -> list[Any]:
        """The records as a list of key, metadata and bins."""
        if not isinstance(options, (dict, type(None))):
            refuse("options must be a dict")
        if nodename is not None:
            missing("nodename")
        return [record for _, record in self._records(policy, options)]

    def foreach(
        self,
        callback: Callable[..., Any],
        policy: Any = None,
        options: Any = None,
        nodename: Any = None,
    ) -> None:
        """Calls a function with each record, until it returns ``False``."""
        if not callable(callback):
            raise of_code(-1, "callback must be a function")
        if nodename is not None:
            missing("nodename")
        by_partition = bool(policy and policy.get("partition_filter"))
        for partition, record in self._records(policy, options):
            try:
                answer = callback(partition, record) if by_partition else callback(record)
            except Exception as error:
                raise of_code(-1, "Callback function contains an error") from error
            if answer is False:
                break

    def execute_background(self, policy: Any = None) -> int:
        """Applies the operations or the function to every record, on the nodes; the job's id."""
        client = self._owner._client
        kind = "write" if self._kind == "query" else "scan"
        own = self._owner._policies.keywords(kind, policy)
        options: dict[str, Any] = {
            name: own[name] for name in ("where", "timeout", "ttl", "durable") if name in own
        }
        if self._index is not None:
            options["index"] = self._index
        if self.records_per_second:
            options["records_per_second"] = self.records_per_second
        if self.ttl:
            options["ttl"] = ttl_of(self.ttl)
        try:
            if self._function is not None:
                for name in ("ttl", "durable"):
                    options.pop(name, None)
                job = client.apply_all(self._namespace, self._set, *self._function, **options)
            elif self._operations is not None:
                made = prepared(self._operations).operations
                job = client.operate_all(self._namespace, self._set, made, **options)
            else:
                refuse("add_ops or apply must come before execute_background")
        except FAILURES as error:
            raise self._owner._failed(error) from None
        return int(self._owner._started(job))

    def _records(self, policy: Any, options: Any) -> Iterator[tuple[int, Any]]:
        asked = self._asked(policy, options)
        plan = None
        if self._operations is not None:
            plan = prepared(self._operations)
            asked["operations"] = plan.operations
            asked.pop("bins", None)
        empty = bool(options and options.get("nobins"))
        if empty:
            asked["include_values"] = False
            asked.pop("bins", None)
        client = self._owner._client
        try:
            if self._function is not None and self._kind == "query":
                asked.pop("bins", None)
                query = client.query(self._namespace, self._set, **asked)
                for value in query.aggregate(*self._function):
                    yield -1, incoming(value)
                return
            if self._paginates:
                yield from self._page(asked, plan)
                return
            with client.query(self._namespace, self._set, **asked) as query:
                for record in query:
                    yield record.key.partition, _shown(record, plan, self._owner._serializers)
        except FAILURES as error:
            raise self._owner._failed(error) from None

    def _page(self, asked: dict[str, Any], plan: Any) -> Iterator[tuple[int, Any]]:
        asked.pop("limit", None)
        asked["page_size"] = self.max_records or 1_000_000
        if self._cursor is not None:
            asked["resume"] = self._cursor
        if self._done:
            return
        with self._owner._client.query(self._namespace, self._set, **asked) as query:
            page = query.page()
        self._cursor, self._done = page.cursor, page.done
        for record in page:
            yield record.key.partition, _shown(record, plan, self._owner._serializers)

    def _asked(self, policy: Any, options: Any) -> dict[str, Any]:
        del options
        own = self._owner._policies.keywords(self._kind, policy)
        asked: dict[str, Any] = {
            name: own[name]
            for name in ("where", "timeout", "replica", "socket_timeout")
            if name in own
        }
        found = policy or {}
        limit = found.get("max_records") or self.max_records
        rate = found.get("records_per_second") or self.records_per_second
        if limit:
            asked["limit"] = limit
        if rate:
            asked["records_per_second"] = rate
        if self._bins is not None:
            asked["bins"] = self._bins
        if self._index is not None:
            asked["index"] = self._index
        _filtered(asked, found.get("partition_filter"), self._namespace, self._set)
        return asked


class Query(Scan):
    """The records of a set or of a secondary index."""

    _kind = "query"

    def where(self, predicate: Any, ctx: Any = None) -> Query:
        """Asks a secondary index."""
        self._index = index_range(predicate, ctx)
        return self

    def where_with_index_name(self, index_name: Any, predicate: Any) -> Query:
        """Asks the secondary index of this name."""
        if not isinstance(index_name, str):
            refuse("index_name must be a string")
        self._index = index_range(predicate, name=index_name)
        return self

    def where_with_expr(self, expr: Any, predicate: Any) -> Query:
        """Asks the secondary index on an expression."""
        self._index = index_range(predicate, on=expr)
        return self


def _filtered(asked: dict[str, Any], given: Any, namespace: str, set: str | None) -> None:
    if given is None:
        return
    if not isinstance(given, dict):
        refuse("partition_filter must be a dict")
    if given.get("partition_status"):
        missing("partition_status")
    begin = given.get("begin", 0)
    count = given.get("count", _PARTITIONS if "begin" not in given else 1)
    if not isinstance(begin, int) or not 0 <= begin < _PARTITIONS:
        refuse("invalid partition_filter policy begin")
    if not isinstance(count, int) or not 1 <= count <= _PARTITIONS - begin:
        refuse("invalid partition_filter policy count")
    asked["partitions"] = range(begin, begin + count)
    digest = given.get("digest")
    if isinstance(digest, dict) and digest.get("init"):
        asked["after"] = spikewire.Key.from_digest(namespace, set, bytes(digest["value"]))
        asked["partitions"] = begin


def _shown(record: Any, plan: Any, own: Any) -> tuple[Any, Any, Any]:
    key = record.key
    named = key.namespace, key.set, key.key, bytearray(key.digest)
    if plan is not None:
        return named, meta_of(record), dict(results_of(plan, record))
    return named, meta_of(record), incoming_bins(record.bins, own)
