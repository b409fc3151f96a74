"""The cache backend: Django's cache API, on calling threads and event loops.

``get`` makes its calls on the calling thread, ``aget`` awaits them on the running loop; both use
the one client of the process.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any, TypeVar

from asgiref.sync import sync_to_async
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.exceptions import ImproperlyConfigured, SynchronousOnlyOperation
from django.utils.module_loading import import_string

from spikewire.contrib.django.clients import shared
from spikewire.contrib.django.entries import Entries, PickleSerializer
from spikewire.errors import Error, RecordNotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spikewire.contrib.django.entries import Bins, Serializer, Steps, Ttl
    from spikewire.types import UserKey

    _T = TypeVar("_T")

__all__ = ["SpikewireCache"]


#: The longest time to live that servers accept, in seconds: ten years.
_LONGEST = 315_360_000


class SpikewireCache(BaseCache):
    """The ``BACKEND`` of a cache that is stored in a set of a namespace.

    ``LOCATION`` is a URL, ``"aerospike://host:port,host2/namespace"``; if empty, environment
    variables are used. ``OPTIONS`` are ``set`` (default ``"django"``), ``namespace``,
    ``serializer`` (a class with ``dumps`` and ``loads``, or its dotted path) and the options of
    ``spikewire.Client``.

    Raises ``ImproperlyConfigured`` that names the mistake. Connects on first use.
    """

    def __init__(self, location: str, params: Mapping[str, Any]) -> None:
        super().__init__(params)
        options = dict(params.get("OPTIONS", {}))
        for name in ("MAX_ENTRIES", "CULL_FREQUENCY"):
            if name in options or name.lower() in params:
                message = f"{name} is not supported: servers evict by their own rules"
                raise ImproperlyConfigured(message)
        namespace = options.pop("namespace", None)
        name = options.pop("set", "django")
        serializer = options.pop("serializer", PickleSerializer)
        self._entries = Entries(_serializer(serializer))
        try:
            self._place = shared(location or None, options, namespace, name)
        except (TypeError, ValueError) as error:
            message = f"LOCATION or OPTIONS of the cache: {error}"
            raise ImproperlyConfigured(message) from error

    def _run(self, steps: Steps[_T]) -> _T:
        """Makes the calls of a method, one after the other, on this thread."""
        verbs = self._place.records()
        try:
            call = next(steps)
            while True:
                try:
                    result = call(verbs)
                except Error as error:  # noqa: PERF203
                    call = steps.throw(error)
                else:
                    call = steps.send(result)
        except StopIteration as end:
            returned: _T = end.value
            return returned

    async def _arun(self, steps: Steps[_T]) -> _T:
        """Makes the calls of a method on the event loop."""
        if self._place.is_open():
            verbs = self._place.records().submit
        else:
            # Connecting blocks.
            verbs = (await asyncio.to_thread(self._place.records)).submit
        try:
            call = next(steps)
            while True:
                try:
                    result = await asyncio.wrap_future(call(verbs))
                except Error as error:  # noqa: PERF203
                    call = steps.throw(error)
                else:
                    call = steps.send(result)
        except StopIteration as end:
            returned: _T = end.value
            return returned

    def _bins(self, value: Any) -> Bins:
        return self._entries.stored(value)

    async def _abins(self, value: Any) -> Bins:
        try:
            return self._entries.stored(value)
        except SynchronousOnlyOperation:
            # An unevaluated query set, or a model with deferred fields.
            bins: Bins = await sync_to_async(self._entries.stored)(value)
            return bins

    def get_backend_timeout(self, timeout: Any = DEFAULT_TIMEOUT) -> Ttl:
        """Seconds to live, rounded up, at most ten years; 0 for values that must not be cached."""
        if timeout is DEFAULT_TIMEOUT:
            timeout = self.default_timeout
        return "never" if timeout is None else max(0, math.ceil(min(timeout, _LONGEST)))

    def _key(self, key: Any, version: int | None) -> UserKey:
        valid_key: UserKey = self.make_and_validate_key(key, version=version)
        return valid_key

    def _names(self, keys: Iterable[Any], version: int | None) -> dict[UserKey, Any]:
        return {self._key(key, version): key for key in keys}

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value of a key, or the default."""
        return self._run(self._entries.get(self._key(key, version), default))

    async def aget(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """``get`` on an event loop."""
        return await self._arun(self._entries.get(self._key(key, version), default))

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        """Stores a value; with a timeout of 0 or less, removes it."""
        ttl = self.get_backend_timeout(timeout)
        self._run(self._entries.put(self._key(key, version), self._bins(value), ttl))

    async def aset(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        """``set`` on an event loop."""
        ttl = self.get_backend_timeout(timeout)
        bins = await self._abins(value)
        await self._arun(self._entries.put(self._key(key, version), bins, ttl))

    def add(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """Stores a value if none exists; returns whether it was stored."""
        ttl = self.get_backend_timeout(timeout)
        return self._run(self._entries.add(self._key(key, version), self._bins(value), ttl))

    async def aadd(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """``add`` on an event loop."""
        ttl = self.get_backend_timeout(timeout)
        bins = await self._abins(value)
        return await self._arun(self._entries.add(self._key(key, version), bins, ttl))

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Changes the timeout of a value; returns whether the value exists."""
        ttl = self.get_backend_timeout(timeout)
        return self._run(self._entries.touch(self._key(key, version), ttl))

    async def atouch(
        self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """``touch`` on an event loop."""
        ttl = self.get_backend_timeout(timeout)
        return await self._arun(self._entries.touch(self._key(key, version), ttl))

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Removes a value; returns whether it existed."""
        return self._run(self._entries.delete(self._key(key, version)))

    async def adelete(self, key: Any, version: int | None = None) -> bool:
        """``delete`` on an event loop."""
        return await self._arun(self._entries.delete(self._key(key, version)))

    def has_key(self, key: Any, version: int | None = None) -> bool:
        """Whether the value exists."""
        return self._run(self._entries.has(self._key(key, version)))

    async def ahas_key(self, key: Any, version: int | None = None) -> bool:
        """``has_key`` on an event loop."""
        return await self._arun(self._entries.has(self._key(key, version)))

    def incr(self, key: Any, delta: Any = 1, version: int | None = None) -> Any:
        """Adds to a number and returns the sum; its time to live is unchanged. Atomic.

        Raises ``ValueError`` if the value does not exist.
        """
        try:
            return self._run(self._entries.increase(self._key(key, version), delta))
        except RecordNotFound:
            raise _missing(key) from None

    async def aincr(self, key: Any, delta: Any = 1, version: int | None = None) -> Any:
        """``incr`` on an event loop."""
        try:
            return await self._arun(self._entries.increase(self._key(key, version), delta))
        except RecordNotFound:
            raise _missing(key) from None

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        """The existing values, by key, in one batch."""
        return self._run(self._entries.get_many(self._names(keys, version)))

    async def aget_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        """``get_many`` on an event loop."""
        return await self._arun(self._entries.get_many(self._names(keys, version)))

    def set_many(
        self,
        data: Mapping[Any, Any],
        timeout: Any = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> list[Any]:
        """Stores values in one batch; returns the keys of those that could not be stored."""
        ttl = self.get_backend_timeout(timeout)
        rows = {self._key(key, version): self._bins(value) for key, value in data.items()}
        return self._failed(data, self._run(self._entries.put_many(rows, ttl)))

    async def aset_many(
        self,
        data: Mapping[Any, Any],
        timeout: Any = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> list[Any]:
        """``set_many`` on an event loop."""
        ttl = self.get_backend_timeout(timeout)
        rows = {self._key(key, version): await self._abins(value) for key, value in data.items()}
        return self._failed(data, await self._arun(self._entries.put_many(rows, ttl)))

    def _failed(self, data: Mapping[Any, Any], rows: list[int]) -> list[Any]:
        names = list(data)
        return [names[row] for row in rows]

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        """Removes values in one batch."""
        self._run(self._entries.delete_many(list(self._names(keys, version))))

    async def adelete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        """``delete_many`` on an event loop."""
        await self._arun(self._entries.delete_many(list(self._names(keys, version))))

    def clear(self) -> None:
        """Removes everything from the set, regardless of prefix and version."""
        self._place.clear()

    async def aclear(self) -> None:
        """``clear`` on an event loop."""
        await asyncio.to_thread(self._place.clear)


def _serializer(setting: Any) -> Serializer:
    """The serializer for a class, an object, or the dotted path of either."""
    candidate: Any = setting
    try:
        if isinstance(setting, str):
            candidate = import_string(setting)
        if isinstance(candidate, type):
            candidate = candidate()
    except (ImportError, TypeError) as error:
        message = f"OPTIONS of the cache, serializer: {error}"
        raise ImproperlyConfigured(message) from error
    for name in ("dumps", "loads"):
        if not callable(getattr(candidate, name, None)):
            message = f"OPTIONS of the cache, serializer: {setting!r} has no method {name}"
            raise ImproperlyConfigured(message)
    serializer: Serializer = candidate
    return serializer


def _missing(key: Any) -> ValueError:
    return ValueError(f"Key '{key}' not found")
