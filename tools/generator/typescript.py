"""Generates the modules of ``op`` and ``exp`` of the npm package, and the types of their words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from generator.text import WIDTH, comment, header

if TYPE_CHECKING:
    from generator.table import Family, Operation, Parameter, Table

#: The TypeScript types of parameters with a Python type of their own.
OWN_TYPES = {"float": "Amount"}

#: The types of parameters in expressions, by kind; kinds that are missing here take any operand.
OPERANDS = {
    "number": "'int'",
    "values": "'list'",
    "keys": "'list'",
    "sketches": "'hll' | 'list'",
    "entries": "'map'",
    "bytes": "'blob'",
    "key": "'int' | 'string' | 'blob'",
    "text": "'string'",
    "texts": "'list'",
    "place": "'int'",
}

#: The types of expressions that the operations of each family apply to.
WORKED_ON = {
    "list": "'list' | 'map'",
    "map": "'list' | 'map'",
    "bit": "'blob'",
    "hll": "'hll'",
    "string": "'string'",
}

#: The kinds of expressions, by the names of the protocol crate's types.
KINDS = {
    "Int": "int",
    "Float": "float",
    "List": "list",
    "Blob": "blob",
    "Hll": "hll",
    "Str": "string",
    "Bool": "bool",
}


def words(table: Table) -> str:
    """The words that are valid as arguments, as types."""
    parts = [header("//", "kinds.toml"), "\n/** Words that operations take. */\n"]
    for of in table.words.values():
        doc = comment(of.doc, 0)
        listed = [f"'{word}'" for word in of.are]
        line = f"export type {of.python} = {' | '.join(listed)}"
        if len(line) > WIDTH:
            line = f"export type {of.python} =\n" + "\n".join(f"  | {it}" for it in listed)
        parts.append(f"\n{doc}{line}\n")
    return "".join(parts)


def module(table: Table, family: Family, api: str) -> str:
    """The module of a family: ``op.list`` and so on."""
    writer = _Writer(table, family, api)
    operations = [it for it in family.operations if api in it.apis]
    functions = "".join(writer.function(it) for it in operations)
    doc = comment(family.docs["node"][api], 0)
    front = f"{header('//', family.name + '.toml')}\n{doc}\n"
    return f"{front}{writer.imports()}{writer.interfaces()}{functions}"


#: For each API: the type that its functions return, the function that creates it, and its module.
MAKERS = {
    "op": ("Operation", "operation", "../operation/operation.js"),
    "exp": ("Expression", "call", "../operation/expression.js"),
}

#: The most functions that are named in the documentation of their options.
FEW = 6


def camel(name: str) -> str:
    """A name in camel case."""
    return re.sub(r"_+([a-z0-9])", lambda match: match[1].upper(), name.rstrip("_"))


def worded(doc: str) -> str:
    """Documentation with the names of TypeScript."""
    for word, own in (
        ("`None`", "`null`"),
        ("from a dict", "from an object or a `Map`"),
        ('`"fail"`, `"saturate"`', "`'fail'`, `'saturate'`"),
        ('or `"wrap"`', "or `'wrap'`"),
        ("from 0.0 to 1.0", "from 0 to 1"),
    ):
        doc = doc.replace(word, own)
    return re.sub(r"`([a-z]+(?:_[a-z]+)+)`", lambda match: f"`{camel(match[1])}`", doc)


#: The options of a function: their names in the table, and their types.
_Shape = tuple[tuple[str, str], ...]


class _Writer:
    def __init__(self, table: Table, family: Family, api: str) -> None:
        self.table, self.family, self.api = table, family, api
        #: The name of the interface for each set of options, and the functions that take it.
        self.shapes: dict[_Shape, tuple[str, list[str]]] = {}
        type_name, maker, source = MAKERS[api]
        self.source = source
        self.names: dict[str, set[str]] = {source: {f"type {type_name}", maker}}

    def uses(self, source: str, name: str) -> str:
        """Records that a type has to be imported."""
        self.names.setdefault(source, set()).add(f"type {name}")
        return name

    def imports(self) -> str:
        return "".join(_import(of, names) for of, names in sorted(self.names.items()))

    def interfaces(self) -> str:
        """The interfaces of options."""
        parts = []
        for shape, (name, takers) in self.shapes.items():
            generic = "<K extends Kind = Kind>" if ("kind", "K") in shape else ""
            docs = (comment(worded(self.family.options[it]), 2) for it, _ in shape)
            fields = (f"  {camel(it)}?: {type_} | undefined\n" for it, type_ in shape)
            lines = (doc + field for doc, field in zip(docs, fields, strict=True))
            whose = f"The options of {_listed(takers)}."
            if len(takers) > FEW:
                whose = "The options of functions that take nothing but a path."
            parts.append(
                f"\n{comment(whose, 0)}export interface {name}{generic} {{\n{''.join(lines)}}}\n"
            )
        return "".join(parts)

    def function(self, operation: Operation) -> str:
        op = self.api == "op"
        parameters = ["bin: string" if op else f"on: {self.operand(WORKED_ON[self.family.name])}"]
        argument_names: list[str] = []
        known: list[str] = []
        shape: list[tuple[str, str]] = []
        for it in operation.parameters:
            if not it.keyword:
                parameters.append(self.parameter(it))
                argument_names.append(camel(it.name))
                continue
            known.append(f"{camel(it.name)}: {self.default(it)}")
            if not self.fixed(operation, it):
                shape.append((it.name, self.type(it)))
        generic, type_name = "", self.return_type(operation)
        if operation.result == "element" and not op:
            generic, type_name = "<K extends Kind = Kind>", "Expression<NoInfer<K>>"
            self.uses(self.source, "Kind")
            shape.append(("kind", "K"))
            known.append("kind: undefined")
        if self.family.takes_path(self.api, operation):
            shape.append(("ctx", self.uses("../operation/ctx.js", "Path")))
            known.append("ctx: undefined")
        if shape:
            name = self.options(operation, tuple(shape))
            parameters.append(f"options?: {name}{'<K>' if generic else ''}")
        doc = operation.doc if op else operation.expression_doc
        head = _broken(
            f"export function {camel(operation.name)}{generic}(",
            parameters,
            f"): {type_name} {{",
            0,
        )
        arguments = [f"'{self.family.name}'", f"'{operation.name}'", "bin" if op else "on"]
        arguments.append(f"[{', '.join(argument_names)}]")
        if known:
            arguments += [_object(known, 4), "options" if shape else "{}"]
        call = _broken(f"return {MAKERS[self.api][1]}(", arguments, ")", 2)
        return f"\n{comment(worded(doc), 0)}{head}\n{call}\n}}\n"

    def options(self, operation: Operation, shape: _Shape) -> str:
        """The name of the interface for these options."""
        if shape not in self.shapes:
            taker = operation.name
            if shape == (("ctx", "Path"),):
                taker = "nested"
            elif self.api == "op":
                taker = re.sub(r"^(get|remove)_by_", "by_", taker)
            self.shapes[shape] = (camel(f"_{taker}") + "Options", [])
        name, takers = self.shapes[shape]
        takers.append(f"`{camel(operation.name)}`")
        return name

    def fixed(self, operation: Operation, it: Parameter) -> bool:
        """Whether it has only one possible value: an expression does not return what it removes."""
        return self.api == "exp" and it.name == "returning" and not operation.reads

    def return_type(self, operation: Operation) -> str:
        if self.api == "op":
            return "Operation"
        if operation.result in KINDS:
            return f"Expression<'{KINDS[operation.result]}'>"
        if operation.result:
            return "Expression"
        return f"Expression<{WORKED_ON[self.family.name]}>"

    def operand(self, kinds: str = "") -> str:
        self.uses("../operation/expression.js", "Operand")
        return f"Operand<{kinds}>" if kinds else "Operand"

    def parameter(self, it: Parameter) -> str:
        name, type_ = camel(it.name), self.type(it)
        if it.default is None:
            return f"{name}?: {type_} | null" if it.optional else f"{name}: {type_}"
        default = it.default if isinstance(it.default, int) else f"'{it.default}'"
        return f"{name}: {type_} = {default}"

    def type(self, it: Parameter) -> str:
        if it.kind in ("flag", "pad", "bool"):
            return "boolean"
        of = self.table.words.get(it.kind)
        if of:
            return self.uses("../operation/words.js", of.python)
        if self.api == "exp" and it.kind != "bits":
            kinds = "'int' | 'float'" if it.python == "float" else OPERANDS.get(it.kind, "")
            return self.operand(kinds)
        type_ = OWN_TYPES.get(it.python) or self.table.kinds[it.kind].node
        for name in re.findall(r"\b[A-Z]\w*", type_):
            self.uses("../operation/types.js", name)
        return type_

    def default(self, it: Parameter) -> str:
        if it.optional:
            return "undefined"
        return f"'{it.default}'" if it.default else "false"


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _import(source: str, names: set[str]) -> str:
    """An import as the formatter breaks it."""
    bare = {it: it.removeprefix("type ") for it in names}
    listed = sorted(names, key=lambda it: (bare[it].lower(), bare[it]))
    kind = ""
    if all(it.startswith("type ") for it in listed):
        kind, listed = "type ", [bare[it] for it in listed]
    line = f"import {kind}{{ {', '.join(listed)} }} from '{source}'\n"
    if len(line) <= WIDTH + 1:
        return line
    lines = "".join(f"  {it},\n" for it in listed)
    return f"import {kind}{{\n{lines}}} from '{source}'\n"


def _broken(before: str, items: list[str], after: str, indent: int) -> str:
    """A list as the formatter breaks it: on one line, or with one item per line."""
    pad = " " * indent
    line = f"{pad}{before}{', '.join(items)}{after}"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    lines = "".join(f"{pad}  {it},\n" for it in items)
    return f"{pad}{before}\n{lines}{pad}{after}"


def _object(entries: list[str], indent: int) -> str:
    """An object as the formatter breaks it."""
    line = f"{{ {', '.join(entries)} }}"
    if len(line) + indent + 1 <= WIDTH:
        return line
    pad = " " * indent
    return "{\n" + "".join(f"{pad}  {it},\n" for it in entries) + f"{pad}}}"
