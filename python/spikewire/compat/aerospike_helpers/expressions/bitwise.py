"""Operations on the bits of bytes inside expressions."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.base import BlobBin as BlobBin
from spikewire.compat.aerospike_helpers.expressions.hints import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.resources import Absent, Call


class BitResize(Call):
    """``BitResize``."""

    def __init__(self, policy: Any, byte_size: Any, flags: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "resize",
            bin,
            None,
            {"policy": policy, "byte_size": byte_size, "resize_flags": flags},
        )


class BitInsert(Call):
    """``BitInsert``."""

    def __init__(self, policy: Any, byte_offset: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "insert",
            bin,
            None,
            {"policy": policy, "byte_offset": byte_offset, "value": value},
        )


class BitRemove(Call):
    """``BitRemove``."""

    def __init__(self, policy: Any, byte_offset: Any, byte_size: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "remove",
            bin,
            None,
            {"policy": policy, "byte_offset": byte_offset, "byte_size": byte_size},
        )


class BitSet(Call):
    """``BitSet``."""

    def __init__(self, policy: Any, bit_offset: Any, bit_size: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "set",
            bin,
            None,
            {"policy": policy, "bit_offset": bit_offset, "bit_size": bit_size, "value": value},
        )


class BitOr(Call):
    """``BitOr``."""

    def __init__(self, policy: Any, bit_offset: Any, bit_size: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "or_",
            bin,
            None,
            {"policy": policy, "bit_offset": bit_offset, "bit_size": bit_size, "value": value},
        )


class BitXor(Call):
    """``BitXor``."""

    def __init__(self, policy: Any, bit_offset: Any, bit_size: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "xor",
            bin,
            None,
            {"policy": policy, "bit_offset": bit_offset, "bit_size": bit_size, "value": value},
        )


class BitAnd(Call):
    """``BitAnd``."""

    def __init__(self, policy: Any, bit_offset: Any, bit_size: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "and_",
            bin,
            None,
            {"policy": policy, "bit_offset": bit_offset, "bit_size": bit_size, "value": value},
        )


class BitNot(Call):
    """``BitNot``."""

    def __init__(self, policy: Any, bit_offset: Any, bit_size: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "not_",
            bin,
            None,
            {"policy": policy, "bit_offset": bit_offset, "bit_size": bit_size},
        )


class BitLeftShift(Call):
    """``BitLeftShift``."""

    def __init__(self, policy: Any, bit_offset: Any, bit_size: Any, shift: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "lshift",
            bin,
            None,
            {"policy": policy, "bit_offset": bit_offset, "bit_size": bit_size, "value": shift},
        )


class BitRightShift(Call):
    """``BitRightShift``."""

    def __init__(self, policy: Any, bit_offset: Any, bit_size: Any, shift: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "rshift",
            bin,
            None,
            {"policy": policy, "bit_offset": bit_offset, "bit_size": bit_size, "value": shift},
        )


class BitAdd(Call):
    """``BitAdd``."""

    def __init__(
        self, policy: Any, bit_offset: Any, bit_size: Any, value: Any, action: Any, bin: Any
    ) -> None:
        super().__init__(
            "bit",
            "add",
            bin,
            None,
            {
                "policy": policy,
                "bit_offset": bit_offset,
                "bit_size": bit_size,
                "value": value,
                "action": action,
            },
        )


class BitSubtract(Call):
    """``BitSubtract``."""

    def __init__(
        self, policy: Any, bit_offset: Any, bit_size: Any, value: Any, action: Any, bin: Any
    ) -> None:
        super().__init__(
            "bit",
            "subtract",
            bin,
            None,
            {
                "policy": policy,
                "bit_offset": bit_offset,
                "bit_size": bit_size,
                "value": value,
                "action": action,
            },
        )


class BitSetInt(Call):
    """``BitSetInt``."""

    def __init__(self, policy: Any, bit_offset: Any, bit_size: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "set_int",
            bin,
            None,
            {"policy": policy, "bit_offset": bit_offset, "bit_size": bit_size, "value": value},
        )


class BitGet(Call):
    """``BitGet``."""

    def __init__(self, bit_offset: Any, bit_size: Any, bin: Any) -> None:
        super().__init__("bit", "get", bin, None, {"bit_offset": bit_offset, "bit_size": bit_size})


class BitCount(Call):
    """``BitCount``."""

    def __init__(self, bit_offset: Any, bit_size: Any, bin: Any) -> None:
        super().__init__(
            "bit", "count", bin, None, {"bit_offset": bit_offset, "bit_size": bit_size}
        )


class BitLeftScan(Call):
    """``BitLeftScan``."""

    def __init__(self, bit_offset: Any, bit_size: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "lscan",
            bin,
            None,
            {"bit_offset": bit_offset, "bit_size": bit_size, "value": value},
        )


class BitRightScan(Call):
    """``BitRightScan``."""

    def __init__(self, bit_offset: Any, bit_size: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "rscan",
            bin,
            None,
            {"bit_offset": bit_offset, "bit_size": bit_size, "value": value},
        )


class BitGetInt(Call):
    """``BitGetInt``."""

    def __init__(self, bit_offset: Any, bit_size: Any, sign: Any, bin: Any) -> None:
        super().__init__(
            "bit",
            "get_int",
            bin,
            None,
            {"bit_offset": bit_offset, "bit_size": bit_size, "sign": sign},
        )


class BitB64Encode(Absent):
    """Not supported."""
