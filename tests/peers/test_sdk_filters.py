"""Text filters of the vendor's SDK, which asks nodes for plans, on the embedded cluster as 8.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from box import addresses

sdk = pytest.importorskip("aerospike_sdk", reason="no wheel of aerospike-sdk for this interpreter")
blocking = pytest.importorskip("aerospike_sdk.sync")
spikewire = pytest.importorskip("spikewire")

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 300
NAMES = ["Ann", "O'Neil", "Zoé 😀"]


@pytest.fixture(scope="module")
def seeds() -> Iterator[str]:
    with spikewire.testing.Cluster(nodes=3, build="8.2") as cluster:
        with spikewire.Client(cluster.seeds, connect_timeout=20) as client:
            users = client.dataset("test", "users")
            rows = {
                number: {"id": number, "age": number % 90, "name": NAMES[number % 3]}
                for number in range(COUNT)
            }
            users.put_many(rows)
            client.indexes.create("test", "users", "age", int)
            client.indexes.create("test", "users", "name", str)
        yield cluster.seeds


@pytest.fixture(scope="module")
def session(seeds: str) -> Iterator[Any]:
    hosts = [sdk.Host(host, port) for host, port in addresses(seeds)]
    cluster = blocking.ClusterDefinition(hosts=hosts).connect()
    yield cluster.create_session()
    cluster.close()


def ids(query: Any) -> list[int]:
    return sorted(result.record_or_raise().bins["id"] for result in query.execute())


@pytest.mark.parametrize(
    "text",
    [
        "$.age >= 85",
        "$.age > 3 and $.age < 6",
        "$.name == 'O\\'Neil'",
        "$.name == 'Zoé 😀' and $.age == 2",
        "$.age < 3 or $.name == 'Ann'",
        "$.id % 100 == 7 and not($.age > 50)",
    ],
)
def test_the_sdk_finds_the_records_that_spikewire_finds(
    session: Any, seeds: str, text: str
) -> None:
    users = sdk.DataSet.of("test", "users")
    own = text.replace("\\'", "''")
    with spikewire.Client(seeds, connect_timeout=20) as client:
        query = client.dataset("test", "users").query(where=own)
        expected = sorted(record["id"] for record in query)
    assert expected
    assert ids(session.query(users).where(text)) == expected


def test_the_sdk_gets_the_plans_of_hints_and_requirements(session: Any) -> None:
    users = sdk.DataSet.of("test", "users")
    both = "$.age > 3 and $.name == 'Ann'"
    expected = ids(session.query(users).where(both))
    hint = sdk.QueryHint(index_name="users_age", hard_hint=True)
    assert ids(session.query(users).where(both).with_hint(hint)) == expected
    unknown = sdk.QueryHint(index_name="unknown", hard_hint=True)
    with pytest.raises(sdk.AerospikeError) as caught:
        ids(session.query(users).where(both).with_hint(unknown))
    assert int(caught.value.result_code) == 201
    required = sdk.QueryHint(allow_scans_with_where=False)
    with pytest.raises(sdk.AerospikeError) as caught:
        ids(session.query(users).where("$.id == 5").with_hint(required))
    assert int(caught.value.result_code) == 201
    with pytest.raises(sdk.AerospikeError) as caught:
        ids(session.query(users).where("$.age > 5 and $.age < 3"))
    assert int(caught.value.result_code) == 27
    with pytest.raises(sdk.AerospikeError) as caught:
        ids(session.query(users).where("$.age = 3"))
    assert int(caught.value.result_code) == 4
