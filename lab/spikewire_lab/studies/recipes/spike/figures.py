"""Tables and charts of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.registry import base_of
from ....spike.callers import RETRIES
from ....spike.options import BEST, DEFAULTS, SETTINGS
from ....spike.scenarios import AFTER, BEFORE, DURING, SETTLED
from ....spike.tally import recovery
from ...report import LESS, LINES, MORE, Axis, Chart, Heading, Median, Row, Series, Table
from .cells import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ....spike.result import Figures, SpikeResult
    from ....spike.scenarios import Scenario
    from ...report import Entry
    from .cells import Study

NEVER = "never"


def good_share(figures: Figures) -> float | None:
    """Good answers among the calls that were due."""
    return figures["good"] / figures["due"] if figures["due"] else None


def good_rate(result: SpikeResult, scenario: Scenario, window: str = DURING) -> float:
    """Good answers per second."""
    start, end = scenario.windows()[window]
    return result["windows"][window]["good"] / (end - start)


def failures(figures: Figures) -> str:
    """Errors by kind, the most frequent first."""
    ordered = sorted(figures["errors"].items(), key=lambda one: -one[1])
    return ", ".join(f"{kind} {count:,}" for kind, count in ordered) or "none"


def cpu(result: SpikeResult, scenario: Scenario) -> float | None:
    """Processors that the client's process used in the trouble."""
    begun, ended = (round(at / result["interval"]) for at in scenario.fault_window())
    used = result["over_time"]["cpu"][begun:ended]
    return sum(used) / len(used) if used else None


def normal_after(result: SpikeResult, scenario: Scenario) -> float | None:
    """Seconds from the end of the trouble until answers are good again; None for never."""
    begun, ended = scenario.fault_window()
    since = max((at for at, _ in result.get("events", ()) if at > begun + 1e-9), default=ended)
    since = max(since, ended)
    series = result["over_time"]
    whole = scenario.seconds
    return recovery(series["due"], series["good"], result["interval"], since, whole)


def coped_after(result: SpikeResult, scenario: Scenario) -> float | None:
    """Seconds from the beginning of the trouble until answers are good in spite of it."""
    begun, ended = scenario.fault_window()
    series = result["over_time"]
    return recovery(series["due"], series["good"], result["interval"], begun, ended)


def requests_per_call(result: SpikeResult) -> float | None:
    """Records that nodes read or wrote, for each that a call asked for; writes of the lab's own
    writer are not counted."""
    if "served" not in result or not result["requests"]:
        return None
    stale = result["stale"]
    return (result["served"] - (stale["writes"] if stale else 0)) / result["requests"]


def lost_rows(figures: Figures) -> int:
    """Rows of batches that were not there."""
    return figures["rows"] - figures["rows_there"]


def retries_per_call(result: SpikeResult) -> float | None:
    """As the client counts them; for others what nodes got beyond one request for each."""
    if RETRIES in result["counters"] and result["calls"]:
        return result["counters"][RETRIES] / result["calls"]
    each = requests_per_call(result)
    return None if each is None else max(0.0, each - 1)


QUIET = 0.95
"""The share of good answers before the trouble below which a line is marked."""


def flaw(result: SpikeResult) -> str:
    """Why the figures of a run are unreliable; empty if they are not."""
    if result["setting"] != DEFAULTS and not result["options"]:
        return "this build has none of these options: they are the defaults"
    before = result["windows"][BEFORE]
    share = good_share(before)
    if share is None or share >= QUIET:
        return ""
    return f"{share:.0%} of the answers were good before the trouble: the load was too high for it"


CLEAR = 0.02
"""The difference of two shares of good answers from which it is named."""


def losses(scenario: Scenario, study: Study) -> Iterator[str]:
    """Where another client has more good answers in the trouble than ours in its better mode."""
    for setting in (DEFAULTS, BEST):
        ours, others = list[tuple[float, Cell]](), list[tuple[float, Cell]]()
        for cell, result in study.results.items():
            share = good_share(result["windows"][DURING])
            if (cell.letter, cell.setting) == (scenario.letter, setting) and share is not None:
                (ours if base_of(cell.client) == OURS else others).append((share, cell))
        if not ours or not others:
            continue
        best, rival = (max(one, key=lambda pair: pair[0]) for one in (ours, others))
        if rival[0] > best[0] + CLEAR:
            yield (
                f"{scenario.title}, {SETTINGS[setting]}: {rival[1].line} has {rival[0]:.0%} good"
                f" answers, {best[1].line} {best[0]:.0%}."
            )


PERCENT = 100.0
HEADINGS = (
    Heading("load", "load of 1", "calls/s", "", 0),
    Heading("before", "good before", "%", MORE, 1),
    Heading("during", "good in the trouble", "%", MORE, 1),
    Heading("rate", "good answers", "1/s", MORE, 0),
    Heading("after", "good after it", "%", MORE, 1),
    Heading("coped", "coped after", "s"),
    Heading("normal", "normal after", "s"),
    Heading("p99-before", "p99 before", "ms", LESS),
    Heading("p99", "p99", "ms", LESS),
    Heading("max", "slowest", "ms", LESS, 0),
    Heading("requests", "requests per call", "", LESS, 2),
    Heading("retries", "retries per call", "", LESS, 3),
    Heading("cpu", "processors", "", LESS, 2),
    Heading("errors", "errors in the trouble"),
)
BATCH_HEADINGS = (
    Heading("rows", "rows lost", "", LESS, 0),
    Heading("batch-max", "slowest batch after 1 s", "ms", LESS, 0),
)
TIME_HEADINGS = (
    Heading("in-time", "calls ended in time", "%", MORE, 2),
    Heading("rows-there", "rows that were there", "%", MORE, 2),
)
HOT_HEADINGS = (Heading("oldest", "oldest answer", "ms", LESS, 0),)


def table(
    scenario: Scenario, study: Study, cells: Sequence[Cell], flaws: Mapping[Cell, str]
) -> Table:
    """One line for each client and setting."""
    headings = list(HEADINGS)
    if scenario.batches is not None:
        headings += BATCH_HEADINGS if scenario.singles else TIME_HEADINGS
    if scenario.writer:
        headings += HOT_HEADINGS
    if not scenario.windows()[BEFORE][1]:
        gone = {"before", "after", "coped", "normal", "p99-before", "load", "requests", "retries"}
        headings = [one for one in headings if one.key not in gone]
    elif not scenario.singles:
        headings = [one for one in headings if one.key != "load"]
    rows = [
        Row(
            f"{cell.line}: {SETTINGS[cell.setting]}",
            fields(scenario, study, cell),
            cell.client,
            flaws.get(cell, ""),
        )
        for cell in cells
    ]
    caption = (
        f"Good: there within {scenario.deadline * 1000:g} ms of when the call was due."
        f" {scenario.about} Times count from when calls were due. Coped: answers were good again"
        " in spite of the trouble; normal: after it. The processor time is that of the client's"
        " process, the making of the load included."
    )
    return Table(scenario.name, scenario.title, caption, tuple(headings), tuple(rows))


def fields(scenario: Scenario, study: Study, cell: Cell) -> dict[str, Entry]:
    """The figures of one line: those of the round that is shown, with the spread of all rounds."""
    typical, rounds = study.results.get(cell), study.rounds.get(cell, ())
    if typical is None:
        return {}
    row = _fields(scenario, typical, study.loads.get(cell))
    each = [_fields(scenario, one, study.loads.get(cell)) for one in rounds]
    for name in row:
        values = [one.get(name) for one in each]
        numbers = [float(one) for one in values if isinstance(one, (int, float))]
        if numbers and len(numbers) == len(values):
            row[name] = Median.of(numbers)
    return row


def _fields(scenario: Scenario, result: SpikeResult, load: float | None) -> dict[str, Entry]:
    windows = result["windows"]
    before, during, after = (windows[one] for one in (BEFORE, DURING, AFTER))
    shares = {
        name: share * PERCENT
        for name, one in (("before", before), ("during", during), ("after", after))
        if (share := good_share(one)) is not None
    }
    times = {
        name: at * 1000
        for name, at in (
            ("p99-before", before["p99"]),
            ("p99", during["p99"]),
            ("max", during["max"]),
            ("batch-max", result["batches"][SETTLED]["max"]),
        )
        if at is not None
    }
    coped, normal = coped_after(result, scenario), normal_after(result, scenario)
    row: dict[str, Entry] = {
        "load": load,
        **shares,
        "rate": good_rate(result, scenario),
        "coped": NEVER if coped is None else coped,
        "normal": NEVER if normal is None else normal,
        **times,
        "requests": requests_per_call(result),
        "retries": retries_per_call(result),
        "cpu": cpu(result, scenario),
        "errors": failures(during),
        "rows": lost_rows(result["batches"][DURING]),
    }
    if during["in_time"] is not None:
        row["in-time"] = during["in_time"] * PERCENT
    if during["rows"]:
        row["rows-there"] = during["rows_there"] / during["rows"] * PERCENT
    if result["stale"] is not None:
        row["oldest"] = result["stale"]["oldest"] * 1000
    return row


def charts(scenario: Scenario, study: Study, cells: Sequence[Cell]) -> Iterator[Chart]:
    """Over time, for each setting: good answers, p99, errors, processors."""
    for setting in scenario.settings:
        known = [
            (cell, study.results[cell])
            for cell in cells
            if cell.setting == setting and cell in study.results
        ]
        if known:
            yield from _charts(scenario, setting, known)


def _charts(
    scenario: Scenario, setting: str, known: Sequence[tuple[Cell, SpikeResult]]
) -> Iterator[Chart]:
    begun, ended = scenario.fault_window()
    x = Axis("since the start", "s")
    options = SETTINGS[setting]
    when = f"Each client with its {options}. The trouble lasts from {begun:g} to {ended:g} s."
    wide = known[0][1]["interval"]
    what = "batches" if not scenario.singles else "reads"
    good, p99, errors, used = (list[Series]() for _ in range(4))
    for cell, result in known:
        over, interval = result["over_time"], result["interval"]
        at = [round((number + 1) * interval, 6) for number in range(len(over["due"]))]
        failed = [sum(one) for one in zip(*over["errors"].values(), strict=True)] or [0] * len(at)

        def line(values: Sequence[float], at: Sequence[float] = at, cell: Cell = cell) -> Series:
            return Series(cell.line, list(zip(at, values, strict=False)), cell.client)

        good.append(line([one / interval for one in over["good"]]))
        errors.append(line([one / interval for one in failed]))
        used.append(line(over["cpu"]))
        points = [(x, value) for x, value in zip(at, over["p99"], strict=True) if value]
        p99.append(Series(cell.line, points, cell.client))
    name, each = f"{scenario.name}-{setting}", f"By when {what} were due, per {wide:g} s."
    if scenario.connects:
        when = f"Each client with its {options}."
        each = f"By when the first answer of each came, per {wide:g} s."
    yield Chart(
        f"{name}-good",
        f"Good answers, {options}",
        f"{when} {each}",
        LINES,
        x,
        Axis("good answers", "1/s"),
        good,
    )
    if any(one.points for one in p99):
        yield Chart(
            f"{name}-p99",
            f"p99 of answers, {options}",
            f"{when} {each} Answers alone; those that came too late are among them.",
            LINES,
            x,
            Axis("p99", "s", logarithmic=True),
            [one for one in p99 if one.points],
        )
    if any(value for one in errors for _, value in one.points):
        yield Chart(
            f"{name}-errors",
            f"Calls that failed, {options}",
            f"{when} {each} By kind they are in the table and in the raw data.",
            LINES,
            x,
            Axis("errors", "1/s"),
            errors,
        )
    yield Chart(
        f"{name}-cpu",
        f"Processors used by the client's process, {options}",
        when,
        LINES,
        x,
        Axis("processors", ""),
        used,
    )
