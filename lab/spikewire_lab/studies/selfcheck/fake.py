"""Scripted clients that do nothing else, so that the correct figures are known."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...clients.base import AsyncioClient, BlockingClient, Target, Verbs


@dataclass(frozen=True)
class Act:
    """What one call does, in this order. Times are in seconds."""

    blocks: float = 0.0
    """Blocks the thread, and with it the event loop."""
    burns: float = 0.0
    """Processor time."""
    takes: float = 0.0
    """Waits as if for a reply."""
    error: type[Exception] | None = None
    """Raised at the end, if set."""


def burn(seconds: float) -> None:
    """Uses this much processor time in this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


Script = Callable[[int], Act]
"""What a worker's call does, by its number."""
Scripts = Sequence[Script]
"""One for each worker; they repeat if there are more workers."""


class CallNumbers:
    """Numbers the calls of one worker, starting at 0."""

    def __init__(self, script: Script, sleep: Callable[[float], None]) -> None:
        self._script, self._sleep = script, sleep
        self._numbers = itertools.count()

    def begin(self) -> Act:
        act = self._script(next(self._numbers))
        if act.blocks:
            self._sleep(act.blocks)
        if act.burns:
            burn(act.burns)
        return act

    @staticmethod
    def end(act: Act) -> None:
        if act.error is not None:
            raise act.error("as the script says")


class FakeBlocking(BlockingClient):
    def __init__(self, scripts: Scripts, sleep: Callable[[float], None] = time.sleep) -> None:
        self._scripts, self._sleep = itertools.cycle(scripts), sleep

    def open(self, target: Target) -> None:
        pass

    def verbs(self) -> Verbs:
        calls, sleep = CallNumbers(next(self._scripts), self._sleep), self._sleep

        def ask(*_what: object) -> None:
            act = calls.begin()
            if act.takes:
                sleep(act.takes)
            calls.end(act)

        return Verbs("ask(k)", "ask(k, bins)", {"ask": ask})

    def close(self) -> None:
        pass


class FakeAsyncio(AsyncioClient):
    def __init__(self, scripts: Scripts, sleep: Callable[[float], None] = time.sleep) -> None:
        self._scripts, self._sleep = itertools.cycle(scripts), sleep

    async def open(self, target: Target) -> None:
        pass

    def verbs(self) -> Verbs:
        calls = CallNumbers(next(self._scripts), self._sleep)

        async def ask(*_what: object) -> None:
            act = calls.begin()
            if act.takes:
                await asyncio.sleep(act.takes)
            calls.end(act)

        return Verbs("await ask(k)", "await ask(k, bins)", {"ask": ask})

    async def close(self) -> None:
        pass
