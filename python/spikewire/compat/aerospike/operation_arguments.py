"""Arguments of the engine's operations, from the entries of dictionaries."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire import Expression
from spikewire._native import OfficialResults
from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike import string_opcodes
from spikewire.compat.aerospike.failures import of_code, reject
from spikewire.compat.aerospike.operation_table import OPERATIONS
from spikewire.compat.aerospike.paths import LIST_ORDERS, MAP_ORDERS
from spikewire.compat.aerospike.valid_keys import POLICIES, check_names
from spikewire.compat.aerospike.values import Serializers, outgoing

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["RECIPES", "ArgumentOptions", "Recipe", "arguments_of", "check_flags"]

_RETURN_TYPES = {
    0: "none", 1: "index", 2: "reverse_index", 3: "rank", 4: "reverse_rank", 5: "count", 6: "key",
    7: "value", 8: "key_value", 9: "index_range", 10: "reverse_index_range", 11: "rank_range",
    12: "reverse_rank_range", 13: "exists", 16: "unordered_map", 17: "ordered_map",
}  # fmt: skip
_OVERFLOWS = {0: "fail", 2: "saturate", 4: "wrap"}
#: The entry of a dictionary that is its policy, and the entry of that which has flags.
_POLICIES = {
    "list": ("list_policy", "write_flags"),
    "map": ("map_policy", "map_write_flags"),
    "bit": ("policy", "bit_write_flags"),
    "hll": ("hll_policy", "flags"),
    "string": ("policy", "write_flags"),
}
#: What each flag of a policy says, by the engine's name for it.
_FLAGS = {
    "list": {"unique": 1, "bounded": 2, "no_fail": 4, "partial": 8},
    "map": {"create_only": 1, "update_only": 2, "no_fail": 4, "partial": 8},
    "bit": {"create_only": 1, "update_only": 2, "no_fail": 4, "partial": 8},
    "hll": {"create_only": 1, "update_only": 2, "no_fail": 4, "allow_fold": 8},
    "string": {"create_only": 1, "update_only": 2, "no_fail": 4},
}
_NUMBERS = {0: "any", 1: "int", 2: "float"}
_ON_TEXT = {
    string_opcodes.OP_LIST_JOIN: ("list", "join", "?separator"),
    string_opcodes.OP_BIT_B64_ENCODE: ("bit", "base64", "byte_offset ?byte_size from_end"),
}
#: Families whose operations reject flags that are not for them.
_STRICT_FAMILIES = ("bit", "hll", "string")
#: The flag that says nothing about operations that never create a bin.
_UPDATE_ONLY = 2
_REQUIRED = {"val": "Value should be given", "index": "Operation missing index"}
_INTEGERS = frozenset(
    {"index", "rank", "count", "bit_offset", "bit_size", "byte_offset", "byte_size"}
    | {"start", "end", "occurrence", "target_length"}
)
#: An entry that is not there, which is not the same as ``None``.
_ABSENT = object()
#: Most combinations of choices that are remembered, by operation.
_MOST_CHOICES = 256


class ArgumentOptions(NamedTuple):
    """What options of a client say about arguments."""

    validate_keys: bool = False
    serializers: Serializers | None = None
    bools: bool = True
    """Whether a ``bool`` is stored as one."""


_USUAL = ArgumentOptions()


class _Entries:
    """The entries of a dictionary, and the arguments that follow from them."""

    def __init__(
        self, entries: dict[str, Any], family: str, options: ArgumentOptions = _USUAL
    ) -> None:
        self.entries = entries
        self.family = family
        self.serializers = options.serializers
        policy_name, flags_name = _POLICIES[family]
        policy = entries.get(policy_name)
        if family == "string" and policy is not None and not isinstance(policy, dict):
            policy = {"write_flags": getattr(policy, "write_flags", None)}
        if policy is not None and not isinstance(policy, dict):
            reject("policy must be a dict")
        self.policy: dict[str, Any] = policy or {}
        if options.validate_keys and family != "string":
            check_names(self.policy, POLICIES[family])
        flags = self.policy.get(flags_name, 0)
        if not isinstance(flags, int):
            reject("write flags should be an int")
        self.flags = flags
        if family == "hll" and flags & 2 and entries.get("op") == codes.OP_HLL_ADD:
            raise of_code(4, "hll_add takes no HLL_WRITE_UPDATE_ONLY")

    def argument(self, name: str) -> Any:
        """The argument that a row of the table names."""
        if (flag := _FLAGS[self.family].get(name)) is not None:
            return bool(self.flags & flag)
        if name in _DECISIONS:
            return _DECISIONS[name].decide(self)
        if (optional := name.startswith("?")) or name not in self.entries:
            name = name.removeprefix("?")
            if name not in self.entries:
                if optional:
                    return None
                reject(_REQUIRED.get(name, f"{name} is required"))
        value = outgoing(self.entries[name], self.serializers)
        if name in _INTEGERS and value is not None and not isinstance(value, Expression):
            if isinstance(value, bool) or not isinstance(value, int):
                reject(f"{name} must be an integer")
        return value

    def check_flags(self, kind: str, names: list[str]) -> None:
        """Rejects flags that the operation does not accept, as a server does."""
        if self.family in _STRICT_FAMILIES and self.flags:
            flags = _FLAGS[self.family]
            allowed = sum(flags.get(name, 0) for name in names)
            if self.family == "string":
                allowed |= _UPDATE_ONLY
            check_flags(kind, self.flags, allowed)

    def order(self, name: str, orders: dict[int, str], default: str | None) -> str | None:
        """An order by its number."""
        value = self.entries.get(name, self.policy.get(name))
        if value is None:
            return default
        if value not in orders:
            reject(f"{name} is invalid")
        return orders[value]

    def truth(self, name: str) -> bool:
        """A ``bool`` of the operation or of its policy."""
        value = self.entries.get(name, self.policy.get(name, False))
        if not isinstance(value, bool):
            reject(f"{name} must be a bool")
        return value

    def has_bit(self, name: str, bit: int) -> bool:
        """Whether the flags in an entry have one of them."""
        return bool((self.entries.get(name) or 0) & bit)

    def bit_count(self, name: str) -> int | None:
        """A number of bits; -1 means none."""
        value = self.entries.get(name)
        if value is not None and not isinstance(value, int):
            reject(f"{name} must be an integer")
        return None if value == -1 else value

    def returning(self) -> str:
        """What to return of the selected elements."""
        number = self.entries.get("return_type", 0)
        if isinstance(number, bool) or not isinstance(number, int):
            reject("return_type must be an integer")
        word = _RETURN_TYPES.get(number)
        if word is None:  # A server's error for it.
            raise of_code(26, f"{number} is none of the return types")
        return word


def check_flags(kind: str, flags: Any, allowed: int) -> int:
    """Rejects flags that an operation does not accept, as a server does."""
    if not isinstance(flags, int):
        reject("flags should be an int")
    if flags & ~allowed:
        raise of_code(4, f"{kind} takes no flags of {flags & ~allowed}")
    return flags


class _Decision(NamedTuple):
    """An argument that is not the value of an entry, but follows from one."""

    entry: str
    decide: Callable[[_Entries], Any]
    is_value: bool = False
    """Whether each dictionary has one of its own, so that it is not worth remembering."""


_DECISIONS = {
    "returning": _Decision("return_type", _Entries.returning),
    "inverted": _Decision("inverted", lambda of: bool(of.entries.get("inverted"))),
    "persist_index": _Decision("persist_index", lambda of: of.truth("persist_index")),
    "list_order": _Decision(
        "list_order", lambda of: of.order("list_order", LIST_ORDERS, "unordered")
    ),
    "?list_order": _Decision("list_order", lambda of: of.order("list_order", LIST_ORDERS, None)),
    "map_order": _Decision("map_order", lambda of: of.order("map_order", MAP_ORDERS, "unordered")),
    "?map_order": _Decision("map_order", lambda of: of.order("map_order", MAP_ORDERS, None)),
    "from_front": _Decision("resize_flags", lambda of: of.has_bit("resize_flags", 1)),
    "grow_only": _Decision("resize_flags", lambda of: of.has_bit("resize_flags", 2)),
    "shrink_only": _Decision("resize_flags", lambda of: of.has_bit("resize_flags", 4)),
    "descending": _Decision("sort_flags", lambda of: bool(of.entries.get("sort_flags", 0) & 1)),
    "drop_duplicates": _Decision(
        "sort_flags", lambda of: bool(of.entries.get("sort_flags", 0) & 2)
    ),
    "signed": _Decision("sign", lambda of: bool(of.entries.get("sign"))),
    "overflow": _Decision("action", lambda of: _OVERFLOWS.get(of.entries.get("action", 0), "fail")),
    "ignore_case": _Decision("regex_flags", lambda of: of.has_bit("regex_flags", 1)),
    "multiline": _Decision("regex_flags", lambda of: of.has_bit("regex_flags", 2)),
    "dot_all": _Decision("regex_flags", lambda of: of.has_bit("regex_flags", 4)),
    "unix_lines": _Decision("regex_flags", lambda of: of.has_bit("regex_flags", 8)),
    "every": _Decision("regex_flags", lambda of: of.has_bit("regex_flags", 16)),
    "numeric_type": _Decision(
        "numeric_type", lambda of: _NUMBERS.get(of.entries.get("numeric_type", 0), "")
    ),
    "from_end": _Decision("invert_size", lambda of: bool(of.entries.get("invert_size"))),
    "?index_bit_count": _Decision("index_bit_count", lambda of: of.bit_count("index_bit_count")),
    "?mh_bit_count": _Decision("mh_bit_count", lambda of: of.bit_count("mh_bit_count")),
    "bit": _Decision("value", lambda of: of.entries.get("value"), is_value=True),
    "sketches": _Decision(
        "value_list", lambda of: outgoing(of.entries["value_list"]), is_value=True
    ),
}


class Recipe:
    """The arguments of an operation: values, which each dictionary has of its own, then what
    follows from the other entries. Programs repeat the latter, so it is remembered."""

    def __init__(self, family: str, kind: str, names: list[str]) -> None:
        self.family, self.kind, self.names = family, kind, names
        self.policy = _POLICIES[family][0]
        values = [name for name in names if name not in _DECISIONS and name not in _FLAGS[family]]
        self.required = tuple(name for name in values if not name.startswith("?"))
        self.optional = tuple(name[1:] for name in values if name.startswith("?"))
        in_order = (*self.required, *self.optional)
        self.values = len(in_order)
        self.numbers = tuple(at for at, name in enumerate(in_order) if name in _INTEGERS)
        decided = [_DECISIONS[name] for name in names if name in _DECISIONS]
        choices = [it.entry for it in decided if not it.is_value]
        self.choices = tuple(dict.fromkeys([*choices, "pad"] if family == "list" else choices))
        self.absent = (_ABSENT,) * len(self.choices)
        self.repeats = not any(it.is_value for it in decided)
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

    def arguments(
        self, entries: dict[str, Any], options: ArgumentOptions
    ) -> tuple[tuple[Any, ...], bool]:
        """The engine's arguments, and ``pad`` of a list."""
        choices = tuple(map(entries.get, self.choices, self.absent))
        policy = entries.get(self.policy)
        # Types count, because True equals 1.
        if policy is None:
            by: tuple[Any, ...] = (options.validate_keys, *choices, *map(type, choices))
        elif type(policy) is dict:
            parts = policy.values()
            kinds = map(type, (*choices, *parts))
            by = (options.validate_keys, *choices, *policy, *parts, *kinds)
        else:
            return self.look_up(entries, options)
        try:
            last, pad = self.known[by]
            values = tuple([entries[name] for name in self.required])
        except (KeyError, TypeError):  # New, incomplete, or without a hash.
            return self._remembered(by, entries, options)
        if self.optional:
            values += tuple(map(entries.get, self.optional))
        for at in self.numbers:
            if type(values[at]) is not int:
                return self.look_up(entries, options)
        if not OfficialResults.sends(entries, options.bools):
            values = tuple([outgoing(value, options.serializers) for value in values])
        return values + last, pad

    def _remembered(
        self, by: tuple[Any, ...], entries: dict[str, Any], options: ArgumentOptions
    ) -> tuple[tuple[Any, ...], bool]:
        arguments, pad = self.look_up(entries, options)
        if self.repeats:
            if len(self.known) >= _MOST_CHOICES:
                self.known.clear()
            with suppress(TypeError):
                self.known[by] = arguments[self.values :], pad
        return arguments, pad

    def look_up(
        self, entries: dict[str, Any], options: ArgumentOptions
    ) -> tuple[tuple[Any, ...], bool]:
        """The same, without what is remembered."""
        of = _Entries(entries, self.family, options)
        of.check_flags(self.kind, self.names)
        return tuple(map(of.argument, self.names)), self.family == "list" and of.truth("pad")

    def decide(
        self, entries: dict[str, Any], options: ArgumentOptions
    ) -> tuple[tuple[Any, ...], bool]:
        """The arguments that follow from entries other than values, and ``pad`` of a list."""
        arguments, pad = self.look_up(entries, options)
        return arguments[self.values :], pad


#: By code.
RECIPES = {
    code: Recipe(family, kind, names.split())
    for code, (family, kind, names) in (OPERATIONS | _ON_TEXT).items()
}
_NAMES = {(it.family, it.kind): it.names for it in RECIPES.values()}


def arguments_of(family: str, kind: str, entries: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of the engine's operation of this kind, from a dictionary's entries."""
    of = _Entries(entries, family)
    return tuple(map(of.argument, _NAMES[family, kind]))
