"""A model of list and map operations in plain Python: their results and effects.

Written from the description of the operations, deliberately in the slow and obvious way.
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any

PARAMETER, MISSING, EXISTS, NOT_APPLICABLE = 4, 23, 24, 26
NUMBERS = ("index", "reverse index", "rank", "reverse rank")


class RejectedError(Exception):
    """The operation is rejected with this result code."""

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


def from_heap(values: list[Any], ranks: range) -> list[int]:
    """The indexes of the elements with these ranks, by rank. They are taken off a heap whose top is
    the end of all ranks that is nearer to these; its ties decide between equal elements."""
    after = len(values) - ranks.stop
    sign, skipped = (1, ranks.start) if ranks.start <= after else (-1, after)
    heap = list(range(len(values)))

    def sink(at: int) -> None:
        def order(a: int, b: int) -> int:
            return sign * compare(values[heap[a]], values[heap[b]])

        while (child := 2 * at + 1) < len(heap):
            if child + 1 < len(heap) and order(child + 1, child) < 0:
                child += 1
            if order(child, at) >= 0:
                return
            heap[at], heap[child] = heap[child], heap[at]
            at = child

    for at in reversed(range(len(heap) // 2)):
        sink(at)
    ordered = []
    for _ in range(skipped + len(ranks)):
        ordered.append(heap[0])
        heap[0] = heap[-1]
        heap.pop()
        sink(0)
    return ordered[skipped:][::sign]


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

    def of_ranks(self, ranks: range) -> list[int]:
        """The indexes of the elements with these ranks. Which of several equal ones has which rank
        is certain in maps and ordered lists; in other lists it results from the search."""
        if self.is_map or self.ordered or not ranks:
            return [self.ranks()[rank] for rank in ranks]
        return from_heap(self.values, ranks)

    def of_rank(self, rank: int) -> int:
        """The index of the element with a rank."""
        return self.of_ranks(range(rank, rank + 1))[0]

    def lowest_ranks(self) -> list[int]:
        """For each element the number of lesser ones."""
        return [sum(compare(other, value) < 0 for other in self.values) for value in self.values]

    def ranks_of(self, way: str, args: tuple[Any, ...]) -> range:
        """The ranks that an operation by rank selects."""
        size = len(self.values)
        match way, args:
            case "rank", (at,):
                if not -size <= at < size:
                    raise RejectedError(NOT_APPLICABLE)
                return span(at % size, 1, size)
            case "rank range", (start, count):
                return span(from_end(start, size), count, size)
            case "relative rank", (value, start, count):
                base = sum(compare(other, value) < 0 for other in self.values)
                return span(base + start, count, size)
        raise AssertionError((way, args))

    def pick(self, way: str, args: tuple[Any, ...], *, inverted: bool = False) -> list[int]:
        """The indexes of the elements that an operation selects, in the order of its result."""
        size = len(self.values)
        every = range(size)
        positions: list[int]
        match way, args:
            case "index", (at,):
                if not -size <= at < size:
                    raise RejectedError(NOT_APPLICABLE)
                positions = [at % size]
            case "key", (key,):
                positions = [at for at in every if same(self.keys[at], key)]
            case "all by value", (value,):
                positions = [at for at in every if same(self.values[at], value)]
            case "value list", (values,):
                positions = [at for at in every if any(same(self.values[at], v) for v in values)]
            case "key list", (keys,):
                positions = [at for at in every if any(same(self.keys[at], key) for key in keys)]
            case (("value interval" | "key interval"), (begin, end)):
                items = self.values if way == "value interval" else self.keys
                positions = [
                    at for at in every
                    if compare(items[at], begin) >= 0 and compare(items[at], end) < 0
                ]  # fmt: skip
            case "index range", (start, count):
                positions = list(span(from_end(start, size), count, size))
            case (("rank" | "rank range" | "relative rank"), _):
                positions = self.of_ranks(self.ranks_of(way, args))
            case "relative index", (key, start, count):
                base = sum(compare(other, key) < 0 for other in self.keys)
                positions = list(span(base + start, count, size))
            case _:
                raise AssertionError((way, args))
        return [at for at in every if at not in positions] if inverted else positions

    def answer(
        self,
        way: str,
        args: tuple[Any, ...],
        returns: str,
        *,
        inverted: bool = False,
    ) -> Any:
        """The result of an operation that selects in this way; the order of several numbers is not
        that of servers."""
        positions = self.pick(way, args, inverted=inverted)
        single = way in ("index", "rank", "key")
        match returns:
            case "none":
                return None
            case "count":
                return len(positions)
            case "exists":
                return self._exists(way, args) if inverted else bool(positions)
            case "pairs":
                return [(self.keys[at], self.values[at]) for at in positions]
            case "map":
                return {self.keys[at]: self.values[at] for at in positions}
        if way == "value list" and not inverted:
            positions = self._repeated(args[0], positions, returns)
        if returns in NUMBERS:
            results: list[Any] = self._numbers(way, args, positions, returns, inverted=inverted)
        else:
            results = [(self.keys if returns == "key" else self.values)[at] for at in positions]
        if not single:
            return results
        return results[0] if results else None if returns in ("key", "value") else -1

    def _numbers(
        self, way: str, args: tuple[Any, ...], positions: list[int], returns: str, *, inverted: bool
    ) -> list[int]:
        size = len(self.values)
        numbers = positions
        if "rank" in returns and "rank" in way:
            selected = self.ranks_of(way, args)
            numbers = [rank for rank in range(size) if (rank in selected) != inverted]
        elif "rank" in returns:
            ranks = {at: rank for rank, at in enumerate(self.ranks())}
            # Equal elements of a list by index have the lowest of their ranks.
            is_one_by_one = "index" in way and len(positions) < size
            if is_one_by_one and not self.is_map and not self.ordered:
                ranks = dict(enumerate(self.lowest_ranks()))
            numbers = [ranks[at] for at in positions]
        return [size - 1 - number for number in numbers] if "reverse" in returns else numbers

    def _repeated(self, values: list[Any], positions: list[int], returns: str) -> list[int]:
        """The elements for a list of values. A value that is listed twice counts twice in an
        ordered list, and for the numbers of a map of one pair."""
        is_one = self.is_map and len(self.values) == 1 and returns in NUMBERS
        if not self.ordered and not is_one:
            return positions
        return [at for value in values for at in positions if same(self.values[at], value)]

    def _exists(self, way: str, args: tuple[Any, ...]) -> bool:
        """Whether an inverted operation says that there are others than the selected elements.
        Servers that do not look the others up say whether nothing was selected."""
        picked = self.pick(way, args)
        others = len(picked) < len(self.values)
        if way.endswith("list") or (not self.is_map and (self.ordered or way == "index range")):
            return others
        if not self.is_map:
            return not picked and (others or "rank" not in way)
        if way == "key interval":
            return not picked
        if "value" in way:
            return not picked and others
        # The others are looked up if they are in one piece.
        numbers = self.ranks_of(way, args) if "rank" in way else picked
        return others and not (numbers and numbers[0] > 0 and numbers[-1] < len(self.values) - 1)

    def remove(self, positions: list[int]) -> None:
        remaining = [at for at in range(len(self.values)) if at not in positions]
        self.keys = (
            [self.keys[at] for at in remaining] if self.is_map else list(range(len(remaining)))
        )
        self.values = [self.values[at] for at in remaining]

    def add(self, items: list[Any], index: int | None, flags: int, *, several: bool) -> int:
        """Appends to a list or inserts into it; returns its new size. The flags are unique 1,
        bounded 2, no fail 4, partial 8."""
        size = len(self.values)
        unique, bounded, lenient = flags & 1, flags & 2, flags & 4
        if index is not None:
            if self.ordered:
                raise RejectedError(NOT_APPLICABLE)
            if not items and not size:  # Whatever the index.
                return size
            if index < -size:
                raise RejectedError(NOT_APPLICABLE)
            index = from_end(index, size)
            if bounded and index > size:
                if lenient:
                    return size
                raise RejectedError(NOT_APPLICABLE)
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
        unique: list[Any] = []
        code = 0
        for item in items:
            if any(same(item, other) for other in unique):
                code = code or NOT_APPLICABLE
            elif not any(same(item, other) for other in self.values):
                unique.append(item)
            else:
                code = EXISTS
        if code == 0 or partial:
            return unique
        if lenient:
            return []
        raise RejectedError(EXISTS if code == EXISTS else NOT_APPLICABLE)

    def _settle(self) -> None:
        if self.ordered:
            self.values = in_order(self.values)
        self.keys = list(range(len(self.values)))

    def set(self, index: int, value: Any, flags: int) -> None:
        size = len(self.values)
        if self.ordered or index < -size:
            raise RejectedError(NOT_APPLICABLE)
        index = from_end(index, size)
        code = 0
        if flags & 2 and index > size:
            code = NOT_APPLICABLE
        elif flags & 1 and any(same(value, other) for other in self.values):
            code = EXISTS
        if code and not flags & 4:
            raise RejectedError(code)
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
            raise RejectedError(codes[0])
        if not codes or flags & 8:
            self.keys = in_order(pairs)
            self.values = [pairs[key] for key in self.keys]
        return len(self.keys)
