"""Random values to store: nested lists and maps with orders, and what is inside of them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from .values import Geo, OrderedList, OrderedMap, order_key

if TYPE_CHECKING:
    from collections.abc import Callable

Draw = random.Random

_WORDS = ("a", "b", "c", "d", "v", "n", "ab", "x")
_POINT = '{"type":"Point","coordinates":[1.5,2.5]}'


def scalar(draw: Draw) -> Any:
    """A value of any kind that is no container, of few different ones so that some are equal."""
    chance = draw.random()
    if chance < 0.45:
        return number(draw)
    if chance < 0.7:
        return word(draw)
    if chance < 0.8:
        return fraction(draw)
    if chance < 0.985:
        # Not the smallest integer: servers of 8.1.2 end when that is divided by -1.
        return draw.choice((None, True, False, b"a", b"", b"\3b", "", -1, 2**64 - 3, 300, -(2**40)))
    return Geo(_POINT)


def number(draw: Draw) -> int:
    """A small integer."""
    return draw.randint(-2, 9)


def word(draw: Draw) -> str:
    """A short string."""
    return draw.choice(_WORDS)


def fraction(draw: Draw) -> float:
    """A floating-point number."""
    return draw.choice((0.5, -1.0, 2.0, 3.25))


def container(draw: Draw, depth: int = 3, *, ordered: bool = True, top: bool = True) -> Any:
    """A list or a map. With `ordered`, lists below the top level may be ordered, too."""
    size = draw.choice((0, 1, 2, 2, 3, 3, 4, 5, 7, 9))
    if top and depth > 0 and draw.random() < 0.1:
        size = draw.choice((14, 15, 16, 17, 20, 40))
    items = _items(draw, depth, size, ordered=ordered)
    if draw.random() < 0.5:
        is_ordered = draw.random() < 0.3 and (top or ordered)
        return OrderedList(sorted(items, key=order_key)) if is_ordered else items
    key: Callable[[Draw], Any] = draw.choice((word, word, number, _key))
    pairs: dict[Any, Any] = {key(draw): item for item in items}
    if draw.random() < 0.6:
        return pairs
    mapped = OrderedMap(pairs)
    mapped.flags = draw.choice((1, 1, 3))
    return mapped


def _key(draw: Draw) -> Any:
    return draw.choice((word(draw), number(draw), b"k", b"\3", 1000, -5))


def _items(draw: Draw, depth: int, size: int, *, ordered: bool) -> list[Any]:
    """Items of one kind, of any kind, or containers."""
    chance = draw.random()
    below = depth - 1
    if depth > 0 and chance < 0.55:
        nested = draw.choice((1.0, 1.0, 0.7))
        return [
            container(draw, below, ordered=ordered, top=False)
            if draw.random() < nested
            else scalar(draw)
            for _ in range(min(size, 9) if below else size)
        ]
    if depth > 0 and chance < 0.7:
        # Records of one shape, as programs store them.
        return [_record(draw, below, ordered=ordered) for _ in range(min(size, 9))]
    if chance < 0.85:
        same: Callable[[Draw], Any] = draw.choice((number, number, word, fraction))
        return [same(draw) for _ in range(size)]
    return [scalar(draw) for _ in range(size)]


def _record(draw: Draw, depth: int, *, ordered: bool) -> dict[Any, Any]:
    fields: dict[Any, Any] = {"v": number(draw), "n": word(draw)}
    if draw.random() < 0.3:
        fields["a"] = container(draw, min(depth, 1), ordered=ordered, top=False)
    if draw.random() < 0.2:
        del fields[draw.choice(("v", "n"))]
    return fields if draw.random() < 0.7 else OrderedMap(fields)


def has_ordered_lists(value: Any, first: int, last: int, depth: int = 0) -> bool:
    """Whether a list at one of these depths, 0 for the value itself, is ordered."""
    if first <= depth <= last and isinstance(value, OrderedList) and value:
        return True
    if depth >= last:
        return False
    items = list(value.values()) if isinstance(value, dict) else value
    return isinstance(items, list) and any(
        has_ordered_lists(item, first, last, depth + 1) for item in items
    )
