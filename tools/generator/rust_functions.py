"""Generates the functions of ``spikewire::op`` and ``spikewire::exp``, and their enumerations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.text import header, rust_docs

if TYPE_CHECKING:
    from generator.table import Family, Operation, Parameter, Table

#: Parameters that take a value take any of these in an expression.
OPERAND = "impl Operand"


def enumerations(table: Table) -> str:
    """The words as enumerations."""
    parts = [
        header("//", "kinds.toml"),
        "//! Words that operations take, as enumerations.\n",
    ]
    for name, of in table.enums.items():
        variants = "".join(f"/// {doc}\n{_camel(word)},\n" for word, doc in of.are.items())
        arms = "".join(f'Self::{_camel(word)} => "{word}",' for word in of.are)
        parts.append(
            f"\n/// {of.doc}\n#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]\n"
            f"pub enum {name} {{\n{variants}}}\n\n"
            f"impl {name} {{\n    /// The word in the table.\n"
            f"    pub(crate) fn word(self) -> &'static str {{\n        match self {{ {arms} }}\n"
            "    }\n}\n"
        )
    return "".join(parts)


def _camel(word: str) -> str:
    return "".join(it.capitalize() for it in word.split("_"))


def module(table: Table, family: Family, api: str) -> str:
    """The module of a family: ``op::list`` and so on."""
    operations = [it for it in family.operations if api in it.apis]
    functions = "".join(_function(table, family, it, api) for it in operations)
    uses = ["use spikewire_aerospike_protocol::operation::Family;\n\n"]
    if api == "op":
        names = [it for it in ("NumberKind", "Order") if f": {it}" in functions]
        uses.append(f"use super::{{{', '.join(sorted(['Operation', *names]))}}};\n")
        uses.append("use crate::aerospike::calls::Call;\n")
        if "impl Encode" in functions:
            uses.append("use crate::aerospike::encode::Encode;\n")
        if "Into<Value>" in functions:
            uses.append("use crate::Value;\n")
    else:
        uses.append("use super::{Expression, operand::Operand};\n")
        uses.append("use crate::aerospike::calls::Call;\n")
        names = [it for it in ("NumberKind", "Order") if f": {it}" in functions]
        if names:
            uses.append(f"use crate::aerospike::words::{{{', '.join(names)}}};\n")
    docs = rust_docs(family.docs["rust"][api], mark="//!")
    return f"{header('//', family.name + '.toml')}{docs}\n{''.join(uses)}{functions}"


def _function(table: Table, family: Family, operation: Operation, api: str) -> str:
    fixed = _fixed(operation, api)
    parameters = ["bin: impl Into<String>" if api == "op" else f"on: {OPERAND}"]
    steps: list[str] = []
    for at, it in enumerate(operation.encoded):
        if it.name in fixed:
            steps.append(f'.word({at}, "{fixed[it.name]}")')
        elif not _is_option(it):
            type_, step = _parameter(table, at, it, api)
            parameters.append(f"{it.name}: {type_}")
            steps.append(step)
        elif it.default and it.kind in table.words:
            steps.append(f'.word({at}, "{it.default}")')
    options = [it.name for it in operation.parameters if _is_option(it) and it.name not in fixed]
    if api == "exp" and operation.result == "element":
        options.append("of_type")
    if family.takes_path(api, operation):
        options.append("ctx")
    type_name = "Operation" if api == "op" else "Expression"
    links = ", ".join(f"[`{it}`]({type_name}::{it})" for it in options)
    doc = operation.doc if api == "op" else operation.expression_doc
    text = _worded(doc) + (f"\n\nOptions: {links}." if options else "")
    new = f'Call::new(Family::{family.name.capitalize()}, "{operation.name}")'
    on = "bin.into()" if api == "op" else "on"
    allow = "#[must_use]\n" if api == "exp" else ""
    head = f"{_name(operation)}({', '.join(parameters)})"
    return (
        f"\n{rust_docs(text)}{allow}pub fn {head} -> {type_name} {{\n"
        f"    {type_name}::called({on}, {new}{''.join(steps)})\n}}\n"
    )


def _name(operation: Operation) -> str:
    return operation.name.rstrip("_")


def _fixed(operation: Operation, api: str) -> dict[str, str]:
    """Words with only one possible value: an expression does not return what it removes."""
    return {
        it.name: str(it.default)
        for it in operation.parameters
        if it.name == "returning" and api == "exp" and not operation.reads
    }


def _is_option(it: Parameter) -> bool:
    """Whether it is a method of the result instead of a parameter."""
    return it.keyword or (it.kind == "bits" and it.optional)


def _parameter(table: Table, at: int, it: Parameter, api: str) -> tuple[str, str]:
    """The type of a parameter, and the call that passes it on."""
    if it.kind in table.words:
        return table.words[it.kind].rust, f".word({at}, {it.name}.word())"
    if it.kind == "bool":
        return "bool", f".flag({at}, {it.name})"
    if it.kind == "bits":
        return "u8", f".number({at}, i64::from({it.name}))"
    kind = table.kinds[it.kind]
    maybe = "optional_" if it.optional and it.default is None else ""
    if api == "exp":
        return OPERAND, f".{maybe}operand({at}, {it.name})"
    if kind.take in ("number", "place"):
        type_ = "impl Into<Option<i64>>" if maybe else "i64"
        value = f"{it.name}.into()" if maybe else it.name
        return type_, f".{maybe}number({at}, {value})"
    return kind.rust, f'.{maybe}{kind.take}({at}, "{it.name}", {it.name})'


def _worded(doc: str) -> str:
    """Documentation with the names of Rust."""
    for word, own in (
        ("`OpNotApplicable`", "`OP_NOT_APPLICABLE`"),
        ("`None` is the smallest value", "Nil is the smallest value"),
        ("with `None` up to", "with nil up to"),
        ("from a dict", "from pairs"),
        ('`"fail"`, `"saturate"`', "fail, saturate"),
        ('or `"wrap"`', "or wrap"),
        ("`[index bits, minhash bits]`", "Index bits and minhash bits"),
    ):
        doc = doc.replace(word, own)
    return doc
