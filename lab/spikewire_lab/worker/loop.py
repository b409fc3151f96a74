"""The closed loop that every worker runs, generated for each client.

One template serves threads and tasks alike, so the two cannot diverge; the client's own source for
a read and a write is inserted, as in `timeit`, so that no wrapper is measured.
"""

from __future__ import annotations

import inspect
import linecache
import textwrap
import timeit
from dataclasses import replace
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol, cast

from ..clients.base import Verbs
from ..series.marks import NO_MARKS
from ..work.mix import READING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableSequence, Sequence

    from ..clients.base import ManyVerbs, TableVerbs
    from ..series.marks import NoMarks
    from ..work import Block, Key, Operation

Tally = tuple[int, int, int]
"""Operations tried, latencies taken, and the clock after the last call."""


class Loop(Protocol):
    def __call__(
        self,
        blocks: Iterable[Block],
        stop: Sequence[bool],
        clock: Callable[[], int],
        samples: MutableSequence[int],
        failed: Callable[[BaseException], None],
        marks: NoMarks = NO_MARKS,
    ) -> Tally | Awaitable[Tally]: ...


class BlockingLoop(Loop, Protocol):
    def __call__(
        self,
        blocks: Iterable[Block],
        stop: Sequence[bool],
        clock: Callable[[], int],
        samples: MutableSequence[int],
        failed: Callable[[BaseException], None],
        marks: NoMarks = NO_MARKS,
    ) -> Tally: ...


class AsyncioLoop(Loop, Protocol):
    def __call__(
        self,
        blocks: Iterable[Block],
        stop: Sequence[bool],
        clock: Callable[[], int],
        samples: MutableSequence[int],
        failed: Callable[[BaseException], None],
        marks: NoMarks = NO_MARKS,
    ) -> Awaitable[Tally]: ...


# `samples` is a buffer whose length is a power of two; the latency of a write is kept negative.
# `marks` is told when an interval has ended since the timed call before: see series/marks.py.
_TEMPLATE = """
def bind({names}):
    {kind} loop(blocks, stop, clock, samples, failed, marks=unmarked):
        tried = taken = before = held = had = 0
        last, edge = len(samples) - 1, marks.edge
        for ({item}), followers in blocks:
            begun = clock()
            if begun >= edge:
                edge = marks.passed(before, held, had, begun, tried, taken)
            before, held, had = begun, tried, taken
            try:
                {timed}
                taken += 1
            except Exception as error:
                failed(error)
            tried += 1
            if stop:
                break
            for {item} in followers:
                try:
                    {each}
                except Exception as error:
                    failed(error)
                tried += 1
                if stop:
                    return tried, taken, marks.ended(before, held, had, clock(), tried, taken)
        return tried, taken, marks.ended(before, held, had, clock(), tried, taken)
    return loop
"""

_READ_ONE = """
def bind({names}):
    {kind} read(k):
        return {whole}
    return read
"""


_CALL_ONE = """
def bind({names}):
    {kind} call(operation):
        {item} = operation
        {call}
    return call
"""


def batch_verbs(many: ManyVerbs, names: Sequence[str]) -> Verbs:
    """Batches in the form that the loop runs: the caller accesses every bin of every row."""
    touch = itemgetter(*names)
    return Verbs(
        read=f"for row in {many.read}: touch({many.bins})",
        write=many.write or "raise NotImplementedError",
        names={"touch": touch, **many.names},
        whole=f"[{many.bins} for row in {many.read}]",
    )


def record_verbs(many: ManyVerbs) -> Verbs:
    """The rows of a table as a list of mappings, for ways without columns."""
    whole = f"[{many.bins} for row in {many.read}]"
    return Verbs(f"kept = {whole}", "raise NotImplementedError", many.names, whole)


def table_verbs(table: TableVerbs) -> Verbs:
    """The rows of a table as columns."""
    read, rows = f"kept = {table.read}", table.rows.replace("table", f"({table.read})", 1)
    return Verbs(read, "raise NotImplementedError", table.names, rows)


def blocking_loop(verbs: Verbs) -> BlockingLoop:
    return cast("BlockingLoop", _bind(_TEMPLATE, verbs, "def"))


def asyncio_loop(verbs: Verbs) -> AsyncioLoop:
    return cast("AsyncioLoop", _bind(_TEMPLATE, verbs, "async def"))


def blocking_read(verbs: Verbs) -> Callable[[Key], object]:
    return cast("Callable[[Key], object]", _bind(_READ_ONE, verbs, "def"))


def asyncio_read(verbs: Verbs) -> Callable[[Key], Awaitable[object]]:
    return cast("Callable[[Key], Awaitable[object]]", _bind(_READ_ONE, verbs, "async def"))


def blocking_call(verbs: Verbs) -> Callable[[Operation], None]:
    """One read or write as a function."""
    return cast("Callable[[Operation], None]", _bind(_CALL_ONE, verbs, "def"))


def asyncio_call(verbs: Verbs) -> Callable[[Operation], Awaitable[None]]:
    """The same for tasks, and for a pool that is given single commands."""
    return cast("Callable[[Operation], Awaitable[None]]", _bind(_CALL_ONE, verbs, "async def"))


def with_work(verbs: Verbs, microseconds: int) -> Verbs:
    """The same, with this much Python code after each operation, as in a program."""
    if not microseconds:
        return verbs
    turns = max(1, round(microseconds * _turns_per_microsecond()))
    return replace(
        verbs,
        read=f"{verbs.read}\nwork(turns)",
        write=f"{verbs.write}\nwork(turns)",
        names={**verbs.names, "work": _work, "turns": turns},
        whole=verbs.whole or verbs.read,
        steps={verb: f"{statement}\nwork(turns)" for verb, statement in verbs.steps.items()},
    )


def _work(turns: int) -> None:
    for _ in range(turns):
        pass


@cache
def _turns_per_microsecond() -> float:
    """Turns of this interpreter: the fastest of several tries, as other programs may be busy."""
    turns = 1_000
    return turns / 1e6 / min(timeit.repeat(lambda: _work(turns), number=1, repeat=200))


def loop_source(verbs: Verbs, kind: str = "def") -> str:
    """The source of the loop as it will run, for inspection."""
    return _source(_TEMPLATE, verbs, kind)


def _source(template: str, verbs: Verbs, kind: str) -> str:
    return inspect.cleandoc(
        template.format(
            names=", ".join(("unmarked", *verbs.names)),
            kind=kind,
            item="k, bins, verb" if verbs.steps else "k, bins",
            timed=_branches(verbs, 16, "samples[taken & last] = "),
            each=_branches(verbs, 20),
            call=_branches(verbs, 8),
            whole=verbs.whole or verbs.read,
        )
    )


def _branches(verbs: Verbs, column: int, latency: str = "") -> str:
    """The code for each verb with this indentation; if a latency is taken, it is stored after the
    call."""
    cases = [("if bins is None:", verbs.read, True), ("else:", verbs.write, False)]
    if verbs.steps:
        cases = [
            (f"{'elif' if at else 'if'} verb == {verb!r}:", statement, verb in READING)
            for at, (verb, statement) in enumerate(verbs.steps.items())
        ]
    text = ""
    for head, statement, reading in cases:
        signed = "clock() - begun" if reading else "begun - clock()"
        body = f"{statement}\n{latency}{signed}" if latency else statement
        text += f"{head}\n{textwrap.indent(body, '    ')}\n"
    return indented(text, column)


def indented(text: str, column: int) -> str:
    """Lines indented to the column of their field in a template."""
    return textwrap.indent(text, " " * column).strip()


def _bind(template: str, verbs: Verbs, kind: str) -> object:
    source = _source(template, verbs, kind)
    names = {"unmarked": NO_MARKS, **verbs.names}
    return compiled(source, f"<bench loop: {verbs.read} / {verbs.write}>", names)


def compiled(source: str, filename: str, names: Mapping[str, object]) -> object:
    """The function that `bind` in this source returns for these names."""
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space: dict[str, object] = {}
    exec(compile(source, filename, "exec"), space)  # noqa: S102 - written here, of our own text
    return cast("Callable[..., object]", space["bind"])(**names)
