"""The ways to keep calls in flight: templates that are filled with a client's source code.

The five for threads are those of the study in cassandra-driver: blocking calls, batches of futures,
a full pipeline, futures without a bound, and chains of callbacks.
"""

from __future__ import annotations

import textwrap
from collections import deque
from itertools import count, islice
from threading import Semaphore
from typing import TYPE_CHECKING, Protocol, cast

from ..worker.loop import compiled
from .cells import BATCHES, BLOCKING, CHAINS, CONCURRENT, LOOPS, PIPELINE, UNTHROTTLED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from .clients.base import Verbs
    from .data import Parameters


class Loop(Protocol):
    def __call__(
        self,
        stream: Iterator[Parameters],
        stop: Sequence[bool],
        failed: Callable[[BaseException], None],
        depth: int,
    ) -> int | Awaitable[int]:
        """Calls until the parameters run out or it is told to stop; returns the number of calls."""
        ...


_ONE_BY_ONE = """
def bind({names}):
    {kind} loop(stream, stop, failed, depth):
        tried = 0
        for p in stream:
            try:
                {call}
            except Exception as error:
                failed(error)
            tried += 1
            if stop:
                break
        return tried
    return loop
"""

_BATCHES = """
def bind({names}):
    def loop(stream, stop, failed, depth):
        tried = 0
        while not stop:
            futures = []
            for p in islice(stream, depth):
                tried += 1
                try:
                    futures.append({start})
                except Exception as error:
                    failed(error)
            if not futures:
                break
            for future in futures:
                try:
                    {finish}
                except Exception as error:
                    failed(error)
        return tried
    return loop
"""

_PIPELINE = """
def bind({names}):
    def loop(stream, stop, failed, depth):
        tried = 0
        futures = deque()
        for p in stream:
            if len(futures) == depth:
                future = futures.popleft()
                try:
                    {finish}
                except Exception as error:
                    failed(error)
            tried += 1
            try:
                futures.append({start})
            except Exception as error:
                failed(error)
            if stop:
                break
        for future in futures:
            try:
                {finish}
            except Exception as error:
                failed(error)
        return tried
    return loop
"""

_CHAINS = """
def bind({names}):
    def loop(stream, stop, failed, depth):
        numbers = count()
        ended = Semaphore(0)
        def following():
            while True:
                p = None if stop else next(stream, None)
                if p is None:
                    ended.release()
                    return
                next(numbers)
                try:
                    {chain}
                except Exception as error:
                    failed(error)
                else:
                    return
        def done(value):
            try:
                {held}
            except Exception as error:
                failed(error)
            following()
        def lost(error):
            failed(error)
            following()
        for _ in range(depth):
            following()
        for _ in range(depth):
            ended.acquire()
        return next(numbers)
    return loop
"""

_CONCURRENT = """
def bind({names}):
    def loop(stream, stop, failed, depth):
        tried = 0
        while not stop:
            rows = list(islice(stream, depth * MANY))
            if not rows:
                break
            tried += len(rows)
            try:
                {many}
            except Exception as error:
                for _ in rows:
                    failed(error)
        return tried
    return loop
"""

_ROW = """
def bind({names}):
    {kind} row(p):
        {row}
        return id, number, payload
    return row
"""

_TEMPLATES = {
    BLOCKING: _ONE_BY_ONE,
    BATCHES: _BATCHES,
    UNTHROTTLED: _BATCHES,
    PIPELINE: _PIPELINE,
    CHAINS: _CHAINS,
    CONCURRENT: _CONCURRENT,
    **dict.fromkeys(LOOPS, _ONE_BY_ONE),
}
MANY = 10
"""Rows of parameters of one call, in multiples of those in flight."""
_NAMES = {
    "count": count,
    "deque": deque,
    "islice": islice,
    "Semaphore": Semaphore,
    "MANY": MANY,
}


def loop_of(pattern: str, verbs: Verbs) -> Loop:
    """The loop of a pattern for a client."""
    return cast("Loop", _bind(_TEMPLATES[pattern], verbs, pattern in LOOPS))


def row_of(verbs: Verbs, asynchronous: bool) -> Callable[[Parameters], object]:
    """A function that reads an item: its values, or an awaitable of them."""
    return cast("Callable[[Parameters], object]", _bind(_ROW, verbs, asynchronous))


def source(pattern: str, verbs: Verbs) -> str:
    """The source of the loop as it will run, for inspection."""
    return _source(_TEMPLATES[pattern], verbs, pattern in LOOPS)


def _source(template: str, verbs: Verbs, asynchronous: bool) -> str:
    gaps = {
        "call": verbs.call,
        "start": verbs.start,
        "finish": verbs.finish,
        "chain": verbs.chain,
        "held": verbs.held,
        "many": verbs.many,
        "row": verbs.row,
        "kind": "async def" if asynchronous else "def",
        "names": ", ".join({**_NAMES, **verbs.names}),
    }
    lines: list[str] = []
    for line in template.strip().splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        filled = line.strip().format(**gaps)
        # A client's source may be more than one statement.
        lines += textwrap.indent(filled, indent).splitlines()
    return "\n".join(lines)


def _bind(template: str, verbs: Verbs, asynchronous: bool) -> object:
    text = _source(template, verbs, asynchronous)
    return compiled(text, f"<CQL loop: {verbs.call}>", {**_NAMES, **verbs.names})
