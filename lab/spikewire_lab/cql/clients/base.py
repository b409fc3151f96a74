"""The interface of a client in the lab: open, close, and source code for its calls."""

from __future__ import annotations

import importlib
import importlib.metadata
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...access import OPEN, Access
from ...clients.registry import RegistryEntry, version_of
from ..data import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ALL = ", ".join(f"x{at}" for at in range(len(COLUMNS)))
"""Names for the values of a row of a page: its caller accesses each of them."""
ITEM = "id, number, payload"


@dataclass(frozen=True)
class Target:
    """The address of the server, and the operation to measure."""

    host: str
    port: int
    operation: str
    statement: str
    access: Access = OPEN


@dataclass(frozen=True)
class Verbs:
    """One client's calls as source code, as its users would write them; `p` are the parameters.

    A call is complete when its caller has every value as a Python object. `call` is a statement
    that makes a call, waiting for it in blocking clients and awaiting it in asyncio. `start` is an
    expression for a future, `finish` a statement that waits for `future` and takes its result.
    `chain` is a statement that starts a call and has `done` called with an argument from which the
    statement `held` takes the result or raises; `lost`, where it is used, is called with an error.
    `names` are the names that all of these may use.
    """

    call: str
    start: str = ""
    finish: str = ""
    chain: str = ""
    held: str = ""
    many: str = ""
    """A statement that executes `rows`, with `depth` of them in flight, and calls `failed` with
    each error."""
    row: str = ""
    """A statement that binds `id, number, payload` with a call of its own; used by checks."""
    names: Mapping[str, object] = field(default_factory=dict[str, object])


class Blocking(ABC):
    """A client used from threads."""

    @abstractmethod
    def open(self, target: Target) -> None:
        """Connects and prepares the statement."""

    @abstractmethod
    def verbs(self) -> Verbs:
        """Called once for each worker."""

    def protocol(self) -> str:
        """The version of the protocol in use, if the client reports it."""
        return ""

    @abstractmethod
    def close(self) -> None: ...


class Asyncio(ABC):
    """A client used from tasks on one event loop."""

    @abstractmethod
    async def open(self, target: Target) -> None: ...

    @abstractmethod
    def verbs(self) -> Verbs: ...

    def protocol(self) -> str:
        return ""

    @abstractmethod
    async def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Peer(RegistryEntry):
    """A client under test: its distribution and what it supports."""

    row_type: str
    """The type of a row as callers see it."""
    blocking: Callable[[], Blocking] | None = None
    asyncio: Callable[[], Asyncio] | None = None
    promises: bool = False
    """Whether it is a client for Node.js, and no Python package."""
    tokio: bool = False
    """Whether it is a client for Rust, and no Python package."""
    parameters: type[tuple[object, ...] | list[object]] = tuple
    """The type of the parameters."""
    futures: bool = False
    """Whether calls of a thread return futures that take callbacks."""
    many: bool = False
    """Whether threads have a call for many rows of parameters."""
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """The operations that read pages into columns, and the type that the caller gets."""
    note: str = ""
    """A remark for readers of its lines."""
    system_ca: bool = True
    """Whether it can trust the authorities of the system."""
    canned: bool = True
    """Whether it can open a session at canned replies."""
    encrypts: bool = True
    """Whether it is measured with TLS."""
    apart: bool = False
    """Whether it is installed in a folder of its own, since another client has a package of the
    same name."""

    @property
    def runtime(self) -> str:
        """`node`, `rust` or `python`."""
        return "node" if self.promises else "rust" if self.tokio else "python"

    def barred(self, access: Access) -> str | None:
        """Why it cannot be used with this login or TLS, or None."""
        if access.tls is not None and not self.encrypts:
            return "is built without TLS here"
        if access.tls is not None and not access.tls.ca and not self.system_ca:
            return "does not trust the system's authorities: give --tls-ca"
        return None

    def gives(self, operation: str) -> str:
        """What callers get in the end."""
        return "nothing" if operation == "insert" else self.columns.get(operation, self.row_type)

    def unavailable(self) -> str | None:
        """Why this client cannot be used in this process, or None. Imports it."""
        try:
            importlib.import_module(self.module)
        except Exception as error:  # noqa: BLE001 - any failure to import is a reason
            return f"cannot import {self.module}: {error}"
        try:
            importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return f"{self.distribution} is not installed"
        return None

    def version(self) -> str:
        return version_of(self)
