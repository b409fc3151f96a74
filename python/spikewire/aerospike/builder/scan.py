"""Scans and index queries: the records of a dataset, as a stream or in one result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from spikewire.aerospike.builder.step import Step

if TYPE_CHECKING:
    from typing_extensions import Self

    from spikewire._native import IndexRange, Key, Operation
    from spikewire.types import ArrowSchema, Seconds, UserKey

__all__ = ["Scan"]


class Scan(Step):
    """A scan of a dataset, or an index query. Nothing is sent before the first record is
    requested.
    """

    __slots__ = ()

    def bins(self, *names: str) -> Self:
        """The bins to read; without names, only keys, generations and times to live."""
        return self._set("bins", names)

    def index(self, index: IndexRange | str) -> Self:
        """Selects records by a secondary index: ``spikewire.between``, ``equal`` and so on. Or the
        name of the index that the nodes should prefer for a text in ``where``.
        """
        return self._set("index", index)

    def require_index(self, require: bool = True) -> Self:
        """Fails with ``IndexNotFound`` rather than examine every record; as in ``query``."""
        return self._set("require_index", require)

    def require_hint(self, require: bool = True) -> Self:
        """Fails with ``IndexNotFound`` unless the index that ``index`` names can be used."""
        return self._set("require_hint", require)

    def server_filter(self, allow: bool) -> Self:
        """Whether nodes that can may read a text in ``where``, and choose an index for it."""
        return self._set("server_filter", allow)

    def op(self, *operations: Operation) -> Self:
        """Read operations; each record has their ``results``. Needs server 8.1.2 or later."""
        existing = (self._options or {}).get("operations", ())
        return self._set("operations", (*existing, *operations))

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
        """Resumes at the cursor of a page, or of a query with the same options."""
        return self._set("resume", cursor)

    def records_per_second(self, count: int | None) -> Self:
        """The maximum number of records that each node sends per second."""
        return self._set("records_per_second", count)

    def concurrent_nodes(self, count: int | None) -> Self:
        """How many nodes are read at the same time."""
        return self._set("concurrent_nodes", count)

    def socket_timeout(self, timeout: Seconds | None) -> Self:
        """How long a node, or the reader of the records, may be silent; as in ``query``."""
        return self._set("socket_timeout", timeout)

    def stream(self) -> Any:
        """The query itself: iterate over its records as they arrive, from all nodes at once."""
        return self._query()

    def execute(self) -> Any:
        """As ``stream``."""
        return self._query()

    def first(self) -> Any:
        """The first record that arrives. Raises ``RecordNotFound`` if there is none."""
        return self._query(limit=1).first()

    def first_or_none(self) -> Any:
        """The first record that arrives, or ``None``."""
        return self._query(limit=1).first_or_none()

    def to_list(self) -> Any:
        """All records, in a list, in the order in which they arrive."""
        return self._query().to_list()

    def count(self) -> Any:
        """The number of records, as ``Query.count``."""
        return self._query().count()

    def to_numpy(
        self,
        dtype: Any,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask", "raise"] = "mask",
    ) -> Any:
        """All records in a structured array, as ``Query.to_numpy``."""
        query = self._query()
        return query.to_numpy(dtype, key=key, generation=generation, ttl=ttl, missing=missing)

    def to_arrow(
        self,
        schema: ArrowSchema | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> Any:
        """All records in one ``pyarrow.Table``, as ``Query.to_arrow``."""
        return self._query().to_arrow(schema, key=key, generation=generation, ttl=ttl)

    def to_pandas(
        self, *, key: str | None = None, generation: str | None = None, ttl: str | None = None
    ) -> Any:
        """All records in a data frame, as ``Query.to_pandas``."""
        return self._query().to_pandas(key=key, generation=generation, ttl=ttl)

    def _verb_call(self) -> tuple[Any, ...]:
        return "query", self._keys.namespace, self._keys.set

    def _query(self, **more: Any) -> Any:
        options = {**(self._options or {}), **more}
        of = self._keys
        if of.type is not None:
            return self._verbs.dataset(of.namespace, of.set, of.type).query(**options)
        return self._verbs.query(of.namespace, of.set, **options)
