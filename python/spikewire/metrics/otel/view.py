"""Traced clients and datasets, with the same connections and verbs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spikewire._native import AsyncClient as NativeAsyncClient
from spikewire._native import AsyncDataset
from spikewire.aerospike.builder.streams import get_stream
from spikewire.aerospike.client import AsyncClient, Client
from spikewire.aerospike.in_flight import WatchedVerb, gather_results, gather_results_async
from spikewire.aerospike.profiles.kinds import VERBS
from spikewire.aerospike.transaction import (
    AsyncTransaction,
    Transaction,
    run_in_transaction,
    run_in_transaction_async,
)
from spikewire.context_managers import AsyncTargetContext, TargetContext
from spikewire.metrics.otel.call import Instruments
from spikewire.metrics.otel.query import AsyncQuery, Query
from spikewire.pool.routed_client import RoutedClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from spikewire.aerospike.profiles.profile import Profile

__all__ = ["trace_client"]


def trace_client(
    client: Any, tracer_provider: TracerProvider | None, meter_provider: MeterProvider | None
) -> _TracedClient:
    """A traced view of a client, or of a view with a profile."""
    if isinstance(client, RoutedClient):
        traced = partial(
            trace_client, tracer_provider=tracer_provider, meter_provider=meter_provider
        )
        routed: _TracedClient = client.through(traced)
        return routed
    native = getattr(client, "_target", client)
    for kind, view_class in ((Client, _Blocking), (AsyncClient, _Asynchronous)):
        if isinstance(native, kind):
            if isinstance(client, _Traced):
                raise TypeError("the client is instrumented already")
            return view_class(native, client, Instruments(native, tracer_provider, meter_provider))
    raise TypeError(f"client must be a Client or an AsyncClient, not {type(client).__name__}")


class _Verb(WatchedVerb):
    """A verb with a span for each call."""

    def __init__(self, api: Any, instruments: Instruments, of: Any, name: str) -> None:
        self._api = api
        self._instruments = instruments
        self._of = of
        self.__name__ = name

    @property
    def method(self) -> Callable[..., Any]:
        """The verb itself, with the current options of the profile, if there is one."""
        verb: Callable[..., Any] = getattr(self._api, self.__name__)
        return verb

    def watch(
        self, start: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        call = self._instruments.begin(self._of, self.__name__, arguments, options)
        try:
            outcome = start(*arguments, **options)
        except BaseException as error:
            call.end(error)
            raise
        return call.follow(outcome)

    def __repr__(self) -> str:
        return f"<traced {self.__name__} of {self._api!r}>"


class _QueryVerb(_Verb):
    """``query``, which does not send anything yet."""

    def watch(
        self, start: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        query = start(*arguments, **options)
        kind = AsyncQuery if hasattr(query, "__aiter__") else Query
        begin = partial(self._instruments.begin, self._of, "query", arguments, options)
        return kind(query, begin)


class _Traced:
    """Common to all views: ``_target`` is the client or dataset itself, ``_api`` the object whose
    verbs are called (it may have a profile), ``_of`` the subject of the calls.
    """

    def __init__(self, target: Any, api: Any, instruments: Instruments, of: Any = None) -> None:
        self._target = target
        self._api = api
        self._instruments = instruments
        self._of = api if of is None else of

    def __getattr__(self, name: str) -> Any:
        # Only called for names that are not in the instance's dict.
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in VERBS:
            return getattr(self._api, name)
        getattr(self._api, name)  # `submit` has fewer verbs.
        kind = _QueryVerb if name == "query" else _Verb
        verb = self.__dict__[name] = kind(self._api, self._instruments, self._of, name)
        return verb

    def get_stream(self, keys: Any, bins: Any = None, **options: Any) -> Any:
        """``get_stream`` of the target, with a span for each window."""
        awaited = isinstance(self._target, (NativeAsyncClient, AsyncDataset))
        trial = self._api.get_many
        return get_stream(self, keys, bins, awaited=awaited, trial=trial, **options)

    @property
    def submit(self) -> Any:
        """The same verbs, each returning a ``concurrent.futures.Future`` immediately."""
        return _Traced(self._target, self._api.submit, self._instruments, self._of)

    def with_profile(self, profile: Profile) -> Any:
        """The view with a profile, whose options apply where a call has none."""
        return type(self)(self._target, self._api.with_profile(profile), self._instruments)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Traced):
            return NotImplemented
        same: bool = self._api == other._api
        return same

    def __hash__(self) -> int:
        return hash(self._api)

    def __reduce__(self) -> Any:
        raise TypeError(
            "an instrumented client or dataset can be neither copied nor pickled: "
            "pickle the dataset itself"
        )

    def __repr__(self) -> str:
        return f"<traced {self._api!r}>"


class _TracedDataset(_Traced):
    """A traced dataset."""

    def within(self, transaction: Any) -> Any:
        """The same dataset in a transaction, traced as well."""
        target = self._target.within(transaction)
        return type(self)(target, self._api.within(transaction), self._instruments)


class _TracedClient(_Traced):
    """A traced client."""

    def within(self, transaction: Any) -> Any:
        """The client in a transaction, traced as well."""
        target = self._target.within(transaction)
        return type(self)(target, self._api.within(transaction), self._instruments)

    def transaction(self, *, timeout: Any = None) -> Any:
        """A transaction of the client, whose datasets are traced."""
        is_async = isinstance(self._target, NativeAsyncClient)
        return (AsyncTransaction if is_async else Transaction)(self, timeout)

    def run_in_transaction(
        self,
        function: Callable[..., Any],
        *,
        timeout: Any = None,
        attempts: int | None = None,
        limit: Any = None,
    ) -> Any:
        """The same as of the client, with datasets that are traced."""
        is_async = isinstance(self._target, NativeAsyncClient)
        run: Callable[..., Any] = run_in_transaction_async if is_async else run_in_transaction
        return run(self, function, timeout, attempts, limit)

    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,  # noqa: A002
        type: Any = None,  # noqa: A002
    ) -> Any:
        """A traced dataset of the client."""
        dataset = self._api.dataset(namespace, set, type)
        native = getattr(dataset, "_target", dataset)
        return _TracedDataset(native, dataset, self._instruments)

    def session(self, profile: Profile | None = None) -> Any:
        """The start of builder chains, with a profile if one is given."""
        verbs = self if profile is None else self.with_profile(profile)
        return type(self._target.session())(verbs)

    def _owns(self, dataset: Any) -> bool:
        """Whether a dataset, or a view of one, belongs to this client."""
        owns: bool = self._target._owns(getattr(dataset, "_target", dataset))  # noqa: SLF001
        return owns


class _Blocking(TargetContext, _TracedClient):
    """A blocking client."""

    def concurrent(self, calls: Any, *, limit: int = 128, errors: str = "raise") -> Any:
        """``concurrent`` of the client; every call has a span."""
        return gather_results(self._target, calls, limit, errors)


class _Asynchronous(AsyncTargetContext, _TracedClient):
    """An asyncio client."""

    def concurrent(self, calls: Any, *, limit: int = 128, errors: str = "raise") -> Any:
        """``concurrent`` of the client; every call has a span."""
        return gather_results_async(self._target, calls, limit, errors)
