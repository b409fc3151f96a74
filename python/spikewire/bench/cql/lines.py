"""Rounds to one line for each cell: medians, spread, ratios to the best peer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from ..clients.registry import base_of
from ..run.rounds import ERROR_LIMIT, error_share
from ..table.summary import Spread, elsewhere
from .cells import CHAINS, DEPTH, PAGES
from .clients import OURS
from .data import PAGE_ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..result import Failure
    from .cells import Cell
    from .result import CqlResult

    Round = CqlResult | Failure


@dataclass(frozen=True)
class Line:
    """One cell over all its rounds. Times are in microseconds per operation; in pages, per row."""

    cell: Cell
    rounds: int
    failures: tuple[str, ...]
    version: str | None = None
    protocol: str | None = None
    row_type: str | None = None
    loop: str | None = None
    python: str | None = None
    rate: Spread | None = None
    cpu: Spread | None = None
    cpu_user: float | None = None
    cpu_system: float | None = None
    cpu_server: float | None = None
    others: float | None = None
    """The part of the machine that neither this client nor the server used."""
    errors: int = 0
    timeouts: int = 0
    """Of the errors."""
    error_share: float = 0.0
    """Failed calls over all."""
    error_limit: float = ERROR_LIMIT
    first_error: str | None = None
    grown: int | None = None
    """Bytes between the resident memory before the first call and its peak."""
    rate_ratio: float | None = None
    """Operations per second over those of the fastest peer beside it."""
    cpu_ratio: float | None = None
    """Processor time per operation over that of the thriftiest peer beside it."""

    @property
    def flawed(self) -> bool:
        return bool(self.error_share > self.error_limit or self.failures)

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "flawed": self.flawed}


def summarise(cell: Cell, rounds: Sequence[Round], error_limit: float = ERROR_LIMIT) -> Line:
    """One line; rounds that failed are listed and do not count."""
    failures = tuple(str(one["failed"]) for one in rounds if "failed" in one)
    results = [one for one in rounds if "failed" not in one]
    line = Line(cell, len(rounds), failures, error_limit=error_limit)
    if not results:
        return line
    first = results[0]
    line = replace(
        line,
        version=first["version"],
        protocol=first["protocol"] or None,
        row_type=first["row_type"],
        loop=first["loop"],
        python=first["python"]["version"],
        errors=sum(one["errors"] for one in results),
        timeouts=sum(one["timeouts"] for one in results),
        error_share=_error_share(cell, results),
        first_error=next((one["first_error"] for one in results if one["first_error"]), None),
        grown=max(one["memory"]["peak"] - one["memory"]["ready"] for one in results),
    )
    counted = [one for one in results if one["operations"]]
    return _with_costs(line, counted) if counted else line


def _error_share(cell: Cell, results: Sequence[CqlResult]) -> float:
    """Of calls: in pages each row is an operation, and a page is one call."""
    rows = PAGE_ROWS if cell.shape.operation in PAGES else 1
    operations = sum(one["operations"] for one in results)
    return error_share(sum(one["errors"] for one in results), operations / rows)


def _with_costs(line: Line, results: Sequence[CqlResult]) -> Line:
    def each(one: CqlResult, seconds: float) -> float:
        return seconds * 1e6 / one["operations"]

    servers = [each(one, one["server_cpu"]) for one in results if one["server_cpu"] is not None]
    return replace(
        line,
        rate=Spread.of([one["operations"] / one["elapsed"] for one in results]),
        cpu=Spread.of([each(one, one["cpu"]["user"] + one["cpu"]["system"]) for one in results]),
        cpu_user=median(each(one, one["cpu"]["user"]) for one in results),
        cpu_system=median(each(one, one["cpu"]["system"]) for one in results),
        cpu_server=median(servers) if servers else None,
        others=elsewhere(results),
    )


def with_ratios(lines: Sequence[Line]) -> list[Line]:
    """Lines of one group with their ratios to the best peer; flawed peers are no measure."""
    peers = [line for line in lines if base_of(line.cell.client) != OURS and not line.flawed]
    best_rate = max((line.rate.median for line in peers if line.rate), default=None)
    best_cpu = min((line.cpu.median for line in peers if line.cpu), default=None)
    return [
        replace(line, rate_ratio=_over(line.rate, best_rate), cpu_ratio=_over(line.cpu, best_cpu))
        for line in lines
    ]


def _over(spread: Spread | None, best: float | None) -> float | None:
    return None if spread is None or not best else spread.median / best


def collapses(rounds: Mapping[Cell, Sequence[Round]]) -> list[str]:
    """What more chains do to the rate, in words: round by round, as rounds are interleaved."""
    said: list[str] = []
    for cell, many in rounds.items():
        shape = cell.shape
        if shape.pattern != CHAINS or shape.threads != 1 or shape.depth <= DEPTH:
            continue
        few = rounds.get(replace(cell, shape=replace(shape, depth=DEPTH)), ())
        pairs = zip(map(_rate, many), map(_rate, few), strict=False)
        ratios = [more / less for more, less in pairs if more is not None and less]
        if ratios:
            said.append(
                f"{cell.client}, {shape.operation}, {shape.server}: {shape.depth:,} chains do "
                f"{median(ratios):.2f} of what {DEPTH} do"
            )
    return said


def _rate(one: Round) -> float | None:
    return None if "failed" in one else one["operations"] / one["elapsed"]
