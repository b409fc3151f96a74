"""Random paths into a value: every kind of step, mostly such that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import stored
from .expressions import Element, Expressions
from .values import INFINITY, WILDCARD, is_container, order_key

if TYPE_CHECKING:
    import random

INDEX, RANK, KEY, VALUE, CHILDREN = 0, 1, 2, 3, 4
LIST_INDEX, LIST_RANK, LIST_VALUE = 0x10, 0x11, 0x13
MAP_INDEX, MAP_RANK, MAP_KEY, MAP_VALUE, MAP_KEYS = 0x20, 0x21, 0x22, 0x23, 0x2A
AND_FILTER = 0x204

#: Steps after which servers up to 8.1.2 lose their place in the container around.
_BY_PLACE = (LIST_RANK, MAP_INDEX, MAP_RANK, INDEX, RANK)
#: Steps into a map after which an and-filter makes servers up to 8.1.2 read past the element.
_MAP_PLACES = (MAP_INDEX, MAP_RANK, INDEX, RANK)


class Paths:
    """Draws the paths of one command, and remembers what they contain."""

    def __init__(self, draw: random.Random, *, may_apply: bool, with_nested_places: bool) -> None:
        self._draw = draw
        self._may_apply = may_apply
        self._with_nested_places = with_nested_places
        #: Whether values may have changed since they were stored.
        self.is_changed = False
        #: Whether a step below the first is one of those that 8.1.2 gets lost by.
        self.has_nested_places = False
        #: The elements at the end of the path drawn last, as far as they are known.
        self.leaves: list[Element] = []
        self._nesting = 0

    def path(self, value: Any) -> list[Any]:
        """A path into a value: types and values of its steps in turns."""
        draw = self._draw
        chance = draw.random()
        if chance < 0.004:
            return [CHILDREN, True] * draw.choice((63, 64, 65))
        if chance < 0.008:
            return draw.choice(([], [CHILDREN], [AND_FILTER, True], ["a", 1], [-1, 0], [5, 0]))
        levels = draw.choice((1, 1, 2, 2, 2, 3, 3, 4)) - self._nesting
        steps: list[Any] = []
        elements = [Element(None, value, None)]
        for level in range(max(levels, 1)):
            containers = [each.value for each in elements if is_container(each.value)]
            if not containers and draw.random() < 0.8:
                break
            around = draw.choice(containers) if containers else []
            step, elements = self._step(around, containers or [[]], level)
            steps += step
        self.leaves = elements
        return steps or [CHILDREN, True]

    def expressions(self, element: Element) -> Expressions:
        """What draws expressions about an element."""
        return Expressions(self._draw, element, self._nested_path, may_apply=self._may_apply)

    def _nested_path(self, value: Any) -> list[Any]:
        """A path inside of a filter or of a change."""
        leaves = self.leaves
        self._nesting += 1
        path = self.path(value) if self._nesting < 3 else [CHILDREN, True]
        self._nesting -= 1
        self.leaves = leaves
        return path

    def _step(
        self, around: Any, containers: list[Any], level: int
    ) -> tuple[list[Any], list[Element]]:
        draw = self._draw
        children = _elements(around)
        every = [child for each in containers for child in _elements(each)]
        chance = draw.random()
        if chance < 0.3:
            return [CHILDREN, True], every
        if chance < 0.5:
            return [CHILDREN, self._filter(every)], every
        fits = chance < 0.97
        kind = self._kind(children, is_map=isinstance(around, dict) == fits, level=level)
        step, matches = self._match(kind, children)
        if draw.random() < 0.01 and kind & LIST_INDEX:
            step[0] |= draw.choice((0x40, 0x80, 0xC0))
        may_narrow = kind not in _MAP_PLACES or not isinstance(around, dict)
        if draw.random() < 0.2 and may_narrow:
            step += [AND_FILTER, True if draw.random() < 0.05 else self._filter(matches or every)]
        return step, matches or every

    def _filter(self, elements: list[Element]) -> Any:
        draw = self._draw
        if draw.random() < 0.01:
            return draw.choice((False, None, 3, "a", {}))
        element = draw.choice(elements) if elements else Element(None, 1, 0)
        return self.expressions(element).filter()

    def _kind(self, children: list[Element], *, is_map: bool, level: int) -> int:
        """The type of a step other than to all children."""
        draw = self._draw
        values = {repr(order_key(child.value)) for child in children}
        if is_map:
            kinds = [MAP_KEY, MAP_KEY, MAP_KEYS, MAP_KEYS, MAP_VALUE, KEY, VALUE]
        else:
            kinds = [LIST_INDEX, LIST_INDEX, LIST_VALUE, VALUE]
        if level == 0 or (self._with_nested_places and draw.random() < 0.15):
            kinds += [INDEX, MAP_INDEX] if is_map else [INDEX]
            if len(values) == len(children) and not self.is_changed and not self._nesting:
                # Which of several equal elements has a rank is not for a server to promise.
                kinds += [RANK, MAP_RANK if is_map else LIST_RANK]
        kind = draw.choice(kinds)
        if level > 0 and kind in _BY_PLACE:
            self.has_nested_places = True
        return kind

    def _match(self, kind: int, children: list[Element]) -> tuple[list[Any], list[Element]]:
        """A step of this type, and what it matches as far as that is simple to say."""
        draw = self._draw
        count = len(children)
        if draw.random() < 0.006:
            return [kind, draw.choice((None, "a", 1.5, [1], {}, 2**64 - 3, WILDCARD))], children
        match kind & 15:
            case 0 | 1:
                at = draw.randint(-count - 1, count)
                ordered = children
                if kind & 15 == RANK:
                    ordered = sorted(children, key=lambda child: order_key(child.value))
                return [kind, at], ordered[at : at + 1] if -count <= at < count and at != -1 else (
                    ordered[-1:] if at == -1 else []
                )
            case 2:
                known = [child.key for child in children]
                key = draw.choice(known) if known and draw.random() < 0.85 else stored.word(draw)
                return [kind, key], [child for child in children if _same(child.key, key)]
            case 3:
                known = [child.value for child in children]
                value = stored.scalar(draw)
                if known and draw.random() < 0.8:
                    value = draw.choice(known)
                if draw.random() < 0.03:
                    value = draw.choice((WILDCARD, INFINITY, [value, WILDCARD]))
                return [kind, value], [child for child in children if _same(child.value, value)]
            case _:
                known = [child.key for child in children]
                keys = [
                    draw.choice(known) if known and draw.random() < 0.8 else stored.scalar(draw)
                    for _ in range(draw.choice((0, 1, 2, 2, 3, 4)))
                ]
                return [kind, keys], [
                    child for child in children if any(_same(child.key, key) for key in keys)
                ]


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def _elements(container: Any) -> list[Element]:
    if isinstance(container, dict):
        keys = sorted(container, key=order_key)
        return [Element(key, container[key], None) for key in keys]
    return [Element(None, item, at) for at, item in enumerate(container)]


def levels_of(path: list[Any]) -> int:
    """How many levels a path goes down."""
    return sum(kind != AND_FILTER for kind in path[::2])


def reaches_all(path: list[Any]) -> bool:
    """Whether the last step of a path matches every element."""
    return path[-2:] == [CHILDREN, True]
