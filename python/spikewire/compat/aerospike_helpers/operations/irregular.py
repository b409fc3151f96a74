"""What is different about some operations on the contents of bins."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.failures import deprecated, missing

__all__ = ["bit_b64_encode", "list_join", "warn_of_size"]


def list_join(
    bin_name: str, separator: str | None = None, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """Not supported."""
    del bin_name, separator, ctx
    missing("list_operations.list_join")


def bit_b64_encode(
    bin_name: str,
    byte_offset: int = 0,
    byte_size: int | None = None,
    invert_size: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """Not supported."""
    del bin_name, byte_offset, byte_size, invert_size, ctx
    missing("bitwise_operations.bit_b64_encode")


def warn_of_size(operation: str) -> None:
    """Warns about ``value_byte_size`` in the words of the official client."""
    end = "." if operation == "bit_xor" else ""
    deprecated(
        f"value_byte_size is deprecated and will be removed in the next major client release{end}"
    )
