"""Everything that a newer server can do, asked of older ones and of clusters where only some are
newer: the error names what is missing, and no node receives anything.

A feature without an example here fails ``test_every_feature_has_examples``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Delete, Read, Write, ctx, exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api, Caller

B, L, M = exp.bin("b", str), exp.bin("l", list), exp.bin("m", dict)
ALL = ctx.all_children()
#: Changes one element of a map inside a list; every server has it.
DEEP = [ctx.list_index(0), ctx.map_key("k")]

STRING_OPERATIONS = [
    op.string.length("b"),
    op.string.substring("b", 1),
    op.string.char_at("b", 0),
    op.string.find("b", "x"),
    op.string.contains("b", "x"),
    op.string.starts_with("b", "x"),
    op.string.ends_with("b", "x"),
    op.string.to_int("b"),
    op.string.to_float("b"),
    op.string.byte_length("b"),
    op.string.is_numeric("b"),
    op.string.is_upper("b"),
    op.string.is_lower("b"),
    op.string.to_blob("b"),
    op.string.split("b"),
    op.string.from_base64("b"),
    op.string.matches("b", "x"),
    op.string.to_text("b"),
    op.string.insert("b", 0, "x"),
    op.string.overwrite("b", 0, "x"),
    op.string.concat("b", ["x"]),
    op.string.snip("b", 0),
    op.string.replace("b", "x", "y"),
    op.string.replace_all("b", "x", "y"),
    op.string.upper("b"),
    op.string.lower("b"),
    op.string.fold_case("b"),
    op.string.normalize("b"),
    op.string.trim("b"),
    op.string.trim_start("b"),
    op.string.trim_end("b"),
    op.string.pad_start("b", 9, "x"),
    op.string.pad_end("b", 9, "x"),
    op.string.repeat("b", 2),
    op.string.replace_matches("b", "x", "y"),
    op.string.append("b", "x"),
    op.string.prepend("b", "x"),
]
STRING_EXPRESSIONS = [
    exp.string.length(B) == 1,
    exp.string.substring(B, 1) == "x",
    exp.string.char_at(B, 0) == "x",
    exp.string.find(B, "x") == 1,
    exp.string.contains(B, "x"),
    exp.string.starts_with(B, "x"),
    exp.string.ends_with(B, "x"),
    exp.string.to_int(B) == 1,
    exp.string.to_float(B) == 1.0,
    exp.string.byte_length(B) == 1,
    exp.string.is_numeric(B),
    exp.string.is_upper(B),
    exp.string.is_lower(B),
    exp.string.to_blob(B) == b"x",
    exp.string.split(B) == ["x"],
    exp.string.from_base64(B) == b"x",
    exp.string.matches(B, "x"),
    exp.string.insert(B, 0, "x") == "x",
    exp.string.overwrite(B, 0, "x") == "x",
    exp.string.concat(B, ["x"]) == "x",
    exp.string.snip(B, 0) == "x",
    exp.string.replace(B, "x", "y") == "x",
    exp.string.replace_all(B, "x", "y") == "x",
    exp.string.upper(B) == "X",
    exp.string.lower(B) == "x",
    exp.string.fold_case(B) == "x",
    exp.string.normalize(B) == "x",
    exp.string.trim(B) == "x",
    exp.string.trim_start(B) == "x",
    exp.string.trim_end(B) == "x",
    exp.string.pad_start(B, 9, "x") == "x",
    exp.string.pad_end(B, 9, "x") == "x",
    exp.string.repeat(B, 2) == "x",
    exp.string.replace_matches(B, "x", "y") == "x",
    exp.string.append(B, "x") == "x",
    exp.string.prepend(B, "x") == "x",
]
#: The steps of paths that came after the others.
LATER_STEPS = [[ctx.map_keys_in(["a"])], [ctx.map_key("a"), ctx.and_where("@ > 1")]]

#: Operations that need a feature, and expressions that are true or false, by its name.
EXAMPLES: dict[str, tuple[list[spikewire.Operation], list[Any]]] = {
    "paths": (
        [
            op.path.select("l", [ALL]),
            op.path.select("l", [*DEEP, ALL], returning="tree", no_fail=True),
            op.path.modify("l", [ALL], "@ + 1"),
            op.path.remove("l", [ctx.all_children("@ > 1")]),
            op.read("r", "$.l.[*].modify(@ + @index)"),
            op.write("w", exp.path.select(L, [ALL])),
        ],
        [
            "$.l.[?(@ > 1)].exists()",
            exp.list.size(exp.path.remove(L, [ALL])) == 0,
            exp.list.size(exp.path.modify(L, [ALL], "@ + 1")) == 0,
            (exp.bin("n", int) == 1) | (exp.list.size(exp.path.select(M, [ALL])) == 0),
        ],
    ),
    "path_keys": (
        [
            *(op.path.select("m", steps) for steps in LATER_STEPS),
            *(op.path.remove("m", steps) for steps in LATER_STEPS),
            op.read("r", exp.map_keys(M)),
            op.read("r", exp.map_values(M)),
            op.write("w", exp.value(1).is_in(L)),
        ],
        [
            exp.value(1).is_in(L),
            exp.list.size(exp.map_keys(M)) == 1,
            exp.list.size(exp.map_values(M)) == 1,
            *(exp.list.size(exp.path.select(M, steps)) == 1 for steps in LATER_STEPS),
        ],
    ),
    "strings": (
        [
            *STRING_OPERATIONS,
            op.string.upper("l", ctx=DEEP),
            op.list.join("l", ","),
            op.bit.base64("x"),
            op.read("r", exp.string.upper(B)),
            op.write("w", exp.list.join(L)),
            op.read("r", "$.b.substr(0, 3).lower()"),
        ],
        [
            *STRING_EXPRESSIONS,
            exp.list.join(L) == "x",
            exp.bit.base64(exp.bin("x", bytes)) == "x",
            exp.bin("n", int).to_text() == "1",
            "$.b.substr(0, 3).lower() == 'x'",
        ],
    ),
}
#: The last version without a feature.
BEFORE = {"paths": "8.1.0", "path_keys": "8.1.1", "strings": "8.1.2"}
#: What such nodes do without: they are asked for it only where they have it.
UNASKED = {"compression", "error_details"}
#: Features of the Enterprise Edition.
OF_EDITION = {"transactions"}
#: No call sends text; the Rust client's test has some that a program brings along.
UNUSED = {"text_filters"}

CASES = [
    (feature, build)
    for feature, last in BEFORE.items()
    for build in (last, "8.0.0", f"8.2,{last}", f"{last},8.2")
    # 8.0 lacks paths altogether.
    if (feature, build) != ("path_keys", "8.0.0")
]


class Requests:
    """What a cluster's nodes have received, other than info requests."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._nodes = cluster, range(len(cluster.addresses))
        self._before = self.count()

    def count(self) -> int:
        return sum(self._cluster.stats(node)["requests"] for node in self._nodes)

    def expect(self, more: int, what: object) -> None:
        """Fails unless there were so many more."""
        assert self.count() - self._before == more, what


def test_every_feature_has_examples() -> None:
    """A feature that no example asks for could be sent to servers that lack it."""
    with (
        Cluster(build="8.2", edition="enterprise") as cluster,
        spikewire.Client(cluster.seeds) as client,
    ):
        (node,) = client.nodes()
    assert set(node.features) == set(EXAMPLES) | UNASKED | OF_EDITION | UNUSED
    assert EXAMPLES.keys() == BEFORE.keys()
    for module, examples in ((op.string, STRING_OPERATIONS), (exp.string, STRING_EXPRESSIONS)):
        assert len(examples) == len(module.__all__)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request: pytest.FixtureRequest) -> Iterator[tuple[str, Cluster]]:
    feature, build = request.param
    with Cluster(1 + build.count(","), build=build) as cluster:
        assert cluster.wait_settled()
        yield feature, cluster


@pytest.fixture
def data(api: Api, case: tuple[str, Cluster]) -> Iterator[Caller]:
    with api.open(case[1].seeds) as client:
        yield client.dataset("test", "older")


def check(error: object, feature: str, what: object) -> None:
    since = {"paths": "8.1.1", "path_keys": "8.1.2"}.get(feature, "8.2")
    assert isinstance(error, spikewire.FeatureUnavailable), (what, error)
    assert f"needs server {since}; node BB9" in error.message, what
    assert not error.in_doubt


def refuse(feature: str, call: Callable[[], Any], what: object) -> None:
    with pytest.raises(spikewire.FeatureUnavailable) as caught:
        call()
    check(caught.value, feature, what)


def is_refused(data: Caller, key: str, where: Any) -> bool:
    try:
        data.exists(key, where=where)
    except spikewire.FeatureUnavailable:
        return True
    return False


def of_older_node(data: Caller, where: Any) -> str:
    """A key whose node lacks what the filter needs, the first one: those before it were sent."""
    return next(key for key in map(str, range(1000)) if is_refused(data, key, where))


def check_operation(feature: str, api: Api, data: Caller, key: str, one: Any) -> None:
    """Every call that takes the operation refuses it."""
    row: Any = Write(key, [one]) if one.writes else Read(key, ops=[one])
    refuse(feature, lambda: data.operate(key, [op.get("n"), one]), one)
    for rows in (data.operate_many([key], [one]), data.batch([row])):
        (error,) = rows.errors.values()
        check(error, feature, one)
    if one.writes:
        refuse(feature, lambda: data.operate_all([one]), one)
    else:
        refuse(feature, lambda: api.rows(data.target.query(operations=[one])), one)


def single_calls(api: Api, data: Caller, key: str, where: Any) -> list[Callable[[], Any]]:
    """Every call with a filter that fails as a whole."""
    add = [op.add("n", 1)]
    return [
        lambda: data.get(key, where=where),
        lambda: data.exists(key, where=where),
        lambda: data.put(key, {"n": 2}, where=where),
        lambda: data.add(key, {"n": 1}, where=where),
        lambda: data.append(key, {"b": "x"}, where=where),
        lambda: data.prepend(key, {"b": "x"}, where=where),
        lambda: data.touch(key, where=where),
        lambda: data.delete(key, where=where),
        lambda: data.operate(key, add, where=where),
        lambda: data.apply(key, "module", "function", where=where),
        lambda: data.delete_all(where=where),
        lambda: data.touch_all(where=where),
        lambda: data.operate_all(add, where=where),
        lambda: data.apply_all("module", "function", where=where),
        lambda: api.rows(data.target.query(where=where)),
        lambda: api.settle(data.target.query(where=where).count),
    ]


def calls_with_rows(data: Caller, key: str, where: Any) -> list[Callable[[], Any]]:
    """Every call with a filter whose rows fail."""
    return [
        lambda: data.get_many([key], where=where),
        lambda: data.exists_many([key], where=where),
        lambda: data.put_many([(key, {"n": 2})], where=where),
        lambda: data.delete_many([key], where=where),
        lambda: data.operate_many([key], [op.add("n", 1)], where=where),
        lambda: data.apply_many([key], "module", "function", where=where),
        lambda: data.batch([Read(key, where=where)]),
        lambda: data.batch([Write(key, {"n": 2}, where=where)]),
        lambda: data.batch([Delete(key, where=where)]),
    ]


def test_operations_are_not_sent(api: Api, case: tuple[str, Cluster], data: Caller) -> None:
    feature, cluster = case
    operations, expressions = EXAMPLES[feature]
    requests = Requests(cluster)
    key = of_older_node(data, expressions[0])
    data.put(key, {"b": "text", "l": [1]})
    for one in operations:
        check_operation(feature, api, data, key, one)
    assert data.get(key, ["b", "l"]).bins == {"b": "text", "l": [1]}
    requests.expect(int(key) + 2, "only the search for a key, a write and a read were sent")


def test_filters_are_not_sent(api: Api, case: tuple[str, Cluster], data: Caller) -> None:
    feature, cluster = case
    filters = EXAMPLES[feature][1]
    requests = Requests(cluster)
    key = of_older_node(data, filters[0])
    data.put(key, {"n": 1})
    for where in filters:
        for at, call in enumerate(single_calls(api, data, key, where)):
            refuse(feature, call, (where, at))
        for at, call in enumerate(calls_with_rows(data, key, where)):
            (error,) = call().errors.values()
            check(error, feature, (where, at))
    assert data.get(key, ["n"]).bins == {"n": 1}
    requests.expect(int(key) + 2, "only the search for a key, a write and a read were sent")


@pytest.mark.parametrize("build", ["8.0.0", "8.1.2"])
def test_values_that_look_like_newer_expressions_are_sent(api: Api, build: str) -> None:
    """On the wire `x.to_text()` is [99, x], and a list of the caller's can be just that."""
    with Cluster(build=build) as cluster, api.open(cluster.seeds) as client:
        data = client.dataset("test", "older")
        data.put("k", {"m": {"k": []}, "l": []})
        at = [ctx.map_key("k")]
        operations = [
            op.list.append_items("m", [99, 100], ctx=at),
            op.list.insert_items("m", 0, [100, 101], ctx=at),
            op.list.append("m", [128, "$.n == 1"], ctx=at),
            op.list.append_items("l", [122, 0]),
            op.list.get_by_value_list("m", [9, 1], ctx=at),
        ]
        assert data.operate("k", operations).results == (2, 4, 5, 2, [])
        assert data.get("k").bins == {
            "m": {"k": [100, 101, 99, 100, [128, "$.n == 1"]]},
            "l": [122, 0],
        }


@pytest.mark.parametrize("build", ["8.1.2", "8.2"])
def test_what_only_the_other_edition_has(api: Api, build: str) -> None:
    """Transactions are refused, and requests stay as they are: nodes end connections on others."""
    with Cluster(build=build) as cluster, api.open(cluster.seeds) as client:
        data = client.dataset("test", "older")
        requests = Requests(cluster)
        txn = client.raw.transaction()
        inside = data.target.within(txn)
        calls: list[Callable[[], Any]] = [
            lambda: api.settle(lambda: inside.get("k")),
            lambda: api.settle(lambda: inside.put("k", {"n": 1})),
            lambda: api.settle(lambda: inside.delete("k")),
            lambda: api.settle(lambda: inside.operate("k", [op.add("n", 1)])),
        ]
        for call in calls:
            with pytest.raises(
                spikewire.FeatureUnavailable, match=r"needs server 8\.0 Enterprise Edition"
            ):
                call()
        requests.expect(0, "a call of a transaction was sent")
        data.put("k", {"b": "text" * 1000}, compress=True)
        assert data.get("k", compress=True).bins == {"b": "text" * 1000}
        requests.expect(2, "both were sent")
        assert cluster.stats(0)["compressed_requests"] == 0
