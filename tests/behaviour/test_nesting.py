"""Servers from 8.2 on take lists and maps of 64 levels; more is refused before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Apply, Write, exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api

LIMIT = 64

SOURCE = """
function one(rec) return 1 end
function all(stream) return stream : map(one) end
"""


def nested(levels: int, *, maps: bool = False) -> Any:
    """A list or map with lists or maps inside, so many levels deep."""
    value: Any = {} if maps else []
    for _ in range(levels - 1):
        value = {"k": value} if maps else [value]
    return value


@pytest.fixture(params=["8.2", "8.1.2"])
def data(request: pytest.FixtureRequest, api: Api) -> Iterator[Any]:
    with Cluster(build=request.param) as cluster, api.open(cluster.seeds) as client:
        api.settle(lambda: client.raw.modules.register("deep.lua", SOURCE))
        dataset = client.dataset("test", "nested")
        dataset.put("k", {"l": [], "m": {}})
        yield dataset, request.param


#: What sends a value, with the bin that is named.
CALLS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("a", lambda data, value: data.put("k", {"n": 1, "a": value})),
    ("a", lambda data, value: data.operate("k", [op.put("n", 1), op.put("a", value)])),
    ("l", lambda data, value: data.operate("k", [op.list.append("l", value)])),
    ("m", lambda data, value: data.operate("k", [op.map.put("m", "k", value)])),
]


@pytest.mark.parametrize("maps", [False, True])
@pytest.mark.parametrize("place", range(len(CALLS)))
def test_a_value_nested_too_deep_is_not_sent_to_new_servers(
    data: tuple[Any, str], place: int, maps: bool
) -> None:
    dataset, build = data
    bin_name, call = CALLS[place]
    call(dataset, nested(LIMIT, maps=maps))
    before = dataset.get("k").generation
    if build == "8.1.2":
        call(dataset, nested(LIMIT + 2, maps=maps))
        return
    with pytest.raises(spikewire.FeatureUnavailable) as caught:
        call(dataset, nested(LIMIT + 2, maps=maps))
    assert f'bin "{bin_name}": lists and maps nested more than 64 levels' in caught.value.message
    assert "needs a server before 8.2; node BB9" in caught.value.message
    assert dataset.get("k").generation == before, "nothing was sent"


def test_the_limit_is_exact_for_a_whole_bin(data: tuple[Any, str]) -> None:
    dataset, build = data
    dataset.put("k", {"a": nested(LIMIT)})
    if build == "8.2":
        with pytest.raises(spikewire.FeatureUnavailable):
            dataset.put("k", {"a": nested(LIMIT + 1)})


def test_rows_that_are_nested_too_deep_fail_alone(data: tuple[Any, str]) -> None:
    dataset, build = data
    values = {"flat": {"a": [1]}, "deep": {"a": nested(LIMIT + 1)}}
    result = dataset.put_many(values)
    errors = {str(key): error.message for key, error in result.errors.items()}
    assert len(errors) == (build == "8.2")
    assert all('bin "a": lists and maps nested' in message for message in errors.values())
    mixed = dataset.batch([Write("x", {"b": nested(LIMIT + 1)}), Write("y", {"b": []})])
    assert len(mixed.errors) == (build == "8.2")
    assert dataset.get("flat").bins == {"a": [1]}


def test_constants_and_paths_of_expressions_count(data: tuple[Any, str]) -> None:
    dataset, build = data
    deep = exp.bin("l", list) == exp.value(nested(LIMIT + 1))
    if build == "8.1.2":
        assert dataset.get("k", where=deep, default=None) is None
        return
    for call in [
        lambda: dataset.get("k", where=deep),
        lambda: dataset.operate("k", [op.read("r", deep)]),
    ]:
        with pytest.raises(spikewire.FeatureUnavailable, match="nested more than 64 levels"):
            call()


def test_a_value_of_an_earlier_call_does_not_count(data: tuple[Any, str]) -> None:
    """The note that a value was deep was kept for the next request."""
    dataset, _ = data
    op.put("a", nested(LIMIT + 5))
    with pytest.raises((ValueError, TypeError)):
        dataset.put("k", {"a": [nested(LIMIT + 5), object()]})
    dataset.put("k", {"a": [1]})
    dataset.operate("k", [op.put("a", [2])])
    assert dataset.put_many({"k": {"a": [3]}}).errors == {}
    assert dataset.get("k")["a"] == [3]


def test_arguments_of_functions_count(api: Api, data: tuple[Any, str]) -> None:
    """Each argument is a value; the list of them is none."""
    dataset, build = data
    target = dataset.target

    def calls(levels: int) -> list[Callable[[], Any]]:
        value = [nested(levels)]

        def rows() -> Any:
            dataset.apply_many(["k"], "deep", "one", value).raise_for_errors()

        def mixed() -> Any:
            dataset.batch([Apply("k", "deep", "one", value)]).raise_for_errors()

        return [
            lambda: dataset.apply("k", "deep", "one", value),
            rows,
            mixed,
            lambda: api.settle(lambda: target.apply_all("deep", "one", value)),
            lambda: api.settle(lambda: target.query().aggregate("deep", "all", value)),
        ]

    for call in calls(LIMIT - 1):
        call()
    for call in calls(LIMIT + 1):
        if build == "8.1.2":
            call()
            continue
        with pytest.raises(spikewire.FeatureUnavailable) as caught:
            call()
        expected = "arguments of the function: lists and maps nested more than 64 levels deep"
        assert expected in caught.value.message


def arrow_table(levels: int) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.table({"id": ["flat", "deep"], "a": [[], nested(levels)]})


def frame_of_objects(levels: int) -> Any:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    return pd.DataFrame({"id": ["flat", "deep"], "a": [[], nested(levels)]})


def structured_array(levels: int) -> Any:
    """The dimensions of a subarray are levels: NumPy has at most 64 of them."""
    np = pytest.importorskip("numpy")
    inner = np.dtype([("k", np.int64, (1,) * 32)])
    outer = np.dtype([("id", np.int64), ("a", inner, (1,) * (levels - 33))])
    return np.zeros(2, outer)


@pytest.mark.parametrize("table", [arrow_table, frame_of_objects, structured_array])
def test_values_of_tables_count(data: tuple[Any, str], table: Callable[[int], Any]) -> None:
    dataset, build = data
    dataset.put_many(table(LIMIT), key="id").raise_for_errors()
    result = dataset.put_many(table(LIMIT + 1), key="id")
    if build == "8.1.2":
        result.raise_for_errors()
        return
    errors = list(result.errors.values())
    assert errors, "a row is nested too deep"
    for error in errors:
        assert isinstance(error, spikewire.FeatureUnavailable)
        assert 'bin "a": lists and maps nested more than 64 levels deep' in error.message
    if table is not structured_array:
        assert list(result.errors) == [1], "the other row is written"
