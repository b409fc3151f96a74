"""The operations of each worker, generated before the clock starts and repeated while it runs."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from .bins import Bins
from .keys import ABSENT, UNIFORM, drawing
from .keys import LATEST as NEWEST
from .mix import (
    ADD,
    DECREMENT,
    INCREMENT,
    LATEST,
    MISS,
    OPERATE,
    READ,
    READ_ONE,
    SCAN,
    UPDATE_ONE,
    WRITE_ONE,
)
from .records import record_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .mix import Workload

Key = int | list[int]
"""One key, or those of a batch."""
Operation = tuple[Key, Bins | list[Bins] | None]
"""A key and the bins to write, or None for a read of the whole record; in batches lists of both."""
Step = tuple[Key, object, str]
"""The same for workloads with more verbs: a key, the verb's argument, and the verb."""
Block = tuple[Operation, list[Operation]]
"""One operation whose latency is taken, then those that follow it unmeasured."""

STREAM_TOTAL = 1 << 18
"""Operations of all workers together, for a measurement of a second or more."""
STREAM_LEAST = 256
STREAM_MOST = 1 << 16
BATCHES_LEAST = 8
BATCHES_MOST = 1 << 12
SCAN_MOST = 100
"""Records of the longest scan; all lengths from 1 are equally likely."""


def operations_for(seconds: float) -> int:
    """The number of operations that all workers together cycle through. A short measurement has
    fewer, so that generating them does not take longer than the measurement."""
    return round(STREAM_TOTAL * min(1.0, seconds))


def stream_length(workers: int, total: int = STREAM_TOTAL) -> int:
    return min(STREAM_MOST, max(STREAM_LEAST, total // workers))


def mixed_stream(
    workload: Workload,
    pool: list[Bins],
    keys: int,
    seed: int,
    worker: int,
    workers: int,
    distribution: str = UNIFORM,
    total: int = STREAM_TOTAL,
) -> list[Operation]:
    """A worker's whole reads and whole writes, to be repeated; the shares are exact."""
    steps = step_stream(workload, pool, keys, seed, worker, workers, distribution, total)
    return [(key, None if verb == READ else record_of(pool, _one(key))) for key, _, verb in steps]


def _one(key: Key) -> int:
    assert isinstance(key, int)
    return key


def step_stream(
    workload: Workload,
    pool: list[Bins],
    keys: int,
    seed: int,
    worker: int,
    workers: int,
    distribution: str = UNIFORM,
    total: int = STREAM_TOTAL,
    misses: float = 0.0,
) -> list[Step]:
    """A worker's operations, to be repeated; the shares of the verbs are exact. The given
    percentage of reads of whole records uses missing keys."""
    rng = random.Random(f"stream/{seed}/{worker}")  # noqa: S311 - repeatable, not secret
    verbs = _verbs(workload, stream_length(workers, total), misses)
    rng.shuffle(verbs)
    draw = drawing(distribution, keys, rng)
    recent = drawing(NEWEST, keys, rng)
    names = list(pool[0])

    def step(verb: str) -> Step:
        if verb == LATEST:
            # The distance below the newest key, which is known only when the call is made.
            return keys - 1 - recent(), None, verb
        if verb == MISS:
            return ABSENT + rng.randrange(keys), None, verb
        key = draw()
        if verb == SCAN:
            rows = min(rng.randint(1, SCAN_MOST), keys)
            first = min(key, keys - rows)
            return list(range(first, first + rows)), None, verb
        return key, _operand(verb, record_of(pool, key), names, rng.choice), verb

    return [step(verb) for verb in verbs]


def _verbs(workload: Workload, length: int, misses: float) -> list[str]:
    """The given percentage of each; the remainder from rounding goes to the last."""
    shares = [one for one in workload.shares if one[1]]
    verbs: list[str] = []
    reached = 0.0
    for verb, percent in shares:
        reached += percent
        many = round(length * reached / 100) - len(verbs)
        absent = round(many * misses / 100) if verb == READ else 0
        verbs += [MISS] * absent + [verb] * (many - absent)
    return verbs


def _operand(
    verb: str, record: Bins, names: list[str], choose: Callable[[list[str]], str]
) -> object:
    """The argument of a verb apart from its key."""
    if verb == READ_ONE:
        return choose(names)
    if verb in (WRITE_ONE, UPDATE_ONE):
        name = choose(names)
        return {name: record[name]}
    if verb in (ADD, INCREMENT, OPERATE):
        return 1
    return -1 if verb == DECREMENT else record


def batch_stream(
    pool: list[Bins] | None,
    keys: int,
    seed: int,
    worker: int,
    workers: int,
    rows: int,
    total: int = STREAM_TOTAL,
) -> list[Operation]:
    """A worker's batches of distinct uniform keys, to be repeated; with a pool they are writes."""
    rng = random.Random(f"batches/{seed}/{worker}")  # noqa: S311 - repeatable, not secret
    length = min(BATCHES_MOST, max(BATCHES_LEAST, total // (workers * rows)))
    batches = (rng.sample(range(keys), rows) for _ in range(length))
    return [
        (batch, None if pool is None else [record_of(pool, key) for key in batch])
        for batch in batches
    ]


def insert_stream(pool: list[Bins], keys: int, worker: int, workers: int) -> list[Operation]:
    """A worker's share of writing every key from 0 to keys - 1 once."""
    return [(key, record_of(pool, key)) for key in range(worker, keys, workers)]


def into_blocks(operations: list[Operation], every: int, offset: int = 0) -> list[Block]:
    """Groups operations so that the first of each `every` is the one whose latency is taken. With
    an offset the first group has that length, so that not all workers time the same turn."""
    starts = [0, *range(offset % every or every, len(operations), every)]
    ends = [*starts[1:], len(operations)]
    pairs = zip(starts, ends, strict=True) if operations else ()
    return [(operations[start], operations[start + 1 : end]) for start, end in pairs]


def jitter(every: int, seed: int, worker: int) -> int:
    """The offset of a worker's sampling: tasks of one loop move in step, and would otherwise all be
    timed in the same turn."""
    rng = random.Random(f"jitter/{seed}/{worker}")  # noqa: S311 - repeatable, not secret
    return rng.randrange(every)
