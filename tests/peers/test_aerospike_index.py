"""Index queries of the official client against the embedded cluster."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from box import c_client

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")

from aerospike import exception as ae  # noqa: E402
from aerospike import predicates as p  # noqa: E402
from aerospike_helpers import cdt_ctx  # noqa: E402
from aerospike_helpers import expressions as ex  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

# The binding announces removals of calls; this server is as old as they are.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

COUNT = 400
_names = itertools.count()


@pytest.fixture(scope="module")
def peer(box: Any) -> Iterator[Any]:
    client = c_client(box.seeds)
    yield client
    client.close()


def point(longitude: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": [longitude, 50.0]}


def circle(longitude: float, metres: float) -> dict[str, Any]:
    return {"type": "AeroCircle", "coordinates": [[longitude, 50.0], metres]}


@pytest.fixture(scope="module")
def filled(peer: Any) -> str:
    """A set with bins of every type that can be indexed."""
    name = f"index{next(_names)}"
    for at in range(COUNT):
        bins = {
            "i": at,
            "s": f"s{at % 50}",
            "b": bytes([at % 7]),
            "l": [at, at + 1000, f"x{at % 10}"],
            "m": {f"k{at % 20}": at, "n": {"deep": at % 30}},
            "g": aerospike.GeoJSON(point(at / 10)),
            "r": aerospike.GeoJSON(circle(at / 10, 1000)),
        }
        peer.put(("test", name, at), bins)
    return name


@pytest.fixture
def index(peer: Any) -> Iterator[Any]:
    """Creates indexes that are deleted at the end. (The client itself waits a second for each.)"""
    created: list[str] = []

    def make(name: str, what: str) -> str:
        created.append(f"ix{next(_names)}")
        command = f"namespace=test;set={name};indexname={created[-1]};{what}"
        assert peer.info_random_node(f"sindex-create:{command}").rstrip().endswith("\tok")
        stat = f"sindex-stat:namespace=test;indexname={created[-1]}"
        while "load_pct=100" not in peer.info_random_node(stat):
            pass
        return created[-1]

    yield make
    for name in created:
        peer.info_random_node(f"sindex-delete:namespace=test;indexname={name}")


def results_of(peer: Any, name: str, *where: Any, policy: Any = None) -> list[int]:
    query = peer.query("test", name)
    query.where(*where)
    return sorted(bins["i"] for _, _, bins in query.results(policy))


def numbers(predicate: Any) -> list[int]:
    return [at for at in range(COUNT) if predicate(at)]


def test_indexes_on_integers_strings_and_blobs_are_queried(
    peer: Any, filled: str, index: Any
) -> None:
    index(filled, "bin=i;type=numeric")
    index(filled, "bin=s;type=string")
    index(filled, "bin=b;type=blob")
    assert results_of(peer, filled, p.between("i", 17, 99)) == list(range(17, 100))
    assert results_of(peer, filled, p.equals("i", 5)) == [5]
    assert results_of(peer, filled, p.equals("i", -5)) == []
    assert results_of(peer, filled, p.equals("s", "s7")) == numbers(lambda at: at % 50 == 7)
    assert results_of(peer, filled, p.equals("b", b"\x03")) == numbers(lambda at: at % 7 == 3)
    policy = {"expressions": ex.Eq(ex.IntBin("i") % 2, 0).compile()}
    assert results_of(peer, filled, p.between("i", 0, 20), policy=policy) == list(range(0, 21, 2))


def test_indexes_on_lists_and_maps_are_queried(peer: Any, filled: str, index: Any) -> None:
    index(filled, "bin=l;type=numeric;indextype=list")
    index(filled, "bin=l;type=string;indextype=list")
    index(filled, "bin=m;type=string;indextype=mapkeys")
    index(filled, "bin=m;type=numeric;indextype=mapvalues")
    of_list, of_keys = aerospike.INDEX_TYPE_LIST, aerospike.INDEX_TYPE_MAPKEYS
    of_values = aerospike.INDEX_TYPE_MAPVALUES
    assert results_of(peer, filled, p.contains("l", of_list, 1007)) == [7]
    assert results_of(peer, filled, p.range("l", of_list, 390, 1003)) == numbers(
        lambda at: at >= 390 or at <= 3
    )
    assert results_of(peer, filled, p.contains("l", of_list, "x4")) == numbers(
        lambda a: a % 10 == 4
    )
    assert results_of(peer, filled, p.contains("m", of_keys, "k3")) == numbers(
        lambda a: a % 20 == 3
    )
    assert results_of(peer, filled, p.range("m", of_values, 5, 9)) == [5, 6, 7, 8, 9]


def test_an_index_on_a_nested_value_is_queried(peer: Any, filled: str, index: Any) -> None:
    context = [cdt_ctx.cdt_ctx_map_key("n"), cdt_ctx.cdt_ctx_map_key("deep")]
    index(filled, f"bin=m;type=numeric;context={peer.get_cdtctx_base64(context)}")
    query = peer.query("test", filled)
    query.where(p.between("m", 4, 5), context)
    assert sorted(row[2]["i"] for row in query.results()) == numbers(lambda a: a % 30 in (4, 5))


def test_indexes_on_points_and_regions_are_queried(peer: Any, filled: str, index: Any) -> None:
    index(filled, "bin=g;type=geo2dsphere")
    index(filled, "bin=r;type=geo2dsphere")
    # A tenth of a degree is 7.1 km at this latitude.
    near = results_of(
        peer, filled, p.geo_within_geojson_region("g", json.dumps(circle(10, 15_000)))
    )
    assert near == [98, 99, 100, 101, 102]
    assert results_of(peer, filled, p.geo_within_radius("g", 10.0, 50.0, 8000)) == [99, 100, 101]
    assert results_of(peer, filled, p.geo_contains_point("r", 10.0, 50.0)) == [100]
    square = [[9.95, 49], [10.25, 49], [10.25, 51], [9.95, 51], [9.95, 49]]
    polygon = json.dumps({"type": "Polygon", "coordinates": [square]})
    assert results_of(peer, filled, p.geo_within_geojson_region("g", polygon)) == [100, 101, 102]


def test_polygons_with_holes_exclude_points(peer: Any, index: Any) -> None:
    name = f"holes{next(_names)}"
    for at in range(40):
        west = at / 2
        outer, inner = (
            [[west + d, 50 + d], [west + 4 - d, 50 + d], [west + 4 - d, 54 - d], [west + d, 54 - d]]
            for d in (0, 1)
        )
        rings = [[*ring, ring[0]] for ring in (outer, inner)]
        both = {"type": "Polygon", "coordinates": rings}
        peer.put(("test", name, at), {"i": at, "r": aerospike.GeoJSON(both)})
    # The space between the two squares is inside; here that is a degree to the west and the east.
    expected = [at for at in range(40) if abs(abs(10 - at / 2 - 2) - 1.5) < 0.5]
    scan = peer.query("test", name)
    spot = ex.Val(aerospike.GeoJSON({"type": "Point", "coordinates": [10, 52]}))
    filtered = ex.CmpGeo(ex.GeoBin("r"), spot).compile()
    scanned = sorted(row[2]["i"] for row in scan.results({"expressions": filtered}))
    index(name, "bin=r;type=geo2dsphere")
    assert results_of(peer, name, p.geo_contains_point("r", 10.0, 52.0)) == scanned
    assert expected
    assert set(expected) <= set(scanned)


def test_index_queries_take_pages_and_partitions(peer: Any, filled: str, index: Any) -> None:
    index(filled, "bin=i;type=numeric")
    query = peer.query("test", filled)
    query.where(p.between("i", 100, 299))
    query.max_records = 30
    query.paginate()
    met: list[int] = []
    while not query.is_done():
        met += [bins["i"] for _, _, bins in query.results()]
    assert sorted(met) == list(range(100, 300))
    met = []
    for begin in (0, 2048):
        policy = {"partition_filter": {"begin": begin, "count": 2048}}
        met += results_of(peer, filled, p.between("i", 100, 299), policy=policy)
    assert sorted(met) == list(range(100, 300))


def test_writes_are_seen_at_once(peer: Any, index: Any) -> None:
    name = f"index{next(_names)}"
    index(name, "bin=i;type=numeric")
    for at in range(100):
        peer.put(("test", name, at), {"i": at})
    assert results_of(peer, name, p.between("i", 0, 99)) == list(range(100))
    for at in range(0, 100, 2):
        peer.put(("test", name, at), {"i": at + 1000})
    peer.remove(("test", name, 1))
    assert results_of(peer, name, p.between("i", 0, 99)) == list(range(3, 100, 2))
    assert len(results_of(peer, name, p.between("i", 1000, 2000))) == 50


def test_an_index_on_an_expression_is_queried(peer: Any, filled: str, index: Any) -> None:
    expression = (ex.IntBin("i") * 3).compile()
    name = index(filled, f"exp={peer.get_expression_base64(expression)};type=numeric")
    query = peer.query("test", filled)
    query.where_with_index_name(name, p.between(None, 30, 36))
    assert sorted(row[2]["i"] for row in query.results()) == [10, 11, 12]
    query = peer.query("test", filled)
    query.where_with_expr(expression, p.between(None, 60, 62))
    assert [row[2]["i"] for row in query.results()] == [20]


def test_the_client_creates_indexes(peer: Any, filled: str) -> None:
    name = f"ix{next(_names)}"
    peer.index_list_create("test", filled, "l", aerospike.INDEX_NUMERIC, name)
    assert results_of(peer, filled, p.contains("l", aerospike.INDEX_TYPE_LIST, 1010)) == [10]
    with pytest.raises(ae.IndexFoundError):
        peer.index_single_value_create("test", filled, "s", aerospike.INDEX_STRING, name)
    peer.index_remove("test", name)
    with pytest.raises(ae.IndexNotFound):
        results_of(peer, filled, p.contains("l", aerospike.INDEX_TYPE_LIST, 1010))
