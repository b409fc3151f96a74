"""Rounds to one line for each cell: medians, spread, ratios to the best peer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from ..clients.registry import base_of
from ..table.figures import (
    ERROR_LIMIT,
    CellFigures,
    Spread,
    by_round,
    cheapest_line,
    fastest,
    fastest_line,
    lowest_cpu,
    ratio,
)
from .cells import CHAINS, DEPTH, PAGES, Cell
from .clients import OWN
from .data import PAGE_ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..contract.cql import CqlResult
    from ..contract.result import Failure

    Round = CqlResult | Failure


@dataclass(frozen=True)
class Line(CellFigures[Cell]):
    """One cell over all its rounds. Times are in microseconds per operation; in pages, per row."""

    protocol: str | None = None
    row_type: str | None = None
    grown: int | None = None
    """Bytes from the resident memory before the first call to its peak."""

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "flawed": self.flawed}


def summarise(cell: Cell, rounds: Sequence[Round], error_limit: float = ERROR_LIMIT) -> Line:
    """Summarises rounds to one line; failed rounds are listed and do not count."""
    failures = tuple(str(one["failed"]) for one in rounds if "failed" in one)
    results = [one for one in rounds if "failed" not in one]
    line = Line(cell, len(rounds), failures, error_limit=error_limit)
    if not results:
        return line
    first = results[0]
    # In pages each row is an operation, and a page is one call.
    rows = PAGE_ROWS if cell.shape.operation in PAGES else 1
    line = replace(
        line.over(results, rows),
        protocol=first["protocol"] or None,
        row_type=first["row_type"],
        python=first["python"] and first["python"]["version"],
        grown=max(one["memory"]["peak"] - one["memory"]["ready"] for one in results),
    )
    counted = [one for one in results if one["operations"]]
    if not counted:
        return line
    rate = Spread.of([one["operations"] / one["elapsed"] for one in counted])
    return replace(line.with_costs(counted), rate=rate)


def with_ratios(lines: Sequence[Line]) -> list[Line]:
    """Lines of one group with their ratios to the best peer; flawed peers do not count."""
    peers = [line for line in lines if base_of(line.cell.client) not in OWN and not line.flawed]
    best_rate, best_cpu = fastest(peers), lowest_cpu(peers)
    return [
        replace(
            line,
            rate_ratio=ratio(line.rate, best_rate),
            cpu_ratio=ratio(line.cpu, best_cpu),
            rate_versus=by_round(line.rate, fastest_line(peers)),
            cpu_versus=by_round(line.cpu, cheapest_line(peers)),
        )
        for line in lines
    ]


def collapses(rounds: Mapping[Cell, Sequence[Round]]) -> list[str]:
    """How the rate changes with the number of chains, in words: by round, as rounds are
    interleaved."""
    sentences: list[str] = []
    for cell, many in rounds.items():
        shape = cell.shape
        if shape.pattern != CHAINS or shape.threads != 1 or shape.depth <= DEPTH:
            continue
        few = rounds.get(replace(cell, shape=replace(shape, depth=DEPTH)), ())
        pairs = zip(map(_rate, many), map(_rate, few), strict=False)
        ratios = [more / less for more, less in pairs if more is not None and less]
        if ratios:
            sentences.append(
                f"{cell.client}, {shape.operation}, {shape.server}: {shape.depth:,} chains reach "
                f"{100 * median(ratios):.0f} % of the rate of {DEPTH}"
            )
    return sentences


def _rate(one: Round) -> float | None:
    return None if "failed" in one else one["operations"] / one["elapsed"]
