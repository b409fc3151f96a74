"""Results of batch reads: rows that are converted to Python objects on access."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike_info import FOREVER
from spikewire.compat.aerospike_py.failures import code_of
from spikewire.compat.aerospike_py.numpy_batch import of_batch
from spikewire.compat.aerospike_py.values import incoming_bins, named_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.compat.aerospike_py.numpy_batch import NumpyBatchRecords

__all__ = ["LazyBatchRecords", "LazyRecord"]


class LazyRecord:
    """One row of a batch that was read."""

    __slots__ = ("_at", "_batch", "_record", "in_doubt", "key", "result")

    def __init__(self, batch: Any, at: int, key: tuple[Any, ...], result: int) -> None:
        self._batch, self._at = batch, at
        self._record: Any = None
        self.key = key
        self.result = result
        self.in_doubt = False

    @property
    def record(self) -> tuple[Any, dict[str, int], dict[str, Any]] | None:
        """Key, metadata and bins; ``None`` if there is no record."""
        if self._record is None and self.result == 0:
            row = self._batch[self._at]
            if row is not None:
                ttl = row.ttl
                meta = {"gen": row.generation, "ttl": FOREVER if ttl is None else ttl}
                self._record = self.key, meta, incoming_bins(row.bins)
        record: tuple[Any, dict[str, int], dict[str, Any]] | None = self._record
        return record


class LazyBatchRecords:
    """The rows of ``batch_read``: by user key as a mapping, or in the order of the keys."""

    __slots__ = ("_batch", "_dict", "_keys")

    def __init__(self, keys: list[Any], batch: Any) -> None:
        self._keys = keys
        self._batch = batch
        self._dict: dict[Any, dict[str, Any]] | None = None

    def _cached(self) -> dict[Any, dict[str, Any]]:
        cached = self._dict
        if cached is None:
            cached = self._dict = named_records.bins_by_key(self._keys, self._batch)
        return cached

    def to_dict(self) -> dict[Any, dict[str, Any]]:
        """The bins of the records that were found, by user key."""
        return dict(self._cached())

    def to_list(self) -> list[dict[str, Any] | None]:
        """The bins of each row in the order of the keys; ``None`` for rows without a record."""
        return named_records.bins(self._batch)

    def to_numpy(self, dtype: Any) -> NumpyBatchRecords:
        """The rows as a structured array, with zeros for rows without a record."""
        return of_batch(self._keys, self._batch, dtype)

    @property
    def batch_records(self) -> list[LazyRecord]:
        """Every row, in the order of the keys."""
        batch = self._batch
        codes, failed = batch.codes, batch.errors
        rows: list[LazyRecord] = []
        for at, key in enumerate(batch.keys):
            user_key = self._keys[at]
            code = code_of(failed.get(at), codes[at])
            rows.append(
                LazyRecord(batch, at, (user_key[0], user_key[1], user_key[2], key.digest), code)
            )
        return rows

    def iter_records(self) -> Iterator[LazyRecord]:
        """Iterates over all rows."""
        return iter(self.batch_records)

    def all_user_keys(self) -> list[Any]:
        """The user keys in order; ``None`` for keys that are a digest."""
        return [key[2] for key in self._keys]

    def found_count(self) -> int:
        """The number of records found."""
        return int(self._batch.found)

    def release_cache(self) -> None:
        """Drops the dictionary that the mapping has built."""
        self._dict = None

    @staticmethod
    def merge_to_dict(handles: list[LazyBatchRecords]) -> list[dict[Any, dict[str, Any]]]:
        """``to_dict`` of several."""
        return [each.to_dict() for each in handles]

    def __len__(self) -> int:
        if self._dict is not None:
            return len(self._dict)
        codes = self._batch.codes
        return sum(codes[at] == 0 and key[2] is not None for at, key in enumerate(self._keys))

    def __getitem__(self, key: Any) -> dict[str, Any]:
        try:
            return self._cached()[key]
        except KeyError:
            message = f"{key!r} was not found; batch_records has the code of each row"
            raise KeyError(message) from None

    def __contains__(self, key: object) -> bool:
        return key in self._cached()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cached())

    def get(self, key: Any, default: Any = None) -> Any:
        """The bins of a record, or ``default``."""
        return self._cached().get(key, default)

    def keys(self) -> Any:
        """The user keys of the records that were found."""
        return self._cached().keys()

    def values(self) -> Any:
        """The bins of the records that were found."""
        return self._cached().values()

    def items(self) -> Any:
        """User keys and bins."""
        return self._cached().items()
