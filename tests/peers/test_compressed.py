"""Compression: the C client on a cluster of the Enterprise Edition, and the drop-in beside it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from box import c_client

original = pytest.importorskip("aerospike", reason="no wheel of it for this interpreter")
from aerospike_helpers.operations import operations as make  # noqa: E402

from spikewire.compat import aerospike as ours  # noqa: E402
from spikewire.testing import Cluster  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

TEXT = "long and longer, " * 200
COMPRESS = {"compress": True, "total_timeout": 20_000}
POLICIES = dict.fromkeys(("read", "write", "operate", "remove", "apply", "batch"), COMPRESS)


@pytest.fixture
def enterprise() -> Iterator[Cluster]:
    with Cluster(nodes=1, edition="enterprise") as cluster:
        yield cluster


@pytest.fixture(params=["original", "drop-in"])
def client(request: Any, enterprise: Cluster) -> Iterator[Any]:
    if request.param == "original":
        client = c_client(enterprise.seeds, **POLICIES)
    else:
        host, port = enterprise.seeds.rsplit(":", 1)
        client = ours.client({"hosts": [(host, int(port))], "policies": POLICIES}).connect()
    yield client
    client.close()


def expect(cluster: Cluster, requests: int, replies: int) -> None:
    """Waits for these numbers of compressed requests and replies."""

    def counts() -> tuple[int, int]:
        stats = cluster.stats(0)
        return stats["compressed_requests"], stats["compressed_replies"]

    deadline = time.monotonic() + 20
    while counts() != (requests, replies) and time.monotonic() < deadline:
        time.sleep(0.002)
    assert counts() == (requests, replies)


def test_commands_on_records_are_compressed(client: Any, enterprise: Cluster) -> None:
    key = ("test", "users", 1)
    client.put(key, {"text": TEXT})
    expect(enterprise, 1, 0)
    assert client.get(key)[2] == {"text": TEXT}
    expect(enterprise, 1, 1)
    operations = [make.append("text", TEXT), make.read("text")]
    assert client.operate(key, operations)[2] == {"text": TEXT * 2}
    expect(enterprise, 2, 2)
    client.put(key, {"text": "short"})
    assert client.get(key)[2] == {"text": "short"}
    expect(enterprise, 2, 2)


def test_batches_are_compressed(client: Any, enterprise: Cluster) -> None:
    keys = [("test", "users", number) for number in range(8)]
    for key in keys:
        client.put(key, {"text": TEXT})
    expect(enterprise, 8, 0)
    records = client.batch_read(keys).batch_records
    assert [row.record[2] for row in records] == [{"text": TEXT}] * 8
    expect(enterprise, 9, 1)


def test_each_reads_what_the_other_wrote(enterprise: Cluster) -> None:
    host, port = enterprise.seeds.rsplit(":", 1)
    original = c_client(enterprise.seeds, **POLICIES)
    dropin = ours.client({"hosts": [(host, int(port))], "policies": POLICIES}).connect()
    for number, (writer, reader) in enumerate([(original, dropin), (dropin, original)]):
        key = ("test", "both", number)
        bins = {"text": TEXT, "list": [TEXT, number], "blob": bytes(3_000)}
        writer.put(key, bins)
        assert reader.get(key)[2] == bins
    original.close()
    dropin.close()


@pytest.mark.parametrize("module", [original, ours], ids=["original", "drop-in"])
@pytest.mark.parametrize(
    ("config", "compressed"),
    [
        ({}, 0),
        ({"compression_threshold": 100}, 1),
        ({"compression_threshold": 100_000}, 0),
        ({"policies": {"write": {"compression_threshold": 100}}}, 1),
        ({"policies": {"write": {"compress": True, "compression_threshold": 100_000}}}, 0),
        ({"compression_threshold": 100_000, "policies": {"write": {"compress": True}}}, 0),
    ],
)
def test_a_threshold_switches_the_compression_of_writes_on(
    module: Any, enterprise: Cluster, config: dict[str, Any], compressed: int
) -> None:
    host, port = enterprise.seeds.rsplit(":", 1)
    client = module.client({"hosts": [(host, int(port))], **config}).connect()
    client.put(("test", "users", 1), {"text": TEXT})
    assert client.get(("test", "users", 1))[2] == {"text": TEXT}
    client.close()
    expect(enterprise, compressed, 0)


@pytest.mark.parametrize("kind", ["original", "drop-in"])
def test_the_community_edition_answers_as_it_always_did(kind: str) -> None:
    """The C client sends compressed requests to any server; the drop-in looks first."""
    key = ("test", "users", 1)
    with Cluster(nodes=1) as cluster:
        host, port = cluster.seeds.rsplit(":", 1)
        if kind == "original":
            client = c_client(cluster.seeds, **POLICIES)
            with pytest.raises(Exception, match="ENTERPRISE_ONLY") as caught:
                client.put(key, {"text": TEXT})
            assert getattr(caught.value, "code", None) == 25
        else:
            client = ours.client({"hosts": [(host, int(port))], "policies": POLICIES}).connect()
            client.put(key, {"text": TEXT})
            assert client.get(key)[2] == {"text": TEXT}
        client.close()
