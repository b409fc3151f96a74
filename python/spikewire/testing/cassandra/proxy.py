"""A proxy in front of a node, to test how clients handle network faults."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from typing import TYPE_CHECKING, Literal, TypeVar

from spikewire.testing.cassandra.faults import Faults, ProxyStats, faults_of
from spikewire.testing.cassandra.pump import Cut, Way, pump

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from types import TracebackType
    from typing import TypeAlias

    from typing_extensions import Self, Unpack

    from spikewire.testing.cassandra.faults import Direction, ProxyFaults

__all__ = ["Admission", "CqlProxy"]

T = TypeVar("T")
Admission: TypeAlias = "Literal['never', 'close', 'silent', 'port']"

ADMISSIONS = ("never", "close", "silent", "port")
#: Time limit for requests to the proxy's thread, in seconds.
PATIENCE = 30.0
#: Time limit for connecting to the node, in seconds.
CONNECTING = 10.0
BACKLOG = 1024
#: Makes closing send a reset (no lingering).
RESET = struct.pack("ii", 1, 0)


class CqlProxy:
    """Passes bytes between clients and the node at ``target`` (``host:port``), with optional
    faults.

        with CqlProxy(cluster.addresses[0]) as proxy:
            ...  # connect to proxy.address
            proxy.inject("replies", cut=20)

    It is independent of the protocol and passes TLS through. A client that discovers nodes has to
    translate their addresses: one proxy per node, ``{target: address}``.

    ``inject`` and the other methods have taken effect when they return. Any thread may call them.
    ``address`` stays the same until ``stop()``.
    """

    def __init__(self, target: str, host: str = "127.0.0.1", port: int = 0) -> None:
        self.target = target
        name, _, number = target.rpartition(":")
        self._target = (name.strip("[]"), int(number))
        self._stats = ProxyStats(
            connections=0, connections_opened=0, requests=0, replies=0, swallowed=0, struck=0
        )
        self._ways: dict[Direction, Way] = {
            "requests": Way("requests", self._stats),
            "replies": Way("replies", self._stats),
        }
        self._admission: Admission = "never"
        self._admission_changed = asyncio.Event()
        self._links: dict[asyncio.Task[None], list[asyncio.StreamWriter]] = {}
        self._server: asyncio.Server | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._address = self._do(self._listen((host, port)))
        except BaseException:
            self._end_thread()
            raise

    @property
    def address(self) -> str:
        """``host:port`` where clients connect."""
        return f"{self._address[0]}:{self._address[1]}"

    def inject(self, direction: Direction, **faults: Unpack[ProxyFaults]) -> None:
        """Injects faults into one direction from now on; replaces earlier faults.

        Bytes are counted per connection: from now on for open connections, from the first byte for
        new ones.
        """
        if direction not in self._ways:
            message = f"direction must be 'requests' or 'replies', not {direction!r}"
            raise ValueError(message)
        self._do(self._set(direction, faults_of(**faults)))

    def refuse(self, how: Admission) -> None:
        """How new connections are treated; open ones continue.

        ``never``: served. ``close``: accepted and reset. ``silent``: accepted, but nothing is read.
        ``port``: nothing listens there.
        """
        if how not in ADMISSIONS:
            message = f"refuse takes one of {', '.join(ADMISSIONS)}, not {how!r}"
            raise ValueError(message)
        self._do(self._set_admission(how))

    def cut(self) -> None:
        """Resets every open connection, at once."""
        self._do(self._cut())

    def clear(self) -> None:
        """Ends all faults and refusals. Connections already affected stay as they are."""
        self._do(self._clear())

    def stats(self) -> ProxyStats:
        """Connections and bytes so far."""
        return self._do(self._read_stats())

    def stop(self) -> None:
        """Resets every connection and closes the port. Stopping again has no effect."""
        if not self._loop.is_closed():
            self._do(self._stop())
            self._end_thread()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _do(self, work: Coroutine[None, None, T]) -> T:
        """Runs a coroutine on the proxy's thread."""
        if self._loop.is_closed():
            work.close()
            message = "the proxy is stopped"
            raise OSError(message)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def _end_thread(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    # The following runs on the proxy's thread.

    async def _listen(self, address: tuple[str, int]) -> tuple[str, int]:
        self._server = await asyncio.start_server(self._accept, *address, backlog=BACKLOG)
        bound = self._server.sockets[0].getsockname()
        return bound[0], bound[1]

    async def _set(self, direction: Direction, faults: Faults) -> None:
        self._ways[direction].replace(faults)

    async def _set_admission(self, how: Admission) -> None:
        self._admission = how
        self._admission_changed.set()
        self._admission_changed = asyncio.Event()
        if how == "port" and self._server is not None:
            self._server.close()
            self._server = None
        elif how != "port" and self._server is None:
            await self._listen(self._address)

    async def _clear(self) -> None:
        for way in self._ways.values():
            way.replace(Faults())
        await self._set_admission("never")

    async def _read_stats(self) -> ProxyStats:
        return self._stats.copy()

    async def _cut(self) -> None:
        links = list(self._links)
        for link in links:
            link.cancel()
        await asyncio.gather(*links, return_exceptions=True)

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        # Including connections that were just accepted.
        while self._links:
            await self._cut()
        # Wait until their transports are gone, too.
        await asyncio.sleep(0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links[task] = [writer]
        self._stats["connections"] += 1
        self._stats["connections_opened"] += 1
        reset = True
        try:
            reset = await self._serve(reader, writer, self._links[task])
        except (OSError, asyncio.CancelledError):
            # One side is gone, or the connection was cut: the other side is reset.
            pass
        finally:
            self._stats["connections"] -= 1
            for open_end in self._links.pop(task):
                _close(open_end, reset=reset)

    async def _serve(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        ends: list[asyncio.StreamWriter],
    ) -> bool:
        """Serves a connection to its end; returns whether it ends with a reset."""
        if self._admission == "close":
            return True
        while self._admission == "silent":
            await self._admission_changed.wait()
        connecting = asyncio.open_connection(*self._target)
        try:
            from_node, to_node = await asyncio.wait_for(connecting, CONNECTING)
        except (OSError, asyncio.TimeoutError):
            return True
        ends.append(to_node)
        both = [
            asyncio.ensure_future(pump(reader, to_node, self._ways["requests"])),
            asyncio.ensure_future(pump(from_node, writer, self._ways["replies"])),
        ]
        try:
            await asyncio.gather(*both)
        except Cut as cut:
            return cut.reset
        finally:
            for one in both:
                one.cancel()
            await asyncio.gather(*both, return_exceptions=True)
        return False


def _close(writer: asyncio.StreamWriter, *, reset: bool) -> None:
    if not reset:
        writer.close()
        return
    own = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()
