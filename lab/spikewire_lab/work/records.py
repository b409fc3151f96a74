"""The record of each key: the same in every language, so that any client can check any other's.

There is a small pool of records, and the key determines which one it has. The workers in Rust and
Node.js generate the same pool from the same seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .bins import Bins, BinSpec

POOL_SIZES = (1021, 251, 61, 13)
"""Sizes of the pool: the largest that fits into `POOL_BYTES` is used. Primes, so that keys in even
steps do not all have the same record."""
POOL_BYTES = 1 << 26
_ALL = (1 << 64) - 1


def value_pool(bins: tuple[BinSpec, ...], seed: int) -> list[Bins]:
    """All records; `record_of` selects the one of a key."""
    size = pool_size(bins)
    return [
        {f"b{at}": spec.value(word(seed, number, at)) for at, spec in enumerate(bins)}
        for number in range(size)
    ]


def pool_size(bins: tuple[BinSpec, ...]) -> int:
    room = POOL_BYTES // sum(spec.size for spec in bins)
    return next((size for size in POOL_SIZES if size <= room), POOL_SIZES[-1])


def word(seed: int, number: int, at: int) -> int:
    """The 64 bits from which bin `at` of record `number` is made."""
    return _mixed(_mixed(seed & _ALL) ^ (number << 32 | at))


def _mixed(state: int) -> int:
    """SplitMix64."""
    state = (state + 0x9E3779B97F4A7C15) & _ALL
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _ALL
    return state ^ (state >> 31)


def record_of(pool: Sequence[Bins], key: int) -> Bins:
    """The record of a key, at all times: a write changes nothing, but it is still a write."""
    return pool[key % len(pool)]


def matches(bins: tuple[BinSpec, ...], record: object) -> bool:
    """Whether this is a record of any key: its bins, types and sizes."""
    if not isinstance(record, Mapping):
        return False
    held = cast("Mapping[object, object]", record)
    return len(held) == len(bins) and all(
        spec.fits(held.get(f"b{at}")) for at, spec in enumerate(bins)
    )


def differs(expected: Bins, record: object, counter: str = "") -> str | None:
    """The first bin in which a record is not the expected one, or None; `counter` is a bin that may
    have any integer."""
    if not isinstance(record, Mapping):
        return "it is no record"
    held = cast("Mapping[object, object]", record)
    if set(held) != set(expected):
        return f"its bins are {', '.join(map(str, held))}"
    for name, value in expected.items():
        actual = held[name]
        if name == counter:
            same = isinstance(actual, int)
        elif isinstance(value, bytes):
            same = isinstance(actual, (bytes, bytearray)) and actual == value
        else:
            same = type(actual) is type(value) and actual == value
        if not same:
            return f"bin {name} is {_short(actual)}, not {_short(value)}"
    return None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:36]}..."
