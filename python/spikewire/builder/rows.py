"""Steps on keys: how they are chained, executed and streamed."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from spikewire.builder.results import check, settled
from spikewire.builder.step import RETRIES, Step, keys_of, then
from spikewire.builder.streams import checked, stream, stream_soon

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from typing_extensions import Self

    from spikewire._native import Row
    from spikewire.builder.results import Missing, OnError, Result

__all__ = ["Face", "Rows"]


#: Options of a whole call; the others are of a row.
_OF_THE_CALL = ("replica", "timeout", "retry_in_doubt", *RETRIES)


class Face(NamedTuple):
    """The classes of steps of one face, as parts of chains: they take several keys."""

    read: type[Any]
    write: type[Any]
    delete: type[Any]
    touch: type[Any]
    exists: type[Any]


class Rows(Step):
    """A step on keys, and the steps before it."""

    __slots__ = ("_before",)

    #: The classes of the steps that may follow.
    _face: ClassVar[Face]
    #: Whether a record that is not there is an error, unless a call says otherwise.
    _needs_record: ClassVar[bool] = False
    #: How the step on one key is a call of its own.
    _alone: ClassVar[str] = "end the step with execute()"

    _before: Rows | None

    def _begun(self, verbs: Any, keys: Any, single: bool, before: Rows | None) -> Self:
        """Sets what every step has. Steps on one key by itself are begun by the session, which
        does without this call."""
        self._verbs = verbs
        self._keys = keys
        self._single = single
        self._before = before
        self._options = None
        return self

    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call: all steps of the chain and all keys, in one."""
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
        """The results as they arrive; nothing is sent before the first one is taken.

        Keys are read from their iterable, which may be endless, and sent in windows of this size,
        up to ``limit`` of them at once. Windows come in the order in which they are completed, or
        with ``ordered`` in that of the keys; the results of each in input order. A chain of several
        steps is one window."""
        wanted: OnError = "raise" if on_error is None else on_error
        how = checked(window, limit, ordered, wanted, missing or self._treated)
        if self._before is not None or self._single:
            strategy = how.on_error, missing
            return self._whole_async(strategy) if self._awaited else self._whole(strategy)
        if self._awaited:
            return stream_soon(lambda some: self._alike(self._verbs, some), self._taken(), how)
        submit = self._verbs.submit
        return stream(lambda some: self._alike(submit, some), self._taken(), how)

    def _whole(self, how: tuple[Any, Any]) -> Iterator[Result]:
        batch, treated = self._send()
        yield from settled(batch, how[0], how[1] or treated)

    async def _whole_async(self, how: tuple[Any, Any]) -> AsyncIterator[Result]:
        batch, treated = self._send()
        for result in settled(await batch, how[0], how[1] or treated):
            yield result

    @property
    def _treated(self) -> Missing:
        """How records that are not there are treated."""
        return "error" if self._needs_record else "keep"

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        """The step on one of its keys, as a row of a batch."""
        raise NotImplementedError

    def _alike(self, verbs: Any, keys: Any) -> Any:
        """The step on many keys, by one verb; what it returns becomes a batch."""
        raise NotImplementedError

    def _send(self) -> tuple[Any, Any]:
        """Makes the call of the whole chain. Its batch, or the future of it, and how the records
        that are not there are treated, row by row."""
        if self._before is None:
            self._check_batch()
            keys = [self._keys] if self._single else self._taken()
            return self._alike(self._verbs, keys), self._treated
        rows: list[Row] = []
        missing: list[Missing] = []
        of_the_call: dict[str, Any] = {}
        for step in self._steps():
            step._check_batch()
            options: dict[str, Any] = {**step._keywords()}
            for name in _OF_THE_CALL:
                value = options.pop(name, None)
                if value is not None and of_the_call.setdefault(name, value) != value:
                    raise ValueError(f"steps of one chain have different values for {name}")
            keys = [step._keys] if step._single else step._taken()
            rows += [step._row(key, options) for key in keys]
            missing.extend(repeat(step._treated, len(rows) - len(missing)))
        return self._verbs.batch(rows, **of_the_call), missing

    def _check_batch(self) -> None:
        """Refuses options that batches do not have."""
        if self._options is not None and self._options.get("hedge") is not None:
            message = "hedge is about a call that reads one record, and this call is a batch"
            raise ValueError(f"{message}: {self._alone}")

    def _steps(self) -> list[Rows]:
        """The steps of the chain, in order."""
        steps: list[Rows] = []
        step: Rows | None = self
        while step is not None:
            steps.append(step)
            step = step._before
        return steps[::-1]

    def _follow(self, verb: str, of: type[Any], key: Any, more: Any, *rule: str) -> Any:
        keys, single = keys_of(verb, key, more)
        return of()._begun(self._verbs, keys, single, self, *rule)

    def query(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that reads records."""
        return self._follow("query", self._face.read, key, more)

    def insert(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that creates records, and refuses those that exist."""
        return self._follow("insert", self._face.write, key, more, "create")

    def upsert(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that creates or changes records."""
        return self._follow("upsert", self._face.write, key, more)

    def update(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that changes records that exist."""
        return self._follow("update", self._face.write, key, more, "update")

    def replace(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that creates records or replaces all their bins."""
        return self._follow("replace", self._face.write, key, more, "replace")

    def replace_if_exists(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that replaces all bins of records that exist."""
        return self._follow("replace_if_exists", self._face.write, key, more, "replace_only")

    def delete(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that deletes records."""
        return self._follow("delete", self._face.delete, key, more)

    def touch(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that renews the time to live of records."""
        return self._follow("touch", self._face.touch, key, more)

    def exists(self, key: Any, *more: Any) -> Any:
        """Goes on with a step that asks which records exist."""
        return self._follow("exists", self._face.exists, key, more)
