"""What is different about some operations on the contents of bins."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import string_opcodes
from spikewire.compat.aerospike.failures import deprecated, missing
from spikewire.compat.aerospike_helpers.operations.operation_dict import operation_dict

__all__ = ["bit_b64_encode", "list_join", "warn_of_size"]


def list_join(
    bin_name: str, separator: str | None = None, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_join``."""
    operation: dict[str, Any] = {"op": string_opcodes.OP_LIST_JOIN, "bin": bin_name}
    return operation_dict(operation, separator=separator or None, ctx=ctx)


def bit_b64_encode(
    bin_name: str,
    byte_offset: int = 0,
    byte_size: int | None = None,
    invert_size: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``bit_b64_encode``."""
    operation: dict[str, Any] = {
        "op": string_opcodes.OP_BIT_B64_ENCODE,
        "bin": bin_name,
        "byte_offset": byte_offset,
        "invert_size": invert_size,
    }
    if ctx:
        missing("bitwise_operations.bit_b64_encode with ctx")
    return operation_dict(operation, byte_size=byte_size)


def warn_of_size(operation: str) -> None:
    """Warns about ``value_byte_size`` in the words of the official client."""
    end = "." if operation == "bit_xor" else ""
    deprecated(
        f"value_byte_size is deprecated and will be removed in the next major client release{end}"
    )
