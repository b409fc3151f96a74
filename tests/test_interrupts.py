"""Ctrl-C during queries: a separate program gets the signal, and the nodes stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Makes a wait take minutes: by this pace, or by this function.
SLOW = "records_per_second=1, socket_timeout=0"
SOURCE = """
local function late(rec)
    local sum = 0
    for i = 1, 500000 do sum = sum + i end
    return rec.n
end

function slow(stream) return stream : map(late) end
"""
WAITS = {
    "iteration": (
        f"for record in data.query({SLOW}): pass",
        f"async for record in data.query({SLOW}): pass",
    ),
    "page": (
        f"data.query({SLOW}, page_size=8000).page()",
        f"await data.query({SLOW}, page_size=8000).page()",
    ),
    "arrow_batches": (
        f"for table in data.query({SLOW}).arrow_batches(): pass",
        f"async for table in data.query({SLOW}).arrow_batches(): pass",
    ),
    "numpy_batches": (
        f"for array in data.query({SLOW}).numpy_batches([('n', 'i8')]): pass",
        f"async for array in data.query({SLOW}).numpy_batches([('n', 'i8')]): pass",
    ),
    "aggregate": (
        "data.query().aggregate('interrupts', 'slow')",
        "await data.query().aggregate('interrupts', 'slow')",
    ),
    "job": (
        "data.operate_all([op.touch()], records_per_second=1).wait()",
        "await (await data.operate_all([op.touch()], records_per_second=1)).wait()",
    ),
    "index": (
        "client.indexes.wait('test', 'nothing', timeout=600)",
        "await client.indexes.wait('test', 'nothing', timeout=600)",
    ),
}
BLOCKING = """
    import signal, sys, spikewire
    from spikewire import op
    # A shell's background jobs are born deaf to it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with spikewire.Client(sys.argv[1]) as client:
        data = client.dataset("test", sys.argv[2])
        try:
            print("begun", flush=True)
            {wait}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        # The client is as good as before, and what was read is let go.
        print(data.get(7)["n"], flush=True)
        sys.stdin.readline()
"""
ASYNCIO = """
    import asyncio, signal, sys, spikewire
    from spikewire import op
    signal.signal(signal.SIGINT, signal.default_int_handler)

    async def main():
        async with spikewire.AsyncClient(sys.argv[1]) as client:
            data = client.dataset("test", sys.argv[2])
            try:
                print("begun", flush=True)
                {wait}
            except asyncio.CancelledError:
                print("cancelled", flush=True)
            print((await data.get(7))["n"], flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
            raise asyncio.CancelledError

    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


@pytest.fixture(scope="module")
def seeds() -> Iterator[str]:
    """A cluster with a set that takes long to scan at the pace of ``SLOW``."""
    with Cluster(nodes=2) as cluster, spikewire.Client(cluster.seeds, timeout=10) as client:
        data = client.dataset("test", "slow")
        data.put_many({n: {"n": n} for n in range(8000)}).raise_for_errors()
        client.modules.register("interrupts.lua", SOURCE)
        yield cluster.seeds


@pytest.mark.parametrize("api", ["blocking", "asyncio"])
@pytest.mark.parametrize("wait", WAITS)
def test_ctrl_c(seeds: str, wait: str, api: str) -> None:
    if api == "asyncio" and sys.version_info < (3, 11):
        pytest.skip("here asyncio does not cancel the task")
    template, statement = {
        "blocking": (BLOCKING, WAITS[wait][0]),
        "asyncio": (ASYNCIO, WAITS[wait][1]),
    }[api]
    code = textwrap.dedent(template).format(wait=statement)
    arguments = [sys.executable, "-X", "faulthandler", "-c", code, seeds, "slow"]
    with (
        spikewire.Client(seeds, timeout=10) as client,
        subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as program,
    ):
        try:
            assert program.stdin
            assert program.stdout
            assert program.stdout.readline() == "begun\n"
            if wait != "index":
                assert until(lambda: active(client), 20)
            os.kill(program.pid, signal.SIGINT)
            caught = "interrupted\n" if api == "blocking" else "cancelled\n"
            assert program.stdout.readline() == caught
            assert program.stdout.readline() == "7\n"
            # The program still runs, so it is the query that has ended. A job continues without it.
            if wait == "job":
                assert active(client)
                for node in client.nodes():
                    client.info("query-abort-all", node.name)
            assert until(lambda: not active(client), 20)
            assert program.poll() is None
            program.stdin.close()
            rest = "" if api == "blocking" else "interrupted\n"
            assert program.stdout.read() == rest
            assert program.wait(20) == 0
        finally:
            program.kill()


def active(client: spikewire.Client) -> list[str]:
    """The active queries and jobs of the nodes."""
    values = [client.info("query-show", node.name) for node in client.nodes()]
    jobs = [job for text in values for job in text.split(";")]
    return [job for job in jobs if ":status=active" in job]


def test_ctrl_c_while_a_node_is_silent() -> None:
    code = """
        import signal, sys, spikewire
        from spikewire import op
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # Longer than the test may take.
        with spikewire.Client(sys.argv[1], connect_timeout=200) as client:
            job = client.dataset("test", "few").operate_all([op.touch()], records_per_second=1)
            waits = {
                "job": job.progress,
                "index": lambda: client.indexes.wait("test", "nothing", timeout=600),
                "info": lambda: client.info("build"),
                "aggregate": lambda: client.query("test", "few").aggregate("interrupts", "slow"),
            }
            for name, wait in waits.items():
                sys.stdin.readline()
                try:
                    print(name, flush=True)
                    wait()
                except KeyboardInterrupt:
                    print("interrupted", flush=True)
    """
    with Cluster(nodes=1) as cluster, spikewire.Client(cluster.seeds, timeout=10) as client:
        client.dataset("test", "few").put_many({n: {"n": n} for n in range(50)})
        arguments = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)]
        with subprocess.Popen(
            [*arguments, cluster.seeds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as program:
            try:
                assert program.stdin
                assert program.stdout
                assert until(lambda: active(client), 20)
                cluster.inject(0, drop=1, info=True)
                for name in ("job", "index", "info", "aggregate"):
                    program.stdin.write("\n")
                    program.stdin.flush()
                    assert program.stdout.readline() == f"{name}\n"
                    os.kill(program.pid, signal.SIGINT)
                    assert program.stdout.readline() == "interrupted\n"
                cluster.clear_faults(0)
                assert program.wait(30) == 0
            finally:
                program.kill()


@pytest.mark.parametrize(
    "call",
    [
        "client.indexes.wait('test', 'nothing', timeout=0.01)",
        "data.put(1, {'n': 1}, ttl=30)",
        "data.get(1, timeout=2)",
    ],
)
def test_an_import_that_is_interrupted_inside_a_call_raises(seeds: str, call: str) -> None:
    # Stands for Ctrl-C while native code imports a module on first use, such as `datetime`, with
    # which it compares the type of an argument: reading what was not imported ended the process.
    code = f"""
        import sys
        import spikewire

        class Interrupting:
            def find_spec(self, name, path=None, target=None):
                raise KeyboardInterrupt

        with spikewire.Client(sys.argv[1]) as client:
            data = client.dataset("test", "imports")
            sys.meta_path.insert(0, Interrupting())
            try:
                {call}
            except (KeyboardInterrupt, spikewire.Error):
                pass
            sys.meta_path.pop(0)
            print(data.put(2, {{"n": 2}}))
    """
    arguments = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), seeds]
    program = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert (program.returncode, program.stdout) == (0, "None\n"), program.stderr
