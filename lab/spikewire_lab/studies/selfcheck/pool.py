"""A pool whose event loops have simulated clocks that advance side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...clients.base import PoolClient, Target, Verbs
from .fake import FakeAsyncio
from .virtual import LoopTime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ...clients.base import SubmittedCall
    from ...worker.timing import Timing
    from .fake import Script


@dataclass(frozen=True)
class CompleteFuture:
    """A call that is complete as soon as it is submitted."""

    value: object

    def result(self, timeout: float | None = None) -> object:  # noqa: ARG002 - a protocol's name
        return self.value


class FakePool(PoolClient):
    """Runs a call on one loop after another, to its end, but each from the instant at which the
    first one began. Every loop numbers its calls from 0 and follows its own script."""

    def __init__(self, scripts: Sequence[Script]) -> None:
        self._times = [LoopTime() for _ in scripts]
        self._clients = [
            FakeAsyncio((script,), time.sleep)
            for script, time in zip(scripts, self._times, strict=True)
        ]
        self._next = self._running = 0

    def open(self, target: Target, loops: int, *, uvloop: bool) -> None:
        pass

    def timing(self, loop: int) -> Timing:
        """The clock of the loop of that number."""
        return self._times[loop].timing()

    def seconds(self) -> float:
        """The time of the loop that is furthest ahead."""
        return max(time.seconds() for time in self._times)

    def verbs(self) -> Verbs:
        """The verbs of the loop that a call runs on."""
        calls = [client.verbs().names["ask"] for client in self._clients]

        def ask(*what: object) -> object:
            called: Any = calls[self._running]
            return called(*what)

        return Verbs("await ask(k)", "await ask(k, bins)", {"ask": ask})

    def run(self, function: Callable[..., object], *args: object) -> SubmittedCall:
        self._running = self._next
        self._next = (self._next + 1) % len(self._times)
        called: Any = function(*args)
        return CompleteFuture(self._times[self._running].loop.run_until_complete(called))

    def map(
        self, handler: Callable[..., object], items: Iterable[object], limit: int
    ) -> Iterator[object]:
        raise NotImplementedError("its calls are known one by one")

    def close(self) -> None:
        for time in self._times:
            time.loop.close()
