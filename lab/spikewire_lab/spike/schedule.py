"""When calls are due, and which keys they read: all of it before the clock starts."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .result import SpikePlan

NS = 1_000_000_000
HOT = 0
"""The key of the hot record."""
MOST = 3_000_000
"""Calls of one run; more would be a mistake."""


class Due(NamedTuple):
    """A call: nanoseconds from the start, and the key or keys to read."""

    at: int
    keys: int | tuple[int, ...]


def schedule(plan: SpikePlan, keys: int, seed: int) -> list[Due]:
    """The calls of all phases in the order in which they are due, those of a phase at random
    instants. The hot key is read in the trouble alone."""
    rng = random.Random(f"spike/{seed}")  # noqa: S311 - repeatable, not secret
    if plan["connects"]:
        return [Due(0, rng.randrange(keys)) for _ in range(plan["connects"])]
    spans = _spans([phase["seconds"] for phase in plan["phases"]])
    due: list[Due] = []
    begun, ended = (round(NS * at) for at in plan["windows"]["during"])
    if plan["singles"]:
        for (start, seconds), phase in zip(spans, plan["phases"], strict=True):
            count = round(plan["capacity"] * phase["load"] * seconds)
            if len(due) + count > MOST:
                raise ValueError(f"more than {MOST:,} calls: ask for a lower --rate or less time")
            for at in sorted(_instants(rng, start, seconds, count)):
                hot = begun <= at < ended and rng.random() < plan["hot"]
                due.append(Due(at, HOT if hot else rng.randrange(1, keys)))
    batches = plan["batches"]
    if batches is not None:
        whole = sum(seconds for _, seconds in spans)
        rows = min(batches["rows"], keys - 1)
        due += [
            Due(at, tuple(rng.sample(range(1, keys), rows)))
            for at in _instants(rng, 0.0, whole, round(batches["rate"] * whole))
        ]
    return sorted(due, key=lambda one: one.at)


def _spans(seconds: Sequence[float]) -> list[tuple[float, float]]:
    """When each begins, and how long it lasts."""
    return [(sum(seconds[:at]), one) for at, one in enumerate(seconds)]


def _instants(rng: random.Random, start: float, seconds: float, count: int) -> list[int]:
    span = max(1, round(seconds * NS))
    return [round(start * NS) + rng.randrange(span) for _ in range(count)]
