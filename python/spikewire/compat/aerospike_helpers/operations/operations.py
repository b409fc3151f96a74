"""Operations on whole bins and records. The dictionaries are those of the official client."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.failures import deprecated
from spikewire.compat.aerospike.opcodes import (
    OP_PATH_MODIFY,
    OP_PATH_SELECT,
    OPERATOR_APPEND,
    OPERATOR_DELETE,
    OPERATOR_INCR,
    OPERATOR_PREPEND,
    OPERATOR_READ,
    OPERATOR_TOUCH,
    OPERATOR_WRITE,
)
from spikewire.compat.aerospike.paths import CDT_FLAGS_KEY, MODIFYING_KEY
from spikewire.compat.aerospike_helpers.operations.operation_dict import operation_dict


def read(bin_name: str) -> dict[str, Any]:
    """The operation ``read``."""
    return {"op": OPERATOR_READ, "bin": bin_name}


def write(bin_name: str, write_item: Any) -> dict[str, Any]:
    """The operation ``write``."""
    return {"op": OPERATOR_WRITE, "bin": bin_name, "val": write_item}


def delete() -> dict[str, Any]:
    """The operation ``delete``."""
    return {"op": OPERATOR_DELETE}


def append(bin_name: str, append_item: Any) -> dict[str, Any]:
    """The operation ``append``."""
    return {"op": OPERATOR_APPEND, "bin": bin_name, "val": append_item}


def prepend(bin_name: str, prepend_item: Any) -> dict[str, Any]:
    """The operation ``prepend``."""
    return {"op": OPERATOR_PREPEND, "bin": bin_name, "val": prepend_item}


def increment(bin_name: str, amount: Any) -> dict[str, Any]:
    """The operation ``increment``."""
    return {"op": OPERATOR_INCR, "bin": bin_name, "val": amount}


def touch(ttl: Any = None) -> dict[str, Any]:
    """The operation ``touch``."""
    if ttl:
        deprecated("TTL should be specified in the policy parameter for operate")
    return operation_dict({"op": OPERATOR_TOUCH}, val=ttl)


def select_by_path(bin_name: str, ctx: list[Any], flags: int) -> dict[str, Any]:
    """The elements at the end of a path."""
    return {"op": OP_PATH_SELECT, "bin": bin_name, "ctx": ctx, CDT_FLAGS_KEY: flags}


def modify_by_path(bin_name: str, ctx: list[Any], expr: Any, flags: int) -> dict[str, Any]:
    """Replaces or removes the elements at the end of a path."""
    return {
        "op": OP_PATH_MODIFY,
        "bin": bin_name,
        "ctx": ctx,
        MODIFYING_KEY: expr,
        CDT_FLAGS_KEY: flags,
    }
