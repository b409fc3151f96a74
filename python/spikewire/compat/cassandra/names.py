"""Names and literals in CQL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "RESERVED",
    "is_valid_name",
    "literal_map",
    "protect_names",
    "protect_value",
    "quoted",
    "without_frozen",
]

#: Keywords that are no names without quotes.
RESERVED = frozenset(
    [
        "add",
        "allow",
        "alter",
        "and",
        "apply",
        "asc",
        "authorize",
        "batch",
        "begin",
        "by",
        "columnfamily",
        "create",
        "default",
        "delete",
        "desc",
        "describe",
        "drop",
        "entries",
        "execute",
        "from",
        "full",
        "grant",
        "if",
        "in",
        "index",
        "infinity",
        "insert",
        "into",
        "is",
        "keyspace",
        "limit",
        "materialized",
        "mbean",
        "mbeans",
        "modify",
        "nan",
        "norecursive",
        "not",
        "null",
        "of",
        "on",
        "or",
        "order",
        "primary",
        "rename",
        "replace",
        "revoke",
        "schema",
        "select",
        "set",
        "table",
        "to",
        "token",
        "truncate",
        "unlogged",
        "unset",
        "update",
        "use",
        "using",
        "view",
        "where",
        "with",
    ]
)
_PLAIN = re.compile(r"[a-z][a-z0-9_]*")


def is_valid_name(name: str | None) -> bool:
    """Whether a name needs no quotes."""
    return name is not None and _PLAIN.fullmatch(name) is not None and name not in RESERVED


def quoted(name: str) -> str:
    """A name for use in CQL, quoted if necessary."""
    doubled = name.replace('"', '""')
    return name if is_valid_name(name) else f'"{doubled}"'


def protect_names(names: Iterable[str]) -> list[str]:
    """Names for use in CQL."""
    return [quoted(name) for name in names]


def protect_value(value: Any) -> str:
    """A number, a boolean or text as a literal of CQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    doubled = str(value).replace("'", "''")
    return f"'{doubled}'"


def literal_map(entries: dict[str, Any]) -> str:
    """A map of text as a literal of CQL."""
    pairs = (f"{protect_value(str(k))}: {protect_value(str(v))}" for k, v in entries.items())
    return "{" + ", ".join(pairs) + "}"


def without_frozen(cql_type: str) -> str:
    """A type without ``frozen<...>``, as functions declare those of arguments."""
    result = ""
    closing: list[bool] = []
    for part in re.findall(r"frozen<|<|>|[^<>]+?(?=frozen<)|[^<>]+", cql_type):
        if part == "frozen<":
            closing.append(False)
        elif part == "<":
            closing.append(True)
            result += part
        elif part == ">":
            result += ">" if closing.pop() else ""
        else:
            result += part
    return result
