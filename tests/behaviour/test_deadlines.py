"""Reads of many records with a deadline: what has come by then is there, and the rest is late."""

from __future__ import annotations

import contextlib
import copy
import pickle
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Key, Late, Read, Write, op
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Caller

pytestmark = pytest.mark.usefixtures("no_descriptor_leak")

KEYS = range(60)
ALL = list(KEYS)
#: Generous, because machines that run tests are busy.
SLACK = 2.0

SLOW = [
    pytest.param({"drop": 1.0}, id="mute"),
    pytest.param({"delay": 3.0}, id="slow"),
    pytest.param({"stall": 1.0}, id="mute in the middle of a reply"),
    pytest.param({"mute_after": 0, "info": True}, id="mute from the start"),
]


@contextlib.contextmanager
def three_nodes(api: Api, copies: int, **options: Any) -> Iterator[tuple[Cluster, Any, Caller]]:
    with Cluster(3, replication_factor=copies) as cluster:
        assert cluster.wait_settled()
        with api.open(cluster.seeds, timeout=30, **options) as client:
            data = client.dataset("test", "deadlines")
            for number in KEYS:
                data.put(number, {"n": number})
            data.get_many(KEYS)
            yield cluster, client, data


def key_of(number: int) -> Key:
    return Key("test", "deadlines", number)


def values(rows: Any) -> list[Any]:
    return [row["n"] if row else row for row in rows]


@pytest.mark.parametrize("faults", SLOW)
def test_late_rows_are_neither_missing_nor_failed(api: Api, faults: dict[str, Any]) -> None:
    with three_nodes(api, copies=1) as (cluster, client, data):
        cluster.inject(1, **faults)
        began = time.monotonic()
        rows = data.get_many([*KEYS, "nobody"], deadline=0.2)
        took = time.monotonic() - began
        assert 0.2 <= took < 0.2 + SLACK
        late = rows.late
        assert 0 < len(late) < len(KEYS)
        assert not rows.errors
        assert not rows.in_doubt
        for row, record in enumerate(rows):
            if row in late:
                assert record is Late()
                assert rows[row] is record
                assert not record
                assert rows.codes[row] == -16
            else:
                assert record is None if row == len(KEYS) else record["n"] == row
        assert rows.found == len([row for row in rows if row])
        assert rows.raise_for_errors() is rows
        assert set(rows.to_dict()) == {n for n in KEYS if n not in late}
        assert repr(rows).endswith(f"0 failed, {len(late)} late)")
        assert client.raw.stats().rows_late == len(late)


@pytest.mark.parametrize("faults", SLOW)
def test_rows_of_a_slow_node_come_from_another(api: Api, faults: dict[str, Any]) -> None:
    with three_nodes(api, copies=2) as (cluster, client, data):
        cluster.inject(1, **faults)
        rows = data.get_many(KEYS, deadline=10)
        assert values(rows) == ALL
        assert not rows.late
        assert client.raw.stats().rows_late == 0
        # Late replies disturb nothing.
        cluster.clear_faults(1)
        for _ in range(3):
            assert values(data.get_many(KEYS)) == ALL


def test_requests_to_another_node_are_counted(api: Api) -> None:
    with three_nodes(api, copies=2) as (cluster, client, data):

        def is_counted() -> bool:
            # A node that a busy machine made look mute is avoided from the start.
            cluster.inject(1, delay=0.5)
            assert values(data.get_many(KEYS, deadline=10)) == ALL
            cluster.clear_faults(1)
            stats = client.raw.stats()
            return stats.hedges_sent >= stats.hedges_won > 0

        until(is_counted)


def test_the_master_alone_is_asked_where_only_that_may_answer(api: Api) -> None:
    with three_nodes(api, copies=2) as (cluster, client, data):
        cluster.inject(1, delay=3)
        assert data.get_many(KEYS, deadline=0.1, replica="master").late
        assert client.raw.stats().hedges_sent == 0


def test_every_verb_that_reads_many_records_has_one(api: Api) -> None:
    with three_nodes(api, copies=1) as (cluster, _, data):
        cluster.inject(1, delay=3)
        deadline = 0.1
        of_node = data.get_many(KEYS, deadline=deadline).late
        assert data.exists_many(KEYS, deadline=deadline).late == of_node
        assert data.operate_many(KEYS, [op.get("n")], deadline=deadline).late == of_node
        reads = [Read(key_of(number)) for number in KEYS]
        assert data.batch(reads, deadline=deadline).late == of_node
        single = of_node[0]
        assert data.get_many([single], deadline=deadline).late == [0]
        quick = next(number for number in KEYS if number not in of_node)
        assert data.get_many([quick], deadline=deadline)[0]["n"] == quick
        assert len(data.get_many([], deadline=deadline)) == 0


def test_late_rows_are_masked_in_columns(api: Api) -> None:
    numpy = pytest.importorskip("numpy")
    pyarrow = pytest.importorskip("pyarrow")
    with three_nodes(api, copies=1) as (cluster, _, data):
        cluster.inject(1, delay=3)
        rows = data.get_many(KEYS, deadline=0.1)
        of_node = rows.late
        expected = [None if number in of_node else number for number in KEYS]
        for errors in ("raise", "mask"):
            assert rows.to_numpy([("n", "i8")], errors=errors)["n"].tolist() == expected
            table = pyarrow.table(rows.to_arrow(errors=errors))
            assert table["n"].to_pylist() == expected
        with pytest.raises(spikewire.Timeout, match="late"):
            rows.to_numpy([("n", "i8")], missing="raise")
        array = data.get_numpy(KEYS, [("n", "i8"), ("id", "i8")], key="id", deadline=0.1)
        assert isinstance(array, numpy.ma.MaskedArray)
        assert array["n"].tolist() == expected
        assert array["id"].tolist() == ALL


@pytest.mark.parametrize("faults", SLOW)
def test_arrays_are_whole_although_rows_come_twice(api: Api, faults: dict[str, Any]) -> None:
    pytest.importorskip("numpy")
    with three_nodes(api, copies=2) as (cluster, _, data):
        cluster.inject(1, **faults)
        array = data.get_numpy(KEYS, [("n", "i8")], deadline=10)
        assert array["n"].tolist() == ALL


def test_calls_that_cannot_have_one_are_refused(api: Api) -> None:
    with Cluster(1) as cluster, api.open(cluster.seeds, timeout=1) as client:
        data = client.dataset("test", "deadlines")
        refused: list[tuple[Any, str]] = [
            (lambda: data.get_many([1], deadline=2), "deadline must not be longer than timeout"),
            (lambda: data.get_many([1], deadline=0.2, timeout=0.1), "deadline.*timeout"),
            (lambda: data.get_many([1], deadline=0), "deadline must be positive"),
            (lambda: data.get_many([1], deadline=-1), "deadline"),
            (
                lambda: data.operate_many([1], [op.add("n", 1)], deadline=0.1),
                "deadline and writes exclude each other",
            ),
            (
                lambda: data.batch([Read(key_of(1)), Write(key_of(1), {"n": 1})], deadline=0.1),
                "deadline and writes exclude each other.*row 1",
            ),
            (
                lambda: data.get_numpy([1], [("n", "i8")], missing="raise", deadline=0.1),
                "deadline.*missing",
            ),
        ]
        for call, message in refused:
            with pytest.raises(ValueError, match=message):
                call()
        with pytest.raises(TypeError, match="deadline"):
            data.get(1, deadline=0.1)
        with pytest.raises(TypeError, match="deadline must be"):
            data.get_many([1], deadline="soon")
        assert len(data.get_many([1], deadline=2, timeout=0)) == 1


def test_failures_are_not_late(api: Api) -> None:
    with three_nodes(api, copies=1, max_retries=0) as (cluster, _, data):
        cluster.inject(1, error=1.0, code=4)
        rows = data.get_many(KEYS, deadline=10)
        assert rows.errors
        assert not rows.late


def test_there_is_one_late_row() -> None:
    late = Late()
    assert late is Late()
    assert not late
    assert repr(late) == "Late()"
    assert pickle.loads(pickle.dumps(late)) is late
    assert copy.copy(late) is late


def test_closing_a_client_ends_calls(api: Api) -> None:
    with three_nodes(api, copies=2) as (cluster, client, data):
        cluster.inject(0, drop=1.0)
        assert data.get_many(KEYS, deadline=5) is not None
        client.close()
        with pytest.raises(spikewire.ClientClosed):
            data.get_many(KEYS, deadline=5).raise_for_errors()
