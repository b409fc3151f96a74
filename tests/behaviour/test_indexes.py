"""Secondary indexes, and the queries that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import GeoJSON, around, between, contains, ctx, equal, exp, op, within
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from apis import Api, Opened

COUNT = 500
SQUARE = GeoJSON({"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]]})


def point(x: float, y: float) -> GeoJSON:
    return GeoJSON({"type": "Point", "coordinates": [x, y]})


class Indexed:
    """A set with indexes on most of its bins."""

    def __init__(self, client: Opened, name: str) -> None:
        self.api, self.client, self.name = client.api, client, name
        self.raw = client.raw.dataset("test", name)
        rows = {
            i: {
                "age": i % 50,
                "name": f"n{i % 10}",
                "blob": bytes([i % 5]),
                "tags": [i % 7, f"t{i % 3}"],
                "map": {f"k{i % 4}": i % 6},
                "at": point(i % 20, i % 20),
                "area": SQUARE if i % 2 else point(50, 50),
            }
            for i in range(COUNT)
        }
        client.dataset("test", name).put_many(rows, send_key=True).raise_for_errors()
        for bin_name, kind, of in (
            ("age", int, None),
            ("name", str, None),
            ("blob", bytes, None),
            ("tags", int, "list"),
            ("tags", str, "list"),
            ("map", str, "mapkeys"),
            ("map", int, "mapvalues"),
            ("at", GeoJSON, None),
            ("area", GeoJSON, None),
        ):
            name = f"{self.name}_{bin_name}_{of}_{kind.__name__}"
            assert self.call("create", "test", self.name, bin_name, kind, of=of, name=name) == name

    def call(self, verb: str, *args: Any, **options: Any) -> Any:
        method = getattr(self.client.raw.indexes, verb)
        return self.api.settle(lambda: method(*args, **options))

    def ids(self, **options: Any) -> list[int]:
        return sorted(record.key.key for record in self.api.rows(self.raw.query(**options)))


@pytest.fixture(scope="module")
def indexed(client: Opened) -> Indexed:
    return Indexed(client, f"ix{client.api.name}")


def test_integer_indexes_match_ranges_and_values(indexed: Indexed) -> None:
    expected = [i for i in range(COUNT) if 20 <= i % 50 <= 30]
    assert indexed.ids(index=between("age", 20, 30)) == expected
    assert indexed.ids(index=equal("age", 7)) == [i for i in range(COUNT) if i % 50 == 7]
    assert indexed.ids(index=between("age", 90, 99)) == []


def test_indexes_on_strings_blobs_lists_and_maps_are_queried(indexed: Indexed) -> None:
    assert indexed.ids(index=equal("name", "n3")) == [i for i in range(COUNT) if i % 10 == 3]
    assert indexed.ids(index=equal("blob", b"\x02")) == [i for i in range(COUNT) if i % 5 == 2]
    assert indexed.ids(index=contains("tags", 5)) == [i for i in range(COUNT) if i % 7 == 5]
    assert indexed.ids(index=contains("tags", "t1")) == [i for i in range(COUNT) if i % 3 == 1]
    ids = indexed.ids(index=contains("map", "k3", of="mapkeys"))
    assert ids == [i for i in range(COUNT) if i % 4 == 3]
    ids = indexed.ids(index=between("map", 4, 5, of="mapvalues"))
    assert ids == [i for i in range(COUNT) if i % 6 >= 4]


def test_geo_indexes_match_points_in_regions(indexed: Indexed) -> None:
    ids = indexed.ids(index=within("at", SQUARE))
    inside = [i for i in range(COUNT) if 1 <= i % 20 <= 8]
    assert set(inside) <= set(ids) <= {i for i in range(COUNT) if i % 20 <= 9}
    ids = indexed.ids(index=around("area", point(3, 3)))
    assert ids == [i for i in range(COUNT) if i % 2]


def test_an_index_is_selected_by_its_name(indexed: Indexed) -> None:
    name = f"{indexed.name}_age_None_int"
    assert indexed.ids(index=equal(None, 7, name=name)) == indexed.ids(index=equal("age", 7))


def test_index_queries_take_all_other_options(indexed: Indexed) -> None:
    expected = [i for i in range(COUNT) if i % 50 < 10 and i % 10 == 3]
    options = {"index": between("age", 0, 9), "where": "$.name == 'n3'"}
    assert indexed.ids(**options, bins=["age"]) == expected
    assert len(indexed.ids(**options, limit=5)) == 5
    cursor, seen = None, []
    while True:
        query = indexed.raw.query(**options, page_size=7, resume=cursor)
        page = indexed.api.page(query)
        seen += [record.key.key for record in page]
        cursor = page.cursor
        if page.done:
            break
    assert sorted(seen) == expected


def test_indexes_are_listed_and_dropped(indexed: Indexed, set_name: str) -> None:
    name = indexed.call("create", "test", set_name, "a", int, of="list")
    assert name == f"{set_name}_a_list"
    assert indexed.call("create", "test", set_name, "a", int, of="list") == name
    (listed,) = [index for index in indexed.call("list", "test") if index.name == name]
    assert listed == (name, "test", set_name, "a", "numeric", "list", True)
    with pytest.raises(spikewire.ServerError) as caught:
        indexed.call("create", "test", set_name, "b", int, name=name)
    assert caught.value.code == 200
    indexed.call("drop", "test", set_name, name)
    indexed.call("drop", "test", set_name, name)
    assert name not in {index.name for index in indexed.call("list", "test")}
    with pytest.raises(spikewire.ServerError) as caught:
        indexed.api.rows(indexed.client.raw.query("test", set_name, index=contains("a", 1)))
    assert caught.value.code == 201
    with pytest.raises(spikewire.Timeout, match=f"index {name} was not ready"):
        indexed.call("wait", "test", name, timeout=0.1)


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("test", "s", "a", float), {}, TypeError, "kind must be int, str, bytes"),
        (("test", "s", "a" * 16, int), {}, ValueError, "bin must have from 1 to 15 bytes"),
        (("test", "s;x", "a", int), {}, ValueError, "set must have from 1 to 63 bytes"),
        (("test", "s", "a", int), {"name": ""}, ValueError, "name must have from 1 to 63"),
        (("test", 5, "a", int), {"name": "x"}, TypeError, "set must be str, not int"),
        (("test", "s", "a", int), {"of": "set"}, ValueError, "of must be 'list'"),
        (("none", "s", "a", int), {}, spikewire.NamespaceNotFound, r"namespace .none. is not in"),
    ],
)
def test_invalid_indexes_raise(
    indexed: Indexed, arguments: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        indexed.call("create", *arguments, **options)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: between("a", 2, 1), ValueError, "low must not be greater than high"),
        (lambda: between("a", 1, 1 << 63), OverflowError, "high: .* does not fit 64 bits"),
        (lambda: between("a", 1.0, 2), TypeError, "low must be int, not float"),  # type: ignore[arg-type]
        (lambda: between("a" * 16, 1, 2), ValueError, "limit is 15"),
        (lambda: between(None, 1, 2), ValueError, "by its bin, or by name= alone"),
        (lambda: between("a", 1, 2, name="n"), ValueError, "not both"),
        (lambda: between("a", 1, 2, of="keys"), ValueError, "of must be 'list'"),  # type: ignore[arg-type]
        (lambda: equal("a", 1.5), TypeError, "value must be int, str or bytes, not float"),  # type: ignore[arg-type]
        (lambda: equal("a", True), TypeError, "value must be int, str or bytes, not bool"),
        (lambda: equal("a", "x" * 2048), ValueError, "value has 2048 bytes"),
        (lambda: equal(None, 1, name="n" * 64), ValueError, "name must have from 1 to 63"),
        (lambda: within("a", "{}"), TypeError, "the place must be GeoJSON, not str"),  # type: ignore[arg-type]
    ],
)
def test_invalid_ranges_raise(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_ranges_show_and_compare() -> None:
    assert repr(between("age", 1, 2, of="list")) == "spikewire.between('age', 1, 2, of='list')"
    assert repr(equal(None, "x", name="n")) == "spikewire.equal(None, 'x', name='n')"
    assert between("age", 1, 2) == between("age", 1, 2) != between("age", 1, 3)
    assert len({between("age", 1, 2), between("age", 1, 2), equal("age", 1)}) == 2


def test_index_queries_survive_a_dead_node(api: Api) -> None:
    with (
        Cluster(nodes=3) as cluster,
        api.open(cluster.seeds, timeout=60, tend_interval=0.1) as client,
    ):
        assert cluster.wait_settled()
        data = client.dataset("test", "a")
        rows = {i: {"n": i % 100, "b": b"x" * 5000} for i in range(3000)}
        data.put_many(rows, send_key=True).raise_for_errors()
        indexes = client.raw.indexes
        api.settle(lambda: indexes.create("test", "a", "n", int))
        query = client.raw.query("test", "a", index=between("n", 0, 79))
        seen = [record.key.key for record in api.some(query, 300)]
        cluster.kill(1)
        seen += [record.key.key for record in api.rows(query)]
        assert sorted(seen) == [i for i in range(3000) if i % 100 < 80]


def test_a_query_without_its_index_gives_advice(client: Opened, set_name: str) -> None:
    raw = client.raw.dataset("test", set_name)
    client.api.settle(lambda: raw.put(1, {"n": 1}))
    with pytest.raises(spikewire.IndexNotFound, match="filter with where=") as caught:
        everything(client.api, raw.query(index=between("n", 1, 2)))
    assert caught.value.code == 201


@pytest.mark.any_api
@pytest.mark.parametrize(
    "index",
    [
        between("nothing", 1, 2),
        equal(None, 1, name="nothing"),
        # These bins have indexes, but of other value types, or not of what is in a list.
        equal("age", "seven"),
        equal("name", 7),
        within("age", SQUARE),
        contains("age", 7),
        between("map", 1, 2, of="mapkeys"),
        equal("age", 7, ctx=[ctx.map_key("deep")]),
        equal(exp.bin("age", int) + 1, 7),
    ],
    ids=repr,
)
@pytest.mark.parametrize("way", ["records", "page", "arrow", "numpy", "aggregate", "job"])
def test_an_index_that_does_not_fit(indexed: Indexed, index: Any, way: str) -> None:
    api, raw = indexed.api, indexed.raw
    ways = {
        "records": lambda: everything(api, raw.query(index=index)),
        "page": lambda: api.page(raw.query(index=index, page_size=5)),
        "arrow": lambda: everything(api, raw.query(index=index).arrow_batches()),
        "numpy": lambda: everything(api, raw.query(index=index).numpy_batches([("age", "i8")])),
        "aggregate": lambda: api.settle(lambda: raw.query(index=index).aggregate("indexes", "all")),
        "job": lambda: api.settle(lambda: raw.operate_all([op.touch()], index=index)),
    }
    source = "function all(stream) return stream : map(function(rec) return rec.age end) end"
    indexed.client.api.settle(lambda: indexed.client.raw.modules.register("indexes.lua", source))
    with pytest.raises(spikewire.IndexNotFound, match="index") as caught:
        ways[way]()
    assert caught.value.code == 201
    assert indexed.ids(index=equal("age", 7)) == [i for i in range(COUNT) if i % 50 == 7]


def test_values_of_other_types_are_left_out(client: Opened, set_name: str) -> None:
    api, raw, indexes = client.api, client.raw.dataset("test", set_name), client.raw.indexes
    api.settle(lambda: indexes.create("test", set_name, "v", int, name=set_name))
    values = [7, "7", b"7", 7.0, True, [7], {"7": 7}, SQUARE, 7]
    client.dataset("test", set_name).put_many({i: {"v": v, "i": i} for i, v in enumerate(values)})
    assert sorted(record["i"] for record in everything(api, raw.query(index=equal("v", 7)))) == [
        0,
        8,
    ]
    # Given by name, the index is used for any range; it has no such values.
    assert everything(api, raw.query(index=equal(None, "7", name=set_name))) == []


def test_cursors_belong_to_their_range(indexed: Indexed) -> None:
    query = indexed.raw.query(index=between("age", 1, 9))
    indexed.api.some(query, 5)
    for other in (None, between("age", 1, 8), equal("age", 7), equal("name", "n1")):
        with pytest.raises(ValueError, match="it is from another query"):
            indexed.raw.query(index=other, resume=query.cursor)
    for cut in (1, 20, 28, 32):
        with pytest.raises(ValueError, match="resume: the cursor cannot be used"):
            indexed.raw.query(index=between("age", 1, 9), resume=query.cursor[:-cut])


def test_indexes_on_nested_values_and_expressions_are_queried(
    client: Opened, set_name: str
) -> None:
    api, raw = client.api, client.raw.dataset("test", set_name)
    rows = {n: {"a": n, "b": n * 2, "m": {"deep": [n % 7, n % 3]}} for n in range(100)}
    api.settle(lambda: raw.put_many(rows))
    indexes = client.raw.indexes
    way = [ctx.map_key("deep")]
    both = exp.bin("a", int) + exp.bin("b", int)
    nested, summed = f"{set_name}_deep", f"{set_name}_sum"
    api.settle(lambda: indexes.create("test", set_name, "m", int, of="list", name=nested, ctx=way))
    api.settle(lambda: indexes.create("test", set_name, both, int, name=summed))

    def found(index: Any) -> list[int]:
        query = raw.query(index=index)
        return sorted(record["a"] for record in everything(api, query))

    assert found(contains("m", 5, ctx=way)) == [n for n in range(100) if n % 7 == 5]
    assert found(between(both, 30, 36)) == [10, 11, 12]
    assert found(between(None, 30, 36, name=summed)) == [10, 11, 12]
    condition = between("m", 1, 2, of="list", ctx=way)
    assert repr(condition).endswith("of='list', ctx=[ctx.map_key('deep')])")
    with pytest.raises(ValueError, match="needs a name"):
        api.settle(lambda: indexes.create("test", set_name, both, int))
    with pytest.raises(ValueError, match="needs a name"):
        api.settle(lambda: indexes.create("test", set_name, "m", int, ctx=way))
    with pytest.raises(ValueError, match="ctx goes with a bin"):
        between(both, 1, 2, ctx=way)
    with pytest.raises(TypeError, match="ctx"):
        between("m", 1, 2, ctx="deep")  # type: ignore[arg-type]
    for name in (nested, summed):
        api.settle(lambda name=name: indexes.drop("test", set_name, name))  # type: ignore[misc]


def test_an_index_on_a_set(api: Api, client: Opened, set_name: str) -> None:
    settle, indexes = api.settle, client.raw.indexes
    data = client.dataset("test", set_name)
    data.put_many({n: {"n": n} for n in range(20)}).raise_for_errors()
    for _ in range(2):
        assert settle(lambda: indexes.create_on_set("test", set_name)) == f"{set_name}_set"
    listed = settle(lambda: indexes.list("test"))
    assert (f"{set_name}_set", "test", set_name, None, "", "set", True) in listed
    assert f":set={set_name}:indextype=set" in settle(lambda: client.raw.info("sindex-list:"))
    assert len(api.rows(client.raw.query("test", set_name))) == 20
    settle(lambda: indexes.drop("test", set_name, f"{set_name}_set"))
    # With a name, and without waiting.
    name = settle(lambda: indexes.create_on_set("test", set_name, name="mine", wait=False))
    assert name == "mine"
    settle(lambda: indexes.wait("test", "mine"))
    settle(lambda: indexes.drop("test", set_name, "mine"))
    with pytest.raises(spikewire.NamespaceNotFound):
        settle(lambda: indexes.create_on_set("nowhere", set_name))
    for arguments, message in (
        (("test", ""), "set"),
        (("test", "s", 1), "positional"),
        (("te;st", "s"), "namespace"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            settle(lambda arguments=arguments: indexes.create_on_set(*arguments))  # type: ignore[misc]
    with pytest.raises(TypeError, match="set must be"):
        settle(lambda: indexes.create_on_set("test", None))


def test_sets_with_an_index_of_their_own(api: Api) -> None:
    with Cluster(nodes=2, indexed_sets=["few"]) as cluster, api.open(cluster.seeds) as client:
        few, many = client.dataset("test", "few"), client.dataset("test", "many")
        many.put_many({n: {"n": n} for n in range(500)}).raise_for_errors()
        few.put_many({n: {"n": n} for n in range(50)}, send_key=True).raise_for_errors()
        ask = lambda command: api.settle(lambda: client.raw.info(command))  # noqa: E731
        assert "enable-index=true" in ask("sets/test/few")
        assert "enable-index=false" in ask("sets/test/many")
        rows = api.rows(client.raw.query("test", "few"))
        assert sorted(record.key.key for record in rows) == list(range(50))
        # Under a name, it is listed.
        api.settle(lambda: client.raw.indexes.create_on_set("test", "few", name="all"))
        listed = api.settle(lambda: client.raw.indexes.list("test"))
        assert listed == [("all", "test", "few", None, "", "set", True)]
        assert len(api.rows(client.raw.query("test", "few"))) == 50
        api.settle(lambda: client.raw.indexes.drop("test", "few", "all"))
        assert len(api.rows(client.raw.query("test", "few"))) == 50
    with pytest.raises(TypeError, match="indexed_sets must be a list of names of sets"):
        Cluster(indexed_sets="few")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="indexed set"):
        Cluster(indexed_sets=[""])


def everything(api: Api, query: Any) -> list[Any]:
    if api.is_blocking:
        return list(query)

    async def collect() -> list[Any]:
        return [record async for record in query]

    return api.settle(collect)
