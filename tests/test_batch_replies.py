"""Batches whose nodes stop to reply where a row has failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Apply, Client, Delete, Read, Write, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A reply ends with the block of the row that failed: this is large enough for other blocks.
LARGE = "x" * 50_000
KEYS = list(range(12))
NO_REPLY = -15


@pytest.fixture
def users() -> Iterator[spikewire.Dataset]:
    with Cluster(nodes=1) as cluster, Client(cluster.seeds) as client:
        users = client.dataset("test", "users")
        users.put_many({key: {"large": LARGE, "n": 1} for key in KEYS})
        users.put(1, {"n": "text"})
        yield users


def test_rows_after_a_failed_one_have_no_reply(users: spikewire.Dataset) -> None:
    rows: list[Any] = [Read(key) for key in KEYS]
    rows[1] = Write(1, [op.add("n", 1)])
    assert list(users.batch(rows).codes) == [0, 12, *[0] * 10]
    batch = users.batch(rows, respond_all_keys=False)
    assert list(batch.codes) == [0, 12, 0, *[NO_REPLY] * 9]
    with pytest.raises(spikewire.ServerError, match="replies ended at a row that failed") as caught:
        batch[5]
    error = caught.value
    assert (error.code, error.in_doubt, error.key) == (NO_REPLY, False, users.key(5))


def test_rows_without_a_reply_are_run_and_in_doubt(users: spikewire.Dataset) -> None:
    steps = [op.add("n", 1), op.get("large")]
    batch = users.operate_many(KEYS, steps, respond_all_keys=False, max_retries=5)
    assert list(batch.codes) == [0, 12, 0, *[NO_REPLY] * 9]
    assert [error.in_doubt for error in batch.errors.values()] == [False, *[True] * 9]
    values = [record.bins["n"] for record in users.get_many(KEYS) if record is not None]
    assert values == [2, "text", *[2] * 10]


def test_replies_do_not_end_at_missing_records(users: spikewire.Dataset) -> None:
    users.delete(2)
    plain = users.get_many(KEYS)
    batch = users.get_many(KEYS, respond_all_keys=False)
    assert list(batch.codes) == list(plain.codes) == [0, 0, 2, *[0] * 9]
    assert list(users.exists_many(KEYS, respond_all_keys=False).codes) == list(plain.codes)


def test_rows_have_options_of_calls(users: spikewire.Dataset) -> None:
    for row in (
        Write(1, {"n": 1}, commit_level="master", on_locking_only=True),
        Delete(1, commit_level="master", on_locking_only=True),
        Apply(1, "m", "f", commit_level="master", on_locking_only=True),
    ):
        assert row.commit_level == "master"
        assert row.on_locking_only
        assert "commit_level='master', on_locking_only=True" in repr(row).replace(
            "send_key=True, ", ""
        )
    with pytest.raises(TypeError, match="on_locking_only must be True or False"):
        Write(1, {"n": 1}, on_locking_only=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="commit_level must be 'all' or 'master'"):
        users.batch([Write(1, {"n": 1}, commit_level="no")])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="on_locking_only apply to writes"):
        users.operate(1, [op.get("n")], on_locking_only=True)
