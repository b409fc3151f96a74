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
    from spikewire.types import Bins, BinValue, Where

__all__ = ["Write"]


class Write(Rows, Expiring, Writing):
    """Writes bins: each method adds an operation; they are applied in order and atomically."""

    __slots__ = ("_bins", "_ops")

    _bins: dict[str, Any] | None
    _ops: list[Operation] | None

    def __init__(
        self,
        verbs: Any,
        keys: Any,
        single: bool = True,
        before: Rows | None = None,
        exists: str | None = None,
    ) -> None:
        self._verbs = verbs
        self._keys = keys
        self._single = single
        self._before = before
        self._options = None if exists is None else {"exists": exists}
        self._bins = None
        self._ops = None

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
        return self.op(Operation("add", bin, value))

    def append(self, bin: str, value: str | bytes) -> Self:  # noqa: A002
        """Appends to text or bytes; a missing bin counts as empty."""
        return self.op(Operation("append", bin, value))

    def prepend(self, bin: str, value: str | bytes) -> Self:  # noqa: A002
        """Prepends to text or bytes; a missing bin counts as empty."""
        return self.op(Operation("prepend", bin, value))

    def get(self, bin: str | None = None) -> Self:  # noqa: A002
        """Reads a bin, or every bin, as it is at this point."""
        return self.op(Operation("get", bin))

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
        return [Operation("put", name, value) for name, value in (self._bins or {}).items()]

    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call: all steps of the chain and all keys, in one.

        One key without a strategy is one verb: ``put``, which gives ``None``, where bins are only
        set, and else ``operate``, which gives the ``Record`` with what was read. Its errors are
        those of the verb."""
        if self._single and self._before is None and on_error is None and missing is None:
            if self._ops is None:
                if self._options is None:
                    return self._verbs.put(self._keys, self._bins or {})
                return self._verbs.put(self._keys, self._bins or {}, **self._options)
            if self._options is None:
                return self._verbs.operate(self._keys, self._ops)
            return self._verbs.operate(self._keys, self._ops, **self._options)
        return super().execute(on_error=on_error, missing=missing)

    def first(self) -> Any:
        """Makes the call; the record, with what the operations read. Of several keys, that of the
        first one that has it."""
        if self._single and self._before is None:
            return self._verbs.operate(self._keys, self._operations(), **(self._options or {}))
        return then(self._awaited, super().execute(), _first)

    @property
    def _treated(self) -> Missing:
        needed = (self._options or {}).get("exists") in ("update", "replace_only")
        return "error" if needed else "keep"

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.operate_many(keys, self._operations(), **(self._options or {}))

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return WriteRow(key, (self._bins or {}) if self._ops is None else self._ops, **options)


def _first(results: Results) -> Record:
    return results.first()
