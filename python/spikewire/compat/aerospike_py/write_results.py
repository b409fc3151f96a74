"""Results of batch writes: named tuples that are filled on first access."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire._native import _make_whole
from spikewire.compat.aerospike_py.types import AerospikeKey, BatchRecord, BatchWriteResult, Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.compat.aerospike_py.types import BatchRetryInfo

__all__ = ["LazyWriteRecord", "LazyWriteResult"]


def _of_whole(name: str) -> Any:
    """A method of tuples, called on the filled tuple."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        # It may have been filled since the method was looked up.
        whole, *of = (
            each._whole() if isinstance(each, LazyTuple) else each for each in (self, *args)
        )
        return getattr(whole, name)(*of, **named)

    return method


class LazyTuple:
    """A named tuple whose items are created on first access."""

    __slots__ = ()

    def _whole(self) -> Any:
        """The tuple with its items."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        whole = self._whole()
        return type(whole), tuple(whole)

    def __radd__(self, other: tuple[Any, ...]) -> tuple[Any, ...]:
        whole: tuple[Any, ...] = self._whole()
        return other + whole

    __iter__ = _of_whole("__iter__")
    __getitem__ = _of_whole("__getitem__")
    __contains__ = _of_whole("__contains__")
    __eq__ = _of_whole("__eq__")
    __ne__ = _of_whole("__ne__")
    __lt__ = _of_whole("__lt__")
    __le__ = _of_whole("__le__")
    __gt__ = _of_whole("__gt__")
    __ge__ = _of_whole("__ge__")
    __hash__ = _of_whole("__hash__")
    __add__ = _of_whole("__add__")
    __mul__ = _of_whole("__mul__")
    __rmul__ = _of_whole("__rmul__")
    __repr__ = _of_whole("__repr__")
    index = _of_whole("index")
    count = _of_whole("count")
    _replace = _of_whole("_replace")


class LazyWriteResult(LazyTuple, BatchWriteResult):
    """A ``BatchWriteResult`` whose rows are created on first access."""

    @classmethod
    def of(cls, make: Callable[[], list[BatchRecord]], retry: BatchRetryInfo) -> LazyWriteResult:
        """The result whose rows are created by ``make``."""
        result = cls([], retry)
        result.__dict__["make"] = make
        return result

    def _whole(self) -> BatchWriteResult:
        of = self.__dict__
        make = of.get("make")
        if make is not None:
            # If another thread is faster, both return its rows.
            of.setdefault("whole", BatchWriteResult(make(), self.retry))
            of.pop("make", None)
        whole: BatchWriteResult | None = of.get("whole")
        return BatchWriteResult._make(tuple.__iter__(self)) if whole is None else whole

    @property
    def batch_records(self) -> list[BatchRecord]:
        """The rows."""
        rows: list[BatchRecord] = self._whole()[0]
        return rows


class LazyWriteRecord(LazyTuple, BatchRecord):
    """A row that was written, while only its code has been accessed. Then it becomes a
    ``BatchRecord``."""

    __slots__ = ()

    def _whole(self) -> BatchRecord:
        _make_whole(self)
        self.__class__ = BatchRecord  # type: ignore[assignment]
        return self

    @property
    def key(self) -> AerospikeKey | None:
        """The record's key."""
        return self._whole().key

    @property
    def record(self) -> Record | None:
        """The record, with bins that all have the value ``None``."""
        return self._whole().record
