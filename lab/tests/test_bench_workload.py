"""The work of a run is fixed before it starts, and the same for every client."""

from __future__ import annotations

from typing import cast

import pytest

from spikewire_lab.work import (
    BATCHES_LEAST,
    BATCHES_MOST,
    STREAM_LEAST,
    STREAM_MOST,
    BinSpec,
    Operation,
    Workload,
    batch_stream,
    differs,
    insert_stream,
    into_blocks,
    matches,
    mixed_stream,
    parse_bins,
    parse_workload,
    record_of,
    value_pool,
)
from spikewire_lab.work.keys import ABSENT
from spikewire_lab.work.streams import Step, jitter, step_stream


def test_bins_are_parsed_in_order() -> None:
    assert parse_bins("I1") == (BinSpec("I", 1),)
    assert parse_bins("I8, S128,B1024") == (BinSpec("I", 8), BinSpec("S", 128), BinSpec("B", 1024))


@pytest.mark.parametrize("text", ["", "I", "I0", "I9", "X4", "I1,", "S-1", "i1", "I1 S2", "F4"])
def test_invalid_bins_are_rejected_with_their_text(text: str) -> None:
    with pytest.raises(ValueError, match="bins"):
        parse_bins(text)


def test_workloads_are_parsed() -> None:
    assert parse_workload("RU") == parse_workload("RU,50") == parse_workload("RU,50,100,100")
    assert parse_workload("RU, 99.5").shares == (("read", 99.5), ("write", 0.5))
    assert dict(parse_workload("RU,80,75,50").shares) == {
        "read": 60,
        "read-one": 20,
        "write": 10,
        "write-one": 10,
    }
    assert parse_workload("RR,70").shares == (("read", 70), ("replace", 30))
    assert parse_workload("RMI").shares == (("read", 50), ("increment", 50))
    assert parse_workload("MIX,exists=90,touch=10").verbs == {"exists", "touch"}
    assert parse_workload("I") == Workload("I")


@pytest.mark.parametrize("text", ["RU,50", "RU,0", "I", "YCSB-C"])
def test_whole_reads_and_writes_stay_in_the_plain_loop(text: str) -> None:
    assert parse_workload(text).plain


@pytest.mark.parametrize("text", ["RU,50,100,99", "RR,50", "RMU", "YCSB-A", "MIX,add=100"])
def test_all_else_names_its_verbs(text: str) -> None:
    assert not parse_workload(text).plain


@pytest.mark.parametrize("letter", "ABCDEF")
def test_ycsb_has_ten_fields_and_shares_that_make_a_hundred(letter: str) -> None:
    workload = parse_workload(f"YCSB-{letter}")
    assert sum(spec.size for spec in parse_bins(workload.bins)) == 1000
    assert sum(percent for _, percent in workload.shares) == 100
    assert workload.distribution == ("latest" if letter == "D" else "zipfian")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("RU,101", "0 to 100"),
        ("RU,-1", "0 to 100"),
        ("RU,half", "not a percentage"),
        ("RU,nan", "0 to 100"),
        ("RU,50,100", "RU takes r, or r,ra,wa"),
        ("RR", "RR takes one number"),
        ("RMU,50", "RMU takes no numbers"),
        ("I,50", "no numbers"),
        ("MIX,read=50", "make 50, not 100"),
        ("MIX,red=100", "'red' is not a verb"),
        ("MIX,read=50,read=50", "twice"),
        ("MIX,touch=50,remove=50", "touch needs records that remove takes away"),
        ("YCSB-G", "is not one of"),
        ("", "is not one of"),
    ],
)
def test_unsupported_workloads_name_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_workload(text)


def test_values_have_the_kind_and_the_size_of_their_bin() -> None:
    bins = parse_bins("I1,I8,S31,B7")
    pool = value_pool(bins, seed=3)
    assert len({tuple(record.values()) for record in pool}) > 1000
    for record in pool:
        assert list(record) == ["b0", "b1", "b2", "b3"]
        small, large, text, raw = record.values()
        assert isinstance(small, int)
        assert 0 <= small < 128
        assert isinstance(large, int)
        assert 0 <= large < 1 << 63
        assert isinstance(text, str)
        assert len(text) == 31
        assert isinstance(raw, bytes)
        assert len(raw) == 7
        assert matches(bins, record)


@pytest.mark.parametrize(
    "record",
    [None, {}, {"b0": 128}, {"b0": -1}, {"b0": "1"}, {"b1": 1}, {"b0": 1, "b1": 1}, [("b0", 1)]],
)
def test_a_record_that_this_workload_did_not_write_is_noticed(record: object) -> None:
    assert not matches(parse_bins("I1"), record)


def test_a_stream_is_the_same_every_time_and_different_for_every_worker() -> None:
    pool = value_pool(parse_bins("I1"), seed=1)
    workload = parse_workload("RU,50")
    first = mixed_stream(workload, pool, keys=1000, seed=1, worker=0, workers=32)
    assert first == mixed_stream(workload, pool, keys=1000, seed=1, worker=0, workers=32)
    assert first != mixed_stream(workload, pool, keys=1000, seed=1, worker=1, workers=32)
    assert first != mixed_stream(workload, pool, keys=1000, seed=2, worker=0, workers=32)


@pytest.mark.parametrize(("percent", "share"), [(0, 0.0), (50, 0.5), (75, 0.75), (100, 1.0)])
def test_the_share_of_reads_is_exact(percent: int, share: float) -> None:
    pool = value_pool(parse_bins("I1"), seed=1)
    stream = mixed_stream(parse_workload(f"RU,{percent}"), pool, 1000, seed=1, worker=0, workers=8)
    assert sum(write is None for _, write in stream) == share * len(stream)


def test_keys_are_uniform_integers_from_zero() -> None:
    pool = value_pool(parse_bins("I1"), seed=1)
    stream = mixed_stream(parse_workload("RU,50"), pool, keys=10, seed=1, worker=0, workers=1)
    counts = [sum(key == expected for key, _ in stream) for expected in range(10)]
    assert sum(counts) == len(stream)
    assert min(counts) > 0.9 * len(stream) / 10


@pytest.mark.parametrize("workers", [1, 32, 512])
def test_streams_stay_small_with_many_workers(workers: int) -> None:
    pool = value_pool(parse_bins("I1"), seed=1)
    stream = mixed_stream(parse_workload("RU,50"), pool, 1000, seed=1, worker=0, workers=workers)
    assert STREAM_LEAST <= len(stream) <= STREAM_MOST


def test_inserting_writes_every_key_once() -> None:
    pool = value_pool(parse_bins("I1"), seed=1)
    shares = [insert_stream(pool, 1000, worker, 7) for worker in range(7)]
    assert sorted(key for share in shares for key, _ in share) == list(range(1000))
    assert all(bins is not None for share in shares for _, bins in share)


def test_a_write_is_of_the_record_of_its_key() -> None:
    pool = value_pool(parse_bins("I8"), seed=1)
    for key, write in mixed_stream(parse_workload("RU,0"), pool, 5000, seed=1, worker=0, workers=9):
        assert isinstance(key, int)
        assert write is record_of(pool, key)


def test_records_are_those_of_the_workers_in_rust_and_node() -> None:
    """lab/rust and lab/node/test/bench.test.ts have the same values."""
    assert value_pool(parse_bins("I1,I8,S20,B9,F8"), 1)[7] == {
        "b0": 119,
        "b1": 4818969551014600434,
        "b2": "282967c7324d9c432829",
        "b3": bytes.fromhex("258da20c1ad0683825"),
        "b4": 0.6982434007420005,
    }


def test_large_records_are_fewer_and_neighbours_differ() -> None:
    pool = value_pool(parse_bins("B1048576"), 1)
    assert len(pool) == 61
    assert record_of(pool, 60) != record_of(pool, 61)


def test_the_record_of_another_key_is_noticed() -> None:
    pool = value_pool(parse_bins("S8,I2"), 1)
    assert differs(pool[4], dict(pool[4])) is None
    assert "bin b0" in str(differs(pool[4], pool[5]))
    assert "its bins are b0" in str(differs(pool[4], {"b0": pool[4]["b0"]}))
    assert "no record" in str(differs(pool[4], None))
    counted = {**pool[4], "b1": -70}
    assert "bin b1 is -70" in str(differs(pool[4], counted))
    assert differs(pool[4], counted, "b1") is None
    assert differs(pool[4], {**pool[4], "b1": 2.0}, "b1") is not None


def test_blocks_keep_the_order_and_lose_nothing() -> None:
    operations = [(key, None) for key in range(35)]
    blocks = into_blocks(list(operations), every=16)
    assert [len(followers) for _, followers in blocks] == [15, 15, 2]
    assert [op for first, followers in blocks for op in (first, *followers)] == operations
    assert [len(followers) for _, followers in into_blocks(list(operations), every=1)] == [0] * 35


@pytest.mark.parametrize("offset", range(16))
def test_an_offset_moves_the_calls_that_are_timed(offset: int) -> None:
    operations: list[Operation] = [(key, None) for key in range(64)]
    blocks = into_blocks(operations, every=16, offset=offset)
    assert [op for first, followers in blocks for op in (first, *followers)] == operations
    timed = [first[0] for first, _ in blocks]
    assert timed == [0, *range(offset or 16, 64, 16)]


def test_workers_time_different_calls() -> None:
    offsets = [jitter(16, 1, worker) for worker in range(32)]
    assert len(set(offsets)) > 8
    assert all(0 <= offset < 16 for offset in offsets)
    assert offsets == [jitter(16, 1, worker) for worker in range(32)]


def steps(
    text: str, misses: float = 0, keys: int = 1000, distribution: str = "uniform"
) -> list[Step]:
    bins = parse_bins("S4,I4,S4")
    return step_stream(parse_workload(text), value_pool(bins, 1), keys, 1, 0, 64, misses=misses)


@pytest.mark.parametrize("text", ["RU,80,75,50", "RR,30", "RMI", "YCSB-E", "MIX,add=25,touch=75"])
def test_the_share_of_every_verb_is_exact(text: str) -> None:
    built = steps(text)
    for verb, percent in parse_workload(text).shares:
        assert abs(sum(one == verb for _, _, one in built) - len(built) * percent / 100) < 1


def test_misses_are_their_share_of_the_reads_and_no_key_of_theirs_is_written() -> None:
    built = steps("RU,50", misses=25)
    absent = [key for key, _, verb in built if verb == "miss"]
    assert len(absent) == len(built) / 8
    assert min(cast("list[int]", absent)) >= ABSENT
    assert all(cast("int", key) < 1000 for key, _, verb in built if verb != "miss")


def test_steps_have_the_arguments_of_their_verbs() -> None:
    records = value_pool(parse_bins("S4,I4,S4"), 1)
    for key, args, verb in steps("MIX,read-one=20,write-one=20,update=20,add=20,decrement=20"):
        assert isinstance(key, int)
        record = records[key % 1021]
        if verb == "read-one":
            assert args in record
        elif verb == "write-one":
            (name,) = cast("dict[str, object]", args)
            assert args == {name: record[name]}
        else:
            assert args == {"update": record, "add": 1, "decrement": -1}[verb]


def test_scans_are_consecutive_keys_that_are_all_there() -> None:
    lengths: set[int] = set()
    for keys, _, verb in steps("YCSB-E", keys=150):
        if verb == "scan":
            assert isinstance(keys, list)
            assert keys == list(range(keys[0], keys[0] + len(keys)))
            assert 0 <= keys[0] <= keys[-1] < 150
            lengths.add(len(keys))
    assert (min(lengths), max(lengths)) == (1, 100)


def test_float_bins_hold_floats() -> None:
    bins = parse_bins("F8")
    (value,) = value_pool(bins, seed=3)[0].values()
    assert isinstance(value, float)
    assert matches(bins, {"b0": value})
    assert not matches(bins, {"b0": 0})
    assert not matches(bins, {"b0": 2.5})


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_a_batch_has_that_many_keys_and_none_twice(rows: int) -> None:
    reads = batch_stream(None, 100, 1, 0, 4, rows)
    for keys, values in reads:
        assert isinstance(keys, list)
        assert values is None
        assert len(keys) == len(set(keys)) == rows
        assert all(0 <= key < 100 for key in keys)
    assert reads == batch_stream(None, 100, 1, 0, 4, rows)
    assert reads != batch_stream(None, 100, 1, 1, 4, rows)


def test_a_batch_of_writes_has_a_record_for_each_key() -> None:
    pool = value_pool(parse_bins("I1"), seed=3)
    for keys, values in batch_stream(pool, 100, 1, 0, 1, 5):
        assert isinstance(keys, list)
        assert isinstance(values, list)
        assert len(values) == len(keys) == 5
        assert all(value in pool for value in values)


def test_batches_are_neither_few_nor_without_end() -> None:
    assert len(batch_stream(None, 10_000, 1, 0, 32, 10_000)) == BATCHES_LEAST
    assert len(batch_stream(None, 10_000, 1, 0, 1, 1)) == BATCHES_MOST
