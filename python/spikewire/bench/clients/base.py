"""What the lab asks of a client: to open, to close, and how its users write a read and a write."""

from __future__ import annotations

import importlib
import importlib.metadata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

ASYNC = "async"
ASYNC_UVLOOP = "async-uvloop"
SYNC = "sync"
RUST = "rust"
MODES = (ASYNC, ASYNC_UVLOOP, SYNC, RUST)


@dataclass(frozen=True)
class Target:
    """The cluster and the place in it."""

    seeds: tuple[tuple[str, int], ...]
    namespace: str
    set_name: str

    @property
    def seed_text(self) -> str:
        return ",".join(f"{host}:{port}" for host, port in self.seeds)


@dataclass(frozen=True)
class Verbs:
    """One client's read and write in source form, as its users write them.

    `read` is an expression whose value is the mapping of all bins of the record with the integer
    key `k`; `write` stores the mapping `bins` there. `names` are what the two may mention. The
    loop is written out from these, so no client pays for an adapter's own function call.
    """

    read: str
    write: str
    names: Mapping[str, object] = field(default_factory=dict[str, object])


class BlockingClient(ABC):
    """A client used from threads."""

    @abstractmethod
    def open(self, target: Target) -> None: ...

    @abstractmethod
    def verbs(self) -> Verbs:
        """Called once for every worker, so that bound methods are not shared between threads."""

    @abstractmethod
    def close(self) -> None: ...


class AsyncioClient(ABC):
    """A client used from tasks on one event loop."""

    @abstractmethod
    async def open(self, target: Target) -> None: ...

    @abstractmethod
    def verbs(self) -> Verbs: ...

    @abstractmethod
    async def close(self) -> None: ...


@dataclass(frozen=True)
class Peer:
    """A client under test: where it comes from and which faces it has."""

    name: str
    module: str
    distribution: str
    blocking: type[BlockingClient] | None = None
    asyncio: type[AsyncioClient] | None = None
    environment: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, Mapping[str, str]]
    )
    """Environment variables by mode."""

    def lacks(self, mode: str) -> str | None:
        """Why this client has no such mode, or None."""
        if mode == SYNC:
            return None if self.blocking else "has no blocking interface"
        if mode in (ASYNC, ASYNC_UVLOOP):
            return None if self.asyncio else "has no asyncio interface"
        return "is not a Rust crate"

    def unavailable(self) -> str | None:
        """Why this client cannot be used in this process, or None. Imports it."""
        try:
            importlib.import_module(self.module)
        except Exception as error:  # noqa: BLE001 - any failure to import is a reason
            return f"cannot import {self.module}: {error}"
        return None

    def version(self) -> str:
        """Of the installed distribution; nothing for a client that is part of the lab."""
        if not self.distribution:
            return ""
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return str(getattr(importlib.import_module(self.module), "__version__", "unknown"))
