"""Interrupts while processes are started: no process is lost, and no interrupt."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import spikewire
from spikewire import cql
from spikewire.testing.interrupts import interrupts_wait
from waiting import ends_before

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STARTS = 30
#: Seconds until the latest interrupt.
LATEST = 0.2


@pytest.fixture
def handled() -> Iterator[list[int]]:
    """The signals whose handlers ran, instead of those that Python and pytest have."""
    numbers: list[int] = []
    former = {
        number: signal.signal(number, lambda number, _frame: numbers.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    yield numbers
    for number, handler in former.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_for_the_end_of_the_block(handled: list[int], number: int) -> None:
    before = signal.getsignal(number)
    with interrupts_wait():
        signal.raise_signal(number)
        signal.raise_signal(number)
        assert handled == []
    assert handled == [number]
    assert signal.getsignal(number) is before
    signal.raise_signal(number)
    assert handled == [number, number]


def test_a_handler_that_raises_keeps_no_other_away() -> None:
    both = (signal.SIGTERM, signal.SIGINT)
    former = [signal.signal(number, signal.default_int_handler) for number in both]
    try:
        with pytest.raises(KeyboardInterrupt) as raised, interrupts_wait():
            _both()
        # Both handlers ran: one error was raised during the other.
        assert isinstance(raised.value.__context__, KeyboardInterrupt)
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        for number, handler in zip(both, former, strict=True):
            signal.signal(number, handler)


def _both() -> None:
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGINT)


def test_an_error_of_the_block_does_not_keep_a_signal_away(handled: list[int]) -> None:
    with pytest.raises(FileNotFoundError), interrupts_wait():
        _interrupted_and_failing()
    assert handled == [signal.SIGINT]


def _interrupted_and_failing() -> None:
    signal.raise_signal(signal.SIGINT)
    raise FileNotFoundError


def test_ignored_signals_stay_ignored() -> None:
    former = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with interrupts_wait():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, former)


def test_other_threads_have_no_handlers_to_wait_for() -> None:
    seen: list[object] = []

    def look() -> None:
        with interrupts_wait():
            seen.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [before]


#: Starts a node for each line of input, and reports what an interrupt left of it.
STARTER = """
import os, signal, sys, time
from pathlib import Path
from spikewire.testing.cassandra.endpoints import Endpoint
from spikewire.testing.cassandra.node import Node

signal.signal(signal.SIGINT, signal.default_int_handler)
SILENT = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]

def node():
    node = Node("a", Endpoint("127.0.0.1", 1, 1), Path(sys.argv[1]), SILENT, temporary=False)
    try:
        yield node.start()
    finally:
        node.kill()

for _ in sys.stdin:
    started = node()
    try:
        print("starting", flush=True)
        next(started)
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        started.close()
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("nothing", flush=True)
    else:
        print("a child", flush=True)
"""


def test_interrupted_at_any_moment_no_process_is_lost(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", STARTER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdin is not None
        assert starter.stdout is not None
        try:
            for number in range(STARTS):
                starter.stdin.write("\n")
                starter.stdin.flush()
                assert starter.stdout.readline() == "starting\n"
                # From immediately to when it runs, at shorter intervals in the beginning.
                time.sleep(LATEST * (number / STARTS) ** 3)
                starter.send_signal(signal.SIGINT)
                line = starter.stdout.readline()
                assert line == "nothing\n", (number, starter.communicate(timeout=60))
            _, text = starter.communicate(timeout=60)
        finally:
            starter.kill()
    assert (starter.returncode, text) == (0, "")


def test_a_client_that_waits_for_its_cluster() -> None:
    """As in every other call, a handler runs at once, not after the connect timeout."""

    def interrupt(*_: object) -> None:
        raise InterruptedError

    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            seeds = f"127.0.0.1:{silent.getsockname()[1]}"
            for opens in (
                lambda: spikewire.Client(seeds, connect_timeout=120),
                lambda: cql.Session(seeds, connect_timeout=120),
            ):
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                with ends_before(60), pytest.raises(InterruptedError):
                    opens()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
