"""What the lab asks of a client: to open, to close, and how its users write a call."""

from __future__ import annotations

import importlib
import importlib.metadata
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...access import OPEN, Access
from ...clients.registry import Named, version_of
from ..data import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ALL = ", ".join(f"x{at}" for at in range(len(COLUMNS)))
"""Names for the values of a row of a page: its caller has each of them in hand."""
ITEM = "id, number, payload"


@dataclass(frozen=True)
class Target:
    """Where the server is, and what is done there."""

    host: str
    port: int
    operation: str
    statement: str
    access: Access = OPEN


@dataclass(frozen=True)
class Verbs:
    """One client's calls in source form, as its users write them; `p` is what is bound.

    A call is over when its caller holds every value as a Python object. `call` is a statement that
    does it: of blocking clients it waits, of asyncio's it awaits. `start` is an expression for a
    future, `finish` a statement that waits for `future` and holds what came. `chain` is a statement
    that starts a call and has `done` called with something of which `held` is the statement that
    holds what came or raises; `lost`, where it is used, is called with an error. `names` are what
    all of these may mention.
    """

    call: str
    start: str = ""
    finish: str = ""
    chain: str = ""
    held: str = ""
    row: str = ""
    """A statement that binds `id, number, payload` by a call of its own: checks look at them."""
    names: Mapping[str, object] = field(default_factory=dict[str, object])


class Blocking(ABC):
    """A client used from threads."""

    @abstractmethod
    def open(self, target: Target) -> None:
        """Connects, and prepares the statement."""

    @abstractmethod
    def verbs(self) -> Verbs:
        """Called once for each worker."""

    def protocol(self) -> str:
        """The version of the protocol that is spoken, where the client says so."""
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
class Peer(Named):
    """A client under test: where it comes from, and what it can do."""

    row_type: str
    """What a row is to its callers."""
    blocking: Callable[[], Blocking] | None = None
    asyncio: Callable[[], Asyncio] | None = None
    parameters: type[tuple[object, ...] | list[object]] = tuple
    """What it takes as parameters."""
    futures: bool = False
    """Whether calls of a thread give futures that take callbacks."""
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """The operations of pages into columns, and what the caller gets."""
    note: str = ""
    """What a reader of its lines has to know."""
    system_ca: bool = True
    """Whether it can trust the authorities of the system."""
    apart: bool = False
    """Whether it is installed in a folder of its own, since another one has a package of the same
    name."""

    def barred(self, access: Access) -> str | None:
        """Why it cannot be let in like this, or None."""
        if access.tls is not None and not access.tls.ca and not self.system_ca:
            return "does not trust the system's authorities: give --tls-ca"
        return None

    def gives(self, operation: str) -> str:
        """What callers hold in the end."""
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
