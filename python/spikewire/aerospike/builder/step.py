"""What all steps have: keys and options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, cast

from spikewire._imports import importing
from spikewire._native import AsyncDataset, Dataset, Key, StepBase
from spikewire.tasks import begun

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from typing_extensions import Self

    from spikewire._native import Newer
    from spikewire.aerospike.profiles.explain import Explanation
    from spikewire.types import (
        CommitLevel,
        DetailLevel,
        Hedge,
        Priority,
        ReadMode,
        Replica,
        Seconds,
        ShareReads,
        Ttl,
        Where,
    )

__all__ = ["RETRIES", "ReadStep", "Step", "TtlStep", "WriteStep", "is_one", "keys_of", "then"]


#: The options of ``Step.retries``.
RETRIES = (
    "max_retries",
    "sleep_between_retries",
    "sleep_multiplier",
    "max_sleep_between_retries",
    "sleep_jitter",
)


#: Replaces the keys of an iterator that has been consumed.
_READ = iter(())


class Step(StepBase):
    """One verb with its keys and options. Methods change the step and return it."""

    __slots__ = ()

    #: Whether calls are awaited.
    _awaited: ClassVar[bool] = False

    def where(self, condition: Where, *parameters: object) -> Self:
        """Only records for which the condition is true: an expression from ``spikewire.exp``, or a
        text such as ``"$.age > 25"``. In a text each ``?`` stands for the next parameter, or ``?0``
        for the first one. Raises ``ValueError`` for a second condition."""
        if self._options is not None and "where" in self._options:
            raise ValueError("where is set already: write one condition, with `and` or `&`")
        if parameters:
            if not isinstance(condition, str):
                kind = type(condition).__name__
                raise TypeError(f"only a text takes parameters: the condition is of type {kind}")
            return self._set("where", (condition, *parameters))
        return self._set("where", condition)

    def replica(self, replica: Replica | None) -> Self:
        """Which replica serves the call; as in ``get``."""
        return self._set("replica", replica)

    def timeout(self, timeout: Seconds | None) -> Self:
        """Total time of the call including retries; as in ``get``."""
        return self._set("timeout", timeout)

    def priority(self, priority: Priority | None) -> Self:
        """Whether the call goes before or behind others that wait for a node; as in ``get``."""
        return self._set("priority", priority)

    def compress(self, compress: bool | None) -> Self:
        """Whether request and reply are compressed; as in ``get``."""
        return self._set("compress", compress)

    def error_details(self, level: DetailLevel | None) -> Self:
        """How much the server is asked to say about errors; as in ``get``."""
        return self._set("error_details", level)

    def retries(
        self,
        max_retries: int | None = None,
        *,
        sleep: Seconds | None = None,
        multiplier: float | None = None,
        max_sleep: Seconds | None = None,
        jitter: bool | None = None,
    ) -> Self:
        """How the call is retried: ``max_retries``, ``sleep_between_retries`` and related options,
        as in ``get``.
        """
        values = (max_retries, sleep, multiplier, max_sleep, jitter)
        for name, value in zip(RETRIES, values, strict=True):
            if value is not None:
                self._set(name, value)
        return self

    def explain(self) -> Explanation:
        """What the call would use and from where: the options of this step, those of the builder's
        profile, of the client, or defaults. Nothing is sent, and no iterator of keys is read.

        On one key it is the call of ``execute``, for a query that of ``first``. For a chain it is
        the batch, with what the rows of each step use in ``steps``."""
        with importing:
            from spikewire.aerospike.builder.explain import explained_step

        return explained_step(self, *self._verb_call())

    def _verb_call(self) -> tuple[Any, ...]:
        """The verb that the step calls on its own, and its arguments."""
        raise NotImplementedError

    def _taken(self) -> Any:
        """The keys, for a call. An iterator only yields them once, so a second call would have
        none."""
        keys = self._keys
        if keys is _READ:
            raise ValueError(
                "the keys came from an iterator, which an earlier call has read: give a list"
            )
        if hasattr(keys, "__next__") or hasattr(keys, "__anext__"):
            self._keys = _READ
        return keys

    def _keywords(self) -> dict[str, Any]:
        """The options that were set, as keyword arguments of a verb."""
        return self._options or {}

    def __repr__(self) -> str:
        keys = repr(self._keys) if self._single else f"{type(self._keys).__name__} of keys"
        return f"<{type(self).__name__} of {keys}>"


class ReadStep(Step):
    """The options of steps that only read."""

    __slots__ = ()

    def read_touch(self, percent: int | None) -> Self:
        """Renews the time to live if at most this percentage is left, as in ``get``."""
        return self._set("read_touch", percent)

    def read_mode(self, mode: ReadMode | None) -> Self:
        """The consistency of the read; as in ``get``."""
        return self._set("read_mode", mode)

    def deadline(self, deadline: Seconds | None) -> Self:
        """Returns what has come by this time; as in ``get_many``. Results whose reply has not come
        are ``late``.

        Raises ``ValueError`` if the step has one key: only batches have late rows.
        """
        if self._single and deadline is not None:
            raise ValueError("deadline applies to reads of many records, and this step has one key")
        return self._set("deadline", deadline)

    def hedge(self, hedge: Hedge | None) -> Self:
        """How long to wait for an answer before sending a second request to another replica, as in
        ``get``.

        Raises ``ValueError`` if the step has several keys, and batches built from the step reject
        it: only single-record reads can have a second request.
        """
        if not self._single and hedge is not None:
            raise ValueError(
                "hedge applies to reads of one record, and this step takes several keys"
            )
        return self._set("hedge", hedge)

    def share_reads(self, share: ShareReads | None) -> Self:
        """Whether concurrent reads of the same record and bins share one request, as in ``get``.

        Raises ``ValueError`` if the step has several keys, and batches built from the step reject
        it: only single-record reads share requests.
        """
        if not self._single and share is not None:
            raise ValueError(
                "share_reads applies to reads of one record, and this step takes several keys"
            )
        return self._set("share_reads", share)


class WriteStep(Step):
    """The options of steps that write."""

    __slots__ = ()

    def commit_level(self, level: CommitLevel | None) -> Self:
        """When the write is answered; as in ``put``."""
        return self._set("commit_level", level)

    def on_locking_only(self, only: bool = True) -> Self:
        """Fails if the transaction has written the record already, as in ``put``."""
        return self._set("on_locking_only", only)

    def retry_in_doubt(self, retry: bool = True) -> Self:
        """Retries the write even if it may already have been applied, as in ``put``."""
        return self._set("retry_in_doubt", retry)

    def generation(self, generation: int | Newer | None) -> Self:
        """Writes only if the record has this generation, otherwise ``GenerationMismatch``; as in
        ``put``.

        Raises ``ValueError`` if the step has several keys: a generation belongs to one record.
        """
        if not self._single and generation is not None:
            raise ValueError("generation applies to one record, and this step takes several keys")
        return self._set("generation", generation)

    def send_key(self, send_key: bool = True) -> Self:
        """Stores the user key with the record, or compares it; as in ``put`` and ``delete``."""
        return self._set("send_key", send_key)

    def durable_delete(self, durable: bool = True) -> Self:
        """Leaves a tombstone for the deleted record (Enterprise servers only)."""
        return self._set("durable", durable)


class TtlStep(Step):
    """The option of steps that set a time to live."""

    __slots__ = ()

    def ttl(self, ttl: Ttl | None) -> Self:
        """Time to live; as in ``put``."""
        return self._set("ttl", ttl)


def is_one(key: Any) -> bool:
    """Whether this is one full key."""
    if type(key) is Key:
        return True
    return isinstance(key, tuple) and isinstance(next(iter(cast("Any", key)), None), str)


def keys_of(
    verb: str, key: Any, more: tuple[Any, ...], *, awaited: bool = False
) -> tuple[Any, bool]:
    """The keys of a step, and whether they are one single key. ``awaited``: the keys may come from
    an asynchronous iterable, for a stream."""
    if is_one(key):
        if not more:
            return key, True
        return [key, *more], False
    is_async = hasattr(key, "__aiter__")
    if awaited and is_async and not more:
        return key, False
    if more or not isinstance(key, Iterable) or isinstance(key, (str, bytes, bytearray)):
        hint = ""
        if is_async:
            hint = "; asynchronous ones begin a chain of AsyncClient, by themselves"
        if isinstance(key, (Dataset, AsyncDataset)):
            hint = "; a whole dataset can only be queried, or changed by its delete_all and so on"
        elif isinstance(key, (str, int, bytes)):
            hint = f"; for a user key use dataset.key({key!r})"
        raise TypeError(
            f"{verb} takes a Key, a (namespace, set, key) tuple or an iterable of them, "
            f"not {type(cast('object', key)).__name__}{hint}"
        )
    return cast("Any", key), False


def then(awaited: bool, outcome: Any, convert: Callable[..., Any], *arguments: Any) -> Any:
    """Applies ``convert`` to a verb's result: immediately, or as a future."""
    if awaited:
        return begun(_then(outcome, convert, arguments))
    return convert(outcome, *arguments)


async def _then(
    outcome: Awaitable[Any], convert: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    return convert(await outcome, *arguments)
