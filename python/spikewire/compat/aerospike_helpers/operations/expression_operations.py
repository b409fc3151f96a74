"""Operations that read or write the value of an expression."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike_helpers.expressions.resources import Paired

_KEY_VALUE = 8


def expression_read(
    bin_name: str, expression: Any, expression_read_flags: int = 0
) -> dict[str, Any]:
    """Reads what an expression gives, as a bin of this name."""
    made = {
        "op": codes.OP_EXPR_READ,
        "bin": bin_name,
        "expr": expression,
        "expr_flags": expression_read_flags,
    }
    if isinstance(expression, Paired):
        made["return_type"] = _KEY_VALUE
    return made


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
