"""Python code that calls an asyncio client from within a callback of the same client."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from loops import opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.testing import Cluster


class Last:
    """Makes a call when the last reference to it is dropped; as a read's default, within a
    completion."""

    def __init__(self, then: Callable[[], object]) -> None:
        self.then = then

    def __del__(self) -> None:
        self.then()


class TestReentrancy:
    def test_a_finalizer_may_call_verbs(self, run: Any, cluster: Cluster, set_name: str) -> None:
        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                await data.put("there", {"v": 1})
                objects: list[Any] = []

                def call() -> None:
                    objects.append(data.add("finalized", {"n": 1}))

                for _ in range(50):
                    await asyncio.gather(
                        *(data.get("there", default=Last(call)) for _ in range(10))
                    )
                gc.collect()
                assert len(objects) == 500
                await asyncio.gather(*objects)
                assert (await data.get("finalized"))["n"] == 500

        run(main())

    def test_garbage_collection_during_a_completion_is_safe(
        self, run: Any, cluster: Cluster, set_name: str
    ) -> None:
        """The garbage collector may run while a reply is decoded to a record."""

        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                objects: list[Any] = []

                class Cycle:
                    def __init__(self) -> None:
                        self.own = Last(lambda: objects.append(data.add("collected", {"n": 1})))
                        self.cycle = self

                await data.put("big", {"v": [[i] for i in range(2000)]})
                threshold = gc.get_threshold()
                gc.set_threshold(50, 2, 2)
                try:
                    for _ in range(20):
                        for _ in range(10):
                            Cycle()
                        await asyncio.gather(*(data.get("big") for _ in range(10)))
                finally:
                    gc.set_threshold(*threshold)
                gc.collect()
                await asyncio.gather(*objects)
                assert len(objects) == 200
                assert (await data.get("collected"))["n"] == 200

        run(main())

    def test_callbacks_may_call_verbs(self, run: Any, cluster: Cluster, set_name: str) -> None:
        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                done = asyncio.get_running_loop().create_future()

                def next_one(before: asyncio.Future[Any], left: int = 50) -> None:
                    before.result()
                    if left == 0:
                        done.set_result(None)
                    else:
                        data.add(1, {"n": 1}).add_done_callback(lambda f: next_one(f, left - 1))

                data.add(1, {"n": 1}).add_done_callback(next_one)
                await asyncio.wait_for(done, 60)
                assert (await data.get(1))["n"] == 51

        run(main())

    def test_a_mapping_that_calls_while_it_is_read(
        self, run: Any, cluster: Cluster, set_name: str
    ) -> None:
        from collections.abc import Mapping

        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                inner: list[Any] = []

                class Calling(Mapping):  # type: ignore[type-arg]
                    def __getitem__(self, name: str) -> int:
                        inner.append(data.put(name, {"v": 1}))
                        return 7

                    def __iter__(self) -> Any:
                        return iter(("a", "b"))

                    def __len__(self) -> int:
                        return 2

                await data.put("outer", Calling())
                await asyncio.gather(*inner)
                assert (await data.get("outer")).bins == {"a": 7, "b": 7}
                assert (await data.get("a"))["v"] == 1

        run(main())

    @pytest.mark.parametrize("where", ["completion", "timer", "future", "callback"])
    def test_a_finalizer_that_closes_the_client(self, cluster: Cluster, where: str) -> None:
        assert alone(CLOSING_FINALIZER, cluster.seeds, where) == "fine\n"

    @pytest.mark.parametrize("where", ["timer", "future", "callback"])
    def test_a_loop_may_call_verbs_from_its_methods(self, cluster: Cluster, where: str) -> None:
        assert alone(CALLING_LOOP, cluster.seeds, where) == "fine\n"

    def test_errors_of_a_closed_client_while_it_is_closed_again(self, cluster: Cluster) -> None:
        assert alone(CLOSED_AGAIN, cluster.seeds) == "fine\n"


def alone(script: str, *arguments: str) -> str:
    """The output of a script in a process of its own: a deadlock then hangs only that process."""
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.stdout or ended.stderr


#: An event loop that runs a hook wherever the transport may call into Python.
HOOKED = """
import asyncio, sys
import spikewire

hook = {}

def run_hook(where):
    if hook.get("where") == where:
        hook.pop("where")
        hook["call"]()

class Hooked(asyncio.SelectorEventLoop):
    def call_later(self, *args, **options):
        run_hook("timer")
        return super().call_later(*args, **options)

    def create_future(self):
        run_hook("future")
        return super().create_future()

    def call_soon(self, *args, **options):
        run_hook("callback")
        return super().call_soon(*args, **options)

class Last:
    def __del__(self):
        run_hook("completion")

def start(main):
    loop = Hooked()
    loop.run_until_complete(asyncio.wait_for(main(), 90))
    print("fine")
"""

CLOSING_FINALIZER = (
    HOOKED
    + """
async def main():
    client = await spikewire.AsyncClient.connect(sys.argv[1], timeout=5, connect_timeout=20)
    data = client.dataset("test", "finalizer")
    await data.put(1, {"v": 1})

    def close():
        try:
            client.close().send(None)
        except StopIteration:
            pass

    await asyncio.sleep(0.3)  # the timer for the call before has run out
    hook.update(where=sys.argv[2], call=close)
    calls = []
    try:
        for at in range(300):
            calls.append(data.get(1, default=Last()))
    except spikewire.ClientClosed:
        pass
    ended = await asyncio.gather(*calls, return_exceptions=True)
    kinds = {type(one).__name__ for one in ended}
    assert kinds <= {"Record", "ClientClosed"}, ended
    assert not client.is_connected

start(main)
"""
)

CALLING_LOOP = (
    HOOKED
    + """
async def main():
    async with spikewire.AsyncClient(sys.argv[1], timeout=5, connect_timeout=20) as client:
        data = client.dataset("test", "calling")
        await data.put(1, {"v": 1})
        made = []
        for _ in range(3):
            await asyncio.sleep(0.3)  # the timer for the calls before has run out
            hook.update(where=sys.argv[2], call=lambda: made.append(data.get(1)))
            await asyncio.gather(*(data.get(1) for _ in range(10)))
        assert made
        for record in await asyncio.gather(*made):
            assert record["v"] == 1

start(main)
"""
)

CLOSED_AGAIN = """
import sys, threading, time
import spikewire

sys.setswitchinterval(1e-6)
client = spikewire.Client(sys.argv[1])
data = client.dataset("test", "closed")
client.close()
end = time.monotonic() + 1

def call():
    while time.monotonic() < end:
        try:
            data.get(1)
        except spikewire.ClientClosed:
            pass

def close():
    while time.monotonic() < end:
        client.close()

threads = [threading.Thread(target=work, daemon=True) for work in [call] * 6 + [close] * 2]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(60)
assert not any(thread.is_alive() for thread in threads)
print("fine")
"""
