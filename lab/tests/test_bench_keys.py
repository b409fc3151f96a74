"""Keys are drawn as often as the theory predicts."""

from __future__ import annotations

import random
from collections import Counter
from math import sqrt

import pytest

from spikewire_lab.work.keys import (
    DISTRIBUTIONS,
    SCATTERED_ZETA,
    THETA,
    drawing,
    scatter,
    zeta,
    zipfian,
)

DRAWN = 100_000
SIGMAS = 5
"""The allowed distance of a draw from the expected count: one seed in two million exceeds it."""


def counted(distribution: str, keys: int) -> Counter[int]:
    draw = drawing(distribution, keys, random.Random(7))
    return Counter(draw() for _ in range(DRAWN))


def expect(count: int, share: float) -> None:
    deviation = sqrt(DRAWN * share * (1 - share))
    assert abs(count - DRAWN * share) < SIGMAS * deviation


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("keys", [1, 2, 3, 1000])
def test_keys_are_in_range(distribution: str, keys: int) -> None:
    counts = counted(distribution, keys)
    assert min(counts) >= 0
    assert max(counts) < keys


def test_uniform_keys_are_equally_frequent() -> None:
    for count in counted("uniform", 20).values():
        expect(count, 1 / 20)


def test_the_two_commonest_ranks_have_the_share_of_the_law() -> None:
    """The generator is exact for these two ranks, and approximate for those after them."""
    keys = 1000
    rank = zipfian(keys, random.Random(7), zeta(keys))
    counts = Counter(rank() for _ in range(DRAWN))
    expect(counts[0], 1 / zeta(keys))
    expect(counts[1], 2**-THETA / zeta(keys))
    head = sum(counts[one] for one in range(100)) / DRAWN
    assert head == pytest.approx(zeta(100) / zeta(keys), abs=0.02)


def test_the_latest_keys_are_the_commonest() -> None:
    counts = counted("latest", 1000)
    expect(counts[999], 1 / zeta(1000))
    expect(counts[998], 2**-THETA / zeta(1000))


def test_zipfian_keys_are_scattered() -> None:
    keys = 100_000
    counts = counted("zipfian", keys)
    (first, count), (second, _) = counts.most_common(2)
    assert (first, second) == (scatter(0) % keys, scatter(1) % keys)
    expect(count, 1 / SCATTERED_ZETA)
    assert abs(first - second) > 1


def test_the_hash_is_fnv_1a() -> None:
    """Of the eight bytes of 0: eight times the offset basis by the prime."""
    plain = 0xCBF29CE484222325
    for _ in range(8):
        plain = plain * 0x100000001B3 % 2**64
    assert scatter(0) == min(plain, 2**64 - plain)
