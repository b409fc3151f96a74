"""Recordings of live traffic: ``client.record``, and the traces that it writes."""

from __future__ import annotations

import asyncio
import stat
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from forking import scenario
from spikewire import op
from spikewire.recording import RecordingSummary, Trace, read_trace
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Longer than anything here takes on a loaded machine.
LONG = 60


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=3) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds) as client:
        yield client


def eventually(what: str, done: Callable[[], object]) -> None:
    end = time.monotonic() + LONG
    while not done():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def operations(trace: Trace) -> Counter[str]:
    return Counter(trace.labels[number] for number in trace.operation)


def results(trace: Trace) -> Counter[str]:
    return Counter(trace.labels[number] for number in trace.result)


def test_every_kind_of_call_is_recorded(client: spikewire.Client, tmp_path: Path) -> None:
    path = tmp_path / "calls.trace"
    users, other = client.dataset("test", "recorded"), client.dataset("test", "others")
    with client.record(path, share=1.0) as recording:
        assert recording.summary.state == "running"
        users.put(1, {"name": "x" * 500})
        users.get(1)
        users.exists(1)
        users.add(1, {"n": 1})
        users.touch(1)
        users.operate(1, [op.put("n", 2), op.get("n")])
        with pytest.raises(spikewire.RecordNotFound):
            users.get("absent")
        other.put(1, {"n": 1})
        users.put_many({number: {"n": number} for number in range(40)})
        users.get_many(range(40))
        users.delete(1)
    summary = recording.summary
    assert isinstance(summary, RecordingSummary)
    assert (summary.state, summary.dropped) == ("stopped", 0)
    assert summary.bytes == path.stat().st_size
    trace = read_trace(path)
    assert len(trace) == summary.calls
    assert (trace.state, trace.share, trace.dropped) == ("stopped", 1.0, 0)
    assert trace.version == spikewire.__version__
    kinds = operations(trace)
    singles = {"put": 2, "get": 2, "exists": 1, "add": 1, "touch": 1, "operate": 1, "delete": 1}
    assert {name: kinds[name] for name in singles} == singles
    # Each node has its part of a batch.
    assert set(kinds) == {*singles, "batch_read", "batch_write"}
    of = [trace.labels[number] for number in trace.operation]
    for name in ("batch_read", "batch_write"):
        parts = [at for at, label in enumerate(of) if label == name]
        assert sum(trace.rows[at] for at in parts) == 40
        assert len({trace.arrival[at] for at in parts}) == 1, "they began together"
    # The replies to a batch come in several frames.
    replies = [trace.reply[at] for at in range(len(trace)) if of[at] == "batch_read"]
    assert 40 * 30 < sum(replies) < 40 * 100
    assert results(trace)["not_found"] == 1
    assert sorted(trace.arrival) == list(trace.arrival)
    put, get = of.index("put"), of.index("get")
    assert 500 < trace.request[put] < 700
    assert 500 < trace.reply[get] < 700
    assert [trace.writes[put], trace.writes[get]] == [1, 0]
    # Record 1 is the same in all of these calls, and another one than in the other set.
    assert trace.key[put] == trace.key[get] == trace.key[of.index("delete")] != 0
    second = of.index("put", put + 1)
    assert trace.key[second] != trace.key[put]
    assert trace.set[second] != trace.set[put]
    assert trace.sets[trace.set[second]] == trace.sets[trace.set[put]]
    assert 0 < max(trace.latency) < LONG * 1e6


def test_a_trace_has_no_keys_values_or_names(client: spikewire.Client, tmp_path: Path) -> None:
    path = tmp_path / "secret.trace"
    users = client.dataset("test", "patients")
    keys = [users.key(f"patient-{number}") for number in range(50)]
    with client.record(path, share=1.0):
        for key in keys:
            users.put(key, {"diagnosis": "confidential"}, send_key=True)
        users.get_many(keys, ["diagnosis"])
    content = path.read_bytes()
    for word in (b"patient", b"confidential", b"diagnosis", b"test"):
        assert word not in content
    trace = read_trace(path)
    assert len(set(trace.key) - {0}) == 50
    for key in keys:
        digest = key.digest
        assert digest[:5] not in content
        assert digest[:4] not in content
        assert int.from_bytes(digest[:5], "little") + 1 not in trace.key
    assert not set(trace.labels) & {"patients", "test", "diagnosis"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_hot_keys_stay_hot_within_a_trace_only(client: spikewire.Client, tmp_path: Path) -> None:
    users = client.dataset("test", "hot")
    users.put_many({number: {"n": number} for number in range(100)})
    hottest = []
    for name in ("one", "two"):
        with client.record(tmp_path / name, share=1.0):
            for number in range(100):
                users.get(7)
                users.get(number)
        counts = Counter(read_trace(tmp_path / name).key)
        assert (counts.most_common(1)[0][1], len(counts)) == (101, 100)
        hottest.append(counts.most_common(1)[0][0])
    assert hottest[0] != hottest[1]


def test_asyncio_and_failed_calls(cluster: Cluster, tmp_path: Path) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds) as client:
            users = client.dataset("test", "recorded_async")
            async with client.record(tmp_path / "a", share=1.0) as recording:
                await asyncio.gather(*(users.put(number, {"n": 1}) for number in range(100)))
                with pytest.raises(spikewire.RecordExists):
                    await users.put(1, {"n": 2}, exists="create")
            assert recording.summary.calls == 101
            again = await recording.stop()
            assert again == recording.summary
            assert "stopped" in repr(recording)

    asyncio.run(main())
    trace = read_trace(tmp_path / "a")
    assert results(trace) == {"ok": 100, "record_exists": 1}


def test_timeouts_are_recorded(tmp_path: Path) -> None:
    with Cluster() as cluster, spikewire.Client(cluster.seeds, max_retries=0) as client:
        users = client.dataset("test", "slow")
        users.put(1, {"n": 1})
        cluster.inject(0, drop=1.0)
        with (
            client.record(tmp_path / "a", share=1.0),
            pytest.raises(spikewire.Timeout),
        ):
            users.put(1, {"n": 2}, timeout=0.05)
    trace = read_trace(tmp_path / "a")
    assert results(trace) == {"timeout": 1}
    assert (list(trace.reply), trace.latency[0] >= 50_000) == ([0], True)


def test_a_share_is_recorded(client: spikewire.Client, tmp_path: Path) -> None:
    users = client.dataset("test", "share")
    with client.record(tmp_path / "a", share=0.2) as recording:
        for number in range(2000):
            users.exists(number)
    assert 200 < recording.summary.calls < 800
    assert read_trace(tmp_path / "a").share == 0.2


def test_many_threads(client: spikewire.Client, tmp_path: Path) -> None:
    users = client.dataset("test", "threads")

    def work() -> None:
        for number in range(200):
            users.exists(number)

    with client.record(tmp_path / "a", share=1.0) as recording:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert recording.summary.calls + recording.summary.dropped == 1600


def test_it_ends_when_the_file_is_full(client: spikewire.Client, tmp_path: Path) -> None:
    users = client.dataset("test", "full")
    recording = client.record(tmp_path / "a", share=1.0, max_bytes=65536)
    number = 0
    end = time.monotonic() + LONG
    while recording.summary.state == "running":
        assert time.monotonic() < end
        users.exists(number)
        number += 1
    assert recording.summary.state == "full"
    with pytest.warns(RuntimeWarning, match="smaller share"):
        summary = recording.stop()
    assert summary.bytes <= 65536
    assert summary.dropped > 0
    trace = read_trace(tmp_path / "a")
    assert (trace.state, len(trace), trace.dropped) == ("full", summary.calls, summary.dropped)
    # The next one may begin.
    with client.record(tmp_path / "b", share=1.0):
        users.exists(1)
    assert len(read_trace(tmp_path / "b")) == 1


def test_closing_the_client_ends_it(cluster: Cluster, tmp_path: Path) -> None:
    with spikewire.Client(cluster.seeds) as client:
        recording = client.record(tmp_path / "a", share=1.0)
        client.dataset("test", "closed").put(1, {"n": 1})
    eventually("the end", lambda: recording.summary.state == "closed")
    assert recording.stop().calls == 1
    assert read_trace(tmp_path / "a").state == "closed"
    with pytest.raises(spikewire.ClientClosed):
        client.record(tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_recording_goes_on_while_metrics_are_counted(
    client: spikewire.Client, tmp_path: Path
) -> None:
    users = client.dataset("test", "both")
    client.metrics.enable(stages=True)
    with client.record(tmp_path / "a", share=1.0) as recording:
        users.exists(1)
        client.metrics.disable()
        users.exists(1)
    users.exists(1)
    assert recording.summary.calls == 2
    assert sum(command.count for command in client.stats().commands) == 1


def test_what_cannot_be_recorded_is_rejected(client: spikewire.Client, tmp_path: Path) -> None:
    path = tmp_path / "a"
    bad: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"share": 0}, ValueError, "share"),
        ({"share": 1.5}, ValueError, "share"),
        ({"share": float("nan")}, ValueError, "share"),
        ({"share": "all"}, TypeError, "share"),
        ({"max_bytes": 10}, ValueError, "max_bytes"),
        ({"max_bytes": 1e9}, TypeError, "max_bytes"),
        ({"overwrite": "yes"}, TypeError, "overwrite"),
    ]
    for options, error, about in bad:
        with pytest.raises(error, match=about):
            client.record(path, **options)
        assert not path.exists()
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="overwrite"):
        client.record(path)
    assert path.read_text() == "mine"
    with pytest.raises(FileNotFoundError):
        client.record(tmp_path / "nowhere" / "a")
    with client.record(path, overwrite=True):
        with pytest.raises(ValueError, match="recorded already"):
            client.record(tmp_path / "b")
        assert not (tmp_path / "b").exists()
    assert len(read_trace(path)) == 0


def test_foreign_and_incomplete_files_say_so(client: spikewire.Client, tmp_path: Path) -> None:
    path = tmp_path / "a"
    with client.record(path, share=1.0):
        for number in range(100):
            client.dataset("test", "cut").exists(number)
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    with pytest.raises(ValueError, match="cut off after 100 calls"):
        read_trace(path)
    assert len(read_trace(path, partial=True)) == 100
    path.write_bytes(whole[:8] + b"\x09\x00" + whole[10:])
    with pytest.raises(ValueError, match=r"version 9.*newer"):
        read_trace(path)
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="not a trace"):
        read_trace(path)
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(ValueError, match="damaged"):
        read_trace(path)
    with pytest.raises(FileNotFoundError):
        read_trace(tmp_path / "nowhere")


def test_a_forked_child_does_not_record(cluster: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "a"
    program = f"""
        client = spikewire.Client(seeds)
        users = client.dataset("test", "forked")
        users.put(1, {{"n": 1}})
        recording = client.record({str(path)!r}, share=1.0)
        users.get(1)

        def work():
            users.get(1)
            assert recording.stop().state == recording.summary.state == "stopped"

        child(work)
        assert recording.summary.state == "running"
        users.get(1)
        assert recording.stop().calls == 2
        client.close()
        print("fine")
    """
    assert scenario(cluster.seeds, program).endswith("fine")
    assert operations(read_trace(path)) == {"get": 2}
