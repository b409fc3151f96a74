"""Background jobs: changes to every record of a scan or an index query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from apis import Opened

COUNT = 400


class FullSet:
    """A set with ``COUNT`` records, and what its jobs do."""

    def __init__(self, client: Opened, name: str) -> None:
        self.client, self.api, self.name = client, client.api, name
        self.verbs = client.dataset("test", name)
        rows = {i: {"n": i, "v": 0} for i in range(COUNT)}
        self.verbs.put_many(rows, send_key=True).raise_for_errors()

    def finish(self, job: Any) -> Any:
        """The progress of a job at its end."""
        return self.api.settle(lambda: job.wait(60))

    def changed_keys(self) -> list[int]:
        query = self.client.raw.query("test", self.name, where="$.v > 0")
        return sorted(record.key.key for record in self.api.rows(query))


@pytest.fixture
def records(client: Opened, set_name: str) -> FullSet:
    return FullSet(client, set_name)


def test_a_job_changes_every_record(records: FullSet) -> None:
    job = records.verbs.operate_all([op.add("v", 1), op.put("seen", True)])
    progress = records.finish(job)
    assert progress.done
    assert not progress.aborted
    assert (progress.percent, progress.succeeded, progress.failed) == (100.0, COUNT, 0)
    assert records.changed_keys() == list(range(COUNT))
    assert records.verbs.get(7).bins == {"n": 7, "v": 1, "seen": True}
    assert str(job.id) in repr(job)


def test_a_job_changes_matching_records(records: FullSet) -> None:
    job = records.verbs.operate_all([op.add("v", 1)], where="$.n < 10", ttl=1000)
    progress = records.finish(job)
    assert (progress.succeeded, progress.filtered) == (10, COUNT - 10)
    assert records.changed_keys() == list(range(10))
    assert 900 < records.verbs.get(3).ttl <= 1000


def test_a_job_selects_records_by_an_index(records: FullSet) -> None:
    indexes = records.client.raw.indexes
    records.api.settle(lambda: indexes.create("test", records.name, "n", int))
    index = spikewire.between("n", 50, 59)
    records.finish(records.verbs.operate_all([op.add("v", 1)], index=index))
    assert records.changed_keys() == list(range(50, 60))


def test_a_job_runs_a_function_on_every_record(records: FullSet) -> None:
    source = "function f(rec, by) rec['v'] = rec['v'] + by; aerospike:update(rec) end"
    modules = records.client.raw.modules
    records.api.settle(lambda: modules.register("jobs.lua", source))
    progress = records.finish(records.verbs.apply_all("jobs", "f", [5], where="$.n >= 390"))
    assert progress.succeeded == 10
    assert records.changed_keys() == list(range(390, 400))
    assert records.verbs.get(399)["v"] == 5


@pytest.mark.parametrize(
    ("module", "function"),
    [("failing", "fail"), ("failing", "spin"), ("failing", "none"), ("nothing", "none")],
)
def test_failing_functions_are_counted(
    client: Opened, set_name: str, module: str, function: str
) -> None:
    api, few = client.api, client.dataset("test", set_name)
    few.put_many({i: {"v": 0} for i in range(4)}).raise_for_errors()
    source = "function fail(rec) error('no luck') end function spin(rec) while true do end end"
    api.settle(lambda: client.raw.modules.register("failing.lua", source))
    job = few.apply_all(module, function)
    progress = api.settle(lambda: job.wait(60))
    assert (progress.done, progress.succeeded, progress.failed) == (True, 0, 4)
    assert [few.get(i)["v"] for i in range(4)] == [0] * 4


def test_jobs_of_a_client_name_their_set(records: FullSet) -> None:
    job = records.client.verbs.operate_all("test", records.name, [op.add("v", 1)])
    records.finish(job)
    assert len(records.changed_keys()) == COUNT


def test_a_job_is_aborted(records: FullSet) -> None:
    # At 10 ms per record, the slowest rate of nodes, this takes half a minute.
    records.verbs.put_many({i: {"v": 0} for i in range(COUNT, 10_000)}).raise_for_errors()
    job = records.verbs.operate_all([op.add("v", 1)], records_per_second=1)
    with pytest.raises(spikewire.Timeout, match=f"job {job.id} was"):
        records.api.settle(lambda: job.wait(0.05))
    assert not records.api.settle(job.progress).done
    records.api.settle(job.abort)
    progress = records.finish(job)
    assert progress.aborted
    assert progress.succeeded < 10_000
    records.api.settle(job.abort)


def test_touch_all_and_delete_all_change_matching_records(records: FullSet) -> None:
    progress = records.finish(records.verbs.touch_all(where="$.n < 10", ttl=1000))
    assert progress.succeeded == 10
    assert 900 <= records.verbs.get(3).ttl <= 1000
    records.finish(records.verbs.delete_all(where="$.n >= 10"))
    left = records.api.rows(records.client.raw.query("test", records.name))
    assert sorted(record["n"] for record in left) == list(range(10))
    records.finish(records.client.verbs.delete_all("test", records.name))
    assert records.api.rows(records.client.raw.query("test", records.name)) == []
    with pytest.raises(ValueError, match="records_per_second must be from 1"):
        records.verbs.delete_all(records_per_second=0)


@pytest.mark.parametrize("verb", ["operate_all", "apply_all", "touch_all", "delete_all"])
def test_a_job_on_a_set_that_no_node_knows_is_done(
    client: Opened, set_name: str, verb: str
) -> None:
    """Nodes answer "not found" for sets of which they never had a record: nothing to do."""
    modules, settle = client.raw.modules, client.api.settle
    settle(lambda: modules.register("few.lua", "function f(rec) end"))
    operations: list[Any] = [[op.add("v", 1)]]
    arguments = {"operate_all": operations, "apply_all": ["few", "f"]}.get(verb, [])
    job = getattr(client.dataset("test", set_name), verb)(*arguments)
    for progress in (settle(job.progress), settle(lambda: job.wait(60))):
        assert progress == (True, False, 100.0, 0, 0, 0)
    settle(job.abort)


@pytest.mark.parametrize("verb", ["operate_all", "touch_all", "delete_all"])
def test_a_job_runs_on_the_nodes_that_know_its_set(
    client: Opened, set_name: str, verb: str
) -> None:
    """One record, on a cluster of several nodes: the job runs on those that know the set."""
    data = client.dataset("test", set_name)
    data.put("only", {"v": 0})
    arguments = [[op.add("v", 1)]] if verb == "operate_all" else []
    job = getattr(data, verb)(*arguments)
    assert client.api.settle(lambda: job.wait(60)).succeeded == 1


def test_waiting_with_timeout_zero_has_no_limit(records: FullSet) -> None:
    job = records.verbs.operate_all([op.add("v", 1)], records_per_second=COUNT // 2)
    assert records.api.settle(lambda: job.wait(0)).done
    assert len(records.changed_keys()) == COUNT


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([],), {}, ValueError, "operations must not be empty"),
        (([op.get("v")],), {}, ValueError, r"operations\[0\] reads"),
        ((["v"],), {}, TypeError, r"operations\[0\] must be an operation"),
        ((op.add("v", 1),), {}, TypeError, "operations must be a list or tuple"),
        (([op.add("v", 1)],), {"ttl": -1}, ValueError, "ttl"),
        (([op.add("v", 1)],), {"index": 5}, TypeError, "index must come from"),
        (([op.add("v", 1)],), {"records_per_second": 0}, ValueError, "records_per_second"),
        (([op.add("v", 1)],), {"where": 5}, TypeError, "where"),
    ],
)
def test_invalid_jobs_raise(
    records: FullSet, arguments: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        records.verbs.operate_all(*arguments, **options)


def test_errors_of_the_server_raise(records: FullSet) -> None:
    with pytest.raises(spikewire.ServerError) as caught:
        records.verbs.operate_all([op.add("v", 1)], index=spikewire.equal("nothing", 1))
    assert caught.value.code == 201
    assert "could not be started on node" in str(caught.value)
