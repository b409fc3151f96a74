"""The step that reads records by their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from spikewire import op
from spikewire._native import Operation
from spikewire._native import Read as ReadRow
from spikewire.builder.results import absent, check, settled
from spikewire.builder.rows import Rows
from spikewire.builder.step import Reading, then

if TYPE_CHECKING:
    from typing_extensions import Self

    from spikewire._native import Batch, Record, Row
    from spikewire.builder.results import OnError
    from spikewire.types import ArrowSchema, Where

__all__ = ["Read", "ReadOne"]


class Read(Rows, Reading):
    """Reads records: all bins, those that are named, or what operations give."""

    __slots__ = ("_bins", "_ops")

    _alone = "end the step with first() or first_or_none()"
    _bins: tuple[str, ...] | None
    _ops: list[Operation] | None

    def _begun(self, verbs: Any, keys: Any, single: bool, before: Rows | None) -> Self:
        self._bins = None
        self._ops = None
        return super()._begun(verbs, keys, single, before)

    def bins(self, *names: str) -> Self:
        """The bins to read; without a name none, only generation and time to live."""
        if self._ops is not None:
            raise ValueError("bins: this step reads by operations; read a bin with get(name)")
        self._bins = names
        return self

    def get(self, bin: str) -> Self:  # noqa: A002
        """Reads a bin, by an operation among others."""
        return self.op(Operation("get", bin))

    def read(self, name: str, expression: Where, *, no_fail: bool = False) -> Self:
        """Reads the value of an expression, as if it were a bin of this name; as ``op.read``."""
        return self.op(op.read(name, expression, no_fail=no_fail))

    def op(self, *operations: Operation) -> Self:
        """Adds operations from ``spikewire.op`` that read."""
        if self._bins is not None:
            raise ValueError("operations: this step reads bins by name; read those with get(name)")
        if self._ops is None:
            self._ops = []
        self._ops += operations
        return self

    def first(self) -> Any:
        """The first record that is there, in input order.

        Raises ``RecordNotFound`` or ``FilteredOut`` if there is none."""
        return self._of_records(_first)

    def first_or_none(self) -> Any:
        """The first record that is there, in input order, or ``None``."""
        return self._of_records(_first_or_none)

    def to_list(self, *, on_error: OnError | None = None) -> Any:
        """The records that are there, in input order. ``on_error="collect"`` is for ``execute``."""
        return self._of_records(_to_list, on_error)

    def count(self) -> Any:
        """How many of the records are there. Reads no bins."""
        if self._ops is None:
            self._bins = ()
        return self._of_records(_count)

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
        """A structured array, one row per key, as ``Batch.to_numpy``. Without ``bins`` it reads
        those that ``dtype`` has fields for, straight into the array."""
        names = {"key": key, "generation": generation, "ttl": ttl, "missing": missing}
        if self._bins is None and self._ops is None and self._before is None:
            self._check_batch()
            keys = [self._keys] if self._single else self._taken()
            return self._verbs.get_numpy(keys, dtype, **names, **self._keywords())
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

    def _alike(self, verbs: Any, keys: Any) -> Any:
        if self._ops is not None:
            return verbs.operate_many(keys, self._ops, **self._keywords())
        return verbs.get_many(keys, self._bins, **self._keywords())

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return ReadRow(key, self._bins, ops=self._ops, **options)


class ReadOne(Read):
    """The step on one key by itself."""

    __slots__ = ()
    _single = True
    _before = None

    def first(self) -> Any:
        """The record: the verb ``get``, or ``operate`` where there are operations.

        Raises ``RecordNotFound`` or ``FilteredOut``, and the other errors of the verb."""
        if self._ops is not None:
            return self._verbs.operate(self._keys, self._ops, **self._keywords())
        if self._options is None:
            return self._verbs.get(self._keys, self._bins)
        return self._verbs.get(self._keys, self._bins, **self._options)

    def first_or_none(self) -> Any:
        """As ``first``, but ``None`` if there is no record, or none that passes the filter."""
        if self._ops is not None:
            return super().first_or_none()
        if self._options is None:
            return self._verbs.get(self._keys, self._bins, default=None)
        return self._verbs.get(self._keys, self._bins, default=None, **self._options)


def _records(batch: Batch, convert: Any, on_error: OnError) -> Any:
    return convert(settled(batch, on_error, "skip"))


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
