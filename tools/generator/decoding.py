"""Generates the operations of the protocol crate: how each is built from its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.text import header, rust_docs

if TYPE_CHECKING:
    from generator.table import Family, Operation, Parameter, Table

#: Names that the generated modules use, by the modules that define them.
USES = {
    "list": "use crate::cdt::flags::{self, list_sort, list_write};\n"
    "use crate::cdt::{By, ListOp, return_type as returns};\n",
    "map": "use crate::cdt::flags::{self, map_write};\n"
    "use crate::cdt::{By, MapOp, return_type as returns};\n",
    "bit": "use crate::bits::{Area, BitOp, Combine, base64, integer, resize, write};\n",
    "hll": "use crate::hll::{HllOp, write};\n",
    "string": "use crate::strings::{Change, StringOp, regex, write};\n",
}

#: Families whose operations are validated as a whole.
CHECKED = ("list", "map")


def words(table: Table) -> str:
    """The words that are valid as arguments."""
    parts = [
        header("//", "kinds.toml"),
        "//! Words that arguments may be, and the numbers that they stand for.\n\n",
        "use super::Words;\n",
        "use crate::bits::integer;\n",
        "use crate::cdt::flags;\n",
        "use crate::cdt::return_type as returns;\n",
        "use crate::strings::number;\n",
    ]
    for name, of in table.words.items():
        pairs = "".join(f'("{word}", {number}),' for word, number in of.are.items())
        label = name.replace("_", " ")
        parts.append(
            f"\n/// The words of {label}.\npub const {name.upper()}: &Words = &[{pairs}];\n"
        )
    return "".join(parts)


def module(table: Table, family: Family) -> str:
    """The module with the operations of a family."""
    name, of = family.name, family.type
    arguments = "V, N" if name != "hll" else "V"
    types = arguments.replace("V", "A::Value").replace("N", "A::Number")
    used_words = sorted(
        {
            it.kind.upper()
            for operation in family.operations
            for it in operation.encoded
            if it.kind in table.words
        }
    )
    checks = sorted(
        {check for it in family.operations for check in _CALLS if f"{check}(" in it.makes}
    )
    parts = [
        header("//", f"{name}.toml"),
        f"//! The {_NOUNS[name]} operations.\n\n",
        USES[name],
        "use crate::expression::{Fault, Type};\n",
        f"use super::checks::{{self, {', '.join(checks)}}};\n"
        if checks and name in CHECKED
        else "use super::checks;\n"
        if name in CHECKED
        else f"use super::checks::{{{', '.join(checks)}}};\n",
        f"use super::words::{{{', '.join(used_words)}}};\n" if used_words else "",
        "use super::{ArgumentConverter, Gives, Signature, argument, option};\n",
        (
            f"\ntype OpResult<A> = Result<{of}<{_associated(types)}>,"
            " <A as ArgumentConverter>::Error>;\n"
        ),
        _signatures(family),
        _lookup(family),
        _make(family, types),
    ]
    parts += [_function(table, family, it) for it in family.operations if it.encoded]
    return "".join(parts)


_NOUNS = {"list": "list", "map": "map", "bit": "bit", "hll": "sketch", "string": "string"}
_CALLS = ("exclusive", "one_way", "precision")


def _associated(types: str) -> str:
    return types.replace("A::", "<A as ArgumentConverter>::")


def _signatures(family: Family) -> str:
    lines = []
    for it in family.operations:
        parameters = ", ".join(
            f'{"option" if _is_option(p) else "argument"}("{p.name}")' for p in it.encoded
        )
        gives = {
            "": "Gives::Changed",
            "element": "Gives::Element",
            "returning": "Gives::Returning",
        }.get(it.result, f"Gives::Value(Type::{it.result})")
        lines.append(
            f"\nconst {_constant(it)}: Signature = Signature {{ code: {it.code}, "
            f"parameters: &[{parameters}], gives: {gives} }};\n"
        )
    return "".join(lines)


def _is_option(it: Parameter) -> bool:
    return it.optional or it.keyword or it.default is not None or it.name == "order"


def _constant(operation: Operation) -> str:
    return operation.name.upper().rstrip("_")


def _lookup(family: Family) -> str:
    arms = "".join(f'"{it.name}" => &{_constant(it)},' for it in family.operations)
    names = ", ".join(f'"{it.name}"' for it in family.operations)
    return (
        "\n/// The names of all operations of this family.\n"
        f"pub const NAMES: &[&str] = &[{names}];\n"
        "\n/// The signature of the operation with this name.\n"
        "pub fn signature(name: &str) -> Option<&'static Signature> {\n"
        f"    Some(match name {{ {arms} _ => return None }})\n}}\n"
    )


def _make(family: Family, types: str) -> str:
    arms = "".join(f'"{it.name}" => {_arm(family, it)},' for it in family.operations)
    unknown = (
        f'_ => return Err(Fault::of_value(format!("unknown {family.name} operation {{name:?}}"))'
        ".into())"
    )
    body = f"match name {{ {arms} {unknown} }}"
    if family.name in CHECKED:
        body = f"let op = {body};\n    checks::{family.name}(arguments, &op)?;\n    Ok(op)"
    else:
        body = f"Ok({body})"
    return (
        "\n/// Builds the operation with this name from its arguments.\n"
        "pub fn make<A: ArgumentConverter>(name: &str, arguments: &mut A)"
        f" -> Result<{family.type}<{types}>, A::Error> {{\n    {body}\n}}\n"
    )


def _arm(family: Family, operation: Operation) -> str:
    if operation.encoded:
        return f"{_function_name(operation)}(arguments)?"
    return f"{family.type}::{operation.makes}"


def _function_name(operation: Operation) -> str:
    return operation.name.rstrip("_")


def _function(table: Table, family: Family, operation: Operation) -> str:
    fields: dict[str, list[str]] = {}
    for at, it in enumerate(operation.encoded):
        fields.setdefault(it.into or it.name, []).append(_take(table, at, it))
    lets = "".join(f"    let {name} = {' | '.join(of)};\n" for name, of in fields.items())
    return (
        f"\n{rust_docs(operation.expression_doc.split(chr(10))[0])}"
        f"fn {_function_name(operation)}<A: ArgumentConverter>(arguments: &mut A)"
        f" -> OpResult<A> {{\n{lets}"
        f"    Ok({family.type}::{operation.makes})\n}}\n"
    )


def _take(table: Table, at: int, it: Parameter) -> str:
    if it.kind == "flag":
        return f'arguments.flagged({at}, "{it.name}", {it.flag})?'
    if it.kind in table.words:
        take = "optional_word" if it.optional else "word"
        return f'arguments.{take}({at}, "{it.name}", {it.kind.upper()})?'
    take = table.kinds[it.kind].take
    if it.optional:
        take = f"optional_{take}"
    bounds = f", {it.bounds}" if it.kind == "bits" else ""
    return f'arguments.{take}({at}, "{it.name}"{bounds})?'
