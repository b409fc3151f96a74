"""Converts the dictionaries of operations to operations of the engine."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import functools
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire import Expression, Operation
from spikewire._native import OfficialOperations, OfficialResults
from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike.expressions import engine_expression
from spikewire.compat.aerospike.failures import failure, missing, of_code, reject
from spikewire.compat.aerospike.paths import steps
from spikewire.compat.aerospike.valid_keys import POLICIES, check_names
from spikewire.compat.aerospike.values import (
    KeyOrderedDict,
    Serializers,
    deserializer_of,
    incoming,
    outgoing,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "PLAIN",
    "QUIET",
    "WRITES",
    "Manner",
    "PreparedOperations",
    "arguments_of",
    "expected",
    "manner_of",
    "prepared",
    "results_of",
    "text_of",
]

RETURNS = {
    0: "none", 1: "index", 2: "reverse_index", 3: "rank", 4: "reverse_rank", 5: "count", 6: "key",
    7: "value", 8: "key_value", 9: "index_range", 10: "reverse_index_range", 11: "rank_range",
    12: "reverse_rank_range", 13: "exists", 16: "unordered_map", 17: "ordered_map",
}  # fmt: skip
LIST_ORDER = {0: "unordered", 1: "ordered"}
MAP_ORDER = {0: "unordered", 1: "key", 3: "key_value"}
OVERFLOW = {0: "fail", 2: "saturate", 4: "wrap"}

#: Operations on whole bins and records, with the engine's verbs.
PLAIN = {
    codes.OPERATOR_READ: "get",
    codes.OPERATOR_WRITE: "put",
    codes.OPERATOR_INCR: "add",
    codes.OPERATOR_APPEND: "append",
    codes.OPERATOR_PREPEND: "prepend",
    codes.OPERATOR_TOUCH: "touch",
    codes.OPERATOR_DELETE: "delete",
}

#: The engine's operation, and the names of the dictionary's entries in its order.
_LIST: dict[int, tuple[str, str]] = {
    codes.OP_LIST_APPEND: ("append", "val order persist unique no_fail"),
    codes.OP_LIST_APPEND_ITEMS: ("append_items", "val order persist unique no_fail partial"),
    codes.OP_LIST_INSERT: ("insert", "index val unique bounded no_fail"),
    codes.OP_LIST_INSERT_ITEMS: ("insert_items", "index val unique bounded no_fail partial"),
    codes.OP_LIST_SET: ("set", "index val unique bounded no_fail"),
    codes.OP_LIST_INCREMENT: ("increment", "index val order persist unique bounded no_fail"),
    codes.OP_LIST_POP: ("pop", "index"),
    codes.OP_LIST_POP_RANGE: ("pop_range", "index val"),
    codes.OP_LIST_REMOVE: ("remove", "index"),
    codes.OP_LIST_REMOVE_RANGE: ("remove_range", "index val"),
    codes.OP_LIST_TRIM: ("trim", "index val"),
    codes.OP_LIST_CLEAR: ("clear", ""),
    codes.OP_LIST_SORT: ("sort", "descending drop_duplicates"),
    codes.OP_LIST_SIZE: ("size", ""),
    codes.OP_LIST_GET: ("get", "index"),
    codes.OP_LIST_GET_RANGE: ("get_range", "index val"),
    codes.OP_LIST_SET_ORDER: ("set_order", "list_order persist"),
    codes.OP_LIST_CREATE: ("create", "list_order persist"),
    codes.OP_LIST_GET_BY_INDEX: ("get_by_index", "index returns"),
    codes.OP_LIST_GET_BY_INDEX_RANGE: ("get_by_index_range", "index ?count returns inverted"),
    codes.OP_LIST_GET_BY_RANK: ("get_by_rank", "rank returns"),
    codes.OP_LIST_GET_BY_RANK_RANGE: ("get_by_rank_range", "rank ?count returns inverted"),
    codes.OP_LIST_GET_BY_VALUE: ("get_by_value", "val returns inverted"),
    codes.OP_LIST_GET_BY_VALUE_LIST: ("get_by_value_list", "value_list returns inverted"),
    codes.OP_LIST_GET_BY_VALUE_RANGE: (
        "get_by_value_range",
        "?value_begin ?value_end returns inverted",
    ),
    codes.OP_LIST_GET_BY_VALUE_RANK_RANGE_REL: (
        "get_by_value_relative_rank",
        "val rank ?count returns inverted",
    ),
    codes.OP_LIST_REMOVE_BY_INDEX: ("remove_by_index", "index returns"),
    codes.OP_LIST_REMOVE_BY_INDEX_RANGE: ("remove_by_index_range", "index ?count returns inverted"),
    codes.OP_LIST_REMOVE_BY_RANK: ("remove_by_rank", "rank returns"),
    codes.OP_LIST_REMOVE_BY_RANK_RANGE: ("remove_by_rank_range", "rank ?count returns inverted"),
    codes.OP_LIST_REMOVE_BY_VALUE: ("remove_by_value", "val returns inverted"),
    codes.OP_LIST_REMOVE_BY_VALUE_LIST: ("remove_by_value_list", "value_list returns inverted"),
    codes.OP_LIST_REMOVE_BY_VALUE_RANGE: (
        "remove_by_value_range",
        "?value_begin ?value_end returns inverted",
    ),
    codes.OP_LIST_REMOVE_BY_VALUE_RANK_RANGE_REL: (
        "remove_by_value_relative_rank",
        "val rank ?count returns inverted",
    ),
}
_MAP: dict[int, tuple[str, str]] = {
    codes.OP_MAP_PUT: ("put", "key val map_order persist create update no_fail"),
    codes.OP_MAP_PUT_ITEMS: ("put_items", "val map_order persist create update no_fail partial"),
    codes.OP_MAP_INCREMENT: ("increment", "key val map_order persist"),
    codes.OP_MAP_DECREMENT: ("decrement", "key val map_order persist"),
    codes.OP_MAP_SIZE: ("size", ""),
    codes.OP_MAP_CLEAR: ("clear", ""),
    codes.OP_MAP_SET_POLICY: ("set_order", "map_order! persist"),
    codes.OP_MAP_CREATE: ("create", "map_order! persist"),
}
for _verb in ("get", "remove"):
    for _name, _arguments in (
        ("by_key", "key returns"),
        ("by_index", "index returns"),
        ("by_rank", "index returns"),
        ("by_key_list", "val returns inverted"),
        ("by_key_range", f"key {'range' if _verb == 'get' else 'val'} returns inverted"),
        ("by_value", "val returns inverted"),
        ("by_value_list", "val returns inverted"),
        ("by_value_range", "val range returns inverted"),
        ("by_index_range", "index val returns inverted"),
        ("by_rank_range", "index val returns inverted"),
    ):
        _MAP[getattr(codes, f"OP_MAP_{_verb}_{_name}".upper())] = f"{_verb}_{_name}", _arguments
    for _name, _engine, _arguments in (
        ("VALUE_RANK", "by_value_relative_rank", "val rank ?count returns inverted"),
        ("KEY_INDEX", "by_key_relative_index", "key index ?count returns inverted"),
    ):
        _code = getattr(codes, f"OP_MAP_{_verb}_BY_{_name}_RANGE_REL".upper())
        _MAP[_code] = f"{_verb}_{_engine}", _arguments
_BIT: dict[int, tuple[str, str]] = {
    codes.OP_BIT_RESIZE: ("resize", "byte_size front grow shrink create update no_fail"),
    codes.OP_BIT_INSERT: ("insert", "byte_offset value create update no_fail"),
    codes.OP_BIT_REMOVE: ("remove", "byte_offset byte_size update no_fail partial"),
    codes.OP_BIT_SET: ("set", "bit_offset bit_size value update no_fail partial"),
    codes.OP_BIT_OR: ("or_", "bit_offset bit_size value update no_fail partial"),
    codes.OP_BIT_XOR: ("xor", "bit_offset bit_size value update no_fail partial"),
    codes.OP_BIT_AND: ("and_", "bit_offset bit_size value update no_fail partial"),
    codes.OP_BIT_NOT: ("not_", "bit_offset bit_size update no_fail partial"),
    codes.OP_BIT_LSHIFT: ("lshift", "bit_offset bit_size value update no_fail partial"),
    codes.OP_BIT_RSHIFT: ("rshift", "bit_offset bit_size value update no_fail partial"),
    codes.OP_BIT_ADD: ("add", "bit_offset bit_size value sign action update no_fail"),
    codes.OP_BIT_SUBTRACT: ("subtract", "bit_offset bit_size value sign action update no_fail"),
    codes.OP_BIT_SET_INT: ("set_int", "bit_offset bit_size value update no_fail"),
    codes.OP_BIT_GET: ("get", "bit_offset bit_size"),
    codes.OP_BIT_COUNT: ("count", "bit_offset bit_size"),
    codes.OP_BIT_LSCAN: ("lscan", "bit_offset bit_size bool"),
    codes.OP_BIT_RSCAN: ("rscan", "bit_offset bit_size bool"),
    codes.OP_BIT_GET_INT: ("get_int", "bit_offset bit_size sign"),
}
_HLL: dict[int, tuple[str, str]] = {
    codes.OP_HLL_INIT: ("init", "index_bits mh_bits create update no_fail"),
    codes.OP_HLL_ADD: ("add", "value_list index_bits mh_bits create no_fail"),
    codes.OP_HLL_SET_UNION: ("set_union", "sketches create update no_fail fold"),
    codes.OP_HLL_REFRESH_COUNT: ("refresh_count", ""),
    codes.OP_HLL_FOLD: ("fold", "index_bit_count"),
    codes.OP_HLL_GET_COUNT: ("get_count", ""),
    codes.OP_HLL_GET_UNION: ("get_union", "sketches"),
    codes.OP_HLL_GET_UNION_COUNT: ("get_union_count", "sketches"),
    codes.OP_HLL_GET_INTERSECT_COUNT: ("get_intersect_count", "sketches"),
    codes.OP_HLL_GET_SIMILARITY: ("get_similarity", "sketches"),
    codes.OP_HLL_DESCRIBE: ("describe", ""),
    codes.OP_HLL_MAY_CONTAIN: ("may_contain", "value_list"),
}
_FAMILIES: tuple[tuple[str, dict[int, tuple[str, str]]], ...] = (
    ("list", _LIST),
    ("map", _MAP),
    ("bit", _BIT),
    ("hll", _HLL),
)
_OF_CODE: dict[int, tuple[str, str, list[str]]] = {
    code: (family, kind, arguments.split())
    for family, table in _FAMILIES
    for code, (kind, arguments) in table.items()
}
#: Operations without a result, unless there are others.
_SILENT = frozenset(PLAIN.keys() | _LIST.keys())
_READING = ("get", "size", "count", "lscan", "rscan", "describe", "may_contain")

#: The codes of operations that write.
WRITES = frozenset(
    {code for code in PLAIN if code != codes.OPERATOR_READ}
    | {code for code, (_, kind, _) in _OF_CODE.items() if not kind.startswith(_READING)}
    | {codes.OP_EXPR_WRITE}
)


_OF_EXPRESSIONS = (codes.OP_EXPR_READ, codes.OP_EXPR_WRITE)
_BIN_NAME = 15
#: The engine's message for values, keys or items that are not a list, or not a dict.
_NO_SEQUENCE = re.compile(r" must be a (list or tuple|dict), not ")

#: Operations among them whose result is meaningless.
QUIET = WRITES.intersection(PLAIN)


class PreparedOperations(NamedTuple):
    """Operations, and what is known about their results."""

    operations: list[Operation]
    bins: list[str | None]
    returns: list[int | None]
    codes: list[int]
    all_answer: bool
    source: list[dict[str, Any]]


class Manner(NamedTuple):
    """How a client treats operations."""

    strict: bool = True
    """``strict_types``."""
    validates: bool = False
    """``validate_keys``."""
    own: Serializers | None = None
    plain: OfficialOperations = OfficialOperations(PLAIN, bools=True)
    """What takes operations as they are."""
    bools: bool = True
    """Whether a ``bool`` is stored as one."""


_USUAL = Manner()


def manner_of(*, strict: bool, validates: bool, own: Serializers | None) -> Manner:
    """How a client treats operations."""
    keeps_bools = own is None or not own.bools_as_integers
    manner = Manner(strict, validates, own, bools=keeps_bools)
    if not strict:
        return manner._replace(plain=OfficialOperations({}, bools=keeps_bools))
    collections = {code: recipe.entries for code, recipe in _RECIPES.items() if recipe.is_native}
    decide = functools.partial(_decided, manner)
    return manner._replace(
        plain=OfficialOperations(PLAIN, bools=keeps_bools, collections=collections, decide=decide)
    )


def _decided(manner: Manner, code: int, of: dict[str, Any]) -> tuple[tuple[Any, ...], bool]:
    """The arguments that follow from entries other than values, and ``pad`` of a list."""
    recipe = _RECIPES[code]
    arguments, pad = recipe.look_up(of, manner)
    return arguments[recipe.values :], pad


def prepared(operations: Any, manner: Manner = _USUAL) -> PreparedOperations:
    """Checks a list of dictionaries and converts it to operations. For a client that is not strict,
    invalid operations on whole bins are adapted or left out."""
    if not isinstance(operations, list):
        reject("Operations should be of type list")
    if (plain := manner.plain.plain(operations)) is not None:
        return tuple.__new__(PreparedOperations, (*plain, False, operations))
    if not manner.strict:
        operations = [each for each in map(_mended, operations) if each is not None]
    engine_operations: list[Operation] = []
    bins: list[str | None] = []
    returns: list[int | None] = []
    numbers: list[int] = []
    for operation in operations:
        if not isinstance(operation, dict):
            reject("Operation must be a dict")
        of: dict[str, Any] = operation
        code = of.get("op")
        if not isinstance(code, int):
            reject("Operation code is missing or not an int")
        name = of.get("bin")
        if type(name) is not str:
            name = text_of(name)
        try:
            if (recipe := _RECIPES.get(code)) is not None and isinstance(name, str):
                engine_operations.append(_of_recipe(recipe, name, of, manner))
            else:
                engine_operations.append(_operation(code, name, of, manner))
        except (TypeError, ValueError, OverflowError) as error:
            raise _operation_error(code, error) from None
        bins.append(name)
        returns.append(of.get("return_type"))
        numbers.append(of.get("loosely", code))
    if not engine_operations:
        reject("No operations defined")
    # Each operation has a result of its own if one of them is on a map, bits, a sketch or an
    # expression.
    all_answer = not _SILENT.issuperset(numbers)
    return tuple.__new__(
        PreparedOperations, (engine_operations, bins, returns, numbers, all_answer, operations)
    )


def _operation_error(code: int, error: Exception) -> BaseException:
    """The exception for an operation that the engine rejected."""
    family = _OF_CODE.get(code, ("",))[0]
    if isinstance(error, TypeError) and _NO_SEQUENCE.search(str(error)):
        if family == "list":
            return of_code(-2, "Value must be a list")
        if family == "map":  # In the official client, the server rejects it.
            return of_code(4, str(error))
    of_hll = code >= codes.OP_HLL_ADD and isinstance(error, ValueError)
    return of_code(4, str(error)) if of_hll else failure(error)


def _mended(operation: Any) -> Any:
    """An operation of a client with ``strict_types`` disabled. ``None`` if it is skipped."""
    if not isinstance(operation, dict):
        return operation
    of: dict[str, Any] = operation
    code, name, value = of.get("op"), text_of(of.get("bin")), of.get("val")
    if code not in PLAIN and code not in _OF_CODE and code not in _OF_EXPRESSIONS:
        return None
    if isinstance(name, str) and len(name.encode()) > _BIN_NAME:
        return None
    kind = (int, float) if code == codes.OPERATOR_INCR else (str, bytes, bytearray)
    joins = code in (codes.OPERATOR_INCR, codes.OPERATOR_APPEND, codes.OPERATOR_PREPEND)
    if joins and "val" in of and not isinstance(value, kind):
        # A value that cannot be added or appended: the official client's server then creates the
        # bin with it, or fails the call.
        try:
            expression = Expression.value(outgoing(value))
        except (TypeError, ValueError, OverflowError) as error:
            raise failure(error) from None
        return of | {
            "op": codes.OP_EXPR_WRITE,
            "expr": expression,
            "expr_flags": 1,
            "loosely": code,
        }
    return of


def text_of(name: Any) -> Any:
    """A bin name, which may be given as bytes. As in C, these end at the first zero."""
    if isinstance(name, (bytes, bytearray)):
        return bytes(name).split(b"\0")[0].decode()
    return name


def _operation(code: int, name: Any, of: dict[str, Any], manner: Manner) -> Operation:
    if code in PLAIN:
        if code in (codes.OPERATOR_TOUCH, codes.OPERATOR_DELETE):
            return Operation(PLAIN[code])
        if name is None:
            reject("Bin is not given")
        if code == codes.OPERATOR_READ:
            return Operation("get", name)
        if "val" not in of:
            reject("Value should be given")
        return Operation(PLAIN[code], name, outgoing(of["val"], manner.own))
    if not isinstance(name, str):
        reject("Bin is not given")
    if code == codes.OP_EXPR_READ:
        no_fail = bool(_checked_flags("expression_read", of.get("expr_flags", 0), 16))
        return Operation.read(name, engine_expression(of["expr"], manner.own), no_fail=no_fail)
    if code == codes.OP_EXPR_WRITE:
        flags = _checked_flags("expression_write", of.get("expr_flags", 0), 31)
        return Operation.write(
            name,
            engine_expression(of["expr"], manner.own),
            create_only=bool(flags & 1),
            update_only=bool(flags & 2),
            allow_delete=bool(flags & 4),
            no_fail=bool(flags & 16 or (flags & 8 and flags & 3)),
        )
    if (code >= 2 and code < 5) or code > 2201:
        missing("operation code")
    raise of_code(-2, "Invalid operation given" if "val" in of else "Value should be given")


def _of_recipe(recipe: _Recipe, name: str, of: dict[str, Any], manner: Manner) -> Operation:
    arguments, pad = recipe.arguments(of, manner)
    family = recipe.family
    if family == "map":
        path = None if (path := of.get("ctx")) is None else steps(path)
        return Operation.map(recipe.kind, name, arguments, path)
    if family == "list":
        return Operation.list(recipe.kind, name, arguments, steps(of.get("ctx")), pad=pad)
    return (Operation.bit if family == "bit" else Operation.hll)(recipe.kind, name, arguments)


def _checked_flags(kind: str, flags: Any, allowed: int) -> int:
    if not isinstance(flags, int):
        reject("flags should be an int")
    if flags & ~allowed:
        raise of_code(4, f"{kind} takes no flags of {flags & ~allowed}")
    return flags


_OF_KIND = {(family, kind): names for family, kind, names in _OF_CODE.values()}


def arguments_of(family: str, kind: str, of: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of the engine's operation of this kind, from a dictionary's entries."""
    look = _Look(of, family)
    return tuple(look(each) for each in _OF_KIND[family, kind])


#: The entry of a dictionary that is its policy.
_POLICY = {"list": "list_policy", "map": "map_policy", "bit": "policy", "hll": "hll_policy"}


class _Look:
    """Looks up the entries of a dictionary under the engine's names."""

    def __init__(self, of: dict[str, Any], family: str, manner: Manner | None = None) -> None:
        self.own = None if manner is None else manner.own
        self.of = of
        self.family = family
        policy = of.get(_POLICY[family])
        if policy is not None and not isinstance(policy, dict):
            reject("policy must be a dict")
        self.policy: dict[str, Any] = policy or {}
        if manner is not None and manner.validates:
            check_names(self.policy, POLICIES[family])
        name = {"list": "write_flags", "map": "map_write_flags", "bit": "bit_write_flags"}
        flags = self.policy.get(name.get(family, "flags"), 0)
        if not isinstance(flags, int):
            reject("write flags should be an int")
        self.flags = flags
        if family == "hll" and flags & 2 and of.get("op") == codes.OP_HLL_ADD:
            raise of_code(4, "hll_add takes no HLL_WRITE_UPDATE_ONLY")

    def __call__(self, name: str) -> Any:
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self)
        if (optional := name.startswith("?")) or name not in self.of:
            name = name.removeprefix("?")
            if name not in self.of:
                if optional:
                    return None
                reject(_REQUIRED.get(name, f"{name} is required"))
        value = outgoing(self.of[name], self.own)
        if name in _INTEGERS and value is not None and not isinstance(value, Expression):
            if isinstance(value, bool) or not isinstance(value, int):
                reject(f"{name} must be an integer")
        return value

    def check_flags(self, kind: str, names: list[str]) -> None:
        """Rejects flags that the operation does not accept, as a server does."""
        known = _FLAGS.get(self.family)
        if known is not None and self.flags:
            _checked_flags(kind, self.flags, sum(known.get(name, 0) for name in names))

    def flag(self, list_flag: int, map_flag: int, bit_flag: int, hll_flag: int) -> bool:
        """Whether the policy has one of the flags."""
        at = {"list": list_flag, "map": map_flag, "bit": bit_flag, "hll": hll_flag}
        return bool(self.flags & at[self.family])

    def order(self, name: str, of: dict[int, str], default: str | None) -> str | None:
        """An order by its number."""
        value = self.of.get(name, self.policy.get(name))
        if value is None:
            return default
        if value not in of:
            reject(f"{name} is invalid")
        return of[value]

    def truth(self, name: str) -> bool:
        """A ``bool`` of the operation or of its policy."""
        value = self.of.get(name, self.policy.get(name, False))
        if not isinstance(value, bool):
            reject(f"{name} must be a bool")
        return value

    def bits(self, name: str) -> int | None:
        """A number of bits; -1 means none."""
        value = self.of.get(name)
        if value is not None and not isinstance(value, int):
            reject(f"{name} must be an integer")
        return None if value == -1 else value


def _returns(look: _Look) -> str:
    number = look.of.get("return_type", 0)
    if isinstance(number, bool) or not isinstance(number, int):
        reject("return_type must be an integer")
    kind = RETURNS.get(number)
    if kind is None:  # A server's error for it.
        raise of_code(26, f"{number} is none of the return types")
    return kind


#: The flags of writes on bits and sketches, by argument name.
_FLAGS = {
    "bit": {"create": 1, "update": 2, "no_fail": 4, "partial": 8},
    "hll": {"create": 1, "update": 2, "no_fail": 4, "fold": 8},
}
_REQUIRED = {"val": "Value should be given", "index": "Operation missing index"}
_INTEGERS = frozenset(
    {"index", "rank", "count", "bit_offset", "bit_size", "byte_offset", "byte_size"}
)
_SPECIAL: dict[str, Callable[[_Look], Any]] = {
    "returns": _returns,
    "inverted": lambda look: bool(look.of.get("inverted")),
    "persist": lambda look: look.truth("persist_index"),
    "order": lambda look: look.order("list_order", LIST_ORDER, None),
    "list_order": lambda look: look.order("list_order", LIST_ORDER, "unordered"),
    "map_order": lambda look: look.order("map_order", MAP_ORDER, None),
    "map_order!": lambda look: look.order("map_order", MAP_ORDER, "unordered"),
    "unique": lambda look: look.flag(1, 0, 0, 0),
    "bounded": lambda look: look.flag(2, 0, 0, 0),
    "create": lambda look: look.flag(0, 1, 1, 1),
    "update": lambda look: look.flag(0, 2, 2, 2),
    "no_fail": lambda look: look.flag(4, 4, 4, 4),
    "partial": lambda look: look.flag(8, 8, 8, 0),
    "fold": lambda look: look.flag(0, 0, 0, 8),
    "front": lambda look: bool((look.of.get("resize_flags") or 0) & 1),
    "grow": lambda look: bool((look.of.get("resize_flags") or 0) & 2),
    "shrink": lambda look: bool((look.of.get("resize_flags") or 0) & 4),
    "descending": lambda look: bool(look.of.get("sort_flags", 0) & 1),
    "drop_duplicates": lambda look: bool(look.of.get("sort_flags", 0) & 2),
    "sign": lambda look: bool(look.of.get("sign")),
    "bool": lambda look: look.of.get("value"),
    "action": lambda look: OVERFLOW.get(look.of.get("action", 0), "fail"),
    "index_bits": lambda look: look.bits("index_bit_count"),
    "mh_bits": lambda look: look.bits("mh_bit_count"),
    "sketches": lambda look: outgoing(look.of["value_list"]),
}


#: The entries of a dictionary that decide about an argument, besides the policy.
_DECIDING = {
    "returns": "return_type", "inverted": "inverted", "persist": "persist_index",
    "order": "list_order", "list_order": "list_order", "map_order": "map_order",
    "map_order!": "map_order", "front": "resize_flags", "grow": "resize_flags",
    "shrink": "resize_flags", "descending": "sort_flags", "drop_duplicates": "sort_flags",
    "sign": "sign", "action": "action", "index_bits": "index_bit_count", "mh_bits": "mh_bit_count",
}  # fmt: skip
#: Arguments that are values under another name.
_VALUES = frozenset({"bool", "sketches"})
#: An entry that is not there, which is not the same as ``None``.
_ABSENT = object()
#: Most combinations of choices that are remembered, by operation.
_MOST_CHOICES = 256


class _Recipe:
    """The arguments of an operation: values, which each dictionary has of its own, then what
    follows from the other entries. Programs repeat the latter, so it is remembered."""

    def __init__(self, family: str, kind: str, names: list[str]) -> None:
        self.family, self.kind, self.names = family, kind, names
        self.policy = _POLICY[family]
        values = [name for name in names if name not in _SPECIAL]
        self.required = tuple(name for name in values if not name.startswith("?"))
        self.optional = tuple(name[1:] for name in values if name.startswith("?"))
        in_order = (*self.required, *self.optional)
        self.values = len(in_order)
        self.numbers = tuple(at for at, name in enumerate(in_order) if name in _INTEGERS)
        choices = [_DECIDING[name] for name in names if name in _DECIDING]
        self.choices = tuple(dict.fromkeys([*choices, "pad"] if family == "list" else choices))
        self.absent = (_ABSENT,) * len(self.choices)
        self.repeats = _VALUES.isdisjoint(names)
        #: The last arguments, and ``pad``, by the choices and the policy they follow from.
        self.known: dict[tuple[Any, ...], tuple[tuple[Any, ...], bool]] = {}

    @property
    def is_native(self) -> bool:
        """Whether the extension may take the operation as it is."""
        return self.family in ("list", "map")

    @property
    def entries(self) -> tuple[Any, ...]:
        """What the extension must know about the entries of its dictionaries."""
        parts = self.required, self.optional, self.numbers, self.choices
        return (self.family, self.kind, *map(list, parts), self.policy)

    def arguments(self, of: dict[str, Any], manner: Manner) -> tuple[tuple[Any, ...], bool]:
        """The engine's arguments, and ``pad`` of a list."""
        choices = tuple(map(of.get, self.choices, self.absent))
        policy = of.get(self.policy)
        # Types count, because True equals 1.
        if policy is None:
            by: tuple[Any, ...] = (manner.validates, *choices, *map(type, choices))
        elif type(policy) is dict:
            entries = policy.values()
            kinds = map(type, (*choices, *entries))
            by = (manner.validates, *choices, *policy, *entries, *kinds)
        else:
            return self.look_up(of, manner)
        try:
            last, pad = self.known[by]
            values = tuple([of[name] for name in self.required])
        except (KeyError, TypeError):  # New, incomplete, or without a hash.
            return self._remembered(by, of, manner)
        if self.optional:
            values += tuple(map(of.get, self.optional))
        for at in self.numbers:
            if type(values[at]) is not int:
                return self.look_up(of, manner)
        if not OfficialResults.sends(of, manner.bools):
            values = tuple([outgoing(value, manner.own) for value in values])
        return values + last, pad

    def _remembered(
        self, by: tuple[Any, ...], of: dict[str, Any], manner: Manner
    ) -> tuple[tuple[Any, ...], bool]:
        arguments, pad = found = self.look_up(of, manner)
        if self.repeats:
            if len(self.known) >= _MOST_CHOICES:
                self.known.clear()
            last = arguments[self.values :]
            with suppress(TypeError):
                self.known[by] = last, pad
        return found

    def look_up(self, of: dict[str, Any], manner: Manner) -> tuple[tuple[Any, ...], bool]:
        """The same, without what is remembered."""
        look = _Look(of, self.family, manner)
        look.check_flags(self.kind, self.names)
        arguments = tuple(look(each) for each in self.names)
        return arguments, self.family == "list" and look.truth("pad")


_RECIPES = {code: _Recipe(*of) for code, of in _OF_CODE.items()}


def results_of(
    plan: PreparedOperations, record: Any, own: Serializers | None = None
) -> list[tuple[str, Any]]:
    """The bins and results of ``operate_ordered``."""
    pairs: list[tuple[str, Any]] = []
    results = record.results
    deserializer = deserializer_of(own)
    for at, name in enumerate(plan.bins):
        if name is None or at >= len(results):
            continue
        value = results[at]
        if not plan.all_answer and (value is None or plan.codes[at] in QUIET):
            continue
        pairs.append((name, expected(plan.returns[at], value, deserializer)))
    return pairs


def expected(
    returns: int | None, value: Any, deserializer: Callable[[Any], Any] | None = None
) -> Any:
    """A result in the official client's form."""
    if isinstance(value, dict):
        if returns == 8:
            return [incoming(each, deserializer) for pair in value.items() for each in pair]
        if returns == 17:
            return KeyOrderedDict(incoming(value, deserializer))
    return incoming(value, deserializer)
