"""``get_stream``, and the builder's ``stream``: endless inputs, in bounded memory."""

from __future__ import annotations

import asyncio
import itertools
import threading
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from apis import Api
from spikewire import op
from spikewire.options import StreamOptions
from spikewire.testing import Cluster
from waiting import becomes, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

COUNT = 1000


class Streams:
    """``get_stream`` of either API, as lists."""

    def __init__(self, api: Api, client: Any, set_name: str) -> None:
        self.api = api
        self.client = client
        self.users = client.dataset("test", set_name)

    def settle(self, start: Callable[[], Any]) -> Any:
        return self.api.settle(start)

    def begun(self, keys: Any, *bins: Any, of: Any = None, **options: Any) -> Any:
        """A stream, created where verbs may be called."""

        async def make() -> Any:
            return (of or self.users).get_stream(keys, *bins, **options)

        if self.api.loop is None:
            return (of or self.users).get_stream(keys, *bins, **options)
        return self.api.loop.run_until_complete(make())

    def rows(self, keys: Any, *bins: Any, **options: Any) -> list[Any]:
        return self.api.rows(self.begun(keys, *bins, **options))

    def some(self, stream: Any, count: int) -> list[Any]:
        return self.api.some(stream, count)

    def close(self, stream: Any) -> None:
        self.settle(stream.close if self.api.is_blocking else stream.aclose)


@pytest.fixture(params=["blocking", "asyncio"])
def streams(request: pytest.FixtureRequest, cluster: Cluster, set_name: str) -> Iterator[Streams]:
    api = Api(request.param)
    with api.open(cluster.seeds, timeout=20) as client:
        streams = Streams(api, client.raw, set_name)
        records = {n: {"n": n, "m": -n} for n in range(COUNT)}
        streams.settle(lambda: streams.users.put_many(records))
        yield streams
    api.end()


class Counted:
    """Endless keys that count how many were read."""

    def __init__(self, most: int | None = None) -> None:
        self.read = 0
        self.most = most

    def __iter__(self) -> Iterator[int]:
        for number in itertools.count():
            if number == self.most:
                return
            self.read += 1
            yield number % COUNT


class TestResults:
    @pytest.mark.parametrize("window", [1, 7, 256, 5000])
    @pytest.mark.parametrize("limit", [1, 3])
    def test_results_are_in_the_order_of_keys(
        self, streams: Streams, window: int, limit: int
    ) -> None:
        results = streams.rows(iter(range(300)), window=window, limit=limit)
        assert [result.row for result in results] == list(range(300))
        assert [result.record["n"] for result in results] == list(range(300))
        assert [result.key.key for result in results] == list(range(300))

    @pytest.mark.parametrize("window", [1, 7, 5000])
    def test_unordered_results_have_every_row(self, streams: Streams, window: int) -> None:
        results = streams.rows(range(300), ordered=False, window=window, limit=3)
        assert sorted(result.row for result in results) == list(range(300))
        assert all(result.record["n"] == result.row for result in results)
        rows = [result.row for result in results]
        for number in range(0, 300, window):
            start = rows.index(number)
            part = list(range(number, min(number + window, 300)))
            assert rows[start : start + window][: len(part)] == part

    def test_streams_take_bins_and_options(self, streams: Streams) -> None:
        (result,) = streams.rows([3], ["m"])
        assert result.record.bins == {"m": -3}
        results = streams.rows(range(10), where="$.n < 5", missing="skip", timeout=20)
        assert [result.row for result in results] == [0, 1, 2, 3, 4]
        whole = streams.users.keys([1, 2])
        results = streams.rows(whole, [], of=streams.client)
        assert [result.record.bins for result in results] == [{}, {}]
        assert streams.rows([]) == []

    def test_records_that_are_not_there(self, streams: Streams) -> None:
        keys = [1, "nobody", 2]
        first, second, third = streams.rows(keys)
        assert (first.ok, second.ok, second.missing, third.ok) == (True, False, True, True)
        assert [result.row for result in streams.rows(keys, missing="skip")] == [0, 2]
        with pytest.raises(spikewire.RecordNotFound):
            streams.rows(keys, missing="error")
        results = streams.rows(keys, missing="error", on_error="collect")
        assert [type(result.error).__name__ for result in results] == [
            "NoneType",
            "RecordNotFound",
            "NoneType",
        ]
        calls: list[Any] = []
        results = streams.rows(keys, window=1, missing="error", on_error=calls.append)
        assert [result.row for result in results] == [0, 2]
        assert [(result.row, result.key.key) for result in calls] == [(1, "nobody")]

    def test_streams_follow_the_profile(self, streams: Streams) -> None:
        profile = spikewire.Profile("p", read={"many": {"timeout": 20}})
        view = streams.client.with_profile(profile).dataset("test", streams.users.set)
        assert len(streams.rows(range(10), of=view)) == 10
        with pytest.raises(spikewire.Timeout):
            streams.rows(range(10), of=view, timeout=0.000001, on_error="raise", missing="keep")


class TestMemory:
    """The input is read only as far as results are taken."""

    @pytest.mark.parametrize("ordered", [True, False])
    def test_an_endless_input_is_read_on_demand(self, streams: Streams, ordered: bool) -> None:
        keys = Counted()
        stream = streams.begun(keys, window=10, limit=4, ordered=ordered)
        assert keys.read == 0
        count = 0
        for more in (1, 24, 475, 2500):
            count += len(streams.some(stream, more))
            assert count <= keys.read <= count + 4 * 10
        streams.close(stream)
        assert (count, keys.read <= count + 4 * 10) == (3000, True)

    def test_slow_replies_limit_how_far_keys_are_read(self) -> None:
        keys = Counted()
        with Cluster(1) as slow, spikewire.Client(slow.seeds, timeout=60) as client:
            users = client.dataset("test", "slow")
            slow.inject(0, delay=0.5)
            thread = threading.Thread(
                target=lambda: list(itertools.islice(users.get_stream(keys, window=5, limit=3), 1))
            )
            thread.start()
            until(lambda: keys.read == 15)
            thread.join(30)
            assert not thread.is_alive()
            assert keys.read == 15

    def test_asynchronous_inputs_are_read_on_demand(self, cluster: Cluster, set_name: str) -> None:
        async def main() -> None:
            read = 0

            async def keys() -> AsyncIterator[int]:
                nonlocal read
                for number in itertools.count():
                    read += 1
                    yield number
                    if number % 3 == 0:
                        await asyncio.sleep(0)

            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                users = client.dataset("test", set_name)
                count = 0
                stream = users.get_stream(keys(), window=10, limit=4)
                async for result in stream:
                    assert result.row == count
                    count += 1
                    # One window ahead of those in flight.
                    assert read <= count + 5 * 10
                    if count == 2000:
                        break
                    if count % 100 == 0:
                        await asyncio.sleep(0.001)
                await stream.aclose()
                # Nothing reads on.
                assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(main())


class TestAsynchronousInputs:
    def test_keys_are_sent_while_waiting_for_more(self, cluster: Cluster, set_name: str) -> None:
        """A slow input: no window is full, and no key waits for others."""

        async def main() -> None:
            queue: asyncio.Queue[int | None] = asyncio.Queue()

            async def keys() -> AsyncIterator[int]:
                while (key := await queue.get()) is not None:
                    yield key

            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                users = client.dataset("test", set_name)
                await users.put(7, {"n": 7})
                stream = users.get_stream(keys())
                for row in range(3):
                    queue.put_nowait(7)
                    result = await asyncio.wait_for(anext(stream), 20)
                    assert (result.row, result.unwrap()["n"]) == (row, 7)
                for _ in range(5):
                    queue.put_nowait(7)
                queue.put_nowait(None)
                assert [result.row async for result in stream] == [3, 4, 5, 6, 7]

        asyncio.run(main())

    @pytest.mark.parametrize("ordered", [True, False])
    @pytest.mark.parametrize("pause", [None, 0, 0.002])
    def test_every_key_comes(
        self, cluster: Cluster, set_name: str, ordered: bool, pause: float | None
    ) -> None:
        async def keys() -> AsyncIterator[int]:
            for number in range(100):
                if pause is not None and number % 10 == 0:
                    await asyncio.sleep(pause)
                yield number

        async def main() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                users = client.dataset("test", set_name)
                for window in (1, 10, 100, 1000):
                    stream = users.get_stream(keys(), ordered=ordered, window=window, limit=3)
                    rows = [result.row async for result in stream]
                    assert rows == list(range(100)) if ordered else sorted(rows) == list(range(100))

        asyncio.run(main())

    def test_closing_ends_the_input(self, cluster: Cluster, set_name: str) -> None:
        ended: list[str] = []

        async def keys() -> AsyncIterator[int]:
            try:
                yield 1
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            finally:
                ended.append("ended")

        async def main() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                users = client.dataset("test", set_name)
                stream = users.get_stream(keys())
                assert (await anext(stream)).row == 0
                await stream.aclose()
                assert ended == ["cancelled", "ended"]
                assert [task for task in asyncio.all_tasks() if not task.done()] == [
                    asyncio.current_task()
                ]

        asyncio.run(main())

    def test_cancelling_the_reader_closes_the_input(self, cluster: Cluster, set_name: str) -> None:
        ended: list[str] = []
        waiting = asyncio.Event()

        async def keys() -> AsyncIterator[int]:
            try:
                waiting.set()
                while True:
                    await asyncio.sleep(3600)
                    yield 1
            finally:
                ended.append("ended")

        async def read(users: spikewire.AsyncDataset) -> None:
            async for _ in users.get_stream(keys()):
                pass

        async def main() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                task = asyncio.create_task(read(client.dataset("test", set_name)))
                await asyncio.wait_for(waiting.wait(), 30)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert ended == ["ended"]

        asyncio.run(main())

    def test_an_asynchronous_input_raises_on_the_blocking_api(self, cluster: Cluster) -> None:
        async def keys() -> AsyncIterator[int]:
            yield 1

        with spikewire.Client(cluster.seeds) as client:
            users = client.dataset("test", "users")
            with pytest.raises(TypeError, match="not async_generator; AsyncClient takes"):
                users.get_stream(keys())  # type: ignore[arg-type]


class TestEnding:
    @pytest.mark.parametrize("ordered", [True, False])
    def test_an_error_of_the_input_raises(self, streams: Streams, ordered: bool) -> None:
        """Keys before the failure are sent, and their results come first."""

        def keys() -> Iterator[int]:
            yield from range(25)
            raise KeyError("of the input")

        stream = streams.begun(keys(), window=10, limit=2, ordered=ordered)
        assert sorted(result.row for result in streams.some(stream, 25)) == list(range(25))
        with pytest.raises(KeyError, match="of the input"):
            streams.some(stream, 1)

    def test_an_asynchronous_input_that_fails(self, cluster: Cluster, set_name: str) -> None:
        async def keys(error: BaseException) -> AsyncIterator[int]:
            for number in range(25):
                yield number
            raise error

        async def main(error: BaseException) -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                stream = client.dataset("test", set_name).get_stream(keys(error))
                assert [(await anext(stream)).row for _ in range(25)] == list(range(25))
                with pytest.raises(type(error)):
                    await anext(stream)

        asyncio.run(main(KeyError("of the input")))
        asyncio.run(main(asyncio.CancelledError()))

    def test_an_invalid_key_names_its_row(self, streams: Streams) -> None:
        stream = streams.begun([1, 2, 3, 4, 1.5, 6], window=2)
        assert [result.row for result in streams.some(stream, 4)] == [0, 1, 2, 3]
        with pytest.raises(TypeError, match=r"row 4: .*float"):
            streams.some(stream, 1)

    def test_an_error_of_a_row_ends_the_others(self, streams: Streams) -> None:
        keys = Counted()
        stream = streams.begun(keys, window=10, limit=4, where="$.n != 15", missing="error")
        with pytest.raises(spikewire.FilteredOut):
            streams.some(stream, 1000)
        assert keys.read <= 20 + 4 * 10
        assert streams.some(stream, 1) == []

    def test_a_client_that_is_closed(self, cluster: Cluster, set_name: str) -> None:
        client = spikewire.Client(cluster.seeds, timeout=20)
        users = client.dataset("test", set_name)
        stream = users.get_stream(itertools.count(), window=2, limit=2)
        next(stream)
        client.close()
        with pytest.raises(spikewire.ClientClosed):
            for _ in stream:
                pass
        with pytest.raises(spikewire.ClientClosed):
            users.get_stream([1])

    def test_writes_that_were_sent_have_ended(self) -> None:
        """A stream of writes that is abandoned early changes nothing afterwards."""
        with Cluster(1) as slow, spikewire.Client(slow.seeds, timeout=60) as client:
            users = client.dataset("test", "slow")
            users.put("warm", {"n": 1})
            step = client.session().upsert(users.key(n) for n in itertools.count()).set("n", 1)
            stream = step.stream(window=2, limit=3)
            next(stream)
            slow.inject(0, delay=0.3)
            next(stream), next(stream)
            stream.close()
            slow.inject(0)
            count = users.query().count()
            assert [users.query().count() for _ in range(3)] == [count] * 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"window": 0}, ValueError, "window must be an int from 1, not 0"),
        ({"limit": "8"}, ValueError, "limit must be an int from 1"),
        ({"ordered": 1}, TypeError, "ordered must be a bool, not int"),
        ({"on_error": "ignore"}, ValueError, "on_error"),
        ({"missing": "raise"}, ValueError, "missing"),
        ({"bins": "n"}, TypeError, "bins"),
        ({"replica": "nearest"}, ValueError, "replica"),
        ({"ttl": 5}, TypeError, "ttl"),
    ],
)
def test_invalid_options_raise(
    streams: Streams, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    keys = Counted()
    with pytest.raises(error, match=message):
        streams.begun(keys, **options)
    assert keys.read == 0


@pytest.mark.parametrize("keys", ["abc", b"abc", 5, None])
def test_keys_must_be_iterable(streams: Streams, keys: Any) -> None:
    with pytest.raises(TypeError, match="keys must be an iterable of keys, not"):
        streams.begun(keys)


def test_the_options_are_those_of_get_many() -> None:
    import inspect

    # The replies of a stream do not end before its keys do.
    others = {"self", "keys", "bins", "respond_all_keys"}
    options = set(inspect.signature(spikewire.Dataset.get_many).parameters) - others
    own = {"ordered", "window", "limit", "on_error", "missing"}
    assert set(StreamOptions.__annotations__) == options | own


class TestOfTheBuilder:
    @pytest.mark.parametrize("ordered", [True, False])
    def test_ordered_streams_keep_the_order_of_keys(self, streams: Streams, ordered: bool) -> None:
        session, users = streams.client.session(), streams.users

        def begun() -> Any:
            keys: Iterable[Any] = (users.key(n) for n in range(100))
            return session.query(keys).stream(window=7, limit=3, ordered=ordered)

        rows = [result.row for result in streams.api.rows(begun())]
        assert rows == list(range(100)) if ordered else sorted(rows) == list(range(100))

    def test_writes_of_an_endless_input_are_sent_on_demand(self, streams: Streams) -> None:
        session, users = streams.client.session(), streams.users
        keys = Counted()
        step = session.update(users.key(n) for n in keys).op(op.add("n", 1), op.get("n"))
        stream = step.stream(window=5, limit=2, ordered=True)
        results = streams.some(stream, 12)
        assert [result.record["n"] for result in results] == list(range(1, 13))
        streams.close(stream)
        assert keys.read <= 12 + 2 * 5


class TestAsynchronousInputsOfTheBuilder:
    def test_every_verb_takes_an_asynchronous_input(self, cluster: Cluster, set_name: str) -> None:
        async def main() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                users, session = client.dataset("test", set_name), client.session()

                async def keys() -> AsyncIterator[spikewire.Key]:
                    for number in range(500):
                        if number % 120 == 0:
                            await asyncio.sleep(0)
                        yield users.key(number)

                for step in (
                    session.insert(keys()).set("n", 1),
                    session.upsert(keys()).add("n", 1),
                    session.update(keys()).set("m", 1),
                    session.replace(keys()).set("n", 2),
                    session.replace_if_exists(keys()).set("n", 3),
                    session.touch(keys()),
                    session.exists(keys()),
                ):
                    results = [result async for result in step.stream(window=50, ordered=True)]
                    assert [result.row for result in results] == list(range(500))
                    assert all(result.ok for result in results)
                actual = session.query(keys()).bins("n").stream(ordered=True)
                assert [result.unwrap()["n"] async for result in actual] == [3] * 500
                deleted = session.delete(keys()).stream(missing="error")
                assert len([result async for result in deleted]) == 500

        asyncio.run(main())

    def test_memory_is_bounded_and_leaving_ends_the_reading(
        self, cluster: Cluster, set_name: str
    ) -> None:
        async def main() -> None:
            read = 0

            async def no_more_is_read() -> None:
                before = read
                for _ in range(20):
                    await asyncio.sleep(0)
                assert read == before

            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                users = client.dataset("test", set_name)

                async def keys() -> AsyncIterator[spikewire.Key]:
                    nonlocal read
                    for number in itertools.count():
                        read += 1
                        yield users.key(number)
                        await asyncio.sleep(0)

                stream = client.session().exists(keys()).stream(window=10, limit=4)
                for item in range(1, 301):
                    await anext(stream)
                    assert read <= item + 5 * 10
                await stream.aclose()
                await no_more_is_read()
                # A task that is cancelled while it takes results also ends the reading.
                stream = client.session().upsert(keys()).set("n", 1).stream(window=10, limit=2)

                taken_later = 0

                async def takes() -> None:
                    nonlocal taken_later
                    async for _ in stream:
                        taken_later += 1

                task = asyncio.create_task(takes())
                assert await becomes(lambda: taken_later >= 10)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                await no_more_is_read()

        asyncio.run(main())

    def test_verbs_without_asynchronous_input_raise(self, cluster: Cluster, set_name: str) -> None:
        async def main() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                users, session = client.dataset("test", set_name), client.session()

                async def keys() -> AsyncIterator[spikewire.Key]:
                    yield users.key(1)

                anything: Any = session
                for end in ("execute", "to_list", "count"):
                    with pytest.raises(TypeError, match=r"read by stream\(\)"):
                        await getattr(session.query(keys()), end)()
                with pytest.raises(TypeError, match="begin a chain"):
                    anything.exists([users.key(1)]).delete(keys())
                with pytest.raises(TypeError, match="a stream of one step"):
                    anything.exists(keys()).delete([users.key(1)])

        asyncio.run(main())
        with spikewire.Client(cluster.seeds, timeout=20) as client:
            blocking: Any = client.session()

            async def keys() -> AsyncIterator[int]:
                yield 1

            with pytest.raises(TypeError, match="begin a chain of AsyncClient"):
                blocking.exists(keys())
