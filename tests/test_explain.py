"""The effective options of a call and their origins: for datasets, and for steps and chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Profile, op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing import Cluster
    from spikewire.types import Explanation

PROFILE = Profile(
    "p",
    read={"point": {"timeout": 1}, "many": {"timeout": 2, "read_mode": "all"}},
    write={"ttl": 60, "retryable": {"timeout": 3}, "not_retryable": {"timeout": 4}},
    batch={"timeout": 5},
    query={"timeout": 6},
)


@pytest.fixture(scope="module")
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=20) as client:
        yield client


@pytest.fixture
def users(client: spikewire.Client) -> spikewire.Dataset:
    return client.dataset("test", "explained")


@pytest.fixture
def session(client: spikewire.Client) -> spikewire.Builder:
    return client.session(PROFILE)


def source(text: Explanation, option: str) -> tuple[Any, str]:
    return text[option].value, text[option].source


class TestDatasets:
    def test_explain_reports_the_options_of_a_call(
        self, client: spikewire.Client, users: spikewire.Dataset
    ) -> None:
        explanation = users.explain("get", 1, replica="master")
        assert (explanation.verb, explanation.steps, explanation.consistency) == (
            "get",
            (),
            "available",
        )
        assert explanation == client.explain("get", users.key(1), replica="master")
        assert source(explanation, "timeout") == (20, "the client")
        assert source(explanation, "replica") == ("master", "the call")
        assert source(explanation, "max_retries") == (2, "the default")
        assert users.explain("operate", 1, [op.add("a", 1)])["ttl"].source == "the default"
        with pytest.raises(ValueError, match="there is no verb 'fetch'"):
            users.explain("fetch")
        with pytest.raises(TypeError, match="timeout must be seconds"):
            users.explain("get", timeout="soon")

    def test_an_unconnected_client_explains(self, cluster: Cluster) -> None:
        users = spikewire.AsyncClient(cluster.seeds, send_key=True).dataset("test", "explained")
        explanation = users.explain("put")
        assert (source(explanation, "send_key"), explanation.consistency) == (
            (True, "the client"),
            None,
        )


class TestSteps:
    @pytest.mark.parametrize(
        ("begin", "verb", "timeout"),
        [
            (lambda s, u: s.query(u.key(1)), "get", 1),
            (lambda s, u: s.query(u.key(1)).bins("a"), "get", 1),
            (lambda s, u: s.query(u.key(1)).get("a"), "operate", 1),
            (lambda s, u: s.query(u.keys([1])), "get_many", 2),
            (lambda s, u: s.query(u.keys([1])).get("a"), "operate_many", 2),
            (lambda s, u: s.query(u), "query", 6),
            (lambda s, u: s.upsert(u.key(1)).set("a", 1), "put", 3),
            (lambda s, u: s.upsert(u.key(1)).add("a", 1), "operate", 4),
            (lambda s, u: s.upsert(u.keys([1])).set("a", 1), "operate_many", 4),
            (lambda s, u: s.delete(u.key(1)), "delete", 3),
            (lambda s, u: s.delete(u.keys([1])), "delete_many", 3),
            (lambda s, u: s.touch(u.key(1)), "touch", 3),
            (lambda s, u: s.touch(u.keys([1])), "operate_many", 4),
            (lambda s, u: s.exists(u.key(1)), "exists", 1),
            (lambda s, u: s.exists(u.keys([1])), "exists_many", 2),
        ],
    )
    def test_the_verb_that_is_called(
        self, session: Any, users: Any, begin: Any, verb: str, timeout: float
    ) -> None:
        explanation = begin(session, users).explain()
        assert (explanation.verb, explanation["timeout"].value) == (verb, timeout)
        assert explanation["timeout"].source.startswith("profile 'p', ")
        explanation = begin(session, users).timeout(9).explain()
        assert source(explanation, "timeout") == (9, "the call")

    def test_explain_reports_the_options_of_a_step(self, session: Any, users: Any) -> None:
        step = session.insert(users.key(1)).set("a", 1).generation(2).where("$.a > ?", 1)
        explanation = step.explain()
        assert source(explanation, "exists") == ("create", "the call")
        assert source(explanation, "ttl") == (60, "profile 'p', write.ttl")
        assert source(step.ttl(5).explain(), "ttl") == (5, "the call")
        assert (
            session.query(users.key(1)).retries(7, jitter=True).explain()["max_retries"].value == 7
        )
        with pytest.raises(TypeError, match="timeout must be seconds"):
            session.query(users.key(1)).timeout("soon").explain()

    def test_explain_sends_nothing_and_reads_no_iterator(self, session: Any, users: Any) -> None:
        keys = iter(users.keys([1, 2]))
        step = session.upsert(keys).set("a", 1)
        assert step.explain().verb == "operate_many"
        assert len(list(keys)) == 2

    def test_a_step_without_a_profile_explains_as_the_verb(
        self, client: spikewire.Client, users: spikewire.Dataset
    ) -> None:
        explanation = client.session().query(users.key(1)).explain()
        assert explanation == users.explain("get", 1)

    def test_steps_of_the_asynchronous_client_explain(self, cluster: Cluster) -> None:
        client = spikewire.AsyncClient(cluster.seeds, timeout=7)
        step = client.session().upsert(("test", "explained", 1)).set("a", 1)
        assert source(step.explain(), "timeout") == (7, "the client")


class TestChains:
    def test_the_call_and_the_rows_of_its_steps(self, session: Any, users: Any) -> None:
        chain = (
            session.insert(users.key(1))
            .set("a", 1)
            .ttl(9)
            .retries(3)
            .query(users.keys([2, 3]))
            .delete(users.key(4))
            .durable_delete()
            .touch(users.key(5))
            .exists(users.key(6))
        )
        explanation = chain.explain()
        assert (explanation.verb, explanation.consistency) == ("batch", "available")
        assert source(explanation, "timeout") == (5, "profile 'p', batch.timeout")
        assert source(explanation, "max_retries") == (3, "the call")
        assert not {"ttl", "exists", "read_mode", "send_key"} & explanation.keys()
        insert, query, delete, touch, exists = explanation.steps
        names = ["insert", "query", "delete", "touch", "exists"]
        assert [step.verb for step in explanation.steps] == names
        assert list(insert) == ["ttl", "exists", "durable", "send_key"]
        assert source(insert, "ttl") == (9, "the step")
        assert source(insert, "exists") == ("create", "the step")
        assert source(query, "read_mode") == ("all", "profile 'p', read.many.read_mode")
        assert source(delete, "durable") == (True, "the step")
        assert source(delete, "send_key") == (False, "the default")
        assert source(touch, "ttl") == (60, "profile 'p', write.ttl")
        assert list(exists) == ["read_mode", "read_touch"]
        lines = str(explanation).splitlines()
        assert "timeout = 5  (profile 'p', batch.timeout)" in lines
        at = lines.index("step 1, insert:")
        assert lines[at + 1] == "  ttl = 9  (the step)"
        assert lines[-1] == "  read_touch = None  (the default)"

    def test_explain_equals_the_executed_call(
        self, client: spikewire.Client, users: spikewire.Dataset
    ) -> None:
        profile = Profile("p", write={"ttl": 500})
        chain = client.session(profile).upsert(users.key(1)).set("a", 1).query(users.key(2))
        expected = chain.explain().steps[0]["ttl"].value
        chain.execute()
        ttl = users.get(1).ttl
        assert ttl is not None
        assert expected - 20 < ttl <= expected

    def test_options_that_batches_lack_raise(self, session: Any, users: Any) -> None:
        chain = session.query(users.key(1)).hedge(0.1).query(users.key(2))
        with pytest.raises(ValueError, match="hedge applies to calls that read one record"):
            chain.explain()
