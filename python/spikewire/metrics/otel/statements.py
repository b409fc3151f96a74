"""The description of a Cassandra statement in spans: its operation, keyspace and table."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.cql import Batch
from spikewire.cql._native import BoundStatement, Prepared

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.util.types import AttributeValue

    Attributes = dict[str, AttributeValue]

__all__ = ["Summary", "described", "summary"]

_NAME = r"(\"(?:[^\"]|\"\")+\"|\w+)"
_TARGET = rf"(?:{_NAME}\s*\.\s*)?{_NAME}"
#: How to find the table of an operation.
_TABLES = {
    "SELECT": re.compile(rf"\bFROM\s+{_TARGET}", re.IGNORECASE),
    "DELETE": re.compile(rf"\bFROM\s+{_TARGET}", re.IGNORECASE),
    "INSERT": re.compile(rf"\bINTO\s+{_TARGET}", re.IGNORECASE),
    "UPDATE": re.compile(rf"\bUPDATE\s+{_TARGET}", re.IGNORECASE),
    "TRUNCATE": re.compile(rf"\bTRUNCATE\s+(?:TABLE\s+)?{_TARGET}", re.IGNORECASE),
}
_SCHEMA = re.compile(
    r"(?:CREATE|ALTER|DROP)\s+(?:CUSTOM\s+)?(TABLE|COLUMNFAMILY|KEYSPACE|TYPE)\s+"
    rf"(?:IF\s+(?:NOT\s+)?EXISTS\s+)?{_TARGET}",
    re.IGNORECASE,
)
_USE = re.compile(rf"USE\s+{_NAME}", re.IGNORECASE)
_FIRST = re.compile(r"(?:\s|--[^\n]*\n|//[^\n]*\n|/\*.*?\*/)*(\w+)", re.DOTALL)
_STRING = re.compile(r"'(?:[^']|'')*'|\$\$.*?\$\$", re.DOTALL)


class Summary(NamedTuple):
    """The summary of a statement."""

    operation: str
    keyspace: str = ""
    table: str = ""

    @property
    def text(self) -> str:
        """``SELECT shop.items``."""
        target = ".".join(name for name in (self.keyspace, self.table) if name)
        return f"{self.operation} {target}".rstrip()


@lru_cache(maxsize=1024)
def summary(text: str) -> Summary:
    """The summary of a statement's text, as far as it parses. A CQL statement has one table."""
    plain = _STRING.sub("''", text)
    first = _FIRST.match(plain)
    if first is None:
        return Summary("")
    operation = first[1].upper()
    rest = plain[first.start(1) :]
    if schema := _SCHEMA.match(rest):
        what, keyspace, name = schema[1].upper(), _bare(schema[2]), _bare(schema[3])
        if what == "KEYSPACE":
            return Summary(f"{operation} {what}", name)
        return Summary(f"{operation} {what}", keyspace, name)
    if use := _USE.match(rest):
        return Summary(operation, _bare(use[1]))
    table = _TABLES.get(operation)
    m = table.search(rest) if table is not None else None
    return Summary(operation) if m is None else Summary(operation, *map(_bare, m.groups()))


def _bare(name: str | None) -> str:
    """A name in the server's spelling."""
    if name is None:
        return ""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def described(
    verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any], keyspace: str
) -> tuple[str, Attributes, int | None]:
    """The span name of a call, its attributes, and its number of statements if there are several,
    for a session with this keyspace.
    """
    statement = arguments[0] if arguments else None
    attributes: Attributes = {"db.system.name": "cassandra"}
    size: int | None = None
    if isinstance(statement, Batch):
        short, size = Summary("BATCH"), len(statement)
    else:
        text = _text(statement)
        short = summary(text)
        # Values must not be traced: text is only included if they are passed separately.
        if text and (verb == "prepare" or len(arguments) > 1 or not isinstance(statement, str)):
            attributes["db.query.text"] = text
    if verb == "execute_many":
        rows: Any = arguments[1] if len(arguments) > 1 else None
        size = len(rows) if hasattr(rows, "__len__") else None
        if size != 1:
            short = short._replace(operation=f"BATCH {short.operation}")
    elif verb == "prepare":
        short = short._replace(operation="PREPARE")
    namespace = short.keyspace or str(options.get("keyspace") or keyspace)
    attributes["db.operation.name"] = short.operation
    attributes["db.query.summary"] = short.text
    if namespace:
        attributes["db.namespace"] = namespace
    if short.table:
        attributes["db.collection.name"] = short.table
    for option, name in _OPTIONS.items():
        if options.get(option) is not None:
            attributes[name] = options[option]
    return short.text or verb, attributes, size


_OPTIONS = {
    "consistency": "cassandra.consistency.level",
    "page_size": "cassandra.page.size",
    "idempotent": "cassandra.query.idempotent",
}


def _text(statement: Any) -> str:
    if isinstance(statement, BoundStatement):
        return statement.prepared.text
    return statement.text if isinstance(statement, Prepared) else str(statement or "")
