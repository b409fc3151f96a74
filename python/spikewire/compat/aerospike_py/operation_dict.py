"""Creates the dictionary of an operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spikewire.compat.aerospike_py.types import Operation

__all__ = ["operation_dict"]

_OPTIONAL = frozenset(
    {"list_policy", "map_policy", "bit_policy", "hll_policy", "resize_flags", "count",
     "index_bit_count", "minhash_bit_count"}
)  # fmt: skip


def operation_dict(code: int, bin: str, **entries: Any) -> Operation:
    """The dictionary, without omitted options."""
    operation: Operation = {"op": code, "bin": bin}
    for name, value in entries.items():
        if value is not None or name not in _OPTIONAL:
            operation[name] = value
    return operation
