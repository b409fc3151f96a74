"""Flags of open loops, for `bench` and `compare`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..arguments import value
from ..clients.base import MODES
from ..contract.open import ARRIVALS, CONSTANT
from ..plan import BATCH_MODE, NODE_BATCH_MODE
from ..table.pools import POOL_MODE
from ..work import parse_workload
from ..work.mix import INSERTING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from ..run.compare import Comparison, Settings

BATCH_MODES = (BATCH_MODE, NODE_BATCH_MODE)
OPEN_MODES = (*MODES, *BATCH_MODES, POOL_MODE)
"""The modes that support open loops."""
BATCH_SIZES = (128,)
"""Default number of records of a batch, if the user gives none for reads or writes."""
SWEEP = "sweep"
HIGHEST_RATE = 1e6


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds the flags that turn a comparison into open loops."""
    how = parser.add_argument_group("open loop")
    how.add_argument(
        "--rate",
        type=_rates,
        metavar="R[,R...]",
        help="calls started per second, however long they take; latency counts from the scheduled"
        " start. Several processes take calls in turn."
        f" {SWEEP}: 25, 50, 75 and 90 %% of the throughput of the slowest client",
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
    """Why these flags cannot be combined, or None."""
    if not args.rate:
        return "--arrivals is for open loops, with --rate" if args.arrivals else None
    closed = [mode for mode in modes if mode not in OPEN_MODES]
    if closed:
        return f"--rate is for --mode {', '.join(OPEN_MODES)}; {closed[0]} is a closed loop"
    if parse_workload(args.workload).kind == INSERTING:
        return (
            f"-w {args.workload} writes every key once, as fast as a client can: it has no --rate"
        )
    return _mixed(args, modes) if args.rate == SWEEP else None


def _mixed(args: argparse.Namespace, modes: Sequence[str]) -> str | None:
    """Why no single rate suits all cells, or None."""
    batches = [mode for mode in modes if mode in BATCH_MODES]
    if not batches:
        return None
    if len(modes) > 1:
        others = ", ".join(mode for mode in modes if mode != batches[0])
        return (
            f"--rate {SWEEP}: calls of --mode {batches[0]} and of {others} are not alike, and have"
            " rates of their own: sweep one mode at a time"
        )
    sizes = [*(args.batch_sizes or ()), *(args.write_sizes or ())]
    if len(sizes) > 1:
        return (
            f"--rate {SWEEP}: batches of {', '.join(map(str, sizes))} have rates of their own:"
            " sweep one size at a time"
        )
    return None


def complete(args: argparse.Namespace) -> None:
    """Fills in the batch size if there is a rate and the user gave no size."""
    if args.rate and set(args.modes) & set(BATCH_MODES) and not args.write_sizes:
        args.batch_sizes = args.batch_sizes or BATCH_SIZES


def run(
    kind: str,
    settings: Settings,
    rate: tuple[float, ...] | str,
    command_line: Sequence[str],
    path: Path,
) -> Comparison:
    """Runs open loops at these rates. A sweep first measures the clients in a closed loop, shows
    the result and saves it next to `path`; if interrupted then, that is the result."""
    from ..run import sweep
    from ..run.compare import compare
    from ..run.progress import Progress
    from ..run.report import show, write_json

    if isinstance(rate, str):
        closed = compare(kind, sweep.saturating(settings), command_line, Progress())
        if closed.interrupted:
            return closed
        show(closed)
        write_json(closed, path.with_name(f"{path.stem}-saturation{path.suffix}"))
        slowest = sweep.slowest(closed.lines())
        settings = replace(settings, rates_from=sweep.rates_in_words(slowest))
        rate = sweep.rates(slowest)
    return compare(kind, sweep.at_rates(settings, rate), command_line, Progress())
