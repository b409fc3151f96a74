"""Flags that `spikewire bench` and `spikewire compare` share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import checked, count, cpus, percentage, seconds, seconds_or_none
from ..run import place
from ..run.rounds import MORE_ROUNDS
from ..studies import overrides
from ..studies.baseline import against
from ..table.figures import ERROR_LIMIT
from ..table.versus import LEAST_ROUNDS, PRECISION
from ..work import parse_bins, parse_workload
from ..work.keys import DISTRIBUTIONS
from ..work.mix import GRAMMAR, MEANINGS

if TYPE_CHECKING:
    import argparse


@dataclass(frozen=True)
class Pace:
    """Seconds of measurement, of warm-up, and of the pause between two runs."""

    duration: float
    warmup: float
    pause: float


_SECONDS = {
    "duration": "seconds",
    "warmup": "seconds before",
    "pause": "idle seconds before each run",
}
_PACE = (
    (("-d", "--duration"), "duration", seconds),
    (("--warmup",), "warmup", seconds_or_none),
    (("--pause", "--cooldown"), "pause", seconds_or_none),
)


def add_flags(
    parser: argparse.ArgumentParser, rounds: int, pace: Pace, short: Pace | None = None
) -> None:
    place.add_alternate(place.add_flags(parser))
    work = parser.add_argument_group("work")
    work.add_argument("-k", "--keys", type=count, default=100_000, help="default: 100,000")
    work.add_argument(
        *("-o", "--bins"),
        type=checked(parse_bins),
        metavar="SPEC,...",
        help="I<bytes>, F8, S<characters>, B<bytes>: bins b0, b1, ...; default: I1, with YCSB 10 of"
        " S100",
    )
    work.add_argument(
        *("-w", "--workload"),
        type=checked(parse_workload),
        default="RU,50",
        metavar="WORKLOAD",
        help=f"{GRAMMAR}; default: RU,50. "
        + "; ".join(f"{form}: {meaning}" for form, meaning in MEANINGS.items()).replace("%", "%%"),
    )
    work.add_argument(
        "--distribution",
        choices=DISTRIBUTIONS,
        help="of the keys of single records; default: uniform, with YCSB its own",
    )
    work.add_argument(
        "--misses",
        type=percentage,
        default=0.0,
        metavar="PERCENT",
        help="percentage of whole-record reads with keys that do not exist; default: 0",
    )
    work.add_argument("--seed", type=int, default=1, help="seed of the random keys and values")
    work.add_argument(
        "--max-ops",
        type=count,
        metavar="N",
        help="end a run after this many operations, of all processes together, if its time is not "
        "over before; default: no limit",
    )
    work.add_argument(
        "--truncate",
        action="store_true",
        help="truncate the set before writing it, and after each run of -w I; with --no-populate"
        " before each run, whose reads may then find no record",
    )
    work.add_argument(
        *("--no-populate",), dest="populate", action="store_false", help="use the existing records"
    )
    how = parser.add_argument_group("measurement")
    for flags, name, parse in _PACE:
        default: float = getattr(pace, name)
        text = f"{_SECONDS[name]}; default: {default:g}"
        if short is not None:
            text += f", or {getattr(short, name):g} if no mode has single records"
        how.add_argument(*flags, type=parse, default=None if short else default, help=text)
    how.add_argument("--rounds", type=count, default=rounds, help="default: %(default)s")
    if rounds > 1:
        overrides.add_precision(how, f"{MORE_ROUNDS} times --rounds, if that is 5 or more")
    add_error_limit(how)
    how.add_argument(
        "--lat-sample-every", type=count, default=16, metavar="N", help="time 1 in N; default: 16"
    )
    how.add_argument(
        "--gil",
        choices=("on", "off"),
        help="GIL of the clients' interpreter, if it is free-threaded",
    )
    how.add_argument(
        "--client-cpus",
        type=cpus,
        default=(),
        metavar="N,...",
        help="pin the client to these processors",
    )
    how.add_argument(
        "--server-cpus",
        type=cpus,
        default=(),
        metavar="N,...",
        help="pin the embedded cluster to these processors",
    )
    how.add_argument(
        "--keep-awake",
        action="store_true",
        help="keep the processors from idling, so no client is charged for waking them",
    )
    how.add_argument(
        "--per-process",
        action="store_true",
        help="below the table, show each of several --processes and its memory",
    )
    how.add_argument(
        "--hlog",
        type=Path,
        metavar="FOLDER",
        help="save the latencies of every run in this folder as HDR interval logs (V2), reads and "
        "writes separately",
    )
    against.add_flag(how, "a JSON file written by this command")
    text = "default: bench-results/<command>-<time>.json"
    how.add_argument("--json", type=Path, metavar="PATH", help=text)


def add_error_limit(how: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]
    """Adds the flag for the share of calls that may fail."""
    how.add_argument(
        "--error-limit",
        type=percentage,
        default=100 * ERROR_LIMIT,
        metavar="PERCENT",
        help="share of calls that may fail before others are no longer compared with a client; "
        "default: %(default)g",
    )


def most_rounds(args: argparse.Namespace) -> int | None:
    """The highest number of rounds; None if there are only as many as `--rounds` says."""
    most: int | None = getattr(args, "most_rounds", None)
    if most is not None:
        return most
    several = hasattr(args, "most_rounds") and args.rounds >= LEAST_ROUNDS
    return MORE_ROUNDS * args.rounds if several else None


def precision(args: argparse.Namespace) -> float:
    """How precise ratios must be when rounds end, as a share."""
    percent: float | None = getattr(args, "precision", None)
    return PRECISION if percent is None else percent / 100
