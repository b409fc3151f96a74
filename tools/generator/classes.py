"""Generates the Python classes that have verbs: their ``#[pymethods]`` in Rust.

The verbs that several classes have are a macro, so that each is there once; the file of a class has
its other methods and applies the macro.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from generator.text import formatted, header

if TYPE_CHECKING:
    from generator.verbs import Class, Verb, Verbs

#: Names that methods may use, by the modules that define them.
USES = {
    "std::sync": ("Arc",),
    "pyo3::prelude": ("*",),
    "pyo3::types": ("PyDict", "PyList", "PyTuple", "PyType"),
    "spikewire_aerospike_protocol::message": ("op",),
    "crate::aerospike": ("arguments", "columns", "many", "verbs"),
    "crate::aerospike::api": ("classes",),
    "crate::aerospike::arguments": ("Argument", "flags"),
    "crate::aerospike::client": ("Pickled", "Shared"),
    "crate::aerospike::columns": ("ArrayOptions", "extra_columns"),
    "crate::aerospike::columns::source": ("Choice",),
    "crate::aerospike::api::asynchronous": ("AsyncClient", "AsyncDataset", "Loops"),
    "crate::aerospike::api::blocking": ("Client", "Dataset"),
    "crate::aerospike::api::classes": ("ClientRunner as _", "Runner as _", "Verbs as _"),
    "crate::aerospike::api::transaction": ("TransactionCore",),
    "spikewire_aerospike::transaction": ("Outsider",),
    "crate::aerospike::api::submit": ("ClientSubmit", "DatasetSubmit", "Submit"),
    "crate::aerospike::core": ("NodeParts",),
    "crate::aerospike::identity": ("Token",),
    "crate::aerospike::key": ("Address",),
    "crate::aerospike::query::asynchronous": ("AsyncQuery",),
    "crate::aerospike::query::blocking": ("Query",),
    "crate::aerospike::query": ("QueryCall", "QueryOptions"),
    "crate::aerospike::query::job": ("JobCall", "JobOptions"),
    "crate::aerospike::record_type": ("RecordType", "annotation"),
    "crate::aerospike::space": ("Space",),
    "crate::aerospike::verbs": (
        "AttemptKeywords",
        "Function",
        "Limits",
        "ReadOptions",
        "ReadRules",
        "RowOptions",
        "WriteOptions",
    ),
    "crate::bridge::connections": ("LoopTable",),
    "crate::cql::api": ("session",),
    "crate::cql::job": ("Goal",),
    "crate::cql::many": ("Many",),
    "crate::cql::runner": ("Blocking", "Loops", "Runner as _", "Submitting"),
    "crate::cql::api::session": ("AsyncSessionCore", "SessionCore", "SessionSubmit"),
}
#: What shows that a trait is used.
TRAITS = {
    "crate::aerospike::api::classes::ClientRunner as _": ".end(py)",
    "crate::aerospike::api::classes::Runner as _": ".shared()",
    "crate::aerospike::api::classes::Verbs as _": "self.defaults()",
    "crate::cql::runner::Runner as _": ".shared()",
}

#: The macros with the verbs, by what they are on, and for a set by whether the class has one.
MACROS = {
    ("statement", True): "statement_verbs",
    ("one", True): "record_verbs",
    ("many", True): "batch_verbs",
    ("set", False): "client_verbs",
    ("set", True): "dataset_verbs",
}
DOCS = {
    "statement_verbs": "The methods of a class: its own, and the verbs.",
    "record_verbs": "The methods of a class: its own, and the verbs on a record.",
    "batch_verbs": "The methods of a class: its own, and the verbs on records.",
    "client_verbs": "The methods of a client: its own, and all verbs.",
    "dataset_verbs": "The methods of a dataset: its own, and all verbs.",
}
SET_MACROS = {"client_verbs", "dataset_verbs"}


def modules(verbs: Verbs) -> dict[str, str]:
    """The modules of a database's classes, by their names: macros first, then the classes."""
    macros = _macros(verbs)
    texts = {
        name: f"{header('//', verbs.source)}//! Verbs of several classes.\n\n{text}"
        for name, text in macros.items()
    }
    return texts | {_snake(of.name): _module(verbs, of, macros) for of in verbs.classes}


def _macros(verbs: Verbs) -> dict[str, str]:
    """The macros with the verbs, each passing on to the one before what it is given."""
    macros: dict[str, str] = {}
    before = ""
    for (on, has_set), name in MACROS.items():
        methods = [_method(verbs, it, has_set=has_set) for it in verbs.verbs if it.on == on]
        if methods:
            takes = "$class:ident, $query:ident" if on == "set" else "$class:ident"
            macros[name] = _rules(name, takes, methods, before)
            before = name if on != "set" else before
    return macros


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _rules(name: str, takes: str, methods: list[str], inner: str) -> str:
    """A macro that makes methods of a class. ``inner``: the macro that makes the others."""
    verbs = "\n\n".join(methods)
    text = formatted(f"impl class_ {{\nfn own() {{}}\n\n{verbs}\n}}\n", width=92)
    # rustfmt knows no `$`.
    text = re.sub(r"\b(class|query)_\b", r"$\1", text).replace("fn own() {}", "$($own)*")
    if inner:
        text = text.replace("impl $class {", f"{inner}!($class {{").rstrip() + ");\n"
    else:
        allowed = "#[allow(clippy::too_many_arguments)] // a keyword is an argument\n"
        text = f"{allowed if 'unknown' in text else ''}#[pymethods]\n{text}"
    body = "".join(f"{' ' * 8}{line}".rstrip() + "\n" for line in text.splitlines())
    return (
        f"/// {DOCS[name]}\nmacro_rules! {name} {{\n"
        f"    ({takes} {{ $($own:tt)* }}) => {{\n{body}    }};\n}}\n"
    )


def _module(verbs: Verbs, of: Class, macros: dict[str, str]) -> str:
    """The module with the methods of a class."""
    own = "\n\n".join(_filled(verbs.methods[name], of) for name in of.methods)
    if own:
        own = "\n" + formatted(f"impl Class {{\n{own}\n}}\n").partition("{\n")[2][:-2]
    left_out = {MACROS["set", not of.has_set]} if of.query else SET_MACROS
    used = [name for name in macros if name not in left_out]
    takes = f"{of.name}, {of.query}" if of.query else of.name
    methods = f"{used[-1]}!({takes} {{{own}}});\n"
    uses = _uses(verbs, methods + "".join(macros[name] for name in used))
    return f"{header('//', verbs.source)}//! The methods of `{of.name}`.\n\n{uses}\n{methods}"


def _uses(verbs: Verbs, text: str) -> str:
    """The names that a text uses from other modules."""
    groups: dict[str, list[str]] = {}
    other = "cql" if verbs.database == "aerospike" else "aerospike"
    for module, names in USES.items():
        if module.split("::")[:2] == ["crate", other]:
            continue
        used = [it for it in names if _is_used(module, it, text)]
        if used:
            root = module.partition("::")[0]
            group = root if root in ("std", "crate") else "others"
            groups.setdefault(group, []).append(f"use {module}::{{{', '.join(used)}}};\n")
    return "\n".join("".join(lines) for lines in groups.values())


def _is_used(module: str, name: str, text: str) -> bool:
    if trait := TRAITS.get(f"{module}::{name}"):
        return trait in text
    return name == "*" or re.search(rf"(?<![:\w]){name}\b", text) is not None


def _filled(text: str, of: Class) -> str:
    return text.replace("$class", of.name).replace("$dataset", of.dataset).strip("\n")


def _method(verbs: Verbs, verb: Verb, *, has_set: bool = True) -> str:
    signature = [it.signature for it in verb.takes]
    named = [it for it in verb.takes if not it.is_mark]
    declared = [it.declared for it in named]
    doc = "".join(f"/// {line}".rstrip() + "\n" for line in verb.doc.split("\n"))
    if verb.on == "statement":
        signatures = f"signature = ({', '.join(signature)})"
        lines = [verb.makes]
    else:
        texts = [it.text_signature for it in verb.takes]
        names = [it.name for it in named]
        if not has_set:
            place = ["namespace", "set=None" if verb.set == "optional" else "set"]
            signature[:0] = texts[:0] = place
            names[:0] = ["namespace", "set"]
            declared[:0] = ["namespace: &Bound<'py, PyAny>", "set: Option<&Bound<'py, PyAny>>"]
        text = f"($self, {', '.join(texts)})".replace('"', '\\"')
        signatures = f'signature = ({", ".join(signature)}, **unknown), text_signature = "{text}"'
        declared.append("unknown: Option<&Bound<'py, PyDict>>")
        name = f'concat!(stringify!(class_), ".{verb.name}")'
        known = ", ".join(sorted(names))
        check = f'arguments::no_unknown({name}, unknown, "{known}")?;'
        lines = [check, *_body(verb, verbs.gathered_by(verb), has_set=has_set)]
    result = "query_" if verb.name == "query" else "Bound<'py, PyAny>"
    body = "\n".join(lines)
    parameters = ", ".join(["&self", "py: Python<'py>", *declared])
    return (
        f"{doc}#[pyo3({signatures})]\n"
        f"fn {verb.name}<'py>({parameters}) -> PyResult<{result}> {{\n{body}\n}}"
    )


def _body(verb: Verb, lets: list[str], *, has_set: bool) -> list[str]:
    if verb.on == "one":
        run, subject = "run_one", "let address = Address::of(self.home(), key)?;"
    elif verb.on == "many":
        run = "run_many"
        subject = (
            "let resolve = |key: &Bound<'_, PyAny>| many::whole(Address::of(self.home(), key));"
        )
    else:
        run = "run_query" if verb.name == "query" else "run_job"
        named = "crate::aerospike::space::named(namespace, set)?"
        subject = f"let space = {'self.space.clone()' if has_set else named};"
    call = f"let call = {verb.makes}?{verb.then};"
    lines = ["let defaults = self.defaults();", subject, *lets, call]
    if verb.on in ("one", "many"):
        return ["let began = self.begin();", *lines, f"self.{run}(py, call, began)"]
    return [*lines, f"self.{run}(py, call)"]
