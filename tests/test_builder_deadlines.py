"""Reads with a deadline through the builder, streams and profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from apis import Api
from spikewire import Profile
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = range(60)
DEADLINE = 0.1


class Slow:
    """A client of a cluster with one copy of each record, of which one node is slow."""

    def __init__(self, api: Api, client: Any, cluster: Cluster) -> None:
        self.run, self.rows, self.client = api.settle, api.rows, client
        self.users = client.dataset("test", "late")
        self.run(lambda: self.users.put_many({n: {"n": n} for n in KEYS}))
        self.keys = [self.users.key(n) for n in KEYS]
        cluster.inject(1, delay=3)
        self.late = self.run(lambda: self.users.get_many(KEYS, deadline=DEADLINE)).late
        assert 0 < len(self.late) < len(KEYS)
        self.on_time = [n for n in KEYS if n not in self.late]

    def query(self) -> Any:
        return self.client.session().query(self.keys).deadline(DEADLINE)


@pytest.fixture(params=["blocking", "asyncio"])
def slow(request: pytest.FixtureRequest) -> Iterator[Slow]:
    api = Api(request.param)
    with Cluster(3, replication_factor=1) as cluster:
        assert cluster.wait_settled()
        with api.open(cluster.seeds, timeout=10) as client:
            yield Slow(api, client.raw, cluster)
    api.end()


def test_results_say_which_are_late(slow: Slow) -> None:
    results = slow.run(slow.query().execute)
    assert [result.row for result in results] == list(KEYS)
    for result in results:
        assert result.late == (result.row in slow.late)
        assert result.ok == (not result.late)
        assert not result.missing
        assert result.error is None
    late = results[slow.late[0]]
    with pytest.raises(spikewire.Timeout, match="late") as raised:
        late.unwrap()
    assert raised.value.key == late.key
    assert results.batch.late == slow.late
    assert results.count() == len(slow.on_time)


def test_calls_for_records_leave_late_rows_out(slow: Slow) -> None:
    records = slow.run(slow.query().to_list)
    assert [record["n"] for record in records] == slow.on_time
    assert slow.run(slow.query().count) == len(slow.on_time)
    session = slow.client.session()
    only_late = session.query([slow.keys[slow.late[0]]]).deadline(DEADLINE)
    with pytest.raises(spikewire.Timeout, match="late"):
        slow.run(only_late.first)
    exists = session.exists(slow.keys).deadline(DEADLINE)
    assert [result.row for result in slow.run(exists.execute) if result.late] == slow.late


def test_chains_that_only_read_have_one(slow: Slow) -> None:
    first, second = slow.keys[:30], slow.keys[30:]
    session = slow.client.session()
    chain = session.query(first).deadline(DEADLINE).exists(second)
    assert [result.row for result in slow.run(chain.execute) if result.late] == slow.late
    chain = session.query(first).deadline(DEADLINE).delete(second)
    with pytest.raises(ValueError, match="deadline and writes exclude each other"):
        slow.run(chain.execute)
    with pytest.raises(ValueError, match="one key"):
        session.query(slow.keys[0]).deadline(DEADLINE)


def test_streams_have_one_for_each_window(slow: Slow) -> None:
    streamed = slow.rows(slow.query().stream(window=20, ordered=True))
    assert [result.row for result in streamed if result.late] == slow.late
    records = [result.record["n"] for result in streamed if not result.late]
    assert records == slow.on_time


def test_profiles_set_it_for_reads_of_many_records(slow: Slow) -> None:
    profile = Profile("soon", read={"many": {"deadline": DEADLINE, "timeout": 5}})
    users = slow.client.with_profile(profile).dataset("test", "late")
    assert slow.run(lambda: users.get_many(KEYS)).late == slow.late
    assert users.explain("get_many").get("deadline").value == DEADLINE
    for wrong in ({"read": {"many": {"deadline": 0}}}, {"read": {"point": {"deadline": 1}}}):
        with pytest.raises((ValueError, TypeError), match="deadline"):
            Profile("wrong", **wrong)  # type: ignore[arg-type]
