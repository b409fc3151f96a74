"""Rounds become one line; ratios are relative to the best peer only."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pytest

from spikewire_lab.measure import Growth, encode, merge, percentiles
from spikewire_lab.plan import Cell
from spikewire_lab.run.progress import brief
from spikewire_lab.run.report import notes, title
from spikewire_lab.table.apis import conclusions
from spikewire_lab.table.figures import Spread
from spikewire_lab.table.headings import columns, row
from spikewire_lab.table.line import Line
from spikewire_lab.table.summary import summarise, with_ratios
from spikewire_lab.work.shape import (
    BATCH_READ,
    BATCH_WRITE,
    COLUMNS,
    DICT,
    NUMPY,
    OPERATIONS,
    SINGLES,
    Shape,
)
from spikewire_lab.worker.drivers import Outcome

if TYPE_CHECKING:
    from spikewire_lab.contract.result import Failure, Result

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")


def a_result(
    client: str = "aerospike",
    operations: int = 1000,
    elapsed: float = 1.0,
    cpu: tuple[float, float] = (0.006, 0.004),
    errors: int = 0,
    reads: tuple[int, ...] = (10_000, 20_000),
    server_cpu: float | None = None,
    rss: int = 50_000_000,
    machine_cpu: float | None = None,
) -> Result:
    return {
        "client": client,
        "version": "1.2.3",
        "mode": "sync",
        "concurrency": 32,
        "loop": None,
        "python": None,
        "elapsed": elapsed,
        "operations": operations,
        "errors": errors,
        "first_error": "KeyError: 5" if errors else None,
        "cpu": {"user": cpu[0], "system": cpu[1]},
        "server_cpu": server_cpu,
        "machine_cpu": machine_cpu,
        "switches": {"voluntary": 1, "involuntary": 2},
        "latency": {
            "read": encode(reads),
            "write": encode(()),
            "samples": len(reads),
            "overwritten": 0,
            "max_ns": max(reads, default=0),
        },
        "memory": {"bare": 1, "ready": 2, "peak": rss},
        "cpus": [0],
        "load_average": [0.0, 0.0, 0.0],
    }


def line(client: str, rate: float, cpu: float, errors: int = 0) -> Line:
    result = a_result(client, round(rate), 1.0, (cpu * round(rate) / 1e6, 0.0), errors)
    return summarise(Cell(client, "sync", 32), [result])


def test_the_rate_is_over_real_elapsed_time_and_the_middle_of_the_rounds() -> None:
    rounds = [a_result(operations=1000, elapsed=2.0), a_result(operations=3000, elapsed=1.5)]
    rounds.append(a_result(operations=900, elapsed=1.0))
    summary = summarise(Cell("aerospike", "sync", 32), rounds)
    assert summary.rate == Spread(median=900, low=500, high=2000)
    assert summary.rate.percent == pytest.approx(100 * 1500 / 900)


def test_processor_time_is_microseconds_per_successful_operation() -> None:
    summary = summarise(
        Cell("aerospike", "sync", 32),
        [a_result(operations=1000, cpu=(0.006, 0.004), server_cpu=0.02)],
    )
    assert summary.cpu == Spread(10.0, 10.0, 10.0)
    assert summary.cpu_user == pytest.approx(6.0)
    assert summary.cpu_system == pytest.approx(4.0)
    assert summary.cpu_server == pytest.approx(20.0)


def test_percentiles_come_from_merged_histograms_not_from_averages() -> None:
    slow = a_result(reads=(1_000_000,) * 20)
    fast = a_result(reads=(10_000,) * 9_980)
    latency = summarise(Cell("aerospike", "sync", 32), [slow, fast]).latency
    assert latency is not None
    assert latency["p50"] == pytest.approx(10, rel=0.01)
    assert latency["p99"] == pytest.approx(10, rel=0.01)
    assert latency["p99.9"] == pytest.approx(1000, rel=0.01)


def test_cpu_of_other_programs_is_that_of_the_worst_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    cell = Cell("aerospike", "sync", 32)
    calm = a_result(elapsed=2.0, cpu=(0.5, 0.5), server_cpu=1.0, machine_cpu=2.0)
    busy = a_result(elapsed=2.0, cpu=(0.5, 0.5), server_cpu=1.0, machine_cpu=3.0)
    assert summarise(cell, [calm, busy]).others == pytest.approx(0.25)
    assert summarise(cell, [a_result(machine_cpu=3.0)]).others is None


def test_the_maximum_is_exact_and_memory_is_the_highest_peak() -> None:
    rounds = [a_result(reads=(123_457,), rss=7), a_result(reads=(5,), rss=9)]
    summary = summarise(Cell("aerospike", "sync", 32), rounds)
    assert summary.latency_max == pytest.approx(123.457)
    assert summary.peak_rss == 9


def test_errors_and_failed_rounds_make_a_line_flawed() -> None:
    rounds: list[Result | Failure] = [a_result(errors=3), {"failed": "it fell over"}]
    summary = summarise(Cell("aerospike", "sync", 32), rounds)
    assert summary.flawed
    assert summary.errors == 3
    assert summary.first_error == "KeyError: 5"
    assert summary.failures == ("it fell over",)
    assert summary.rounds == 2
    assert not line("aerospike", 1000, 10).flawed


def test_operations_that_no_server_saw_make_a_line_flawed() -> None:
    sound, unsound, floor = a_result(operations=1000), a_result(operations=1000), a_result("null")
    sound["served"] = 1256
    unsound["served"] = 900
    floor["served"] = 0
    assert not summarise(Cell("aerospike", "sync", 32), [sound]).flawed
    line = summarise(Cell("aerospike", "sync", 32), [sound, unsound])
    assert line.unserved == 100
    assert line.flawed
    assert not summarise(Cell("null", "sync", 32), [floor]).flawed


def test_a_cell_whose_every_round_failed_still_has_a_line() -> None:
    summary = summarise(Cell("aerospike", "sync", 32), [{"failed": "no"}, {"failed": "no"}])
    assert summary.rate is None
    assert summary.flawed
    assert with_ratios([summary])[0].rate_ratio is None


def test_a_cell_without_one_success_has_no_rate() -> None:
    summary = summarise(Cell("aerospike", "sync", 32), [a_result(operations=0, errors=5)])
    assert summary.rate is None
    assert summary.errors == 5


def test_ratios_are_to_the_fastest_and_to_the_lowest_cpu_peer() -> None:
    ours, quick, thrifty = with_ratios(
        [line("spikewire", 3000, 5), line("aerospike", 2000, 20), line("aerospike-py", 1000, 10)]
    )
    assert ours.rate_ratio == pytest.approx(1.5)
    assert ours.cpu_ratio == pytest.approx(0.5)
    assert quick.rate_ratio == pytest.approx(1.0)
    assert quick.cpu_ratio == pytest.approx(2.0)
    assert thrifty.rate_ratio == pytest.approx(0.5)
    assert thrifty.cpu_ratio == pytest.approx(1.0)


def test_spikewire_is_not_a_peer_and_neither_is_the_floor() -> None:
    ours, floor = with_ratios([line("spikewire", 3000, 5), line("null", 9_000_000, 0.1)])
    assert ours.rate_ratio is None
    assert floor.rate_ratio is None


def test_many_errors_flag_a_line_and_few_do_not() -> None:
    few, many = line("aerospike", 9999, 10, errors=1), line("aerospike", 999, 10, errors=2)
    assert (few.errors, few.error_share, few.flawed) == (1, 0.0001, False)
    assert many.flawed
    assert any("1 errors, 0.010% of its calls" in note for note in notes([few]))


def test_timeouts_count_separately_from_other_errors() -> None:
    class ReadTimeoutError(Exception):
        pass

    class LateError(ReadTimeoutError):
        pass

    outcome = Outcome()
    for error in (
        LateError(),
        TimeoutError(),
        OSError("no Timeout"),
        KeyError(1),
        ReadTimeoutError(),
    ):
        outcome.failed(error)
    assert (outcome.errors, outcome.timeouts) == (5, 3)
    result = a_result(operations=95, errors=outcome.errors)
    assert summarise(Cell("aerospike", "sync", 32), [result]).timeouts is None
    result["timeouts"] = outcome.timeouts
    both = summarise(Cell("aerospike", "sync", 32), [result, result])
    assert (both.errors, both.timeouts) == (10, 6)
    assert any("10 errors, 6 of them timeouts, 5.000% of its calls" in one for one in notes([both]))
    assert "10 (6 timeouts)" in row(both)
    assert "5 errors, 3 of them timeouts" in brief(both.cell, result)


def test_a_peer_with_errors_is_no_measure() -> None:
    ours, _, sound = with_ratios(
        [
            line("spikewire", 3000, 5),
            line("aerospike", 9000, 1, errors=100),
            line("aerospike-py", 1000, 10),
        ]
    )
    assert ours.rate_ratio == pytest.approx(3.0)
    assert sound.rate_ratio == pytest.approx(1.0)


def test_our_rust_crate_is_measured_against_the_other() -> None:
    ours, peer = with_ratios([line("spikewire-rust", 3000, 5), line("aerospike-rust", 1500, 10)])
    assert ours.rate_ratio == pytest.approx(2.0)
    assert peer.rate_ratio == pytest.approx(1.0)


def test_histograms_survive_the_journey_and_add_up() -> None:
    merged = merge([encode([1_000] * 500), encode([9_000_000_000] * 500), encode([])])
    assert merged.get_total_count() == 1000
    texts = percentiles(merged)
    assert texts["p50"] == pytest.approx(1.0, rel=0.01)
    assert texts["p99"] == pytest.approx(9e6, rel=0.01)
    assert percentiles(merge([])) == {}


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="free memory cannot be given back"
)
def test_memory_reused_from_before_counts_again() -> None:
    def fill() -> list[bytes]:
        # Below the size from which each block would be mapped by itself.
        return [b"x" * 100_000 for _ in range(300)]

    held = fill()
    after = b"y" * 100_000
    del held
    with Growth() as growth:
        held = fill()
    if growth.size is None:
        pytest.skip("earlier peaks cannot be forgotten")
    assert growth.size > 20_000_000
    assert (len(held), len(after)) == (300, 100_000)


def test_a_percentile_needs_ten_samples_beyond_it() -> None:
    texts = [set(percentiles(merge([encode([5_000] * many)]))) for many in (1, 99, 100, 200, 1000)]
    assert texts[0] == texts[1] == {"p50"}
    assert texts[2:] == [{"p50", "p90"}, {"p50", "p90", "p95"}, {"p50", "p90", "p95", "p99"}]


def test_latencies_beyond_the_range_are_clamped() -> None:
    merged = merge([encode([0, -5, 10**12])])
    assert merged.get_total_count() == 3


def a_table(client: str, way: str, cpu: float, memory: int | None = None) -> Line:
    result = a_result(client, 1000, 1.0, (cpu * 1000 / 1e6, 0.0))
    result["memory"]["call"] = memory
    return summarise(Cell(client, "sync", 1, shape=Shape(COLUMNS, 100, 5, way)), [result])


def test_column_tables_are_measured_against_records_and_against_columns() -> None:
    ours, c, py, columns = with_ratios(
        [
            a_table("spikewire", NUMPY, 1.0, 4_000_000),
            a_table("aerospike", DICT, 10.0, 60_000_000),
            a_table("aerospike-py", DICT, 8.0, 40_000_000),
            a_table("aerospike-py", NUMPY, 4.0, 50_000_000),
        ]
    )
    assert ours.cpu_ratio == pytest.approx(1 / 8)
    assert ours.cpu_columns_ratio == pytest.approx(1 / 4)
    assert ours.memory_ratio == pytest.approx(0.1)
    assert c.cpu_ratio == pytest.approx(10 / 8)
    assert py.memory_ratio == 1
    assert columns.cpu_ratio == pytest.approx(1 / 2)
    assert columns.cpu_columns_ratio == 1


def test_unknown_memory_has_no_ratio() -> None:
    assert all(
        line.memory is None and line.memory_ratio is None
        for line in [
            *with_ratios([line("aerospike", 1000, 10), line("spikewire", 1000, 10)]),
        ]
    )


def test_server_utilisation_needs_its_thread_count() -> None:
    result = a_result(elapsed=2.0, server_cpu=1.9)
    cell = Cell("aerospike", "sync", 32, shape=Shape(BATCH_READ, 128))
    assert summarise(cell, [result]).server_busy is None
    result["server_threads"] = 1
    busy = summarise(cell, [result])
    assert busy.server_busy == pytest.approx(0.95)
    assert any("set by the server, busy 95%" in note for note in notes([busy]))
    result["server_threads"] = 2
    assert notes([summarise(cell, [result])]) == []


def test_unsupported_cells_show_a_dash_and_a_reason() -> None:
    cell = Cell("aerospike", "async", 32, shape=Shape(BATCH_READ, 128))
    absent = Line(cell, rounds=0, failures=(), absent="has no asyncio interface")
    assert not absent.flawed
    assert row(absent)[:3] == ["128", "aerospike", "-"]
    assert set(row(absent)[2:]) == {"-"}
    assert notes([absent]) == ["aerospike: has no asyncio interface"]


def test_a_batch_is_set_against_its_single_records() -> None:
    def of(way: str, rate: int) -> Line:
        cell = Cell("spikewire", "sync", 1, shape=Shape(BATCH_READ, 4, way=way))
        return summarise(cell, [a_result("spikewire", rate)])

    text = "spikewire: a batch of 4 reads 2.50 times the rows/s of 4 single gets"
    assert text in notes([of("", 2500), of(SINGLES, 1000)])
    assert notes([of("", 2500)]) == []


def test_one_round_has_no_spread() -> None:
    at = [column.name for column in columns("single")].index("spread %")
    cell = Cell("aerospike", "sync", 32)
    assert row(summarise(cell, [a_result(operations=1000)]))[at] == "-"
    assert (
        row(summarise(cell, [a_result(operations=n) for n in (900, 1000, 1100)]))[at] == "20 of 3"
    )


def test_pools_are_measured_against_one_loop() -> None:
    def line(operations: int, cpu: float, mode: str = "async", loops: int = 0) -> Line:
        shape = Shape(way="pool" if loops else "")
        cell = Cell("spikewire", mode, 8, shape=shape, loops=loops, work=20)
        return summarise(cell, [a_result("spikewire", operations, cpu=(cpu, 0.0))])

    group = with_ratios([line(1000, 0.01), line(1900, 0.02, loops=2), line(500, 0.01, "sync")])
    ratios = [(one.one_loop.rate, one.one_loop.cpu) for one in group if one.one_loop]
    assert ratios == [(1, 1), (1.9, pytest.approx(2 / 1.9)), (0.5, 2)]
    headings = [column.name for column in columns("single", pools=True)]
    rows = [row(one, pools=True) for one in group]
    assert [one[headings.index("run by")] for one in rows] == [
        *("1 loop", "pool, 2 loops", "8 threads"),
    ]
    assert rows[1][headings.index("op/s ÷ 1 loop")] == "1.90"
    assert title(group).startswith("pool, async, 8 tasks in all, 20 us of Python with each call")
    # Without that loop there is nothing to compare with.
    assert with_ratios(group[1:])[0].one_loop is None


def test_other_apis_are_measured_against_the_verb_and_against_what_they_replace() -> None:
    def line(client: str, operations: int, cpu: float) -> Line:
        done = a_result(client=client, operations=operations, cpu=(cpu, 0.0))
        return summarise(Cell(client, "sync", 32), [done])

    group = with_ratios(
        [
            line("spikewire", 1000, 0.010),
            line("spikewire-builder", 1000, 0.011),
            line("spikewire-compat", 800, 0.012),
            line("aerospike", 1000, 0.040),
        ]
    )
    verb, builder, compat, official = group
    assert (verb.apis, official.apis) == (None, None)
    assert builder.apis is not None
    assert builder.apis.cpu_verb == pytest.approx(1.1)
    assert (builder.apis.rate_replaced, builder.apis.cpu_replaced) == (None, None)
    assert compat.apis is not None
    assert compat.apis.cpu_verb == pytest.approx(1.5)
    assert compat.apis.rate_replaced == pytest.approx(0.8)
    assert compat.apis.cpu_replaced == pytest.approx(0.375)
    # APIs are not peers: the best is the best of the other clients.
    assert builder.rate_ratio == 1.0
    headings = [column.name for column in columns("single", apis=True)]
    assert row(compat, apis=True)[headings.index("CPU ÷ verb")] == "1.50"
    assert row(official, apis=True)[headings.index("rate ÷ replaced")] == "-"
    assert conclusions([group]) == [
        "spikewire-builder: at most 1.10 of the verb's CPU (sync 32)",
        "spikewire-compat: at most 1.50 of the verb's CPU (sync 32)",
        "spikewire-compat: ahead of aerospike in 0 of 1 cells, at least 0.80 of its op/s (sync 32)",
    ]


def test_an_api_is_measured_against_the_way_that_does_the_same() -> None:
    def line(client: str, kind: str, cpu: float, way: str = "") -> Line:
        cell = Cell(client, "sync", 1, shape=Shape(kind, 128, way=way))
        return summarise(cell, [a_result(client=client, operations=1000, cpu=(cpu, 0.0))])

    def group(kind: str) -> list[Line]:
        apis = [line(name, kind, 0.012) for name in ("spikewire-compat", "spikewire-builder")]
        verbs = [line("spikewire", kind, 0.004), line("spikewire", kind, 0.010, OPERATIONS)]
        return with_ratios([*verbs, *apis])

    def costs(kind: str) -> list[float | None]:
        return [one.apis.cpu_verb if one.apis else None for one in group(kind)]

    assert [costs(BATCH_WRITE), costs(BATCH_READ)] == [
        [None, None, pytest.approx(1.2), pytest.approx(3)],
        [None, None, pytest.approx(3), pytest.approx(3)],
    ]
