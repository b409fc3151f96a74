"""The study `spike`: schedules, intervals, recovery, options, aims; each scenario once, briefly."""

from __future__ import annotations

import asyncio
import io
import json
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spikewire_lab.clients.base import ASYNC, SYNC
from spikewire_lab.run.compare import CannotRunError
from spikewire_lab.run.progress import Progress
from spikewire_lab.spike import nodes
from spikewire_lab.spike.cluster import FaultyCluster
from spikewire_lab.spike.drive import Answer, Log, Threads, run_tasks, run_threads
from spikewire_lab.spike.fault_schedule import slowness
from spikewire_lab.spike.options import (
    BEST,
    CACHE,
    CHOICES,
    DEFAULTS,
    Choice,
    OfTime,
    accepted,
    chosen,
)
from spikewire_lab.spike.scenarios import (
    AFTER,
    BEFORE,
    DURING,
    INJECT,
    LETTERS,
    SCENARIOS,
    SETTLED,
    SLOW_BOUNDS,
    Scenario,
    without_faults,
)
from spikewire_lab.spike.schedule import HOT, Due, schedule
from spikewire_lab.spike.staleness import Acknowledged, Seen, staleness
from spikewire_lab.spike.tally import UNANSWERED, Call, Rule, figures, over_time, recovery
from spikewire_lab.studies import recipes
from spikewire_lab.studies.recipe import FULL, QUICK, SHORT, Bench, Target
from spikewire_lab.studies.recipes.spike import aims
from spikewire_lab.studies.recipes.spike.cells import Cell, Study, cells, typical
from spikewire_lab.studies.recipes.spike.figures import (
    coped_after,
    failures,
    fields,
    flaw,
    losses,
    normal_after,
)
from spikewire_lab.studies.recipes.spike.scenario import Spike, of_bench
from spikewire_lab.studies.report import Median
from spikewire_lab.studies.scenario_flags import ScenarioChoice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spikewire_lab.spike.result import SpikePlan, SpikeResult

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")

MS = 1_000_000
NS = 1_000 * MS
BY_LETTER = {one.letter: one for one in SCENARIOS}


def plan(scenario: Scenario, capacity: float = 100.0) -> SpikePlan:
    more: dict[str, Any] = {"letter": scenario.letter, "capacity": capacity, "interval": 0.1}
    made: Any = {**scenario.as_json(), **more}
    result: SpikePlan = made
    return result


# --- Schedules.


def test_each_phase_has_as_many_calls_as_its_load_says() -> None:
    scenario = BY_LETTER["a"]
    due = schedule(plan(scenario), 50, 1)
    assert due == sorted(due, key=lambda one: one.at)
    begun, ended = (at * NS for at in scenario.fault_window())
    counts = [
        sum(one.at < begun for one in due),
        sum(begun <= one.at < ended for one in due),
        sum(one.at >= ended for one in due),
    ]
    loads = [round(100 * one.load * one.seconds) for one in scenario.phases]
    assert counts == loads
    assert due == schedule(plan(scenario), 50, 1) != schedule(plan(scenario), 50, 2)


def test_the_hot_key_is_half_of_the_reads_in_the_trouble_and_of_no_others() -> None:
    scenario = BY_LETTER["d"]
    begun, ended = (at * NS for at in scenario.fault_window())
    due = schedule(plan(scenario, 1000), 50, 1)
    hot = [one.at for one in due if one.keys == HOT]
    assert all(begun <= at < ended for at in hot)
    assert 0.45 < len(hot) / sum(begun <= one.at < ended for one in due) < 0.55


def test_batches_come_beside_reads_or_instead_of_them() -> None:
    beside, alone = BY_LETTER["b"], BY_LETTER["g"]
    for scenario in (beside, alone):
        due = schedule(plan(scenario), 100, 1)
        batches = [one.keys for one in due if isinstance(one.keys, tuple)]
        assert scenario.batches is not None
        assert len(batches) == round(scenario.batches.rate * scenario.seconds)
        assert all(len(set(keys)) == scenario.batches.rows and HOT not in keys for keys in batches)
        assert (len(batches) == len(due)) is not scenario.singles


def test_clients_that_connect_do_so_at_once() -> None:
    assert [one.at for one in schedule(plan(BY_LETTER["f"]), 10, 1)] == [0] * 500


def test_a_load_that_no_memory_holds_is_rejected() -> None:
    with pytest.raises(ValueError, match="more than"):
        schedule(plan(BY_LETTER["a"], 1e6), 10, 1)


# --- Scenarios.


def test_windows_and_what_shorter_scenarios_have() -> None:
    scenario = BY_LETTER["b"]
    assert scenario.windows() == {
        BEFORE: (0, 3),
        DURING: (3, 13),
        SETTLED: (4, 13),
        AFTER: (13, 17),
    }
    short = scenario.scaled(0.1)
    assert short.fault_window() == pytest.approx((0.3, 1.3))
    assert short.windows()[SETTLED] == pytest.approx((0.8, 1.3))
    few = BY_LETTER["f"].scaled(0.1)
    assert (few.connects, few.seconds) == (50, BY_LETTER["f"].seconds)
    assert BY_LETTER["f"].scaled(3).connects == 500


def test_a_cluster_of_others_gets_no_faults() -> None:
    left = {one.letter: without_faults(one) for one in SCENARIOS}
    assert {letter for letter, one in left.items() if one is None} == {"b", "c", "e"}
    assert not any(one.faulty for one in left.values() if one is not None)
    assert len({one.name for one in SCENARIOS}) == len(SCENARIOS)


def test_how_slow_a_slow_node_is() -> None:
    assert slowness(0.001) == pytest.approx(0.05)
    assert (slowness(0.0), slowness(1.0)) == SLOW_BOUNDS


# --- Calls in intervals.


def calls() -> list[Call]:
    """Ten calls each second for two seconds: quick in the first, then slow, failed, unanswered."""
    first = [Call(at * 100 * MS, (at * 100 + 5) * MS, "") for at in range(10)]
    second = [Call(NS + at * 100 * MS, NS + (at * 100 + 80) * MS, "") for at in range(7)]
    failed = [Call(NS + 700 * MS, NS + 710 * MS, "Timeout")]
    never = [Call(NS + 800 * MS, 3 * NS, UNANSWERED), Call(NS + 900 * MS, 3 * NS, UNANSWERED)]
    return [*first, *second, *failed, *never]


def test_what_became_of_the_calls_of_a_window() -> None:
    rule = Rule(0.05)
    quiet, trouble = (figures(calls(), one, rule) for one in ((0, 1), (1, 2)))
    assert (quiet["due"], quiet["answered"], quiet["good"], quiet["errors"]) == (10, 10, 10, {})
    assert quiet["p50"] == quiet["max"] == pytest.approx(0.005)
    assert (trouble["due"], trouble["answered"], trouble["good"]) == (10, 7, 0)
    assert trouble["errors"] == {"Timeout": 1, UNANSWERED: 2}
    assert trouble["in_time"] == pytest.approx(0.1), "the call that failed early"
    assert failures(trouble) == "unanswered 2, Timeout 1"
    none = figures([], (0, 1), rule)
    assert (none["due"], none["p99"], none["in_time"]) == (0, None, None)


def test_calls_over_time() -> None:
    series = over_time(calls(), 2, 0.5, Rule(0.05))
    assert series["due"] == [5, 5, 5, 5]
    assert series["good"] == [5, 5, 0, 0]
    assert series["errors"] == {"Timeout": [0, 0, 0, 1], UNANSWERED: [0, 0, 0, 2]}
    assert series["p99"] == pytest.approx([0.005, 0.005, 0.08, 0.08])
    assert over_time(calls(), 2, 0.5, Rule(0.05), by_end=True)["due"] == [5, 5, 5, 5]
    later = [call._replace(due=0) for call in calls()]
    assert over_time(later, 4, 1, Rule(0.05), by_end=True)["due"] == [10, 8, 0, 2]


def test_a_batch_is_good_with_enough_of_its_rows() -> None:
    rule = Rule(0.05, rows_needed=0.9)
    some = [Call(0, MS, "", 10, there) for there in (10, 9, 8)]
    assert figures(some, (0, 1), rule)["good"] == 2
    assert (figures(some, (0, 1), rule)["rows"], figures(some, (0, 1), rule)["rows_there"]) == (
        30,
        27,
    )


@pytest.mark.parametrize(
    ("good", "since", "until", "expected"),
    [
        ([10] * 30, 1.0, 3.0, 0.0),
        ([10] * 10 + [0] * 5 + [10] * 15, 1.0, 3.0, 0.5),
        # One good interval is no recovery, and one bad one no relapse.
        ([0] * 12 + [10] + [0] * 7 + [10] * 10, 1.0, 3.0, 1.0),
        ([0] * 12 + [10, 10, 6, 10, 10, 10, 10, 10, 10, 10] + [10] * 8, 1.0, 3.0, 0.2),
        ([0] * 30, 1.0, 3.0, None),
        ([0] * 28 + [10] * 2, 1.0, 3.0, None),
        ([10] * 10 + [0] * 10 + [10] * 10, 1.0, 2.0, None),
    ],
)
def test_recovery(good: list[int], since: float, until: float, expected: float | None) -> None:
    seconds = recovery([10] * 30, good, 0.1, since, until)
    assert seconds == (None if expected is None else pytest.approx(expected))


def test_the_oldest_answer() -> None:
    writes = [Acknowledged(at * 100, at) for at in (1, 2, 3)]
    assert staleness([], writes) == {"reads": 0, "writes": 3, "oldest": 0}
    # Begun before the write was acknowledged; then after, with what it replaced.
    current = [Seen(150, 1), Seen(99, 0), Seen(300, 3), Seen(400, 4)]
    assert staleness(current, writes)["oldest"] == 0
    assert staleness([*current, Seen(350, 1), Seen(320, 2)], writes)["oldest"] == 150 / NS


# --- Open loops.


def test_tasks_begin_when_they_are_due_and_none_is_left_out() -> None:
    due = [Due(at * MS, at) for at in range(30)]

    async def perform(one: Due) -> Answer:
        if one.keys == 3:
            raise LookupError
        if one.keys == 4:
            await asyncio.sleep(3600)
        return Answer()

    async def run() -> Log:
        log = Log(time.perf_counter_ns())
        await run_tasks(due, perform, log, 0.3)
        return log

    outcomes = {call.due // MS: call.outcome for call in asyncio.run(run()).calls()}
    expected = dict.fromkeys(range(30), "")
    assert outcomes == {**expected, 3: "LookupError", 4: UNANSWERED}


def test_threads_take_calls_that_are_due() -> None:
    stuck = threading.Event()
    due = [Due(at * MS, (at, at)) for at in range(20)]

    def perform(one: Due) -> Answer:
        assert isinstance(one.keys, tuple)
        if one.keys[0] == 3:
            raise LookupError
        if one.keys[0] == 4:
            stuck.wait(60)
        return Answer(2, 1)

    log = Log(time.perf_counter_ns())
    run_threads(due, perform, log, 0.3, Threads(3))
    stuck.set()
    outcomes = {call.due // MS: (call.outcome, call.rows, call.there) for call in log.calls()}
    assert len(log.calls()) == len(due)
    assert outcomes[0] == ("", 2, 1)
    assert outcomes[3] == ("LookupError", 2, 0)
    assert outcomes[4] == (UNANSWERED, 2, 0)


# --- Options.


def test_the_first_value_that_is_accepted_is_used_and_others_are_left_out() -> None:
    def attempt(options: Mapping[str, Any]) -> None:
        if "gone" in options:
            raise TypeError('unknown client option "gone"; there are: others')
        if options.get("size") == "big":
            raise ValueError("size must be a number")

    choices = (
        Choice("limit", (OfTime(0.5),)),
        Choice("gone", (1, 2)),
        Choice("size", ("big", 7)),
    )
    taken, rejected = accepted(choices, 0.1, attempt)
    assert taken == {"limit": 0.05, "size": 7}
    assert rejected == {"gone": 'unknown client option "gone"'}


def test_which_options_a_setting_has() -> None:
    for client in CHOICES:
        assert chosen(client, DEFAULTS, "d") == ()
        assert chosen(client, BEST, "b")
    assert [one.name for one in chosen("spikewire", CACHE, "d")] == ["near_cache"]
    assert not {"near_cache", "deadline"} & {one.name for one in chosen("spikewire", BEST, "b")}
    assert "deadline" in {one.name for one in chosen("spikewire", BEST, "g")}


# --- Nodes that fail.


class FakeCluster:
    def __init__(self) -> None:
        self.done: list[object] = []

    def inject(self, node: int, **faults: object) -> None:
        self.done.append((node, faults))

    def kill(self, node: int) -> None:
        raise ValueError(f"no node {node}")


def test_commands_are_answered_in_order() -> None:
    told = [
        {"action": "inject", "node": 1, "faults": {"delay": 1}},
        {"action": "kill", "node": 7, "faults": {}},
    ]
    answers, cluster = io.StringIO(), FakeCluster()
    nodes.serve(cluster, io.StringIO("".join(f"{json.dumps(one)}\n" for one in told)), answers)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert cluster.done == [(1, {"delay": 1})]
    assert "failed" not in first
    assert second["failed"] == "ValueError: no node 7"
    assert 0 < first["at"] <= second["at"]


def test_a_cluster_takes_commands_and_ends() -> None:
    with FaultyCluster(2, "test") as cluster:
        assert len(cluster.seeds) == 2
        cluster.limit(0.001)
        cluster.send(INJECT, 1, {"drop": 1.0})
        with pytest.raises(RuntimeError, match="unknown fault"):
            cluster.send(INJECT, 1, {"nonsense": 1})
        cluster.limit(0)
        pid = cluster.pid
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(RuntimeError, match="does not answer"):
        cluster.send(INJECT, 1, {"drop": 1.0})


# --- Aims.


def some_calls(scenario: Scenario, *, slow: int = 0, failed: int = 0) -> list[Call]:
    """A hundred calls each second, of which some of the trouble are slow or failed."""
    found: list[Call] = []
    begun, ended = scenario.fault_window()
    for at in range(round(scenario.seconds * 100)):
        within = begun * 100 <= at < ended * 100
        outcome = "Timeout" if within and at % 100 < failed else ""
        late = 200 if within and at % 100 < slow else 1
        found.append(Call(at * 10 * MS, (at * 10 + late) * MS, outcome))
    return found


def a_result(letter: str, made: Sequence[Call], batches: Sequence[Call] = (), **more: Any) -> Any:
    scenario = BY_LETTER[letter]
    rule = Rule(scenario.deadline, scenario.rows_needed)
    series = over_time(made, scenario.seconds, 0.1, rule)
    series["rss"] = [100] * len(series["due"])
    windows = scenario.windows().items()
    result: dict[str, Any] = {
        "interval": 0.1,
        "over_time": series,
        "windows": {name: figures(made, window, rule) for name, window in windows},
        "batches": {name: figures(batches, window, rule) for name, window in windows},
        "requests": len(made),
        "hot_reads": 0,
        "stale": None,
        "setting": DEFAULTS,
        "options": {},
        "calls": len(made),
        "counters": {},
        **more,
    }
    return result


def verdicts(study: Study) -> dict[str, Any]:
    return {row.label.partition(":")[0]: row.fields["verdict"] for row in aims.rows(study)}


def test_aims_of_a_mute_node() -> None:
    scenario, study = BY_LETTER["b"], Study()
    study.scenarios["b"] = scenario
    ours = Cell("spikewire", ASYNC, "b", DEFAULTS)
    rows = [Call(at * 100 * MS, (at * 100 + 9) * MS, "", 60, 60) for at in range(170)]
    study.results[ours] = a_result("b", some_calls(scenario), rows)
    assert set(verdicts(study).values()) == {aims.MET}
    lost = [*rows[:-1], rows[100]._replace(there=59)]
    study.results[ours] = a_result("b", some_calls(scenario, slow=5, failed=1), lost)
    assert set(verdicts(study).values()) == {aims.NOT_MET, aims.MET}
    assert verdicts(study)["(b) reads that fail"] == aims.NOT_MET
    assert verdicts(study)["(b) slowest read"] == aims.NOT_MET
    assert verdicts(study)["(b) rows that batches of 60 lose"] == aims.NOT_MET
    assert verdicts(study)["(b) slowest batch after 1 s"] == aims.MET
    rival = Cell("aerospike", SYNC, "b", BEST)
    study.results[rival] = a_result("b", some_calls(scenario, failed=7))
    fields = {row.label: row.fields for row in aims.rows(study)}
    failing = next(one for label, one in fields.items() if "reads that fail" in label)
    assert failing["value"] == "10"
    assert failing["rival"] == "70 (aerospike, best options)"
    section = aims.section(study)
    assert section is not None
    assert len(section.tables[0].rows) == 5
    assert aims.conclusion(section.tables[0]) == "1 of 5 lines of the table of aims are met."
    assert not list(losses(scenario, study)), "the other client has other options"
    study.results[replace(rival, setting=DEFAULTS)] = a_result("b", some_calls(scenario))
    (loss,) = losses(scenario, study)
    assert "aerospike, threads has 100% good answers, spikewire, asyncio 95%" in loss
    assert aims.section(Study()) is None


def test_aims_of_an_overload_and_of_a_hot_key() -> None:
    study = Study()
    for letter in "ad":
        study.scenarios[letter] = BY_LETTER[letter]
    plain, cached = (Cell("spikewire", ASYNC, "d", one) for one in (DEFAULTS, CACHE))
    over = Cell("spikewire", ASYNC, "a", DEFAULTS)
    study.loads = {plain: 100.0, cached: 100.0, over: 100.0}
    a, d = some_calls(BY_LETTER["a"]), some_calls(BY_LETTER["d"])
    study.results[over] = a_result("a", a, served=len(a) * 1.2)
    study.results[plain] = a_result("d", some_calls(BY_LETTER["d"], failed=75))
    assert verdicts(study)["(a) retries per call"] == aims.NOT_MET
    study.results[over] = a_result("a", a, served=len(a) * 1.2, counters={"retries_sent": 9})
    assert verdicts(study)["(a) retries per call"] == aims.MET, "they were for other reasons"
    stale = {"reads": 10, "writes": 5, "oldest": 2.0}
    near: dict[str, Any] = {"served": 605, "hot_reads": 600, "stale": stale}
    study.results[cached] = a_result("d", d, **near)
    assert verdicts(study)["(d) oldest answer"] == aims.UNKNOWN, "this build has no cache"
    study.results[cached] = a_result("d", d, **near, options={"near_cache": 1})
    known = verdicts(study)
    assert known["(a) good answers over capacity"] == aims.MET
    assert known["(a) normal again after"] == aims.MET
    assert known["(d) good answers over those by default"] == aims.MET
    assert known["(d) requests for the hot key, of all reads"] == aims.MET
    assert known["(d) oldest answer"] == aims.NOT_MET
    study.loads[cached] = 50.0
    assert verdicts(study)["(d) good answers over those by default"] == aims.UNKNOWN


def test_times_to_cope_and_to_recover() -> None:
    scenario = BY_LETTER["b"]
    bad = a_result("b", some_calls(scenario, failed=100))
    assert coped_after(bad, scenario) is None
    assert normal_after(bad, scenario) == 0
    # A fault that ended late is over only then.
    bad["events"] = [(3.0, "node 1: mute"), (13.5, "node 1: clear")]
    assert normal_after(bad, scenario) == 0


def test_a_load_that_is_too_high_before_the_trouble_is_a_flaw() -> None:
    scenario = BY_LETTER["b"]
    assert not flaw(a_result("b", some_calls(scenario, failed=100)))
    late = [call._replace(ended=call.ended + NS) for call in some_calls(scenario)]
    assert "too high" in flaw(a_result("b", late))
    assert "none of these" in flaw(a_result("b", some_calls(scenario), setting=BEST))
    assert not flaw(a_result("b", some_calls(scenario), setting=BEST, options={"timeout": 1}))


def test_a_line_has_the_spread_of_its_rounds() -> None:
    scenario, study, cell = BY_LETTER["b"], Study(), Cell("spikewire", ASYNC, "b", DEFAULTS)
    assert fields(scenario, study, cell) == {}
    rounds = [a_result("b", some_calls(scenario, failed=one)) for one in (10, 30, 20)]
    study.results[cell], study.rounds[cell] = rounds[2], rounds
    row = fields(scenario, study, cell)
    assert row["during"] == Median.of([90.0, 70.0, 80.0])
    assert row["errors"] == "Timeout 200"


def test_the_round_in_the_middle_is_shown() -> None:
    rounds = [a_result("b", some_calls(BY_LETTER["b"], failed=one)) for one in (3, 1, 2)]
    assert typical([*rounds, {"failed": "it broke"}]) is rounds[2]
    assert typical([{"failed": "it broke"}]) is None


# --- The whole.


def a_bench(**target: Any) -> Bench:
    bench = Bench(
        Target(**target), QUICK, ("",), Progress(bar=False), ["spikewire"], ("spikewire",)
    )
    bench.scenarios = ScenarioChoice(seconds=0.4, rate=300)
    return bench


@pytest.mark.parametrize("letter", LETTERS)
def test_each_scenario_runs(letter: str) -> None:
    study = Study()
    scenario = replace(BY_LETTER[letter], settings=(BEST,))
    part = Spike(scenario, study).run(a_bench())
    (table,) = part.section.tables
    assert [row.client for row in table.rows] == ["spikewire", "spikewire"]
    # A busy machine may be late, but nothing breaks.
    assert not any("failed" in row.flawed or "Error" in row.flawed for row in table.rows)
    assert len(study.results) == len(table.rows)
    assert part.section.charts
    for result in study.results.values():
        check(study.scenarios[letter], result)
    assert all(row.fields["verdict"] for row in aims.rows(study))


def check(scenario: Scenario, result: SpikeResult) -> None:
    series = result["over_time"]
    batches = scenario.batches is not None and scenario.singles
    assert result["calls"] == sum(series["due"]) + batches * sum(
        result["batches"][one]["due"] for one in (BEFORE, DURING, AFTER)
    )
    assert sum(series["due"]) > 0
    assert len(result["events"]) == sum(len(one.events) for one in scenario.phases)
    if scenario.writer:
        assert result["stale"] is not None
        assert result["stale"]["reads"] > 0
    elif not scenario.faulty and not scenario.connects:
        assert result["served"] > 0


def test_parts_that_are_not_asked_for_are_left_out() -> None:
    recipe = recipes.load("spike")
    bench = a_bench()
    bench.scenarios = ScenarioChoice(scenarios=("b", "f"))
    chosen_parts = recipe.selected(recipe.parts(), bench)
    assert [part.name for part in chosen_parts] == ["capacity", "mute", "connect"]
    bench.size = SHORT
    assert all(part.belongs_to(bench) for part in chosen_parts)
    bench.scenarios = ScenarioChoice()
    parts = recipe.selected(recipe.parts(), bench)
    of_short = [part.name for part in parts if part.belongs_to(bench)]
    assert of_short == ["capacity", "overload", "mute", "batch-reader"]
    for size in (QUICK, FULL):
        bench.size = size
        assert all(part.belongs_to(bench) for part in recipe.parts())


def test_a_cluster_that_is_given_is_left_whole() -> None:
    bench = a_bench(hosts=(("127.0.0.1", 1),))
    for letter in "bce":
        with pytest.raises(CannotRunError, match="-H"):
            of_bench(BY_LETTER[letter], bench)
    assert not of_bench(BY_LETTER["g"], bench).faulty
    assert of_bench(BY_LETTER["a"], bench).scaled(1).limited


def test_clients_have_a_line_for_each_of_their_apis() -> None:
    known = cells(BY_LETTER["d"], ("spikewire", "aerospike"), "")
    names = [(one.client, one.mode, one.setting) for one in known]
    assert ("spikewire", ASYNC, CACHE) in names
    assert ("aerospike", SYNC, BEST) in names
    assert ("aerospike", SYNC, CACHE) not in names
    builds = cells(BY_LETTER["d"], ("spikewire", "spikewire@old"), "")
    assert [one.client for one in builds if one.setting == CACHE].count("spikewire@old") == 2


def descendants(pid: int) -> set[int]:
    """All processes below this one."""
    children: dict[int, set[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        children.setdefault(parent, set()).add(int(stat.parent.name))
    found: set[int] = set()
    left = [pid]
    while left:
        those = children.get(left.pop(), set()) - found
        found |= those
        left += those
    return found


def test_an_interrupt_leaves_no_process_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spikewire", "lab", "spike", "--quick", "--clients"]
    more = ["spikewire", "--scenarios", "b", "--rate", "200", "--seconds", "60"]
    process = subprocess.Popen(
        [*command, *more, "--out", str(tmp_path)], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    with process, process.stderr as said:
        for line in said:
            if "(b)" in line:
                break
        # The second of two: the cluster, and beside it the client or what writes the records.
        deadline = time.monotonic() + 60
        while len(those := descendants(process.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        rest = said.read()
        assert process.wait(60) == 130, rest
    assert len(those) >= 2
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and any(Path(f"/proc/{pid}").exists() for pid in those):
        time.sleep(0.02)
    assert not [pid for pid in those if Path(f"/proc/{pid}").exists()]
    assert json.loads((tmp_path / "spike" / "report.json").read_text())["interrupted"]
