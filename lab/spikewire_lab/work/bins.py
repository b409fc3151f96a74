"""The bins of every record: their kinds and sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass

Value = int | float | str | bytes
Bins = dict[str, Value]
_BIN = re.compile(r"([IFSB])(\d+)")


@dataclass(frozen=True)
class BinSpec:
    """One bin: kind `I` (an integer of at most `size` bytes), `F` (a float of 8 bytes), `S` (text)
    or `B` (bytes)."""

    kind: str
    size: int

    def value(self, word: int) -> Value:
        """The value derived from 64 bits, which text and bytes repeat."""
        if self.kind == "I":
            return word >> (65 - 8 * self.size)
        if self.kind == "F":
            # Never an integer: JavaScript clients write whole numbers as integers.
            return ((word >> 12) + 0.5) / (1 << 52)
        if self.kind == "S":
            return (f"{word:016x}" * (self.size // 16 + 1))[: self.size]
        return (word.to_bytes(8, "big") * (self.size // 8 + 1))[: self.size]

    def fits(self, value: object) -> bool:
        """Whether a value has this kind and size."""
        if self.kind == "I":
            return isinstance(value, int) and 0 <= value < 1 << (8 * self.size - 1)
        if self.kind == "F":
            return isinstance(value, float) and 0 <= value < 1
        if self.kind == "S":
            return isinstance(value, str) and len(value) == self.size
        return isinstance(value, (bytes, bytearray)) and len(value) == self.size


def parse_bins(text: str) -> tuple[BinSpec, ...]:
    """Parses `I1` or `I8,S128,B1024`: the bins b0, b1, ... of every record."""
    return tuple(_parse_bin(item.strip(), text) for item in text.split(","))


def _parse_bin(item: str, text: str) -> BinSpec:
    match = _BIN.fullmatch(item)
    if match is None:
        raise ValueError(f"bins {text!r}: {item!r} is not I<bytes>, F8, S<characters> or B<bytes>")
    spec = BinSpec(match[1], int(match[2]))
    if spec.kind == "F" and spec.size != 8:
        raise ValueError(f"bins {text!r}: a float has 8 bytes, so {item!r} must be F8")
    if spec.size < 1 or (spec.kind == "I" and spec.size > 8):
        limit = "1 to 8" if spec.kind == "I" else "1 or more"
        raise ValueError(f"bins {text!r}: the size in {item!r} must be {limit}")
    return spec


def bin_names(bins: tuple[BinSpec, ...]) -> tuple[str, ...]:
    return tuple(f"b{at}" for at in range(len(bins)))
