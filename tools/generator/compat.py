"""Generates the operations on lists, maps, bits and sketches as the drop-ins have them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from generator.table import load_file
from generator.text import BracketGroup, docstring, header

if TYPE_CHECKING:
    from generator.table import Family, Table

HELPERS = "spikewire.compat.aerospike_helpers"
AEROSPIKE_PY = "spikewire.compat.aerospike_py"

WILDCARD = "*  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]"


@dataclass(frozen=True)
class Parameter:
    """A parameter and the entry of a dictionary that has its value."""

    name: str
    entry: str
    type: str
    default: str
    #: Whether there is no entry if it is omitted.
    optional: bool

    @property
    def declared(self) -> str:
        """The parameter in a signature."""
        if self.name == "*":
            return "*"
        return f"{self.name}: {self.type}{f' = {self.default}' if self.default else ''}"

    @property
    def keyword(self) -> str:
        """The entry as an argument, which is ``None`` if there should be no entry."""
        has_value = self.optional and self.default != "None"
        return f"{self.entry}={self.name}{' or None' if has_value else ''}"


def modules(table: Table) -> dict[str, str]:
    """The modules, by their paths in ``python/spikewire/compat``."""
    raw = load_file("compat")
    texts: dict[str, str] = {}
    for api, write in (
        ("operations", _operations),
        ("expressions", _expressions),
        ("aerospike_py", _dictionaries),
    ):
        for family in (it for name, it in table.families.items() if name in raw[api]):
            of = _complete(raw, raw[api][family.name])
            texts[of["module"]] = write(family, of)
    tables = [
        _arguments(it, _complete(raw, raw["operations"][name]))
        for name, it in table.families.items()
        if name in raw["operations"]
    ]
    texts["aerospike/operation_table.py"] = _operation_table(tables)
    texts[raw["exp"]["module"]] = _exp(_complete(raw, raw["exp"]))
    return texts


def _complete(raw: dict[str, Any], of: dict[str, Any]) -> dict[str, Any]:
    """The table of a module, with what it leaves out."""
    parameters = raw["parameters"] | of.get("parameters", {})
    missing = {
        "irregular": [],
        "entries": {},
        "instead": {},
        "omissible": [],
        "without_function": {},
        "codes": "codes",
        "imports": [],
        "keys": "",
        "other": "Any",
    }
    return missing | of | {"parameters": parameters}


def _module(doc: str, imports: list[str], front: str, definitions: list[str]) -> str:
    text = front + "".join(definitions)
    typing = [name for name in ("Any", "TypeAlias") if re.search(rf"\b{name}\b", text)]
    blocks = [
        "from __future__ import annotations\n",
        f"from typing import {', '.join(typing)}\n" if typing else "",
        "".join(f"from {it}\n" for it in imports),
        front,
    ]
    top = "\n".join(filter(None, blocks))
    return f'{header("#", "compat.toml")}"""{doc}"""\n\n{top}{"".join(definitions)}'


def _aliases(module: str, names: list[str]) -> list[str]:
    """Imports of names that the module has for programs."""
    return [f"{module} import {name} as {name}" for name in names]


def _parameters(of: dict[str, Any], takes: str) -> list[Parameter]:
    # Commas in brackets are part of a type.
    parts = re.split(r", (?![^\[]*\])", takes)
    return [_parameter(of, part) for part in parts if part]


def _parameter(of: dict[str, Any], text: str) -> Parameter:
    """Parses ``entry = name: type?``: see README.md next to the table."""
    front, _, own_type = text.removesuffix("?").partition(": ")
    entry, _, name = front.rpartition(" = ")
    known = own_type or of["parameters"].get(name, of["other"])
    type_, _, default = known.partition(" = ")
    optional = text.endswith("?")
    if optional and not default:
        type_, default = type_ if type_ == "Any" else f"{type_} | None", "None"
    return Parameter(name, entry or of["entries"].get(name, name), type_, default, optional)


def _function(
    name: str, takes: list[str], gives: str, doc: str, result: BracketGroup, first: str = ""
) -> str:
    signature = BracketGroup(f"def {name}", takes, f" -> {gives}:").layout(0)
    result = replace(result, before=f"return {result.before}")
    return f"\n\n{signature}\n{docstring(doc, 4)}\n{first}{result.layout(4)}\n"


# aerospike_helpers.operations


def _operations(family: Family, of: dict[str, Any]) -> str:
    functions = [_operation(family, of, *it) for it in of["functions"].items()]
    imports = [
        f"spikewire.compat.aerospike import {_CODES.get(of['codes'], of['codes'])}",
        *_aliases(f"{HELPERS}.operations.irregular", of["irregular"]),
    ]
    if any("operation_dict(" in it for it in functions):
        imports.append(f"{HELPERS}.operations.operation_dict import operation_dict")
    imports = sorted([*imports, *of["imports"]])
    return _module(of["doc"], imports, _keys(of["keys"]) if of["keys"] else "", functions)


#: How a module of codes is imported if not by its own name.
_CODES = {"codes": "opcodes as codes"}


def _keys(keys: str) -> str:
    """Constants for the entries of the dictionaries."""
    lines = "# The entries of the dictionaries.\n"
    for key in keys.split(", "):
        entry, _, name = key.partition(" = ")
        lines += f'{(name or entry).upper()}_KEY = "{entry}"\n'
    return lines


def _kind(family: Family, name: str, row: str) -> tuple[str, str]:
    """The operation of a function, and its parameters."""
    kind, _, takes = row.rpartition(": ")
    return kind or name.removeprefix(f"{family.name}_"), takes


def _code(of: dict[str, Any], name: str) -> str:
    """The constant that has the code of an operation."""
    return f"{of['codes']}.OP_{name.upper().replace('_RELATIVE', '_REL')}"


def _operation(family: Family, of: dict[str, Any], name: str, row: str) -> str:
    kind, takes = _kind(family, name, row)
    parameters = _parameters(of, takes)
    if any(it.name == kind and family.takes_path("op", it) for it in family.operations):
        parameters.append(_parameter(of, "ctx?"))
    entries, options = [f'"op": {_code(of, name)}', '"bin": bin_name'], list[str]()
    for it in parameters:
        if not it.optional:
            entries.append(f'"{it.entry}": {it.name}')
        elif it.name in of["instead"]:
            instead = of["instead"][it.name]
            entries.append(f'"{it.entry}": {instead} if {it.name} is None else {it.name}')
        else:
            options.append(it.keyword)
    result = BracketGroup("", entries, brackets="{}")
    if options:
        result = BracketGroup("operation_dict", [result, *options])
    return _function(
        name,
        ["bin_name: str", *(it.declared for it in parameters)],
        "dict[str, Any]",
        f"The operation ``{name}``.",
        result,
        f'    warn_of_size("{name}")\n' if "value_byte_size" in takes else "",
    )


# compat.aerospike: what becomes of the dictionaries.

#: Entries that decide about the engine's keywords.
_DECIDING = (
    *("return_type", "inverted", "policy", "list_policy", "map_policy", "hll_policy"),
    *("list_order", "map_order", "persist_index", "pad", "sort_flags", "resize_flags"),
    *("sign", "action", "value_byte_size", "regex_flags"),
)
#: Parameters whose values the engine takes as they are.
_UNCONVERTED = frozenset({"bit", "sketches"})


def _operation_table(families: list[str]) -> str:
    doc = """The engine's operations by code, and where their arguments come from: the name of an
entry, with ``?`` one that may be missing, or the engine's name of what other entries say."""
    front = "OPERATIONS: dict[int, tuple[str, str, str]] = {\n"
    imports = [
        "spikewire.compat.aerospike import opcodes as codes",
        "spikewire.compat.aerospike import string_opcodes",
    ]
    return _module(doc, imports, front, [*families, "}\n"])


def _arguments(family: Family, of: dict[str, Any]) -> str:
    """The rows of a family in the table of operations."""
    rows = ""
    operations = {it.name: it for it in family.operations}
    for name, row in (of["functions"] | of["without_function"]).items():
        kind, takes = _kind(family, name, row)
        entries = iter(it for it in _parameters(of, takes) if it.entry not in _DECIDING)
        arguments: list[str] = []
        for it in operations[kind].encoded:
            if it.name == "order":
                arguments.append(f"{'?' if it.optional else ''}{family.name}_order")
            elif it.keyword or it.name in _UNCONVERTED:
                arguments.append(it.name)
            else:
                entry = next(entries, None)
                if entry is None and it.optional:  # A function without this argument.
                    arguments.append(f"?{it.name}")
                    continue
                if entry is None:
                    raise SystemExit(f"compat.toml: {name} has nothing for {it.name}")
                omissible = entry.optional or entry.entry in of["omissible"]
                arguments.append(f"{'?' if omissible else ''}{entry.entry}")
        items = [f'"{family.name}"', f'"{kind}"', f'"{" ".join(arguments)}"']
        rows += f"{BracketGroup(f'{_code(of, name)}: ', items, ',').layout(4)}\n"
    return rows


# aerospike_helpers.expressions


def _expressions(family: Family, of: dict[str, Any]) -> str:
    imports = [
        *_aliases(HELPERS, ["cdt_ctx"] if "exp" in family.path else []),
        *_aliases(f"{HELPERS}.expressions.base", [of["bin"]]),
        f"{HELPERS}.expressions.hints import {WILDCARD}",
        *_aliases(f"{HELPERS}.expressions.irregular", of["irregular"]),
        f"{HELPERS}.expressions.resources import Call",
        *_aliases(
            f"{HELPERS}.expressions.resources", ["ReturnType"] if "exp" in family.path else []
        ),
        *of["imports"],
    ]
    classes = [_class(family, of, *it) for it in of["classes"].items()]
    return _module(of["doc"], imports, "", classes)


def _class(family: Family, of: dict[str, Any], name: str, row: str) -> str:
    kind, _, takes = row.partition(": ")
    if not any(it.name == kind and "exp" in it.apis for it in family.operations):
        raise SystemExit(f"compat.toml: {name} calls {kind}, which exp.{family.name} does not have")
    parameters = _parameters(of, takes)
    arguments = ["bin", "ctx" if "exp" in family.path else "None"]
    arguments += [it.name for it in parameters if it.name == "value_type"]
    arguments += [it.keyword for it in parameters if it.name != "value_type"]
    if kind.startswith("remove_by"):
        arguments.append("return_type=0")
    signature = _signature(family, parameters).layout(4)
    result = BracketGroup("super().__init__", arguments).layout(8)
    return (
        f'\n\nclass {name}(Call):\n    """``{name}``."""\n\n'
        f'    _operation = "{family.name}", "{kind}"\n\n{signature}\n{result}\n'
    )


def _signature(family: Family, parameters: list[Parameter]) -> BracketGroup:
    """``bin`` comes before the parameters that have a default."""
    takes = ["self", "ctx: Any"] if "exp" in family.path else ["self"]
    takes += [it.declared for it in parameters if not it.default and it.name != "None"]
    takes += ["bin: Any", *(it.declared for it in parameters if it.default)]
    return BracketGroup("def __init__", takes, " -> None:")


# aerospike_py


def _dictionaries(_family: Family, of: dict[str, Any]) -> str:
    functions = [_dictionary(of, *it) for it in of["functions"].items()]
    policy = of["parameters"]["policy"]
    types = [it for it in (policy, "Operation") if it[0].isupper()]
    imports = [
        f"{AEROSPIKE_PY}.operation_dict import operation_dict",
        *(f"{it}  # noqa: TC001" for it in _aliases(f"{AEROSPIKE_PY}.types", types)),
    ]
    return _module(of["doc"], imports, _all([*of["functions"]]), functions)


def _all(names: list[str]) -> str:
    lines = "".join(f'    "{name}",\n' for name in sorted(names))
    return f"__all__ = [\n{lines}]\n"


def _dictionary(of: dict[str, Any], name: str, row: list[str]) -> str:
    code, _, takes = row[0].partition(": ")
    parameters = _parameters(of, takes)
    entries = [it.keyword for it in parameters if it.name != "*"]
    return _function(
        name,
        ["bin: str", *(it.declared for it in parameters)],
        "Operation",
        row[1],
        BracketGroup("operation_dict", [code, "bin", *entries]),
    )


# aerospike_py.exp


def _exp(of: dict[str, Any]) -> str:
    functions = [_expression(of, name, *row) for name, row in of["functions"].items()]
    types = [f"EXP_TYPE_{name.upper()}" for name in of["types"]]
    numbers = "".join(f"{name} = {number}\n" for number, name in enumerate(types))
    names = _all([*of["functions"], *types, "Expr"])
    front = f"Expr: TypeAlias = dict[str, Any]\n\n{numbers}\n{names}"
    return _module(of["doc"], [], front, functions)


def _expression(of: dict[str, Any], name: str, takes: str, doc: str) -> str:
    parameters = _parameters(of, takes.removeprefix("exprs = ").strip("()"))
    entries = [f'"{it.entry}": {it.name}' for it in parameters]
    if takes == "*exprs":
        entries = ['"exprs": list(exprs)']
    elif takes.startswith("exprs = "):
        entries = [f'"exprs": [{", ".join(it.name for it in parameters)}]']
    tree = BracketGroup("", [f'"__expr__": "{name.rstrip("_")}"', *entries], brackets="{}")
    return _function(name, [it.declared for it in parameters], "Expr", doc, tree)
