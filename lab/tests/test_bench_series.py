"""Results over time: intervals of known clients, in simulated time and in real time."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lab_bench import a_bench

pytest.importorskip("hdrh")

from spikewire_lab import measure
from spikewire_lab.clients.base import ASYNC, SYNC
from spikewire_lab.contract.series import INTERVALS, intervals_a_second
from spikewire_lab.plan import Cell, Matrix
from spikewire_lab.run.compare import Comparison
from spikewire_lab.run.hlog import keep
from spikewire_lab.series.calls import FAILED, LATE, NOT_YET, EndedCalls
from spikewire_lab.series.lines import LineDisplay, Lines, rounded, text
from spikewire_lab.series.marks import Marks
from spikewire_lab.series.timeline import Timeline
from spikewire_lab.studies.recipe import FULL, QUICK
from spikewire_lab.studies.selfcheck.fake import Act
from spikewire_lab.studies.selfcheck.measure import ScriptedLoad, played, real
from spikewire_lab.studies.svg import NARROW, WIDE, draw
from spikewire_lab.studies.timelines import charts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spikewire_lab.contract.result import Result
    from spikewire_lab.contract.series import Series
    from spikewire_lab.plan import Group
    from spikewire_lab.series.lines import Second
    from spikewire_lab.studies.selfcheck.fake import Script
    from spikewire_lab.table.summary import Round

MODES = (ASYNC, SYNC)


def series(result: Result) -> Series:
    assert "series" in result
    return result["series"]


@pytest.mark.parametrize(
    ("duration", "many"),
    [(0.1, 200), (1, 20), (3, 7), (5, 4), (7, 3), (10, 2), (20, 1), (600, 1)],
)
def test_intervals_divide_a_second(duration: float, many: int) -> None:
    assert intervals_a_second(duration) == many
    assert duration * many >= INTERVALS


def test_work_that_ends_by_itself_has_intervals_of_a_second() -> None:
    assert intervals_a_second(0.0) == 1


@pytest.mark.parametrize("mode", MODES)
def test_calls_are_counted_where_they_end(mode: str) -> None:
    # 50 calls of 2 ms, then 90 of 10 ms: 100 ms of the former, and 900 of the latter.
    known = ScriptedLoad(mode, lambda at: Act(takes=0.002 if at < 51 else 0.01), 4, 1.0)
    result = played(known)
    intervals = series(result)
    assert intervals["interval"] == 0.05
    assert sum(intervals["operations"]) == result["operations"]
    # One call of each worker is its warm-up.
    assert intervals["operations"][:20] == [4 * 25] * 2 + [4 * 5] * 18
    assert intervals["p50_ns"][:20] == [2_000_000] * 2 + [10_000_000] * 18
    assert intervals["max_ns"][:20] == intervals["p50_ns"][:20]
    assert intervals["p99_ns"][:20] == [None] * 20, "of a hundred, none lies far enough beyond"
    assert "rss" not in intervals, "time was played"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rate", [0.0, 100.0])
def test_a_stall_leaves_intervals_without_calls(mode: str, rate: float) -> None:
    known = ScriptedLoad(
        mode, lambda at: Act(blocks=0.5 if at == 31 else 0.0, takes=0.01), 1, 1.0, rate
    )
    intervals = series(played(known))
    # From 0.3 s to 0.8 s.
    assert intervals["operations"][:6] == [5] * 6
    assert intervals["operations"][7:16] == [0] * 9
    assert intervals["operations"][16] > 0
    assert intervals["max_ns"][7:16] == [None] * 9
    assert intervals["max_ns"][16] is not None
    assert intervals["max_ns"][16] >= 500_000_000


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rate", [0.0, 200.0])
def test_errors_and_timeouts_have_their_interval(mode: str, rate: float) -> None:
    def script(at: int) -> Act:
        # A closed loop has used the first call as its warm-up.
        number = at if rate else at - 1
        kind = {0: TimeoutError, 1: OSError}.get(number % 10)
        return Act(takes=0.005, error=kind if number >= 100 else None)

    result = played(ScriptedLoad(mode, script, 1, 1.0, rate))
    intervals = series(result)
    assert sum(intervals["operations"]) == result["operations"]
    assert sum(intervals["errors"]) == result["errors"] == 20
    assert sum(intervals["timeouts"]) == result.get("timeouts") == 10
    assert intervals["errors"][:20] == [0] * 10 + [2] * 10
    assert intervals["timeouts"][:20] == [0] * 10 + [1] * 10


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_only_fails_has_no_operations(mode: str) -> None:
    intervals = series(
        played(ScriptedLoad(mode, lambda _at: Act(takes=0.01, error=OSError), 2, 1.0))
    )
    assert set(intervals["operations"]) == {0}
    assert intervals["errors"][:20] == [10] * 20


@pytest.mark.parametrize("mode", MODES)
def test_histograms_of_intervals_are_those_of_the_run(mode: str) -> None:
    known = ScriptedLoad(mode, lambda at: Act(takes=0.001 * (1 + at % 3)), 4, 1.0)
    result = played(known, {**known.job(), "histograms": True})
    intervals = series(result)
    assert "read" in intervals
    assert "write" in intervals
    for name in ("read", "write"):
        parts, whole = measure.merge(intervals[name]), measure.merge([result["latency"][name]])
        assert parts.get_total_count() == whole.get_total_count() > 0
        assert measure.percentiles(parts) == measure.percentiles(whole)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rate", [0.0, 200.0])
def test_memory_is_looked_at_in_real_time(mode: str, rate: float) -> None:
    held: list[bytes] = []

    def script(at: int) -> Act:
        if at == 30:
            held.append(bytes([1]) * 50_000_000)
        return Act(takes=0.001)

    intervals = series(real(ScriptedLoad(mode, script, 1, 0.5, rate)))
    assert "rss" in intervals
    assert len(intervals["rss"]) <= len(intervals["operations"])
    if len(intervals["rss"]) > 1:
        assert max(intervals["rss"]) - intervals["rss"][0] < 200_000_000
    assert min(intervals["rss"], default=1) > 0


def test_between_timed_calls_ends_are_spread_evenly_and_a_stall_is_not() -> None:
    samples, none = array("q", [0] * 8), array("q")
    marks = Marks(lambda: 1000, 100, samples, none, none)
    samples[0] = 7
    # A block of 16 began at 1090, its timed call took 7, and the next block began at 1410.
    assert marks.edge == 1100
    assert marks.passed(1090, 64, 0, 1410, 80, 1) == 1500
    assert marks.counts(1000) == (0, 0, 0)
    assert marks.counts(1045) == (32, 0, 0)
    assert marks.counts(1090)[0] == 64
    assert marks.counts(1097)[0] == 65
    assert [marks.counts(at)[0] for at in (1100, 1200, 1300, 1400, 1410)] == [65, 69, 74, 79, 80]
    assert marks.counts(5000)[0] == 80, "as far as is known"
    assert marks.latencies(1000, 1100) == [7]
    assert marks.latencies(1100, 1410) == ()
    assert marks.ended(1480, 85, 1, 1490, 90, 1) == 1490
    assert marks.counts(1480)[0] == 85


def test_overwritten_latencies_are_left_out() -> None:
    samples, none = array("q", range(1, 5)), array("q")
    marks = Marks(lambda: 0, 100, samples, none, none)
    marks.passed(90, 3, 3, 110, 4, 3)
    assert marks.latencies(0, 100) == [1, 2, 3]
    marks.passed(190, 8, 8, 210, 9, 8)
    assert marks.latencies(0, 100) is None
    assert marks.latencies(100, 200) is None


@dataclass
class CallTimes:
    begun: array[int] = field(default_factory=lambda: array("q", [1, 2, 3, NOT_YET]))
    ended: array[int] = field(default_factory=lambda: array("q", [NOT_YET, 5, 4, NOT_YET]))
    failures: bytearray = field(default_factory=lambda: bytearray([0, FAILED, 0, 0]))

    def response(self, at: int) -> int:
        return -10 * at


def test_calls_that_end_out_of_order_are_counted_later() -> None:
    calls = CallTimes()
    ended = EndedCalls(calls)
    assert ended.counts(10) == (2, 1, 0)
    calls.ended[0], calls.begun[3], calls.ended[3] = 7, 6, 8
    calls.failures[3] = LATE
    assert ended.counts(10) == (4, 2, 1)
    assert ended.counts(4) == (1, 0, 0)
    assert list(ended.latencies(0, 10)) == [-20, 0]


class TestLogs:
    def test_other_tools_read_the_histogram_logs(self, tmp_path: Path) -> None:
        log, histogram = (pytest.importorskip(f"hdrh.{name}") for name in ("log", "histogram"))
        known = ScriptedLoad(ASYNC, lambda at: Act(takes=0.002 if at < 51 else 0.01), 4, 1.0)
        result = played(known, {**known.job(), "histograms": True})
        intervals = series(result)
        intervals["start"] = (
            1_795_459_620.5839865  # between two of the milliseconds that are written
        )
        rows = [*zip(intervals["operations"], intervals["p50_ns"], strict=True)]
        files = keep(tmp_path / "logs", "spikewire async 32 at 5,000/s, round 1", result)
        assert [file.name for file in files] == [
            f"spikewire-async-32-at-5-000-s-round-1-{kind}.hlog" for kind in ("read", "write")
        ]
        assert "read" not in intervals, "they are in the logs"
        counts, middles = [0] * len(rows), [list[int]() for _ in rows]
        for file in files:
            empty = histogram.HdrHistogram(1, measure.HIGHEST_NS, measure.DIGITS)
            reader = log.HistogramLogReader(str(file), empty)
            at = 0
            while (read := reader.get_next_interval_histogram()) is not None:
                begun = read.get_start_time_stamp() / 1000 - intervals["start"]
                assert begun == pytest.approx(at * intervals["interval"], abs=0.002)
                lasted = read.get_end_time_stamp() - read.get_start_time_stamp()
                assert lasted == pytest.approx(intervals["interval"] * 1000, abs=0.01)
                counts[at] += read.get_total_count()
                if read.get_total_count():
                    middles[at].append(read.get_value_at_percentile(50))
                at += 1
            assert at == len(rows)
            assert reader.get_start_time_sec() == pytest.approx(intervals["start"], abs=0.001)
            reader.close()
        assert counts == [count for count, _ in rows]
        for row_middles, (_, middle) in zip(middles, rows, strict=True):
            for one in row_middles:
                assert one == pytest.approx(middle, rel=0.001)

    def test_no_log_is_written_without_samples(self, tmp_path: Path) -> None:
        known = ScriptedLoad(ASYNC, lambda _at: Act(takes=0.01, error=OSError), 1, 0.2)
        result = played(known, {**known.job(), "histograms": True})
        assert keep(tmp_path / "logs", "none", result) == []
        assert not (tmp_path / "logs").exists()


class TestLines:
    @staticmethod
    def timeline(known: ScriptedLoad) -> Timeline:
        """The timeline of a finished run."""
        timelines: list[Timeline] = []

        class Recorded(Timeline):
            def __init__(self, duration: float, *, memory: bool = True) -> None:
                super().__init__(duration, memory=memory)
                timelines.append(self)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("spikewire_lab.worker.run.Timeline", Recorded)
            played(known)
        return timelines[0]

    def test_each_second_has_its_calls(self) -> None:
        def script(at: int) -> Act:
            return Act(takes=0.002 if at < 501 else 0.01, error=OSError if at % 50 == 1 else None)

        lines = Lines(self.timeline(ScriptedLoad(ASYNC, script, 2, 3.0)), 0, 10)
        seconds = [lines.of(second) for second in (1, 2, 3)]
        assert [one["operations"] for one in seconds] == [2 * 10 * 490, 2 * 10 * 98, 2 * 10 * 98]
        assert [one["errors"] for one in seconds] == [2 * 10, 2 * 2, 2 * 2]
        assert [sum(count for _, count in one["samples"]) for one in seconds] == [980, 196, 196]
        ((value, _),) = seconds[0]["samples"]
        assert value == rounded(2_000_000)
        assert value == pytest.approx(2_000_000, rel=0.01)

    def test_several_processes_are_one_line(self) -> None:
        texts: list[str] = []
        show = LineDisplay(2, texts.append)
        second: Second = {
            "second": 1,
            "part": 0,
            "operations": 1_500,
            "errors": 1,
            "timeouts": 1,
            "rss": 50_000_000,
            "samples": [(1_000_000, 600), (4_000_000, 10)],
        }
        show(second)
        assert not texts
        show({**second, "part": 1, "samples": [(2_000_000, 500), (4_000_000, 10)]})
        assert len(texts) == 1
        words = texts[0].split()
        assert words[:4] == ["1", "s", "3,000", "op/s"]
        assert words[words.index("p50") + 1] == "1,000"
        assert words[words.index("p99") + 1] == "4,000"
        assert texts[0].endswith("2 errors  2 timeouts  100 MB")

    def test_few_samples_have_no_p99(self) -> None:
        second: Second = {
            "second": 1,
            "part": 0,
            "operations": 1,
            "errors": 0,
            "timeouts": 0,
            "rss": 0,
            "samples": [(1_000, 999)],
        }
        words = text([second]).split()
        assert words[words.index("p99") + 1] == "-"
        assert words[words.index("p50") + 1] == "1"


def always(seconds: float) -> Script:
    return lambda _at: Act(takes=seconds)


class TestCharts:
    @staticmethod
    def comparison(clients: Mapping[str, float], rounds: int = 2) -> Comparison:
        """Asyncio with sequential calls of this many seconds, in 1 and in 4 tasks."""
        groups: list[Group] = []
        rounds_by_cell: dict[Cell, list[Round]] = {}
        for tasks in (1, 4):
            cells = {Cell(client, ASYNC, tasks): takes for client, takes in clients.items()}
            groups.append(tuple(cells))
            for cell, takes in cells.items():
                results: list[Round] = []
                for number in range(rounds):
                    result = played(ScriptedLoad(ASYNC, always(takes * (1 + number)), tasks, 1.0))
                    series(result)["rss"] = [1_000_000 * (at + 1) for at in range(20)]
                    results.append(result)
                rounds_by_cell[cell] = results
        matrix = Matrix(tuple(clients), (ASYNC,), (1, 4), (1,), (1,), ("",))
        settings = BENCH.settings(matrix, duration=1.0)
        return Comparison("lab", settings, groups=groups, rounds=rounds_by_cell)

    def test_the_widest_group_of_a_mode_has_its_throughput_and_memory(self) -> None:
        drawn = charts(self.comparison({"spikewire": 0.01, "aerospike-py": 0.02}), "part", "How.")
        assert [chart.name for chart in drawn] == ["part-async-over-time", "part-async-memory"]
        rate, held = drawn
        assert (rate.y.unit, held.y.unit) == ("op/s", "B")
        assert [one.name for one in rate.series] == ["spikewire", "aerospike-py"]
        ours = rate.series[0]
        assert len(ours.points) == 20
        assert [x for x, _ in ours.points[:2]] == [0.05, 0.1]
        # Rounds of 400 and of 200 calls per second.
        assert sum(y for _, y in ours.points) / 20 == pytest.approx(300, rel=0.06)
        assert sum(low for low, _ in ours.spread) / 20 == pytest.approx(200, rel=0.06)
        assert [y for _, y in held.series[0].points] == [1e6 * (at + 1) for at in range(20)]
        assert all(draw(chart, width) is not None for chart in drawn for width in (WIDE, NARROW))

    def test_a_group_of_several_modes_has_charts_for_each(self) -> None:
        """As in the matrix of a study, all lines of which are measured in the same rounds."""
        plain = self.comparison({"spikewire": 0.01})
        cells = [
            Cell("spikewire", ASYNC, 4),
            Cell("aerospike-py", ASYNC, 4),
            Cell("spikewire", SYNC, 1),
            Cell("spikewire", SYNC, 4),
            Cell("spikewire", ASYNC, 16, loops=2),
            Cell("spikewire", ASYNC, 4, "python3.14t", gil=False),
        ]
        results = next(iter(plain.rounds.values()))
        drawn = charts(
            Comparison(
                "lab",
                plain.settings,
                groups=[tuple(cells)],
                rounds={cell: list(results) for cell in cells},
            ),
            "part",
            "How.",
        )
        assert [(chart.name, len(chart.series)) for chart in drawn[::2]] == [
            ("part-async-over-time", 2),
            ("part-sync-over-time", 1),
            ("part-async-pool-over-time", 1),
            ("part-async-2-over-time", 1),
        ]
        titles = [chart.title.partition(":")[0] for chart in drawn[::2]]
        assert titles[:3] == [
            "asyncio, 4 in flight",
            "threads, 4 in flight",
            "asyncio in a pool of 2 loops, 16 in flight",
        ]
        assert titles[3].startswith("asyncio, 4 in flight, Python ")
        assert titles[3].endswith(", GIL off")

    def test_runs_without_intervals_have_no_charts(self) -> None:
        comparison = self.comparison({"spikewire": 0.01}, 1)
        for rounds in comparison.rounds.values():
            for one in rounds:
                assert "failed" not in one
                del one["series"]
        assert charts(comparison, "part", "How.") == []

    @pytest.mark.parametrize(
        ("size", "logs", "folder"), [(QUICK, False, ""), (QUICK, True, "x"), (FULL, False, "x")]
    )
    def test_logs_of_a_part_are_beside_its_report(self, size: str, logs: bool, folder: str) -> None:
        bench = replace(BENCH, size=size, logs=logs, folder=Path("x"))
        matrix = Matrix(("spikewire",), (ASYNC,), (1,), (1,), (1,), ("",))
        assert bench.settings(matrix).logs == folder
        assert replace(bench, folder=None).settings(matrix).logs == ""


BENCH = a_bench()
