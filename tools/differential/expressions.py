"""Random expressions, as filters of a path, and as what is applied to its leaves.

An expression is a value whose msgpack is the expression: a list with the code of an operation and
its arguments. `Name` is text without the byte of its type.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import stored
from .values import INFINITY, WILDCARD, Geo, Name, is_container

if TYPE_CHECKING:
    import random

# Types of values.
NIL, BOOLEAN, INTEGER, STRING, LIST, MAP, BLOB, FLOAT, GEO = range(9)
_TYPES = (BOOLEAN, INTEGER, STRING, LIST, MAP, BLOB, FLOAT)
# Loop variables.
KEY, VALUE, INDEX = 0, 1, 2

_UNKNOWN, _REGEX, _IN_LIST, _AND, _OR, _NOT, _EXCLUSIVE = 0, 7, 9, 16, 17, 18, 19
_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _MIN, _MAX = 20, 21, 22, 23, 50, 51
_MODULO, _ABSOLUTE, _TO_INTEGER, _TO_FLOAT = 26, 27, 30, 31
_TIME_TO_LIVE, _RECORD_SIZE, _SINCE_UPDATE = 69, 74, 67
_BIN, _REMOVE, _MAP_KEYS, _MAP_VALUES = 81, 100, 101, 102
_LOOP_VARIABLE, _COND, _VARIABLE, _LET, _QUOTE, _CALL = 122, 123, 124, 125, 126, 127
_SELECT, MODIFY = 0xFE, 0x40
_LIST_APPEND, _LIST_SIZE, _MAP_PUT, _MAP_SIZE, _MAP_GET_BY_KEY, _LIST_GET = 1, 16, 67, 96, 97, 19
_RETURN_VALUE = 7

#: Draws the path of a nested selection: the value that it starts from to the steps.
Paths = Callable[[Any], list[Any]]


@dataclass(frozen=True, slots=True)
class Element:
    """An element that a path may come to: what loop variables are in an expression about it."""

    key: Any
    value: Any
    index: int | None


def type_of(value: Any) -> int:
    """The type of an expression with this value."""
    match value:
        case None:
            return NIL
        case bool():
            return BOOLEAN
        case int():
            return INTEGER
        case Geo():
            return GEO
        case str():
            return STRING
        case bytes():
            return BLOB
        case list():
            return LIST
        case dict():
            return MAP
        case _:
            return FLOAT


def constant(value: Any) -> Any:
    """The expression of a constant."""
    return [_QUOTE, value] if isinstance(value, list) else value


def bin_value(kind: int, name: str) -> Any:
    """The expression of a bin."""
    return [_BIN, kind, Name(name.encode())]


def select(kind: int, path: list[Any], flags: int, source: Any) -> Any:
    """The expression of a selection."""
    return [_CALL, kind, 0, [_SELECT, path, flags], source]


def apply(kind: int, path: list[Any], flags: int, expression: Any, source: Any) -> Any:
    """The expression of a container in which an expression was applied to the leaves of a path."""
    return [_CALL, kind, MODIFY, [_SELECT, path, 4 | flags, expression], source]


def size(kind: int, source: Any) -> Any:
    """The expression of a container's size."""
    return [_CALL, INTEGER, 0, [_LIST_SIZE if kind == LIST else _MAP_SIZE], source]


class Expressions:
    """Draws expressions about one element."""

    def __init__(
        self, draw: random.Random, element: Element, paths: Paths, *, may_apply: bool
    ) -> None:
        self._draw = draw
        self._element = element
        self._paths = paths
        self._may_apply = may_apply

    def filter(self, depth: int = 2) -> Any:
        """Mostly a condition; sometimes of another type, unknown, or not valid."""
        chance = self._draw.random()
        if chance < 0.95:
            return self._condition(depth)
        if chance < 0.97:
            return self.of_type(INTEGER, 1)
        if chance < 0.98:
            return [_UNKNOWN]
        return self._draw.choice(([1, 2], [99, 1], [], [_REMOVE, 1], [1, "a", 2], ["a"]))

    def change(self) -> Any:
        """What is applied to an element."""
        draw, value = self._draw, self._element.value
        chance = draw.random()
        if chance < 0.55:
            return self.of_type(type_of(value), 2, is_new_value=True)
        if chance < 0.75:
            return self.of_type(draw.choice(_TYPES), 2, is_new_value=True)
        if chance < 0.9:
            return constant(draw.choice((stored.scalar(draw), self._container())))
        if chance < 0.97:
            branch = self.of_type(type_of(value), 1, is_new_value=True)
            branches = [self._condition(1), branch]
            return [_COND, *branches, draw.choice((self.variable(type_of(value)), [_UNKNOWN]))]
        return draw.choice((WILDCARD, [_QUOTE, [1, INFINITY]], [_REMOVE, 1], [_UNKNOWN], [77]))

    def _container(self) -> Any:
        return stored.container(self._draw, 1, ordered=False, top=False)

    def variable(self, kind: int, which: int | None = None) -> Any:
        """A loop variable of this type; `which` is drawn by default from those that fit."""
        if which is None:
            fitting = [KEY] if type_of(self._element.key) == kind else []
            fitting += [INDEX] if kind == INTEGER and self._element.index is not None else []
            fitting += [VALUE] * 3
            which = self._draw.choice(fitting)
        return [_LOOP_VARIABLE, kind, which]

    def of_type(self, kind: int, depth: int, *, is_new_value: bool = False) -> Any:
        """An expression of this type.

        Servers of 8.1.2 end where a new value is a string that a call returns.
        """
        chance = self._draw.random()
        if chance < 0.3 or (depth <= 0 and chance < 0.7):
            return self.variable(kind)
        if depth <= 0 or chance < 0.4:
            return constant(self._constant(kind))
        if chance < 0.44:
            return [_COND, self._condition(depth - 1)] + [
                self.of_type(kind, depth - 1, is_new_value=is_new_value) for _ in range(2)
            ]
        if chance < 0.46:
            name = Name(b"x")
            value = self.of_type(kind, depth - 1, is_new_value=is_new_value)
            return [_LET, name, value, [_VARIABLE, name]]
        match kind:
            case 1:
                return self._condition(depth - 1)
            case 2:
                return self._number(depth - 1)
            case 7:
                return self._fraction(depth - 1)
            case 3 if isinstance(self._element.value, dict) and not is_new_value:
                return self._field(STRING)
            case 4 | 5:
                return self._collection(kind)
            case _:
                return constant(self._constant(kind))

    def _constant(self, kind: int) -> Any:
        """A constant of this type: often a part of the element."""
        draw, element = self._draw, self._element
        if draw.random() < 0.5:
            near = [part for part in (element.key, element.value) if type_of(part) == kind]
            if near:
                return draw.choice(near)
        match kind:
            case 0:
                return None
            case 1:
                return draw.random() < 0.5
            case 2:
                return stored.number(draw)
            case 3:
                return stored.word(draw)
            case 4:
                return [stored.scalar(draw) for _ in range(draw.randint(0, 3))]
            case 5:
                return {stored.word(draw): stored.number(draw) for _ in range(draw.randint(0, 2))}
            case 6:
                return draw.choice((b"a", b"b"))
            case 7:
                return stored.fraction(draw)
            case _:
                return Geo('{"type":"Point","coordinates":[1.5,2.5]}')

    def _condition(self, depth: int) -> Any:
        draw, element = self._draw, self._element
        chance = draw.random()
        if chance < 0.4 or depth <= 0:
            parts = [element.value] * 3 + ([element.key] if element.index is None else [])
            kind = type_of(draw.choice(parts))
            if draw.random() < 0.08:
                kind = draw.choice(_TYPES)
            if kind in (NIL, GEO) and draw.random() < 0.8:
                kind = INTEGER
            return [draw.randint(1, 6), self.variable(kind), constant(self._constant(kind))]
        if chance < 0.5:
            kind = draw.choice(_TYPES)
            return [
                draw.randint(1, 6),
                self.of_type(kind, depth - 1),
                self.of_type(kind, depth - 1),
            ]
        if chance < 0.6:
            count = draw.choice((2, 2, 3))
            several = [self._condition(depth - 1) for _ in range(count)]
            return [draw.choice((_AND, _OR, _EXCLUSIVE)), *several]
        if chance < 0.65:
            return [_NOT, self._condition(depth - 1)]
        if chance < 0.72:
            return [draw.randint(1, 6), self._number(depth - 1), stored.number(draw)]
        if chance < 0.78:
            kind = draw.choice((INTEGER, STRING, type_of(element.value)))
            kind = INTEGER if kind in (NIL, GEO) else kind
            return [_IN_LIST, self.variable(kind), self.of_type(LIST, depth - 1)]
        if chance < 0.82:
            pattern = Name(draw.choice((b"^a", b"b", b"[abn]", b".")))
            return [_REGEX, 1, pattern, self.variable(STRING)]
        if chance < 0.86:
            return draw.choice((True, False, self.variable(BOOLEAN)))
        if chance < 0.88:
            return [1, bin_value(INTEGER, "x"), 1]
        if chance < 0.9:
            return [1, [draw.choice((_TIME_TO_LIVE, _RECORD_SIZE, _SINCE_UPDATE))], 1]
        return [draw.randint(1, 6), self._selection_size(), draw.randint(0, 3)]

    def _selection_size(self) -> Any:
        """How many elements of the element a nested path selects."""
        value = self._element.value
        kind = type_of(value) if is_container(value) else LIST
        shape = self._draw.choice((1, 1, 1, 2, 3))
        path = self._paths(value if is_container(value) else [1, 2])
        return size(LIST, select(LIST, path, shape | self._no_fail(), self.variable(kind, VALUE)))

    def _no_fail(self) -> int:
        return 16 if self._draw.random() < 0.5 else 0

    def _number(self, depth: int) -> Any:
        draw, value = self._draw, self._element.value
        chance = draw.random()
        if chance < 0.15 and is_container(value):
            return size(type_of(value), self.variable(type_of(value), VALUE))
        if chance < 0.35 and isinstance(value, dict):
            return self._field(INTEGER)
        if chance < 0.45:
            return [_ABSOLUTE, self.of_type(INTEGER, depth)]
        if chance < 0.5:
            return [_TO_INTEGER, self.of_type(FLOAT, depth)]
        code = draw.choice((_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _MODULO, _MIN, _MAX))
        return [code, self.of_type(INTEGER, depth), self.of_type(INTEGER, depth)]

    def _fraction(self, depth: int) -> Any:
        code = self._draw.choice((_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _TO_FLOAT, _MAX))
        if code == _TO_FLOAT:
            return [code, self.of_type(INTEGER, depth)]
        return [code, self.of_type(FLOAT, depth), self.of_type(FLOAT, depth)]

    def _field(self, kind: int) -> Any:
        """The value of a key of a map."""
        key = "v" if kind == INTEGER else "n"
        call = [_MAP_GET_BY_KEY, _RETURN_VALUE, key]
        return [_CALL, kind, 0, call, self.variable(MAP, VALUE)]

    def _collection(self, kind: int) -> Any:
        draw, value = self._draw, self._element.value
        fits = is_container(value)
        source = self.variable(type_of(value) if fits else kind, VALUE)
        path = self._paths(value if fits else [1])
        chance = draw.random()
        if chance < 0.4 or not fits:
            if kind == LIST and draw.random() < 0.7:
                return select(LIST, path, draw.choice((1, 2, 3)) | self._no_fail(), source)
            return select(kind, path, self._no_fail(), source)
        if chance < 0.6 and self._may_apply:
            change = [_REMOVE] if draw.random() < 0.4 else constant(stored.scalar(draw))
            return apply(kind, path, self._no_fail(), change, source)
        if kind == LIST and isinstance(value, dict):
            return [draw.choice((_MAP_KEYS, _MAP_VALUES)), source]
        if kind == LIST:
            call = [_LIST_APPEND, constant(stored.scalar(draw))]
            return [_CALL, LIST, MODIFY, call, source]
        if isinstance(value, dict):
            call = [_MAP_PUT, stored.word(draw), constant(self._constant(INTEGER)), 0]
            return [_CALL, MAP, MODIFY, call, source]
        return constant(self._constant(kind))
