"""The step that reads records by their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from spikewire._native import ReadBase
from spikewire.aerospike import op
from spikewire.aerospike.builder.results import absent, check, settled
from spikewire.aerospike.builder.rows import Rows
from spikewire.aerospike.builder.step import ReadStep, then
from spikewire.errors import FilteredOut, RecordNotFound
from spikewire.tasks import begun

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from typing_extensions import Self

    from spikewire._native import Batch, Record
    from spikewire.aerospike.builder.results import OnError
    from spikewire.types import ArrowSchema, Where

__all__ = ["Read"]


class Read(ReadBase, Rows, ReadStep):
    """Reads records: all bins, the named ones, or the results of operations."""

    __slots__ = ()

    _alone = "end the step with first() or first_or_none()"
    _row_options = ("read_mode", "read_touch")

    def read(self, name: str, expression: Where, *, no_fail: bool = False) -> Self:
        """Reads the value of an expression, as if it were a bin of this name; as ``op.read``."""
        return self.op(op.read(name, expression, no_fail=no_fail))

    def _verb_for(self, *, one: bool) -> tuple[Any, ...]:
        if self._ops is not None:
            return "operate" if one else "operate_many", self._ops
        return "get" if one else "get_many", self._bins

    def _first(self) -> Any:
        return self._of_records(_first)

    def _first_or_none(self) -> Any:
        if self._ops is None or not self._single or self._before is not None:
            return self._of_records(_first_or_none)
        # A single record, read with a verb that has no default.
        verb, arguments = self._verbs.operate, (self._keys, self._ops)
        if self._awaited:
            return begun(_unless_absent(verb(*arguments, **self._keywords())))
        try:
            return verb(*arguments, **self._keywords())
        except (RecordNotFound, FilteredOut):
            return None

    def to_list(self, *, on_error: OnError | None = None) -> Any:
        """The records that exist, in input order. ``on_error="collect"`` is for ``execute``."""
        return self._of_records(_to_list, on_error)

    def count(self) -> Any:
        """The number of records that exist. Reads no bins."""
        if self._ops is not None or self._before is not None:
            return self._of_records(_count)
        batch = self._verbs.get_many(self._input(), (), **self._keywords())
        return then(self._awaited, batch, _records, _count, "raise")

    def to_arrow(
        self,
        schema: ArrowSchema | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> Any:
        """An Arrow table, one row per key, as ``Batch.to_arrow``."""
        names = {"key": key, "generation": generation, "ttl": ttl}
        return then(self._awaited, self._batch(), _to_arrow, schema, names)

    def to_pandas(self, *, generation: str | None = None, ttl: str | None = None) -> Any:
        """A data frame, one row per key, as ``Batch.to_pandas``."""
        names = {"generation": generation, "ttl": ttl}
        return then(self._awaited, self._batch(), _to_pandas, names)

    def to_numpy(
        self,
        dtype: Any,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask", "raise"] = "mask",
    ) -> Any:
        """A structured array, one row per key, as ``Batch.to_numpy``. Without ``bins``, it reads
        those that ``dtype`` has fields for, straight into the array.
        """
        names = {"key": key, "generation": generation, "ttl": ttl, "missing": missing}
        if self._bins is None and self._ops is None and self._before is None:
            return self._verbs.get_numpy(self._input(), dtype, **names, **self._keywords())
        return then(self._awaited, self._batch(), _to_numpy, dtype, names)

    def _batch(self) -> Any:
        if self._before is not None:
            raise ValueError("a chain of several steps ends with execute() or stream()")
        return self._send()[0]

    def _of_records(self, convert: Any, on_error: OnError | None = None) -> Any:
        strategy: OnError = "raise" if on_error is None else on_error
        check(strategy, None)
        if on_error == "collect":
            raise ValueError('records have no place for errors: use execute(on_error="collect")')
        return then(self._awaited, self._batch(), _records, convert, strategy)


def _records(batch: Batch, convert: Any, on_error: OnError) -> Any:
    return convert(settled(batch, on_error, "skip"))


async def _unless_absent(operated: Awaitable[Record]) -> Record | None:
    try:
        return await operated
    except (RecordNotFound, FilteredOut):
        return None


def _first(results: Any) -> Record:
    if not len(results) and len(results.batch) == 1:
        raise absent(results.batch.codes[0], results.batch.keys[0])
    record: Record = results.first()
    return record


def _first_or_none(results: Any) -> Any:
    return results.first_or_none()


def _to_list(results: Any) -> Any:
    return results.to_list()


def _count(results: Any) -> Any:
    return results.count()


def _to_arrow(batch: Batch, schema: Any, names: dict[str, Any]) -> Any:
    return batch.to_arrow(schema, **names)


def _to_pandas(batch: Batch, names: dict[str, Any]) -> Any:
    return batch.to_pandas(**names)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def _to_numpy(batch: Batch, dtype: Any, names: dict[str, Any]) -> Any:
    return batch.to_numpy(dtype, **names)
