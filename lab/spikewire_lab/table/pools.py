"""The mode `pool`: event loops in threads, compared with one event loop and with calling
threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..arguments import amounts, counts
from ..clients import OURS
from ..clients.base import SYNC
from ..work.shape import EACH, MAP, POOL
from .line import LoopRatios

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..plan import Cell
    from .figures import Spread
    from .line import Line

POOL_MODE = "pool"
LOOPS, TASKS, WORK = (1, 2, 4), (128,), (0, 20)
"""Default event loops, tasks on all of them together, and microseconds of Python with each
command."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of this mode."""
    parser.add_argument(
        "--loops",
        type=counts,
        metavar="N,...",
        help=f"event loops in threads, in mode {POOL_MODE}; default: {listed(LOOPS)}",
    )
    parser.add_argument(
        "--work",
        type=amounts,
        metavar="US,...",
        help=f"microseconds of Python per call, in mode {POOL_MODE}; default: {listed(WORK)}",
    )


def complete(args: argparse.Namespace) -> str | None:
    """Fills in defaults; returns why the mode cannot be run, or None."""
    if args.workload == "I":
        return f"-w I writes every key once, and there is no more to do in --mode {POOL_MODE}"
    args.clients = args.clients or (OURS,)
    args.async_tasks = args.async_tasks or TASKS
    args.loops, args.work = args.loops or LOOPS, args.work or WORK
    fewest, most = min(args.async_tasks), max(args.loops)
    return f"-z {fewest}: fewer tasks than {most} event loops" if fewest < most else None


def listed(numbers: Sequence[int]) -> str:
    """Formatted as a flag takes them."""
    return ",".join(map(str, numbers))


def is_pooled(cell: Cell) -> bool:
    """Whether this compares event loops in threads."""
    return cell.loops > 0


def run_by(cell: Cell) -> str:
    """What makes the calls, in a few words."""
    if cell.mode == SYNC:
        return f"{cell.concurrency} thread{_s(cell.concurrency)}"
    loops = f"{cell.loops} loop{_s(cell.loops)}"
    return {
        POOL: f"pool, {loops}",
        MAP: f"pool.map, {loops}",
        EACH: f"{loops}, a client each",
    }.get(cell.shape.way, "1 loop")


def title(lines: Sequence[Line]) -> str:
    """What the lines of such a comparison share."""
    cell = lines[0].cell
    text = f"pool, {cell.mode}, {cell.concurrency} task{_s(cell.concurrency)} in all"
    return f"{text}, {cell.work} us of Python with each call" if cell.work else text


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def with_pools(lines: Sequence[Line]) -> list[Line]:
    """Lines of one group, those of a comparison of pools with their ratios."""
    if not any(is_pooled(line.cell) for line in lines):
        return list(lines)
    plain = {
        line.cell.client: line
        for line in lines
        if line.cell.mode != SYNC and not line.cell.loops and not line.flawed
    }
    return [replace(line, one_loop=_ratios(line, plain.get(line.cell.client))) for line in lines]


def _ratios(line: Line, plain: Line | None) -> LoopRatios | None:
    if plain is None or not line.rate or not plain.rate or not line.cpu or not plain.cpu:
        return None
    return LoopRatios(_over(line.rate, plain.rate), _over(line.cpu, plain.cpu))


def _over(one: Spread, other: Spread) -> float:
    return one.median / other.median if other.median else 0.0
