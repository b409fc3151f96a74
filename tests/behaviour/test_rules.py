"""Rules of reads and writes: expiry times, generations, read touch, replicas, read modes."""

from __future__ import annotations

import copy
import pickle
from datetime import datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Newer, op
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Caller

UTC = timezone.utc
EAST = timezone(timedelta(hours=5, minutes=30))


class Nowhere(tzinfo):
    """A time zone without an offset."""

    def utcoffset(self, _moment: datetime | None) -> timedelta | None:
        return None

    def dst(self, _moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, _moment: datetime | None) -> str | None:
        return None


class TestMomentsOfExpiry:
    @pytest.mark.parametrize("zone", [UTC, EAST], ids=str)
    def test_every_write(self, data: Caller, zone: Any) -> None:
        moment = datetime.now(zone) + timedelta(hours=1)
        data.put("put", {"n": 1}, ttl=moment)
        data.add("add", {"n": 1}, ttl=moment)
        data.append("append", {"s": "a"}, ttl=moment)
        data.put("touch", {"n": 1})
        data.touch("touch", ttl=moment)
        data.operate("operate", [op.put("n", 1)], ttl=moment)
        data.put_many({"many": {"n": 1}, "more": {"n": 1}}, ttl=moment).raise_for_errors()
        names = ["put", "add", "append", "touch", "operate", "many", "more"]
        assert all(3500 < record.ttl <= 3600 for record in data.get_many(names))

    def test_a_datetime_sets_the_expiry_to_the_second(self, data: Caller) -> None:
        moment = datetime.now(UTC) + timedelta(days=1)
        data.put(1, {"n": 1}, ttl=moment)
        ends = datetime.now(UTC) + timedelta(seconds=data.get(1).ttl)
        assert abs(ends - moment) < timedelta(seconds=10)

    @pytest.mark.any_api
    @pytest.mark.parametrize(
        ("moment", "error", "text"),
        [
            (
                datetime(2999, 1, 1),  # noqa: DTZ001
                ValueError,
                "ttl must be a datetime that knows its time zone",
            ),
            (datetime(2999, 1, 1, tzinfo=Nowhere()), ValueError, "knows its time zone"),
            (datetime(2020, 1, 1, tzinfo=UTC), ValueError, "ttl must end in the future"),
            (datetime(2999, 1, 1, tzinfo=UTC), ValueError, "ttl must be from 1 to 315360000"),
            (
                datetime(2999, 1, 1, tzinfo=UTC).date(),
                TypeError,
                "ttl must be .*, not datetime.date",
            ),
        ],
    )
    def test_invalid_datetimes_raise(
        self, data: Caller, moment: Any, error: Any, text: str
    ) -> None:
        with pytest.raises(error, match=text):
            data.put(1, {"n": 1}, ttl=moment)
        assert not data.exists(1)


class TestNewer:
    def test_only_a_greater_one_is_written(self, data: Caller) -> None:
        data.put(1, {"n": 0}, generation=Newer(1))
        assert data.get(1).generation == 1, "there was no record yet"
        with pytest.raises(spikewire.GenerationMismatch):
            data.put(1, {"n": 1}, generation=Newer(1))
        data.put(1, {"n": 2}, generation=Newer(2))
        data.put(1, {"n": 3}, generation=Newer(65_535))
        assert (data.get(1)["n"], data.get(1).generation) == (3, 3)

    def test_every_write(self, data: Caller) -> None:
        data.put(1, {"n": 1, "s": "a"})
        data.put(1, {"n": 2})
        for call in (
            lambda rule: data.add(1, {"n": 1}, generation=rule),
            lambda rule: data.append(1, {"s": "b"}, generation=rule),
            lambda rule: data.prepend(1, {"s": "b"}, generation=rule),
            lambda rule: data.touch(1, generation=rule),
            lambda rule: data.operate(1, [op.add("n", 1)], generation=rule),
        ):
            with pytest.raises(spikewire.GenerationMismatch):
                call(Newer(2))
            call(Newer(100))
        assert data.get(1).generation == 7
        assert data.put_many({1: {"n": 0}}, generation=Newer(7)).codes.tolist() == [3]
        assert data.put_many(
            {1: {"n": 0}, 2: {}, 3: {"n": 1}} and {1: {"n": 0}, 3: {"n": 1}}, generation=Newer(8)
        ).codes.tolist() == [0, 0]
        assert data.delete_many([1, 3], generation=Newer(2)).codes.tolist() == [3, 0]
        with pytest.raises(spikewire.GenerationMismatch):
            data.delete(1, generation=Newer(8))
        assert data.delete(1, generation=Newer(9)) is True

    def test_newer_compares_and_prints(self) -> None:
        rule = Newer(7)
        assert (rule.generation, repr(rule)) == (7, "Newer(7)")
        assert rule == Newer(7)
        assert rule != Newer(8)
        assert len({rule, Newer(7)}) == 1
        assert pickle.loads(pickle.dumps(rule)) == copy.deepcopy(rule) == rule

    @pytest.mark.any_api
    @pytest.mark.parametrize(
        ("generation", "error"),
        [(0, ValueError), (65_536, ValueError), (-1, OverflowError), (1.0, TypeError),
         (True, TypeError), ("1", TypeError), (1 << 80, OverflowError)],
    )  # fmt: skip
    def test_invalid_generations_raise(self, generation: Any, error: Any) -> None:
        with pytest.raises(error, match="generation must be"):
            Newer(generation)


READS = {
    "get": lambda data, key, percent: data.get(key, read_touch=percent),
    "exists": lambda data, key, percent: data.exists(key, read_touch=percent),
    "operate": lambda data, key, percent: data.operate(key, [op.get("n")], read_touch=percent),
    "get_many": lambda data, key, percent: data.get_many([key, "x"], read_touch=percent),
    "one": lambda data, key, percent: data.get_many([key], read_touch=percent),
    "exists_many": lambda data, key, percent: data.exists_many([key, "x"], read_touch=percent),
    "operate_many": lambda data, key, percent: data.operate_many(
        [key, "x"], [op.get("n")], read_touch=percent
    ),
}


class TestReadTouch:
    def test_every_read_renews_the_time(self, data: Caller) -> None:
        data.put_many({name: {"n": 1} for name in READS}, ttl=100).raise_for_errors()
        assert until(lambda: all(record.ttl <= 98 for record in data.get_many(READS)))
        for percent in (None, 0, -1, 50):
            for name, read in READS.items():
                read(data, name, percent)
        assert [record.ttl <= 98 for record in data.get_many(READS)] == [True] * len(READS)
        for name, read in READS.items():
            read(data, name, 99)
        batch = data.get_many(READS)
        assert {name for name, record in batch.to_dict().items() if record.ttl > 98} == set(READS)
        assert {record.generation for record in batch} == {1}

    @pytest.mark.any_api
    @pytest.mark.parametrize(
        ("percent", "error"),
        [(-2, ValueError), (101, ValueError), (1 << 40, ValueError), (1 << 80, ValueError),
         (0.5, TypeError), (True, TypeError), ("50", TypeError)],
    )  # fmt: skip
    def test_invalid_percentages_raise(self, data: Caller, percent: Any, error: Any) -> None:
        with pytest.raises(error, match="read_touch must be"):
            data.get(1, read_touch=percent)
        with pytest.raises(error, match="read_touch must be"):
            data.get_many([1], read_touch=percent)


@pytest.fixture
def marked(api: Api) -> Iterator[tuple[Caller, set[Any]]]:
    """Two nodes with all records on both, of which the first refuses every request; a dataset, and
    the keys whose master is that node."""
    with Cluster(nodes=2) as cluster, api.open(cluster.seeds, timeout=10) as client:
        assert cluster.wait_settled()
        data = client.dataset("test", "s")
        data.put_many({i: {"n": i} for i in range(40)}).raise_for_errors()
        cluster.inject(0, error=1.0, code=22)
        its = set(data.get_many(range(40), replica="master").errors)
        assert 0 < len(its) < 40
        yield data, its


def refused(call: Any, key: Any, **options: Any) -> bool:
    """Whether the first node got a request."""
    try:
        call(key, **options)
    except spikewire.ServerError as error:
        return error.code == 22
    return False


class TestReplicas:
    def test_replica_master_reads_from_the_master(self, marked: Any) -> None:
        data, its = marked
        for options in ({}, {"replica": "master"}, {"replica": "sequence"}):
            assert {i for i in range(40) if refused(data.get, i, **options)} == its
            assert set(data.get_many(range(40), **options).errors) == its
            assert set(data.exists_many(range(40), **options).errors) == its

    def test_replica_any_spreads_reads(self, marked: Any) -> None:
        data, its = marked
        for read in (data.get, data.exists, lambda i, **o: data.operate(i, [op.get()], **o)):
            values = [refused(read, i, replica="any") for i in range(40)]
            assert 10 <= sum(values) <= 30
            assert {i for i in range(40) if values[i]} != its
        assert set(data.get_many(range(40), replica="any").errors) != its

    def test_writes_go_to_the_master(self, marked: Any) -> None:
        data, its = marked
        for options in ({}, {"replica": "any"}, {"replica": "prefer-rack"}):
            wrote = {i for i in range(40) if refused(data.touch, i, **options)}
            assert wrote == its

    def test_session_reads_go_to_the_master(self, marked: Any) -> None:
        data, its = marked
        options = {"replica": "any", "read_mode": "session"}
        assert {i for i in range(40) if refused(data.get, i, **options)} == its
        assert set(data.get_many(range(40), **options).errors) == its

    def test_retries_move_on_unless_they_must_not(self, api: Api) -> None:
        with Cluster(nodes=2) as cluster, api.open(cluster.seeds, timeout=10) as client:
            assert cluster.wait_settled()
            data = client.dataset("test", "s")
            data.put_many({i: {"n": i} for i in range(40)}).raise_for_errors()
            cluster.inject(0, cut=1.0)
            assert data.get_many(range(40)).errors == {}
            assert 0 < len(data.get_many(range(40), replica="master").errors) < 40

    @pytest.mark.any_api
    @pytest.mark.parametrize("verb", ["get", "exists", "delete", "touch"])
    def test_invalid_replicas_raise(self, data: Caller, verb: Any) -> None:
        with pytest.raises(ValueError, match=r"replica must be 'master'.*got .nearest"):
            getattr(data, verb)(1, replica="nearest")
        with pytest.raises(TypeError, match="replica must be str, not int"):
            getattr(data, verb)(1, replica=1)


class TestReadModes:
    @pytest.mark.parametrize(
        "mode", ["one", "all", "session", "allow_replica", "allow_unavailable"]
    )
    def test_every_read(self, data: Caller, mode: Any) -> None:
        data.put(1, {"n": 1})
        assert data.get(1, read_mode=mode)["n"] == 1
        assert data.exists(1, read_mode=mode) is True
        assert data.operate(1, [op.get("n")], read_mode=mode)["n"] == 1
        assert data.get_many([1, 2], read_mode=mode).codes.tolist() == [0, 2]
        assert data.exists_many([1], read_mode=mode).codes.tolist() == [0]

    def test_linearized_reads_need_the_enterprise_edition(self, data: Caller) -> None:
        data.put_many({1: {"n": 1}, 2: {"n": 2}})
        for read in (data.get, data.exists):
            with pytest.raises(spikewire.ServerError) as caught:
                read(1, read_mode="linearize")
            assert caught.value.code == 25
        assert data.get_many([1, 2], read_mode="linearize").codes.tolist() == [25, 25]
        assert data.operate_many([1], [op.get()], read_mode="linearize").codes.tolist() == [25]

    def test_the_client_s_own(self, api: Api, cluster: Cluster, set_name: str) -> None:
        with api.open(cluster.seeds, read_mode="linearize", timeout=10) as client:
            data = client.dataset("test", set_name)
            data.put(1, {"n": 1})
            data.operate(1, [op.add("n", 1), op.get("n")])
            for call in (lambda: data.get(1), lambda: data.operate(1, [op.get()])):
                with pytest.raises(spikewire.ServerError) as caught:
                    call()
                assert caught.value.code == 25
            assert data.get(1, read_mode="one")["n"] == 2

    @pytest.mark.any_api
    def test_invalid_read_modes_raise(self, data: Caller) -> None:
        with pytest.raises(ValueError, match=r"read_mode must be 'one'.*got .strict"):
            data.get(1, read_mode="strict")
        with pytest.raises(TypeError, match="read_mode must be str, not bool"):
            data.get_many([1], read_mode=True)
        with pytest.raises(ValueError, match="read_mode must be"):
            spikewire.Client("127.0.0.1:1", read_mode="strict")  # type: ignore[arg-type]
        for rule in ({"read_touch": 5}, {"read_mode": "all"}):
            with pytest.raises(ValueError, match="read_mode, hedge and share_reads apply to reads"):
                data.operate(1, [op.put("n", 1)], **rule)
        with pytest.raises(ValueError, match="these operations only read"):
            data.operate(1, [op.get("n")], send_key=True)


class TestDeletes:
    def test_durable_deletes_need_the_enterprise_edition(self, data: Caller) -> None:
        data.put(1, {"n": 1})
        for call in (
            lambda: data.delete(1, durable=True),
            lambda: data.put(1, {"n": None}, durable=True),
            lambda: data.operate(1, [op.delete()], durable=True),
        ):
            with pytest.raises(spikewire.ServerError) as caught:
                call()
            assert (caught.value.code, data.exists(1)) == (25, True)
        assert data.delete_many([1, 2], durable=True).codes.tolist() == [25, 25]
        data.put(1, {"n": 2}, durable=True)
        assert data.get(1)["n"] == 2, "a write that leaves bins is none of its business"

    def test_the_key_is_compared(self, data: Caller) -> None:
        data.put_many({1: {"n": 1}, 2: {"n": 2}}, send_key=True)
        assert data.delete(1, send_key=True) is True
        assert data.delete_many([2, 3], send_key=True).codes.tolist() == [0, 2]
