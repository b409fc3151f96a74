"""What a run does: the operations, the values and the keys, all made before the clock starts."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

Value = int | float | str | bytes
Bins = dict[str, Value]
Key = int | list[int]
"""One key, or those of a batch."""
Operation = tuple[Key, Bins | list[Bins] | None]
"""A key and the bins to write, or None for a read of the whole record; in batches lists of both."""
Block = tuple[Operation, list[Operation]]
"""One operation whose latency is taken, then those that follow it unmeasured."""

POOL_SIZE = 1024
STREAM_TOTAL = 1 << 18
STREAM_LEAST = 1024
STREAM_MOST = 1 << 16
BATCHES_LEAST = 8
BATCHES_MOST = 1 << 12
_BIN = re.compile(r"([IFSB])(\d+)")


@dataclass(frozen=True)
class BinSpec:
    """One bin: kind `I` (an integer of at most `size` bytes), `F` (a float of 8 bytes), `S` (text)
    or `B` (bytes)."""

    kind: str
    size: int

    def value(self, rng: random.Random) -> Value:
        if self.kind == "I":
            return rng.getrandbits(8 * self.size - 1)
        if self.kind == "F":
            return rng.random()
        if self.kind == "S":
            return f"{rng.getrandbits(4 * self.size):0{self.size}x}"
        return rng.getrandbits(8 * self.size).to_bytes(self.size, "big")


@dataclass(frozen=True)
class Workload:
    """`RU`: read or update, `read_percent` of them reads. `I`: write every key once, in order."""

    kind: str
    read_percent: float = 0.0


def parse_bins(text: str) -> tuple[BinSpec, ...]:
    """`I1` or `I8,S128,B1024`: the bins b0, b1, ... of every record."""
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


def parse_workload(text: str) -> Workload:
    """`RU,50` (half reads, half updates), `RU,100`, or `I`."""
    kind, *numbers = (part.strip() for part in text.split(","))
    if kind == "I":
        if numbers:
            raise ValueError(f"workload {text!r}: I takes no numbers")
        return Workload("I")
    if kind != "RU":
        raise ValueError(f"workload {text!r}: only RU,<read percent> and I are measured here")
    if len(numbers) > 1:
        raise ValueError(f"workload {text!r}: every read and write takes the whole record")
    try:
        read_percent = float(numbers[0]) if numbers else 50.0
    except ValueError:
        raise ValueError(f"workload {text!r}: {numbers[0]!r} is not a percentage") from None
    if not 0 <= read_percent <= 100:
        raise ValueError(f"workload {text!r}: the read percentage must be 0 to 100")
    return Workload("RU", read_percent)


def value_pool(bins: tuple[BinSpec, ...], seed: int) -> list[Bins]:
    """The records that writes choose from."""
    rng = random.Random(f"values/{seed}")  # noqa: S311 - repeatable, not secret
    return [{f"b{at}": spec.value(rng) for at, spec in enumerate(bins)} for _ in range(POOL_SIZE)]


def matches(bins: tuple[BinSpec, ...], record: object) -> bool:
    """Whether a record read back has the bins, types and sizes that this workload writes."""
    if not isinstance(record, Mapping):
        return False
    held = cast("Mapping[object, object]", record)
    return len(held) == len(bins) and all(
        _fits(spec, held.get(f"b{at}")) for at, spec in enumerate(bins)
    )


def _fits(spec: BinSpec, value: object) -> bool:
    if spec.kind == "I":
        return isinstance(value, int) and 0 <= value < 1 << (8 * spec.size - 1)
    if spec.kind == "F":
        return isinstance(value, float) and 0 <= value < 1
    if spec.kind == "S":
        return isinstance(value, str) and len(value) == spec.size
    return isinstance(value, (bytes, bytearray)) and len(value) == spec.size


def mixed_stream(
    workload: Workload, pool: list[Bins], keys: int, seed: int, worker: int, workers: int
) -> list[Operation]:
    """A worker's operations over uniform keys, to be repeated; the read share is exact."""
    rng = random.Random(f"stream/{seed}/{worker}")  # noqa: S311 - repeatable, not secret
    length = min(STREAM_MOST, max(STREAM_LEAST, STREAM_TOTAL // workers))
    reads = round(length * workload.read_percent / 100)
    kinds = [True] * reads + [False] * (length - reads)
    rng.shuffle(kinds)
    return [(rng.randrange(keys), None if read else rng.choice(pool)) for read in kinds]


def bin_names(bins: tuple[BinSpec, ...]) -> tuple[str, ...]:
    return tuple(f"b{at}" for at in range(len(bins)))


def batch_stream(
    pool: list[Bins] | None, keys: int, seed: int, worker: int, workers: int, rows: int
) -> list[Operation]:
    """A worker's batches of distinct uniform keys, to be repeated; with a pool they are writes."""
    rng = random.Random(f"batches/{seed}/{worker}")  # noqa: S311 - repeatable, not secret
    length = min(BATCHES_MOST, max(BATCHES_LEAST, STREAM_TOTAL // (workers * rows)))
    return [
        (rng.sample(range(keys), rows), None if pool is None else rng.choices(pool, k=rows))
        for _ in range(length)
    ]


def insert_stream(pool: list[Bins], keys: int, worker: int, workers: int) -> list[Operation]:
    """A worker's share of writing every key from 0 to keys - 1 once."""
    return [(key, pool[key % len(pool)]) for key in range(worker, keys, workers)]


def into_blocks(operations: list[Operation], every: int) -> list[Block]:
    """Group operations so that the first of each `every` is the one whose latency is taken."""
    starts = range(0, len(operations), every)
    return [(operations[at], operations[at + 1 : at + every]) for at in starts]
