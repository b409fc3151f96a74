"""Reads public names from sources, without building or importing anything.

Names are returned as Python spells them.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING

from generator.text import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PYTHON = ROOT / "python/spikewire"
NODE = ROOT / "node/src"
RUST = ROOT / "crates"

Names = frozenset[str]


def snake(name: str) -> str:
    """A name of JavaScript as Python spells it; classes and constants stay as they are."""
    if not name[:1].islower():
        return name
    return re.sub(r"(?<=[a-z0-9])[A-Z]+", lambda match: f"_{match[0].lower()}", name)


# Python


@cache
def _tree(path: str) -> ast.Module:
    return ast.parse((PYTHON / path).read_text())


def python_class(path: str, *names: str) -> Names:
    """The public methods, properties and fields of classes, without those of their bases."""
    members: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ClassDef) and node.name in names:
            members |= set(_members(node.body))
    assert members, f"{path} has no {names}"
    return frozenset(members)


def _members(body: list[ast.stmt]) -> Iterator[str]:
    for it in body:
        if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = it.name
        elif isinstance(it, ast.AnnAssign) and isinstance(it.target, ast.Name):
            name = it.target.id
        else:
            continue
        if not name.startswith("_"):
            yield name


def python_all(path: str) -> Names:
    """``__all__`` of a module."""
    for it in _tree(path).body:
        if isinstance(it, ast.Assign) and ast.unparse(it.targets[0]) == "__all__":
            return frozenset(ast.literal_eval(it.value))
    raise AssertionError(f"{path} has no __all__")


def python_classes(path: str) -> Names:
    """The public classes of a module."""
    body = _tree(path).body
    return frozenset(it.name for it in body if isinstance(it, ast.ClassDef) and it.name[0] != "_")


# Node.js

_DECLARED = re.compile(
    r"^export (?:abstract )?(?:class|interface) (\w+)([^{]*)\{(\}|.*?^\})",
    re.MULTILINE | re.DOTALL,
)
_MEMBER = re.compile(
    r"^  (?:(?:static|readonly|declare|override|async|get|set|abstract) |\*)*"
    r"([a-zA-Z]\w*)\??[(<:!]",
    re.MULTILINE,
)
#: A member that is documented as internal.
_INNER = re.compile(
    r"^  /\*\*(?:(?!\*/).)*?@internal(?:(?!\*/).)*\*/\n  [^\n]*", re.MULTILINE | re.DOTALL
)
#: What objects of JavaScript have for the language itself.
_OF_EVERY_OBJECT = {"constructor", "to_string", "to_json"}
_FUNCTION = re.compile(r"^export (?:async )?function (\w+)", re.MULTILINE)
_LIST = re.compile(r"^export (?:type )?\{(.*?)\}", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"^export \* as (\w+)", re.MULTILINE)
_WHOLE = re.compile(r"^export (?:type )?\* from '\./(.*)\.js'", re.MULTILINE)
_CLASS = re.compile(r"^export (?:abstract )?class (\w+)", re.MULTILINE)


@cache
def _node_text(folder: Path) -> dict[str, tuple[str, list[str]]]:
    """The classes and interfaces of a folder: their contents and what they extend."""
    declared: dict[str, tuple[str, list[str]]] = {}
    for path in sorted(folder.rglob("*.ts")):
        text = re.sub(r"^ +// .*\n", "", path.read_text(), flags=re.MULTILINE)
        for name, head, body in _DECLARED.findall(text):
            known, others = declared.get(name, ("", []))
            declared[name] = (known + body, others + _bases(head))
    return declared


def _bases(head: str) -> list[str]:
    """The names that a class or interface extends, without their type arguments."""
    while re.search(r"<[^<>]*>", head):
        head = re.sub(r"<[^<>]*>", "", head)
    return re.findall(r"\b[A-Z]\w+", head.partition("implements")[0])


def node_class(folder: str, *names: str, bases: bool = True) -> Names:
    """The members of classes and interfaces in a folder, with those that they extend."""
    declared = _node_text(NODE / folder)
    members: set[str] = set()
    left, done = list(names), set[str]()
    for name in names:
        assert name in declared, f"{folder} has no {name}"
    while left:
        name = left.pop()
        if name in done or name not in declared:
            continue
        done.add(name)
        body, extends = declared[name]
        members |= {snake(it) for it in _MEMBER.findall(_INNER.sub("", body))}
        left += extends if bases else []
    return frozenset(members - _OF_EVERY_OBJECT)


def node_module(path: str) -> Names:
    """The functions that a module exports."""
    text = (NODE / path).read_text()
    listed = {name for names in _LIST.findall(text) for name in _exported(names)}
    functions = set(_FUNCTION.findall(text))
    return frozenset(snake(it) for it in functions | listed | set(_MODULE.findall(text)))


def node_exports(path: str) -> Names:
    """Everything that a module exports, with what it re-exports as a whole."""
    text = (NODE / path).read_text()
    names = {name for listed in _LIST.findall(text) for name in _exported(listed)}
    names |= set(_MODULE.findall(text)) | set(_CLASS.findall(text))
    for other in _WHOLE.findall(text):
        names |= node_exports(f"{other}.ts")
    return frozenset(names)


def _exported(listed: str) -> Iterator[str]:
    for item in listed.split(","):
        words = item.replace("type ", "").split()
        if words:
            yield words[-1]


# Rust

_IMPL = re.compile(r"^impl(?:<[^>]*>)? (\w+)[^{]*\{\s*$(.*?)^\}", re.MULTILINE | re.DOTALL)
_FN = re.compile(r"^\s*pub (?:const )?(?:async )?fn (?:r#)?([a-z]\w*)", re.MULTILINE)
#: A method that a macro defines, with the variant that it stands for.
_VARIANT = re.compile(r"^ {4}([a-z]\w*) [A-Z]\w*;$", re.MULTILINE)


def rust_functions(*paths: str, of: str = "", after: str = "") -> Names:
    """The public functions of files; with ``of`` only those of a type, with ``after`` only those
    after this text."""
    names: set[str] = set()
    for path in paths:
        text = (RUST / path).read_text()
        assert after in text, f"{path} has no {after}"
        text = text[text.index(after) :]
        if of:
            text = "".join(body for name, body in _IMPL.findall(text) if name == of)
            assert text, f"{path} has no impl {of}"
        names |= set(_FN.findall(text)) | set(_VARIANT.findall(text))
    return frozenset(names)


def rust_fields(path: str, *names: str) -> Names:
    """The public fields of structures."""
    text = (RUST / path).read_text()
    fields: set[str] = set()
    for name in names:
        body = re.search(rf"pub struct {name} \{{(.*?)^\}}", text, re.DOTALL | re.MULTILINE)
        assert body, f"{path} has no struct {name}"
        fields |= set(re.findall(r"^    pub (?:r#)?([a-z]\w*):", body[1], re.MULTILINE))
    return frozenset(fields)


def rust_variants(path: str, name: str) -> Names:
    """The variants of an enumeration."""
    text = (RUST / path).read_text()
    body = re.search(rf"pub enum {name} \{{(.*?)^\}}", text, re.DOTALL | re.MULTILINE)
    assert body, f"{path} has no enum {name}"
    return frozenset(re.findall(r"^    ([A-Z]\w*)[,({]", body[1], re.MULTILINE))


def rust_codes(path: str) -> Names:
    """Result codes, as the names of errors."""
    codes = re.findall(r"^    ([A-Z][A-Z_]+)[ :=]", (RUST / path).read_text(), re.MULTILINE)
    return frozenset("".join(word.capitalize() for word in code.split("_")) for code in codes)
