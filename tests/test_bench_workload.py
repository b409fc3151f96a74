"""What a run does is decided before it starts, the same for every client."""

from __future__ import annotations

import pytest

from spikewire.bench.workload import (
    BATCHES_LEAST,
    BATCHES_MOST,
    STREAM_LEAST,
    STREAM_MOST,
    BinSpec,
    Workload,
    batch_stream,
    insert_stream,
    into_blocks,
    matches,
    mixed_stream,
    parse_bins,
    parse_workload,
    value_pool,
)


def test_bins_are_parsed_in_order() -> None:
    assert parse_bins("I1") == (BinSpec("I", 1),)
    assert parse_bins("I8, S128,B1024") == (BinSpec("I", 8), BinSpec("S", 128), BinSpec("B", 1024))


@pytest.mark.parametrize("text", ["", "I", "I0", "I9", "X4", "I1,", "S-1", "i1", "I1 S2", "F4"])
def test_bins_that_are_none_are_refused_with_their_text(text: str) -> None:
    with pytest.raises(ValueError, match="bins"):
        parse_bins(text)


def test_workloads_are_parsed() -> None:
    assert parse_workload("RU,50") == Workload("RU", 50)
    assert parse_workload("RU") == Workload("RU", 50)
    assert parse_workload("RU, 99.5") == Workload("RU", 99.5)
    assert parse_workload("I") == Workload("I")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("RU,101", "0 to 100"),
        ("RU,-1", "0 to 100"),
        ("RU,half", "not a percentage"),
        ("RU,nan", "0 to 100"),
        ("RU,50,100,0", "whole record"),
        ("RMU,50", "only RU"),
        ("I,50", "no numbers"),
        ("", "only RU"),
    ],
)
def test_workloads_that_are_not_measured_say_why(text: str, reason: str) -> None:
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
    stream = mixed_stream(Workload("RU", percent), pool, 1000, seed=1, worker=0, workers=8)
    assert sum(write is None for _, write in stream) == share * len(stream)


def test_keys_are_uniform_integers_from_zero() -> None:
    pool = value_pool(parse_bins("I1"), seed=1)
    stream = mixed_stream(Workload("RU", 50), pool, keys=10, seed=1, worker=0, workers=1)
    counts = [sum(key == wanted for key, _ in stream) for wanted in range(10)]
    assert sum(counts) == len(stream)
    assert min(counts) > 0.9 * len(stream) / 10


@pytest.mark.parametrize("workers", [1, 32, 512])
def test_streams_stay_small_with_many_workers(workers: int) -> None:
    pool = value_pool(parse_bins("I1"), seed=1)
    stream = mixed_stream(Workload("RU", 50), pool, 1000, seed=1, worker=0, workers=workers)
    assert STREAM_LEAST <= len(stream) <= STREAM_MOST


def test_inserting_writes_every_key_once() -> None:
    pool = value_pool(parse_bins("I1"), seed=1)
    shares = [insert_stream(pool, 1000, worker, 7) for worker in range(7)]
    assert sorted(key for share in shares for key, _ in share) == list(range(1000))
    assert all(bins is not None for share in shares for _, bins in share)


def test_blocks_keep_the_order_and_lose_nothing() -> None:
    operations = [(key, None) for key in range(35)]
    blocks = into_blocks(list(operations), every=16)
    assert [len(followers) for _, followers in blocks] == [15, 15, 2]
    assert [op for first, followers in blocks for op in (first, *followers)] == operations
    assert [len(followers) for _, followers in into_blocks(list(operations), every=1)] == [0] * 35


def test_floats_are_floats() -> None:
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
