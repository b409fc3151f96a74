"""Operations on strings and by path of the vendor's Rust core, by its Python extension
``aerospike-native``: results and records are those of Spikewire, and each reads the other's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from strings_paths import BINS, MORE, NESTED, PATHS, STRINGS, N, S, SelectFlags, X, above, native

import spikewire
from spikewire import ctx, exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

INSIDE = {"ctx": [ctx.map_key("k"), ctx.list_index(0)]}
THEIR_INSIDE = {"ctx": [N.map_key("k"), N.list_index(0)]}
OPERATIONS = [
    *((one.ours(), one.native()) for one in STRINGS),
    *((one.ours(**INSIDE), one.native(**THEIR_INSIDE)) for one in NESTED),
    *((one.ours(), one.native()) for one in PATHS),
    (op.list.join("words"), native.ListOperation.join("words")),
    (op.list.join("words", ", "), native.ListOperation.join("words", ", ")),
    (op.bit.base64("bytes"), native.BitOperation.b64_encode("bytes")),
    (op.bit.base64("bytes", 1, 1), native.BitOperation.b64_encode("bytes", 1, 1)),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(build="8.2") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def peer(cluster: Cluster) -> Iterator[Any]:
    client = native.new_client_blocking(native.ClientPolicy(), cluster.seeds)
    yield client
    client.close_blocking()


@pytest.fixture(scope="module")
def data(cluster: Cluster) -> Iterator[spikewire.Dataset]:
    with spikewire.Client(cluster.seeds) as client:
        yield client.dataset("test", "both")


def key(name: str) -> Any:
    return native.Key("test", "both", name)


def test_every_operation_on_strings_is_compared() -> None:
    """An operation that the vendor adds, or one of ours without its counterpart here."""
    theirs = {name for name in dir(S) if not name.startswith("_")}
    assert {one.method for one in STRINGS} == theirs
    assert {one.name for one in STRINGS} == set(op.string.__all__)


def _name(operation: Any) -> str:
    """Ours names a case; the other client's says only where it is in memory."""
    text = str(operation)
    return "theirs" if " object at 0x" in text else text[:60]


@pytest.mark.parametrize(("ours", "theirs"), OPERATIONS, ids=_name)
def test_results_and_records_are_the_same(
    data: spikewire.Dataset, peer: Any, ours: spikewire.Operation, theirs: Any
) -> None:
    for name in ("mine", "other"):
        data.put(name, BINS, exists="replace")
    mine: Any
    other: Any
    try:
        (mine,) = data.operate("mine", [ours]).results
    except spikewire.ServerError as error:
        mine = error.code
    try:
        bins = peer.operate_blocking(key("other"), [theirs]).bins
        other = next(iter(bins.values()), None)
    except native.ServerError as error:
        other = int(error.result_code)
    assert mine == other
    assert type(mine) is type(other)
    assert data.get("mine").bins == data.get("other").bins
    assert peer.get_blocking(key("mine"), None).bins == peer.get_blocking(key("other"), None).bins


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (exp.string.length(exp.bin("b")), X.string_strlen(X.string_bin("b"))),
        (exp.string.find(exp.bin("b"), "-"), X.string_find(X.string_val("-"), X.string_bin("b"))),
        (exp.string.upper(exp.bin("b")), X.string_upper(0, X.string_bin("b"))),
        (exp.string.to_int(exp.bin("number")), X.string_to_integer(X.string_bin("number"))),
        (exp.bin("n", int).to_text(), X.to_string(X.int_bin("n"))),
        (
            exp.string.append(exp.bin("b"), "!"),
            X.string_append(0, X.string_val("!"), X.string_bin("b")),
        ),
        (
            exp.path.select(exp.bin("l", list), [ctx.all_children("@ > 15")]),
            X.exp_select_by_path(
                native.ExpType.LIST, SelectFlags.VALUE, X.list_bin("l"),
                [above(15).native],
            ),
        ),
        (
            exp.path.modify(exp.bin("l", list), [ctx.all_children()], "@ + 1"),
            X.exp_modify_by_path(
                native.ExpType.LIST, native.ModifyFlags.DEFAULT, X.list_bin("l"), MORE,
                [N.all_children()],
            ),
        ),
    ],
    ids=_name,
)  # fmt: skip
def test_expressions_compute_the_same(
    data: spikewire.Dataset, peer: Any, ours: exp.Expression, theirs: Any
) -> None:
    data.put("k", BINS, exists="replace")
    (mine,) = data.operate("k", [op.read("r", ours)]).results
    read = native.ExpOperation.read("r", theirs, native.ExpReadFlags.DEFAULT)
    assert peer.operate_blocking(key("k"), [read]).bins == {"r": mine}
    assert mine is not None
