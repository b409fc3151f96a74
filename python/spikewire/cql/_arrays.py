"""NumPy arrays as an Arrow table, for ``execute_many``."""

from __future__ import annotations

from typing import Any, cast

from spikewire._imports import import_late


def table(arrays: Any) -> Any:
    """The table for a dictionary of arrays, or a structured array. Masked values become null."""
    try:
        pa: Any = import_late("pyarrow")
    except ImportError as error:
        message = "execute_many of NumPy arrays needs pyarrow, which is not installed"
        raise ImportError(message) from error
    if not isinstance(arrays, dict):
        if arrays.dtype.names is None or arrays.ndim != 1:
            message = (
                "rows must be a dict of arrays or a structured array of one dimension, not "
                f"{arrays.ndim} dimensions of {arrays.dtype}"
            )
            raise TypeError(message)
        arrays = {name: arrays[name] for name in arrays.dtype.names}
    columns: dict[str, Any] = {}
    for name, array in cast("dict[str, Any]", arrays).items():
        try:
            columns[name] = _column(pa, array)
        except (pa.ArrowException, TypeError, ValueError) as error:  # noqa: PERF203  # names the column
            message = f"column {name!r}: {error}"
            raise TypeError(message) from error
    return pa.table(columns)


def _column(pa: Any, array: Any) -> Any:
    np: Any = import_late("numpy")

    mask: Any = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    data: Any = np.ascontiguousarray(np.ma.getdata(array))
    if not data.dtype.isnative:
        data = data.astype(data.dtype.newbyteorder("="))
    if data.ndim > 1:
        if mask is not None:
            mask = mask.reshape(len(data), -1).any(axis=1)
        # The elements of all rows, and the mask of rows.
        items = pa.array(data.reshape(-1))
        mask = None if mask is None else pa.array(mask)
        return pa.FixedSizeListArray.from_arrays(items, data[0].size if len(data) else 1, mask=mask)
    if data.dtype.kind == "V":
        size = data.dtype.itemsize
        plain = pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(size), len(data), [None, pa.py_buffer(data.view("u1"))]
        )
        if mask is None:
            return plain
        return pa.compute.if_else(pa.array(mask), pa.scalar(None, pa.binary(size)), plain)
    return pa.array(data, mask=mask, from_pandas=False)
