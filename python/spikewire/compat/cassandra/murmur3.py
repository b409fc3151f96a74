"""The hash of partition keys, as ``Murmur3Partitioner`` of Cassandra computes it."""

from __future__ import annotations

__all__ = ["murmur3"]

_MASK = (1 << 64) - 1
_C1, _C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F


def murmur3(data: bytes) -> int:
    """The first half of MurmurHash3 (x64, 128 bits), signed. Bytes of the tail are signed, too, as
    in Cassandra."""
    first = second = 0
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        one = int.from_bytes(data[at : at + 8], "little")
        two = int.from_bytes(data[at + 8 : at + 16], "little")
        first ^= _rotated(one * _C1 & _MASK, 31) * _C2 & _MASK
        first = ((_rotated(first, 27) + second) * 5 + 0x52DCE729) & _MASK
        second ^= _rotated(two * _C2 & _MASK, 33) * _C1 & _MASK
        second = ((_rotated(second, 31) + first) * 5 + 0x38495AB5) & _MASK
    tail = [byte - 256 if byte > 127 else byte for byte in data[whole:]]
    one = two = 0
    for at, byte in enumerate(tail):
        if at < 8:
            one ^= byte << (8 * at)
        else:
            two ^= byte << (8 * (at - 8))
    if len(tail) > 8:
        second ^= _rotated(two * _C2 & _MASK, 33) * _C1 & _MASK
    if tail:
        first ^= _rotated(one * _C1 & _MASK, 31) * _C2 & _MASK
    first ^= len(data)
    second ^= len(data)
    first = (first + second) & _MASK
    second = (second + first) & _MASK
    first = (_mixed(first) + _mixed(second)) & _MASK
    return first - (1 << 64) if first >> 63 else first


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> (64 - bits)) & _MASK


def _mixed(number: int) -> int:
    number ^= number >> 33
    number = number * 0xFF51AFD7ED558CCD & _MASK
    number ^= number >> 33
    number = number * 0xC4CEB9FE1A85EC53 & _MASK
    return number ^ number >> 33
