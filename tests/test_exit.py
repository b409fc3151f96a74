"""The interpreter ends while daemon threads are in native code that calls Python code.

Before Python 3.14, a thread that wants the interpreter back at that moment is ended by unwinding
its stack, which native frames do not survive: the process aborts instead of exiting with 0.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

import spikewire

if TYPE_CHECKING:
    from spikewire.testing import Cluster

#: The end has to meet a thread at the wrong moment, which it does in every second run or so.
RUNS = 6

PREAMBLE = """
import asyncio, sys, threading, time
import spikewire

seeds, warm = sys.argv[1], threading.Semaphore(0)

def forever(work):
    def run():
        for _ in range(3):
            work()
        warm.release()
        while True:
            work()
    return run
"""

END = """
threads = [threading.Thread(target=forever(work), daemon=True) for work in works]
for thread in threads:
    thread.start()
for _ in threads:
    warm.acquire()
"""

OPENED = """
        client = spikewire.Client(seeds, timeout=20, connect_timeout=20)
        data = client.dataset("test", "exit")
"""

PROGRAMS = {
    "opening a client": """
        def work():
            try:
                spikewire.Client("127.0.0.1:1")
            except spikewire.ConnectionFailed:
                pass
        works = [work] * 2
    """,
    "errors": OPENED
    + """
        def work():
            try:
                data.get("nobody")
            except spikewire.RecordNotFound:
                pass
        works = [work] * 4
    """,
    "generators of keys": OPENED
    + """
        def work():
            data.exists_many(n for n in range(5_000))
        works = [work] * 2
    """,
    "codecs": """
        from spikewire.codec import Codec
        class Money:
            pass
        def amount(money):
            return sum(1 for _ in range(2_000))
        client = spikewire.Client(seeds, timeout=20, codec=Codec(types={Money: amount}))
        data = client.dataset("test", "exit")
        def work():
            data.put("k", {"m": Money()})
        works = [work] * 3
    """,
    "numpy": """
        import numpy
    """
    + OPENED
    + """
        keys = list(range(300))
        def work():
            data.get_numpy(keys, [("n", "i8")])
        def scan():
            data.query().to_numpy([("n", "i8")])
        works = [work, work, work, scan]
    """,
    "an event loop": """
        def work():
            async def main():
                async with spikewire.AsyncClient(seeds, timeout=20) as client:
                    data = client.dataset("test", "exit")
                    warm.release()
                    while True:
                        await asyncio.gather(*(data.exists(n) for n in range(100)))
            asyncio.run(main())
        works = [work]
    """,
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_interpreter_exits_with_daemon_threads(cluster: Cluster, program: str) -> None:
    if program == "numpy":
        pytest.importorskip("numpy")
        with spikewire.Client(cluster.seeds, timeout=20) as client:
            client.dataset("test", "exit").put_many({n: {"n": n} for n in range(300)})
    code = PREAMBLE + textwrap.dedent(PROGRAMS[program]) + END
    command = [sys.executable, "-W", "ignore", "-c", code, cluster.seeds]
    for _ in range(RUNS):
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert ended.returncode == 0, ended.stderr[-2000:]


def test_a_generator_that_waits_delays_the_end_but_little(cluster: Cluster) -> None:
    code = """
        import queue
        client = spikewire.Client(seeds, timeout=20)
        keys = queue.Queue()
        def rows():
            warm.release()
            while True:
                yield keys.get()
        def work():
            client.dataset("test", "exit").exists_many(rows())
        works = [work]
    """
    command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(code) + END, cluster.seeds]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
