"""How much is measured where flags say so themselves, instead of the size."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..arguments import count, seconds, seconds_or_none

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")

BY_CALLS = "aerospike-py"
"""The recipe that makes so many calls, however long they take."""


@dataclass(frozen=True, kw_only=True)
class Instead:
    """None: as the size has it."""

    duration: float | None = None
    warmup: float | None = None
    rounds: int | None = None
    keys: int | None = None

    def told(self) -> dict[str, Any]:
        """What flags say, by name."""
        return {name: said for name, said in asdict(self).items() if said is not None}

    def of(self, settings: S, **names: str) -> S:
        """A copy of a dataclass with what flags say about the fields of these names, and about
        those that `names` calls otherwise."""
        fields: dict[str, Any] = {}
        for name, said in self.told().items():
            field = names.get(name, name)
            if hasattr(settings, field):
                fields[field] = said
        return replace(settings, **fields)


def add_flags(how: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]
    """The flags, under the names that they have everywhere."""
    how.add_argument(
        *("-d", "--duration"),
        type=seconds,
        metavar="SECONDS",
        help="seconds per run; default: from --size",
    )
    how.add_argument(
        "--warmup",
        type=seconds_or_none,
        metavar="SECONDS",
        help="warm-up seconds; default: from --size",
    )
    how.add_argument(
        "--rounds",
        type=count,
        metavar="N",
        help=f"rounds; default: from --size; with {BY_CALLS} each has several",
    )
    how.add_argument(
        *("-k", "--keys"),
        type=count,
        metavar="N",
        help=f"records per set, with {BY_CALLS} calls per round; default: from --size",
    )


def given(args: argparse.Namespace) -> Instead:
    """What the flags say."""
    return Instead(duration=args.duration, warmup=args.warmup, rounds=args.rounds, keys=args.keys)


def problem(args: argparse.Namespace, recipes: Sequence[str]) -> str | None:
    """Why these flags mean nothing to the only recipe asked for, or None."""
    said = given(args)
    if tuple(recipes) != (BY_CALLS,) or (said.duration is None and said.warmup is None):
        return None
    flag = "--warmup" if said.duration is None else "--duration"
    return f"{flag}: {BY_CALLS} makes so many calls, and takes no time: say -k and --rounds"
