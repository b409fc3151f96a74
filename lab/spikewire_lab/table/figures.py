"""The figures of a cell over all its rounds that comparisons of all databases share."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Generic, TypeVar

from .versus import Versus, versus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

    from ..contract.cql import CqlResult
    from ..contract.result import Result

C = TypeVar("C")
ERROR_LIMIT = 0.001
"""The share of failed calls from which a line counts as flawed."""


@dataclass(frozen=True)
class Spread:
    """The median of several rounds, and their spread."""

    median: float
    low: float
    high: float
    values: tuple[float, ...] = field(default=(), compare=False)
    """The values of the rounds, in their order."""

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        return Spread(median(values), min(values), max(values), tuple(values))

    @property
    def percent(self) -> float:
        """The difference of the extremes, in percent of the median."""
        return 100 * (self.high - self.low) / self.median if self.median else 0.0


@dataclass(frozen=True)
class CellFigures(Generic[C]):
    """One cell over all its rounds. Times are in microseconds per operation."""

    cell: C
    rounds: int
    failures: tuple[str, ...]
    version: str | None = None
    loop: str | None = None
    python: str | None = None
    rate: Spread | None = None
    cpu: Spread | None = None
    cpu_user: float | None = None
    cpu_system: float | None = None
    cpu_server: float | None = None
    others: float | None = None
    """Processor time used by neither this client nor the server, as a share of the machine."""
    errors: int = 0
    timeouts: int | None = None
    """Timeouts among the errors; None if they are not distinguished."""
    error_share: float = 0.0
    """Failed calls as a share of all."""
    error_limit: float = ERROR_LIMIT
    first_error: str | None = None
    rate_ratio: float | None = None
    """Operations per second relative to the fastest peer in the group."""
    cpu_ratio: float | None = None
    """Processor time per operation relative to the most economical peer in the group."""
    rate_versus: Versus | None = None
    """`rate_ratio` by round, with its interval."""
    cpu_versus: Versus | None = None
    """`cpu_ratio` by round, with its interval."""

    @property
    def flawed(self) -> bool:
        return bool(self.error_share > self.error_limit or self.failures)

    def over(self, results: Sequence[Result | CqlResult], rows: int) -> Self:
        """Adds the client's version and the errors. `rows`: operations of one call."""
        errors = sum(one["errors"] for one in results)
        calls = sum(one["operations"] for one in results) / rows
        known = [one["timeouts"] for one in results if "timeouts" in one]
        return replace(
            self,
            version=results[0]["version"],
            loop=results[0]["loop"],
            errors=errors,
            timeouts=sum(known) if known else None,
            error_share=error_share(errors, calls),
            first_error=next((one["first_error"] for one in results if one["first_error"]), None),
        )

    def with_costs(self, results: Sequence[Result | CqlResult]) -> Self:
        """Adds processor time, from rounds in which operations succeeded."""
        server = [_each(one, one["server_cpu"]) for one in results if one["server_cpu"] is not None]
        return replace(
            self,
            cpu=Spread.of([_each(one, _seconds(one)) for one in results]),
            cpu_user=median(_each(one, one["cpu"]["user"]) for one in results),
            cpu_system=median(_each(one, one["cpu"]["system"]) for one in results),
            cpu_server=median(server) if server else None,
            others=_elsewhere(results),
        )


def fastest(lines: Iterable[CellFigures[C]]) -> float | None:
    """The highest rate of these lines; None if none has one."""
    return max((line.rate.median for line in lines if line.rate), default=None)


def lowest_cpu(lines: Iterable[CellFigures[C]]) -> float | None:
    """The lowest processor time per operation."""
    return min((line.cpu.median for line in lines if line.cpu), default=None)


def fastest_line(lines: Iterable[CellFigures[C]]) -> Spread | None:
    """The rounds of the highest rate of these lines; None if none has one."""
    known = [line.rate for line in lines if line.rate]
    return max(known, key=lambda rate: rate.median, default=None)


def cheapest_line(lines: Iterable[CellFigures[C]]) -> Spread | None:
    """The rounds of the lowest processor time per operation."""
    known = [line.cpu for line in lines if line.cpu]
    return min(known, key=lambda cpu: cpu.median, default=None)


def by_round(spread: Spread | None, best: Spread | None) -> Versus | None:
    """The ratio to the best of others with its interval, if both are known."""
    return None if spread is None or best is None else versus(spread.values, best.values)


def ratio(spread: Spread | None, best: float | None) -> float | None:
    """The ratio to the best of others, if both are known."""
    return None if spread is None or not best else spread.median / best


def _elsewhere(results: Sequence[Result | CqlResult]) -> float | None:
    """The share of the machine used by other programs in the worst round; needs a known server."""
    shares: list[float] = []
    for one in results:
        busy, server = one["machine_cpu"], one["server_cpu"]
        if server is None and one.get("server_remote"):
            server = 0.0
        if busy is not None and server is not None:
            elsewhere = busy - server - _seconds(one)
            shares.append(elsewhere / (one["elapsed"] * (os.cpu_count() or 1)))
    return max(shares, default=None)


def _seconds(result: Result | CqlResult) -> float:
    return result["cpu"]["user"] + result["cpu"]["system"]


def _each(result: Result | CqlResult, seconds: float) -> float:
    """Microseconds per successful operation."""
    return seconds * 1e6 / result["operations"]


def error_share(errors: int, calls: float) -> float:
    """Failed calls as a share of all; `calls` is the number of successful ones."""
    return errors / (errors + calls) if errors else 0.0
