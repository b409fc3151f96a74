"""Operations on strings and by path of the vendor's Rust core, by its Python extension
``aerospike-native``: results and records are those of Spikewire, and each reads the other's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import ctx, exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

native = pytest.importorskip(
    "aerospike_native", reason="no wheel of aerospike-native for this interpreter"
)
S, N, X = native.StringOperation, native.CTX, native.FilterExpression
Select, Modify = native.SelectFlags, native.ModifyFlags
Kind, Regex, Flags = native.StringNumericType, native.StringRegexFlags, native.StringWriteFlags
PART = native.LoopVarPart

BINS: dict[str, Any] = {
    "b": " Zoé-12 ",
    "n": 42,
    "number": "-42",
    "real": "1e5",
    "words": ["a", "b"],
    "bytes": b"hi",
    "b64": "aGk=",
    "in": {"k": ["ab"]},
    "m": {"a": {"v": 1, "n": "x"}, "b": {"v": 5, "n": "y"}, "c": {"v": 9}},
    "l": [10, 20, 30, 40],
    "ll": [[1, 2], [3], [], [4, 5, 6]],
    "mix": {"a": 1, "b": [1, 2], "c": {"v": 3}},
}
ALL, THEIR_ALL = ctx.all_children(), N.all_children()
INSIDE, THEIR_INSIDE = [ctx.map_key("k"), ctx.list_index(0)], [N.map_key("k"), N.list_index(0)]

STRINGS = [
    (op.string.length("b"), S.strlen("b")),
    (op.string.substring("b", 1), S.substr("b", 1)),
    (op.string.substring("b", 1, -1), S.substr("b", 1, -1)),
    (op.string.char_at("b", -1), S.char_at("b", -1)),
    (op.string.find("b", "-"), S.find("b", "-")),
    (op.string.find("b", "x", 2), S.find("b", "x", 2)),
    (op.string.contains("b", "e\u0301"), S.contains("b", "e\u0301")),
    (op.string.starts_with("b", " Zo"), S.starts_with("b", " Zo")),
    (op.string.ends_with("b", "12"), S.ends_with("b", "12")),
    (op.string.to_int("number"), S.to_integer("number")),
    (op.string.to_int("b"), S.to_integer("b")),
    (op.string.to_float("real"), S.to_double("real")),
    (op.string.byte_length("b"), S.byte_length("b")),
    (op.string.is_numeric("number"), S.is_numeric("number")),
    (op.string.is_numeric("real", "int"), S.is_numeric("real", Kind.INT)),
    (op.string.is_numeric("real", "float"), S.is_numeric("real", Kind.FLOAT)),
    (op.string.is_upper("b"), S.is_upper("b")),
    (op.string.is_lower("b64"), S.is_lower("b64")),
    (op.string.to_blob("b"), S.to_blob("b")),
    (op.string.split("b"), S.split("b")),
    (op.string.split("b", "-"), S.split("b", "-")),
    (op.string.from_base64("b64"), S.b64_decode("b64")),
    (op.string.from_base64("b"), S.b64_decode("b")),
    (op.string.matches("b", "z"), S.regex_compare("b", "z")),
    (
        op.string.matches("b", "z", ignore_case=True),
        S.regex_compare("b", "z", int(Regex.CASE_INSENSITIVE)),
    ),
    (op.string.to_text("n"), S.to_string("n")),
    (op.string.length("n"), S.strlen("n")),
    (op.string.length("none"), S.strlen("none")),
    (op.string.length("in", ctx=INSIDE), S.strlen("in", ctx=THEIR_INSIDE)),
    (op.list.join("words"), native.ListOperation.join("words")),
    (op.list.join("words", ", "), native.ListOperation.join("words", ", ")),
    (op.bit.base64("bytes"), native.BitOperation.b64_encode("bytes")),
    (op.bit.base64("bytes", 1, 1), native.BitOperation.b64_encode("bytes", 1, 1)),
    (op.string.insert("b", 1, "x"), S.insert("b", 1, "x")),
    (op.string.overwrite("b", 1, "xy"), S.overwrite("b", 1, "xy")),
    (op.string.concat("b", ["a", "b"]), S.concat("b", ["a", "b"])),
    (op.string.snip("b", 1), S.snip("b", 1)),
    (op.string.snip("b", 1, 3), S.snip("b", 1, 3)),
    (op.string.replace("b", "12", "34"), S.replace("b", "12", "34")),
    (op.string.replace_all("b", " ", "__"), S.replace_all("b", " ", "__")),
    (op.string.replace("b", "", "x"), S.replace("b", "", "x")),
    (op.string.upper("b"), S.upper("b")),
    (op.string.lower("b"), S.lower("b")),
    (op.string.fold_case("b"), S.case_fold("b")),
    (op.string.normalize("b"), S.normalize_nfc("b")),
    (op.string.trim("b"), S.trim("b")),
    (op.string.trim_start("b"), S.trim_start("b")),
    (op.string.trim_end("b"), S.trim_end("b")),
    (op.string.pad_start("b", 11, "*-"), S.pad_start("b", 11, "*-")),
    (op.string.pad_end("b", 11, "*-"), S.pad_end("b", 11, "*-")),
    (op.string.repeat("b", 2), S.repeat("b", 2)),
    (op.string.repeat("b", -1), S.repeat("b", -1)),
    (op.string.repeat("b", -1, no_fail=True), S.repeat("b", -1, flags=int(Flags.NO_FAIL))),
    (op.string.replace_matches("b", "[0-9]", "<$0>"), S.regex_replace("b", "[0-9]", "<$0>")),
    (
        op.string.replace_matches("b", "[0-9]", "#", every=True),
        S.regex_replace("b", "[0-9]", "#", int(Regex.GLOBAL)),
    ),
    (op.string.append("b", "!"), S.append("b", "!")),
    (op.string.append("new", "!"), S.append("new", "!")),
    (
        op.string.append("new", "!", update_only=True),
        S.append("new", "!", flags=int(Flags.UPDATE_ONLY)),
    ),
    (
        op.string.prepend("b", "!", create_only=True),
        S.prepend("b", "!", flags=int(Flags.CREATE_ONLY)),
    ),
    (op.string.prepend("b", "!"), S.prepend("b", "!")),
    (op.string.upper("in", ctx=INSIDE), S.upper("in", ctx=THEIR_INSIDE)),
]


def above(least: int) -> Any:
    """That an element, or its entry `v`, is above a number."""
    return X.gt(X.int_loop_var(PART.VALUE), X.int_val(least))


def picked(name: str, flags: Any, *path: Any) -> Any:
    return native.CdtOperation.select_by_path(name, flags, list(path))


def changed(name: str, flags: Any, value: Any, *path: Any) -> Any:
    return native.CdtOperation.modify_by_path(name, flags, value, list(path))


VALUE, INDEX = X.int_loop_var(PART.VALUE), X.int_loop_var(PART.INDEX)
NOT_B = N.all_children_with_filter(X.ne(X.string_loop_var(PART.MAP_KEY), X.string_val("b")))
MORE = X.num_add([VALUE, X.int_val(1)])
PATHS = [
    (op.path.select("l", [ALL]), picked("l", Select.VALUE, THEIR_ALL)),
    (op.path.select("ll", [ALL, ALL]), picked("ll", Select.VALUE, THEIR_ALL, THEIR_ALL)),
    (
        op.path.select("l", [ctx.all_children("@ > 15")]),
        picked("l", Select.VALUE, N.all_children_with_filter(above(15))),
    ),
    (
        op.path.select("ll", [ALL, ctx.all_children("@ > 4")], returning="tree"),
        picked("ll", Select.MATCHING_TREE, THEIR_ALL, N.all_children_with_filter(above(4))),
    ),
    (
        op.path.select("m", [ctx.all_children("@key != 'b'")], returning="key"),
        picked("m", Select.MAP_KEY, NOT_B),
    ),
    (
        op.path.select("m", [ctx.all_children("@key != 'b'")], returning="key_value"),
        picked("m", Select.MAP_KEY_VALUE, NOT_B),
    ),
    (
        op.path.select("m", [ctx.map_keys_in(["a", "c", "zz"])], returning="key"),
        picked("m", Select.MAP_KEY, N.map_keys_in(["a", "c", "zz"])),
    ),
    (
        op.path.select("m", [ALL, ctx.map_key("v"), ctx.and_where("@ > 2")]),
        picked("m", Select.VALUE, THEIR_ALL, N.map_key("v"), N.and_filter(above(2))),
    ),
    (
        op.path.select("mix", [ALL, ctx.map_key("v")]),
        picked("mix", Select.VALUE, THEIR_ALL, N.map_key("v")),
    ),
    (
        op.path.select("mix", [ALL, ctx.map_key("v")], no_fail=True),
        picked("mix", Select.VALUE | Select.NO_FAIL, THEIR_ALL, N.map_key("v")),
    ),
    (op.path.select("n", [ALL]), picked("n", Select.VALUE, THEIR_ALL)),
    (op.path.select("none", [ALL]), picked("none", Select.VALUE, THEIR_ALL)),
    (op.path.select("l", [ALL], returning="key"), picked("l", Select.MAP_KEY, THEIR_ALL)),
    (op.path.modify("l", [ALL], "@ + 1"), changed("l", Modify.DEFAULT, MORE, THEIR_ALL)),
    (
        op.path.modify("l", [ALL], exp.loop.value() + exp.loop.index()),
        changed("l", Modify.DEFAULT, X.num_add([VALUE, INDEX]), THEIR_ALL),
    ),
    (
        op.path.modify("m", [ALL, ctx.map_key("v")], "@ + 1"),
        changed("m", Modify.DEFAULT, MORE, THEIR_ALL, N.map_key("v")),
    ),
    (op.path.modify("mix", [ALL], "@ + 1"), changed("mix", Modify.DEFAULT, MORE, THEIR_ALL)),
    (
        op.path.modify("mix", [ALL], "@ + 1", no_fail=True),
        changed("mix", Modify.NO_FAIL, MORE, THEIR_ALL),
    ),
    (
        op.path.remove("l", [ctx.all_children("@ > 15")]),
        native.CdtOperation.remove("l", [N.all_children_with_filter(above(15))]),
    ),
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
    assert len(theirs) == len(op.string.__all__)
    of_strings = [ours for ours, _ in STRINGS if "op.string" in repr(ours)]
    compared = {repr(ours).split("(")[0].rpartition(".")[2] for ours in of_strings}
    assert compared == set(op.string.__all__)


def _name(operation: Any) -> str:
    """Ours names a case; the other client's says only where it is in memory."""
    text = str(operation)
    return "theirs" if " object at 0x" in text else text[:60]


@pytest.mark.parametrize(("ours", "theirs"), [*STRINGS, *PATHS], ids=_name)
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
                native.ExpType.LIST, Select.VALUE, X.list_bin("l"),
                [N.all_children_with_filter(above(15))],
            ),
        ),
        (
            exp.path.modify(exp.bin("l", list), [ALL], "@ + 1"),
            X.exp_modify_by_path(
                native.ExpType.LIST, Modify.DEFAULT, X.list_bin("l"), MORE, [THEIR_ALL]
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
