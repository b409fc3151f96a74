"""The closed loop that every worker runs, written out once per client.

One text serves threads and tasks alike, so the two cannot drift apart; the client's own source for
a read and a write is put in place, as `timeit` does, so nobody pays for a wrapper.
"""

from __future__ import annotations

import inspect
import linecache
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, MutableSequence, Sequence

    from .clients.base import Verbs
    from .workload import Block

Tally = tuple[int, int]
"""Operations tried, latencies taken."""


class Loop(Protocol):
    def __call__(
        self,
        blocks: Iterable[Block],
        stop: Sequence[bool],
        clock: Callable[[], int],
        samples: MutableSequence[int],
        failed: Callable[[BaseException], None],
    ) -> Tally | Awaitable[Tally]: ...


class BlockingLoop(Loop, Protocol):
    def __call__(
        self,
        blocks: Iterable[Block],
        stop: Sequence[bool],
        clock: Callable[[], int],
        samples: MutableSequence[int],
        failed: Callable[[BaseException], None],
    ) -> Tally: ...


class AsyncioLoop(Loop, Protocol):
    def __call__(
        self,
        blocks: Iterable[Block],
        stop: Sequence[bool],
        clock: Callable[[], int],
        samples: MutableSequence[int],
        failed: Callable[[BaseException], None],
    ) -> Awaitable[Tally]: ...


# `samples` is a buffer whose length is a power of two; the latency of a write is kept negative.
_TEMPLATE = """
def bind({names}):
    {kind} loop(blocks, stop, clock, samples, failed):
        tried = taken = 0
        last = len(samples) - 1
        for (k, bins), followers in blocks:
            begun = clock()
            try:
                if bins is None:
                    {read}
                    samples[taken & last] = clock() - begun
                else:
                    {write}
                    samples[taken & last] = begun - clock()
                taken += 1
            except Exception as error:
                failed(error)
            tried += 1
            if stop:
                break
            for k, bins in followers:
                try:
                    if bins is None:
                        {read}
                    else:
                        {write}
                except Exception as error:
                    failed(error)
                tried += 1
                if stop:
                    return tried, taken
        return tried, taken
    return loop
"""

_READ_ONE = """
def bind({names}):
    {kind} read(k):
        return {read}
    return read
"""


def blocking_loop(verbs: Verbs) -> BlockingLoop:
    return cast("BlockingLoop", _bind(_TEMPLATE, verbs, "def"))


def asyncio_loop(verbs: Verbs) -> AsyncioLoop:
    return cast("AsyncioLoop", _bind(_TEMPLATE, verbs, "async def"))


def blocking_read(verbs: Verbs) -> Callable[[int], object]:
    return cast("Callable[[int], object]", _bind(_READ_ONE, verbs, "def"))


def asyncio_read(verbs: Verbs) -> Callable[[int], Awaitable[object]]:
    return cast("Callable[[int], Awaitable[object]]", _bind(_READ_ONE, verbs, "async def"))


def loop_source(verbs: Verbs, kind: str = "def") -> str:
    """The loop as it will run, for those who want to read it."""
    return _source(_TEMPLATE, verbs, kind)


def _source(template: str, verbs: Verbs, kind: str) -> str:
    return inspect.cleandoc(
        template.format(names=", ".join(verbs.names), kind=kind, read=verbs.read, write=verbs.write)
    )


def _bind(template: str, verbs: Verbs, kind: str) -> object:
    source = _source(template, verbs, kind)
    filename = f"<bench loop: {verbs.read} / {verbs.write}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space: dict[str, object] = {}
    exec(compile(source, filename, "exec"), space)  # noqa: S102 - written here, of our own text
    return cast("Callable[..., object]", space["bind"])(**verbs.names)
