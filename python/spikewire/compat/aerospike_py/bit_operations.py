"""Operations on the bits of bytes, as dictionaries for ``operate`` and ``batch_operate``."""

from __future__ import annotations

from spikewire.compat.aerospike_py.operation_dict import operation_dict
from spikewire.compat.aerospike_py.types import Operation as Operation  # noqa: TC001

__all__ = [
    "bit_add",
    "bit_and",
    "bit_count",
    "bit_get",
    "bit_get_int",
    "bit_insert",
    "bit_lscan",
    "bit_lshift",
    "bit_not",
    "bit_or",
    "bit_remove",
    "bit_resize",
    "bit_rscan",
    "bit_rshift",
    "bit_set",
    "bit_set_int",
    "bit_subtract",
    "bit_xor",
]


def bit_resize(
    bin: str, byte_size: int, resize_flags: int = 0, policy: int | None = None
) -> Operation:
    """Resizes the bytes."""
    return operation_dict(
        4001, bin, byte_size=byte_size, resize_flags=resize_flags or None, bit_policy=policy
    )


def bit_insert(
    bin: str, byte_offset: int, value: bytes | bytearray, policy: int | None = None
) -> Operation:
    """Inserts bytes."""
    return operation_dict(4002, bin, byte_offset=byte_offset, val=value, bit_policy=policy)


def bit_remove(bin: str, byte_offset: int, byte_size: int, policy: int | None = None) -> Operation:
    """Removes bytes."""
    return operation_dict(
        4003, bin, byte_offset=byte_offset, byte_size=byte_size, bit_policy=policy
    )


def bit_set(
    bin: str, bit_offset: int, bit_size: int, value: bytes | bytearray, policy: int | None = None
) -> Operation:
    """Replaces bits."""
    return operation_dict(
        4004, bin, bit_offset=bit_offset, bit_size=bit_size, val=value, bit_policy=policy
    )


def bit_or(
    bin: str, bit_offset: int, bit_size: int, value: bytes | bytearray, policy: int | None = None
) -> Operation:
    """Combines bits with others by OR."""
    return operation_dict(
        4005, bin, bit_offset=bit_offset, bit_size=bit_size, val=value, bit_policy=policy
    )


def bit_xor(
    bin: str, bit_offset: int, bit_size: int, value: bytes | bytearray, policy: int | None = None
) -> Operation:
    """Combines bits with others by XOR."""
    return operation_dict(
        4006, bin, bit_offset=bit_offset, bit_size=bit_size, val=value, bit_policy=policy
    )


def bit_and(
    bin: str, bit_offset: int, bit_size: int, value: bytes | bytearray, policy: int | None = None
) -> Operation:
    """Combines bits with others by AND."""
    return operation_dict(
        4007, bin, bit_offset=bit_offset, bit_size=bit_size, val=value, bit_policy=policy
    )


def bit_not(bin: str, bit_offset: int, bit_size: int, policy: int | None = None) -> Operation:
    """Inverts bits."""
    return operation_dict(4008, bin, bit_offset=bit_offset, bit_size=bit_size, bit_policy=policy)


def bit_lshift(
    bin: str, bit_offset: int, bit_size: int, shift: int, policy: int | None = None
) -> Operation:
    """Shifts bits left."""
    return operation_dict(
        4009, bin, bit_offset=bit_offset, bit_size=bit_size, shift=shift, bit_policy=policy
    )


def bit_rshift(
    bin: str, bit_offset: int, bit_size: int, shift: int, policy: int | None = None
) -> Operation:
    """Shifts bits right."""
    return operation_dict(
        4010, bin, bit_offset=bit_offset, bit_size=bit_size, shift=shift, bit_policy=policy
    )


def bit_add(
    bin: str,
    bit_offset: int,
    bit_size: int,
    value: int,
    signed: bool = False,
    action: int = 0,
    policy: int | None = None,
) -> Operation:
    """Adds to the integer in some bits."""
    return operation_dict(
        4011,
        bin,
        bit_offset=bit_offset,
        bit_size=bit_size,
        val=value,
        signed=signed,
        action=action,
        bit_policy=policy,
    )


def bit_subtract(
    bin: str,
    bit_offset: int,
    bit_size: int,
    value: int,
    signed: bool = False,
    action: int = 0,
    policy: int | None = None,
) -> Operation:
    """Subtracts from the integer in some bits."""
    return operation_dict(
        4012,
        bin,
        bit_offset=bit_offset,
        bit_size=bit_size,
        val=value,
        signed=signed,
        action=action,
        bit_policy=policy,
    )


def bit_set_int(
    bin: str, bit_offset: int, bit_size: int, value: int, policy: int | None = None
) -> Operation:
    """Writes an integer into some bits."""
    return operation_dict(
        4013, bin, bit_offset=bit_offset, bit_size=bit_size, val=value, bit_policy=policy
    )


def bit_get(bin: str, bit_offset: int, bit_size: int) -> Operation:
    """Reads bits."""
    return operation_dict(4050, bin, bit_offset=bit_offset, bit_size=bit_size)


def bit_count(bin: str, bit_offset: int, bit_size: int) -> Operation:
    """The number of bits that are 1."""
    return operation_dict(4051, bin, bit_offset=bit_offset, bit_size=bit_size)


def bit_lscan(bin: str, bit_offset: int, bit_size: int, value: bool) -> Operation:
    """The position of the first bit with this value, from the left."""
    return operation_dict(4052, bin, bit_offset=bit_offset, bit_size=bit_size, val=value)


def bit_rscan(bin: str, bit_offset: int, bit_size: int, value: bool) -> Operation:
    """The position of the first bit with this value, from the right."""
    return operation_dict(4053, bin, bit_offset=bit_offset, bit_size=bit_size, val=value)


def bit_get_int(bin: str, bit_offset: int, bit_size: int, signed: bool = False) -> Operation:
    """Reads the integer in some bits."""
    return operation_dict(4054, bin, bit_offset=bit_offset, bit_size=bit_size, signed=signed)
