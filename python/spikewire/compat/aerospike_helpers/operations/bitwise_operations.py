"""Operations on the bits of bytes. The dictionaries are those of the official client."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike.failures import deprecated, missing

# The entries of the dictionaries.
ACTION_KEY = "action"
BIN_KEY = "bin"
BIT_OFFSET_KEY = "bit_offset"
BIT_SIZE_KEY = "bit_size"
BYTE_OFFSET_KEY = "byte_offset"
BYTE_SIZE_KEY = "byte_size"
COUNT_KEY = "count"
INDEX_KEY = "index"
KEY_KEY = "key"
OFFSET_KEY = "offset"
OP_KEY = "op"
POLICY_KEY = "policy"
RESIZE_FLAGS_KEY = "resize_flags"
SIGN_KEY = "sign"
VALUE_BYTE_SIZE_KEY = "value_byte_size"
VALUE_KEY = "value"


def bit_resize(
    bin_name: str, byte_size: Any, policy: dict[str, Any] | None = None, resize_flags: Any = 0
) -> dict[str, Any]:
    """The operation ``bit_resize``."""
    return {
        "op": codes.OP_BIT_RESIZE,
        "bin": bin_name,
        "policy": policy,
        "resize_flags": resize_flags,
        "byte_size": byte_size,
    }


def bit_remove(
    bin_name: str, byte_offset: Any, byte_size: Any, policy: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The operation ``bit_remove``."""
    return {
        "op": codes.OP_BIT_REMOVE,
        "bin": bin_name,
        "policy": policy,
        "byte_offset": byte_offset,
        "byte_size": byte_size,
    }


def bit_set(
    bin_name: str,
    bit_offset: Any,
    bit_size: Any,
    value_byte_size: Any,
    value: Any,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``bit_set``."""
    _deprecated_size()
    return {
        "op": codes.OP_BIT_SET,
        "bin": bin_name,
        "policy": policy,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value_byte_size": value_byte_size,
        "value": value,
    }


def bit_set_int(
    bin_name: str, bit_offset: Any, bit_size: Any, value: Any, policy: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The operation ``bit_set_int``."""
    return {
        "op": codes.OP_BIT_SET_INT,
        "bin": bin_name,
        "policy": policy,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value": value,
    }


def bit_count(bin_name: str, bit_offset: Any, bit_size: Any) -> dict[str, Any]:
    """The operation ``bit_count``."""
    return {
        "op": codes.OP_BIT_COUNT,
        "bin": bin_name,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
    }


def bit_add(
    bin_name: str,
    bit_offset: Any,
    bit_size: Any,
    value: Any,
    sign: Any,
    action: Any,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``bit_add``."""
    return {
        "op": codes.OP_BIT_ADD,
        "bin": bin_name,
        "policy": policy,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value": value,
        "sign": sign,
        "action": action,
    }


def bit_and(
    bin_name: str,
    bit_offset: Any,
    bit_size: Any,
    value_byte_size: Any,
    value: Any,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``bit_and``."""
    _deprecated_size()
    return {
        "op": codes.OP_BIT_AND,
        "bin": bin_name,
        "policy": policy,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value_byte_size": value_byte_size,
        "value": value,
    }


def bit_get(bin_name: str, bit_offset: Any, bit_size: Any) -> dict[str, Any]:
    """The operation ``bit_get``."""
    return {"op": codes.OP_BIT_GET, "bin": bin_name, "bit_offset": bit_offset, "bit_size": bit_size}


def bit_get_int(bin_name: str, bit_offset: Any, bit_size: Any, sign: Any) -> dict[str, Any]:
    """The operation ``bit_get_int``."""
    return {
        "op": codes.OP_BIT_GET_INT,
        "bin": bin_name,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "sign": sign,
    }


def bit_insert(
    bin_name: str,
    byte_offset: Any,
    value_byte_size: Any,
    value: Any,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``bit_insert``."""
    _deprecated_size()
    return {
        "op": codes.OP_BIT_INSERT,
        "bin": bin_name,
        "byte_offset": byte_offset,
        "value_byte_size": value_byte_size,
        "value": value,
        "policy": policy,
    }


def bit_lscan(bin_name: str, bit_offset: Any, bit_size: Any, value: Any) -> dict[str, Any]:
    """The operation ``bit_lscan``."""
    return {
        "op": codes.OP_BIT_LSCAN,
        "bin": bin_name,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value": value,
    }


def bit_lshift(
    bin_name: str, bit_offset: Any, bit_size: Any, shift: Any, policy: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The operation ``bit_lshift``."""
    return {
        "op": codes.OP_BIT_LSHIFT,
        "bin": bin_name,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value": shift,
        "policy": policy,
    }


def bit_not(
    bin_name: str, bit_offset: Any, bit_size: Any, policy: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The operation ``bit_not``."""
    return {
        "op": codes.OP_BIT_NOT,
        "bin": bin_name,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "policy": policy,
    }


def bit_or(
    bin_name: str,
    bit_offset: Any,
    bit_size: Any,
    value_byte_size: Any,
    value: Any,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``bit_or``."""
    _deprecated_size()
    return {
        "op": codes.OP_BIT_OR,
        "bin": bin_name,
        "policy": policy,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value_byte_size": value_byte_size,
        "value": value,
    }


def bit_rscan(bin_name: str, bit_offset: Any, bit_size: Any, value: Any) -> dict[str, Any]:
    """The operation ``bit_rscan``."""
    return {
        "op": codes.OP_BIT_RSCAN,
        "bin": bin_name,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value": value,
    }


def bit_rshift(
    bin_name: str, bit_offset: Any, bit_size: Any, shift: Any, policy: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The operation ``bit_rshift``."""
    return {
        "op": codes.OP_BIT_RSHIFT,
        "bin": bin_name,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value": shift,
        "policy": policy,
    }


def bit_subtract(
    bin_name: str,
    bit_offset: Any,
    bit_size: Any,
    value: Any,
    sign: Any,
    action: Any,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``bit_subtract``."""
    return {
        "op": codes.OP_BIT_SUBTRACT,
        "bin": bin_name,
        "policy": policy,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value": value,
        "sign": sign,
        "action": action,
    }


def bit_xor(
    bin_name: str,
    bit_offset: Any,
    bit_size: Any,
    value_byte_size: Any,
    value: Any,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``bit_xor``."""
    _deprecated_size(".")
    return {
        "op": codes.OP_BIT_XOR,
        "bin": bin_name,
        "policy": policy,
        "bit_offset": bit_offset,
        "bit_size": bit_size,
        "value_byte_size": value_byte_size,
        "value": value,
    }


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


def _deprecated_size(end: str = "") -> None:
    deprecated(
        f"value_byte_size is deprecated and will be removed in the next major client release{end}"
    )
