"""Ctrl-C while a client connects: the signal's handler runs at once, as in any other call."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import cql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Seconds a server may be silent, and a small part of them.
PATIENCE = 60.0
SOON = 20.0


class InterruptError(Exception):
    """What the handler raises."""


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that says nothing. A signal comes once a client has connected to it."""

    def interrupt(_number: int, _frame: object) -> None:
        raise InterruptError

    former = signal.signal(signal.SIGUSR1, interrupt)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        held = []

        def signal_once_connected() -> None:
            held.append(listener.accept()[0])
            os.kill(os.getpid(), signal.SIGUSR1)

        thread = threading.Thread(target=signal_once_connected)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()
        for connection in held:
            connection.close()
    signal.signal(signal.SIGUSR1, former)


OPENINGS: dict[str, Callable[[int], Any]] = {
    "client": lambda port: spikewire.Client(f"127.0.0.1:{port}", connect_timeout=PATIENCE),
    "session": lambda port: cql.connect(f"127.0.0.1:{port}", connect_timeout=PATIENCE),
}


@pytest.mark.parametrize("opening", OPENINGS.values(), ids=OPENINGS)
def test_a_signal_ends_the_wait(silent: int, opening: Callable[[int], Any]) -> None:
    began = time.monotonic()
    with pytest.raises(InterruptError):
        opening(silent)
    assert time.monotonic() - began < SOON
