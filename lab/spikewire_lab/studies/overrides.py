"""Flags that override the amounts of work of a recipe's size."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..arguments import count, percentage, seconds, seconds_or_none
from ..table.versus import PRECISION

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")

BY_CALLS = "aerospike-py"
"""The recipe that makes a given number of calls, however long they take."""


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """Overrides of the size; None keeps the amount of the size."""

    duration: float | None = None
    warmup: float | None = None
    rounds: int | None = None
    most_rounds: int | None = None
    """By default the rounds that are requested, if any are."""
    precision: float | None = None
    keys: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The values given by flags, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def of(self, settings: S, **names: str) -> S:
        """A copy of a dataclass with the fields of these names overridden by flags; `names` maps
        fields that the dataclass calls differently."""
        fields: dict[str, Any] = {}
        known = self.as_json()
        if self.rounds is not None:
            known.setdefault("most_rounds", self.rounds)
        for name, value in known.items():
            field = names.get(name, name)
            if hasattr(settings, field):
                fields[field] = value
        return replace(settings, **fields)


def add_flags(how: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]
    """Adds the flags, which have the same names as elsewhere."""
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
    add_precision(how, "from --size; with --rounds, as many as these")
    how.add_argument(
        *("-k", "--keys"),
        type=count,
        metavar="N",
        help=f"records per set, with {BY_CALLS} calls per round; default: from --size",
    )


def add_precision(how: argparse._ArgumentGroup, most: str) -> None:  # pyright: ignore[reportPrivateUsage]
    """Adds the flags that say when rounds end; `most` is the default of the first, in words."""
    how.add_argument(
        "--most-rounds",
        type=count,
        metavar="N",
        help="rounds go on up to this number while a ratio of ours to the best other is not"
        f" precise; default: {most}",
    )
    how.add_argument(
        "--precision",
        type=percentage,
        metavar="PERCENT",
        help="how far the ends of a ratio's 95%% interval may lie from it when rounds end; default:"
        f" {100 * PRECISION:g}",
    )


def of_args(args: argparse.Namespace) -> Overrides:
    """The values of the flags."""
    return Overrides(
        duration=args.duration,
        warmup=args.warmup,
        rounds=args.rounds,
        most_rounds=args.most_rounds,
        precision=None if args.precision is None else args.precision / 100,
        keys=args.keys,
    )


def problem(args: argparse.Namespace, recipes: Sequence[str]) -> str | None:
    """Why these flags have no meaning for the only requested recipe, or None."""
    overrides = of_args(args)
    if tuple(recipes) != (BY_CALLS,) or (overrides.duration is None and overrides.warmup is None):
        return None
    flag = "--warmup" if overrides.duration is None else "--duration"
    return f"{flag}: {BY_CALLS} makes so many calls, and takes no time: say -k and --rounds"
