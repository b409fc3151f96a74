"""Flags of the recipe `spike`: which scenarios, for how long, at which load."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..arguments import names, seconds, value
from ..spike.scenarios import LETTERS, SCENARIOS

if TYPE_CHECKING:
    import argparse

RECIPE = "spike"


@dataclass(frozen=True, kw_only=True)
class ScenarioChoice:
    """The values of these flags; None, and no scenario, keep what the size and the clients say."""

    scenarios: tuple[str, ...] = ()
    seconds: float | None = None
    rate: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Those that were given."""
        return {name: one for name, one in asdict(self).items() if one not in (None, ())}


@value
def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number of calls per second") from None
    if not 1 <= rate <= 1_000_000:
        raise ValueError(f"{text} calls per second is not between 1 and a million")
    return rate


def add_flags(recipe: argparse.ArgumentParser, quick: str) -> None:
    """Adds the flags; `quick` is the size that `--quick` stands for."""
    group = recipe.add_argument_group("scenarios")
    about = ", ".join(f"{one.letter} {one.name}" for one in SCENARIOS)
    group.add_argument(
        "--scenarios",
        type=names("scenario", LETTERS),
        default=(),
        metavar="LETTER,...",
        help=f"only these; default: those of --size, in full all of {about}",
    )
    group.add_argument(
        "--seconds",
        type=seconds,
        metavar="SECONDS",
        help="how long the trouble of each scenario lasts; what comes before and after is scaled"
        " with it; default: from --size",
    )
    group.add_argument(
        "--rate",
        type=_rate,
        metavar="CALLS",
        help="reads per second that count as capacity, for every client; default: what each client"
        " reaches in a closed loop",
    )
    group.add_argument(
        "--quick", dest="size", action="store_const", const=quick, help=f"short for --size {quick}"
    )


def of_args(args: argparse.Namespace) -> ScenarioChoice:
    """The values of the flags, for recipes without them as well."""
    if "scenarios" not in args:
        return ScenarioChoice()
    return ScenarioChoice(scenarios=args.scenarios, seconds=args.seconds, rate=args.rate)
