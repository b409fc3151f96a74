"""Implements ``spikewire.in_flight``."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections import deque
from functools import partial
from operator import index
from types import BuiltinMethodType
from typing import TYPE_CHECKING, Any, TypeVar

from spikewire._native import AsyncClient as NativeAsyncClient
from spikewire._native import AsyncDataset, Dataset, DatasetSubmit, FutureBase
from spikewire._native import Client as NativeClient
from spikewire.aerospike.views import ModeVerb, OperateVerb

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator

    from typing_extensions import Never

__all__ = ["Future"]

_T = TypeVar("_T")


if TYPE_CHECKING:
    _Base = concurrent.futures.Future
else:
    # The behaviour is native. The standard class is a base class so that isinstance() works.
    class _Base(FutureBase, concurrent.futures.Future):
        pass


class Future(_Base[_T]):
    """The outcome of a submitted call; a ``concurrent.futures.Future``.

    ``result(timeout)``, ``exception(timeout)``, ``add_done_callback(fn)``, ``cancel()`` and the
    rest behave as in the standard library, and ``concurrent.futures.wait``, ``as_completed`` and
    ``asyncio.wrap_future`` work with it. Any thread may use it.
    """

    def set_result(self, result: _T) -> Never:  # noqa: ARG002
        """Raises ``concurrent.futures.InvalidStateError``: only the client completes it."""
        raise _not_yours()

    def set_exception(self, exception: BaseException | None) -> Never:  # noqa: ARG002
        """Raises ``concurrent.futures.InvalidStateError``: only the client completes it."""
        raise _not_yours()

    def set_running_or_notify_cancel(self) -> Never:
        """Raises ``concurrent.futures.InvalidStateError``: only the client starts it."""
        raise _not_yours()


def _not_yours() -> concurrent.futures.InvalidStateError:
    return concurrent.futures.InvalidStateError("the future of a call belongs to its client")


def gather_results(
    client: NativeClient, calls: Iterable[Any], limit: int, errors: str
) -> Generator[Any, None, None]:
    """``Client.concurrent``: submits each call while others are in flight."""
    keep, returns_errors = _checked(calls, limit, errors)
    starters = _Starters(client, (NativeClient, Dataset), lambda owner: owner.submit)
    return _gather(iter(calls), starters, limit, keep, returns_errors)


def _gather(
    calls: Iterator[Any], starters: _Starters, limit: int, keep: int, returns_errors: bool
) -> Generator[Any, None, None]:
    window: deque[Future[Any] | Exception] = deque()

    def oldest() -> Any:
        outcome = window.popleft()
        if not isinstance(outcome, Exception):
            if not returns_errors:
                return outcome.result()
            error = outcome.exception()
            if error is None:
                return outcome.result()
            return error
        return outcome

    try:
        for number, call in enumerate(calls):
            window.append(starters.start(number, call, returns_errors))
            if len(window) >= limit:
                # Several at a time, so that the calls that follow them are sent together.
                while len(window) > keep:
                    yield oldest()
        while window:
            yield oldest()
    finally:
        # Calls that have not been sent are cancelled. The generator waits for the others before it
        # ends.
        left = [future for future in window if not isinstance(future, Exception)]
        for future in left:
            future.cancel()
        for future in left:
            if not future.cancelled():
                future.exception()


def gather_results_async(
    client: NativeAsyncClient, calls: Iterable[Any], limit: int, errors: str
) -> AsyncGenerator[Any, None]:
    """``AsyncClient.concurrent``: starts each call while others are in flight."""
    keep, returns_errors = _checked(calls, limit, errors)
    starters = _Starters(client, (NativeAsyncClient, AsyncDataset), lambda owner: owner)
    return _gather_async(iter(calls), starters, limit, keep, returns_errors)


async def _gather_async(
    calls: Iterator[Any], starters: _Starters, limit: int, keep: int, returns_errors: bool
) -> AsyncGenerator[Any, None]:
    window: deque[asyncio.Future[Any] | Exception] = deque()

    async def oldest() -> Any:
        outcome = window[0]
        if isinstance(outcome, Exception):
            return window.popleft()
        try:
            result = await outcome
        except Exception as error:
            window.popleft()
            if returns_errors:
                return error
            raise
        window.popleft()
        return result

    try:
        for number, call in enumerate(calls):
            window.append(starters.start(number, call, returns_errors))
            if len(window) >= limit:
                # Several at a time, so that the calls that follow them are sent together.
                while len(window) > keep:
                    yield await oldest()
        while window:
            yield await oldest()
    except asyncio.CancelledError:
        # A cancelled task does not wait.
        for future in window:
            if not isinstance(future, Exception):
                future.cancel()
        raise
    finally:
        left = [future for future in window if not isinstance(future, Exception)]
        if left:
            await asyncio.gather(*left, return_exceptions=True)


def _checked(calls: Iterable[Any], limit: int, errors: str) -> tuple[int, bool]:
    """How many calls are in flight while the oldest one is waited for, and whether errors are
    results."""
    if isinstance(calls, (str, bytes)) or not hasattr(calls, "__iter__"):
        message = f"calls must be an iterable of calls, not {type(calls).__name__}"
        raise TypeError(message)
    try:
        limit = index(limit)
    except TypeError:
        message = f"limit must be an int, not {type(limit).__name__}"
        raise TypeError(message) from None
    if limit < 1:
        message = f"limit must be at least 1, not {limit}"
        raise ValueError(message)
    if errors not in ("raise", "return"):
        message = f'errors must be "raise" or "return", not {errors!r}'
        raise ValueError(message)
    return limit - max(1, limit // 4), errors == "return"


class _Starters:
    """Finds, for a verb of a client or its datasets, the function that starts it without
    waiting."""

    def __init__(
        self, client: Any, kinds: tuple[type, type], starter: Callable[[Any], Any]
    ) -> None:
        self._client = client
        self._kinds = kinds
        self._starter = starter
        # Cached, because calls usually use the same verb.
        self._owner: object = None
        self._name = ""
        self._cached: Callable[..., Any] | None = None

    def start(self, number: int, call: Any, returns_errors: bool) -> Any:
        """The future of a call, or the error raised for its arguments."""
        watch = None
        if type(call) is tuple and call:
            # A tuple of arguments of any type.
            whole: tuple[Any, ...] = call  # pyright: ignore[reportUnknownVariableType]
            verb, arguments = whole[0], whole[1:]
            options: dict[str, Any] = {}
            if type(verb) is not BuiltinMethodType:
                watch, verb = _watched(verb)
                verb, options = _of_a_view(verb, arguments, options)
        elif isinstance(call, partial):
            verb, arguments, options = call.func, call.args, call.keywords
            if type(verb) is not BuiltinMethodType:
                watch, verb = _watched(verb)
                verb, options = _of_a_view(verb, arguments, options)
        else:
            message = (
                f"call {number}: must be a tuple of a verb and its arguments, or a "
                f"functools.partial of a verb, not {call!r:.100}"
            )
            raise TypeError(message)
        start = self._of(number, verb)
        try:
            if watch is not None:
                return watch(start, arguments, options)
            return start(*arguments, **options)
        except (TypeError, ValueError, OverflowError) as error:
            if returns_errors:
                return error
            raise

    def _of(self, number: int, verb: Any) -> Callable[..., Any]:
        owner, name = getattr(verb, "__self__", None), getattr(verb, "__name__", "")
        if self._cached is not None and owner is self._owner and name == self._name:
            return self._cached
        is_verb = type(verb) is BuiltinMethodType and name in _VERBS
        if not is_verb or not isinstance(owner, self._kinds):
            message = (
                f"call {number}: {verb!r:.100} is not a verb of this client or one of its "
                "datasets, such as dataset.get"
            )
            raise TypeError(message)
        if owner is not self._client and not self._client._owns(owner):  # noqa: SLF001
            message = f"call {number}: {name} is a verb of another client"
            raise TypeError(message)
        self._owner, self._name = owner, name
        function: Callable[..., Any] = getattr(self._starter(owner), name)
        self._cached = function
        return function


class WatchedVerb:
    """A verb of a view that observes each of its calls."""

    @property
    def method(self) -> Callable[..., Any]:
        """The verb itself."""
        raise NotImplementedError

    def watch(
        self, start: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Runs a call, with the verb itself or with the function that starts it without waiting."""
        raise NotImplementedError

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.watch(self.method, arguments, options)


def _watched(verb: Any) -> tuple[Callable[..., Any] | None, Any]:
    """What observes the calls of a verb, if anything does, and the verb itself."""
    return (verb.watch, verb.method) if isinstance(verb, WatchedVerb) else (None, verb)


def _of_a_view(
    verb: Any, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """For a verb of a view with a profile: the verb of the client, and all options."""
    if isinstance(verb, ModeVerb):
        verb = verb.chosen(arguments, options)
    if isinstance(verb, OperateVerb):
        verb = verb.chosen(arguments, options)
    if isinstance(verb, partial):
        bound: partial[Any] = verb  # pyright: ignore[reportUnknownVariableType]
        if not bound.args:
            return bound.func, bound.keywords | options
    return verb, options  # pyright: ignore[reportUnknownVariableType]


_VERBS = frozenset(name for name in vars(DatasetSubmit) if not name.startswith("_"))
