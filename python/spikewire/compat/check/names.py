"""Which variables refer to clients, sessions, queries and the like."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal, TypeAlias

from spikewire.compat.check.peers import of_module

if TYPE_CHECKING:
    from spikewire.compat.check.peers import Peer

__all__ = ["Bound", "Names", "dotted"]

#: What a name in a function refers to: a parameter of unknown type, an object of a known class (of
#: a client or any other), an import, or another variable.
Bound: TypeAlias = "Literal['parameter', 'other', 'import', 'local'] | tuple[Peer, str]"


def dotted(node: ast.expr) -> str | None:
    """``a.b.c`` for an expression of that form."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        start = dotted(node.value)
        return None if start is None else f"{start}.{node.attr}"
    return None


class Names:
    """What the names of a program refer to."""

    def __init__(self) -> None:
        self.modules: dict[str, str] = {}
        """Local names of modules of the other clients and of what is in them."""
        self.holds: dict[str, tuple[Peer, str]] = {}
        """Variables and attributes, and the class of what they hold."""
        self.dictionaries: dict[str, ast.Dict] = {}
        """Variables that were assigned a dictionary."""
        self.peers: list[Peer] = []
        self.scopes: list[dict[str, Bound]] = []
        """The names that the functions around a place have, the innermost last."""

    def add_import(self, local: str, path: str) -> None:
        """A name bound by an import."""
        peer = of_module(path)
        if peer is None:
            return
        self.modules[local] = path
        if peer not in self.peers:
            self.peers.append(peer)

    def path(self, node: ast.expr) -> str | None:
        """The path in another client's package that an expression names."""
        local = dotted(node)
        if local is None:
            return None
        start, _, rest = local.partition(".")
        if self._bound(start) not in (None, "import"):
            return None  # A variable of the same name.
        module = self.modules.get(start)
        return None if module is None else f"{module}.{rest}" if rest else module

    def kind(self, node: ast.expr) -> tuple[Peer, str] | None:
        """The class of an expression's value."""
        if isinstance(node, ast.Await):
            return self.kind(node.value)
        if isinstance(node, ast.Call):
            return self._of_call(node.func)
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
            return next((kind for each in parts if (kind := self.kind(each))), None)
        name = dotted(node)
        if name is None:
            return None
        bound = self._bound(name)
        if bound == "other" or isinstance(bound, tuple):
            return bound if isinstance(bound, tuple) else None
        kind = self.holds.get(name)
        if kind is not None or self.path(node) is not None:
            return kind
        return self._guessed(name)

    def is_guess(self, node: ast.expr) -> bool:
        """Whether only a variable's name says what it refers to."""
        name = dotted(node)
        if name is None or self.path(node) is not None:
            return False
        bound = self._bound(name)
        if isinstance(bound, tuple):
            return False
        return name not in self.holds or bound == "parameter"

    def _bound(self, name: str) -> Bound | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def _of_call(self, function: ast.expr) -> tuple[Peer, str] | None:
        path = self.path(function)
        if path is not None:
            peer = of_module(path)
            class_name = None if peer is None else peer.makes.get(path)
            return None if peer is None or class_name is None else (peer, class_name)
        if isinstance(function, ast.Attribute):
            owner = self.kind(function.value)
            if owner is not None:
                class_name = owner[0].makes.get(f"{owner[1]}.{function.attr}")
                return None if class_name is None else (owner[0], class_name)
        return None

    def _guessed(self, name: str) -> tuple[Peer, str] | None:
        """Guesses by the name of a variable, such as a parameter whose value comes from
        elsewhere."""
        last = name.rpartition(".")[2].lower()
        for peer in self.peers:
            for word, kind in peer.receivers.items():
                if last == word or last.endswith(f"_{word}"):
                    return peer, kind
        return None

    def add_assignment(self, target: ast.expr, value: ast.expr) -> None:
        """A variable or attribute that is assigned to."""
        name = dotted(target)
        if name is None:
            return
        if isinstance(value, ast.Dict):
            self.dictionaries[name] = value
        kind = self.kind(value) if isinstance(value, (ast.Call, ast.Await)) else None
        if kind is not None:
            self.holds[name] = kind
