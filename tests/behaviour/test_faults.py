"""A misbehaving node: typed errors in time, and other calls are unaffected."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import ends_before, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api, Caller, Opened

pytestmark = pytest.mark.usefixtures("no_descriptor_leak")


@contextlib.contextmanager
def boxed(api: Api, nodes: int = 1, **options: Any) -> Iterator[tuple[Cluster, Opened, Caller]]:
    """A cluster that tests may harm, a client, and a dataset."""
    defaults = {"timeout": 30, "max_error_rate": 0, "tend_interval": 0.25}
    with Cluster(nodes) as cluster:
        assert cluster.wait_settled()
        with api.open(cluster.seeds, **{**defaults, **options}) as client:
            yield cluster, client, client.dataset("test", "faults")


def at_once(client: Opened, calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
    """Results or errors of verbs on the dataset that are all in flight together."""
    data = client.raw.dataset("test", "faults")
    if client.api.is_blocking:

        def one(call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Any:
            try:
                return getattr(data, call[0])(*call[1], **call[2])
            except spikewire.Error as error:
                return error

        with ThreadPoolExecutor(min(len(calls), 64)) as pool:
            return list(pool.map(one, calls))

    async def main() -> list[Any]:
        values = [getattr(data, verb)(*args, **options) for verb, args, options in calls]
        return await asyncio.gather(*values, return_exceptions=True)

    return client.api.settle(main)


def in_order_of_ending(
    client: Opened, calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]]
) -> list[tuple[int, Any]]:
    """The number and the error or result of each call, in the order in which they ended."""
    data = client.raw.dataset("test", "faults")
    ended: list[tuple[int, Any]] = []

    def start(number: int) -> Any:
        verb, args, options = calls[number]
        return getattr(data, verb)(*args, **options)

    if client.api.is_blocking:

        def wait(number: int) -> None:
            try:
                ended.append((number, start(number)))
            except spikewire.Error as error:
                ended.append((number, error))

        with ThreadPoolExecutor(len(calls)) as pool:
            list(pool.map(wait, range(len(calls))))
        return ended

    async def settle(number: int) -> None:
        try:
            ended.append((number, await start(number)))
        except spikewire.Error as error:
            ended.append((number, error))

    async def main() -> None:
        await asyncio.gather(*(settle(number) for number in range(len(calls))))

    client.api.settle(main)
    return ended


def of_node(client: Opened, data: Caller, cluster: Cluster, node: int, count: int) -> list[int]:
    """Unused keys whose master is that node."""
    address = cluster.addresses[node]
    keys = []
    for key in range(10_000, 20_000):
        try:
            data.get(key)
        except spikewire.RecordNotFound as error:  # noqa: PERF203
            if error.node.endswith(address):  # type: ignore[union-attr]
                keys.append(key)
                if len(keys) == count:
                    return keys
    raise AssertionError("no keys on that node")


def recovers(work: Callable[[], Any]) -> bool:
    """Whether it works again soon."""

    def works() -> bool:
        try:
            work()
        except spikewire.Error:
            return False
        return True

    return until(works)


class TestCut:
    def test_reads_are_tried_again_and_then_fail(self, api: Api) -> None:
        with boxed(api) as (cluster, _, data):
            data.put(1, {"a": 1})
            cluster.inject(0, cut=1.0)
            with pytest.raises(spikewire.ConnectionFailed) as caught:
                data.get(1)
            error = caught.value
            assert isinstance(error, ConnectionError)
            assert (error.attempts, error.in_doubt, error.code) == (3, False, -10)
            assert cluster.addresses[0] in str(error)
            assert error.key.key == 1  # type: ignore[union-attr]
            cluster.clear_faults(0)
            assert data.get(1)["a"] == 1

    def test_writes_are_in_doubt_and_not_repeated(self, api: Api) -> None:
        with boxed(api) as (cluster, _, data):
            data.put(1, {"n": 1})
            cluster.inject(0, cut=1.0)
            with pytest.raises(spikewire.ConnectionFailed) as caught:
                data.add(1, {"n": 1})
            assert (caught.value.attempts, caught.value.in_doubt) == (1, True)
            assert "may have been applied" in str(caught.value)
            cluster.clear_faults(0)
            assert data.get(1)["n"] == 2, "it was applied, and once"

    def test_writes_are_repeated_on_request(self, api: Api) -> None:
        with boxed(api, retry_in_doubt=True) as (cluster, _, data):
            data.put(1, {"n": 0})
            cluster.inject(0, cut=1.0)
            with pytest.raises(spikewire.ConnectionFailed) as caught:
                data.add(1, {"n": 1})
            assert (caught.value.attempts, caught.value.in_doubt) == (3, True)
            cluster.clear_faults(0)
            assert data.get(1)["n"] == 3

    def test_some_replies_are_lost_and_retried(self, api: Api) -> None:
        with boxed(api, 3, max_retries=10, retry_budget=None) as (cluster, client, data):
            for key in range(100):
                data.put(key, {"v": key})
            cluster.inject(1, cut=0.2, seed=3)
            for _ in range(5):
                results = at_once(client, [("get", (key,), {}) for key in range(100)])
                assert [one["v"] for one in results] == list(range(100))
            written = at_once(client, [("put", (key, {"v": -key}), {}) for key in range(100)])
            for one in written:
                if one is not None:
                    assert isinstance(one, spikewire.ConnectionFailed)
                    assert one.in_doubt
            cluster.clear_faults(1)
            for key, one in enumerate(written):
                results = data.get(key)["v"]
                assert results == -key or (one is not None and results == key)


class TestDelay:
    def test_calls_succeed_with_a_slow_node(self, api: Api) -> None:
        with boxed(api, 3) as (cluster, client, _):
            cluster.inject(0, delay=0.05)
            for _ in range(3):
                calls: list[Any] = [("put", (key, {"v": key}), {}) for key in range(200)]
                assert at_once(client, calls) == [None] * 200
                results = at_once(client, [("get", (key,), {}) for key in range(200)])
                assert [one["v"] for one in results] == list(range(200))

    def test_a_silent_node_holds_up_no_other(self, api: Api) -> None:
        with boxed(api, 3) as (cluster, client, data):
            silent = of_node(client, data, cluster, 0, 20)
            others = of_node(client, data, cluster, 1, 20) + of_node(client, data, cluster, 2, 20)
            cluster.inject(0, delay=30)
            calls: list[Any] = [("put", (key, {"v": 1}), {"timeout": 1}) for key in silent]
            calls += [("put", (key, {"v": 1}), {"timeout": 30}) for key in others]
            ended = in_order_of_ending(client, calls)
            late = {number for number, one in ended if isinstance(one, spikewire.Timeout)}
            assert late == set(range(20))
            assert ended[0][0] not in late, "the others did not wait for the silent node"
            assert [one for number, one in ended if number not in late] == [None] * 40
            assert [data.get(key)["v"] for key in others] == [1] * 40

    def test_a_timed_out_write_is_in_doubt_and_a_read_is_not(self, api: Api) -> None:
        with boxed(api) as (cluster, _, data):
            data.put(1, {"a": 1})
            cluster.inject(0, delay=30)
            for verb, args, write in [("get", (1,), False), ("put", (1, {"a": 2}), True)]:
                with pytest.raises(spikewire.Timeout) as caught:
                    getattr(data, verb)(*args, timeout=1.5)
                error = caught.value
                assert isinstance(error, TimeoutError)
                assert "1.5 s" in str(error)
                assert (error.code, error.attempts, error.in_doubt) == (9, 1, write)
                assert error.key.key == 1  # type: ignore[union-attr]

    @pytest.mark.parametrize("fault", [{"delay": 30}, {"drop": 1.0}, {"drop_reply": 1.0}])
    def test_calls_time_out_in_the_order_of_their_timeouts(self, api: Api, fault: Any) -> None:
        timeouts = [1.6, 0.2, 0.8]
        with boxed(api) as (cluster, client, data):
            data.put(1, {"n": 0})
            cluster.inject(0, **fault)
            calls: list[Any] = [
                ("add", (1, {"n": 1}), {"timeout": timeout}) for timeout in timeouts
            ]
            calls += [("get", (1,), {"timeout": timeout}) for timeout in timeouts]
            ended = in_order_of_ending(client, calls)
            assert {type(one) for _, one in ended} == {spikewire.Timeout}
            for of_verb in (range(3), range(3, 6)):
                order = [number % 3 for number, _ in ended if number in of_verb]
                assert order == [1, 2, 0]

    def test_a_socket_timeout_leads_to_another_attempt(self, api: Api) -> None:
        with boxed(api, 3, socket_timeout=0.3) as (cluster, client, data):
            key = of_node(client, data, cluster, 2, 1)[0]
            data.put(key, {"v": 1})
            cluster.inject(2, delay=60)
            assert data.get(key)["v"] == 1, "of another node: that one takes longer than a call may"
            with pytest.raises(spikewire.ConnectionFailed, match="silent") as caught:
                data.put(key, {"v": 2})
            assert caught.value.in_doubt


class TestLateReplies:
    def test_late_replies_are_dropped(self, api: Api) -> None:
        with boxed(api, connections_per_node=1) as (cluster, client, data):
            for key in range(60):
                data.put(key, {"v": key})
            late = 0
            for _ in range(2):
                cluster.inject(0, delay=0.3)
                calls = [
                    ("get", (key,), {"timeout": 0.05 if key % 10 == 3 else 30}) for key in range(60)
                ]
                for key, one in enumerate(at_once(client, calls)):
                    if key % 10 == 3 and isinstance(one, spikewire.Timeout):
                        assert not one.in_doubt
                        late += 1
                    else:
                        assert (one["v"], one.key.key) == (key, key)
                cluster.clear_faults(0)
                results = at_once(client, [("get", (key,), {}) for key in range(60)])
                assert [one["v"] for one in results] == list(range(60))
            assert late > 0

    def test_late_replies_of_a_single_caller_are_dropped(self, api: Api) -> None:
        with boxed(api, connections_per_node=1) as (cluster, _, data):
            for key in range(10):
                data.put(key, {"v": key})
            cluster.inject(0, delay=0.2)
            late = 0
            for key in range(5):
                try:
                    assert data.get(key, timeout=0.01)["v"] == key
                except spikewire.Timeout:  # noqa: PERF203
                    late += 1
            assert late > 0
            for key in range(5, 10):
                assert data.get(key)["v"] == key
            cluster.clear_faults(0)
            for key in range(10):
                assert data.get(key)["v"] == key


class TestDrip:
    def test_the_deadline_holds_though_bytes_trickle(self, api: Api) -> None:
        with boxed(api) as (cluster, _, data):
            data.put(1, {"v": "x" * 2000})
            cluster.inject(0, drip=(1, 0.2))
            # The whole reply takes 400 s, and would be a record; that of a write takes seconds.
            with pytest.raises(spikewire.Timeout) as caught:
                data.get(1, timeout=0.5)
            assert not caught.value.in_doubt
            with pytest.raises(spikewire.Timeout) as caught:
                data.put(2, {"v": 1}, timeout=1)
            assert caught.value.in_doubt
            cluster.clear_faults(0)
            assert recovers(lambda: data.put(3, {"v": 3}, timeout=1))
            assert data.get(3)["v"] == 3
            assert data.get(1)["v"] == "x" * 2000

    def test_a_slow_link_is_slow_but_right(self, api: Api) -> None:
        with boxed(api, timeout=30) as (cluster, client, data):
            for key in range(20):
                data.put(key, {"v": str(key) * 50})
            cluster.inject(0, drip=(100, 0.001))
            results = at_once(client, [("get", (key,), {}) for key in range(20)])
            assert [one["v"] for one in results] == [str(key) * 50 for key in range(20)]


class TestLateEnd:
    def test_a_query_has_all_its_records_and_waits_for_the_end(self, api: Api) -> None:
        with boxed(api) as (cluster, _, data):
            for key in range(10):
                data.put(key, {"v": key})
            cluster.inject(0, late_end=0.4)
            began = time.monotonic()
            rows = api.rows(data.target.query())
            assert sorted(row["v"] for row in rows) == list(range(10))
            assert time.monotonic() - began >= 0.4


class TestRefusal:
    @pytest.mark.parametrize("how", ["close", "port"])
    def test_reads_go_to_another_replica(self, api: Api, how: Any) -> None:
        with boxed(api, 3) as (cluster, _, data):
            with api.open(cluster.seeds, timeout=10) as writer:
                filled = writer.dataset("test", "faults")
                for key in range(60):
                    filled.put(key, {"v": key})
            cluster.inject(1, refuse=how)
            assert [data.get(key)["v"] for key in range(60)] == list(range(60))

    def test_writes_that_never_left_are_tried_elsewhere(self, api: Api) -> None:
        with boxed(api, 3) as (cluster, _, data):
            cluster.inject(1, refuse="port")
            for key in range(60):
                data.put(key, {"v": key})
            assert [data.get(key)["v"] for key in range(60)] == list(range(60))

    @pytest.mark.parametrize("how", ["close", "port"])
    def test_a_refusing_node_without_another_replica_raises(self, api: Api, how: Any) -> None:
        with boxed(api, replica="master") as (cluster, _, data):
            cluster.inject(0, refuse=how)
            with pytest.raises(spikewire.ConnectionFailed) as caught:
                data.get(1)
            assert caught.value.attempts == 3
            assert not caught.value.in_doubt
            with pytest.raises(spikewire.ConnectionFailed) as caught:
                data.put(1, {"a": 1})
            if how == "port":
                assert not caught.value.in_doubt
                assert "refused" in str(caught.value)
            cluster.clear_faults(0)
            assert recovers(lambda: data.put(1, {"a": 1}))
            assert data.get(1)["a"] == 1


class TestCodes:
    @pytest.mark.parametrize(
        ("code", "kind", "read_attempts", "write_attempts", "in_doubt"),
        [
            (18, spikewire.ServerError, 3, 3, False),
            (11, spikewire.ServerError, 3, 3, False),
            (9, spikewire.Timeout, 3, 1, True),
            (8, spikewire.ServerError, 1, 1, False),
            (14, spikewire.ServerError, 1, 1, False),
            (22, spikewire.ServerError, 1, 1, False),
            (1, spikewire.ServerError, 1, 1, False),
            (250, spikewire.ServerError, 1, 1, False),
        ],
    )
    def test_every_request_fails(
        self,
        api: Api,
        code: int,
        kind: type[spikewire.Error],
        read_attempts: int,
        write_attempts: int,
        in_doubt: bool,
    ) -> None:
        with boxed(api) as (cluster, _, data):
            data.put(1, {"a": 1})
            cluster.inject(0, error=1.0, code=code)
            with pytest.raises(kind) as caught:
                data.get(1)
            assert type(caught.value) is kind
            assert caught.value.code == code
            assert (caught.value.attempts, caught.value.in_doubt) == (read_attempts, False)
            assert caught.value.node.endswith(cluster.addresses[0])  # type: ignore[union-attr]
            with pytest.raises(kind) as caught:
                data.put(1, {"a": 2})
            assert (caught.value.code, caught.value.attempts) == (code, write_attempts)
            assert caught.value.in_doubt is in_doubt
            assert isinstance(caught.value, TimeoutError) is (code == 9)
            cluster.clear_faults(0)
            assert data.get(1).bins == {"a": 1}

    @pytest.mark.parametrize("code", [11, 18])
    def test_some_requests_fail_and_are_repeated(self, api: Api, code: int) -> None:
        with boxed(api, 3, max_retries=30, retry_budget=None) as (cluster, client, _):
            for node in range(3):
                cluster.inject(node, error=0.3, code=code, seed=node)
            calls: list[Any] = [("add", (key, {"n": 1}), {}) for key in range(200)]
            assert at_once(client, calls) == [None] * 200
            assert at_once(client, calls) == [None] * 200
            results = at_once(client, [("get", (key,), {}) for key in range(200)])
            assert [one["n"] for one in results] == [2] * 200

    def test_reads_of_one_bad_node_come_from_another(self, api: Api) -> None:
        with boxed(api, 3) as (cluster, _, data):
            for key in range(60):
                data.put(key, {"v": key})
            cluster.inject(2, error=1.0, code=18)
            assert [data.get(key)["v"] for key in range(60)] == list(range(60))

    def test_without_retries_the_first_error_raises(self, api: Api) -> None:
        with boxed(api, max_retries=0) as (cluster, _, data):
            cluster.inject(0, error=1.0, code=18)
            with pytest.raises(spikewire.ServerError) as caught:
                data.get(1)
            assert caught.value.attempts == 1

    def test_retries_pause(self, api: Api) -> None:
        with boxed(api, max_retries=3, sleep_between_retries=0.1, replica="master") as (
            cluster,
            _,
            data,
        ):
            cluster.inject(0, error=1.0, code=18)
            began = time.monotonic()
            with pytest.raises(spikewire.ServerError) as caught:
                data.get(1)
            assert time.monotonic() - began > 0.29
            assert caught.value.attempts == 4


class TestLoss:
    @pytest.mark.parametrize("fault", ["drop", "drop_reply"])
    def test_everything_is_lost(self, api: Api, fault: str) -> None:
        with boxed(api) as (cluster, _, data):
            data.put(1, {"n": 1})
            cluster.inject(0, **{fault: 1.0})  # type: ignore[arg-type]
            with pytest.raises(spikewire.Timeout) as caught:
                data.get(1, timeout=0.3)
            assert not caught.value.in_doubt
            with pytest.raises(spikewire.Timeout) as caught:
                # Long enough to be sent.
                data.add(1, {"n": 1}, timeout=1)
            assert caught.value.in_doubt
            cluster.clear_faults(0)
            # The client cannot know which, so both are in doubt; only one was applied.
            expected = 2 if fault == "drop_reply" else 1
            results: list[int] = []
            assert recovers(lambda: results.append(data.get(1, timeout=1)["n"]))
            assert results == [expected]

    @pytest.mark.parametrize("fault", ["drop", "drop_reply"])
    def test_values_never_reach_another_call(self, api: Api, fault: str) -> None:
        """Lost requests are sent again, to another replica."""
        with boxed(api, 3, timeout=20) as (cluster, client, data):
            for key in range(100):
                data.put(key, {"v": key})
            cluster.inject(1, **{fault: 0.05}, seed=11)  # type: ignore[arg-type]
            for turn in range(3):
                if turn == 2:
                    cluster.clear_faults(1)
                results = at_once(client, [("get", (key,), {}) for key in range(100)])
                for key, one in enumerate(results):
                    assert (one["v"], one.key.key) == (key, key)
            assert recovers(lambda: [data.get(key, timeout=1) for key in range(100)])

    def test_a_lost_connection_is_replaced_before_long(self, api: Api) -> None:
        with boxed(api, connections_per_node=2) as (cluster, client, data):
            data.put(1, {"v": 1})
            cluster.inject(0, drop=1.0)
            for _ in range(3):
                ended = at_once(client, [("get", (1,), {"timeout": 0.1})] * 10)
                assert {type(one) for one in ended} == {spikewire.Timeout}
            cluster.clear_faults(0)
            assert recovers(lambda: data.get(1, timeout=0.5))
            for _ in range(10):
                results = at_once(client, [("get", (1,), {"timeout": 20})] * 10)
                assert [one["v"] for one in results] == [1] * 10


class TestCircuitBreaker:
    def test_a_node_that_fails_too_often_gets_no_commands_for_a_while(self, api: Api) -> None:
        with boxed(api, max_error_rate=5, tend_interval=0.5) as (cluster, _, data):
            data.put(1, {"v": 1})
            cluster.inject(0, error=1.0, code=18)
            seen: set[type] = set()

            def rests() -> bool:
                try:
                    data.get(1)
                except spikewire.Error as error:
                    seen.add(type(error))
                    if isinstance(error, spikewire.NodeUnavailable):
                        assert error.code == -14  # noqa: PT017
                        assert "circuit breaker" in str(error)  # noqa: PT017
                        assert not error.in_doubt  # noqa: PT017
                return spikewire.NodeUnavailable in seen

            assert until(rests, pause=0)
            assert seen == {spikewire.ServerError, spikewire.NodeUnavailable}
            cluster.clear_faults(0)
            assert recovers(lambda: data.get(1))

    def test_info_requests_reach_a_suspended_node(self, api: Api) -> None:
        with (
            Cluster(1) as cluster,
            api.open(cluster.seeds, timeout=30, max_error_rate=5, tend_interval=60) as client,
        ):
            data = client.dataset("test", "broken")
            cluster.inject(0, error=1.0, code=18)

            def is_open() -> bool:
                try:
                    data.get(1)
                except spikewire.Error as error:
                    return isinstance(error, spikewire.NodeUnavailable)
                return False

            assert until(is_open, pause=0)
            assert api.settle(lambda: client.raw.info("namespaces")) == "test"
            assert is_open()


#: Seconds that a delayed reply takes: many times the timeout of calls.
DELAY = 30


def test_mixed_faults_end_in_a_typed_error_or_the_right_value(api: Api) -> None:
    """Under any fault: a typed error or the right value, in time."""
    rng = random.Random(1)
    with boxed(api, 3, timeout=0.4) as (cluster, client, data):
        for key in range(50):
            data.put(key, {"v": key}, timeout=20)
        for turn in range(8):
            for node in range(3):
                faults: dict[str, Any] = {"seed": turn * 3 + node}
                kind = rng.choice(["delay", "cut", "error", "drip", "refuse", "none"])
                if kind == "delay":
                    faults["delay"] = rng.choice([0.01, 0.1, DELAY])
                elif kind == "cut":
                    faults["cut"] = 0.2
                elif kind == "error":
                    faults |= {"error": 0.3, "code": rng.choice([9, 11, 18])}
                elif kind == "drip":
                    faults["drip"] = (20, 0.005)
                elif kind == "refuse":
                    faults["refuse"] = rng.choice(["close", "port"])
                cluster.inject(node, **faults)
            calls: list[Any] = [("get", (key,), {}) for key in range(50)]
            calls += [("put", (key, {"v": key}), {}) for key in range(50)]
            rng.shuffle(calls)
            with ends_before(DELAY):
                ended = at_once(client, calls)
            for (verb, args, _), one in zip(calls, ended, strict=True):
                if isinstance(one, spikewire.Record):
                    assert (one["v"], one.key.key) == (args[0], args[0])
                elif one is not None:
                    assert isinstance(one, spikewire.Error)
                    assert one.key.key == args[0]  # type: ignore[union-attr]
                    assert not (verb == "get" and one.in_doubt)
        for node in range(3):
            cluster.clear_faults(node)
        assert recovers(lambda: [data.get(key, timeout=1) for key in range(50)])
        assert [data.get(key, timeout=20)["v"] for key in range(50)] == list(range(50))
