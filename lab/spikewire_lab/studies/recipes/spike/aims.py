"""What a client that takes a spike has to show, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.registry import base_of
from ....spike.options import BEST, CACHE, DEFAULTS, SETTINGS, STALENESS
from ....spike.scenarios import AFTER, BEFORE, DURING, SETTLED
from ...report import Heading, Row, Section, Table
from .cells import Cell, Study
from .figures import good_rate, lost_rows, normal_after, requests_per_call, retries_per_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ....spike.result import SpikeResult
    from ....spike.scenarios import Scenario

MET, NOT_MET, UNKNOWN = "met", "not met", "not measured"
MOST, LEAST, BELOW = "at most", "at least", "under"
NEVER = float("inf")


@dataclass(frozen=True)
class Context:
    """A result, and what it is compared with."""

    study: Study
    cell: Cell
    result: SpikeResult
    scenario: Scenario


@dataclass(frozen=True)
class Aim:
    """A figure and its bound."""

    letter: str
    text: str
    settings: tuple[str, ...]
    value: Callable[[Context], float | None]
    sense: str
    bound: float
    unit: str = ""
    scale: float = 1.0
    """What the value is multiplied with to be shown in its unit."""
    needs: str = ""
    """The option of our client that the aim is about: without it nothing is known."""
    faulty: bool = False
    """Whether it is about a node that fails, which a cluster given by the user does not have."""

    def holds(self, value: float) -> bool:
        if self.sense == LEAST:
            return value >= self.bound
        return value <= self.bound if self.sense == MOST else value < self.bound

    def better(self, one: float, other: float) -> bool:
        return one > other if self.sense == LEAST else one < other

    def display(self, value: float) -> str:
        if value == NEVER:
            return "never"
        text = f"{value * self.scale:,.4g}"
        return f"{text} {self.unit}".strip()


def _failed(context: Context) -> float:
    during = context.result["windows"][DURING]
    return float(during["due"] - during["answered"])


def _slowest(context: Context) -> float | None:
    return context.result["windows"][DURING]["max"]


def _p99_ratio(context: Context) -> float | None:
    windows = context.result["windows"]
    quiet, during = windows[BEFORE]["p99"], windows[DURING]["p99"]
    return during / quiet if quiet and during else None


def _rows_lost(context: Context) -> float | None:
    batches = context.result["batches"][DURING]
    return float(lost_rows(batches)) if batches["rows"] else None


def _slowest_batch(context: Context) -> float | None:
    return context.result["batches"][SETTLED]["max"]


def _of_capacity(context: Context) -> float | None:
    load = context.study.loads.get(context.cell)
    return good_rate(context.result, context.scenario) / load if load else None


def _normal(context: Context) -> float:
    seconds = normal_after(context.result, context.scenario)
    return NEVER if seconds is None else seconds


def _retries(context: Context) -> float | None:
    return retries_per_call(context.result)


def _memory(context: Context) -> float | None:
    """The most memory at any time, over that in the first second of the trouble: it does not grow
    with how long that lasts."""
    rss = context.result["over_time"]["rss"]
    settled = context.scenario.windows()[SETTLED][0]
    most, before = 0, 0
    for at, held in enumerate(rss):
        most = max(most, held)
        if at * context.result["interval"] < settled:
            before = most
    return most / before if before else None


def _over_defaults(context: Context) -> float | None:
    """Good answers over those of the same client with its default options, once the cache has
    had a second to fill."""
    cell = context.cell
    plain = Cell(cell.client, cell.mode, cell.letter, DEFAULTS, cell.interpreter)
    other = context.study.results.get(plain)
    if other is None:
        return None
    mine = good_rate(context.result, context.scenario, SETTLED)
    loads = context.study.loads
    # The same load for both, or the ratio would say nothing.
    if round(loads.get(cell, 0)) != round(loads.get(plain, 0)):
        return None
    # If that had no good answer at all, the ratio is at least that to a single one.
    start, end = context.scenario.windows()[SETTLED]
    return mine / max(good_rate(other, context.scenario, SETTLED), 1 / (end - start))


def _hot_requests(context: Context) -> float | None:
    """Requests for the hot record at the nodes, over all reads."""
    each, result = requests_per_call(context.result), context.result
    if each is None or not result["requests"]:
        return None
    cold = result["requests"] - result["hot_reads"]
    return max(0.0, each * result["requests"] - cold) / result["requests"]


def _oldest(context: Context) -> float | None:
    stale = context.result["stale"]
    return None if stale is None or not stale["reads"] else stale["oldest"]


def _in_time(context: Context) -> float | None:
    windows = [context.result["windows"][one] for one in (BEFORE, DURING, AFTER)]
    due = sum(one["due"] for one in windows)
    return sum((one["in_time"] or 0.0) * one["due"] for one in windows) / due if due else None


def _rows_there(context: Context) -> float | None:
    during = context.result["windows"][DURING]
    return during["rows_there"] / during["rows"] if during["rows"] else None


BOTH = (DEFAULTS, BEST)
CACHED = (CACHE, BEST)
CACHED_BY, LIMITED_BY = "near_cache", "deadline"

AIMS: tuple[Aim, ...] = (
    Aim("a", "good answers over capacity", BOTH, _of_capacity, LEAST, 0.9),
    Aim("a", "normal again after", BOTH, _normal, MOST, 1.0, "s"),
    Aim("a", "retries per call", BOTH, _retries, MOST, 0.1),
    Aim("a", "memory over that in the first second", BOTH, _memory, MOST, 1.2),
    Aim("b", "reads that fail", BOTH, _failed, MOST, 0),
    Aim("b", "slowest read", BOTH, _slowest, BELOW, 0.150, "ms", 1000.0),
    Aim("b", "p99 over that before", BOTH, _p99_ratio, BELOW, 5.0),
    Aim("b", "rows that batches of 60 lose", BOTH, _rows_lost, MOST, 0),
    Aim("b", "slowest batch after 1 s", BOTH, _slowest_batch, BELOW, 0.150, "ms", 1000.0),
    Aim(
        "d",
        "good answers over those by default",
        CACHED,
        _over_defaults,
        LEAST,
        3.0,
        needs=CACHED_BY,
    ),
    Aim(
        "d",
        "requests for the hot key, of all reads",
        CACHED,
        _hot_requests,
        BELOW,
        0.01,
        "%",
        100.0,
        needs=CACHED_BY,
    ),
    Aim("d", "oldest answer", CACHED, _oldest, MOST, STALENESS, "ms", 1000.0, needs=CACHED_BY),
    Aim(
        "g",
        "calls that end within 12 ms",
        (BEST,),
        _in_time,
        LEAST,
        0.999,
        "%",
        100.0,
        needs=LIMITED_BY,
    ),
    Aim(
        "g",
        "rows that are there with a slow node",
        (BEST,),
        _rows_there,
        LEAST,
        0.99,
        "%",
        100.0,
        needs=LIMITED_BY,
        faulty=True,
    ),
)

HEADINGS = (
    Heading("bound", "aim"),
    Heading("value", "measured"),
    Heading("verdict", "verdict"),
    Heading("rival", "best of the others"),
)


def rows(study: Study) -> Iterator[Row]:
    """One line for each aim, mode and setting of our own client that was measured."""
    for aim in AIMS:
        scenario = study.scenarios.get(aim.letter)
        if scenario is None or (aim.faulty and not scenario.faulty):
            continue
        for cell, result in study.results.items():
            ours = base_of(cell.client) == OURS and cell.letter == aim.letter
            if not ours or cell.setting not in aim.settings:
                continue
            known = not aim.needs or aim.needs in result["options"]
            value = aim.value(Context(study, cell, result, scenario)) if known else None
            fields = {
                "bound": f"{aim.sense} {aim.display(aim.bound)}",
                "value": "" if value is None else aim.display(value),
                "verdict": UNKNOWN if value is None else MET if aim.holds(value) else NOT_MET,
                "rival": rival(aim, study, scenario),
            }
            label = f"({aim.letter}) {aim.text}: {cell.line}, {SETTINGS[cell.setting]}"
            yield Row(label, fields, cell.client)


def rival(aim: Aim, study: Study, scenario: Scenario) -> str:
    """The best figure of any other client, in any setting."""
    best: tuple[float, Cell] | None = None
    for cell, result in study.results.items():
        if base_of(cell.client) == OURS or cell.letter != aim.letter:
            continue
        value = aim.value(Context(study, cell, result, scenario))
        if value is not None and (best is None or aim.better(value, best[0])):
            best = value, cell
    if best is None:
        return ""
    return f"{aim.display(best[0])} ({best[1].client}, {SETTINGS[best[1].setting]})"


def conclusion(table: Table) -> str:
    """How many aims are met, in a sentence."""
    verdicts = [row.fields["verdict"] for row in table.rows]
    text = f"{verdicts.count(MET)} of {len(verdicts)} lines of the table of aims are met"
    unknown = verdicts.count(UNKNOWN)
    return f"{text}, {unknown} could not be measured." if unknown else f"{text}."


def section(study: Study) -> Section | None:
    """The table of all aims; None if nothing was measured."""
    known = tuple(rows(study))
    if not known:
        return None
    table = Table("aims", TITLE, CAPTION, HEADINGS, known, "aim")
    return Section("aims", TITLE, TEXT, (table,))


TITLE = "What it has to show"
CAPTION = "Computed from the figures below; a single run says nothing of noise."
TEXT = "The aims of this client for four of the scenarios, and the best figure of any other client."
