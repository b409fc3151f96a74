"""Reads the part of the table with the verbs, and the classes that have them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from generator.table import load_file

ANY = "&Bound<'py, PyAny>"
OPTIONAL = "Option<Bound<'py, PyAny>>"

#: Reserved words of Rust.
RESERVED = ("where",)
#: After ``*`` parameters are passed by keyword, before ``/`` by position.
MARKS = ("*", "/")
#: The types of flags, which are extracted by name so that an error names them.
SWITCHES = ("bool", "Option<bool>")


@dataclass(frozen=True)
class Argument:
    """A parameter of a verb, or one of ``MARKS``; ``**name`` takes all other keywords."""

    name: str
    python: str = ""
    rust: str = ANY
    #: Its default in Rust; empty if it is required.
    default: str = ""
    #: Its attribute in Rust.
    attribute: str = ""
    #: The one of its Python types that literals have, in an overload of its own.
    literal: str = ""

    @property
    def is_mark(self) -> bool:
        """Whether it is not a parameter, but says how those beside it are passed."""
        return self.name in MARKS

    @property
    def rust_name(self) -> str:
        """Its name in Rust."""
        return f"r#{self.name}" if self.name in RESERVED else self.name

    @property
    def signature(self) -> str:
        """The parameter in the signature for Python."""
        if self.is_mark or self.name.startswith("**"):
            return self.name
        return f"{self.rust_name}={self.default}" if self.default else self.rust_name

    @property
    def text_signature(self) -> str:
        """The parameter in the signature that Python shows."""
        if not self.default:
            return self.name
        default = self.stub_default
        is_literal = default in ("None", "True", "False") or default.startswith('"')
        return f"{self.name}={default if is_literal else '...'}"

    @property
    def declared(self) -> str:
        """The parameter in the Rust function."""
        attribute = self.attribute
        if not attribute and self.rust in SWITCHES:
            attribute = f"#[pyo3(from_py_with = flags::{self.name})]"
        return f"{attribute} {self.rust_name.lstrip('*')}: {self.rust}".strip()

    @property
    def takes_overload(self) -> bool:
        """Whether omitting it changes the result's type: its default then has no Python form."""
        return "::" in self.default

    @property
    def stub_default(self) -> str:
        """Its default in Python."""
        return {"true": "True", "false": "False"}.get(self.default, self.default)


@dataclass(frozen=True)
class Verb:
    """A verb."""

    name: str
    #: ``one`` record, ``many``, or a whole ``set``; a CQL ``statement``.
    on: str
    #: Its parameters, with the star before the keyword-only ones.
    takes: tuple[Argument, ...]
    #: Its type for Python.
    returns: str
    #: The Rust expression that makes the call, and what is then applied to it.
    makes: str
    doc: str
    then: str = ""
    #: Whether a client has to be given the set: ``optional`` or ``required``.
    set: str = ""
    #: If an argument determines the type of the result: the parameter with its other type, and
    #: ``returns``, the result's type then.
    instead: dict[str, str] = field(default_factory=dict[str, str])

    def argument(self, name: str) -> Argument | None:
        """The parameter with this name."""
        return next((it for it in self.takes if it.name == name), None)


@dataclass(frozen=True)
class Class:
    """A class that has verbs."""

    name: str
    methods: tuple[str, ...]
    #: The type of its keys for Python.
    keys: str = ""
    #: The return type of its verbs, with ``{}`` for the result.
    future: str = "{}"
    #: The name of its queries and jobs; empty if it has no verbs on sets.
    query: str = ""
    job: str = ""
    #: The class of its datasets.
    dataset: str = ""
    #: Whether it has a set of its own.
    has_set: bool = False

    @property
    def records(self) -> str:
        """The type of records with their keys, for Python."""
        return "Records | Table | RecordsOf[_V]" if self.has_set else "ClientRecords"

    @property
    def bins(self) -> str:
        """The type of bins to write, for Python."""
        return "Bins | _V" if self.has_set else "Bins"


@dataclass(frozen=True)
class Verbs:
    """All verbs and classes of a database."""

    #: Its name in the folders of a binding, and its tables.
    database: str
    source: str
    verbs: tuple[Verb, ...]
    classes: tuple[Class, ...]
    #: Rust structures that collect parameters: type and fields.
    gathered: dict[str, tuple[str, list[tuple[str, str]]]]
    composed: dict[str, str]
    #: Methods that are not verbs, in Rust.
    methods: dict[str, str]
    parameters: dict[str, Argument]

    def of(self, of: Class) -> list[Verb]:
        """The verbs that a class has."""
        return [it for it in self.verbs if it.on != "set" or of.query]

    def gathered_by(self, verb: Verb) -> list[str]:
        """Statements that collect the parameters of a verb."""
        names: list[str] = []
        for name in (*self.gathered, *self.composed):
            sign = "&" if name in self.gathered else ""
            if re.search(rf"{sign}\b{name}\b", verb.makes):
                fields = self.gathered.get(name, ("", []))[1]
                names += [of for _, of in fields if of in self.gathered]
                names.append(name)
        return [f"let {name} = {self._construction(verb, name)};" for name in dict.fromkeys(names)]

    def _construction(self, verb: Verb, name: str) -> str:
        if name in self.composed:
            return self.composed[name]
        type_, fields = self.gathered[name]
        values = [(field, self._field(verb, of)) for field, of in fields]
        parts = [field if field == value else f"{field}: {value}" for field, value in values]
        return f"{type_} {{ {', '.join(parts)} }}"

    def _field(self, verb: Verb, name: str) -> str:
        if name in self.gathered:
            return name
        usual, own = self.parameters[name], verb.argument(name)
        if own is None:
            return "false" if usual.rust == "bool" else "None"
        if usual.rust.startswith("Option<") and not own.rust.startswith("Option<"):
            return f"Some({own.rust_name})"
        return own.rust_name


def load() -> dict[str, Verbs]:
    """Loads the verbs and the classes of each database."""
    aerospike = load_file("verbs") | load_file("classes")
    return {
        "aerospike": _verbs("aerospike", "verbs.toml and classes.toml", aerospike),
        "cql": _verbs("cql", "cql.toml", load_file("cql")),
    }


def _verbs(database: str, source: str, raw: dict[str, Any]) -> Verbs:
    parameters = {name: _argument(name, of) for name, of in raw["parameters"].items()}
    gathered = {
        name: (of["type"], [_field(it) for it in of["fields"]])
        for name, of in raw.get("gathered", {}).items()
    }
    return Verbs(
        database,
        source,
        tuple(_verb(it, parameters, raw.get("groups", {})) for it in raw["verbs"]),
        tuple(_class(it) for it in raw["classes"]),
        gathered,
        raw.get("composed", {}),
        raw["methods"],
        parameters,
    )


def _field(text: str) -> tuple[str, str]:
    field, _, of = (it.strip() for it in text.partition("="))
    return field, of or field


def _argument(name: str, raw: dict[str, Any]) -> Argument:
    of = dict(raw)
    if of.pop("optional", False):
        of |= {"rust": OPTIONAL, "default": "None"}
    return Argument(name.rpartition(".")[2], **of)


def _verb(raw: dict[str, Any], parameters: dict[str, Argument], groups: dict[str, str]) -> Verb:
    of = dict(raw)
    taking = of.pop("takes")
    while "{" in taking:
        taking = taking.format(**groups)
    names = [it.strip() for it in taking.split(",")]
    takes = [
        replace(parameters.get(f"{of['name']}.{name}") or parameters[name])
        if name not in MARKS
        else Argument(name)
        for name in names
    ]
    doc = of.pop("doc").strip("\n")
    return Verb(takes=tuple(takes), doc=doc, **of)


def _class(raw: dict[str, Any]) -> Class:
    of = dict(raw)
    return Class(has_set=of.pop("set", False), methods=tuple(of.pop("methods", ())), **of)
