"""Checks that a scan returns every expected record, each once and as it was written.

A scan returns digests instead of keys; the digest identifies the key.
"""

from __future__ import annotations

import hashlib
import importlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast

from ..work.records import differs
from ..worker.job import MismatchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..work import Bins

INTEGER = b"\x01"
"""The type byte of an integer key in the input of a digest."""
BY_KEY, BY_CONTENT = "by key", "by content"
RANGE_BIN = "b0"
"""The indexed bin: an integer."""
Between = tuple[int, int]
"""The lowest and the highest value of that bin that an index query selects."""


@dataclass(frozen=True)
class ExpectedRecords:
    """The records that a scan of a set, or an index query, has to return."""

    pool: Sequence[Bins]
    keys: int
    set_name: str
    between: Between | None = None

    @cached_property
    def numbers(self) -> frozenset[int]:
        """Which of the different records are selected."""
        every = range(len(self.pool))
        if self.between is None:
            return frozenset(every)
        low, high = self.between
        values = [cast("int", self.pool[number][RANGE_BIN]) for number in every]
        return frozenset(number for number in every if low <= values[number] <= high)

    @cached_property
    def count(self) -> int:
        return sum(self.copies(number) for number in self.numbers)

    def copies(self, number: int) -> int:
        """The number of keys with this record."""
        return len(range(number, self.keys, len(self.pool)))

    def selected_keys(self) -> Iterator[int]:
        numbers, size = self.numbers, len(self.pool)
        return (key for key in range(self.keys) if key % size in numbers)


def range_of_share(pool: Sequence[Bins], percent: float) -> Between:
    """The range from zero to a value that this share of the records does not exceed: halfway
    between two records' values, and exact as a float, for clients without other numbers."""
    values = sorted(cast("int", bins[RANGE_BIN]) for bins in pool)
    count = max(1, min(len(values) - 1, round(len(values) * percent / 100)))
    return 0, int(float((values[count - 1] + values[count]) // 2))


class Check(Protocol):
    """Checks every record of a scan; what is wrong raises a `MismatchError`."""

    how: str
    """`BY_KEY` or `BY_CONTENT`."""

    def record(self, digest: object, bins: object) -> None:
        """Checks one record."""

    def table(self, columns: object) -> None:
        """Checks records in columns, which have no digests."""

    def end(self) -> None:
        """Checks that no record is missing."""


def record_check(expected: ExpectedRecords) -> Check:
    """Checks by key, unless this Python lacks the hash for digests."""
    digest = _digest_function(expected.set_name)
    return _ContentCheck(expected) if digest is None else _KeyCheck(expected, digest)


def table_check(expected: ExpectedRecords) -> Check:
    """Checks by content, as tables have no digests."""
    return _ContentCheck(expected)


def _digest_function(set_name: str) -> Callable[[int], bytes] | None:
    """Computes the digest of an integer key; None without the hash."""
    try:
        of_set = hashlib.new("ripemd160", set_name.encode() + INTEGER, usedforsecurity=False)
    except ValueError:
        return None

    def digest(key: int) -> bytes:
        hasher = of_set.copy()
        hasher.update(key.to_bytes(8, "big", signed=True))
        return hasher.digest()

    return digest


class _KeyCheck:
    """Checks that each key is read once, with its record."""

    how = BY_KEY

    def __init__(self, expected: ExpectedRecords, digest: Callable[[int], bytes]) -> None:
        size = len(expected.pool)
        self._pool = expected.pool
        self._numbers = {digest(key): key % size for key in expected.selected_keys()}

    def record(self, digest: object, bins: object) -> None:
        raw = bytes.fromhex(digest) if isinstance(digest, str) else bytes(cast("bytes", digest))
        number = self._numbers.pop(raw, None)
        if number is None:
            raise MismatchError(
                f"a scan gave the record with digest {raw.hex()} twice, or it has no such key"
            )
        difference = differs(self._pool[number], bins)
        if difference is not None:
            raise MismatchError(f"the record with digest {raw.hex()} is wrong: {difference}")

    def table(self, columns: object) -> None:
        raise TypeError(f"{columns!r} has no digests")

    def end(self) -> None:
        if self._numbers:
            raise MismatchError(f"a scan did not give {len(self._numbers):,} of its records")


class _ContentCheck:
    """Checks that every record is one of those written, and that each occurs as often as it was
    written."""

    how = BY_CONTENT

    def __init__(self, expected: ExpectedRecords) -> None:
        self._expected = expected
        self._numbers: dict[object, int] = {
            bins[RANGE_BIN]: number for number, bins in enumerate(expected.pool)
        }
        self._counts = Counter[int]()

    def record(self, digest: object, bins: object) -> None:
        del digest
        record = cast("Mapping[str, object]", bins)
        number = self._numbers.get(record.get(RANGE_BIN))
        if number is None:
            raise MismatchError(f"a scan gave {record!r:.60}, which is no record of this set")
        difference = differs(self._expected.pool[number], record)
        if difference is not None:
            raise MismatchError(f"a record of the scan is wrong: {difference}")
        self._counts[number] += 1

    def table(self, columns: object) -> None:
        arrow = cast("_Arrow", importlib.import_module("pyarrow"))
        for bins in arrow.table(columns).to_pylist():
            self.record(None, bins)

    def end(self) -> None:
        for number in range(len(self._expected.pool)):
            copies = self._expected.copies(number) if number in self._expected.numbers else 0
            if self._counts[number] != copies:
                raise MismatchError(
                    f"a scan gave {self._counts[number]:,} records like that of key {number}, of"
                    f" which there are {copies:,}"
                )


class _Rows(Protocol):
    def to_pylist(self) -> list[object]: ...


class _Arrow(Protocol):
    def table(self, columns: object) -> _Rows: ...
