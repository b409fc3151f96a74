"""Steps on keys: how they are chained, executed and streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from spikewire._imports import importing
from spikewire._native import RowsBase, _send_chain  # pyright: ignore[reportPrivateUsage]
from spikewire.aerospike.builder.results import check, settled
from spikewire.aerospike.builder.step import Step, keys_of, then
from spikewire.aerospike.builder.streams import checked, stream, stream_soon

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from spikewire.aerospike.builder.results import Missing, OnError, Result
    from spikewire.aerospike.profiles.explain import Explanation

__all__ = ["Rows"]

#: Options that batches do not have.
_OF_ONE_RECORD = ("hedge", "share_reads")


class Rows(RowsBase, Step):
    """A step on keys, and the steps before it."""

    __slots__ = ()

    #: How to run the step on one key as a call of its own.
    _alone: ClassVar[str] = "end the step with execute()"
    #: The options of a profile that apply to its rows in a chain.
    _row_options: ClassVar[tuple[str, ...]]

    def explain(self) -> Explanation:
        if self._before is None:
            return super().explain()
        with importing:
            from spikewire.aerospike.builder.explain import explained_chain

        return explained_chain(self)

    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call: all steps of the chain and all keys, in one."""
        return self._results(on_error, missing)

    def _results(self, on_error: OnError | None, missing: Missing | None) -> Any:
        strategy: OnError = "raise" if on_error is None else on_error
        check(strategy, missing)
        outcome, treated = self._send()
        return then(self._awaited, outcome, settled, strategy, missing or treated)

    def stream(
        self,
        *,
        on_error: OnError | None = None,
        missing: Missing | None = None,
        window: int = 256,
        limit: int = 8,
        ordered: bool = False,
    ) -> Any:
        """The results as they arrive; nothing is sent before the first one is requested.

        Keys are read from their iterable, which may be endless (and on asyncio asynchronous), and
        sent in windows of this size, up to ``limit`` of them at once. Windows are returned in the
        order in which they complete, or with ``ordered`` in the order of the keys; the results of
        each are in input order. A chain of several steps is one window.
        """
        on_failure: OnError = "raise" if on_error is None else on_error
        how = checked(window, limit, ordered, on_failure, missing or self._treated)
        if self._before is not None or self._single:
            strategy = how.on_error, missing
            return self._whole_async(strategy) if self._awaited else self._whole(strategy)
        if self._awaited:
            return stream_soon(lambda some: self._run_batch(self._verbs, some), self._taken(), how)
        submit = self._verbs.submit
        return stream(lambda some: self._run_batch(submit, some), self._taken(), how)

    def _whole(self, how: tuple[Any, Any]) -> Iterator[Result]:
        batch, treated = self._send()
        yield from settled(batch, how[0], how[1] or treated)

    async def _whole_async(self, how: tuple[Any, Any]) -> AsyncIterator[Result]:
        batch, treated = self._send()
        for result in settled(await batch, how[0], how[1] or treated):
            yield result

    def _verb_for(self, *, one: bool) -> tuple[Any, ...]:
        """The verb of the step for one key, or for many, and its arguments after the keys."""
        raise NotImplementedError

    def _verb_call(self) -> tuple[Any, ...]:
        verb, *arguments = self._verb_for(one=self._single)
        return verb, self._keys, *arguments

    def _run_batch(self, verbs: Any, keys: Any) -> Any:
        """Runs the step on many keys with a single verb, whose result becomes a batch."""
        verb, *arguments = self._verb_for(one=False)
        return getattr(verbs, verb)(keys, *arguments, **self._keywords())

    def _send(self) -> tuple[Any, Any]:
        """Runs the call for the whole chain. Returns its batch, or the future of it, and for each
        row how a missing record is treated."""
        if self._before is None:
            return self._run_batch(self._verbs, self._input()), self._treated
        return _send_chain(self)

    def _input(self) -> Any:
        """The keys, for a batch of this step alone."""
        if hasattr(self._keys, "__aiter__"):
            raise TypeError("keys of an asynchronous iterable are read by stream(), and no batch")
        self._check_batch()
        return [self._keys] if self._single else self._taken()

    def _check_batch(self) -> None:
        """Rejects options that batches do not have."""
        options: dict[str, Any] = self._options or {}
        for name in _OF_ONE_RECORD:
            if options.get(name) is not None:
                message = f"{name} applies to calls that read one record, and this call is a batch"
                raise ValueError(f"{message}: {self._alone}")

    def _follow(self, verb: str, key: Any, more: tuple[Any, ...]) -> Any:
        """Continues the chain with a step on anything other than a single ``Key``."""
        keys, single = keys_of(verb, key, more)
        if hasattr(self._keys, "__aiter__"):
            raise TypeError("keys of an asynchronous iterable are for a stream of one step")
        return self._next(verb, keys, single)
