"""Compressed requests and replies, against clusters of both editions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import AsyncClient, Client, Read, Write, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "long and longer, " * 200


@pytest.fixture
def enterprise() -> Iterator[Cluster]:
    with Cluster(nodes=1, edition="enterprise") as cluster:
        yield cluster


def counts(cluster: Cluster) -> tuple[int, int]:
    """Compressed requests and replies so far."""
    stats = cluster.stats(0)
    return stats["compressed_requests"], stats["compressed_replies"]


def expect(cluster: Cluster, expected: tuple[int, int]) -> None:
    """A node counts before it answers."""
    assert counts(cluster) == expected


def test_all_verbs_are_compressed(enterprise: Cluster) -> None:
    with Client(enterprise.seeds, compress=True) as client:
        users = client.dataset("test", "users")
        users.put(1, {"text": TEXT})
        expect(enterprise, (1, 0))
        assert users.get(1).bins == {"text": TEXT}
        expect(enterprise, (1, 1))
        assert users.operate(1, [op.append("text", TEXT), op.get("text")]).bins["text"] == TEXT * 2
        expect(enterprise, (2, 2))
        users.put_many({number: {"text": TEXT} for number in range(30)}).raise_for_errors()
        expect(enterprise, (3, 3))
        records = users.get_many(range(30))
        assert [row and row.bins["text"] for row in records] == [TEXT] * 30
        expect(enterprise, (4, 4))
        batch = users.batch([Write(1, {"text": TEXT}), Read(2)])
        row = batch[1]
        assert row is not None
        assert row.bins == {"text": TEXT}
        expect(enterprise, (5, 5))
        assert len(list(users.query())) == 30, "queries are never compressed"
        expect(enterprise, (5, 5))


def test_a_call_decides_for_itself(enterprise: Cluster) -> None:
    with Client(enterprise.seeds) as client:
        users = client.dataset("test", "users")
        users.put(1, {"text": TEXT})
        users.get(1)
        expect(enterprise, (0, 0))
        users.put(1, {"text": TEXT}, compress=True)
        users.get(1, compress=True)
        users.get_many([1, 2], compress=True)
        expect(enterprise, (1, 2))
        with pytest.raises(TypeError, match="compress must be"):
            users.get(1, compress=1)  # type: ignore[call-overload]


def test_profiles_and_steps_decide_for_their_calls(enterprise: Cluster) -> None:
    with Client(enterprise.seeds) as client:
        client.dataset("test", "users").put(1, {"text": TEXT})
        view = client.with_profile(spikewire.Profile(read={"compress": True}))
        users = view.dataset("test", "users")
        assert "compress = True" in str(users.explain("get", 1))
        users.get(1)
        expect(enterprise, (0, 1))
        key = users.key(1)
        session = client.session()
        session.query(key).compress(True).execute()
        expect(enterprise, (0, 2))


def test_the_threshold_is_that_of_requests(enterprise: Cluster) -> None:
    url = f"aerospike://{enterprise.seeds}/test?compress=true&compression_threshold=5000"
    with Client.from_url(url) as client:
        users = client.dataset("test", "users")
        users.put(1, {"text": "x" * 4_000})
        expect(enterprise, (0, 0))
        users.put(1, {"text": "x" * 6_000})
        expect(enterprise, (1, 0))
    with pytest.raises(ValueError, match="compression_threshold must be from 0 to 134217728"):
        Client(enterprise.seeds, compression_threshold=1 << 30)
    with pytest.raises(TypeError, match="compress must be True or False, not int"):
        Client(enterprise.seeds, compress=1)  # type: ignore[arg-type]


def test_asyncio_is_compressed(enterprise: Cluster, run: Any) -> None:
    async def main() -> None:
        async with AsyncClient(enterprise.seeds, compress=True) as client:
            users = client.dataset("test", "users")
            await users.put(1, {"text": TEXT})
            assert (await users.get(1)).bins == {"text": TEXT}

    run(main())
    expect(enterprise, (1, 1))


def test_the_community_edition_gets_plain_requests() -> None:
    with Cluster(nodes=1) as cluster, Client(cluster.seeds, compress=True) as client:
        users = client.dataset("test", "users")
        users.put(1, {"text": TEXT})
        assert users.get(1).bins == {"text": TEXT}
        assert users.get_many([1, 2]).found == 1
        expect(cluster, (0, 0))


def test_values_that_do_not_shrink_come_back_as_well(enterprise: Cluster) -> None:
    noise = bytes(range(256)) * 4
    with Client(enterprise.seeds, compress=True, compression_threshold=0) as client:
        users = client.dataset("test", "users")
        for size in (0, 1, 40, 1_000, 200_000, 900_000):
            value = (noise * (size // len(noise) + 1))[:size]
            users.put(size, {"b": value})
            assert users.get(size).bins["b"] == value
