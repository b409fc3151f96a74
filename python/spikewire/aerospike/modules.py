"""Implements ``spikewire.modules``."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spikewire._native import Admin
from spikewire.aerospike.admin import soon
from spikewire.tasks import begun

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Iterable

    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.types import Seconds

__all__ = ["AsyncModules", "Module", "Modules"]


class Module(NamedTuple):
    """A registered module."""

    name: str
    """Its file name, such as ``"counters.lua"``; calls name it without the ending."""
    hash: str
    """40 hex digits that change with the source."""


class Modules:
    """The modules of a client's cluster; ``client.modules``."""

    __slots__ = ("_admin",)

    def __init__(self, client: Client) -> None:
        self._admin = Admin(client)

    def register(
        self, file: str | os.PathLike[str], source: str | None = None, *, timeout: Seconds = 10
    ) -> None:
        """Registers a module, replacing one of that name, and waits until every node has it.

        ``file`` is the module's name with its extension, or the path of a file to read if
        ``source`` is not given. ``timeout`` is how long to wait for the nodes, in seconds; 0: no
        limit.

        Raises ``ServerError`` with the line if the source does not compile, ``Timeout`` if a node
        does not receive it in time, ``ValueError`` for an invalid name or source.
        """
        if source is None:
            source = _read(file)
        self._admin.register_module(Path(os.fspath(file)).name, source, timeout).run()

    def list(self) -> list[Module]:
        """The registered modules, sorted by name."""
        return [Module(*module) for module in self._admin.list_modules().run()]

    def source(self, name: str) -> str:
        """The source of a module; raises ``ServerError`` if there is no such module."""
        return self._admin.module_source(name).run()

    def remove(self, name: str) -> None:
        """Removes a module; has no effect if it does not exist."""
        self._admin.remove_module(name).run()


class AsyncModules:
    """The modules of an asyncio client's cluster; ``client.modules``."""

    __slots__ = ("_admin",)

    def __init__(self, client: AsyncClient) -> None:
        self._admin = Admin(client)

    def register(
        self, file: str | os.PathLike[str], source: str | None = None, *, timeout: Seconds = 10
    ) -> Future[None]:
        """As ``Modules.register``."""
        if source is None:
            return begun(self._register(file, timeout))
        return soon(self._admin.register_module(Path(os.fspath(file)).name, source, timeout))

    async def _register(self, file: str | os.PathLike[str], timeout: Seconds) -> None:
        source = await asyncio.get_running_loop().run_in_executor(None, _read, file)
        await self.register(file, source, timeout=timeout)

    def list(self) -> Future[list[Module]]:
        """The registered modules, sorted by name."""
        return soon(self._admin.list_modules(), _modules)

    def source(self, name: str) -> Future[str]:
        """The source of a module; raises ``ServerError`` if there is no such module."""
        return soon(self._admin.module_source(name))

    def remove(self, name: str) -> Future[None]:
        """Removes a module; has no effect if it does not exist."""
        return soon(self._admin.remove_module(name))


def _read(file: str | os.PathLike[str]) -> str:
    return Path(file).read_text(encoding="utf-8")


def _modules(modules: Iterable[tuple[str, str]]) -> list[Module]:
    return [Module(*module) for module in modules]
