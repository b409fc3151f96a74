"""The columns of the tables: their headings, and the text of a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..clients.base import NODE
from ..measure import WITHIN_MS
from ..work.shape import IN_COLUMNS, SINGLE
from .pools import run_by

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .line import Line
    from .versus import Versus


_ESSENTIAL = {
    *(f"{unit}/s" for unit in ("op", "row")),
    *(f"CPU us/{unit}" for unit in ("op", "row")),
    *("p50 us", "response p50 us", "p99", "MB"),
    *("op/s ÷ best", "row/s ÷ best"),
}
"""The figures that a table is made for: they are shown in every terminal."""


@dataclass(frozen=True)
class Column:
    """A heading, the text of a line under it, and whether narrow terminals show it."""

    name: str
    text: Callable[[Line], str]
    narrow: bool = True
    """Whether a narrow terminal shows it."""
    optional: bool = False
    """Whether it is the first to be dropped if not all columns fit."""
    always: bool = False
    """Whether it has text even for a line without any measurement."""

    @property
    def essential(self) -> bool:
        """Whether even a terminal of 80 columns shows it."""
        return self.always or self.name in _ESSENTIAL


def columns(
    kind: str, mode: str = "", *, apis: bool = False, pools: bool = False, opened: bool = False
) -> Sequence[Column]:
    """The columns of tables about this kind of call; `apis` if other APIs of our own client are
    compared, `pools` if event loops in threads are, `opened` if open loops are."""
    if opened:
        return _OPEN_POOLS if pools else _OPEN if kind == SINGLE else _OPEN_BATCH
    if pools:
        return _POOLS
    if apis:
        return (*(_SINGLE if kind == SINGLE else _BATCH)[:-2], *_API_COLUMNS)
    if kind == SINGLE:
        return _NODE if mode == NODE else _SINGLE
    if mode == NODE:
        return _NODE_BATCH
    return _COLUMNS if kind in IN_COLUMNS else _BATCH


def row(line: Line, *, apis: bool = False, pools: bool = False) -> list[str]:
    """One line as text, with a dash for what was not measured."""
    measured = line.rate is not None and line.cpu is not None
    kind, mode, opened = line.cell.shape.kind, line.cell.mode, line.cell.rate > 0
    return [
        column.text(line) if measured or column.always else "-"
        for column in columns(kind, mode, apis=apis, pools=pools, opened=opened)
    ]


def _client(line: Line) -> str:
    text = f"{line.cell.client} {line.version or ''}".strip()
    if line.cell.shape.way and not line.cell.loops:
        text += f" ({line.cell.shape.way})"
    return f"{text} !" if line.flawed else text


def _spread(line: Line) -> str:
    """Empty for a single round, which has no spread."""
    done = line.rounds - len(line.failures)
    return "-" if line.rate is None or done < 2 else f"{line.rate.percent:.0f} of {done}"


def _cpu(line: Line) -> str:
    return tenths(None if line.cpu is None else line.cpu.median)


def _at(percentile: str) -> Callable[[Line], str]:
    return lambda line: whole((line.latency or {}).get(percentile))


def _service(percentile: str) -> Callable[[Line], str]:
    return lambda line: whole(line.open.service.get(percentile) if line.open else None)


def _late(percentile: str) -> Callable[[Line], str]:
    return lambda line: whole(line.open.late.get(percentile) if line.open else None)


def _reached(line: Line) -> str:
    """Calls per second."""
    return f"{line.rate.median / line.cell.shape.rows:,.0f}" if line.rate else "-"


def _within(milliseconds: int) -> Callable[[Line], str]:
    def text(line: Line) -> str:
        share = (line.within or {}).get(str(milliseconds))
        return "-" if share is None else f"{100 * share:.1f}"

    return text


def _loop(percentile: str) -> Callable[[Line], str]:
    return lambda line: whole((line.loop_delay or {}).get(percentile))


def times(by_round: Versus | None, medians: float | None) -> str:
    """A ratio with its interval, or in words if it is not told apart from 1; that of medians if the
    rounds are not known."""
    if by_round is None or by_round.ratio == by_round.low == by_round.high == 1:
        return ratio(medians)
    return by_round.text()


def whole(value: float | None) -> str:
    """Microseconds, with a decimal only if they are few."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def tenths(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f}" if value >= 10 else f"{value:.2f}"


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def errors(errors: int, timeouts: int | None) -> str:
    """The number of failed calls, followed by the timeouts among them in brackets."""
    return f"{errors:,}" + (f" ({timeouts:,} timeouts)" if timeouts else "")


def _errors(line: Line) -> str:
    return errors(line.errors, line.timeouts)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _megabytes(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value / 1e6:,.{digits}f}"


_WHO = Column("client", _client, always=True)
_RUN_BY = Column("run by", lambda line: run_by(line.cell), always=True)
_SPREAD = Column("spread %", _spread)
_ERRORS = Column("errors", _errors)
_SWITCHES = Column(
    "switches/op",
    lambda line: tenths(None if line.waits is None else line.waits + (line.preemptions or 0.0)),
    narrow=False,
    optional=True,
)
_RSS = Column("RSS MB", lambda line: _megabytes(line.peak_rss), narrow=False)
_RECORDS = Column("records", lambda line: f"{line.cell.shape.rows:,}", always=True)


def _costs(unit: str) -> tuple[Column, ...]:
    return (
        Column(f"{unit}/s", lambda line: f"{line.rate.median:,.0f}" if line.rate else "-"),
        _SPREAD,
        Column(f"CPU us/{unit}", _cpu),
        Column("user", lambda line: tenths(line.cpu_user), narrow=False),
        Column("sys", lambda line: tenths(line.cpu_system), narrow=False),
        Column("server", lambda line: tenths(line.cpu_server), narrow=False),
    )


_BUSY = Column("busy", lambda line: _percent(line.server_busy), narrow=False)

_SINGLE = (
    _WHO,
    *_costs("op"),
    _BUSY,
    Column("mean us", lambda line: whole(line.latency_mean), narrow=False, optional=True),
    Column("p50 us", _at("p50")),
    Column("p90", _at("p90"), narrow=False),
    Column("p95", _at("p95"), narrow=False, optional=True),
    Column("p99", _at("p99")),
    Column("p99.9", _at("p99.9"), narrow=False),
    Column("max", lambda line: whole(line.latency_max or None), narrow=False),
    _SWITCHES,
    _ERRORS,
    _RSS,
    Column("op/s ÷ best", lambda line: times(line.rate_versus, line.rate_ratio)),
    Column("CPU ÷ best", lambda line: times(line.cpu_versus, line.cpu_ratio)),
)

_BATCH = (
    _RECORDS,
    _WHO,
    *_costs("row"),
    _BUSY,
    Column("p50 us", _at("p50")),
    Column("p99", _at("p99")),
    _ERRORS,
    _RSS,
    Column("row/s ÷ best", lambda line: times(line.rate_versus, line.rate_ratio)),
    Column("CPU ÷ best", lambda line: times(line.cpu_versus, line.cpu_ratio)),
)

_API_COLUMNS = (
    Column("CPU ÷ verb", lambda line: ratio(line.apis.cpu_verb if line.apis else None)),
    Column("rate ÷ replaced", lambda line: ratio(line.apis.rate_replaced if line.apis else None)),
    Column("CPU ÷ replaced", lambda line: ratio(line.apis.cpu_replaced if line.apis else None)),
)

_POOLS = (
    _WHO,
    _RUN_BY,
    *_SINGLE[1:-2],
    Column("op/s ÷ 1 loop", lambda line: ratio(line.one_loop.rate if line.one_loop else None)),
    Column("CPU ÷ 1 loop", lambda line: ratio(line.one_loop.cpu if line.one_loop else None)),
)


def _opened(unit: str, *what: Column) -> tuple[Column, ...]:
    """Columns of open loops, in which a call may consist of several operations."""
    return (
        Column("rate", lambda line: f"{line.cell.rate:,.0f}", always=True),
        *what,
        Column("reached", _reached),
        _SPREAD,
        Column("response p50 us", _at("p50")),
        Column("p90", _at("p90"), narrow=False),
        Column("p99", _at("p99")),
        Column("p99.9", _at("p99.9")),
        Column("max", lambda line: whole(line.latency_max or None)),
        Column("service p50 us", _service("p50")),
        Column("p99 ", _service("p99")),
        Column("late p99 us", _late("p99"), narrow=False, optional=True),
        Column(f"CPU us/{unit}", _cpu),
        Column("pacing", lambda line: tenths(line.open.generator if line.open else None)),
        Column("less pacing", lambda line: tenths(line.open.less_pacing if line.open else None)),
        _ERRORS,
    )


_OPEN = _opened("op", _WHO)
_OPEN_BATCH = _opened("row", _RECORDS, _WHO)
_OPEN_POOLS = _opened("op", _WHO, _RUN_BY)

_COLUMNS = (
    Column("bins", lambda line: f"{line.cell.shape.columns}", always=True),
    _RECORDS,
    _WHO,
    *(column for column in _costs("row") if column.name not in ("user", "sys")),
    _BUSY,
    Column("p50 us", _at("p50")),
    Column("MB", lambda line: _megabytes(line.memory, 2)),
    _ERRORS,
    Column("CPU ÷ columns", lambda line: ratio(line.cpu_columns_ratio)),
    Column("row/s ÷ dict", lambda line: times(line.rate_versus, line.rate_ratio), narrow=False),
    Column("CPU ÷ dict", lambda line: times(line.cpu_versus, line.cpu_ratio)),
    Column("MB ÷ dict", lambda line: ratio(line.memory_ratio)),
)

_LOOP = (Column("loop p50 us", _loop("p50"), narrow=False), Column("loop p99", _loop("p99")))


def _with_loop(before: Sequence[Column]) -> tuple[Column, ...]:
    """The same columns with those of an event loop in front of the errors."""
    at = before.index(_ERRORS)
    return (*before[:at], *_LOOP, *before[at:])


def _with_shares(before: Sequence[Column]) -> tuple[Column, ...]:
    """The same columns with the shares of latencies after the last percentile."""
    at = next(at for at, column in enumerate(before) if column.name == "max")
    shares = (Column(f"{ms} ms %", _within(ms)) for ms in WITHIN_MS)
    return (*before[:at], *shares, *before[at + 1 :])


_NODE = _with_loop(_with_shares(_SINGLE))
_NODE_BATCH = _with_loop(_BATCH)
