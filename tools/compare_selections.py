"""Runs random list and map selections on two servers, and prints where they differ.

    tools/compare_selections.py 127.0.0.1:3000 127.0.0.1:4000 --count 1000000 --seed 1

The first is usually an embedded cluster, the second a real server; both need the namespace `test`.
Each selection is one row of a batch: it stores a list or map, selects from it with `get_by_...` or
`remove_by_...`, and reads what is left. Differences are grouped by container, order, operation,
`inverted`, `returning` and whether there are equal elements, with examples. The exit status is 1 if
there are any.

Calls that end servers up to 8.1.2 are left out: a list of no values or keys, inverted, of an
unordered map, and what the client refuses anyway.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from differential.tally import Tally

import spikewire
from spikewire import ctx, op

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

BIN = "b"
#: Rows of one batch.
WINDOW = 1000

_NUMBERS = ("none", "count", "exists", "index", "reverse_index", "rank", "reverse_rank")
_LIST = (*_NUMBERS, "value")
_MAP: tuple[str, ...] = (*_LIST, "key", "key_value", "ordered_map", "unordered_map")
_BY_INDEX = ("index_range", "reverse_index_range")
_BY_VALUE = ("rank_range", "reverse_rank_range")
#: What follows `get_by_` and `remove_by_`, and whether it selects several elements.
_WAYS = {
    "index": False,
    "rank": False,
    "value": True,
    "value_list": True,
    "index_range": True,
    "value_range": True,
    "rank_range": True,
    "value_relative_rank": True,
}
_MAP_WAYS = {
    **_WAYS,
    "key": False,
    "key_list": True,
    "key_range": True,
    "key_relative_index": True,
}


@dataclass(frozen=True, slots=True)
class Selection:
    """One row: what is stored, and what is done with it."""

    #: Its class: what differences are grouped by.
    kind: tuple[object, ...]
    #: How it reads in Python.
    text: str
    operations: list[spikewire.Operation]


def main() -> int:
    """Compares; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("seeds", nargs=2, metavar="HOST:PORT", help="the two servers")
    parser.add_argument("--count", type=int, default=100_000, help="selections")
    parser.add_argument("--seed", type=int, default=1, help="of the random draws")
    options = parser.parse_args()
    draw = random.Random(options.seed)  # noqa: S311 (not for secrets)
    tally = Tally()
    rejections: Counter[str] = Counter()
    started = time.monotonic()
    with (
        spikewire.Client(options.seeds[0], timeout=30) as first,
        spikewire.Client(options.seeds[1], timeout=30) as second,
    ):
        left = options.count
        while left > 0:
            window = [_selection(draw, rejections) for _ in range(min(left, WINDOW))]
            left -= len(window)
            outcomes = zip(window, _run(first, window), _run(second, window), strict=True)
            for selection, here, there in outcomes:
                tally.add_run(selection.kind)
                if here != there:
                    tally.add_difference(selection.kind, selection.text, here, there)
    tally.print_differences()
    tally.print_total("selections", time.monotonic() - started)
    for why, count in rejections.most_common():
        print(f"refused by the client {count:,} times: {why}")
    return int(bool(tally.differences))


def _run(client: spikewire.Client, window: list[Selection]) -> list[tuple[object, ...]]:
    """The results of each row, or the code of its error."""
    rows = [
        spikewire.Write(("test", "selections", at), selection.operations)
        for at, selection in enumerate(window)
    ]
    batch = client.batch(rows)
    outcomes: list[tuple[object, ...]] = []
    for at, code in enumerate(batch.codes):
        record = batch[at] if code == 0 else None
        outcomes.append((code, *map(_with_types, record.results[-2:])) if record else (code,))
    return outcomes


def _with_types(value: Any) -> str:
    """The value with its types, and with the order of its pairs."""
    return repr(value)


def _selection(draw: random.Random, rejections: Counter[str]) -> Selection:
    while True:
        try:
            selection = _draw_selection(draw)
        except (ValueError, TypeError, spikewire.Error) as error:
            rejections[str(error)[:90]] += 1
            continue
        return selection


def _draw_selection(draw: random.Random) -> Selection:
    is_map = draw.random() < 0.5
    scalar = _scalars(draw)
    size = draw.choice((0, 1, 1, 2, 3, 3, 4, 5, 6, 8, 13, 30))
    values = [_value(draw, scalar) for _ in range(size)]
    container: Any
    verbs: ModuleType
    if is_map:
        key = draw.choice((lambda: draw.randint(-3, 25), lambda: f"k{draw.randint(0, 25)}"))
        container = {key(): value for value in values}
        values = list(container.values())
        order = draw.choice(("unordered", "key", "key_value"))
        ways, words, verbs = _MAP_WAYS, _MAP, op.map
    else:
        key = lambda: 0  # noqa: E731 (lists have no keys)
        container = values
        order = draw.choice(("unordered", "ordered"))
        ways, words, verbs = _WAYS, _LIST, op.list
    way = draw.choice(list(ways))
    returning = draw.choice(words)
    if draw.random() < 0.1 and "list" not in way:
        returning = draw.choice(_BY_VALUE if "value" in way or "rank" in way else _BY_INDEX)
    inverted = ways[way] and draw.random() < 0.5
    arguments = _arguments(draw, way, lambda: _sought(draw, values, scalar), key, size)
    if inverted and way.endswith("_list") and not arguments[0]:
        arguments = ([scalar()],) if way == "value_list" else ([key()],)
    name = f"{draw.choice(('get', 'remove'))}_by_{way}"
    named: dict[str, Any] = {"returning": returning}
    if ways[way]:
        named["inverted"] = inverted
    depth = draw.choice((0, 0, 0, 1))
    path = [ctx.list_index(1)] if depth else None
    stored = [7, container] if depth else container
    operations = [op.put(BIN, stored)]
    if order != "unordered":
        operations.append(verbs.set_order(BIN, order, ctx=path))
    operations += [getattr(verbs, name)(BIN, *arguments, **named, ctx=path), op.get(BIN)]
    equal = len({repr(value) for value in values}) < len(values)
    kind = (
        "map" if is_map else "list",
        order,
        name,
        "inverted" if inverted else "-",
        returning,
        "equal elements" if equal else "-",
    )
    text = f"{order} {container} {name}{arguments} {named}{' nested' if depth else ''}"
    return Selection(kind, text, operations)


def _arguments(
    draw: random.Random,
    way: str,
    sought: Callable[[], object],
    key: Callable[[], object],
    size: int,
) -> tuple[Any, ...]:
    """The arguments of a way to select."""
    at = draw.randint(-size - 2, size + 2)
    count = draw.choice((None, 0, 1, 1, 2, 3, size))
    several = draw.choice((0, 1, 2, 3, 5))
    match way:
        case "index" | "rank":
            return (at,)
        case "index_range" | "rank_range":
            return (at, count)
        case "value":
            return (sought(),)
        case "value_list":
            return ([sought() for _ in range(several)],)
        case "value_range":
            return (sought(), sought()) if draw.random() < 0.8 else (sought(),)
        case "value_relative_rank":
            return (sought(), at, count)
        case "key":
            return (key(),)
        case "key_list":
            return ([key() for _ in range(several)],)
        case "key_range":
            return (key(), key()) if draw.random() < 0.8 else (key(),)
        case _:
            return (key(), at, count)


def _scalars(draw: random.Random) -> Callable[[], object]:
    """Draws values of one kind, or of any: from few values, so that some are equal."""
    kinds: tuple[Callable[[], object], ...] = (
        lambda: draw.randint(1, 5),
        lambda: draw.randint(-9, 30),
        lambda: draw.choice("abcde"),
        lambda: draw.choice((0.5, -1.0, 2.0, 3.25)),
        lambda: draw.choice((None, True, False, 0, 1, "", "a", b"", b"a", 1.0)),
    )
    if draw.random() < 0.6:
        return draw.choice(kinds)
    return lambda: draw.choice(kinds)()


def _value(draw: random.Random, scalar: Callable[[], object]) -> object:
    """A value to store: sometimes nested."""
    chance = draw.random()
    if chance < 0.9:
        return scalar()
    if chance < 0.96:
        return [scalar() for _ in range(draw.randint(0, 3))]
    return {draw.choice("xyz"): scalar() for _ in range(draw.randint(0, 3))}


def _sought(draw: random.Random, values: list[Any], scalar: Callable[[], object]) -> object:
    """A value to search for: often one that is there, sometimes a pattern."""
    chance = draw.random()
    if values and chance < 0.6:
        return draw.choice(values)
    if chance < 0.62:
        return op.WILDCARD
    if chance < 0.66:
        return [scalar(), op.WILDCARD]
    return _value(draw, scalar)


if __name__ == "__main__":
    sys.exit(main())
