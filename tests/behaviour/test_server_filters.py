"""Text filters that nodes from 8.2 on read themselves, and choose an index for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import GeoJSON, between, exp
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Opened

COUNT = 200
NAMES = ["Ann", "O'Neil", "Zoé 😀", 'back\\slash "quoted"\n\t\x00']


@pytest.fixture(scope="module", params=["8.2", "8.1.2", "8.2,8.1.2"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    with Cluster(nodes=2, build=request.param) as cluster:
        fill(cluster)
        yield cluster


@pytest.fixture(scope="module")
def new() -> Iterator[Cluster]:
    """Nodes that all read texts."""
    with Cluster(nodes=2, build="8.2") as cluster:
        fill(cluster)
        yield cluster


def fill(cluster: Cluster) -> None:
    with spikewire.Client(cluster.seeds, connect_timeout=20) as client:
        users = client.dataset("test", "users")
        rows = {
            number: {"id": number, "age": number % 90, "name": NAMES[number % 4]}
            for number in range(COUNT)
        }
        users.put_many(rows)
        place = GeoJSON('{"type":"Point","coordinates":[13.4,52.5]}')
        users.put("somewhere", {"id": COUNT, "home": place})
        client.indexes.create("test", "users", "age", int)
        client.indexes.create("test", "users", "name", str)
        client.indexes.create("test", "users", "home", GeoJSON)


def ids(api: Api, query: Any) -> list[int]:
    return sorted(record["id"] for record in api.rows(query))


def plan_of(api: Api, query: Any) -> spikewire.QueryPlan:
    return api.settle(query.explain)


def users_of(opened: Opened) -> Any:
    return opened.dataset("test", "users").target


CASES: list[tuple[Any, Any]] = [
    ("$.age >= 85", lambda n: n % 90 >= 85),
    (("$.age > ?0 and $.age < ?1", 3, 6), lambda n: n % 90 in {4, 5}),
    *((("$.name == ?", name), lambda n, at=at: n % 4 == at) for at, name in enumerate(NAMES)),
    (("$.name == ?", "' or true or 'x' == '"), lambda _: False),
    ("$.age < 3 or $.name == 'Ann'", lambda n: n % 90 < 3 or n % 4 == 0),
    ("$.name =~ /^O'N/ and $.age < 10", lambda n: n % 4 == 1 and n % 90 < 10),
    ("$.age:INT in [1, 2] and $.id < 50", lambda n: n in {1, 2}),
    ("$.age > 5 and $.age < 3", lambda _: False),
]


@pytest.mark.parametrize(("where", "passes"), CASES)
def test_a_text_finds_the_same_records_on_every_server(
    api: Api, cluster: Cluster, where: Any, passes: Any
) -> None:
    expected = [number for number in range(COUNT) if passes(number)]
    with api.open(cluster.seeds) as opened:
        users = users_of(opened)
        assert ids(api, users.query(where=where)) == expected
        assert ids(api, users.query(where=where, server_filter=False)) == expected
        assert api.settle(users.query(where=where).count) == len(expected)
        assert len(api.settle(users.query(where=where, bins=["id"]).to_list)) == len(expected)


def test_a_plan_says_what_the_nodes_have_chosen(api: Api, new: Cluster) -> None:
    with api.open(new.seeds) as opened:
        users = users_of(opened)
        plan = plan_of(api, users.query(where=("$.age >= ?0", 18)))
        assert (plan.access, plan.on_server, plan.reason) == ("index", True, None)
        assert (plan.index, plan.bin, plan.of) == ("users_age", "age", None)
        assert plan.values == (18, 2**63 - 1)
        assert plan.text == "$.age >= 18"
        assert plan.node is not None
        expected = f'<QueryPlan: index "users_age" on "age", (18, {2**63 - 1}); chosen by a node>'
        assert repr(plan) == expected
        named = plan_of(api, users.query(where=("$.name == ? and $.age > 3", "Zoé 😀")))
        assert (named.index, named.values) == ("users_name", "Zoé 😀")
        region = GeoJSON('{"type":"AeroCircle","coordinates":[[13.4,52.5],1000]}')
        where = ("geoCompare($.home, ?0)", region)
        placed = plan_of(api, users.query(where=where))
        assert (placed.index, placed.values) == ("users_home", region)
        assert ids(api, users.query(where=where)) == [COUNT]
        scan = plan_of(api, users.query(where="$.id == 5 or $.age == 3"))
        assert (scan.access, scan.on_server, scan.index) == ("scan", True, None)
        never = plan_of(api, users.query(where="$.age > 5 and $.age < 3"))
        assert (never.access, never.on_server, never.values) == ("nothing", True, None)


def test_a_plan_says_why_a_filter_is_compiled_here(api: Api, new: Cluster) -> None:
    with api.open(new.seeds) as opened:
        users = users_of(opened)
        reasons = [
            (users.query(where="$.name =~ /^A/"), "a pattern (`=~`) has no form"),
            (users.query(where="$.age > 3", server_filter=False), "server_filter is off"),
            (users.query(where=exp.bin("age") > 3), "nodes choose an index only for a filter"),
            (users.query(), "nodes choose an index only for a filter"),
        ]
        for query, reason in reasons:
            plan = plan_of(api, query)
            assert (plan.access, plan.on_server, plan.text) == ("scan", False, None)
            assert plan.reason is not None
            assert plan.reason.startswith(reason)
        ranged = plan_of(api, users.query(where="$.id > 3", index=between("age", 1, 2)))
        assert (ranged.access, ranged.on_server, ranged.bin) == ("index", False, "age")
        assert (ranged.index, ranged.values) == (None, (1, 2))
        assert repr(ranged) == '<QueryPlan: index on "age", (1, 2); not chosen by a node>'


@pytest.mark.parametrize("build", ["8.1.2", "8.2,8.1.2"])
def test_an_older_node_is_named_and_never_asked(api: Api, build: str) -> None:
    with Cluster(nodes=2, build=build) as cluster, api.open(cluster.seeds) as opened:
        users = users_of(opened)
        plan = plan_of(api, users.query(where="$.age > 3", index="users_age"))
        assert (plan.access, plan.on_server, plan.node) == ("scan", False, None)
        assert plan.reason is not None
        assert "needs server 8.2; node BB9" in plan.reason
        with pytest.raises(spikewire.FeatureUnavailable, match=r"^require_index: "):
            api.rows(users.query(where="$.age > 3", require_index=True))


def test_hints_are_preferred_and_requirements_met_or_fail(api: Api, new: Cluster) -> None:
    with api.open(new.seeds) as opened:
        users = users_of(opened)
        where = "$.age > 3 and $.name == 'Ann'"
        assert plan_of(api, users.query(where=where)).index == "users_name"
        hinted = {"where": where, "index": "users_age"}
        assert plan_of(api, users.query(**hinted)).index == "users_age"
        assert ids(api, users.query(**hinted)) == ids(api, users.query(where=where))
        assert plan_of(api, users.query(**hinted, require_hint=True)).index == "users_age"
        assert plan_of(api, users.query(where=where, index="unknown")).index == "users_name"
        assert ids(api, users.query(where=where, require_index=True))
        for query in [
            users.query(where="$.id == 5", require_index=True),
            users.query(where=where, index="unknown", require_hint=True),
        ]:
            with pytest.raises(spikewire.IndexNotFound, match=r"^require_(index|hint): "):
                api.rows(query)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": "$.a == 1", "require_hint": True}, "require_hint: index must be the name"),
        ({"require_index": True}, "require_index: nodes choose an index only"),
        ({"where": exp.bin("a") == 1, "index": "i"}, "the name of an index: nodes choose"),
        ({"where": "$.s =~ /x/", "require_index": True}, "require_index: a pattern"),
        ({"where": "$.a == 1", "index": ""}, "the name of an index has 1 to 63 bytes, not 0"),
        (
            {"where": "$.a == 1", "index": between("a", 1, 2), "require_index": True},
            "require_index: the query names its range",
        ),
        (
            {"where": "$.a == 1", "server_filter": False, "require_index": True},
            "require_index: server_filter is off",
        ),
    ],
)
def test_what_nothing_can_grant_is_refused_at_once(
    api: Api, new: Cluster, options: dict[str, Any], message: str
) -> None:
    with api.open(new.seeds) as opened, pytest.raises(ValueError, match=message):
        users_of(opened).query(**options)


def test_options_must_be_of_their_type(new: Cluster) -> None:
    with spikewire.Client(new.seeds, connect_timeout=20) as client:
        users: Any = client.dataset("test", "users")
        for name in ("require_index", "require_hint", "server_filter"):
            with pytest.raises(TypeError, match=name):
                users.query(where="$.a == 1", **{name: 1})
        with pytest.raises(TypeError, match="index must come from"):
            users.query(where="$.a == 1", index=5)
        with pytest.raises(TypeError, match="index must come from"):
            users.delete_all(where="$.a == 1", index="users_age")
        with pytest.raises(ValueError, match="does not apply to an aggregation"):
            users.query(where="$.a == 1", index="users_age").aggregate("m", "f")


def test_the_builder_has_the_same_options(new: Cluster) -> None:
    with spikewire.Client(new.seeds, connect_timeout=20) as client:
        session, users = client.session(), client.dataset("test", "users")
        both = "$.age > 3 and $.name == 'Ann'"
        hinted = session.query(users).where(both).index("users_age").require_hint()
        assert hinted.stream().explain().index == "users_age"
        off = session.query(users).where(both).server_filter(False)
        assert off.stream().explain().access == "scan"
        with pytest.raises(spikewire.IndexNotFound):
            session.query(users).where("$.id == 5").require_index().count()


def test_pages_go_on_with_the_chosen_index(api: Api, new: Cluster) -> None:
    with api.open(new.seeds) as opened:
        users = users_of(opened)
        where = "$.age >= 45"
        whole = ids(api, users.query(where=where))
        page = api.page(users.query(where=where, page_size=20))
        seen = [record["id"] for record in page.records]
        rest = users.query(where=where, page_size=500, resume=page.cursor)
        plan = plan_of(api, rest)
        assert (plan.access, plan.index, plan.node) == ("index", "users_age", None)
        assert plan.reason is not None
        assert repr(plan).endswith("; as before>")
        seen += [record["id"] for record in api.rows(rest)]
        assert sorted(seen) == whole
        other = users.query(where="$.age >= 46", page_size=20)
        with pytest.raises(ValueError, match="it is from another query"):
            users.query(where="$.age >= 45", resume=api.page(other).cursor)


def test_columns_come_by_the_chosen_index(new: Cluster) -> None:
    pytest.importorskip("numpy")
    with spikewire.Client(new.seeds, connect_timeout=20) as client:
        users = client.dataset("test", "users")
        array = users.query(where="$.age >= 85").to_numpy([("id", "i8")])
        expected = [number for number in range(COUNT) if number % 90 >= 85]
        assert sorted(int(number) for number in array["id"]) == expected
