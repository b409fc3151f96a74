"""Random commands with path expressions on one record: what is stored before, and the requests.

Left out is what ends a server of 8.1.2: see `_may_change`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import messages, stored
from .expressions import (
    INTEGER,
    LIST,
    MAP,
    Element,
    apply,
    bin_value,
    constant,
    select,
    size,
    type_of,
)
from .paths import Paths, levels_of, reaches_all
from .values import is_container, pack

if TYPE_CHECKING:
    import random

BIN = "b"
_SELECT, _APPLY, _NO_FAIL, _REMOVE = 0xFE, 4, 16, [100]
_SHAPES = ("tree", "values", "keys", "pairs")


@dataclass(frozen=True, slots=True)
class Command:
    """One command: the request that stores a record, if any, and the request that is compared."""

    #: Its class: what differences are grouped by.
    kind: tuple[object, ...]
    #: How it reads.
    text: str
    digest: bytes
    store: bytes | None
    request: bytes


def draw_command(
    draw: random.Random, digest: bytes, *, with_nested_places: bool = False
) -> Command:
    """A command on the record with this digest.

    With `with_nested_places`, steps below the first may name an element by its place, where servers
    up to 8.1.2 lose theirs.
    """
    return _Drawing(draw, digest, with_nested_places=with_nested_places).command()


class _Drawing:
    def __init__(self, draw: random.Random, digest: bytes, *, with_nested_places: bool) -> None:
        self._draw = draw
        self._digest = digest
        ordered = draw.random() < 0.35
        self._value = stored.container(draw, draw.choice((1, 2, 2, 3)), ordered=ordered)
        if draw.random() < 0.015:
            self._value = stored.scalar(draw)
        #: Whether changes are sent whatever their path.
        self._may_apply = not stored.has_ordered_lists(self._value, 1, 99)
        self._paths = Paths(draw, may_apply=self._may_apply, with_nested_places=with_nested_places)
        self._kinds: list[str] = []
        self._texts: list[str] = []

    def command(self) -> Command:
        draw = self._draw
        chance = draw.random()
        store: bytes | None = None
        state = repr(self._value)
        if chance < 0.97:
            store = messages.request(self._digest, [_stored(BIN, self._value), _stored("x", 1)])
        elif chance < 0.985:
            state = "no bin"
            store = messages.request(self._digest, [_stored("x", 1)])
        else:
            state = "no record"
        count = draw.choice((1, 1, 1, 1, 1, 2, 3))
        operations = [self._operation() for _ in range(count)]
        where = self._where() if draw.random() < 0.08 else None
        respond_all = draw.random() < 0.3
        request = messages.request(self._digest, operations, where=where, respond_all=respond_all)
        kinds = self._kinds if len(self._kinds) == 1 else ["several"]
        if self._paths.has_nested_places:
            kinds.append("(places below the first level)")
        if not store or state == "no bin" or not is_container(self._value):
            kinds.append("(no container)")
        text = f"{state}\n      " + "\n      ".join(self._texts)
        if respond_all:
            text += "\n      respond-all"
        return Command(tuple(kinds), text, self._digest, store, request)

    def _operation(self) -> bytes:
        draw = self._draw
        chance = draw.random()
        if chance < 0.4:
            return self._select(messages.READ_CDT)
        if chance < 0.45:
            return self._select(messages.MODIFY_CDT)
        if chance < 0.75:
            return self._change()
        if chance < 0.92:
            return self._expression(messages.READ_EXPRESSION, "r")
        return self._expression(messages.WRITE_EXPRESSION, draw.choice(("r", BIN)))

    def _select(self, code: int) -> bytes:
        path = self._path()
        flags = self._flags()
        value: list[Any] = [_SELECT, path, flags]
        if self._draw.random() < 0.003:
            value.append(1)
        name = "select" if code == messages.READ_CDT else "select in a write"
        self._note(f"{name} {_shape(flags)}", value)
        return messages.operation(code, BIN, messages.BLOB, pack(value))

    def _change(self) -> bytes:
        draw = self._draw
        path = self._path()
        is_removal = draw.random() < 0.35
        if not self._may_change(path, is_removal=is_removal):
            return self._select(messages.READ_CDT)
        flags = _APPLY | (_NO_FAIL if draw.random() < 0.4 else 0)
        value = [_SELECT, path, flags, _REMOVE if is_removal else self._new_value()]
        if draw.random() < 0.003:
            value.pop()
        self._paths.is_changed = True
        code = messages.READ_CDT if draw.random() < 0.02 else messages.MODIFY_CDT
        self._note("remove" if is_removal else "apply", value)
        return messages.operation(code, BIN, messages.BLOB, pack(value))

    def _may_change(self, path: list[Any], *, is_removal: bool) -> bool:
        """Whether a server of 8.1.2 survives a change of this path.

        It ends if the change comes to an ordered list below the top level whose size stays the
        same. It also does if two lists or maps below the top level shrink to less than 16 elements:
        those that are drawn are smaller than that.
        """
        if self._may_apply:
            return True
        levels = levels_of(path)
        if is_removal and reaches_all(path):
            return not stored.has_ordered_lists(self._value, 1, levels - 2)
        return not stored.has_ordered_lists(self._value, 1, levels - 1)

    def _expression(self, code: int, name: str) -> bytes:
        draw = self._draw
        expression = self._drawn_expression()
        self._paths.is_changed |= code == messages.WRITE_EXPRESSION
        flags = 16 if draw.random() < 0.3 else 0
        value = [expression, flags]
        kind = "expression" if code == messages.READ_EXPRESSION else "expression in a write"
        self._note(kind, value)
        return messages.operation(code, name, messages.BLOB, pack(value))

    def _drawn_expression(self) -> Any:
        """A selection or a change of the bin or of a constant."""
        draw = self._draw
        value = self._value if is_container(self._value) else [1]
        kind = type_of(value)
        source = bin_value(kind, BIN)
        if draw.random() < 0.2:
            value = stored.container(draw, 1, ordered=False, top=False)
            kind = type_of(value)
            source = constant(value)
        path = self._paths.path(value)
        if draw.random() < 0.3 and self._may_apply:
            change = _REMOVE if draw.random() < 0.3 else self._new_value()
            flags = _NO_FAIL if draw.random() < 0.4 else 0
            result = apply(self._sometimes_other(kind), path, flags, change, source)
            return size(kind, result) if draw.random() < 0.1 else result
        flags = self._flags()
        shape = kind if flags & 15 == 0 else LIST
        result = select(self._sometimes_other(shape), path, flags, source)
        return size(shape, result) if draw.random() < 0.15 else result

    def _sometimes_other(self, kind: int) -> int:
        return self._draw.choice((INTEGER, LIST, MAP)) if self._draw.random() < 0.05 else kind

    def _where(self) -> bytes:
        """A filter of the record."""
        draw = self._draw
        value = self._value if is_container(self._value) else [1]
        path = self._paths.path(value)
        flags = draw.choice((1, 1, 2, 3)) | (_NO_FAIL if draw.random() < 0.4 else 0)
        selection = select(LIST, path, flags, bin_value(type_of(value), BIN))
        condition = [draw.randint(1, 6), size(LIST, selection), draw.randint(0, 4)]
        self._note("filter", condition)
        return pack(condition)

    def _path(self) -> list[Any]:
        return self._paths.path(self._value if is_container(self._value) else [1])

    def _new_value(self) -> Any:
        leaves = self._paths.leaves
        element = self._draw.choice(leaves) if leaves else Element(None, 1, 0)
        return self._paths.expressions(element).change()

    def _flags(self) -> int:
        draw = self._draw
        chance = draw.random()
        flags = draw.choice((0, 0, 1, 1, 2, 3))
        if chance < 0.01:
            flags = draw.choice((4, 5, 9, 15))
        if chance > 0.98:
            flags |= draw.choice((0x20, 0x40, 0x80))
        return flags | (_NO_FAIL if draw.random() < 0.4 else 0)

    def _note(self, kind: str, value: Any) -> None:
        self._kinds.append(kind)
        self._texts.append(f"{kind}: {value!r} ({pack(value).hex()})")


def _shape(flags: int) -> str:
    return _SHAPES[flags & 15] if flags & 15 < len(_SHAPES) else "invalid"


def _stored(name: str, value: Any) -> bytes:
    """The operation that stores a value."""
    match value:
        case None:
            return messages.operation(messages.WRITE_BIN, name)
        case bool():
            return messages.operation(messages.WRITE_BIN, name, 17, bytes((value,)))
        case int():
            data = (value & 2**64 - 1).to_bytes(8, "big")
            return messages.operation(messages.WRITE_BIN, name, messages.INTEGER, data)
        case list() | dict():
            particle = messages.LIST if isinstance(value, list) else messages.MAP
            return messages.operation(messages.WRITE_BIN, name, particle, pack(value))
        case bytes():
            return messages.operation(messages.WRITE_BIN, name, messages.BLOB, value)
        case _:
            return messages.operation(
                messages.WRITE_BIN, name, messages.STRING, str(value).encode()
            )
