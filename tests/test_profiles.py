"""Profiles: options by kind of operation, for views of a client."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
from functools import partial
from types import BuiltinMethodType
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Profile, ProfileError, _native, op, profiles
from spikewire.aerospike.profiles import explain, kinds, sections
from spikewire.options import ClientOptions
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Parameters of verbs for the subject of a call; a profile has the others, about how it is made.
DATA = {
    "self",
    "key",
    "keys",
    "bins",
    "records",
    "rows",
    "operations",
    "dtype",
    "default",
    "missing",
    "errors",
    "nulls",
    "namespace",
    "set",
    "module",
    "function",
    "arguments",
    "where",
    "on_locking_only",
    "respond_all_keys",
    "require_index",
    "require_hint",
    "server_filter",
    "generation",
    "index",
    "limit",
    "partitions",
    "after",
    "resume",
    "include_values",
    "get_numpy.ttl",
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=1) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=20) as client:
        yield client


def test_every_verb_has_a_kind_and_every_option_is_how_or_what() -> None:
    others = {"submit", "namespace", "set", "type", "key", "keys", "explain", "get_stream"}
    others.add("within")
    verbs = {name for name in vars(_native.Dataset) if not name.startswith("_")} - others
    assert kinds.VERBS.keys() == verbs
    for verb in verbs:
        for name in inspect.signature(getattr(_native.Dataset, verb)).parameters:
            known = name in DATA or f"{verb}.{name}" in DATA
            assert known or name in kinds.FIELDS, (verb, name)
            assert name not in DATA or name not in kinds.FIELDS, (verb, name)


@pytest.mark.parametrize(
    ("section", "paths"),
    [
        (sections.ProfileOptions, [()]),
        (sections.ReadSection, [("read",)]),
        (sections.ReadPointOptions, [("read", "point")]),
        (sections.ReadManyOptions, [("read", "many")]),
        (sections.WriteSection, [("write",)]),
        (sections.WriteOptions, [("write", it) for it in ("point", "many", "retryable")]),
        (sections.WriteOptions, [("write", "not_retryable")]),
        (sections.BatchSection, [("batch",)]),
        (sections.QuerySection, [("query",)]),
        (sections.JobSection, [("job",)]),
    ],
)
def test_the_types_of_sections_are_those_of_the_verbs(section: Any, paths: list[Any]) -> None:
    for path in paths:
        options = {name for name in kinds.FIELDS if kinds.takers(path, name)}
        parts = {it[-1] for it in kinds.SECTIONS if it and it[:-1] == path}
        assert set(section.__annotations__) == options | parts, path


def test_the_defaults_that_explain_shows_are_the_documented_ones() -> None:
    text = inspect.getsource(inspect.getmodule(ClientOptions))  # type: ignore[arg-type]
    flags = ("send_key", "sleep_jitter", "retry_in_doubt", "compress")
    texts = {"timeout": "1 s", "socket_timeout": "0"} | dict.fromkeys(flags, "False")
    for name, value in explain.INHERITED.items():
        documentation = text.split(f"    {name}: ")[1].split('"""')[1]
        output = texts.get(name) or (f'"{value}"' if isinstance(value, str) else f"{value:g}")
        assert f"Default: {output}." in documentation, name
    assert [explain.INHERITED[name] for name in texts] == [1.0, 0.0, False, False, False, False]


def test_the_more_specific_section_counts_and_a_call_before_any(client: spikewire.Client) -> None:
    profile = Profile(
        "p",
        timeout=1,
        read={"timeout": 2, "replica": "any", "many": {"timeout": 3}},
        write={
            "timeout": 4,
            "many": {"timeout": 5, "ttl": 100},
            "not_retryable": {"timeout": 6},
        },
        query={"socket_timeout": 7},
        job={"timeout": 8},
    )
    view = client.with_profile(profile)
    for verb, timeout in [
        ("get", 2),
        ("exists", 2),
        ("get_many", 3),
        ("get_numpy", 3),
        ("put", 4),
        ("delete", 4),
        ("put_many", 5),
        ("add", 6),
        ("apply_many", 6),
        ("batch", 1),
        ("delete_all", 8),
    ]:
        assert view.explain(verb)["timeout"].value == timeout, verb
        assert view.explain(verb, timeout=99)["timeout"] == ("timeout", 99, "the call")
    assert view.explain("query")["timeout"] == ("timeout", 0.0, "the default")
    assert view.explain("query")["socket_timeout"].value == 7
    assert view.explain("put_many")["ttl"].source == "profile 'p', write.many.ttl"
    assert view.explain("put")["ttl"] == ("ttl", None, "the default")
    assert view.explain("operate", 1, [op.get("a")])["timeout"].value == 2
    assert view.explain("operate", 1, [op.put("a", 1)])["timeout"].value == 6
    assert view.explain("operate_many", [], [op.put("a", 1)])["timeout"].value == 6
    plain = client.with_profile(Profile()).explain("get")
    assert plain["timeout"] == ("timeout", 20, "the client")
    assert str(plain).splitlines()[0] == "timeout = 20  (the client)"


def test_explain_of_an_unknown_verb_raises(client: spikewire.Client) -> None:
    view = client.with_profile(Profile())
    with pytest.raises(ValueError, match="there is no verb 'fetch'; there are: get, "):
        view.explain("fetch")
    with pytest.raises(TypeError, match=r"get\(\) takes no option 'ttl'; it takes: default, "):
        view.explain("get", ttl=1)
    with pytest.raises(TypeError, match="timeout must be seconds"):
        view.explain("get", timeout="soon")
    with pytest.raises(ValueError, match="replica must be"):
        view.explain("get_numpy", [], [], replica="near")
    with pytest.raises(TypeError, match="send_key must be True or False"):
        view.explain("operate", 1, [op.put("a", 1)], send_key="yes")
    with pytest.raises(KeyError):
        view.explain("get")["ttl"]


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({"timeout": "soon"}, "p.timeout: timeout must be seconds as a number"),
        ({"speed": 1}, "p.speed: there is no option or section 'speed' here; options: buffers, "),
        ({"where": "$.a > 1"}, "p.where: there is no option"),
        ({"read": 1}, "p.read: it must be a section of options, not int"),
        ({"read": {"ttl": 1}}, "p.read.ttl: there is no option or section 'ttl' here; options: "),
        ({"read": {"retryable": {}}}, "p.read.retryable: there is no option"),
        ({"read": {"point": {"replica": "near"}}}, "p.read.point.replica: replica must be"),
        ({"write": {"ttl": 0}}, "p.write.ttl: "),
        ({"write": {"exists": "sometimes"}}, "p.write.exists: "),
        ({"send_key": "yes"}, "p.send_key: send_key must be True or False, not 'yes'"),
        ({"write": {"durable": 1}}, "p.write.durable: durable must be True or False, not 1"),
        ({"buffers": None}, "p.buffers: buffers must be True or False, not None"),
        ({"query": {"page_size": 0}}, "p.query.page_size: page_size must be"),
        ({"job": {"records_per_second": 0}}, "p.job.records_per_second: "),
        ({"batch": {"page_size": 1}}, "p.batch.page_size: there is no option"),
    ],
)
def test_a_mistake_names_section_and_option(options: Any, texts: str) -> None:
    with pytest.raises(ProfileError) as caught:
        Profile("p", **options)
    assert str(caught.value).startswith(texts)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.key) == (str(caught.value), texts.split(":")[0])


def test_a_derived_profile_adds_or_overrides_options(client: spikewire.Client) -> None:
    base = Profile("base", timeout=1, write={"ttl": 60})
    derived = base.derive("derived", write={"ttl": 90, "send_key": True})
    assert derived.options == {"timeout": 1, "write.ttl": 90, "write.send_key": True}
    assert base.options == {"timeout": 1, "write.ttl": 60}
    put = client.with_profile(derived).explain("put")
    assert put["timeout"].source == "profile 'base', timeout"
    assert put["ttl"].source == "profile 'derived', write.ttl"
    # `None` is the client's own value again.
    assert base.derive("own", timeout=None).options["timeout"] is None
    own = client.with_profile(base.derive("own", timeout=None)).explain("get")
    assert own["timeout"] == ("timeout", 20, "the client")


def test_calls_have_the_options(client: spikewire.Client) -> None:
    profile = Profile("p", write={"ttl": 1000, "send_key": True, "not_retryable": {"ttl": 2000}})
    users = client.with_profile(profile).dataset("test", "profiles")
    users.put("a", {"n": 1})
    ttl = users.get("a").ttl
    assert ttl is not None
    assert 900 < ttl <= 1000
    users.put("a", {"n": 1}, ttl=500)
    ttl = users.get("a").ttl
    assert ttl is not None
    assert ttl <= 500
    record = users.operate("a", [op.add("n", 1), op.get("n")])
    assert record["n"] == 2
    ttl = users.get("a").ttl
    assert ttl is not None
    assert 1900 < ttl <= 2000
    assert users.operate("a", [op.get("n")])["n"] == 2
    assert users.operate_many(["a"], [op.get("n")])[0] is not None
    assert [record.key.key for record in users.query()] == ["a"]
    assert users.submit.get("a").result()["n"] == 2
    assert not users.put_many({"b": {"n": 1}}).errors
    ttl = users.get("b").ttl
    assert ttl is not None
    assert 900 < ttl <= 1000
    with pytest.raises(TypeError, match="operations must be"):
        users.operate("a", 5)  # type: ignore[arg-type]


def test_an_option_of_the_call_wins_over_a_timeout(
    cluster: Cluster, client: spikewire.Client
) -> None:
    users = client.with_profile(Profile("p", read={"timeout": 0.02})).dataset("test", "slow")
    users.put("a", {"n": 1})
    cluster.inject(node=0, delay=0.2)
    try:
        with pytest.raises(spikewire.Timeout):
            users.get("a")
        assert users.get("a", timeout=30)["n"] == 1
        assert users.get("a", timeout=None)["n"] == 1  # the client's own
    finally:
        cluster.inject(node=0)


def test_verbs_without_profile_options_stay_native(client: spikewire.Client) -> None:
    users = client.with_profile(Profile("p", write={"ttl": 60})).dataset("test", "profiles")
    assert type(users.get) is BuiltinMethodType
    assert type(users.operate) is not BuiltinMethodType
    assert isinstance(users.put, partial)
    assert users.put is users.put


def test_concurrent_takes_verbs_of_views(client: spikewire.Client) -> None:
    view = client.with_profile(Profile("p", write={"ttl": 60}))
    users = view.dataset("test", "many")
    list(view.concurrent((users.put, n, {"n": n}) for n in range(10)))
    list(view.concurrent(partial(users.operate, n, [op.add("n", 1)]) for n in range(10)))
    values = list(view.concurrent((users.operate, n, [op.get("n")]) for n in range(10)))
    assert [record["n"] for record in values] == list(range(1, 11))
    ttl = users.get(1).ttl
    assert ttl is not None
    assert ttl <= 60
    with pytest.raises(TypeError, match="is not a verb of this client"):
        list(view.concurrent([(partial(print, "x"),)]))


def test_views_are_of_the_same_client(cluster: Cluster, client: spikewire.Client) -> None:
    profile, other = Profile("p", timeout=5), Profile("q", timeout=6)
    view = client.with_profile(profile)
    assert view.profile is profile
    assert view == client.with_profile(profile) != client.with_profile(other)
    assert view.with_profile(other).explain("get")["timeout"].value == 6
    assert view.nodes() == client.nodes()
    assert repr(view) == f"<{client!r} with profile 'p'>"
    users = view.dataset("test", "users")
    assert {users, view.dataset("test", "users")} == {users}
    assert (users.namespace, users.set) == ("test", "users")
    assert users.with_profile(other).explain("get")["timeout"].value == 6
    pickled = pickle.loads(pickle.dumps(users))
    assert pickled.explain("get") == users.explain("get")
    assert profiles.view(client.dataset("test", "users"), profile) == users
    for target in (view, 5):
        with pytest.raises(TypeError, match="a profile is for a client or a dataset, not"):
            profiles.view(target, profile)
    with pytest.raises(TypeError, match="profile must be a Profile, not dict"):
        client.with_profile({"timeout": 1})  # type: ignore[arg-type]
    with spikewire.Client(cluster.seeds) as mine:
        mine.with_profile(profile).close()
        assert not mine.is_connected


def test_a_view_in_a_block_is_the_view(cluster: Cluster) -> None:
    profile = Profile("p", write={"ttl": 60})
    with spikewire.Client(cluster.seeds, timeout=20).with_profile(profile) as view:
        assert view.profile is profile
        view.dataset("test", "blocks").put("a", {"n": 1})
        assert (view.dataset("test", "blocks").get("a").ttl or 999) <= 60
    assert not view.is_connected

    async def run() -> None:
        closed = spikewire.AsyncClient(cluster.seeds, timeout=20).with_profile(profile)
        async with closed as view:
            assert (await view.dataset("test", "blocks").get("a"))["n"] == 1
        assert not view.is_connected
        opened = spikewire.AsyncClient(cluster.seeds, timeout=20).with_profile(profile)
        assert await opened.open() is opened
        await opened.close()

    asyncio.run(run())


def test_views_are_copied_with_their_profile(client: spikewire.Client) -> None:
    view = client.with_profile(Profile("p", read={"timeout": 3}))
    users = view.dataset("test", "users")
    for original in (view, users):
        assert copy.copy(original) == original
    submit: Any = copy.copy(users.submit)
    assert submit.explain("get")["timeout"].value == 3
    copied = copy.deepcopy(users)
    assert copied.explain("get")["timeout"].value == 3
    with pytest.raises(TypeError, match="Client objects hold connections and cannot be pickled"):
        pickle.dumps(view)


def test_submit_explains_its_calls(client: spikewire.Client) -> None:
    users = client.with_profile(Profile("p", read={"timeout": 3})).dataset("test", "users")
    submit: Any = users.submit
    assert submit.explain("get", replica="any") == users.explain("get", replica="any")


def test_a_profile_has_a_name() -> None:
    with pytest.raises(TypeError, match="a profile's name must be str, not dict"):
        Profile({"timeout": 1})  # type: ignore[arg-type]


def test_sessions_of_the_builder_have_the_profile(client: spikewire.Client) -> None:
    profile = Profile("p", write={"ttl": 60, "not_retryable": {"ttl": 90}})
    view = client.with_profile(profile)
    users = view.dataset("test", "builder")
    for session in (view.session(), client.session(profile)):
        key = spikewire.Key("test", "builder", "a")
        session.upsert(key).set("n", 1).execute()
        ttl = users.get("a").ttl
        assert ttl is not None
        assert ttl <= 60
        session.upsert(key).add("n", 1).execute()
        ttl = users.get("a").ttl
        assert ttl is not None
        assert 60 < ttl <= 90
        for dataset in (users, client.dataset("test", "builder")):
            assert [record["n"] for record in session.query(dataset).to_list()] == [2]
    other = view.session(Profile("q", write={"ttl": 500}))
    other.upsert(spikewire.Key("test", "builder", "a")).set("n", 1).execute()
    assert (users.get("a").ttl or 0) > 90


def test_asynchronous_calls_follow_the_profile(cluster: Cluster) -> None:
    async def run() -> None:
        async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
            view = client.with_profile(Profile("p", write={"ttl": 60}))
            users = view.dataset("test", "asyncio")
            await asyncio.gather(*(users.put(n, {"n": n}) for n in range(10)))
            ttl = (await users.get(1)).ttl
            assert ttl is not None
            assert ttl <= 60
            assert len([record async for record in users.query()]) == 10
            calls = ((users.operate, n, [op.get("n")]) for n in range(10))
            assert [it["n"] async for it in view.concurrent(calls)] == list(range(10))
            assert users.explain("put")["ttl"].value == 60
            assert await view.info("namespaces") == "test"

    asyncio.run(run())


def test_rows_of_a_batch_take_the_options_of_reads_and_writes(client: spikewire.Client) -> None:
    profile = Profile(
        "rows",
        read={"read_mode": "all", "timeout": 20, "point": {"read_mode": "one"}},
        write={"ttl": 500, "many": {"send_key": True, "exists": "create"}},
        batch={"timeout": 10},
    )
    view = client.with_profile(profile)
    explained = view.explain("batch")
    assert explained["timeout"].value == 10
    assert explained["read_mode"].source == "profile 'rows', read.read_mode"
    assert explained["exists"].source == "profile 'rows', write.many.exists"
    data = view.dataset("test", "rows")
    rows = [
        spikewire.Write("a", {"n": 1}),
        spikewire.Write("b", {"n": 1}, ttl="never", exists="merge"),
        spikewire.Write("c", [op.put("n", 1)]),
        spikewire.Read("a"),
    ]
    data.batch(rows).raise_for_errors()
    again = data.batch(rows)
    assert {row: type(error) for row, error in again.errors.items()} == {
        0: spikewire.RecordExists,
        2: spikewire.RecordExists,
    }
    batch = client.dataset("test", "rows").get_many(["a", "b", "c"])
    assert [row is not None and row.ttl is not None for row in batch] == [True, False, True]
    values = {record.key.key for record in client.dataset("test", "rows").query()}
    assert values == {"a", "b", "c"}, "the user keys are stored"
    assert [row is None for row in data.batch([spikewire.Delete(key) for key in "abc"])] == [
        False
    ] * 3


def test_a_batch_checks_what_its_rows_inherit(client: spikewire.Client) -> None:
    data = client.dataset("test", "rows")
    for options, error in (
        ({"ttl": "soon"}, ValueError),
        ({"exists": "perhaps"}, ValueError),
        ({"read_mode": "any"}, ValueError),
        ({"read_touch": 101}, ValueError),
        ({"durable": 1}, TypeError),
    ):
        with pytest.raises(error, match=next(iter(options))):
            data.batch([], **options)


def test_a_client_without_a_profile_explains_itself(cluster: Cluster) -> None:
    with spikewire.Client(cluster.seeds, timeout=7, send_key=True) as client:
        explanation = client.explain("put", ("test", "a", 1), {"n": 1}, max_retries=4)
        assert explanation["timeout"] == ("timeout", 7.0, "the client")
        assert explanation["max_retries"] == ("max_retries", 4, "the call")
        assert explanation["send_key"] == ("send_key", True, "the client")
        assert client.explain("delete")["send_key"] == ("send_key", False, "the default")
        assert client.explain("query")["timeout"] == ("timeout", 0.0, "the default")
        assert "replica" in client.explain("operate", 1, [op.get("n")])
        assert client.with_profile(spikewire.Profile("p")).explain("get") == client.explain("get")
        with pytest.raises(ValueError, match="there is no verb 'fetch'"):
            client.explain("fetch")
        with pytest.raises(TypeError, match="takes no option 'speed'"):
            client.explain("get", speed=1)
        with pytest.raises(ValueError, match="replica"):
            client.explain("get", replica="nearest")
    # One that is not connected, too.
    waiting = spikewire.AsyncClient(cluster.seeds, timeout=6)
    assert waiting.explain("get")["timeout"] == ("timeout", 6.0, "the client")
    assert waiting.explain("get")["max_retries"] == ("max_retries", 2, "the default")
