"""Operations on strings and by path, as Spikewire and the vendor's Python packages write them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

from spikewire import ctx, exp, op

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

native = pytest.importorskip(
    "aerospike_native", reason="no wheel of aerospike-native for this interpreter"
)
S, N, X = native.StringOperation, native.CTX, native.FilterExpression
SelectFlags, ModifyFlags = native.SelectFlags, native.ModifyFlags
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


class StringCase(NamedTuple):
    """A call of ``op.string``, and of ``StringOperation``, or ``str_...`` of the SDK's builder."""

    name: str
    method: str
    bin: str
    #: The arguments after the bin; for the vendor as well, unless it has its own.
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = MappingProxyType({})
    their_arguments: tuple[Any, ...] | None = None
    their_options: Mapping[str, Any] = MappingProxyType({})

    @property
    def reads(self) -> bool:
        return self.method in READS

    def ours(self, **more: Any) -> Any:
        return getattr(op.string, self.name)(self.bin, *self.arguments, **self.options, **more)

    def theirs(self, function: Any, *first: Any, **more: Any) -> Any:
        """What the vendor's function returns; ``first`` is the bin where it takes one."""
        arguments = self.arguments if self.their_arguments is None else self.their_arguments
        return function(*first, *arguments, **self.their_options, **more)

    def native(self, **more: Any) -> Any:
        return self.theirs(getattr(S, self.method), self.bin, **more)


def case(name: str, method: str, name_of_bin: str = "b", *arguments: Any) -> StringCase:
    return StringCase(name, method, name_of_bin, arguments)


def with_flags(
    name: str, method: str, name_of_bin: str, arguments: tuple[Any, ...], flags: Any, **options: Any
) -> StringCase:
    """The vendor's flags are options of Spikewire."""
    more = {"flags": int(flags)}
    return StringCase(name, method, name_of_bin, arguments, options, None, more)


def with_regex(
    name: str, method: str, arguments: tuple[Any, ...], flags: int, **options: Any
) -> StringCase:
    return StringCase(name, method, "b", arguments, options, (*arguments, flags))


READS = {
    "strlen", "substr", "char_at", "find", "contains", "starts_with", "ends_with", "to_integer",
    "to_double", "byte_length", "is_numeric", "is_upper", "is_lower", "to_blob", "split",
    "b64_decode", "regex_compare", "to_string",
}  # fmt: skip
STRINGS = [
    case("length", "strlen"),
    case("length", "strlen", "n"),
    case("length", "strlen", "none"),
    case("substring", "substr", "b", 1),
    case("substring", "substr", "b", 1, -1),
    case("char_at", "char_at", "b", -1),
    case("find", "find", "b", "-"),
    case("find", "find", "b", "x", 2),
    case("contains", "contains", "b", "e\u0301"),
    case("starts_with", "starts_with", "b", " Zo"),
    case("ends_with", "ends_with", "b", "12"),
    case("to_int", "to_integer", "number"),
    case("to_int", "to_integer"),
    case("to_float", "to_double", "real"),
    case("byte_length", "byte_length"),
    case("is_numeric", "is_numeric", "number"),
    StringCase("is_numeric", "is_numeric", "real", ("int",), {}, (Kind.INT,)),
    StringCase("is_numeric", "is_numeric", "real", ("float",), {}, (Kind.FLOAT,)),
    case("is_upper", "is_upper"),
    case("is_lower", "is_lower", "b64"),
    case("to_blob", "to_blob"),
    case("split", "split"),
    case("split", "split", "b", "-"),
    case("from_base64", "b64_decode", "b64"),
    case("from_base64", "b64_decode"),
    case("matches", "regex_compare", "b", "z"),
    with_regex("matches", "regex_compare", ("z",), int(Regex.CASE_INSENSITIVE), ignore_case=True),
    with_regex(
        "matches", "regex_compare", ("o.-",),
        int(Regex.MULTILINE) | int(Regex.DOTALL) | int(Regex.UNIX_LINES),
        multiline=True, dot_all=True, unix_lines=True,
    ),
    case("to_text", "to_string", "n"),
    case("insert", "insert", "b", 1, "x"),
    case("overwrite", "overwrite", "b", 1, "xy"),
    case("concat", "concat", "b", ["a", "b"]),
    case("snip", "snip", "b", 1),
    case("snip", "snip", "b", 1, 3),
    case("replace", "replace", "b", "12", "34"),
    case("replace", "replace", "b", "", "x"),
    case("replace_all", "replace_all", "b", " ", "__"),
    case("upper", "upper"),
    case("upper", "upper", "n"),
    case("lower", "lower"),
    case("fold_case", "case_fold"),
    case("normalize", "normalize_nfc"),
    case("trim", "trim"),
    case("trim_start", "trim_start"),
    case("trim_end", "trim_end"),
    case("pad_start", "pad_start", "b", 11, "*-"),
    case("pad_end", "pad_end", "b", 11, "*-"),
    case("repeat", "repeat", "b", 2),
    case("repeat", "repeat", "b", -1),
    with_flags("repeat", "repeat", "b", (-1,), Flags.NO_FAIL, no_fail=True),
    case("replace_matches", "regex_replace", "b", "[0-9]", "<$0>"),
    with_regex("replace_matches", "regex_replace", ("[0-9]", "#"), int(Regex.GLOBAL), every=True),
    case("append", "append", "b", "!"),
    case("append", "append", "new", "!"),
    with_flags("append", "append", "new", ("!",), Flags.UPDATE_ONLY, update_only=True),
    with_flags("prepend", "prepend", "b", ("!",), Flags.CREATE_ONLY, create_only=True),
    case("prepend", "prepend", "b", "!"),
]  # fmt: skip

#: The same on a string within the bin, for what is not about bins.
NESTED = [
    one._replace(bin="in")
    for one in STRINGS
    if one.method != "to_string" and "create_only" not in one.options
]


class Step(NamedTuple):
    """A step of a path: Spikewire's, the core's, and a call of the SDK's builder."""

    ours: Any
    native: Any
    call: Callable[[Any], Any]


def where(text: str, predicate: Any) -> Step:
    return Step(
        ctx.all_children(text),
        N.all_children_with_filter(predicate),
        lambda builder: builder.on_each_child_where(predicate),
    )


def also(text: str, predicate: Any) -> Step:
    return Step(
        ctx.and_where(text), N.and_filter(predicate), lambda builder: builder.and_filter(predicate)
    )


def entry(key: Any) -> Step:
    return Step(ctx.map_key(key), N.map_key(key), lambda builder: builder.on_map_key(key))


def entries(keys: list[Any]) -> Step:
    return Step(
        ctx.map_keys_in(keys), N.map_keys_in(keys), lambda builder: builder.on_map_keys_in(keys)
    )


def element(index: int) -> Step:
    return Step(
        ctx.list_index(index), N.list_index(index), lambda builder: builder.on_list_index(index)
    )


def of_value(kind: str, value: Any) -> Step:
    """The element of a list, or of a map, that is equal to a value."""
    name = f"{kind}_value"
    return Step(
        getattr(ctx, name)(value),
        getattr(N, name)(value),
        lambda builder: getattr(builder, f"on_{name}")(value),
    )


VALUE, INDEX = X.int_loop_var(PART.VALUE), X.int_loop_var(PART.INDEX)
MORE = X.num_add([VALUE, X.int_val(1)])
ALL = Step(ctx.all_children(), N.all_children(), lambda builder: builder.on_each_child())


def above(least: int) -> Step:
    return where(f"@ > {least}", X.gt(VALUE, X.int_val(least)))


NOT_B = where("@key != 'b'", X.ne(X.string_loop_var(PART.MAP_KEY), X.string_val("b")))
#: How Spikewire names what `select` returns, and the vendor's flag.
RETURNING = {
    "value": SelectFlags.VALUE,
    "key": SelectFlags.MAP_KEY,
    "key_value": SelectFlags.MAP_KEY_VALUE,
    "tree": SelectFlags.MATCHING_TREE,
}


Returning = Literal["value", "key", "key_value", "tree"]


class PathCase(NamedTuple):
    """`select`, `modify` or `remove` by a path."""

    verb: str
    bin: str
    steps: list[Step]
    returning: Returning = "value"
    #: The new value: Spikewire's expression, and the vendor's.
    value: Any = "@ + 1"
    expression: Any = MORE
    no_fail: bool = False

    def ours(self) -> Any:
        path = [step.ours for step in self.steps]
        more = {"no_fail": True} if self.no_fail else {}
        if self.verb == "select":
            return op.path.select(self.bin, path, returning=self.returning, **more)
        if self.verb == "modify":
            return op.path.modify(self.bin, path, self.value, **more)
        return op.path.remove(self.bin, path, **more)

    @property
    def select_flags(self) -> Any:
        flags = RETURNING[self.returning]
        return flags | SelectFlags.NO_FAIL if self.no_fail else flags

    @property
    def modify_flags(self) -> Any:
        return ModifyFlags.NO_FAIL if self.no_fail else ModifyFlags.DEFAULT

    def native(self) -> Any:
        path = [step.native for step in self.steps]
        if self.verb == "select":
            return native.CdtOperation.select_by_path(self.bin, self.select_flags, path)
        if self.verb == "modify":
            return native.CdtOperation.modify_by_path(
                self.bin, self.modify_flags, self.expression, path
            )
        return native.CdtOperation.remove(self.bin, path)


PATHS = [
    PathCase("select", "l", [ALL]),
    PathCase("select", "ll", [ALL, ALL]),
    PathCase("select", "l", [above(15)]),
    PathCase("select", "ll", [ALL, above(4)], "tree"),
    PathCase("select", "ll", [element(3), ALL]),
    PathCase("select", "ll", [ALL, element(0)]),
    PathCase("select", "ll", [ALL, of_value("list", 5)]),
    PathCase("select", "m", [NOT_B], "key"),
    PathCase("select", "m", [NOT_B], "key_value"),
    PathCase("select", "m", [entries(["a", "c", "zz"])], "key"),
    PathCase("select", "m", [ALL, entry("v"), also("@ > 2", X.gt(VALUE, X.int_val(2)))]),
    PathCase("select", "m", [entry("a"), ALL], "key"),
    PathCase("select", "m", [ALL, entries(["v"])], "tree"),
    PathCase("select", "m", [ALL, of_value("map", 5)]),
    PathCase("select", "in", [entry("k"), ALL]),
    PathCase("select", "mix", [ALL, entry("v")]),
    PathCase("select", "mix", [ALL, entry("v")], no_fail=True),
    PathCase("select", "mix", [above(0)], no_fail=True),
    PathCase("select", "mix", [above(0)], "key", no_fail=True),
    PathCase("select", "mix", [above(0)], "key_value", no_fail=True),
    PathCase("select", "mix", [above(0)], "tree", no_fail=True),
    PathCase("select", "mix", [above(0)]),
    PathCase("select", "n", [ALL]),
    PathCase("select", "none", [ALL]),
    PathCase("select", "l", [ALL], "key"),
    PathCase("modify", "l", [ALL]),
    PathCase(
        "modify", "l", [ALL], "value", exp.loop.value() + exp.loop.index(),
        X.num_add([VALUE, INDEX]),
    ),
    PathCase("modify", "m", [ALL, entry("v")]),
    PathCase("modify", "ll", [element(0), ALL]),
    PathCase("modify", "mix", [ALL]),
    PathCase("modify", "mix", [ALL], no_fail=True),
    PathCase("remove", "l", [above(15)]),
    PathCase("remove", "m", [entries(["a", "c"])]),
    PathCase("remove", "m", [entry("b"), entries(["n"])]),
]  # fmt: skip
