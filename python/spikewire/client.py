"""The two clients: the same verbs, blocking and on asyncio.

The verbs themselves are native and come from one source; here is only how a client is opened and
closed in each world.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from spikewire import _native

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from spikewire.options import ClientOptions
    from spikewire.types import Seeds

__all__ = ["AsyncClient", "Client", "Node"]


class Node(NamedTuple):
    """A node of the cluster."""

    name: str
    """The server's node id."""
    address: str
    """``host:port`` where commands go."""


class Client(_native.Client):
    """A blocking client, for any number of threads.

    Connects when it is made. Use it in a ``with`` block, or call ``close()``.

    Raises ``ConnectionFailed`` when no seed leads to a cluster; the message says for each seed why.
    """

    def __init__(self, seeds: Seeds, **options: Unpack[ClientOptions]) -> None:  # noqa: ARG002
        self._open()

    @classmethod
    def connect(cls, seeds: Seeds, **options: Unpack[ClientOptions]) -> Self:
        """A connected client, for use without a ``with`` block."""
        return cls(seeds, **options)

    def nodes(self) -> list[Node]:
        """The nodes of the cluster as it was seen last."""
        return [Node(*node) for node in self._nodes()]

    def info(self, command: str, node: str | None = None) -> str:
        """A node's answer to an info command; without a node's name, that of any node."""
        return self._info(command, node)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClient(_native.AsyncClient):
    """An asyncio client. It works on every event loop that uses it, also on several at once.

    Connects on ``async with`` or by ``await AsyncClient.connect(...)``.

    Raises ``ConnectionFailed`` when no seed leads to a cluster; the message says for each seed why.
    """

    def __init__(self, seeds: Seeds, **options: Unpack[ClientOptions]) -> None:
        pass

    @classmethod
    async def connect(cls, seeds: Seeds, **options: Unpack[ClientOptions]) -> Self:
        """A connected client, for use without an ``async with`` block."""
        return await cls(seeds, **options).__aenter__()

    def nodes(self) -> list[Node]:
        """The nodes of the cluster as it was seen last."""
        return [Node(*node) for node in self._nodes()]

    async def info(self, command: str, node: str | None = None) -> str:
        """A node's answer to an info command; without a node's name, that of any node."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, self._info, command, node)

    async def close(self) -> None:
        """Ends every connection. Commands under way fail with ``ClientClosed``."""
        self._close()

    async def __aenter__(self) -> Self:
        # Finding the cluster blocks, so it happens off the loop.
        await asyncio.get_running_loop().run_in_executor(None, self._open)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
