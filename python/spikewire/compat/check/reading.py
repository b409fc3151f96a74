"""What the source of a program uses of other clients."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, NamedTuple

from spikewire.compat.check.names import Names
from spikewire.compat.check.peers import module_at, of_module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.compat.check.peers import Peer

__all__ = ["Use", "uses_of"]

#: Parameters whose dictionaries have the entries of a policy or of metadata.
_POLICIES = ("policy", "meta")


class Use(NamedTuple):
    """A name that a program uses."""

    peer: Peer
    name: str
    """A path in the client's package, ``Class.method``, ``policy.entry``, ``config.entry`` or
    ``Class(parameter)``."""
    line: int
    value: object = ...
    """What a parameter or entry is set to, where it is a constant."""


def uses_of(source: str, filename: str = "<program>") -> list[Use]:
    """The names that a program uses, in their order. Raises ``SyntaxError`` or ``ValueError`` for
    what is no Python."""
    tree = ast.parse(source, filename)
    names = Names()
    _imports(tree, names)
    if not names.peers:
        return []
    for _ in range(2):  # The second time knows what was assigned further down.
        _assignments(tree, names)
    found = _Found(names)
    found.visit(tree)
    once = {(use.line, use.name): use for use in reversed(found.uses)}
    return [once[at] for at in sorted(once)]


def _imports(tree: ast.AST, names: Names) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.asname is not None:
                    names.imported(each.asname, each.name)
                else:
                    names.imported(each.name.partition(".")[0], each.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                names.imported(each.asname or each.name, f"{node.module}.{each.name}")


def _assignments(tree: ast.AST, names: Names) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                names.assigned(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            names.assigned(node.target, node.value)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    names.assigned(item.optional_vars, item.context_expr)
        elif isinstance(node, ast.arg) and node.annotation is not None:
            path = names.path(node.annotation)
            peer = None if path is None else of_module(path)
            kind = (path or "").rpartition(".")[2]
            if peer is not None and kind in peer.classes:
                names.holds[node.arg] = peer, kind


class _Found(ast.NodeVisitor):
    """Collects what is used."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.uses: list[Use] = []

    def add(self, peer: Peer, name: str, node: ast.AST, value: object = ...) -> None:
        self.uses.append(Use(peer, name, getattr(node, "lineno", 0), value))

    def visit_Import(self, node: ast.Import) -> None:
        for each in node.names:
            peer = of_module(each.name)
            if peer is not None:
                self.add(peer, each.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        peer = of_module(node.module or "") if not node.level else None
        if peer is not None:
            for each in node.names:
                name = node.module if each.name == "*" else f"{node.module}.{each.name}"
                self.add(peer, name or "", node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self.names.path(node)
        peer = None if path is None else of_module(path)
        if path is not None and peer is not None:
            self.add(peer, path, node)
            return
        owner = self.names.kind(node.value)
        if owner is not None:
            self.add(owner[0], f"{owner[1]}.{node.attr}", node)
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        self.visit(node.func)
        for each in (*node.args, *node.keywords):
            self.visit(each)
        path = self.names.path(node.func)
        peer = None if path is None else of_module(path)
        if path is not None and peer is not None:
            self._made(peer, path, node)
        elif isinstance(node.func, ast.Attribute):
            owner = self.names.kind(node.func.value)
            if owner is not None:
                self._called(owner[0], owner[1], node.func.attr, node)

    def _made(self, peer: Peer, path: str, node: ast.Call) -> None:
        """A call of what is in a module: a client with its configuration, an object."""
        if path in peer.config_calls and node.args:
            for name, key, value in self._entries(node.args[0]):
                if name == "policies":
                    self._policies(peer, value)
                self.add(peer, f"config.{name}", key, _constant(value))
        kind = path.rpartition(".")[2]
        for keyword in node.keywords:
            if keyword.arg is not None and path not in peer.config_calls:
                self.add(peer, f"{kind}({keyword.arg})", keyword.value, _constant(keyword.value))

    def _policies(self, peer: Peer, given: ast.expr) -> None:
        for name, key, value in self._entries(given):
            inner = list(self._entries(value))
            for entry, place, setting in inner:
                self.add(peer, f"policy.{entry}", place, _constant(setting))
            if not inner and not isinstance(value, (ast.Dict, ast.Name)):
                self.add(peer, f"policy.{name}", key, _constant(value))

    def _called(self, peer: Peer, kind: str, method: str, node: ast.Call) -> None:
        """A call of a method: which of its arguments are policies is what the drop-in's says."""
        parameters = _parameters(peer, kind, method)
        given = list(zip(parameters, node.args, strict=False))
        given += [(each.arg, each.value) for each in node.keywords if each.arg is not None]
        for name, value in given:
            if any(word in name for word in _POLICIES):
                for entry, key, setting in self._entries(value):
                    self.add(peer, f"policy.{entry}", key, _constant(setting))
        for keyword in node.keywords:
            if keyword.arg is not None and keyword.arg not in _POLICIES:
                name = f"{kind}.{method}({keyword.arg})"
                self.add(peer, name, keyword.value, _constant(keyword.value))

    def _entries(self, node: ast.expr) -> Iterator[tuple[str, ast.expr, ast.expr]]:
        """The entries of a dictionary that is written out, or was assigned to this variable."""
        if isinstance(node, ast.Name):
            found = self.names.dictionaries.get(node.id)
            if found is None:
                return
            node = found
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, key, value


def _parameters(peer: Peer, kind: str, method: str) -> list[str]:
    of = getattr(module_at(peer.classes.get(kind, "")), method, None)
    try:
        return [name for name in inspect.signature(of).parameters if name != "self"]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return []


def _constant(node: ast.expr) -> object:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return ...
    return value if isinstance(value, (str, bytes, int, float, bool, type(None))) else ...
