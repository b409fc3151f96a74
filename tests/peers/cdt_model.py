"""A model of list and map operations in plain Python: their results and effects.

Written from the description of the operations, deliberately in the slow and obvious way.
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any

PARAMETER, MISSING, EXISTS, NOT_APPLICABLE = 4, 23, 24, 26
RANKS = {"value", "all by value", "value interval", "rank", "rank range", "relative rank"}


class RefusedError(Exception):
    """The operation is refused with this result code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _kind(value: Any) -> int:
    kinds = [type(None), bool, int, str, list, dict, bytes, float]
    return next(at for at, kind in enumerate(kinds) if isinstance(value, kind))


def compare(a: Any, b: Any) -> int:
    """Negative, zero or positive, by the order of values."""
    if _kind(a) != _kind(b):
        return _kind(a) - _kind(b)
    if isinstance(a, list):
        for left, right in zip(a, b, strict=False):
            if order := compare(left, right):
                return order
        return len(a) - len(b)
    if isinstance(a, dict):
        if len(a) != len(b):
            return len(a) - len(b)
        pairs = zip(in_order(a), in_order(b), strict=True)
        for left, right in pairs:
            if order := compare(left, right) or compare(a[left], b[right]):
                return order
        return 0
    if a is None or a == b:
        return 0
    return -1 if a < b else 1


in_rank = cmp_to_key(compare)


def in_order(values: Any) -> list[Any]:
    return sorted(values, key=in_rank)


def same(a: Any, b: Any) -> bool:
    return compare(a, b) == 0


def span(start: int, count: int | None, size: int) -> range:
    """A range clipped to the existing elements; ``start`` is then not negative."""
    stop = size if count is None else start + count
    return range(max(0, min(start, size)), max(0, min(stop, size)))


def from_end(index: int, size: int) -> int:
    return index + size if index < 0 else index


class Bin:
    """The pairs of a map in key order, or the elements of a list with their index as key."""

    def __init__(self, value: Any, *, ordered: bool = False) -> None:
        self.is_map = isinstance(value, dict)
        self.ordered = ordered
        if self.is_map:
            self.keys = in_order(value)
            self.values = [value[key] for key in self.keys]
        else:
            self.values = in_order(value) if ordered else list(value)
            self.keys = list(range(len(value)))

    @property
    def value(self) -> Any:
        return dict(zip(self.keys, self.values, strict=True)) if self.is_map else self.values

    def ranks(self) -> list[int]:
        """Indexes in the order of their values, the smallest first."""
        return sorted(range(len(self.values)), key=lambda at: (in_rank(self.values[at]), at))

    def of_rank(self, rank: int) -> int:
        """The index of the element with a rank. Among equal ones in an unordered list, it is the
        first if the search starts at the high end."""
        size = len(self.values)
        if self.is_map or self.ordered or rank < size - 1 - rank:
            return self.ranks()[rank]
        falling = sorted(range(size), key=lambda at: in_rank(self.values[at]), reverse=True)
        return falling[size - 1 - rank]

    def pick(self, way: str, args: tuple[Any, ...], *, inverted: bool = False) -> list[int]:
        """The indexes of the elements that an operation selects, in the order of its result."""
        size = len(self.values)
        every = range(size)
        found: list[int]
        match way, args:
            case (("index" | "rank"), (at,)):
                if not -size <= at < size:
                    raise RefusedError(NOT_APPLICABLE)
                found = [at % size if way == "index" else self.of_rank(at % size)]
            case "key", (key,):
                found = [at for at in every if same(self.keys[at], key)]
            case "all by value", (value,):
                found = [at for at in every if same(self.values[at], value)]
            case "value list", (values,):
                if self.is_map or not self.ordered:
                    found = [at for at in every if any(same(self.values[at], v) for v in values)]
                else:
                    found = []
                    for value in values:
                        found += [
                            at for at in every
                            if same(self.values[at], value)
                        ]  # fmt: skip
            case "key list", (keys,):
                found = [at for at in every if any(same(self.keys[at], key) for key in keys)]
            case (("value interval" | "key interval"), (begin, end)):
                items = self.values if way == "value interval" else self.keys
                found = [
                    at for at in every
                    if compare(items[at], begin) >= 0 and compare(items[at], end) < 0
                ]  # fmt: skip
            case "index range", (start, count):
                found = list(span(from_end(start, size), count, size))
            case "rank range", (start, count):
                found = [self.ranks()[at] for at in span(from_end(start, size), count, size)]
            case "relative rank", (value, start, count):
                base = sum(compare(other, value) < 0 for other in self.values)
                found = [self.ranks()[at] for at in span(base + start, count, size)]
            case "relative index", (key, start, count):
                base = sum(compare(other, key) < 0 for other in self.keys)
                found = list(span(base + start, count, size))
            case _:
                raise AssertionError((way, args))
        return [at for at in every if at not in found] if inverted else found

    def answer(self, found: list[int], returns: str, *, single: bool) -> Any:
        """The result for the selected elements. ``KeyError`` means no result."""
        last = len(self.values) - 1
        ranks = {at: rank for rank, at in enumerate(self.ranks())}
        ways = {
            "index": lambda at: at, "reverse index": lambda at: last - at,
            "rank": lambda at: ranks[at], "reverse rank": lambda at: last - ranks[at],
            "key": lambda at: self.keys[at], "value": lambda at: self.values[at],
        }  # fmt: skip
        match returns:
            case "none":
                return None
            case "count":
                return len(set(found))
            case "exists":
                return bool(found)
            case "pairs":
                return [(self.keys[at], self.values[at]) for at in found]
            case "map":
                return {self.keys[at]: self.values[at] for at in found}
        results = [ways[returns](at) for at in found]
        if not single:
            return results
        return results[0] if results else None if returns in ("key", "value") else -1

    def remove(self, found: list[int]) -> None:
        kept = [at for at in range(len(self.values)) if at not in found]
        self.keys = [self.keys[at] for at in kept] if self.is_map else list(range(len(kept)))
        self.values = [self.values[at] for at in kept]

    def add(self, items: list[Any], index: int | None, flags: int, *, several: bool) -> int:
        """Appends to a list or inserts into it; returns its new size. The flags are unique 1,
        bounded 2, no fail 4, partial 8."""
        size = len(self.values)
        unique, bounded, lenient = flags & 1, flags & 2, flags & 4
        if index is not None:
            if self.ordered or index < -size:
                raise RefusedError(NOT_APPLICABLE)
            index = from_end(index, size)
            if bounded and index > size:
                if lenient:
                    return size
                raise RefusedError(NOT_APPLICABLE)
        if unique:
            items = self._unique(items, bool(lenient), several and bool(lenient and flags & 8))
            if not items:
                return size
        if index is None:
            index = size
        if items:
            self.values += [None] * (index - size)
        self.values[index:index] = items
        self._settle()
        return len(self.values)

    def _unique(self, items: list[Any], lenient: bool, partial: bool) -> list[Any]:
        kept: list[Any] = []
        code = 0
        for item in items:
            if any(same(item, other) for other in kept):
                code = code or NOT_APPLICABLE
            elif not any(same(item, other) for other in self.values):
                kept.append(item)
            else:
                code = EXISTS
        if code == 0 or partial:
            return kept
        if lenient:
            return []
        raise RefusedError(EXISTS if code == EXISTS else NOT_APPLICABLE)

    def _settle(self) -> None:
        if self.ordered:
            self.values = in_order(self.values)
        self.keys = list(range(len(self.values)))

    def set(self, index: int, value: Any, flags: int) -> None:
        size = len(self.values)
        if self.ordered or index < -size:
            raise RefusedError(NOT_APPLICABLE)
        index = from_end(index, size)
        code = 0
        if flags & 2 and index > size:
            code = NOT_APPLICABLE
        elif flags & 1 and any(same(value, other) for other in self.values):
            code = EXISTS
        if code and not flags & 4:
            raise RefusedError(code)
        if not code:
            self.values += [None] * (index + 1 - size)
            self.values[index] = value
            self._settle()

    def sort(self, flags: int) -> None:
        values = in_order(self.values)
        if flags & 2:
            values = [v for at, v in enumerate(values) if at == 0 or not same(v, values[at - 1])]
        self.values = values[::-1] if flags & 1 and not self.ordered else values
        self._settle()

    def put(self, items: dict[Any, Any], flags: int) -> int:
        """Sets pairs of a map; returns its new size. The flags are create only 1, update only 2, no
        fail 4, partial 8."""
        pairs = dict(zip(self.keys, self.values, strict=True))
        codes = []
        for key in in_order(items):
            if flags & 1 and key in pairs:
                codes.append(EXISTS)
            elif flags & 2 and key not in pairs:
                codes.append(MISSING)
            else:
                pairs[key] = items[key]
        if codes and not flags & 4:
            raise RefusedError(codes[0])
        if not codes or flags & 8:
            self.keys = in_order(pairs)
            self.values = [pairs[key] for key in self.keys]
        return len(self.keys)
