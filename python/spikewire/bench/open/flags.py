"""Flags of open loops, for `bench` and `compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arguments import value
from ..clients.base import ASYNC, ASYNC_UVLOOP, SYNC
from .contract import ARRIVALS, CONSTANT

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from ..run.compare import Comparison, Settings

OPEN_MODES = (ASYNC, ASYNC_UVLOOP, SYNC)
OUTSTANDING, THREADS = 256, 32
"""The most calls outstanding on an event loop, and threads, unless the user says otherwise."""
SWEEP = "sweep"
HIGHEST_RATE = 1e6


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Those that make open loops of a comparison."""
    how = parser.add_argument_group("open loop")
    how.add_argument(
        "--rate",
        type=_rates,
        metavar="R[,R...]",
        help="calls that begin each second, however long they take; latency counts from when they"
        f" were to begin. {SWEEP}: 25, 50, 75 and 90 %% of what the slowest of the clients can do",
    )
    how.add_argument("--arrivals", choices=ARRIVALS, help=f"default: {CONSTANT}")


@value
def _rates(text: str) -> tuple[float, ...] | str:
    if text == SWEEP:
        return text
    return tuple(dict.fromkeys(_rate(item.strip()) for item in text.split(",")))


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number of calls each second, nor {SWEEP}") from None
    if not 0 < rate <= HIGHEST_RATE:
        raise ValueError(f"{text} calls each second are not between 0 and {HIGHEST_RATE:,.0f}")
    return rate


def problem(args: argparse.Namespace, modes: Sequence[str]) -> str | None:
    """The reason why these flags cannot be, if there is one."""
    if not args.rate:
        return "--arrivals is for open loops, with --rate" if args.arrivals else None
    closed = [mode for mode in modes if mode not in OPEN_MODES]
    if closed:
        return f"--rate is for --mode {', '.join(OPEN_MODES)}; {closed[0]} is a closed loop"
    if args.workload == "I":
        return "-w I writes every key once, as fast as a client can: it has no --rate"
    return None


def run(
    kind: str,
    settings: Settings,
    rate: tuple[float, ...] | str,
    command_line: Sequence[str],
    path: Path,
) -> Comparison:
    """Open loops at these rates. A sweep first shows, and keeps beside `path`, what the clients can
    do in a closed loop; interrupted then, that is the result."""
    from ..run.compare import compare
    from ..run.progress import Progress
    from ..table.report import show, write_json
    from . import sweep

    if isinstance(rate, str):
        closed = compare(kind, sweep.saturating(settings), command_line, Progress())
        if closed.interrupted:
            return closed
        show(closed)
        write_json(closed, path.with_name(f"{path.stem}-saturation{path.suffix}"))
        rate = sweep.rates(sweep.slowest(closed.lines()))
    return compare(kind, sweep.at_rates(settings, rate), command_line, Progress())
