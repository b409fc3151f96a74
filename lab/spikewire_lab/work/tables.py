"""Records as columns, as a program would have them before it writes them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .shape import ARROW, NUMPY, PANDAS, TABLE_KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .bins import Bins, BinSpec

NUMPY_TYPES = {"I": "i8", "F": "f8"}

Foreign = Any


def table_of(
    way: str, bins: tuple[BinSpec, ...], keys: Sequence[int], records: Sequence[Bins]
) -> object:
    """The records with their keys in an additional column, as a structured array, an Arrow table or
    a data frame."""
    types = [(TABLE_KEY, "i8")]
    types += [(f"b{at}", NUMPY_TYPES[spec.kind]) for at, spec in enumerate(bins)]
    rows = [(key, *record.values()) for key, record in zip(keys, records, strict=True)]
    numpy: Foreign = importlib.import_module("numpy")
    array = numpy.array(rows, dtype=types)
    if way == NUMPY:
        return array
    # Contiguous copies: the columns of a structured array are interleaved.
    columns = {name: numpy.ascontiguousarray(array[name]) for name, _ in types}
    if way == ARROW:
        arrow: Foreign = importlib.import_module("pyarrow")
        return arrow.table(columns)
    if way == PANDAS:
        pandas: Foreign = importlib.import_module("pandas")
        return pandas.DataFrame(columns)
    raise ValueError(f"{way!r} is no way to hold records in columns")
