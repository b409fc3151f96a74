"""Finds what the source of a program uses of other clients."""

from __future__ import annotations

import ast
import contextlib
import inspect
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spikewire.compat.check.names import Names, dotted
from spikewire.compat.check.peers import class_at, of_module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.compat.check.names import Bound
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
    sure: bool = True
    """Whether more than the name of a variable says what it holds."""


def uses_of(source: str, filename: str = "<program>") -> list[Use]:
    """The names that a program uses, in order. Raises ``SyntaxError`` or ``ValueError`` for invalid
    Python."""
    tree = ast.parse(source, filename)
    names = Names()
    _imports(tree, names)
    if not names.peers:
        return []
    for _ in range(2):  # Twice, because the second pass knows about later assignments.
        _assignments(tree, names)
    visitor = _UseVisitor(names)
    visitor.visit(tree)
    once = {(use.line, use.name): use for use in reversed(visitor.uses)}
    return [once[at] for at in sorted(once)]


def _imports(tree: ast.AST, names: Names) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.asname is not None:
                    names.add_import(each.asname, each.name)
                else:
                    names.add_import(each.name.partition(".")[0], each.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                names.add_import(each.asname or each.name, f"{node.module}.{each.name}")


def _assignments(tree: ast.AST, names: Names) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                names.add_assignment(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            names.add_assignment(node.target, node.value)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    names.add_assignment(item.optional_vars, item.context_expr)
        elif isinstance(node, ast.arg) and node.annotation is not None:
            kind = _class_of(node, names)
            if kind is not None:
                names.holds[node.arg] = kind


def _class_of(parameter: ast.arg, names: Names) -> tuple[Peer, str] | None:
    """The class of a client that a parameter's annotation names."""
    for part in _parts(parameter.annotation):
        path = names.path(part)
        peer = None if path is None else of_module(path)
        kind = (path or "").rpartition(".")[2]
        if peer is not None and kind in peer.classes:
            return peer, kind
    return None


def _parts(annotation: ast.expr | None) -> Iterator[ast.expr]:
    """The names in an annotation, which may be a string."""
    for node in () if annotation is None else ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            with contextlib.suppress(SyntaxError):
                yield from _parts(ast.parse(node.value, mode="eval").body)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            yield node


def _of_parameter(parameter: ast.arg, names: Names) -> Bound:
    kind = _class_of(parameter, names)
    if kind is not None:
        return kind
    annotations = [dotted(each) for each in _parts(parameter.annotation)]
    vague = not annotations or any(each in ("Any", "typing.Any", "object") for each in annotations)
    return "parameter" if vague else "other"


class _UseVisitor(ast.NodeVisitor):
    """Collects the uses."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.uses: list[Use] = []

    def add(
        self, peer: Peer, name: str, node: ast.AST, value: object = ..., *, sure: bool = True
    ) -> None:
        self.uses.append(Use(peer, name, getattr(node, "lineno", 0), value, sure))

    def _within(self, node: ast.AST, scope: dict[str, Bound]) -> None:
        self.names.scopes.append(scope)
        self.generic_visit(node)
        self.names.scopes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._within(node, _bound(node, self.names))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._within(node, _bound(node, self.names))

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._within(node, _bound(node, self.names))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            self.visit(node.type)
        self.names.scopes.append({} if node.name is None else {node.name: "local"})
        for each in node.body:
            self.visit(each)
        self.names.scopes.pop()

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
            sure = not self.names.is_guess(node.value)
            self.add(owner[0], f"{owner[1]}.{node.attr}", node, sure=sure)
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        self.visit(node.func)
        for each in (*node.args, *node.keywords):
            self.visit(each)
        path = self.names.path(node.func)
        peer = None if path is None else of_module(path)
        if path is not None and peer is not None:
            self._module_call(peer, path, node)
        elif isinstance(node.func, ast.Attribute):
            owner = self.names.kind(node.func.value)
            if owner is not None:
                self._called(owner[0], owner[1], node.func.attr, node)

    def _module_call(self, peer: Peer, path: str, node: ast.Call) -> None:
        """A call of something in a module: a client with its configuration, or another object."""
        if path in peer.config_calls and node.args:
            for name, key, value in self._entries(node.args[0]):
                if name == "policies":
                    self._policies(peer, value)
                if name == "tls":
                    for inner, place, setting in self._entries(value):
                        self.add(peer, f"config.tls.{inner}", place, _constant(setting))
                self.add(peer, f"config.{name}", key, _constant(value))
        kind = path.rpartition(".")[2]
        for keyword in node.keywords:
            if keyword.arg is not None and path not in peer.config_calls:
                self.add(peer, f"{kind}({keyword.arg})", keyword.value, _constant(keyword.value))

    def _policies(self, peer: Peer, policies: ast.expr) -> None:
        for name, key, value in self._entries(policies):
            inner = list(self._entries(value))
            for entry, place, setting in inner:
                self.add(peer, f"policy.{entry}", place, _constant(setting))
            if not inner and not isinstance(value, (ast.Dict, ast.Name)):
                self.add(peer, f"policy.{name}", key, _constant(value))

    def _called(self, peer: Peer, kind: str, method: str, node: ast.Call) -> None:
        """A method call. The drop-in's signature says which of its arguments are policies."""
        parameters = _parameters(peer, kind, method)
        arguments = list(zip(parameters, node.args, strict=False))
        arguments += [(each.arg, each.value) for each in node.keywords if each.arg is not None]
        for name, value in arguments:
            if any(word in name for word in _POLICIES):
                for entry, key, setting in self._entries(value):
                    self.add(peer, f"policy.{entry}", key, _constant(setting))
        named = {each.arg for each in node.keywords}
        known = peer.differences()
        for parameter, value in arguments:
            name = f"{kind}.{method}({parameter})"
            # A positional parameter exists; the table may still have an entry for it.
            checked = parameter in named or known.find(name) or parameter in known.entries
            if parameter not in _POLICIES and checked:
                self.add(peer, name, value, _constant(value))

    def _entries(self, node: ast.expr) -> Iterator[tuple[str, ast.expr, ast.expr]]:
        """The entries of a dictionary display, or of one that was assigned to this variable."""
        if isinstance(node, ast.Name):
            display = self.names.dictionaries.get(node.id)
            if display is None:
                return
            node = display
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, key, value


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _bound(function: _Function, names: Names) -> dict[str, Bound]:
    """The names that are local to a function."""
    arguments = function.args
    parameters = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    bound: dict[str, Bound] = {
        each.arg: _of_parameter(each, names) for each in parameters if each is not None
    }
    outer: set[str] = set()
    left: list[ast.AST] = list(function.body) if isinstance(function.body, list) else []
    while left:
        node = left.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for each in node.names:
                bound[each.asname or each.name.partition(".")[0]] = "import"
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.setdefault(node.id, "local")
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            left += ast.iter_child_nodes(node)
    return {name: how for name, how in bound.items() if name not in outer}


def _parameters(peer: Peer, kind: str, method: str) -> list[str]:
    place = peer.classes.get(kind)
    of = None if place is None else getattr(class_at(place), method, None)
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
