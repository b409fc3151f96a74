"""Views of a client or dataset with a profile, with the same connections and verbs.

A verb for which the profile has no options is the client's own method; otherwise it is that method
with keywords for options that the call leaves out (``functools.partial``). Verbs are looked up
once, and again when the profile has changed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spikewire._imports import importing
from spikewire._native import AsyncClient as NativeAsyncClient
from spikewire._native import AsyncDataset, Dataset
from spikewire._native import Client as NativeClient
from spikewire.aerospike.builder.streams import get_stream
from spikewire.aerospike.profiles.explain import Explanation, explained
from spikewire.aerospike.profiles.kinds import MODES, VERBS, writes
from spikewire.aerospike.profiles.modes import listed, mode_of
from spikewire.context_managers import AsyncTargetContext, TargetContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import TypeVar

    from spikewire._native import ClientSubmit, DatasetSubmit
    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.aerospike.profiles.modes import Mode
    from spikewire.aerospike.profiles.profile import Profile, State
    from spikewire.types import Bins

__all__ = ["AsyncClientView", "AsyncDatasetView", "ClientView", "DatasetView", "view"]


class _View:
    """Common to all views."""

    def __init__(self, target: Any, profile: Profile) -> None:
        self._target = target
        self._profile = profile
        #: The client or dataset that knows the modes of namespaces.
        self._mode_source = target
        profile.attach(self)

    @property
    def profile(self) -> Profile:
        """The profile whose options stand for those that a call leaves out."""
        return self._profile

    def __getattr__(self, name: str) -> Any:
        # Only called for names that are not in the instance's dict.
        if name.startswith("__"):
            raise AttributeError(name)
        attribute = getattr(self._target, name)
        if name not in VERBS:
            return attribute
        state = self._profile.state
        verb = self.__dict__[name] = _verb(attribute, name, state, self._mode_source)
        if self._profile.state is not state:  # It changed meanwhile, so do not cache the verb.
            self.__dict__.pop(name, None)
        return verb

    def profile_changed(self) -> None:
        for name in VERBS:
            self.__dict__.pop(name, None)

    def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation:
        """What a call would use and from where, by option. Nothing is sent.

        For ``operate`` and ``operate_many`` the operations count: give them as in the call.
        Raises ``ValueError`` when there is no such verb.
        """
        return explained(self._target, self._profile, verb, arguments, options)

    def get_stream(self, keys: Any, bins: Any = None, **options: Any) -> Any:
        """``get_stream`` of the target, with the profile's options for ``get_many``."""
        awaited = isinstance(self._target, (NativeAsyncClient, AsyncDataset))
        return get_stream(self, keys, bins, awaited=awaited, **options)

    @property
    def submit(self) -> Any:
        """The same verbs, each returning a ``concurrent.futures.Future`` at once."""
        return _Submit(self._target, self._profile)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _View):
            return NotImplemented
        return self._target == other._target and self._profile is other._profile

    def __hash__(self) -> int:
        return hash((self._target, id(self._profile)))

    def __repr__(self) -> str:
        return f"<{self._target!r} with profile {self._profile.name!r}>"


class _Submit(_View):
    """The verbs of a view that return futures."""

    def __init__(self, of: Any, profile: Profile) -> None:
        self._of = of
        super().__init__(of.submit, profile)
        self._mode_source = of

    def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation:
        return explained(self._of, self._profile, verb, arguments, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _submit, (self._of, self._profile)


def _submit(of: Any, profile: Profile) -> _Submit:
    return _Submit(of, profile)


class _OfClient(_View):
    """A view of a client."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Clients do not pickle, but views of them can be copied.
        return view, (self._target, self._profile)

    def with_profile(self, profile: Profile) -> Any:
        """The same client with another profile instead of this one."""
        return type(self)(self._target, profile)

    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,  # noqa: A002
        type: type[Any] | None = None,  # noqa: A002
    ) -> Any:
        """A dataset of the client, with the profile."""
        return view(self._target.dataset(namespace, set, type), self._profile)

    def within(self, transaction: Any) -> Any:
        """The client in a transaction, with the profile."""
        return type(self)(self._target.within(transaction), self._profile)

    def transaction(self, *, timeout: Any = None) -> Any:
        """A transaction of the client, whose datasets have the profile."""
        with importing:
            from spikewire.aerospike.transaction import AsyncTransaction, Transaction

        kind = AsyncTransaction if isinstance(self._target, NativeAsyncClient) else Transaction
        return kind(self, timeout)

    def run_in_transaction(
        self,
        function: Callable[..., Any],
        *,
        timeout: Any = None,
        attempts: int | None = None,
        limit: Any = None,
    ) -> Any:
        """The same as of the client, with datasets that have the profile."""
        with importing:
            from spikewire.aerospike.transaction import (
                run_in_transaction,
                run_in_transaction_async,
            )

        blocks = not isinstance(self._target, NativeAsyncClient)
        run: Callable[..., Any] = run_in_transaction if blocks else run_in_transaction_async
        return run(self, function, timeout, attempts, limit)

    def session(self, profile: Profile | None = None) -> Any:
        """The start of builder chains, with the profile or another one."""
        if profile is not None:
            return self._target.session(profile)
        return type(self._target.session())(self)

    def _owns(self, dataset: Any) -> bool:
        """Whether a dataset, or a view of one, belongs to this client."""
        owns: bool = self._target._owns(getattr(dataset, "_target", dataset))  # noqa: SLF001
        return owns


class _OfBlockingClient(TargetContext, _OfClient):
    """In a block, the view is what the client is there."""


class _OfAsyncClient(AsyncTargetContext, _OfClient):
    """In a block, the view is what the client is there."""


class _OfDataset(_View):
    """A view of a dataset. Pickling stores the profile's current settings."""

    def within(self, transaction: Any) -> Any:
        """The same dataset in a transaction, with the profile."""
        return type(self)(self._target.within(transaction), self._profile)

    def with_profile(self, profile: Profile) -> Any:
        """The same dataset with another profile instead of this one."""
        return type(self)(self._target, profile)

    def __reduce__(self) -> tuple[Any, ...]:
        return view, (self._target, self._profile)


if TYPE_CHECKING:
    _V = TypeVar("_V", default=Bins)

    class ClientView(Client):
        """A ``Client`` with a profile, from ``Client.with_profile``."""

        @property
        def profile(self) -> Profile: ...
        def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation: ...
        def with_profile(self, profile: Profile) -> ClientView: ...
        def dataset(
            self,
            namespace: str | None = None,
            set: str | None = None,  # noqa: A002
            type: type[_V] | None = None,  # noqa: A002
        ) -> DatasetView[_V]: ...
        @property
        def submit(self) -> ClientSubmit: ...

    class AsyncClientView(AsyncClient):
        """An ``AsyncClient`` with a profile, from ``AsyncClient.with_profile``."""

        @property
        def profile(self) -> Profile: ...
        def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation: ...
        def with_profile(self, profile: Profile) -> AsyncClientView: ...
        def dataset(
            self,
            namespace: str | None = None,
            set: str | None = None,  # noqa: A002
            type: type[_V] | None = None,  # noqa: A002
        ) -> AsyncDatasetView[_V]: ...

    class DatasetView(Dataset[_V]):  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
        """A ``Dataset`` with a profile."""

        @property
        def profile(self) -> Profile: ...
        def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation: ...
        def with_profile(self, profile: Profile) -> DatasetView[_V]: ...
        @property
        def submit(self) -> DatasetSubmit[_V]: ...

    class AsyncDatasetView(  # type: ignore[misc]
        AsyncDataset[_V]  # pyright: ignore[reportGeneralTypeIssues]
    ):
        """An ``AsyncDataset`` with a profile."""

        @property
        def profile(self) -> Profile: ...
        def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation: ...
        def with_profile(self, profile: Profile) -> AsyncDatasetView[_V]: ...

else:

    class ClientView(_OfBlockingClient):
        """A ``Client`` with a profile, from ``Client.with_profile``."""

    class AsyncClientView(_OfAsyncClient):
        """An ``AsyncClient`` with a profile, from ``AsyncClient.with_profile``."""

    class DatasetView(_OfDataset):
        """A ``Dataset`` with a profile."""

    class AsyncDatasetView(_OfDataset):
        """An ``AsyncDataset`` with a profile."""


def view(target: Any, profile: Profile) -> Any:
    """A client or dataset with a profile."""
    with importing:
        from spikewire.aerospike.profiles.profile import Profile

    if not isinstance(profile, Profile):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"profile must be a Profile, not {type(profile).__name__}"
        raise TypeError(message)
    kinds: dict[type, Callable[..., Any]] = {
        NativeClient: ClientView,
        NativeAsyncClient: AsyncClientView,
        Dataset: DatasetView,
        AsyncDataset: AsyncDatasetView,
    }
    for kind, view_class in kinds.items():
        if isinstance(target, kind):
            return view_class(target, profile)
    message = f"a profile is for a client or a dataset, not {type(target).__name__}"
    raise TypeError(message)


def _verb(method: Callable[..., Any], name: str, state: State, target: Any) -> Callable[..., Any]:
    """A verb with the profile's options, in its cheapest form."""
    usual = _of_mode(method, name, state, None)
    if name not in state.by_mode:
        return usual
    return ModeVerb(target, name, usual, {it: _of_mode(method, name, state, it) for it in MODES})


def _of_mode(
    method: Callable[..., Any], name: str, state: State, mode: Mode | None
) -> Callable[..., Any]:
    reading = {option: it.value for option, it in state.calls[name, False, mode].items()}
    if len(VERBS[name]) == 1:
        return partial(method, **reading) if reading else method
    writing = {option: it.value for option, it in state.calls[name, True, mode].items()}
    if reading == writing:
        return partial(method, **reading) if reading else method
    return OperateVerb(method, reading, writing)


class ModeVerb:
    """A verb whose options depend on the consistency mode of the namespace."""

    __slots__ = ("_by_mode", "_name", "_target", "_usual")

    def __init__(
        self,
        target: Any,
        name: str,
        usual: Callable[..., Any],
        by_mode: dict[Mode, Callable[..., Any]],
    ) -> None:
        self._target = target
        self._name = name
        self._usual = usual
        self._by_mode = by_mode

    def chosen(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Callable[..., Any]:
        """The verb with the options for the namespace of these arguments."""
        mode = mode_of(self._target, self._name, arguments, options)
        return self._usual if mode is None else self._by_mode[mode]

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        arguments, options = listed(self._name, arguments, options)
        return self.chosen(arguments, options)(*arguments, **options)


class OperateVerb:
    """``operate`` or ``operate_many``, where reading and writing have different options."""

    __slots__ = ("_reading", "_writing")

    def __init__(
        self, method: Callable[..., Any], reading: dict[str, Any], writing: dict[str, Any]
    ) -> None:
        self._reading = partial(method, **reading)
        self._writing = partial(method, **writing)

    def chosen(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> partial[Any]:
        """The verb with the options for these operations."""
        operations = arguments[1] if len(arguments) > 1 else options.get("operations")
        return self._writing if writes(operations) else self._reading

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.chosen(arguments, options)(*arguments, **options)
