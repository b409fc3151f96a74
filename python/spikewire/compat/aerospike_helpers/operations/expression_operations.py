"""Operations that read or write the value of an expression."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike.expressions import PairedExpression
from spikewire.compat.aerospike_helpers.expressions import resources as resources

# The entries of the dictionaries.
BIN_KEY = "bin"
EXPR_FLAGS_KEY = "expr_flags"
EXPR_KEY = "expr"
OP_KEY = "op"

_KEY_VALUE = 8


def expression_read(
    bin_name: str, expression: Any, expression_read_flags: int = 0
) -> dict[str, Any]:
    """Reads the value of an expression, as a bin with this name."""
    operation = {
        "op": codes.OP_EXPR_READ,
        "bin": bin_name,
        "expr": expression,
        "expr_flags": expression_read_flags,
    }
    if isinstance(expression, PairedExpression):
        operation["return_type"] = _KEY_VALUE
    return operation


def expression_write(
    bin_name: str, expression: Any, expression_write_flags: int = 0
) -> dict[str, Any]:
    """Writes the value of an expression to a bin."""
    return {
        "op": codes.OP_EXPR_WRITE,
        "bin": bin_name,
        "expr": expression,
        "expr_flags": expression_write_flags,
    }
