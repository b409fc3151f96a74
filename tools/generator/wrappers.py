"""Generates the modules of ``spikewire.op`` and ``spikewire.exp``."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from generator.text import BracketGroup, docstring, header, imports

if TYPE_CHECKING:
    from generator.table import Family, Operation, Parameter, Table


def module(table: Table, family: Family, api: str) -> str:
    """The module of a family: ``op.list`` and so on."""
    operations = [it for it in family.operations if api in it.apis]
    writer = _Writer(table, family, api)
    functions = "".join(writer.function(it) for it in operations)
    type_name = "Operation" if api == "op" else "Expression"
    types = "".join(
        f"{imports(4, module, names)}\n" for module, names in writer.types.items() if names
    )
    names = "".join(f'    "{it.name}",\n' for it in sorted(operations, key=lambda it: it.name))
    return (
        f"{header('#', family.name + '.toml')}"
        f'"""Implements ``spikewire.{api}.{family.name}``."""\n\n'
        "from __future__ import annotations\n\n"
        "from typing import TYPE_CHECKING\n\n"
        f"from spikewire._native import {type_name}\n\n"
        f"if TYPE_CHECKING:\n{types}\n"
        f"__all__ = [\n{names}]\n"
        f"{functions}"
        # What completion shows.
        "\n\ndef __dir__() -> tuple[str, ...]:\n    return tuple(__all__)\n"
    )


def public(family: Family, api: str) -> str:
    """The module by which programs import that of a family."""
    implementation = f"spikewire.aerospike.{api}.{family.name}"
    return (
        f"{header('#', family.name + '.toml')}"
        f'"""{family.docs["python"][api]}\n"""\n\n'
        f"from {implementation} import *\n"
        f"from {implementation} import __all__ as __all__\n"
    )


class _Writer:
    def __init__(self, table: Table, family: Family, api: str) -> None:
        self.table, self.family, self.api = table, family, api
        self.types: dict[str, set[str]] = {
            "spikewire.aerospike.exp.types": set(),
            "spikewire.types": set(),
        }

    def function(self, operation: Operation) -> str:
        lines = ["    bin: str,  # noqa: A002" if self.api == "op" else "    on: Operand,"]
        if self.api == "exp":
            self.types["spikewire.aerospike.exp.types"].add("Operand")
        keyword = False
        for name, type_, default in self.parameters(operation):
            if default is not None and default.startswith("*") and not keyword:
                lines.append("    *,")
                keyword = True
            value = (default or "").removeprefix("*")
            lines.append(f"    {name}: {type_}{f' = {value}' if value else ''},")
        shadows = "  # noqa: A001" if hasattr(builtins, operation.name) else ""
        type_name = "Operation" if self.api == "op" else "Expression"
        doc = operation.doc if self.api == "op" else operation.expression_doc
        signature = "\n".join(lines)
        return (
            f"\n\ndef {operation.name}({shadows}\n{signature}\n) -> {type_name}:\n"
            f"{docstring(doc.replace('`', '``'), 4)}\n{self.body(operation)}\n"
        )

    def parameters(self, operation: Operation) -> list[tuple[str, str, str | None]]:
        """Name, type and default; the name of a keyword-only parameter starts with a star."""
        parameters: list[tuple[str, str, str | None]] = []
        for it in self.parameters_of(operation):
            type_, default = self.type(it), self.default(it)
            if it.keyword:
                default = f"*{default or ''}"
            parameters.append((it.name, type_, default))
        if self.api == "exp" and operation.result == "element":
            self.types["spikewire.aerospike.exp.types"].add("Kind")
            parameters.append(("kind", "Kind | None", "*None"))
        if self.family.takes_path(self.api, operation):
            self.types["spikewire.types"].add("Path")
            parameters.append(("ctx", "Path | None", "*None"))
        return parameters

    def parameters_of(self, operation: Operation) -> list[Parameter]:
        """The parameters of the function."""
        return [it for it in operation.parameters if not self.fixed(operation, it)]

    def fixed(self, operation: Operation, it: Parameter) -> bool:
        """Whether it has only one possible value: an expression does not return what it removes."""
        return self.api == "exp" and it.name == "returning" and not operation.reads

    def type(self, it: Parameter) -> str:
        if it.kind in ("flag", "pad", "bool"):
            return "bool"
        words = self.table.words.get(it.kind)
        if words:
            self.types["spikewire.types"].add(words.python)
            return f"{words.python} | None" if it.optional else words.python
        if self.api == "exp" and it.kind != "bits":
            return "Operand"
        type_ = it.python or self.table.kinds[it.kind].python
        if type_[0].isupper():
            self.types["spikewire.types"].add(type_)
        # Values to find or to write may be None in any case.
        takes_none = it.python or it.kind in ("sought", "any_key")
        return f"{type_} | None" if it.optional and not takes_none else type_

    def default(self, it: Parameter) -> str | None:
        if isinstance(it.default, int):
            return str(it.default)
        if it.default:
            return f'"{it.default}"'
        if it.optional:
            return "None"
        return "False" if it.kind in ("flag", "pad") else None

    def body(self, operation: Operation) -> str:
        values = [
            f'"{it.default}"' if self.fixed(operation, it) else it.name for it in operation.encoded
        ]
        packed = f"({', '.join(values)}{',' if len(values) == 1 else ''})"
        if self.api == "op":
            arguments = [f'"{operation.name}"', "bin", packed]
            before = f"return Operation.{self.family.name}"
        else:
            arguments = [f'"{self.family.name}"', f'"{operation.name}"', "on", packed]
            before = "return Expression.call"
        if self.family.takes_path(self.api, operation):
            arguments.append("ctx")
        if self.api == "exp" and operation.result == "element":
            arguments.append("kind")
        arguments += [f"{it.name}={it.name}" for it in operation.parameters if it.kind == "pad"]
        return BracketGroup(before, arguments).layout(4)
