"""The results of a chain's rows, and the strategies for failed rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast, overload

from spikewire import errors as _errors
from spikewire._native import Late

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt
    import pandas as pd  # pyright: ignore[reportMissingImports, reportMissingTypeStubs, reportMissingModuleSource]

    from spikewire._native import ArrowTable, Batch, Key, Record
    from spikewire.errors import Error
    from spikewire.types import ArrowSchema

__all__ = ["Missing", "OnError", "Result", "Results"]

#: How to treat a missing record: keep its result, without record and error; skip it; or treat it as
#: an error.
Missing: TypeAlias = Literal["keep", "skip", "error"]

#: How to treat a failed row: raise its error, keep the error in its result, skip it, or call a
#: function with the result.
OnError: TypeAlias = Literal["raise", "collect", "skip"] | Callable[["Result"], object]

_STRATEGIES = ("raise", "collect", "skip")
_MISSING = ("keep", "skip", "error")
#: Creates the error for a missing record.
absent = _errors._absent  # pyright: ignore[reportPrivateUsage]


class Result(NamedTuple):
    """The result of one row of a chain."""

    row: int
    """The row's position in the input."""
    key: Key
    """The record's key."""
    record: Record | None
    """The record; ``None`` if there is none, or if the row failed."""
    error: Error | None
    """The error, if the row failed."""

    @property
    def ok(self) -> bool:
        """Whether there is a record."""
        return self.record is not None

    @property
    def missing(self) -> bool:
        """Whether the record does not exist or does not pass the filter, and that is not an
        error.
        """
        return self.record is None and self.error is None and not self.late

    @property
    def late(self) -> bool:
        """Whether the reply did not come by the ``deadline``: the record may exist or not."""
        return False

    def unwrap(self) -> Record:
        """The record. Raises the row's error, or ``RecordNotFound``."""
        if self.record is not None:
            return self.record
        raise self.error or absent(2, self.key)


class _LateResult(Result):
    """The result of a late row."""

    __slots__ = ()

    @property
    def late(self) -> bool:
        return True

    def unwrap(self) -> Record:
        """Raises ``Timeout``."""
        raise _late(self.key)


class Results:
    """The results of a chain, in input order, without those that its strategy omits."""

    __slots__ = ("_batch", "_errors", "_keys", "_offset", "_rows")

    def __init__(
        self, batch: Batch, rows: list[int] | None, failed: dict[int, Error], offset: int = 0
    ) -> None:
        self._batch = batch
        self._rows = rows
        self._errors = failed
        self._offset = offset
        self._keys: list[Key] | None = None

    @property
    def batch(self) -> Batch:
        """The outcomes of all rows, including those omitted here."""
        return self._batch

    @property
    def errors(self) -> list[Result]:
        """The results of failed rows; only present with ``on_error="collect"``."""
        return [self._result(row) for row in self._errors]

    def records(self) -> Iterator[Record]:
        """The records that have come. Raises the error of a failed row."""
        batch = self._batch
        for row in self._numbers():
            error = self._errors.get(row)
            if error is not None:
                raise error
            record = cast("Record | Late | None", batch[row])
            if record is not None and not isinstance(record, Late):
                yield record

    def to_list(self) -> list[Record]:
        """The records that have come, in a list. Raises the error of a failed row."""
        if self._rows is None and not self._errors:
            rows: list[Any] = list(self._batch)
            return rows
        return list(self.records())

    def first(self) -> Record:
        """The first record. Raises ``RecordNotFound`` if there is none, or ``Timeout`` if a row is
        late."""
        for record in self.records():
            return record
        if self._batch.late:
            raise _late(self._batch.keys[self._batch.late[0]])
        raise absent(2, None)

    def first_or_none(self) -> Record | None:
        """The first record, or ``None``."""
        return next(self.records(), None)

    def count(self) -> int:
        """The number of records that exist."""
        if self._rows is None and not self._errors:
            return self._batch.found
        codes = self._batch.codes
        return sum(codes[row] == 0 for row in self._numbers())

    def to_arrow(
        self,
        schema: ArrowSchema | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> ArrowTable:
        """All rows as an Arrow table, as ``Batch.to_arrow``; null if a row failed or has no
        record.
        """
        return self._batch.to_arrow(schema, key=key, generation=generation, ttl=ttl, errors="mask")

    def to_pandas(self, *, generation: str | None = None, ttl: str | None = None) -> pd.DataFrame:  # pyright: ignore[reportUnknownMemberType, reportUnknownParameterType]
        """All rows as a data frame, as ``Batch.to_pandas``; missing if a row failed or has no
        record.
        """
        return self._batch.to_pandas(generation=generation, ttl=ttl, errors="mask")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]

    def to_numpy(
        self,
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> np.ma.MaskedArray[tuple[int], np.dtype[np.void]]:
        """All rows as a structured array, as ``Batch.to_numpy``; masked if a row failed or has no
        record.
        """
        return self._batch.to_numpy(dtype, key=key, generation=generation, ttl=ttl, errors="mask")

    def _numbers(self) -> Sequence[int]:
        return range(len(self._batch)) if self._rows is None else self._rows

    def _result(self, row: int) -> Result:
        if self._keys is None:
            self._keys = self._batch.keys
        error = self._errors.get(row)
        record = None if error else cast("Record | Late | None", self._batch[row])
        if isinstance(record, Late):
            return _LateResult(self._offset + row, self._keys[row], None, None)
        return Result(self._offset + row, self._keys[row], record, error)

    def __len__(self) -> int:
        return len(self._batch) if self._rows is None else len(self._rows)

    @overload
    def __getitem__(self, index: int, /) -> Result: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Result]: ...
    def __getitem__(self, index: int | slice, /) -> Result | list[Result]:
        rows = self._numbers()[index]
        if isinstance(rows, int):
            return self._result(rows)
        return [self._result(row) for row in rows]

    def __iter__(self) -> Iterator[Result]:
        return map(self._result, self._numbers())

    def __repr__(self) -> str:
        return f"Results({len(self)} rows, {self.count()} records, {len(self._errors)} failed)"


def _late(key: Key) -> Error:
    return _errors.Timeout("the row is late: no reply came by the deadline", code=9, key=key)


def check(on_error: object, missing: object) -> None:
    """Rejects unknown strategies."""
    if not (on_error in _STRATEGIES if isinstance(on_error, str) else callable(on_error)):
        message = f'on_error must be "raise", "collect", "skip" or a function, not {on_error!r}'
        raise (ValueError if isinstance(on_error, str) else TypeError)(message)
    if iscoroutinefunction(on_error):
        message = f"on_error must be a plain function: nothing awaits {on_error!r}"
        raise TypeError(message)
    if missing is not None and missing not in _MISSING:
        message = f'missing must be "keep", "skip" or "error", not {missing!r}'
        raise ValueError(message)


def settled(
    batch: Batch, on_error: OnError, missing: Missing | Sequence[Missing], offset: int = 0
) -> Results:
    """The results of a batch, by strategy. ``missing`` applies to all rows, or is given for
    each."""
    if batch.found == len(batch):
        return Results(batch, None, {}, offset)
    rows: list[int] = []
    collected: dict[int, Error] = {}
    failed = batch.errors
    late = frozenset(batch.late)
    keys: list[Key] = []
    for row, code in enumerate(batch.codes):
        if code == 0 or row in late:
            rows.append(row)
            continue
        error = failed.get(row)
        if error is None:
            treated: Any = missing if isinstance(missing, str) else missing[row]
            if treated != "error":
                if treated == "keep":
                    rows.append(row)
                continue
        keys = keys or batch.keys
        error = error or absent(code, keys[row])
        if on_error == "raise":
            raise error
        if on_error == "collect":
            rows.append(row)
            collected[row] = error
        elif callable(on_error):
            on_error(Result(offset + row, keys[row], None, error))
    return Results(batch, rows, collected, offset)
