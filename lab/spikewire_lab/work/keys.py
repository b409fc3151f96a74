"""The distribution of keys: uniform, zipfian, or latest first.

The zipfian generator is that of YCSB (after Gray et al., "Quickly generating billion-record
synthetic databases"), and so is the scattering of its ranks over the keys.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

UNIFORM, ZIPFIAN, LATEST = "uniform", "zipfian", "latest"
DISTRIBUTIONS = (UNIFORM, ZIPFIAN, LATEST)
THETA = 0.99
SCATTERED_ITEMS = 10_000_000_000
"""Ranks that YCSB draws from before it scatters them over the existing keys."""
SCATTERED_ZETA = 26.46902820178302
"""The sum of 1 / rank ** 0.99 over all of them."""
ABSENT = 1 << 40
"""Keys from here on are never written: reads of them miss."""
_OFFSET, _PRIME, _ALL = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def drawing(distribution: str, keys: int, rng: random.Random) -> Callable[[], int]:
    """A function that returns the next key from 0 to `keys` - 1."""
    if distribution == UNIFORM:
        return lambda: rng.randrange(keys)
    if distribution == ZIPFIAN:
        scattered = zipfian(SCATTERED_ITEMS, rng, SCATTERED_ZETA)
        return lambda: scatter(scattered()) % keys
    near = zipfian(keys, rng, zeta(keys))
    return lambda: keys - 1 - near()


def zipfian(items: int, rng: random.Random, total: float) -> Callable[[], int]:
    """A function that returns the next rank from 0, the most frequent, to `items` - 1; `total` is
    `zeta(items)`."""
    if items == 1:
        return lambda: 0
    alpha = 1 / (1 - THETA)
    second = 1 + 0.5**THETA
    eta = (1 - (2 / items) ** (1 - THETA)) / (1 - second / total) if items > 2 else 0.0
    uniform = rng.random

    def rank() -> int:
        drawn = uniform()
        if drawn * total < 1:
            return 0
        if drawn * total < second or items == 2:
            return 1
        return min(items - 1, int(items * (eta * drawn - eta + 1) ** alpha))

    return rank


@lru_cache(maxsize=8)
def zeta(items: int) -> float:
    """The sum of 1 / rank ** theta over all ranks."""
    return math.fsum(rank**-THETA for rank in range(1, items + 1))


@lru_cache(maxsize=1 << 16)
def scatter(number: int) -> int:
    """FNV-1a of the 8 bytes of a number, without its sign, as in YCSB."""
    hashed = _OFFSET
    for _ in range(8):
        hashed = ((hashed ^ (number & 0xFF)) * _PRIME) & _ALL
        number >>= 8
    return min(hashed, (1 << 64) - hashed)
