"""Modules of functions that the cluster runs, in Lua: registering, listing, removing.

    client.modules.register("counters.lua", source)
    users.apply("alice", "counters", "visit", [1])

A module belongs to the whole cluster. A function gets the record and the arguments of the call:
``rec["bin"]`` reads and assigns bins, and nothing is stored before ``aerospike:create(rec)`` or
``aerospike:update(rec)``.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spikewire.errors import ServerError, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.client import AsyncClient, Client

__all__ = ["AsyncModules", "Module", "Modules"]

#: Longest source, as servers limit it.
LONGEST = 1 << 20
#: How often a node is asked whether it has a module, in seconds.
PAUSE = 0.02


class Module(NamedTuple):
    """A registered module."""

    name: str
    """Its file name, such as ``"counters.lua"``; calls name it without the ending."""
    hash: str
    """40 hex digits that change with the source."""


class _Registration:
    """A module on its way to every node."""

    def __init__(self, file: str | os.PathLike[str], source: str | None, timeout: float) -> None:
        path = Path(os.fspath(file))
        if source is None:
            source = path.read_text(encoding="utf-8")
        elif not isinstance(source, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            message = f"source must be str, not {type(source).__name__}"
            raise TypeError(message)
        self.name = _file_name(path.name)
        encoded = source.encode()
        if not encoded or len(encoded) > LONGEST:
            message = f"source must have from 1 to {LONGEST} bytes, not {len(encoded)}"
            raise ValueError(message)
        content = base64.b64encode(encoded).decode()
        length = f"content={content};content-len={len(content)}"
        self.command = f"udf-put:filename={self.name};{length};udf-type=LUA;"
        kept = f'{{"content64": "{content}", "type": "LUA", "name": "{self.name}"}}'
        self.hash = hashlib.sha1(kept.encode(), usedforsecurity=False).hexdigest()
        self.timeout = timeout
        self.ends = time.monotonic() + timeout

    def arrived(self, listing: str) -> bool:
        """Whether a node has it; raises when that takes too long."""
        if any(module == (self.name, self.hash) for module in _listed(listing)):
            return True
        if time.monotonic() > self.ends:
            message = f"module {self.name} did not reach every node within {self.timeout} s"
            raise Timeout(message)
        return False


class Modules:
    """The modules of a client's cluster; ``client.modules``."""

    __slots__ = ("_client",)

    def __init__(self, client: Client) -> None:
        self._client = client

    def register(
        self, file: str | os.PathLike[str], source: str | None = None, *, timeout: float = 10
    ) -> None:
        """Registers a module, in place of one of that name, and waits until every node has it.

        ``file`` is the module's name with its ending, or the path of a file to read when there is
        no ``source``. ``timeout`` is how long to wait for the nodes, in seconds.

        Raises ``ServerError`` with the line when the source does not compile, ``Timeout`` when a
        node does not get it in time, ``ValueError`` for a name or source that cannot be.
        """
        module = _Registration(file, source, timeout)
        _check(self._client.info(module.command))
        for node in self._client.nodes():
            while not module.arrived(self._client.info("udf-list", node.name)):
                time.sleep(PAUSE)

    def list(self) -> list[Module]:
        """The registered modules, sorted by name."""
        return sorted(_listed(self._client.info("udf-list")))

    def source(self, name: str) -> str:
        """The source of a module; raises ``ServerError`` if there is no such module."""
        return _source(self._client.info(f"udf-get:filename={_file_name(name)}"))

    def remove(self, name: str) -> None:
        """Removes a module; does nothing if there is none of that name."""
        _check(self._client.info(f"udf-remove:filename={_file_name(name)};"))


class AsyncModules:
    """The modules of an asyncio client's cluster; ``client.modules``."""

    __slots__ = ("_client",)

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def register(
        self, file: str | os.PathLike[str], source: str | None = None, *, timeout: float = 10
    ) -> None:
        """As ``Modules.register``."""
        module = _Registration(file, source, timeout)
        _check(await self._client.info(module.command))
        for node in self._client.nodes():
            while not module.arrived(await self._client.info("udf-list", node.name)):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE)

    async def list(self) -> list[Module]:
        """The registered modules, sorted by name."""
        return sorted(_listed(await self._client.info("udf-list")))

    async def source(self, name: str) -> str:
        """The source of a module; raises ``ServerError`` if there is no such module."""
        return _source(await self._client.info(f"udf-get:filename={_file_name(name)}"))

    async def remove(self, name: str) -> None:
        """Removes a module; does nothing if there is none of that name."""
        _check(await self._client.info(f"udf-remove:filename={_file_name(name)};"))


def _file_name(name: str) -> str:
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"the name of a module must be str, not {type(name).__name__}"
        raise TypeError(message)
    stem, dot, ending = name.rpartition(".")
    if not (stem and dot and ending) or set(name) & set(';:=,/\\"\n'):
        message = f"a module is named like a file, such as 'counters.lua', not {name!r}"
        raise ValueError(message)
    return name


def _fields(answer: str, separator: str) -> Iterator[tuple[str, str]]:
    for part in answer.split(separator):
        name, equals, value = part.partition("=")
        if equals:
            yield name, value


def _listed(answer: str) -> Iterator[Module]:
    for entry in filter(None, answer.split(";")):
        fields = dict(_fields(entry, ","))
        yield Module(fields.get("filename", ""), fields.get("hash", ""))


def _check(answer: str) -> None:
    fields = dict(_fields(answer, ";"))
    error = fields.get("error")
    if error is None:
        return
    message = error.replace("_", " ")
    if "message" in fields:
        said = base64.b64decode(fields["message"]).decode(errors="replace")
        message = f"{fields.get('file', '?')}:{fields.get('line', '?')}: {said}"
    raise ServerError(message, code=100 if "message" in fields else 4)


def _source(answer: str) -> str:
    _check(answer)
    return base64.b64decode(dict(_fields(answer, ";")).get("content", "")).decode()
