"""Rows of a batch as structured NumPy arrays, and such arrays as rows."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike_info import FOREVER

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NumpyBatchRecords", "of_batch", "rows_of"]

_KINDS = frozenset("iufSV")


class NumpyBatchRecords:
    """The rows of ``batch_read`` as arrays."""

    __slots__ = ("_map", "batch_records", "meta", "result_codes")

    def __init__(
        self, batch_records: Any, meta: Any, result_codes: Any, _map: dict[Any, int]
    ) -> None:
        self.batch_records = batch_records
        self.meta = meta
        self.result_codes = result_codes
        self._map = _map

    def get(self, key: Any) -> Any:
        """The row of a user key."""
        try:
            return self.batch_records[self._map[key]]
        except KeyError:
            message = f"there is no row for the key {key!r}"
            raise KeyError(message) from None

    def __len__(self) -> int:
        return len(self.batch_records)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.batch_records)

    def __contains__(self, key: object) -> bool:
        return key in self._map

    def __repr__(self) -> str:
        count = int((self.result_codes == 0).sum())
        fields = list(self.batch_records.dtype.names or ())
        return f"NumpyBatchRecords(count={len(self)}, ok={count}, fields={fields})"


def _checked(dtype: Any) -> Any:
    names = dtype.names
    if names is None:
        message = "dtype must have fields"
        raise TypeError(message)
    for name in names:
        base = dtype[name].base
        if base.kind not in _KINDS:
            message = f"the field {name!r} must contain numbers or bytes, not {dtype[name]}"
            raise TypeError(message)
        if not base.isnative:
            message = f"the field {name!r} is not in the byte order of this machine"
            raise ValueError(message)
    return dtype


def of_batch(keys: list[Any], batch: Any, dtype: Any) -> NumpyBatchRecords:
    """The arrays of a batch."""
    import numpy as np

    _checked(dtype)
    codes = np.array(batch.codes, np.int32)
    meta = np.zeros(len(codes), np.dtype([("gen", "u4"), ("ttl", "u4")]))
    try:
        data = _by_engine(batch, dtype, codes, meta)
    except (TypeError, ValueError, OverflowError):
        data = _one_by_one(batch, dtype, meta)  # Converts values that the engine rejects.
    places = {
        f"__no_user_key_{at}__" if key[2] is None else key[2]: at for at, key in enumerate(keys)
    }
    return NumpyBatchRecords(data, meta, codes, places)


def _by_engine(batch: Any, dtype: Any, codes: Any, meta: Any) -> Any:
    import numpy as np

    fields = [(name, dtype[name]) for name in dtype.names]
    whole = np.dtype([*fields, ("\0gen", "u4"), ("\0ttl", "u4")])
    table = batch.to_numpy(whole, generation="\0gen", ttl="\0ttl", errors="mask")
    # Masked values are zero underneath.
    data = np.zeros(len(table), dtype)
    for name in dtype.names:
        data[name] = table.data[name]
    meta["gen"] = table.data["\0gen"]
    meta["ttl"] = table.data["\0ttl"]
    # A record that never expires has no time to live, and neither does a missing record.
    meta["ttl"][(codes == 0) & table.mask["\0ttl"]] = FOREVER
    return data


def _one_by_one(batch: Any, dtype: Any, meta: Any) -> Any:
    """Truncates and pads bytes, truncates floats to integers, and treats booleans as numbers."""
    import numpy as np

    data = np.zeros(len(meta), dtype)
    failed = batch.errors
    for at in range(len(meta)):
        record = None if at in failed else batch[at]
        if record is None:
            continue
        ttl = record.ttl
        meta[at] = record.generation, FOREVER if ttl is None else ttl
        for name in dtype.names:
            value = record.get(name)
            if value is not None:
                data[name][at : at + 1] = _bent(value, name, dtype[name])
    return data


def _bent(value: Any, name: str, kind: Any) -> Any:
    import numpy as np

    if isinstance(value, str) and kind.kind in "SV" and kind.subdtype is None:
        value = value.encode()
    raw = kind.subdtype is not None or kind.kind in "SV"
    if isinstance(value, (bytes, bytearray)) and raw:
        size = kind.itemsize
        return np.frombuffer(bytes(value[:size]).ljust(size, b"\0"), kind.base).reshape(
            (1, *kind.shape)
        )
    if raw or not isinstance(value, (bool, int, float)):
        message = f"{type(value).__name__} cannot be stored in the field {name!r} of {kind}"
        raise TypeError(message)
    if kind.kind == "f":
        return float(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            message = f"{value} cannot be stored in the field {name!r} of {kind}"
            raise ValueError(message)
        value = math.trunc(value)
    limits = np.iinfo(kind)
    if not limits.min <= value <= limits.max:
        message = f"{value} does not fit the field {name!r} of {kind}"
        raise OverflowError(message)
    return int(value)


def rows_of(
    data: Any, namespace: Any, set_name: Any, dtype: Any, key_field: Any
) -> list[tuple[tuple[Any, Any, Any], dict[str, Any]]]:
    """The rows of a structured array, as keys and bins."""
    if not hasattr(data, "__array_interface__"):
        message = f"data must be a structured array, not {type(data).__name__}"
        raise AttributeError(message)
    names = _checked(dtype).names
    if key_field not in names:
        message = f"dtype has no field {key_field!r} for the key"
        raise ValueError(message)
    if data.dtype != dtype:
        message = "dtype must be the dtype of data"
        raise ValueError(message)
    bins = [name for name in names if name != key_field and not name.startswith("_")]
    columns = {name: _column(data[name]) for name in bins}
    user_keys = [
        each.rstrip(b"\0") if isinstance(each, bytes) else each for each in data[key_field].tolist()
    ]
    namespaces = _texts(data, names, "_namespace", namespace)
    sets = _texts(data, names, "_set", set_name)
    return [
        (
            (namespaces[at], sets[at], user_key),
            {name: column[at] for name, column in columns.items()},
        )
        for at, user_key in enumerate(user_keys)
    ]


def _column(values: Any) -> list[Any]:
    """Numbers unchanged; everything else as padded bytes."""
    if values.dtype.kind in "iuf" and values.ndim == 1:
        numbers: list[Any] = values.tolist()
        return numbers
    data, size = values.tobytes(), values.dtype.itemsize * values[:1].size
    return (
        [data[at : at + size] for at in range(0, len(data), size)] if size else [b""] * len(values)
    )


def _texts(data: Any, names: Any, field: str, default: Any) -> list[Any]:
    if field not in names:
        return [default] * len(data)
    return [each.decode().rstrip("\0") for each in data[field].tolist()]
