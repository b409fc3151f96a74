"""Every verb on one record, on every API."""

from __future__ import annotations

import time
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from apis import Api, Caller, Opened
    from spikewire.testing import Cluster

YEARS = 10 * 365 * 86_400


class TestReading:
    def test_a_record_has_bins_generation_ttl_and_key(self, data: Caller, set_name: str) -> None:
        assert data.put("alice", {"name": "Alice", "age": 28}) is None
        record = data.get("alice")
        assert isinstance(record, spikewire.Record)
        assert record["name"] == "Alice"
        assert record.bins == {"name": "Alice", "age": 28}
        assert record.generation == 1
        assert record.ttl is None
        assert record.key == spikewire.Key("test", set_name, "alice")
        assert record.key.key == "alice"
        assert sorted(record) == sorted(record.keys()) == ["age", "name"]
        assert dict(record.items()) == record.bins
        assert len(record) == 2
        assert "age" in record
        assert "none" not in record
        assert record.get("none") is None
        assert record.get("none", 7) == 7
        assert record.results == ()
        with pytest.raises(KeyError):
            record["none"]

    def test_a_missing_record_raises_or_returns_the_default(self, data: Caller) -> None:
        with pytest.raises(spikewire.RecordNotFound):
            data.get("nobody")
        marker = object()
        assert data.get("nobody", default=None) is None
        assert data.get("nobody", default=marker) is marker
        assert data.exists("nobody") is False
        assert data.delete("nobody") is False

    def test_a_default_is_not_used_when_the_record_is_there(self, data: Caller) -> None:
        data.put(1, {"a": 1})
        assert data.get(1, default=None).bins == {"a": 1}

    def test_get_returns_only_the_chosen_bins(self, data: Caller) -> None:
        data.put(1, {"a": 1, "b": 2, "c": 3})
        assert data.get(1, ["a", "c"]).bins == {"a": 1, "c": 3}
        assert data.get(1, bins=("b",)).bins == {"b": 2}
        assert data.get(1, bins=["a", "missing"]).bins == {"a": 1}
        assert data.get(1, bins=["missing"]).bins == {}

    def test_no_bins_reads_only_the_header(self, data: Caller) -> None:
        data.put(1, {"a": 1}, ttl=1000)
        record = data.get(1, bins=[])
        assert record.bins == {}
        assert record.generation == 1
        assert 940 <= record.ttl <= 1001
        with pytest.raises(spikewire.RecordNotFound):
            data.get(2, bins=[])

    def test_exists_reports_whether_a_record_is_there(self, data: Caller) -> None:
        assert data.exists(1) is False
        data.put(1, {"a": 1})
        assert data.exists(1) is True

    def test_the_bins_are_the_callers_own(self, data: Caller) -> None:
        data.put(1, {"a": [1]})
        first, second = data.get(1), data.get(1)
        first.bins["a"].append(2)
        assert second.bins == {"a": [1]}
        assert first != second

    def test_records_of_all_sizes_round_trip(self, data: Caller) -> None:
        bins = {f"b{i}": i for i in range(1000)}
        data.put("wide", bins)
        assert data.get("wide").bins == bins
        for size in (0, 1, 127, 128, 65_535, 65_536, 262_144, 1_000_000):
            data.put("large", {"v": bytes(size)})
            assert data.get("large")["v"] == bytes(size)


class TestWriting:
    def test_put_merges_bins(self, data: Caller) -> None:
        data.put(1, {"a": 1})
        data.put(1, {"b": 2})
        record = data.get(1)
        assert record.bins == {"a": 1, "b": 2}
        assert record.generation == 2

    def test_putting_none_removes_a_bin(self, data: Caller) -> None:
        data.put(1, {"a": 1, "b": 2})
        data.put(1, {"a": None})
        assert data.get(1).bins == {"b": 2}
        data.put(1, {"b": None})
        assert data.exists(1) is False

    def test_a_bin_name_may_be_empty(self, data: Caller) -> None:
        """Servers take such names, and some clients write them: what is read can be written."""
        data.put("k", {"": 1, "n": 2})
        assert data.get("k").bins == {"": 1, "n": 2}
        data.put("k", data.get("k").bins)
        assert data.get("k", bins=[""]).bins == {"": 1}
        data.add("k", {"": 4})
        data.operate("k", [op.list.append("l", 1), op.add("", 1)])
        data.put_many({"k": {"": 10}, "m": {"": 11}})
        assert [row[""] for row in data.get_many(["k", "m"], bins=[""])] == [10, 11]
        with pytest.raises(ValueError, match="no name means every bin"):
            op.get("")
        with pytest.raises(ValueError, match="not empty"):
            spikewire.equal("", 1)
        data.put("k", {"": None})
        assert data.get("k").bins == {"n": 2, "l": [1]}
        data.operate("m", [op.put("", None), op.put("n", 1)])
        assert data.get("m").bins == {"n": 1}

    def test_any_mapping_will_do(self, data: Caller) -> None:
        data.put(1, MappingProxyType({"a": 1}))
        assert data.get(1).bins == {"a": 1}

    def test_delete_reports_whether_a_record_was_there(self, data: Caller) -> None:
        data.put(1, {"a": 1})
        assert data.delete(1) is True
        assert data.exists(1) is False
        assert data.delete(1) is False

    def test_touch_raises_the_generation_and_sets_the_ttl(self, data: Caller) -> None:
        with pytest.raises(spikewire.RecordNotFound):
            data.touch(1)
        data.put(1, {"a": 1})
        assert data.touch(1, ttl=500) is None
        record = data.get(1)
        assert record.generation == 2
        assert 440 <= record.ttl <= 501

    def test_add_changes_integers_and_floats(self, data: Caller) -> None:
        assert data.add(1, {"n": 5, "f": 0.5}) is None
        data.add(1, {"n": -7, "f": 0.25})
        assert data.get(1).bins == {"n": -2, "f": 0.75}

    def test_append_and_prepend_extend_text_and_bytes(self, data: Caller) -> None:
        data.put(1, {"s": "b", "y": b"\x02"})
        data.append(1, {"s": "c", "y": b"\x03"})
        data.prepend(1, {"s": "a", "y": b"\x01"})
        assert data.get(1).bins == {"s": "abc", "y": b"\x01\x02\x03"}
        data.append(2, {"s": "new"})
        assert data.get(2).bins == {"s": "new"}

    @pytest.mark.parametrize(
        ("verb", "value"), [("add", 1), ("add", 1.0), ("append", "x"), ("prepend", b"x")]
    )
    def test_a_bin_of_the_wrong_type_raises(self, data: Caller, verb: str, value: object) -> None:
        data.put(1, {"a": [1]})
        with pytest.raises(spikewire.BinTypeError) as caught:
            getattr(data, verb)(1, {"a": value})
        assert caught.value.code == 12
        assert data.get(1).bins == {"a": [1]}
        assert data.get(1).generation == 1


class TestOperate:
    def test_operate_runs_in_order_and_returns_results(self, data: Caller) -> None:
        record = data.operate(
            1,
            [op.put("a", 1), op.add("a", 5), op.get("a"), op.append("s", "x"), op.get("s")],
        )
        assert record.results == (None, None, 6, None, "x")
        assert record.bins == {"a": 6, "s": "x"}
        assert record.generation == 1

    def test_operations_on_one_bin_return_several_results(self, data: Caller) -> None:
        data.put(1, {"n": 1})
        record = data.operate(1, [op.get("n"), op.add("n", 1), op.get("n")])
        assert record.results == (1, None, 2)
        assert record["n"] == 2

    def test_get_without_a_bin_reads_every_bin(self, data: Caller) -> None:
        data.put(1, {"a": 1, "b": 2})
        assert data.operate(1, [op.get()]).bins == {"a": 1, "b": 2}
        assert data.operate(1, [op.put("c", 3), op.get()]).bins == {"a": 1, "b": 2, "c": 3}

    def test_reading_alone_changes_nothing(self, data: Caller) -> None:
        data.put(1, {"a": 1})
        assert data.operate(1, (op.get("a"), op.get("no"))).results == (1, None)
        assert data.get(1).generation == 1
        with pytest.raises(spikewire.RecordNotFound):
            data.operate(2, [op.get("a")])

    def test_operate_may_touch_and_delete(self, data: Caller) -> None:
        data.put(1, {"a": 1, "b": 2})
        record = data.operate(1, [op.touch(), op.get("a")], ttl=100)
        assert record.results == (None, 1)
        assert 40 <= data.get(1).ttl <= 101
        data.operate(1, [op.delete(), op.put("c", 3)])
        assert data.get(1).bins == {"c": 3}
        data.operate(1, [op.delete()])
        assert data.exists(1) is False

    def test_a_failing_operation_undoes_all(self, data: Caller) -> None:
        data.put(1, {"a": 1, "s": "text"})
        with pytest.raises(spikewire.BinTypeError):
            data.operate(1, [op.put("a", 2), op.add("s", 1)])
        assert data.get(1).bins == {"a": 1, "s": "text"}

    def test_operations_can_be_reused(self, data: Caller) -> None:
        steps = [op.add("n", 1), op.get("n")]
        assert [data.operate(1, steps)["n"] for _ in range(3)] == [1, 2, 3]
        assert repr(steps[0]) == 'op.add("n", 1)'

    def test_rules_apply_to_operate(self, data: Caller) -> None:
        with pytest.raises(spikewire.RecordNotFound):
            data.operate(1, [op.put("a", 1)], exists="update")
        data.operate(1, [op.put("a", 1)], exists="create", ttl="never")
        with pytest.raises(spikewire.GenerationMismatch):
            data.operate(1, [op.put("a", 2)], generation=5)
        assert data.operate(1, [op.put("a", 2), op.get("a")], generation=1)["a"] == 2


class TestGeneration:
    def test_the_expected_generation_passes(self, data: Caller) -> None:
        data.put(1, {"a": 1})
        data.put(1, {"a": 2}, generation=1)
        assert data.get(1).generation == 2

    @pytest.mark.parametrize("verb", ["put", "add", "touch", "delete", "operate"])
    def test_another_generation_raises(self, data: Caller, verb: str) -> None:
        data.put(1, {"a": 1})
        data.put(1, {"a": 2})
        arguments: dict[str, tuple[Any, ...]] = {
            "put": ({"a": 9},),
            "add": ({"a": 9},),
            "touch": (),
            "delete": (),
            "operate": ([op.put("a", 9)],),
        }
        for wrong in (1, 3, 65_535):
            with pytest.raises(spikewire.GenerationMismatch) as caught:
                getattr(data, verb)(1, *arguments[verb], generation=wrong)
            assert caught.value.code == 3
            assert not caught.value.in_doubt
        assert data.get(1).bins == {"a": 2}
        assert data.get(1).generation == 2

    def test_zero_means_that_there_is_no_record(self, data: Caller) -> None:
        data.put(1, {"a": 1}, generation=0)
        with pytest.raises(spikewire.GenerationMismatch):
            data.put(1, {"a": 2}, generation=0)
        with pytest.raises(spikewire.GenerationMismatch):
            data.put(2, {"a": 2}, generation=1)
        assert data.get(1).bins == {"a": 1}

    def test_reads_and_checked_writes_alternate(self, data: Caller) -> None:
        data.put(1, {"n": 0})
        for n in range(1, 20):
            seen = data.get(1)
            data.put(1, {"n": seen["n"] + 1}, generation=seen.generation)
            assert data.get(1)["n"] == n


class TestExists:
    def test_create_raises_if_the_record_exists(self, data: Caller) -> None:
        data.put(1, {"a": 1}, exists="create")
        with pytest.raises(spikewire.RecordExists) as caught:
            data.put(1, {"b": 2}, exists="create")
        assert caught.value.code == 5
        assert data.get(1).bins == {"a": 1}

    def test_update_raises_if_the_record_is_missing(self, data: Caller) -> None:
        with pytest.raises(spikewire.RecordNotFound):
            data.put(1, {"a": 1}, exists="update")
        data.put(1, {"a": 1})
        data.put(1, {"b": 2}, exists="update")
        assert data.get(1).bins == {"a": 1, "b": 2}

    def test_replace_removes_other_bins(self, data: Caller) -> None:
        data.put(1, {"a": 1}, exists="replace")
        data.put(1, {"b": 2}, exists="replace")
        assert data.get(1).bins == {"b": 2}

    def test_replace_only_raises_if_the_record_is_missing(self, data: Caller) -> None:
        with pytest.raises(spikewire.RecordNotFound):
            data.put(1, {"a": 1}, exists="replace_only")
        data.put(1, {"a": 1, "b": 2})
        data.put(1, {"c": 3}, exists="replace_only")
        assert data.get(1).bins == {"c": 3}

    def test_merge_is_the_default(self, data: Caller) -> None:
        data.put(1, {"a": 1}, exists="merge")
        data.put(1, {"b": 2}, exists="merge")
        assert data.get(1).bins == {"a": 1, "b": 2}


class TestTimeToLive:
    @pytest.mark.parametrize(
        ("value", "seconds"),
        [(100, 100), (timedelta(hours=1), 3600), (timedelta(days=2, seconds=5), 172_805)],
    )
    def test_a_ttl_may_be_seconds(self, data: Caller, value: object, seconds: int) -> None:
        data.put(1, {"a": 1}, ttl=value)
        assert seconds - 60 <= data.get(1).ttl <= seconds + 1

    def test_a_ttl_may_be_the_longest_allowed(self, data: Caller) -> None:
        data.put(1, {"a": 1}, ttl=YEARS)
        assert YEARS - 60 <= data.get(1).ttl <= YEARS + 1

    def test_a_ttl_may_be_a_word(self, data: Caller) -> None:
        data.put(1, {"a": 1}, ttl="never")
        assert data.get(1).ttl is None
        data.put(1, {"a": 1}, ttl=100)
        data.put(1, {"a": 2}, ttl="unchanged")
        assert 40 <= data.get(1).ttl <= 101
        data.put(1, {"a": 3})
        assert data.get(1).ttl is None, "the namespace's own default is for ever"
        data.put(1, {"a": 1}, ttl=100)
        data.put(1, {"a": 4}, ttl="default")
        assert data.get(1).ttl is None
        data.put(1, {"a": 1}, ttl=100)
        data.touch(1, ttl="never")
        assert data.get(1).ttl is None

    def test_records_expire(self, data: Caller) -> None:
        data.put("short", {"a": 1}, ttl=1)
        data.put("long", {"a": 1}, ttl=60)
        data.put("touched", {"a": 1}, ttl=1)
        data.touch("touched", ttl=60)
        deadline = time.monotonic() + 10
        while data.exists("short") and time.monotonic() < deadline:
            time.sleep(0.1)
        assert data.exists("short") is False
        assert data.get("short", default=None) is None
        assert data.exists("long") is True
        assert data.exists("touched") is True


class TestWholeKeys:
    def test_every_form_leads_to_the_same_record(self, client: Opened, set_name: str) -> None:
        verbs = client.verbs
        key = spikewire.Key("test", set_name, "k")
        verbs.put(("test", set_name, "k"), {"a": 1})
        forms = [
            key,
            ("test", set_name, "k"),
            ("test", set_name, "k", None),
            ("test", set_name, "k", key.digest),
            ("test", set_name, None, key.digest),
            ("test", set_name, None, bytearray(key.digest)),
            spikewire.Key.from_digest("test", set_name, key.digest),
        ]
        for at, form in enumerate(forms):
            verbs.add(form, {"a": 1})
            assert verbs.get(form).bins == {"a": at + 2}, form
            assert verbs.exists(form) is True
        assert verbs.operate(key, [op.get("a")])["a"] == len(forms) + 1
        verbs.append(key, {"s": "b"})
        verbs.prepend(key, {"s": "a"})
        verbs.touch(key, ttl="never")
        assert verbs.get(key)["s"] == "ab"
        assert verbs.delete(forms[-1]) is True

    def test_a_dataset_takes_its_own_keys(self, data: Caller, set_name: str) -> None:
        data.put(spikewire.Key("test", set_name, 1), {"a": 1})
        assert data.get(1).bins == {"a": 1}
        with pytest.raises(ValueError, match="not a key of dataset"):
            data.get(spikewire.Key("test", "other", 1))

    def test_the_null_set(self, client: Opened) -> None:
        data = client.dataset("test")
        data.put("null-set", {"a": 1})
        assert client.verbs.get(("test", None, "null-set")).bins == {"a": 1}
        assert client.verbs.get(("test", "", "null-set")).bins == {"a": 1}
        assert data.get("null-set").key.set is None

    def test_sets_are_apart(self, client: Opened, set_name: str) -> None:
        client.dataset("test", set_name).put(1, {"a": 1})
        assert client.dataset("test", set_name + "x").exists(1) is False

    def test_a_dataset_is_a_value(self, client: Opened) -> None:
        one, two = client.raw.dataset("test", "u"), client.raw.dataset("test", "u")
        other = client.raw.dataset("test", "v")
        assert one == two
        assert hash(one) == hash(two)
        assert one != other
        assert (one.namespace, one.set, client.raw.dataset("test").set) == ("test", "u", None)


class TestSendKey:
    def test_writes_with_and_without(self, data: Caller) -> None:
        for key in (1, "text", b"bytes", "", b""):
            data.put(key, {"a": 1}, send_key=True)
            data.put(key, {"a": 2})
            data.touch(key, send_key=True)
            data.operate(key, [op.add("a", 1)], send_key=True)
            assert data.get(key).bins == {"a": 3}

    def test_send_key_may_be_a_client_option(
        self, api: Api, cluster: Cluster, set_name: str
    ) -> None:
        with api.open(cluster.seeds, send_key=True, timeout=10) as client:
            data = client.dataset("test", set_name)
            data.put("k", {"a": 1})
            data.put("k", {"a": 2}, send_key=False)
            assert data.get("k").bins == {"a": 2}
            # Only the digest is known: there is no key to send.
            digest = spikewire.Key("test", set_name, "k").digest
            client.verbs.put(("test", set_name, None, digest), {"a": 3})
            assert data.get("k").bins == {"a": 3}


def test_nodes_are_listed_and_answer_info(client: Opened, cluster: Cluster) -> None:
    nodes = client.raw.nodes()
    assert sorted(node.address for node in nodes) == sorted(cluster.addresses)
    assert client.verbs.info("build")
    for node in nodes:
        assert client.verbs.info("node", node=node.name) == node.name
