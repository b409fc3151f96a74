"""Generates the Python classes that have verbs: their ``#[pymethods]`` in Rust."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from generator.text import header

if TYPE_CHECKING:
    from generator.verbs import Class, Verb, Verbs

#: Names that methods may use, by the modules that define them.
USES = {
    "std::sync": ("Arc",),
    "pyo3::prelude": ("*",),
    "pyo3::types": ("PyDict", "PyTuple", "PyType"),
    "spikewire_aerospike_protocol::message": ("op",),
    "crate::aerospike": ("arguments", "columns", "many", "verbs"),
    "crate::aerospike::api": ("classes",),
    "crate::aerospike::arguments": ("Argument", "flags"),
    "crate::aerospike::client": ("Pickled", "Shared"),
    "crate::aerospike::columns": ("ArrayOptions", "extra_columns"),
    "crate::aerospike::columns::source": ("Choice",),
    "crate::aerospike::api::asynchronous": ("AsyncClient", "AsyncDataset", "Loops"),
    "crate::aerospike::api::blocking": ("Client", "Dataset"),
    "crate::aerospike::api::classes": ("ClientRunner as _", "Runner as _", "Verbs"),
    "crate::aerospike::api::submit": ("ClientSubmit", "DatasetSubmit", "Submit"),
    "crate::aerospike::identity": ("Token",),
    "crate::aerospike::query::asynchronous": ("AsyncQuery",),
    "crate::aerospike::query::blocking": ("Query",),
    "crate::aerospike::query": ("QueryCall", "QueryOptions"),
    "crate::aerospike::query::job": ("JobCall", "JobOptions"),
    "crate::aerospike::record_type": ("RecordType", "annotation"),
    "crate::aerospike::space": ("Space",),
    "crate::aerospike::verbs": (
        "Function",
        "Limits",
        "ReadOptions",
        "ReadRules",
        "RetryRules",
        "RowOptions",
        "WriteOptions",
    ),
}


def module(verbs: Verbs, of: Class) -> str:
    """The module with the methods of a class."""
    own = [_filled(verbs.methods[name], of) for name in of.methods]
    methods = own + [_method(of, verb, verbs.gathered_by(verb)) for verb in verbs.of(of)]
    body = "\n\n".join(methods)
    home = "Some(&self.space)" if of.has_set else "None"
    text = (
        f"impl Verbs for {of.name} {{\n"
        f"    type Runner = {of.runs};\n\n"
        f"    fn runner(&self) -> &{of.runs} {{ &self.{of.runner} }}\n\n"
        f"    fn home(&self) -> Option<&Arc<Space>> {{ {home} }}\n}}\n\n"
        "#[allow(clippy::too_many_arguments)] // a keyword is an argument\n"
        f"#[pymethods]\nimpl {of.name} {{\n{body}\n}}\n"
    )
    return (
        f"{header('//', 'verbs.toml and classes.toml')}"
        f"//! The methods of `{of.name}`.\n\n{_uses(text)}\n{text}"
    )


def _uses(text: str) -> str:
    """The names that a text uses from other modules."""
    groups: dict[str, list[str]] = {}
    for module, names in USES.items():
        used = [it for it in names if _is_used(it, text)]
        if used:
            root = module.partition("::")[0]
            group = root if root in ("std", "crate") else "others"
            groups.setdefault(group, []).append(f"use {module}::{{{', '.join(used)}}};\n")
    return "\n".join("".join(lines) for lines in groups.values())


def _is_used(name: str, text: str) -> bool:
    if name == "ClientRunner as _":
        return ".end(py)" in text
    if name == "Runner as _":
        return ".shared()" in text
    return name == "*" or re.search(rf"(?<![:\w]){name}\b", text) is not None


def _filled(text: str, of: Class) -> str:
    return text.replace("$class", of.name).replace("$dataset", of.dataset).strip("\n")


def _method(of: Class, verb: Verb, lets: list[str]) -> str:
    signature = [it.signature for it in verb.takes]
    texts = [it.text_signature for it in verb.takes]
    names = [it.name for it in verb.takes if it.name != "*"]
    declared = [it.declared for it in verb.takes if it.name != "*"]
    if verb.on == "set" and not of.has_set:
        named = ["namespace", "set=None" if verb.set == "optional" else "set"]
        signature[:0] = texts[:0] = named
        names[:0] = ["namespace", "set"]
        declared[:0] = ["namespace: &Bound<'py, PyAny>", "set: Option<&Bound<'py, PyAny>>"]
    doc = "".join(f"/// {line}".rstrip() + "\n" for line in verb.doc.split("\n"))
    result = of.query if verb.name == "query" else "Bound<'py, PyAny>"
    unknown = "unknown: Option<&Bound<'py, PyDict>>"
    parameters = ", ".join(["&self", "py: Python<'py>", *declared, unknown])
    known = ", ".join(sorted(names))
    check = f'arguments::no_unknown("{of.name}.{verb.name}", unknown, "{known}")?;'
    body = "\n".join([check, *_body(of, verb, lets)])
    text = f"($self, {', '.join(texts)})".replace('"', '\\"')
    signatures = f'signature = ({", ".join(signature)}, **unknown), text_signature = "{text}"'
    return (
        f"{doc}#[pyo3({signatures})]\n"
        f"fn {verb.name}<'py>({parameters}) -> PyResult<{result}> {{\n{body}\n}}"
    )


def _body(of: Class, verb: Verb, lets: list[str]) -> list[str]:
    if verb.on == "one":
        run, subject = "run", "let address = self.address(key)?;"
    elif verb.on == "many":
        run = "run_many"
        subject = "let resolve = |key: &Bound<'_, PyAny>| many::whole(self.address(key));"
    else:
        run = "run_query" if verb.name == "query" else "run_job"
        named = (
            "self.space.clone()"
            if of.has_set
            else "crate::aerospike::space::named(namespace, set)?"
        )
        subject = f"let space = {named};"
    call = f"let call = {verb.makes}?{verb.then};"
    lines = ["let defaults = self.defaults();", subject, *lets, call]
    if verb.on in ("one", "many"):
        return ["let began = self.begin();", *lines, f"self.{run}(py, call, began)"]
    return [*lines, f"self.{run}(py, call)"]
