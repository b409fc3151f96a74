"""Recipes that repeat a published study: what they plan, and how they evaluate results."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lab_bench import a_bench, ran
from spikewire_lab.clients import PEERS
from spikewire_lab.clients.base import ASYNC_UVLOOP, RUST, RUST_SYNC, SYNC
from spikewire_lab.cql.cells import BLOCKING, CHAINS, INSERT, TOKIO, Cell, Shape
from spikewire_lab.cql.lines import Line as CqlLine
from spikewire_lab.cql.servers import CANNED, CASSANDRA
from spikewire_lab.plan import Cell as LabCell
from spikewire_lab.plan import Matrix
from spikewire_lab.queries.cells import ARROW, OBJECTS, lacks_waiting
from spikewire_lab.queries.cells import scans as queries_scans
from spikewire_lab.queries.lines import ScanLine
from spikewire_lab.studies import closed_loops, recipes
from spikewire_lab.studies.facts import pythons
from spikewire_lab.studies.overrides import Overrides
from spikewire_lab.studies.recipe import FULL, QUICK, SHORT, SIZES
from spikewire_lab.studies.recipes.aerospike_py.operations import amount as operations_amount
from spikewire_lab.studies.recipes.cassandra.nodes import Nodes
from spikewire_lab.studies.recipes.cassandra.patterns import compared
from spikewire_lab.studies.recipes.cassandra.processes import Processes
from spikewire_lab.studies.recipes.cassandra.rust import Rust
from spikewire_lab.studies.recipes.cassandra.settings import settings
from spikewire_lab.studies.recipes.node import scans
from spikewire_lab.studies.recipes.sdk import batches
from spikewire_lab.studies.recipes.sdk.cases import CASES, quick, short
from spikewire_lab.studies.recipes.sdk.counterparts import COUNTERPARTS, here
from spikewire_lab.studies.recipes.sdk.layers import compared as against
from spikewire_lab.studies.recipes.sdk.layers import layers
from spikewire_lab.studies.recipes.sdk.paths import paths, pools
from spikewire_lab.studies.recipes.serving.lab import amount as serving_amount
from spikewire_lab.studies.report import Median, Report
from spikewire_lab.studies.run import interpreters, run_recipe, versions
from spikewire_lab.table.figures import Spread
from spikewire_lab.table.line import Line
from spikewire_lab.work.shape import POOL

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire_lab.studies.recipe import Measurement

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")


@pytest.mark.parametrize("name", recipes.NAMES)
def test_each_recipe_describes_itself(name: str) -> None:
    recipe = recipes.load(name)
    assert recipe.name == name
    assert recipe.title
    assert recipe.text
    parts = recipe.parts()
    assert len({part.name for part in parts}) == len(parts) > 0
    published = recipe.published()
    assert recipe.source or not published
    for table in published:
        keys = {heading.key for heading in table.headings}
        assert all(set(row.fields) <= keys for row in table.rows), table.name
        assert table.caption


def test_a_bench_picks_by_its_size() -> None:
    assert [a_bench(size).pick(1, 2, 3) for size in SIZES] == [1, 2, 3]
    assert a_bench(FULL, ("aerospike",)).clients_of(("spikewire", "aerospike")) == ("aerospike",)
    assert a_bench().clients_of(("spikewire", "aerospike")) == ("spikewire", "aerospike")


def test_flags_replace_what_the_size_has() -> None:
    overrides = Overrides(duration=0.5, warmup=0.1, rounds=2, keys=300)
    bench = replace(a_bench(FULL), overrides=overrides)
    matrix = Matrix(("spikewire",), (SYNC,), (1,), (1,), (1,), ("",))
    closed_loop = bench.settings(matrix, duration=9.0, rounds=9)
    for chosen in (closed_loop, settings(bench, (INSERT,), (CHAINS,), (1,), (120,), CANNED)):
        assert (chosen.duration, chosen.warmup, chosen.rounds, chosen.keys) == (0.5, 0.1, 2, 300)
    queried = scans.settings_of(bench)
    assert (queried.records, queried.slow_records, queried.rounds) == (300, 300, 2)
    served = serving_amount(replace(bench, overrides=Overrides(keys=100)))
    assert (served.keys, served.rows, served.rounds) == (100, 100, 5)
    fixed = operations_amount(bench)
    assert (fixed.calls, fixed.processes, fixed.rounds, fixed.warmup) == (300, 2, 5, 300)
    assert operations_amount(replace(bench, overrides=Overrides(keys=3))).batch == 1
    assert operations_amount(a_bench(FULL)).calls == 5_000


def test_scans_list_clients_without_a_sleeping_consumer() -> None:
    many = queries_scans(("spikewire", "aerospike", "aerospike-py"), 100, 500)
    texts = scans.unwaiting([[ScanLine(scan, 1, ()) for scan in many]])
    assert [text.partition(": no consumer that sleeps: ")[::2] for text in texts] == [
        ("aerospike sync, results", lacks_waiting("sync", "results")),
        ("aerospike-py sync, results", lacks_waiting("sync", "results")),
        ("aerospike-py async, foreach", lacks_waiting("async", "foreach")),
        ("aerospike-py async, results", lacks_waiting("async", "results")),
    ]


@pytest.mark.parametrize("size", [QUICK, SHORT])
def test_the_short_size_skips_index_queries(size: str, tmp_path: Path) -> None:
    bench = a_bench(size, ("spikewire",))
    report = run_recipe(recipes.load("node"), bench, tmp_path, [scans.Index()])
    if size == SHORT:
        assert not report.sections
        assert report.skipped == ["queries by an index: takes longer than --size short may"]
        return
    (table,) = report.sections[0].tables
    assert [row.label for row in table.rows] == [
        f"spikewire {mode}, {way}, no-op" for mode in ("sync", "async") for way in (OBJECTS, ARROW)
    ]
    assert all(row.fields["rate"] is not None and not row.flawed for row in table.rows)
    assert "10 % of 500 records" in table.caption


def test_the_cassandra_recipe_runs_on_canned_replies(tmp_path: Path) -> None:
    """Canned replies are enough for the smoke test: its parts, all files, figures of our own
    client."""
    report = ran("cassandra", tmp_path, ["patterns", "chains", "processes"], "spikewire")
    table = report.sections[0].tables[0]
    assert {row.client for row in table.rows} == {"spikewire"}
    assert all(row.fields["rate1"] is not None and not row.flawed for row in table.rows)
    assert {path.name for path in tmp_path.iterdir()} >= {"report.json", "report.html", "report.md"}
    written = json.loads((tmp_path / "report.json").read_text())
    assert json.loads(json.dumps(Report.from_json(written).as_json())) == written
    assert set(report.runs) == {"patterns", "chains", "processes"}


def one_part(part: Measurement, folder: Path) -> Report:
    bench = a_bench(QUICK, ("spikewire",))
    return run_recipe(recipes.load("cassandra"), bench, folder, [part])


def test_the_cassandra_recipe_measures_processes_and_clients_for_rust(tmp_path: Path) -> None:
    sizes = (QUICK, SHORT, FULL)
    assert [Processes().settings(a_bench(size)).matrix.processes for size in sizes] == [
        (2,),
        (1, 2),
        (1, 4),
    ]
    in_rust = Rust().settings(a_bench(SHORT)).matrix
    assert (in_rust.patterns, in_rust.tasks) == ((TOKIO,), (1, 32, 128))
    report = one_part(Processes(), tmp_path)
    (row,) = report.sections[0].tables[0].rows
    assert row.label == "spikewire, full pipeline of 120, 1 thread, 2 processes"
    assert row.fields["rate"] is not None
    assert not row.flawed


def test_three_nodes_are_started_for_the_full_form_only(tmp_path: Path) -> None:
    three = Nodes().settings(a_bench(FULL))
    assert (three.nodes, three.replicas, three.matrix.servers) == (3, 3, (CASSANDRA,))
    report = one_part(Nodes(), tmp_path)
    assert report.skipped == ["three nodes: takes longer than --size quick may"]


def test_a_report_names_the_versions_that_answered() -> None:
    runs = {"one": [{"client": "a", "version": "1.0", "runs": [{"client": "b", "version": "2"}]}]}
    assert dict(versions({**runs, "two": None, "three": {"client": "c", "version": ""}})) == {
        "a": "1.0",
        "b": "2",
    }


def test_skipped_clients_are_reported_once() -> None:
    bench = a_bench()
    bench.note({}, ["aerospike sync: not installed", "aerospike sync: not installed"])
    bench.note({}, ["aerospike sync: not installed", "other: no"])
    assert bench.skipped == ["aerospike sync: not installed", "other: no"]


def test_a_report_names_the_pythons_that_clients_ran_on() -> None:
    python = {"version": "3.14.4", "free_threaded": True, "gil": False}
    runs = {"one": [{"client": "a", "runs": [{"python": python}, {"python": None}]}]}
    assert set(interpreters(runs)) == {"3.14.4t"}
    known = {"python": "3.11.7", "interpreters": ["3.14.4t"]}
    assert pythons(known) == "3.14.4t (the lab: 3.11.7)"
    assert pythons({**known, "interpreters": ["3.11.7"]}) == "3.11.7"
    assert pythons({"python": "3.11.7"}) == "3.11.7"


def a_line(client: str, pattern: str, threads: int, ratio: float | None) -> CqlLine:
    depth = 1 if pattern == BLOCKING else 120
    cell = Cell(client, Shape(CANNED, INSERT, pattern, threads, depth))
    rate = None if ratio is None else Spread(ratio, ratio, ratio)
    return CqlLine(cell, 1, (), rate=rate, rate_ratio=ratio)


def test_a_way_in_which_ours_is_behind_is_a_loss() -> None:
    groups = [
        [a_line("spikewire", BLOCKING, 1, 2.5), a_line("cassandra-driver", BLOCKING, 1, 1.0)],
        [a_line("spikewire", CHAINS, 2, 0.8), a_line("cassandra-driver", CHAINS, 2, 1.0)],
        [a_line("cassandra-driver", CHAINS, 4, 1.0)],
    ]
    conclusions, losses = compared(groups)
    assert len(conclusions) == 1
    assert "1 of 2 ways, with 0.80 to 2.50 times" in conclusions[0]
    assert len(losses) == 1
    assert "120 callback chains, 2 threads" in losses[0]
    assert "0.80" in losses[0]
    assert "Why: each was measured once" in losses[0]


def test_the_matrix_of_the_sdk_has_a_line_for_each_of_the_study() -> None:
    labels = [case.label for case in CASES]
    assert len(set(labels)) == len(labels)
    ways = {(case.client, case.mode, case.many, case.loops) for case in CASES}
    assert ways >= {
        ("aerospike-sdk", SYNC, 32, 0),
        ("aerospike-native-local", SYNC, 32, 0),
        ("aerospike-sdk-builder", SYNC, 1, 0),
        ("aerospike-sdk", ASYNC_UVLOOP, 256, 4),
        ("aerospike-sdk-builder", ASYNC_UVLOOP, 512, 8),
        ("aerospike-sdk-builder", ASYNC_UVLOOP, 32, 0),
        ("aerospike", SYNC, 1, 0),
        ("aerospike-rust", RUST, 32, 0),
        ("aerospike-rust", RUST_SYNC, 1, 0),
    }
    for case in CASES:
        peer = PEERS.get(case.client)
        assert peer is None or peer.lacks(case.mode) is None, case
        assert not case.loops or (peer and POOL in peer.pool_ways and peer.pool), case
    assert all(short(case) for case in CASES if quick(case))


def a_single(client: str, mode: str, rate: float, cpu: float) -> Line:
    cell = LabCell(client, mode, 32)
    return Line(cell, 1, (), rate=Spread.of([rate]), cpu=Spread.of([cpu]))


def test_layers_say_what_each_adds_to_the_one_below() -> None:
    lines = [
        a_single("aerospike-rust", RUST, 900.0, 9.0),
        a_single("aerospike-rust", RUST_SYNC, 200.0, 10.0),
        a_single("aerospike-native", SYNC, 150.0, 12.0),
        a_single("aerospike-sdk", SYNC, 150.0, 12.5),
        a_single("aerospike-sdk-builder", SYNC, 75.0, 20.0),
        a_single("spikewire", SYNC, 300.0, 6.0),
    ]
    (table,) = layers(lines, "how")
    deltas = {row.label: row.fields["delta"] for row in table.rows}
    assert deltas["aerospike-rust"] is deltas["spikewire"] is None
    assert deltas["aerospike-native"] == pytest.approx(-25.0)
    assert deltas["aerospike-sdk"] == pytest.approx(0.0)
    assert deltas["aerospike-sdk-builder"] == pytest.approx(-50.0)
    extra = {row.label: row.fields["extra"] for row in table.rows}
    assert extra["aerospike-sdk-builder"] == pytest.approx(7.5)
    conclusions, losses = against(lines)
    assert any(text.startswith("Sync, 32 threads: 2.00 times") for text in conclusions)
    assert any("aerospike-sdk's verbs are 2.00 times as fast" in text for text in conclusions)
    assert losses == []


def test_each_published_line_of_the_sdk_has_a_counterpart_or_a_reason() -> None:
    tables = recipes.load("sdk").published()
    labels = {row.label for table in tables for row in table.rows}
    assert labels == set(COUNTERPARTS)
    for table in tables:
        cases = batches.CASES if table.name == "published-batches" else CASES
        for row in table.rows:
            counterpart = COUNTERPARTS[row.label]
            if isinstance(counterpart, str):
                assert counterpart.startswith("not measured: ")
            else:
                assert counterpart in cases, (table.name, row.label)
            assert str(row.fields["here"]).startswith(here(row.label))
    absent = [name for name, entry in COUNTERPARTS.items() if isinstance(entry, str)]
    assert absent == []
    assert {table.name: len(table.rows) for table in tables} == {
        "published-matrix": 22,
        "published-latency": 18,
        "published-batches": 3,
        "published-stack": 15,
        "published-stack-blocking": 4,
        "published-stack-awaited": 5,
        "published-pools": 4,
        "published-paths": 3,
    }


def test_chains_and_pools_are_set_beside_plain_verbs_and_one_loop() -> None:
    def line(client: str, many: int, loops: int, rate: float) -> Line:
        cell = LabCell(client, ASYNC_UVLOOP, many, loops=loops)
        return Line(cell, 1, (), rate=Spread.of([rate]), cpu=Spread.of([1.0]))

    lines = [
        line("aerospike-sdk", 32, 0, 100.0),
        line("aerospike-sdk-builder", 32, 0, 40.0),
        line("aerospike-sdk", 256, 4, 120.0),
        line("spikewire", 256, 4, 500.0),
    ]
    (pairs,) = paths(lines, "how")
    assert [(row.label, row.fields["times"]) for row in pairs.rows] == [
        ("aerospike-sdk, async-uvloop, 32 tasks", 2.5),
    ]
    (beside,) = pools(lines, "how")
    (row,) = beside.rows
    assert row.label == "aerospike-sdk, 4 x 64 tasks"
    assert row.fields["more"] == pytest.approx(20.0)


def test_interpreters_and_locks_are_never_compared_with_each_other() -> None:
    def line(client: str, python: str, *, gil: bool | None, rate: float, mode: str = SYNC) -> Line:
        cell = LabCell(client, mode, 32, python, gil=gil)
        version = {"": None, "old/python": "3.13.1", "new/python": "3.14.0t"}[python]
        return Line(cell, 1, (), python=version, rate=Spread.of([rate]), cpu=Spread.of([1.0]))

    lines = [
        line("aerospike-rust", "", gil=None, rate=400.0, mode=RUST_SYNC),
        *(
            line(client, python, gil=gil, rate=rate * factor)
            for python, gil, factor in (
                *(("old/python", None, 1.0), ("new/python", True, 2.0)),
                ("new/python", False, 4.0),
            )
            for client, rate in (("aerospike-native", 50.0), ("spikewire", 100.0))
        ),
    ]
    words = closed_loops.states(lines)
    assert list(words.values()) == [
        *("", ", Python 3.13.1", ", Python 3.14.0t, GIL on", ", Python 3.14.0t, GIL off"),
    ]
    tables = layers(lines, "how")
    assert len({table.name for table in tables}) == len(tables) == 3
    rates = [
        [field.value for row in table.rows if isinstance(field := row.fields["rate"], Median)]
        for table in tables
    ]
    assert rates == [[400.0, 50.0, 100.0], [400.0, 100.0, 200.0], [400.0, 200.0, 400.0]]
    conclusions, _ = against(lines)
    assert [text for text in conclusions if "2.00 times" in text] == [
        f"Sync, 32 threads{state}: 2.00 times as many operations per second as aerospike-native,"
        " the next best, with 100 % of its CPU time per operation."
        for state in list(words.values())[1:]
    ]


def test_two_builds_of_one_version_have_different_labels() -> None:
    lines = [
        Line(LabCell("null", SYNC, 1, python), 1, (), python="3.14.0t") for python in ("a", "b")
    ]
    assert list(closed_loops.states(lines).values()) == [", Python a", ", Python b"]


def test_a_part_of_the_sdk_with_two_clients(tmp_path: Path) -> None:
    report = ran("sdk", tmp_path, ["singles", "batches"], "spikewire", "null")
    matrix = report.sections[0].tables[0]
    assert [row.client for row in matrix.rows] == ["spikewire"] * len(matrix.rows)
    assert all(row.fields["times"] == 1.0 for row in matrix.rows)
