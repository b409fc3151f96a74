"""Reads the table: the files in ``tools/verbs``."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).resolve().parent.parent / "verbs"

FAMILIES = ("list", "map", "bit", "hll", "string")


@dataclass(frozen=True)
class Kind:
    """The kind of a parameter."""

    python: str
    #: The method of the protocol crate's ``Given`` that takes it.
    take: str
    rust: str
    #: Its type for TypeScript.
    node: str


@dataclass(frozen=True)
class Words:
    """Words that are valid for a parameter, with the numbers that they stand for."""

    name: str
    python: str
    rust: str
    doc: str
    are: dict[str, str]


@dataclass(frozen=True)
class Enumeration:
    """An enumeration of words for Rust."""

    doc: str
    #: The documentation of each word.
    are: dict[str, str]


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation."""

    name: str
    kind: str
    #: May be omitted, and is ``None`` then.
    optional: bool = False
    #: Its value if it is omitted.
    default: str | int | None = None
    keyword: bool = False
    #: The field of the operation to which its number is added.
    into: str = ""
    #: What a flag adds to that field.
    flag: str = ""
    #: Its type for Python, if it differs from that of its kind.
    python: str = ""
    #: The smallest and the largest valid number.
    bounds: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Operation:
    """An operation."""

    name: str
    code: int
    #: All parameters except ``ctx``.
    parameters: tuple[Parameter, ...]
    #: The Rust expression that builds it.
    makes: str
    #: The type of its result as an expression: a type's name, ``element`` for the type of an
    #: element, ``returning`` if that parameter determines it, or empty if the operation modifies.
    result: str
    #: What it does, as an operation and in an expression.
    doc: str
    expression_doc: str
    apis: tuple[str, ...] = ("op", "exp")
    #: Whether it takes a path, if its family does.
    path: bool = True

    @property
    def reads(self) -> bool:
        """Whether it only reads."""
        return bool(self.result)

    @property
    def encoded(self) -> tuple[Parameter, ...]:
        """The parameters that are encoded in the operation itself."""
        return tuple(it for it in self.parameters if it.kind != "pad")


@dataclass(frozen=True)
class Family:
    """The operations of one module."""

    name: str
    type: str
    #: The modules whose functions take a path to a nested value.
    path: tuple[str, ...]
    #: The documentation of the modules, by language and API.
    docs: dict[str, dict[str, str]]
    #: The documentation of each option, for TypeScript.
    options: dict[str, str]
    operations: tuple[Operation, ...]

    def takes_path(self, api: str, operation: Operation) -> bool:
        """Whether the function of this operation takes a path."""
        return api in self.path and operation.path


@dataclass(frozen=True)
class Table:
    """The whole table."""

    kinds: dict[str, Kind]
    words: dict[str, Words]
    enums: dict[str, Enumeration]
    families: dict[str, Family] = field(default_factory=dict)


def load_file(name: str) -> dict[str, Any]:
    """One file of the table."""
    with (TABLE / f"{name}.toml").open("rb") as file:
        loaded: dict[str, Any] = tomllib.load(file)
        return loaded


def load() -> Table:
    """Loads the table, and checks what is used of it."""
    raw = load_file("kinds")
    kinds = {name: Kind(**kind) for name, kind in raw["kinds"].items()}
    words: dict[str, Words] = {}
    for name, of in raw["words"].items():
        are = dict(words[of["also"]].are) if "also" in of else {}
        are = {word: number for word, number in are.items() if word not in of.get("without", ())}
        words[name] = Words(name, of["python"], of["rust"], of["doc"], {**are, **of["are"]})
    enums = {name: Enumeration(**of) for name, of in raw["enums"].items()}
    table = Table(kinds, words, enums)
    for name in FAMILIES:
        table.families[name] = _family(load_file(name))
    return table


def _family(raw: dict[str, Any]) -> Family:
    known: dict[str, Parameter] = {}
    for name, of in raw["parameters"].items():
        of = {"kind": of} if isinstance(of, str) else dict(of)
        bounds = (of.pop("from", 0), of.pop("to", 0))
        known[name] = Parameter(name, bounds=bounds, **of)
    operations = [_operation(known, it) for it in raw.get("operations", ())]
    noun = raw["family"]
    pairs = [_selected(known, it, noun) for it in raw.get("selections", ())]
    operations += [get for get, _ in pairs] + [remove for _, remove in pairs]
    docs = {
        language: {api: of["doc"].strip("\n") for api, of in raw[language].items()}
        for language in ("python", "rust", "node")
    }
    path = raw.get("path", False)
    apis = tuple(path) if isinstance(path, list) else ("op", "exp") if path else ()
    return Family(raw["family"], raw["type"], apis, docs, raw["options"], tuple(operations))


def _parameters(known: dict[str, Parameter], takes: str) -> tuple[Parameter, ...]:
    """Parses ``index, count?, *, order: list_order = unordered``: see README.md next to the
    table."""
    parameters: list[Parameter] = []
    keyword = False
    for part in filter(None, (it.strip() for it in takes.split(","))):
        if part == "*":
            keyword = True
            continue
        front, _, default = (it.strip() for it in part.partition("="))
        front, _, kind = (it.strip() for it in front.partition(":"))
        name = front.removesuffix("?")
        parameter = known.get(name) or Parameter(name, kind, into=name)
        parameter = replace(parameter, keyword=keyword, optional=front != name)
        if kind:
            parameter = replace(parameter, kind=kind)
        if default:
            parameter = replace(parameter, default=default)
        parameters.append(parameter)
    return tuple(parameters)


def _operation(known: dict[str, Parameter], raw: dict[str, Any]) -> Operation:
    does, more = raw["does"], raw.get("more")
    gives = f" {raw['gives']}" if "gives" in raw else ""
    more = f"\n\n{more}" if more else ""
    return Operation(
        raw["name"],
        raw["code"],
        _parameters(known, raw["takes"]),
        raw["makes"],
        raw.get("result", ""),
        does + gives + more,
        does + more,
        tuple(raw.get("in", ("op", "exp"))),
        raw.get("path", True),
    )


def _selected(
    known: dict[str, Parameter], raw: dict[str, Any], noun: str
) -> tuple[Operation, Operation]:
    """The two operations that select elements in the same way."""
    parameters = _parameters(known, raw["takes"])
    names = raw["names"]
    note = f" {raw['note']}" if "note" in raw else ""
    gives = f" {raw['gives']}" if "gives" in raw else ""
    single = raw.get("single", False)

    def defaulting(word: str) -> tuple[Parameter, ...]:
        return tuple(
            replace(it, default=word) if it.name == "returning" else it for it in parameters
        )

    return (
        Operation(
            f"get_by_{raw['by']}",
            raw["get"],
            defaulting("value"),
            f"GetBy(returning, By::{raw['makes']})",
            "element" if single else "returning",
            f"Reads {names}.{note}{gives}",
            f"{names[0].upper()}{names[1:]}.{note}",
        ),
        Operation(
            f"remove_by_{raw['by']}",
            raw["remove"],
            defaulting("none"),
            f"RemoveBy(returning, By::{raw['makes']})",
            "",
            f"Removes {names}.{note}{gives}",
            f"The {noun} without {names}.{note}",
        ),
    )
