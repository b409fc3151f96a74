"""Scans and index queries: the records of a dataset, as a stream or in one result."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from spikewire.builder.results import absent
from spikewire.builder.step import Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from spikewire._native import IndexRange, Key, Operation, Record
    from spikewire.types import ArrowSchema, Seconds, UserKey

    T = TypeVar("T")

__all__ = ["Scan"]


class Scan(Step):
    """A scan of a dataset, or an index query. Nothing is sent before the first record is taken."""

    __slots__ = ()

    def __init__(self, verbs: Any, dataset: Any) -> None:
        self._verbs = verbs
        self._keys = dataset
        self._single = True
        self._options = None

    def bins(self, *names: str) -> Self:
        """The bins to read; without a name none, only keys, generations and times to live."""
        return self._set("bins", names)

    def index(self, index: IndexRange) -> Self:
        """Selects records by a secondary index: ``spikewire.between``, ``equal`` and so on."""
        return self._set("index", index)

    def op(self, *operations: Operation) -> Self:
        """Operations that read; each record has their ``results``. Needs server 8.1.2 or later."""
        given = (self._options or {}).get("operations", ())
        return self._set("operations", (*given, *operations))

    def limit(self, count: int | None) -> Self:
        """The maximum number of records."""
        return self._set("limit", count)

    def partitions(self, partitions: int | range | None) -> Self:
        """The number of a partition, 0 to 4095, or a range of them."""
        return self._set("partitions", partitions)

    def after(self, key: UserKey | Key | None) -> Self:
        """Only records after this key in its partition, in digest order."""
        return self._set("after", key)

    def page_size(self, count: int | None) -> Self:
        """How many records ``stream().page()`` returns."""
        return self._set("page_size", count)

    def resume(self, cursor: bytes | None) -> Self:
        """Goes on at the cursor of a page, or of a query with the same options."""
        return self._set("resume", cursor)

    def records_per_second(self, count: int | None) -> Self:
        """How many records each node sends per second at most."""
        return self._set("records_per_second", count)

    def concurrent_nodes(self, count: int | None) -> Self:
        """How many nodes are read at the same time."""
        return self._set("concurrent_nodes", count)

    def socket_timeout(self, timeout: Seconds | None) -> Self:
        """How long a node, or whoever takes records, may be silent; as in ``query``."""
        return self._set("socket_timeout", timeout)

    def stream(self) -> Any:
        """The query itself: iterate over its records as they arrive, from all nodes at once."""
        return self._query()

    def execute(self) -> Any:
        """As ``stream``."""
        return self._query()

    def first(self) -> Any:
        """The first record that arrives. Raises ``RecordNotFound`` if there is none."""
        return self._run(lambda query: _first(query), _first_async, limit=1)

    def first_or_none(self) -> Any:
        """The first record that arrives, or ``None``."""
        return self._run(lambda query: next(iter(query), None), _first_or_none_async, limit=1)

    def to_list(self) -> Any:
        """All records, in a list, in the order in which they arrive."""
        return self._run(list, _to_list_async)

    def count(self) -> Any:
        """How many records there are. Reads no bins."""
        without = {} if "operations" in (self._options or {}) else {"include_values": False}
        return self._run(_count, _count_async, **without)

    def to_numpy(
        self,
        dtype: Any,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask", "raise"] = "mask",
    ) -> Any:
        """All records in a structured array, as ``Query.numpy_batches``."""
        names = {"key": key, "generation": generation, "ttl": ttl, "missing": missing}
        return self._batches(
            lambda query: query.numpy_batches(dtype, **names),
            lambda arrays: _one_array(arrays, dtype, missing),
        )

    def to_arrow(
        self,
        schema: ArrowSchema | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> Any:
        """All records in one ``pyarrow.Table``; bins that a record does not have are null there.

        Raises ``ImportError`` without pyarrow, and ``TypeError`` if a bin holds values of
        different types and no schema says which it is to be."""
        arrow = _pyarrow("to_arrow")
        names = {"key": key, "generation": generation, "ttl": ttl}
        return self._batches(
            lambda query: query.arrow_batches(schema=schema, **names),
            lambda tables: _one_table(arrow, tables, schema),
        )

    def to_pandas(
        self, *, key: str | None = None, generation: str | None = None, ttl: str | None = None
    ) -> Any:
        """All records in a data frame of pandas' nullable types, a column for each bin.
        ``key``, ``generation``, ``ttl``: names of columns that take those.

        Raises ``ImportError`` without pandas or pyarrow."""
        arrow = _pyarrow("to_pandas")
        try:
            pd: Any = import_module("pandas")
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas") from error
        names = {"key": key, "generation": generation, "ttl": ttl}
        return self._batches(
            lambda query: query.arrow_batches(**names),
            lambda tables: _frame(arrow, pd, _one_table(arrow, tables, None)),
        )

    def _query(self, **more: Any) -> Any:
        options = {**(self._options or {}), **more}
        if options.get("include_values") is False:
            options.pop("bins", None)
        return self._verbs.query(self._keys.namespace, self._keys.set, **options)

    def _run(self, now: Callable[[Any], Any], later: Callable[[Any], Any], **more: Any) -> Any:
        query = self._query(**more)
        return later(query) if self._awaited else _closing(query, now)

    def _batches(self, made: Callable[[Any], Any], joined: Callable[[list[Any]], Any]) -> Any:
        query = self._query()
        if self._awaited:
            return _joined_async(query, made(query), joined)
        return _closing(query, lambda query: joined(list(made(query))))


def _closing(query: Any, take: Callable[[Any], T]) -> T:
    with query:
        return take(query)


def _first(query: Any) -> Record:
    for record in query:
        found: Record = record
        return found
    raise absent(2, None)


def _count(query: Any) -> int:
    return sum(1 for _ in query)


async def _first_async(query: Any) -> Record:
    record = await _first_or_none_async(query)
    if record is None:
        raise absent(2, None)
    return record


async def _first_or_none_async(query: Any) -> Record | None:
    async with query:
        async for record in query:
            found: Record = record
            return found
    return None


async def _to_list_async(query: Any) -> list[Record]:
    async with query:
        return [record async for record in query]


async def _count_async(query: Any) -> int:
    count = 0
    async with query:
        async for _ in query:
            count += 1
    return count


async def _joined_async(query: Any, batches: Any, joined: Callable[[list[Any]], T]) -> T:
    async with query:
        return joined([batch async for batch in batches])


def _one_array(arrays: list[Any], dtype: Any, missing: Literal["mask", "raise"]) -> Any:
    np: Any = import_module("numpy")
    if len(arrays) == 1:
        return arrays[0]
    if missing == "raise":
        return np.concatenate(arrays) if arrays else np.empty(0, dtype)
    if arrays:
        return np.ma.concatenate(arrays)
    return np.ma.masked_array(np.empty(0, dtype))


def _pyarrow(what: str) -> Any:
    try:
        return import_module("pyarrow")
    except ImportError as error:
        message = (
            f"{what} of a query needs pyarrow: pip install pyarrow; without it, "
            "stream().arrow_batches() gives tables for any library that reads Arrow"
        )
        raise ImportError(message) from error


def _one_table(arrow: Any, tables: list[Any], schema: Any) -> Any:
    if tables:
        made = [arrow.table(table) for table in tables]
        try:
            return arrow.concat_tables(made, promote_options="default")
        except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
            raise TypeError(f"a bin has values of different types: {error}") from error
    return arrow.schema(schema or []).empty_table()


def _frame(arrow: Any, pandas: Any, table: Any) -> Any:
    types = {
        arrow.int64(): pandas.Int64Dtype(),
        arrow.float64(): pandas.Float64Dtype(),
        arrow.bool_(): pandas.BooleanDtype(),
        arrow.string(): pandas.StringDtype(),
    }
    return table.to_pandas(types_mapper=types.get)
