"""Sketches through the C client's helpers, compared with sets."""

from __future__ import annotations

from typing import Any

import pytest
from box import c_client, open_box

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")
from aerospike import exception  # noqa: E402
from aerospike_helpers.operations import hll_operations as hll  # noqa: E402
from aerospike_helpers.operations import operations as make  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

KEY = ("test", "hll", "k")


@pytest.fixture(scope="module")
def connected() -> Any:
    box = open_box(1)
    if box is None:
        pytest.skip("neither the extension nor spikewire-aerospike-server is built")
    client = c_client(box.seeds)
    yield client
    client.close()
    box.stop()


@pytest.fixture
def client(connected: Any) -> Any:
    policy = {"exists": aerospike.POLICY_EXISTS_CREATE_OR_REPLACE}
    connected.put(KEY, {"x": 1}, policy=policy)
    return connected


def run(client: Any, *operations: dict[str, Any]) -> list[Any]:
    return [result for _, result in client.operate_ordered(KEY, list(operations))[2]]


def check_rejected(client: Any, code: int, operation: dict[str, Any]) -> None:
    with pytest.raises(exception.AerospikeError) as caught:
        client.operate(KEY, [operation])
    assert caught.value.code == code, caught.value


def near(value: float, expected: float, share: float) -> None:
    assert abs(value - expected) <= expected * share, (value, expected)


@pytest.mark.parametrize("index", [4, 8, 12, 16])
@pytest.mark.parametrize("size", [1, 100, 5000])
def test_counts_are_within_the_documented_error(client: Any, index: int, size: int) -> None:
    names = [f"key{at}" for at in range(size)]
    run(client, hll.hll_add("h", names, index))
    (count, described) = run(client, hll.hll_get_count("h"), hll.hll_describe("h"))
    # Four times the documented standard error.
    near(count, size, 4 * 1.04 / 2 ** (index / 2))
    assert described == [index, 0]
    assert run(client, hll.hll_refresh_count("h")) == [count]
    assert run(client, hll.hll_add("h", names)) == [0]


@pytest.mark.parametrize("minhash", [None, 20])
def test_unions_and_intersections_are_within_their_error(client: Any, minhash: int | None) -> None:
    bits = [12] if minhash is None else [12, minhash]
    for name, start in [("a", 0), ("b", 2000)]:
        run(client, hll.hll_add(name, [f"key{at}" for at in range(start, start + 4000)], *bits))
    b = client.get(KEY)[2]["b"]
    union, common, share = run(
        client,
        hll.hll_get_union_count("a", [b]),
        hll.hll_get_intersect_count("a", [b]),
        hll.hll_get_similarity("a", [b]),
    )
    near(union, 6000, 0.07)
    near(common, 2000, 0.2)
    near(share, 1 / 3, 0.2)
    (merged,) = run(client, hll.hll_get_union("a", [b]))
    run(client, make.write("c", merged), hll.hll_set_union("a", [b]))
    a, c = run(client, hll.hll_get_count("a"), hll.hll_get_count("c"))
    assert a == c == union


def test_folding_and_init_keep_or_reset_counts(client: Any) -> None:
    names = [f"key{at}" for at in range(500)]
    run(client, hll.hll_init("h", 12), hll.hll_add("h", names), hll.hll_fold("h", 8))
    count, described = run(client, hll.hll_get_count("h"), hll.hll_describe("h"))
    near(count, 500, 0.26)
    assert described == [8, 0]
    run(client, hll.hll_init("h"))
    assert run(client, hll.hll_get_count("h"), hll.hll_describe("h")) == [0, [8, 0]]


def test_invalid_operations_are_rejected(client: Any) -> None:
    check_rejected(client, 26, hll.hll_add("h", ["a"]))
    check_rejected(client, 4, hll.hll_init("h", 3))
    check_rejected(client, 17, hll.hll_refresh_count("h"))
    check_rejected(client, 12, hll.hll_get_count("x"))
    run(client, hll.hll_init("h", 8))
    check_rejected(
        client, 6, hll.hll_init("h", 8, policy={"flags": aerospike.HLL_WRITE_CREATE_ONLY})
    )
    check_rejected(client, 26, hll.hll_fold("h", 10))
