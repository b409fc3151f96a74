"""Operations that read or write what an expression gives."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes


def expression_read(
    bin_name: str, expression: Any, expression_read_flags: int = 0
) -> dict[str, Any]:
    """Reads what an expression gives, as a bin of this name."""
    return {
        "op": codes.OP_EXPR_READ,
        "bin": bin_name,
        "expr": expression,
        "expr_flags": expression_read_flags,
    }


def expression_write(
    bin_name: str, expression: Any, expression_write_flags: int = 0
) -> dict[str, Any]:
    """Writes what an expression gives into a bin."""
    return {
        "op": codes.OP_EXPR_WRITE,
        "bin": bin_name,
        "expr": expression,
        "expr_flags": expression_write_flags,
    }
