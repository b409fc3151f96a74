"""The steps that write bins: insert, upsert, update, replace and replace_if_exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire import op
from spikewire._native import Operation
from spikewire._native import Write as WriteRow
from spikewire.builder.rows import Rows
from spikewire.builder.step import Expiring, Writing, then

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from spikewire._native import Record, Row
    from spikewire.builder.results import Missing, OnError, Results
    from spikewire.types import Bins, BinValue, Ttl, Where

__all__ = ["Write", "WriteOne"]


class Write(Rows, Expiring, Writing):
    """Writes bins: each method adds an operation; they are applied in order and atomically."""

    __slots__ = ("_bins", "_exists", "_ops", "_ttl")

    _bins: dict[str, Any] | None
    _exists: str | None
    _ttl: Ttl | None
    _ops: list[Operation] | None

    def _begun(
        self, verbs: Any, keys: Any, single: bool, before: Rows | None, exists: str | None = None
    ) -> Self:
        self._exists = exists
        self._ttl = None
        self._bins = None
        self._ops = None
        return super()._begun(verbs, keys, single, before)

    def _keywords(self) -> dict[str, Any]:
        options = dict(self._options or {})
        if self._ttl is not None:
            options["ttl"] = self._ttl
        if self._exists is not None:
            options["exists"] = self._exists
        return options

    def ttl(self, ttl: Ttl | None) -> Self:
        """Time to live; as in ``put``."""
        self._ttl = ttl
        return self

    def set(self, bin: str, value: BinValue) -> Self:  # noqa: A002
        """Writes a bin; ``None`` removes it."""
        if self._ops is not None:
            self._ops.append(Operation("put", bin, value))
        elif self._bins is None:
            self._bins = {bin: value}
        else:
            self._bins[bin] = value
        return self

    def put(self, bins: Bins) -> Self:
        """Writes several bins, from a dict of names to values."""
        each: Mapping[str, Any] = bins
        if not hasattr(each, "items"):
            raise TypeError(f"bins must be a dict of names to values, not {type(bins).__name__}")
        for name, value in each.items():
            self.set(name, value)
        return self

    def remove(self, *bins: str) -> Self:
        """Removes bins."""
        for name in bins:
            self.set(name, None)
        return self

    def add(self, bin: str, value: float) -> Self:  # noqa: A002
        """Adds to a number; a missing bin counts as 0."""
        ops = self._ops
        if ops is None:
            ops = self._ops = self._operations()
        ops.append(Operation("add", bin, value))
        return self

    def append(self, bin: str, value: str | bytes) -> Self:  # noqa: A002
        """Appends to text or bytes; a missing bin counts as empty."""
        ops = self._ops
        if ops is None:
            ops = self._ops = self._operations()
        ops.append(Operation("append", bin, value))
        return self

    def prepend(self, bin: str, value: str | bytes) -> Self:  # noqa: A002
        """Prepends to text or bytes; a missing bin counts as empty."""
        ops = self._ops
        if ops is None:
            ops = self._ops = self._operations()
        ops.append(Operation("prepend", bin, value))
        return self

    def get(self, bin: str | None = None) -> Self:  # noqa: A002
        """Reads a bin, or every bin, as it is at this point."""
        ops = self._ops
        if ops is None:
            ops = self._ops = self._operations()
        ops.append(Operation("get", bin))
        return self

    def read(self, name: str, expression: Where, *, no_fail: bool = False) -> Self:
        """Reads the value of an expression, as if it were a bin of this name; as ``op.read``."""
        return self.op(op.read(name, expression, no_fail=no_fail))

    def write(
        self,
        bin: str,  # noqa: A002
        expression: Where,
        *,
        create_only: bool = False,
        update_only: bool = False,
        allow_delete: bool = False,
        no_fail: bool = False,
    ) -> Self:
        """Writes the value of an expression into a bin; as ``op.write``."""
        return self.op(
            op.write(
                bin,
                expression,
                create_only=create_only,
                update_only=update_only,
                allow_delete=allow_delete,
                no_fail=no_fail,
            )
        )

    def op(self, *operations: Operation) -> Self:
        """Adds operations from ``spikewire.op``: those on lists, maps, bits and sketches, too."""
        if self._ops is None:
            self._ops = self._operations()
        self._ops += operations
        return self

    def _operations(self) -> list[Operation]:
        if self._ops is not None:
            return self._ops
        if self._bins is None:
            return []
        return [Operation("put", name, value) for name, value in self._bins.items()]

    def first(self) -> Any:
        """Makes the call; the first record, with what the operations read."""
        return then(self._awaited, self.execute(), _first)

    @property
    def _treated(self) -> Missing:
        return "error" if self._exists in ("update", "replace_only") else "keep"

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.operate_many(keys, self._operations(), **self._keywords())

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return WriteRow(key, (self._bins or {}) if self._ops is None else self._ops, **options)


class WriteOne(Write):
    """The step on one key by itself."""

    __slots__ = ()
    _single = True
    _before = None

    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call.

        Without a strategy it is one verb: ``put``, which gives ``None``, where bins are only set,
        and else ``operate``, which gives the ``Record`` with what was read. Its errors are those
        of the verb."""
        if on_error is not None or missing is not None:
            return super().execute(on_error=on_error, missing=missing)
        if self._ops is None:
            if self._options is not None:
                return self._verbs.put(self._keys, self._bins or {}, **self._keywords())
            if self._ttl is not None:
                return self._verbs.put(
                    self._keys, self._bins or {}, ttl=self._ttl, exists=self._exists
                )
            if self._exists is not None:
                return self._verbs.put(self._keys, self._bins or {}, exists=self._exists)
            return self._verbs.put(self._keys, self._bins or {})
        if self._options is None and self._ttl is None and self._exists is None:
            return self._verbs.operate(self._keys, self._ops)
        return self._verbs.operate(self._keys, self._ops, **self._keywords())

    def first(self) -> Any:
        """Makes the call; the record, with what the operations read."""
        return self._verbs.operate(self._keys, self._operations(), **self._keywords())


def _first(results: Results) -> Record:
    return results.first()
