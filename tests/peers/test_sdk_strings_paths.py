"""Operations on strings and by path, as the builder of the vendor's SDK writes them: results,
errors and records are those of Spikewire, and each reads the other's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from box import addresses

sdk = pytest.importorskip("aerospike_sdk", reason="no wheel of aerospike-sdk for this interpreter")
blocking = pytest.importorskip("aerospike_sdk.sync")

from aerospike_sdk.aio.operations.cdt_read import (  # noqa: E402
    CdtPathBuilder,
    CdtReadBuilder,
)
from aerospike_sdk.aio.operations.cdt_write import CdtWriteBuilder  # noqa: E402
from aerospike_sdk.query_shared import QueryBinBuilder, WriteBinBuilder  # noqa: E402
from strings_paths import BINS, NESTED, PATHS, STRINGS, PathCase, StringCase, native  # noqa: E402

import spikewire  # noqa: E402
from spikewire import ctx, exp, op  # noqa: E402
from spikewire.testing import Cluster  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: How the builder names the reads of a path, by what they return.
COLLECT = {
    "value": "collect_values",
    "key": "collect_map_keys",
    "key_value": "collect_map_entries",
    "tree": "collect_matching_tree",
}
INSIDE = [ctx.map_key("k"), ctx.list_index(0)]

Call = "tuple[str, str, Any, Callable[[Any], Any]]"


def method_of(one: StringCase) -> str:
    return "read_as_string" if one.method == "to_string" else f"str_{one.method}"


def of_string(one: StringCase, *, nested: bool) -> Callable[[Any], Any]:
    def call(builder: Any) -> Any:
        place = builder.on_map_key("k").on_list_index(0) if nested else builder
        return one.theirs(getattr(place, method_of(one)))

    return call


def of_path(one: PathCase, name: str, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
    def call(builder: Any) -> Any:
        for step in one.steps:
            builder = step.call(builder)
        return getattr(builder, name)(*arguments, **options)

    return call


def strings() -> Iterator[tuple[str, str, Any, Callable[[Any], Any]]]:
    """How the builder starts, the bin, our operation, and the call of the builder."""
    for one in STRINGS:
        for start in ("query", "update") if one.reads else ("update",):
            yield start, one.bin, one.ours(), of_string(one, nested=False)
    for one in NESTED:
        for start in ("query", "update") if one.reads else ("update",):
            yield start, one.bin, one.ours(ctx=INSIDE), of_string(one, nested=True)
    for start in ("query", "update"):
        yield start, "words", op.list.join("words"), lambda builder: builder.list_join()
        yield start, "words", op.list.join("words", "-"), lambda builder: builder.list_join("-")
        yield (
            start,
            "in",
            op.list.join("in", "-", ctx=[ctx.map_key("k")]),
            (lambda builder: builder.on_map_key("k").list_join("-")),
        )
        yield start, "bytes", op.bit.base64("bytes"), lambda builder: builder.bit_b64_encode()
        yield (
            start,
            "bytes",
            op.bit.base64("bytes", 1, 1),
            (lambda builder: builder.bit_b64_encode(1, 1)),
        )
        yield (
            start,
            "bytes",
            op.bit.base64("bytes", 0, 1, from_end=True),
            (lambda builder: builder.bit_b64_encode(0, 1, invert_size=True)),
        )


def paths() -> Iterator[tuple[str, str, Any, Callable[[Any], Any]]]:
    for one in PATHS:
        ours = one.ours()
        if one.verb == "select":
            tolerant = {"no_fail": True} if one.no_fail else {}
            for start in ("query", "update"):
                yield start, one.bin, ours, of_path(one, COLLECT[one.returning], **tolerant)
                yield start, one.bin, ours, of_path(one, "collect_by_path", one.select_flags)
            if one.returning == "value" and isinstance(BINS.get(one.bin), (list, dict)):
                yield "query", one.bin, *as_expression(one, tolerant)
        elif one.verb == "modify":
            yield (
                "update",
                one.bin,
                ours,
                of_path(one, "modify_by", one.expression, one.modify_flags),
            )
            if one.no_fail:
                yield "update", one.bin, ours, of_path(one, "modify_no_fail", one.expression)
            else:
                yield "update", one.bin, ours, of_path(one, "modify_by", one.expression)
        else:
            yield "update", one.bin, ours, of_path(one, "remove_matches")


def as_expression(one: PathCase, options: dict[str, Any]) -> tuple[Any, Callable[[Any], Any]]:
    """The read of a path as the read of an expression."""
    is_map = isinstance(BINS[one.bin], dict)
    source: Any = exp.bin(one.bin, dict) if is_map else exp.bin(one.bin, list)
    path = [step.ours for step in one.steps]
    kind = native.ExpType.MAP if is_map else native.ExpType.LIST
    return (
        op.read(one.bin, exp.path.select(source, path, **options)),
        of_path(one, "collect_values_as_expression_read", kind, **options),
    )


@pytest.fixture(scope="module")
def seeds() -> Iterator[str]:
    with Cluster(build="8.2") as cluster:
        yield cluster.seeds


@pytest.fixture(scope="module")
def session(seeds: str) -> Iterator[Any]:
    hosts = [sdk.Host(host, port) for host, port in addresses(seeds)]
    cluster = blocking.ClusterDefinition(hosts=hosts).connect()
    yield cluster.create_session()
    cluster.close()


@pytest.fixture(scope="module")
def data(seeds: str) -> Iterator[spikewire.Dataset]:
    with spikewire.Client(seeds) as client:
        yield client.dataset("test", "builders")


def key(name: str) -> Any:
    return sdk.Key("test", "builders", name)


def public(kind: type, start: str = "") -> set[str]:
    return {name for name in dir(kind) if name.startswith(start) and not name.startswith("_")}


def test_every_call_of_the_builder_is_compared() -> None:
    """What a new version of the builder adds has to be compared, too."""
    reads = {method_of(one) for one in STRINGS if one.reads} - {"read_as_string"}
    every = {method_of(one) for one in STRINGS} - {"read_as_string"}
    assert public(QueryBinBuilder, "str_") == public(CdtReadBuilder, "str_") == reads
    assert public(WriteBinBuilder, "str_") == public(CdtWriteBuilder, "str_") == every
    names: set[str] = set()

    class Recorder:
        def __getattr__(self, name: str) -> Any:
            names.add(name)
            return lambda *_, **__: self

    for _, _, _, call in paths():
        call(Recorder())
    assert names == public(CdtPathBuilder)


def outcome(call: Callable[[], Any]) -> Any:
    """A result, or the code of an error."""
    try:
        return call()
    except spikewire.ServerError as error:
        return f"error {error.code}"
    except sdk.AerospikeError as error:
        return f"error {int(error.result_code)}"


@pytest.mark.parametrize(
    ("start", "name", "ours", "call"),
    [*strings(), *paths()],
    ids=lambda value: str(value)[:60] if not callable(value) else "",
)
def test_results_and_records_are_the_same(
    data: spikewire.Dataset,
    session: Any,
    start: str,
    name: str,
    ours: spikewire.Operation,
    call: Callable[[Any], Any],
) -> None:
    for user_key in ("mine", "other"):
        data.put(user_key, BINS, exists="replace")

    def theirs() -> Any:
        builder = call(getattr(session, start)(key("other")).bin(name))
        result = builder.execute().first()
        bins = result.or_raise().record.bins
        return (bins or {}).get(name)

    mine, other = outcome(lambda: data.operate("mine", [ours]).results[0]), outcome(theirs)
    assert mine == other
    assert type(mine) is type(other)
    assert data.get("mine").bins == data.get("other").bins
    read = [session.get(key(user_key)).bins for user_key in ("mine", "other")]
    assert read[0] == read[1]
