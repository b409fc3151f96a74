"""Operations on strings, in ``operate`` and in expressions, on an embedded cluster of 8.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import ctx, exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api, Caller

TEXT = "Zoé-12"
#: Arguments of a type that a checker would reject.
NUMBER: Any = 5
WORD: Any = "hex"


@pytest.fixture(scope="module")
def newer() -> Iterator[Cluster]:
    with Cluster(build="8.2") as cluster:
        yield cluster


@pytest.fixture
def texts(api: Api, newer: Cluster) -> Iterator[Caller]:
    with api.open(newer.seeds) as client:
        data = client.dataset("test", "texts")
        data.delete("k")
        data.put("k", {"b": TEXT})
        yield data


@pytest.mark.parametrize(
    ("operation", "result"),
    [
        (op.string.length("b"), 6),
        (op.string.substring("b", 1), "oé-12"),
        (op.string.substring("b", 1, 3), "oé"),
        (op.string.char_at("b", -1), "2"),
        (op.string.find("b", "-"), 3),
        (op.string.find("b", "x"), -1),
        (op.string.contains("b", "e\u0301"), True),
        (op.string.starts_with("b", "Zo"), True),
        (op.string.ends_with("b", "1"), False),
        (op.string.byte_length("b"), 7),
        (op.string.is_numeric("b"), False),
        (op.string.is_numeric("b", "int"), False),
        (op.string.is_upper("b"), False),
        (op.string.is_lower("b"), False),
        (op.string.to_blob("b"), TEXT.encode()),
        (op.string.split("b"), list(TEXT)),
        (op.string.split("b", "-"), ["Zoé", "12"]),
        (op.string.matches("b", "^z"), False),
        (op.string.matches("b", "^z", ignore_case=True), True),
        (op.string.to_text("b"), TEXT),
    ],
    ids=repr,
)
def test_a_string_is_read(texts: Caller, operation: spikewire.Operation, result: object) -> None:
    assert texts.operate("k", [operation]).results == (result,)
    assert not operation.writes
    assert texts.get("k").bins == {"b": TEXT}


@pytest.mark.parametrize(
    ("operation", "left"),
    [
        (op.string.insert("b", 1, "x"), "Zxoé-12"),
        (op.string.overwrite("b", 1, "xy"), "Zxy-12"),
        (op.string.concat("b", ["a", "b"]), "Zoé-12ab"),
        (op.string.snip("b", 3), "Zoé"),
        (op.string.snip("b", 1, 3), "Z-12"),
        (op.string.snip("b", 3, no_fail=True), "Zoé"),
        (op.string.replace("b", "e\u0301", "e"), "Zoe-12"),
        (op.string.replace_all("b", "o", "00"), "Z00é-12"),
        (op.string.upper("b"), "ZOÉ-12"),
        (op.string.lower("b"), "zoé-12"),
        (op.string.fold_case("b"), "zoé-12"),
        (op.string.normalize("b"), TEXT),
        (op.string.trim("b"), TEXT),
        (op.string.trim_start("b"), TEXT),
        (op.string.trim_end("b"), TEXT),
        (op.string.pad_start("b", 8, "*"), "**Zoé-12"),
        (op.string.pad_end("b", 8, "*"), "Zoé-12**"),
        (op.string.repeat("b", 2), TEXT * 2),
        (op.string.replace_matches("b", "[0-9]", "<$0>"), "Zoé-<1>2"),
        (op.string.replace_matches("b", "[0-9]", "#", every=True), "Zoé-##"),
        (op.string.append("b", "!"), "Zoé-12!"),
        (op.string.prepend("b", "!"), "!Zoé-12"),
        (op.string.repeat("b", -1, no_fail=True), TEXT),
    ],
    ids=repr,
)
def test_a_string_is_changed(texts: Caller, operation: spikewire.Operation, left: str) -> None:
    assert operation.writes
    assert texts.operate("k", [operation, op.get("b")]).results == (None, left)
    assert texts.get("k").bins == {"b": left}


def test_numbers_lists_and_bytes_become_text_and_back(texts: Caller) -> None:
    texts.put("k", {"b": "42", "f": "1.5", "l": ["a", "b"], "x": b"hi", "n": 7, "e": "aGk="})
    operations = [
        op.string.to_int("b"),
        op.string.to_float("f"),
        op.string.from_base64("e"),
        op.list.join("l", ", "),
        op.list.join("l"),
        op.bit.base64("x"),
        op.bit.base64("x", 1),
        op.bit.base64("x", 0, 1, from_end=True),
        op.string.to_text("n"),
        op.string.to_text("x"),
    ]
    expected = (42, 1.5, b"hi", "a, b", "ab", "aGk=", "aQ==", "aA==", "7", "hi")
    assert texts.operate("k", operations).results == expected
    with pytest.raises(spikewire.OpNotApplicable):
        texts.operate("k", [op.string.to_int("f")])
    with pytest.raises(spikewire.BinTypeError):
        texts.operate("k", [op.string.length("n")])


def test_missing_bins_are_created_by_some_operations_only(texts: Caller) -> None:
    operations = [
        op.string.upper("none"),
        op.string.append("new", "x"),
        op.string.append("not", "x", update_only=True),
        op.string.length("none"),
    ]
    assert texts.operate("k", operations).results == (None, None, None, None)
    assert texts.get("k").bins == {"b": TEXT, "new": "x"}
    with pytest.raises(spikewire.BinExists):
        texts.operate("k", [op.string.append("b", "x", create_only=True)])


def test_strings_inside_lists_and_maps(texts: Caller) -> None:
    texts.put("k", {"m": {"k": ["ab"]}})
    path = [ctx.map_key("k"), ctx.list_index(0)]
    operations = [op.string.upper("m", ctx=path), op.string.length("m", ctx=path)]
    assert texts.operate("k", operations).results == (None, 2)
    assert texts.get("k")["m"] == {"k": ["AB"]}


def test_batches_queries_and_jobs_have_them(texts: Caller, api: Api) -> None:
    texts.put_many([(f"many{at}", {"t": "ab"}) for at in range(3)])
    keys = [f"many{at}" for at in range(3)]
    rows = texts.operate_many(keys, [op.string.append("t", "c"), op.string.length("t")])
    assert [row.results for row in rows] == [(None, 3)] * 3
    query = texts.target.query(
        where=exp.string.length(exp.bin("t")) == 3, operations=[op.string.length("t")]
    )
    found = api.rows(query)
    assert sorted(row.results for row in found) == [(3,)] * 3


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (exp.string.length(exp.bin("b")), 6),
        (exp.string.substring(exp.bin("b"), 1, 3), "oé"),
        (exp.string.find(exp.bin("b"), "-"), 3),
        (exp.string.contains(exp.bin("b"), exp.string.char_at(exp.bin("b"), 0)), True),
        (exp.string.upper(exp.bin("b")), "ZOÉ-12"),
        (exp.string.replace_all(exp.bin("b"), "1", "x"), "Zoé-x2"),
        (exp.string.concat(exp.bin("b"), ["a", "b"]), "Zoé-12ab"),
        (exp.string.split(exp.bin("b"), "-"), ["Zoé", "12"]),
        (exp.string.matches(exp.bin("b"), "É", ignore_case=True), True),
        (exp.string.to_int(exp.string.substring(exp.bin("b"), -2)) + 1, 13),
        (exp.list.join(exp.string.split(exp.bin("b"), "-"), "+"), "Zoé+12"),
        (exp.value(5).to_text(), "5"),
        (exp.text("$.b.substr(0, 3).lower()"), "zoé"),
        (exp.bit.base64(exp.string.to_blob(exp.bin("b"))), "Wm/DqS0xMg=="),
    ],
    ids=str,
)
def test_expressions_compute_with_strings(
    texts: Caller, expression: exp.Expression, value: object
) -> None:
    assert texts.operate("k", [op.read("it", expression)]).results == (value,)
    assert texts.get("k").bins == {"b": TEXT}, "nothing is written"


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: op.string.contains("b", NUMBER), TypeError, "needle must be str, not int"),
        (lambda: op.string.concat("b", WORD), TypeError, "values must be a list or tuple"),
        (
            lambda: op.string.concat("b", ["a", NUMBER]),
            TypeError,
            r"values\[1\] must be str, not int",
        ),
        (lambda: op.string.char_at("b", 1 << 30), ValueError, "index must be from -134217728"),
        (lambda: op.string.is_numeric("b", WORD), ValueError, "number must be 'any', 'int' or"),
        (
            lambda: op.string.append("b", "x", create_only=True, update_only=True),
            ValueError,
            "exclude each other",
        ),
        (
            lambda: op.string.append("b", "x", create_only=True, ctx=[ctx.list_index(0)]),
            ValueError,
            "create_only is about a bin",
        ),
        (
            lambda: exp.string.replace(exp.bin("b"), exp.bin("c"), "x"),
            TypeError,
            "must be constants",
        ),
        (lambda: exp.string.length(exp.bin("b", int)), TypeError, "STRING"),
    ],
)
def test_bad_arguments_raise(make: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_an_older_server_is_not_asked(data: Caller) -> None:
    data.put("k", {"b": TEXT})
    calls: list[Callable[[], Any]] = [
        lambda: data.operate("k", [op.string.length("b")]),
        lambda: data.operate("k", [op.string.upper("b")]),
        lambda: data.operate("k", [op.list.join("b")]),
        lambda: data.get("k", where=exp.string.length(exp.bin("b")) > 1),
        lambda: data.get("k", where=exp.bin("n", int).to_text() == "1"),
    ]
    for call in calls:
        with pytest.raises(spikewire.FeatureUnavailable, match=r"needs server 8\.2; node"):
            call()
