"""The names of ``aerospike_helpers``, for ``spikewire.compat.aerospike``.

| module | contents |
|---|---|
| ``operations`` | operations for ``operate``, as the dictionaries of the official client |
| ``expressions`` | expressions |
| ``cdt_ctx`` | the path to a nested list or map |
| ``batch.records`` | the rows of a batch |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["HyperLogLog"]


class HyperLogLog(bytes):
    """A sketch, as bytes."""

    def __new__(cls, o: Any) -> Self:
        """Of bytes."""
        return super().__new__(cls, o)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()})"

    __str__ = __repr__
