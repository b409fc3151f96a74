"""Operations on text give the same with the official client and with its drop-in, on an embedded
cluster that is one of 8.2, and expressions on text have the same wire format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat import aerospike_drivers
from compat.side_by_side import Programs
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat.aerospike_drivers import Driver

TEXT = "Zoé-12"
#: Each reads a text: the function, its arguments after the bin, and the text.
READS: list[tuple[str, tuple[Any, ...], str]] = [
    ("strlen", (), TEXT),
    ("substr", (1,), TEXT),
    ("substr", (-2,), TEXT),
    ("substr_range", (1, 3), TEXT),
    ("substr_range", (1, -1), TEXT),
    ("char_at", (-1,), TEXT),
    ("find", ("-",), TEXT),
    ("find", ("a", 2), "banana"),
    ("find", ("a", -1), "banana"),
    ("find", ("x",), TEXT),
    ("contains", ("é",), "Zoe\u0301"),
    ("contains", ("E",), TEXT),
    ("starts_with", ("Zo",), TEXT),
    ("ends_with", ("12",), TEXT),
    ("to_integer", (), "-42"),
    ("to_integer", (), "4x"),
    ("to_double", (), "1e5"),
    ("byte_length", (), TEXT),
    ("is_numeric", (), "5.5"),
    ("is_numeric", (1,), "5.5"),
    ("is_numeric", (2,), "5.5"),
    ("is_upper", (), "AB1"),
    ("is_lower", (), "Ab"),
    ("to_blob", (), TEXT),
    ("split", (), TEXT),
    ("split_separator", ("-",), TEXT),
    ("base64_decode", (), "aGk="),
    ("base64_decode", (), "aGk"),
    ("regex_compare", ("^z",), TEXT),
    ("regex_compare", ("^z", 1), TEXT),
    ("regex_compare", ("(",), TEXT),
    ("to_string", (), TEXT),
]
#: Each modifies a text.
CHANGES: list[tuple[str, tuple[Any, ...]]] = [
    ("insert", (1, "x")),
    ("insert", (-1, "x")),
    ("overwrite", (1, "xy")),
    ("overwrite", (9, "xy")),
    ("append", ("!",)),
    ("prepend", ("!",)),
    ("concat", (["a", "b"],)),
    ("snip", (1,)),
    ("snip", (1, 3)),
    ("replace", ("12", "34")),
    ("replace_all", ("o", "00")),
    ("replace", ("", "x")),
    ("upper", ()),
    ("lower", ()),
    ("casefold", ()),
    ("normalize_nfc", ()),
    ("trim_start", ()),
    ("trim_end", ()),
    ("trim", ()),
    ("pad_start", (9, "*-")),
    ("pad_end", (9, "*-")),
    ("pad_end", (9, "")),
    ("repeat", (2,)),
    ("repeat", (-1,)),
    ("regex_replace", ("[0-9]", "#")),
    ("regex_replace", ("[0-9]", "<$0>", 16)),
    ("regex_replace", ("[0-9]", "$7")),
]

program: Programs[Driver] = Programs("string_drivers")


@pytest.fixture(scope="module")
def string_drivers() -> Iterator[list[Driver]]:
    """The official client and the drop-in, on a cluster of version 8.2."""
    pytest.importorskip("aerospike", reason="the official client is not installed")
    with Cluster(1, build="8.2") as cluster:
        assert cluster.wait_settled()
        address = cluster.addresses[0]
        packages = (aerospike_drivers.REAL, "real"), (aerospike_drivers.OURS, "ours")
        drivers = [aerospike_drivers.Driver(of, address, name) for of, name in packages]
        yield drivers
        for driver in drivers:
            driver.close()


def operate(d: Driver, key: Any, operations: list[dict[str, Any]]) -> Any:
    """The bins and results of operations, or the class and the code of the error."""
    try:
        _, _, bins = d.client.operate_ordered(d.key(key), operations)
    except Exception as error:
        return type(error).__name__, getattr(error, "code", None)
    return d.typed(bins)


@program
def every_read(d: Driver) -> Any:
    of = d.helper("operations.string_operations")
    seen = []
    for at, (name, arguments, text) in enumerate(READS):
        d.client.put(d.key(at), {"a": text})
        seen.append((name, operate(d, at, [getattr(of, name)("a", *arguments)])))
    return seen


@program
def every_change(d: Driver) -> Any:
    of, read = d.helper("operations.string_operations"), d.helper("operations.operations").read
    helpers = d.helper("string_helpers")
    seen = []
    quiet = helpers.StringPolicy(helpers.WriteFlags.NO_FAIL)
    for name, arguments in CHANGES:
        change = getattr(of, name)
        for policy in (None, quiet):
            d.client.put(d.key(1), {"a": f" {TEXT} "})
            steps = [change("a", *arguments, policy=policy), read("a")]
            seen.append((name, operate(d, 1, steps)))
        d.client.put(d.key(2), {"other": 1})
        seen.append(operate(d, 2, [change("a", *arguments), read("a")]))
    return seen


@program
def flags_of_writes(d: Driver) -> Any:
    of, read = d.helper("operations.string_operations"), d.helper("operations.operations").read
    helpers = d.helper("string_helpers")
    seen = []
    for flags in range(8):
        policy = helpers.StringPolicy(flags)
        for bins in ({"a": "x"}, {"a": 5}, {"other": 1}):
            for change in (of.append("a", "y", policy), of.upper("a", policy)):
                d.client.remove(d.key(3)) if d.client.exists(d.key(3))[1] else None
                d.client.put(d.key(3), bins)
                seen.append((flags, operate(d, 3, [change, read("a")])))
    return seen


@program
def text_inside_lists_and_maps(d: Driver) -> Any:
    of, ctx = d.helper("operations.string_operations"), d.helper("cdt_ctx")
    d.client.put(d.key(4), {"m": {"k": "ab", "n": 1}, "l": ["x", ["yz"]]})
    key, nested = [ctx.cdt_ctx_map_key("k")], [ctx.cdt_ctx_list_index(1), ctx.cdt_ctx_list_index(0)]
    seen = [
        operate(d, 4, [of.strlen("m", ctx=key), of.char_at("l", -1, ctx=nested)]),
        operate(d, 4, [of.upper("m", ctx=key), of.append("l", "!", ctx=nested)]),
        operate(d, 4, [of.strlen("m", ctx=[ctx.cdt_ctx_map_key("n")])]),
        operate(d, 4, [of.strlen("m", ctx=[ctx.cdt_ctx_map_key("x")])]),
    ]
    return [*seen, d.typed(d.client.get(d.key(4))[2])]


@program
def joined_lists_and_base64(d: Driver) -> Any:
    lists, bits = d.helper("operations.list_operations"), d.helper("operations.bitwise_operations")
    of = d.helper("operations.string_operations")
    bins = {"l": ["a", "b"], "n": [1], "b": bytearray(b"hello"), "i": 5, "f": 1.5, "m": {}}
    d.client.put(d.key(5), bins)
    return [
        operate(d, 5, [lists.list_join("l"), lists.list_join("l", "-")]),
        operate(d, 5, [lists.list_join("n")]),
        operate(d, 5, [bits.bit_b64_encode("b"), bits.bit_b64_encode("b", 1)]),
        operate(d, 5, [bits.bit_b64_encode("b", 1, 2), bits.bit_b64_encode("b", 1, 2, True)]),
        operate(d, 5, [of.to_string("i"), of.to_string("f"), of.to_string("b")]),
        operate(d, 5, [of.to_string("m")]),
    ]


@program
def batches(d: Driver) -> Any:
    of = d.helper("operations.string_operations")
    keys = [d.key(f"batch{at}") for at in range(3)]
    for key in keys:
        d.client.put(key, {"a": f"text{key[2]}"})
    records = d.client.batch_operate(keys, [of.strlen("a")]).batch_records
    return [(row.result, d.typed(row.record[2])) for row in records]


test_both_see_the_same = program.test()


def test_what_one_client_writes_the_other_reads(string_drivers: list[Driver]) -> None:
    for writer, reader in (string_drivers, string_drivers[::-1]):
        key = ("test", "shared", f"by {writer.name}")
        of = writer.helper("operations.string_operations")
        writer.client.put(key, {"a": "Zoé"})
        writer.client.operate(key, [of.append("a", "-ß"), of.upper("a")])
        of = reader.helper("operations.string_operations")
        assert reader.client.operate(key, [of.strlen("a")])[2] == {"a": 6}
        assert reader.client.get(key)[2] == {"a": "ZOÉ-SS"}


FORMS: list[Callable[[Any, Any], Any]] = [
    lambda e, _: e.GT(e.StrLen("a"), 3),
    lambda e, _: e.Eq(e.SubStr(1, "a"), "x"),
    lambda e, _: e.Eq(e.SubStrRange(1, 2, e.StrBin("a")), "x"),
    lambda e, _: e.Eq(e.CharAt(-1, "a"), "x"),
    lambda e, _: e.Eq(e.Find("x", 2, "a"), 0),
    lambda e, _: e.Contains("x", "a"),
    lambda e, _: e.StartsWith("x", "a"),
    lambda e, _: e.EndsWith("x", "a"),
    lambda e, _: e.Eq(e.ToInteger("a"), 1),
    lambda e, _: e.Eq(e.ToDouble("a"), 1.5),
    lambda e, _: e.Eq(e.ByteLength("a"), 1),
    lambda e, _: e.IsNumeric(1, "a"),
    lambda e, _: e.And(e.IsUpper("a"), e.IsLower("a")),
    lambda e, _: e.Eq(e.ToBlob("a"), b"x"),
    lambda e, _: e.Eq(e.Split("a"), ["x"]),
    lambda e, _: e.Eq(e.SplitSeparator(",", "a"), ["x"]),
    lambda e, _: e.Eq(e.Base64Decode("a"), b"x"),
    lambda e, _: e.RegexCompare("^x", "a"),
    lambda e, _: e.Eq(e.ToString(e.IntBin("n")), "5"),
    lambda e, p: e.Eq(e.Insert(p, 1, "x", "a"), "x"),
    lambda e, p: e.Eq(e.Overwrite(p, 1, "x", "a"), "x"),
    lambda e, p: e.Eq(e.Append(p, "x", "a"), "x"),
    lambda e, p: e.Eq(e.Prepend(p, "x", "a"), "x"),
    lambda e, p: e.Eq(e.Concat(p, ["x", "y"], "a"), "x"),
    lambda e, p: e.Eq(e.Snip(p, 1, 2, "a"), "x"),
    lambda e, p: e.Eq(e.Replace(p, "x", "y", "a"), "x"),
    lambda e, p: e.Eq(e.ReplaceAll(p, "x", "y", "a"), "x"),
    lambda e, p: e.Eq(e.Upper(p, "a"), "X"),
    lambda e, p: e.Eq(e.Lower(p, "a"), "x"),
    lambda e, p: e.Eq(e.CaseFold(p, "a"), "x"),
    lambda e, p: e.Eq(e.NormalizeNFC(p, "a"), "x"),
    lambda e, p: e.Eq(e.TrimStart(p, "a"), "x"),
    lambda e, p: e.Eq(e.TrimEnd(p, e.Trim(p, "a")), "x"),
    lambda e, p: e.Eq(e.PadStart(p, 5, "-", "a"), "x"),
    lambda e, p: e.Eq(e.PadEnd(p, 5, "-", "a"), "x"),
    lambda e, p: e.Eq(e.Repeat(p, 3, "a"), "x"),
    lambda e, p: e.Eq(e.RegexReplace(p, "x", "y", 16, "a"), "x"),
    lambda e, _: e.Eq(e.ListJoin(None, ",", "l"), "x"),
    lambda e, _: e.Eq(e.ListJoin(None, None, "l"), "x"),
    lambda e, _: e.Eq(e.BitB64Encode(1, 2, False, "b"), "x"),
]


@pytest.mark.parametrize("number", range(len(FORMS)))
@pytest.mark.parametrize("flags", [0, 4])
def test_the_wire_form_is_the_same(string_drivers: list[Driver], number: int, flags: int) -> None:
    seen = []
    for d in string_drivers:
        policy = d.helper("string_helpers").StringPolicy(flags)
        expression = FORMS[number](d.helper("expressions"), policy).compile()
        seen.append(d.client.get_expression_base64(expression))
    assert seen[1] == seen[0]


def test_both_clients_filter_the_same_records(string_drivers: list[Driver]) -> None:
    seen = []
    for d in string_drivers:
        d.set = f"{d.name}_filtered"
        e = d.helper("expressions")
        for at, text in enumerate(["abc", "ABC", "x", "déf"]):
            d.client.put(d.key(at), {"a": text})
        policy = d.helper("string_helpers").StringPolicy()
        filters = [e.GT(e.StrLen("a"), 2), e.Eq(e.Lower(policy, "a"), "abc"), e.IsUpper("a")]
        found = [
            sorted(
                bins["a"]
                for _, _, bins in d.client.query("test", d.set).results(
                    {"expressions": of.compile()}
                )
            )
            for of in filters
        ]
        seen.append(found)
    assert seen[0] == seen[1] == [["ABC", "abc", "déf"], ["ABC", "abc"], ["ABC"]]
