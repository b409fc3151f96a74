"""What instances of a type cost, against the same written by hand: ``python benches/typed.py``.

For each kind of class it times, in rounds one after the other, ``record.value`` and a function that
makes the instance from ``record`` as a program without types would; and the same for what a write
hands over. Prints nanoseconds of processor time for one record, the median of the rounds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec
import pydantic

import spikewire
from spikewire.testing import Cluster
from spikewire.typed.schemas import schema_of

if TYPE_CHECKING:
    from collections.abc import Callable

BINS: dict[str, Any] = {
    **{f"text{at}": "x" * 20 for at in range(4)},
    **{f"n{at}": at for at in range(3)},
    "tags": ["a", "b", "c"],
}
FIELDS: dict[str, Any] = {name: list[str] if name == "tags" else type(BINS[name]) for name in BINS}

Dict = TypedDict("Dict", {"text0": str, "text1": str, "text2": str, "text3": str, "n0": int, "n1": int, "n2": int, "tags": list[str]})  # fmt: skip  # noqa: E501, UP013


@dataclass
class Data:
    """A dataclass."""

    text0: str
    text1: str
    text2: str
    text3: str
    n0: int
    n1: int
    n2: int
    tags: list[str]


Struct = msgspec.defstruct("Struct", list(FIELDS.items()))
Model = pydantic.create_model("Model", **{name: (of, ...) for name, of in FIELDS.items()})


def one_round(call: Callable[[], object], calls: int) -> float:
    """Nanoseconds of processor time for a call."""
    began = time.thread_time_ns()
    for _ in range(calls):
        call()
    return (time.thread_time_ns() - began) / calls


def by_hand(kind: Any, record: Any) -> Callable[[], Any]:
    """What a program writes without types; msgspec and pydantic check, the others do not."""
    if kind is Dict:
        return lambda: {name: record[name] for name in BINS}
    if kind is Struct:
        return lambda: msgspec.convert(record.bins, kind)
    return lambda: kind(**record.bins)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each (default 9)")
    parser.add_argument("--calls", type=int, default=20_000, help="calls in a round")
    args = parser.parse_args()
    print(f"{'':11}{'value':>8}{'by hand':>9}{'write':>8}   ns of CPU for a record, median")
    with Cluster(nodes=1) as cluster, spikewire.Client(cluster.seeds) as client:
        for name, kind in (
            ("TypedDict", Dict),
            ("dataclass", Data),
            ("msgspec", Struct),
            ("pydantic", Model),
        ):
            users = client.dataset("test", "typed", kind)
            instance = kind(**BINS)
            users.put("a", instance)
            record, schema = users.get("a"), schema_of(kind)
            hand = by_hand(kind, record)
            assert hand() == record.value
            ways: list[Callable[[], object]] = [
                lambda record=record: record.value,  # type: ignore[misc]
                hand,
                lambda schema=schema, it=instance: schema.encode(it, True),  # type: ignore[misc]
            ]
            times = [[one_round(way, args.calls) for way in ways] for _ in range(args.rounds)]
            value, own, write = (statistics.median(it) for it in zip(*times, strict=True))
            print(f"{name:11}{value:8.0f}{own:9.0f}{write:8.0f}")


if __name__ == "__main__":
    main()
