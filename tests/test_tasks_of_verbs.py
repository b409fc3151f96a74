"""Asynchronous verbs, and everything in asyncio that takes an awaitable."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from loops import opened, run_on
from spikewire import cql, tasks
from spikewire.testing import Cluster
from spikewire.testing.cassandra import CannedServer
from waiting import becomes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    Run = Callable[[Any], Any]

HAS_GROUPS = sys.version_info >= (3, 11)
PATIENCE = 30.0


@pytest.fixture
def slow() -> Iterator[Cluster]:
    """A cluster of one node, for tests that delay its replies."""
    with Cluster(1) as cluster:
        yield cluster


def patient(cluster: Cluster, timeout: float = PATIENCE) -> spikewire.AsyncClient:
    """A client that waits for slow replies."""
    return spikewire.AsyncClient(cluster.seeds, timeout=timeout, connect_timeout=PATIENCE)


async def through_create_task(verb: Callable[[], Any]) -> Any:
    return await asyncio.create_task(verb(), name="a verb")


async def through_group(verb: Callable[[], Any]) -> Any:
    async with asyncio.TaskGroup() as group:  # type: ignore[attr-defined, unused-ignore]
        task = group.create_task(verb())
    return task.result()


async def through_timeout(verb: Callable[[], Any]) -> Any:
    async with asyncio.timeout(PATIENCE):  # type: ignore[attr-defined, unused-ignore]
        return await verb()


async def through_ensure_future(verb: Callable[[], Any]) -> Any:
    return await asyncio.ensure_future(verb())


async def through_wait_for(verb: Callable[[], Any]) -> Any:
    return await asyncio.wait_for(verb(), PATIENCE)


async def through_shield(verb: Callable[[], Any]) -> Any:
    return await asyncio.shield(verb())


async def through_gather(verb: Callable[[], Any]) -> Any:
    first, _ = await asyncio.gather(verb(), verb())
    return first


async def through_wait(verb: Callable[[], Any]) -> Any:
    # Coroutines are rejected there, and futures are accepted.
    (done, _) = await asyncio.wait([asyncio.ensure_future(verb())], timeout=PATIENCE)
    return done.pop().result()


async def through_as_completed(verb: Callable[[], Any]) -> Any:
    (first,) = asyncio.as_completed([verb()], timeout=PATIENCE)
    return await first


async def through_a_coroutine(verb: Callable[[], Any]) -> Any:
    return await asyncio.Task(tasks.settled(verb()))


FORMS: list[Callable[[Callable[[], Any]], Awaitable[Any]]] = [
    through_create_task,
    through_ensure_future,
    through_wait_for,
    through_shield,
    through_gather,
    through_wait,
    through_as_completed,
    through_a_coroutine,
]
if HAS_GROUPS:
    FORMS += [through_group, through_timeout]


def verbs(client: spikewire.AsyncClient, data: spikewire.AsyncDataset) -> dict[str, Any]:
    """Calls of every kind: one record, many, all, administration, queries."""
    return {
        "put": lambda: data.put(1, {"n": 1}),
        "get": lambda: data.get(1),
        "exists": lambda: data.exists(1),
        "operate": lambda: data.operate(1, [spikewire.op.get("n")]),
        "put_many": lambda: data.put_many([(2, {"n": 2}), (3, {"n": 3})]),
        "get_many": lambda: data.get_many([1, 2]),
        "info": lambda: client.info("namespaces"),
        "indexes": lambda: client.indexes.list("test"),
        "page": lambda: data.query(page_size=5).page(),
        "anext": lambda: aiter(data.query()).__anext__(),
    }


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_takes_every_kind_of_verb(
    run: Run, cluster: Cluster, set_name: str, form: Any
) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await data.put(1, {"n": 1})
            for name, verb in verbs(client, data).items():
                result = await form(verb)
                expected = await verb()
                if name in ("get", "operate"):
                    assert result["n"] == 1
                elif name == "anext":
                    assert result["n"] in (1, 2, 3)
                else:
                    assert type(result) is type(expected), name

    run(main())


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_errors_come_through(run: Run, cluster: Cluster, set_name: str, form: Any) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            with pytest.raises(Exception) as caught:
                await form(lambda: data.get("nobody"))
            error: BaseException = caught.value
            if form is through_group:
                (error,) = error.exceptions  # type: ignore[attr-defined]
            assert isinstance(error, spikewire.RecordNotFound)

    run(main())


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_takes_verbs_of_cassandra(run: Run, form: Any) -> None:
    select = "SELECT key FROM system.local"

    async def main() -> None:
        async with cql.AsyncSession(server.address, timeout=20) as session:
            for verb in (
                lambda: session.execute(select),
                lambda: session.prepare(select),
                lambda: session.execute_many(select, [(), ()]),
            ):
                assert type(await form(verb)) is type(await verb())

    with CannedServer() as server:
        run(main())


class TestCancelling:
    """A task that is cancelled stops waiting; what was sent is applied all the same."""

    @pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
    def test_a_write_that_was_sent_is_applied(self, run: Run, slow: Cluster, form: Any) -> None:
        async def main() -> None:
            async with patient(slow) as client:
                data = client.dataset("test", "cancelled")
                await data.put(1, {"n": 0})
                slow.inject(0, delay=0.5)
                task = asyncio.ensure_future(form(lambda: data.add(1, {"n": 1})))
                applied = 2 if form is through_gather else 1
                assert await becomes(lambda: client.stats().in_flight == applied)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                slow.inject(0)
                while (await data.get(1))["n"] != applied:
                    await asyncio.sleep(0.05)

        run(main())

    def test_a_group_cancels_the_others(
        self, run: Run, slow: Cluster, cluster: Cluster, set_name: str
    ) -> None:
        if not HAS_GROUPS:
            pytest.skip("TaskGroup came with Python 3.11")

        async def main() -> None:
            async with patient(slow, 60) as waiting, opened(cluster) as client:
                delayed = waiting.dataset("test", "delayed")
                await delayed.put(1, {"n": 1})
                slow.inject(0, delay=60)
                waits: list[Any] = []

                async def fail() -> None:
                    async with asyncio.TaskGroup() as group:  # type: ignore[attr-defined, unused-ignore]
                        waits.append(group.create_task(delayed.get(1)))
                        group.create_task(client.dataset("test", set_name).get("nobody"))

                with pytest.raises(Exception, match="unhandled errors in a TaskGroup"):
                    await fail()
                assert waits[0].cancelled()

        run(asyncio.wait_for(main(), PATIENCE))

    def test_asyncio_timeout_cancels_a_call(self, run: Run, slow: Cluster) -> None:
        async def main() -> None:
            async with patient(slow, 60) as client:
                data = client.dataset("test", "late")
                await data.put(1, {"n": 1})
                slow.inject(0, delay=60)
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(data.get(1), 0.1)
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(asyncio.create_task(data.get(1)), 0.1)  # type: ignore[arg-type]

        run(main())

    def test_a_shield_keeps_the_reply(self, run: Run, slow: Cluster) -> None:
        async def main() -> None:
            async with patient(slow) as client:
                data = client.dataset("test", "shielded")
                await data.put(1, {"n": 1})
                slow.inject(0, delay=0.5)
                record = data.get(1)
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(asyncio.shield(record), 0.05)
                assert (await record)["n"] == 1

        run(main())


class TestTaskFactory:
    def test_a_factory_of_the_program_is_kept(self, cluster: Cluster) -> None:
        coroutines: list[object] = []

        def mine(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> asyncio.Task[Any]:
            coroutines.append(coro)
            return asyncio.Task(coro, loop=loop, **options)

        async def main() -> None:
            loop = asyncio.get_running_loop()
            loop.set_task_factory(mine)
            async with opened(cluster) as client:
                assert loop.get_task_factory() is mine
                assert not tasks.accept_awaitables()
                reply = client.dataset("test", "mine").exists(1)
                with pytest.raises(TypeError, match="coroutine"):
                    await asyncio.create_task(reply)  # type: ignore[arg-type]
                assert await reply is False

        run_on(asyncio.new_event_loop(), main())
        assert coroutines

    def test_awaitables_are_accepted_once_for_all(self, run: Run) -> None:
        async def main() -> None:
            assert tasks.accept_awaitables()
            assert tasks.accept_awaitables()
            future = asyncio.get_running_loop().create_future()
            task: asyncio.Task[int] = asyncio.create_task(future, name="named")  # type: ignore[arg-type]
            assert task.get_name() == "named"
            future.set_result(5)
            assert await task == 5
            with pytest.raises(TypeError, match="coroutine"):
                await asyncio.create_task(7)  # type: ignore[arg-type]

        run(main())
