"""Submitted calls: futures, callbacks, and the bound on what is in flight."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import copy
import gc
import itertools
import logging
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op
from spikewire.in_flight import Future
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20) as client:
        yield client


@pytest.fixture
def data(client: spikewire.Client, set_name: str) -> spikewire.Dataset:
    return client.dataset("test", set_name)


@pytest.fixture
def slow() -> Iterator[Cluster]:
    """One node that delays every reply."""
    with Cluster(nodes=1) as cluster:
        cluster.inject(0, delay=0.3)
        yield cluster


def narrow(cluster: Cluster, **options: Any) -> spikewire.Client:
    """A client that sends one call at a time, and waits for each reply for a while."""
    cluster.inject(0, delay=1)
    options = {"connections_per_node": 1, "pipeline_depth": 1, "timeout": 20, **options}
    return spikewire.Client(cluster.seeds, **options)


# --- A future is one of the standard library's


def test_submit_returns_a_future(data: spikewire.Dataset) -> None:
    future = data.submit.put("k", {"n": 1})
    assert isinstance(future, concurrent.futures.Future)
    assert future.result(10) is None
    assert (future.done(), future.running(), future.cancelled()) == (True, False, False)
    assert (future.exception(), future.cancel()) == (None, False)
    assert "state=finished returned NoneType" in repr(future)
    missing = data.submit.get("nobody")
    error = missing.exception(10)
    assert isinstance(error, spikewire.RecordNotFound)
    assert error.key == spikewire.Key("test", data.set, "nobody")
    with pytest.raises(spikewire.RecordNotFound) as caught:
        missing.result()
    assert caught.value is error


def test_submit_of_a_client_takes_whole_keys(client: spikewire.Client, set_name: str) -> None:
    key = ("test", set_name, "k")
    client.submit.put(key, {"n": 1}).result()
    record = client.submit.operate(key, [op.add("n", 1), op.get("n")]).result()
    assert record["n"] == 2
    assert repr(client.submit).startswith("ClientSubmit('127.0.0.1")
    assert repr(client.dataset("test", "s").submit) == "DatasetSubmit('test', 's')"


def test_wait_and_as_completed(data: spikewire.Dataset) -> None:
    done, late = concurrent.futures.wait([data.submit.put(n, {"n": n}) for n in range(500)], 20)
    assert (len(done), len(late)) == (500, 0)
    futures = {data.submit.get(n): n for n in range(500)}
    for future in concurrent.futures.as_completed(futures, 20):
        assert future.result()["n"] == futures[future]
    mixed = [data.submit.get(1), data.submit.get("nobody")]
    first = concurrent.futures.wait(mixed, 20, concurrent.futures.FIRST_EXCEPTION)
    assert mixed[1] in first.done


def test_wait_for_the_first_of_them(slow: Cluster) -> None:
    with narrow(slow) as client:
        futures = [client.submit.exists(("test", "s", n)) for n in range(3)]
        done, late = concurrent.futures.wait(futures, 20, concurrent.futures.FIRST_COMPLETED)
        assert futures[0] in done
        assert late
        completed = concurrent.futures.as_completed(futures, 20)
        assert [futures.index(future) for future in completed][-1] == 2


def test_futures_are_awaited_on_an_event_loop(data: spikewire.Dataset) -> None:
    data.put("k", {"n": 1})

    async def main() -> list[Any]:
        futures = [asyncio.wrap_future(data.submit.get("k")) for _ in range(50)]
        with pytest.raises(spikewire.RecordNotFound):
            await asyncio.wrap_future(data.submit.get("nobody"))
        return await asyncio.gather(*futures)

    assert [record["n"] for record in asyncio.run(main())] == [1] * 50


def test_bad_arguments_raise_at_once(data: spikewire.Dataset) -> None:
    with pytest.raises(TypeError, match="age"):
        data.submit.put("k", {"age": object()})
    with pytest.raises(ValueError, match="timeout"):
        data.submit.get("k", timeout=-1)
    future = data.submit.get("k", default=None)
    with pytest.raises(TypeError, match="timeout must be a number of seconds or None, not str"):
        future.result("1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nan"):
        future.result(float("nan"))
    for limit, error in [(0, ValueError), ("many", TypeError)]:
        with pytest.raises(error, match="submit_limit"):
            spikewire.Client("127.0.0.1:1", submit_limit=limit)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="submit_limit is an option of Client"):
        spikewire.AsyncClient("127.0.0.1:1", submit_limit=1)  # type: ignore[call-arg]


def test_only_the_client_completes_a_future(data: spikewire.Dataset) -> None:
    future = data.submit.get("k", default=None)
    assert isinstance(future, Future)
    complete: list[Callable[[], Any]] = [
        lambda: future.set_result(None),
        lambda: future.set_exception(ValueError()),
        future.set_running_or_notify_cancel,
    ]
    for call in complete:
        with pytest.raises(concurrent.futures.InvalidStateError):
            call()
    assert future.result() is None
    for copied in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="pickle"):
            copied(future)


def test_result_times_out(slow: Cluster) -> None:
    with spikewire.Client(slow.seeds, timeout=20, connect_timeout=20) as client:
        slow.inject(0, delay=2)
        future = client.submit.exists(("test", "s", "k"))
        assert not future.done()
        for wait in (future.result, future.exception):
            with pytest.raises(concurrent.futures.TimeoutError):
                wait(0.01)
        with pytest.raises(concurrent.futures.TimeoutError):
            future.result(-1)
        assert future.result() is False


def test_a_submitted_call_times_out(slow: Cluster) -> None:
    slow.inject(0, delay=60)
    with spikewire.Client(slow.seeds) as client:
        error = client.submit.exists(("test", "s", "k"), timeout=0.05).exception(20)
        assert isinstance(error, spikewire.Timeout)


def test_many_threads_wait_for_one_future(slow: Cluster) -> None:
    with spikewire.Client(slow.seeds, timeout=20, connect_timeout=20) as client:
        future = client.submit.exists(("test", "s", "k"))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda _: future.result(20), range(8))) == [False] * 8


def test_a_waiting_thread_that_is_interrupted(slow: Cluster) -> None:
    code = """
        import _thread, signal, sys, threading, spikewire
        # A shell's background jobs are born deaf to it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        client = spikewire.Client(sys.argv[1], timeout=30, connect_timeout=20, submit_limit=1)
        slow = client.submit.exists(("test", "s", "k"))
        for wait in (slow.result, lambda: client.submit.exists(("test", "s", "k"))):
            threading.Timer(0.1, _thread.interrupt_main).start()
            try:
                wait()
            except KeyboardInterrupt:
                print("interrupted")
        print(slow.result())
        client.close()
    """
    slow.inject(0, delay=2)
    assert program(code, slow.seeds) == ["interrupted", "interrupted", "False"]


def program(code: str, *arguments: str, status: int = 0, log: str = "") -> list[str]:
    """The output lines of a program of its own."""
    ran = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (status, log)
    return ran.stdout.splitlines()


# --- Cancelling


def test_cancelling_withdraws_unsent_calls(slow: Cluster) -> None:
    with narrow(slow) as client:
        data = client.dataset("test", "s")
        first, second, third = [data.submit.put(n, {"n": n}) for n in range(3)]
        assert until(first.running)
        called: list[Any] = []
        second.add_done_callback(called.append)
        assert (second.running(), second.cancel(), second.cancel()) == (False, True, True)
        assert (second.cancelled(), second.done(), called) == (True, True, [second])
        assert first.cancel() is False
        for wait in (second.result, second.exception):
            with pytest.raises(concurrent.futures.CancelledError):
                wait()
        assert (first.result(), third.result()) == (None, None)
        slow.clear_faults(0)
        assert [data.exists(n) for n in range(3)] == [True, False, True]


def test_withdrawals_while_calls_are_sent(data: spikewire.Dataset) -> None:
    for _ in range(200):
        futures = [data.submit.exists(n) for n in range(20)]
        withdrawn = [future.cancel() for future in reversed(futures)][::-1]
        done, _ = concurrent.futures.wait(futures, 20)
        assert len(done) == 20
        assert [future.cancelled() for future in futures] == withdrawn
        assert not any(f.result() for f in futures if not f.cancelled())


def test_a_batch_is_withdrawn_whole(slow: Cluster) -> None:
    with narrow(slow) as client:
        data = client.dataset("test", "s")
        first, second = [data.submit.put_many({n: {"n": n}, n + 1: {"n": n}}) for n in (0, 10)]
        assert until(first.running)
        assert second.cancel()
        assert first.cancel() is False
        assert first.result().found == 2
        slow.clear_faults(0)
        assert data.get_many([0, 1, 10, 11]).codes.tolist() == [0, 0, 2, 2]


def test_waiting_functions_notice_a_withdrawal(slow: Cluster) -> None:
    with narrow(slow) as client:
        first, second = [client.submit.exists(("test", "s", n)) for n in range(2)]
        assert until(first.running)
        threading.Timer(0.05, second.cancel).start()
        done, _ = concurrent.futures.wait([first, second], 20, concurrent.futures.FIRST_COMPLETED)
        assert done
        both = set(concurrent.futures.as_completed([first, second], 20))
        assert both == {first, second}
        assert second.cancelled()


# --- Interrupts: no lock that a waiting thread may leave taken stops the client's thread


def interrupted_wait(futures: list[Any], *, at: str) -> object:
    """What ``concurrent.futures.wait`` has done when an exception of a signal handler ends it."""
    base: Any = concurrent.futures._base
    for future in futures:
        getattr(future, "_condition").acquire()  # noqa: B009
    if at == "its first futures":
        return None
    waiter = base._create_and_install_waiters(futures, concurrent.futures.ALL_COMPLETED)
    if at == "the event":
        for future in futures:
            getattr(future, "_condition").release()  # noqa: B009
        with pytest.raises(ZeroDivisionError), raising_after(0.2):
            waiter.event.wait()
    else:
        waiter.lock.acquire()
    return waiter


@contextlib.contextmanager
def raising_after(seconds: float) -> Iterator[None]:
    def handle(*_: object) -> None:
        raise ZeroDivisionError

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("at", ["its first futures", "the waiter's lock", "the event"])
def test_an_interrupted_wait_stops_no_call(slow: Cluster, at: str) -> None:
    client = narrow(slow)
    futures = [client.submit.exists(("test", "s", n)) for n in range(3)]
    waiter = interrupted_wait(futures, at=at)
    slow.clear_faults(0)
    # In this thread the standard library's locks are reentrant, but the client's thread has to go
    # on.
    assert [future.result(20) for future in futures] == [False] * 3
    assert client.submit.exists(("test", "s", 9)).result(20) is False
    done, _ = concurrent.futures.wait(futures, 20)
    assert done == set(futures)
    del waiter
    client.close()


def test_wait_sees_futures_completed_meanwhile(slow: Cluster) -> None:
    base: Any = concurrent.futures._base
    with narrow(slow) as client:
        future: Any = client.submit.exists(("test", "s", 1))
        early = client.submit.exists(("test", "s", 2))
        with base._AcquireFutures([future]):
            slow.clear_faults(0)
            early.result(20)
            assert until(future.done)
            # For this thread it is pending until the end of the block.
            assert future._state == "RUNNING"
            waiter = base._create_and_install_waiters([future], concurrent.futures.ALL_COMPLETED)
        assert future._state == "FINISHED"
        assert waiter.event.wait(20)
        assert waiter.finished_futures == [future]


def test_wait_accepts_futures_of_executors(data: spikewire.Dataset) -> None:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for how in (concurrent.futures.ALL_COMPLETED, concurrent.futures.FIRST_EXCEPTION):
            gate = threading.Event()
            futures: list[Any] = [pool.submit(gate.wait, 20), data.submit.put("k", {"n": 1})]
            done, _ = concurrent.futures.wait(futures, 0.05, how)
            assert futures[0] not in done
            threading.Timer(0.05, gate.set).start()
            assert concurrent.futures.wait(futures, 20, how).done == set(futures)
        mixed = [data.submit.put(n, {"n": n}) for n in range(50)]
        mixed += [pool.submit(lambda: None) for _ in range(50)]
        assert set(concurrent.futures.as_completed(mixed, 20)) == set(mixed)


# --- Callbacks


def test_callbacks_run_in_order_on_one_thread(data: spikewire.Dataset) -> None:
    seen: list[tuple[int, int]] = []
    future = data.submit.put("k", {"n": 1})
    for n in range(5):
        future.add_done_callback(lambda _, n=n: seen.append((n, threading.get_ident())))  # type: ignore[misc]
    future.result()
    assert until(lambda: len(seen) == 5)
    assert [n for n, _ in seen] == list(range(5))
    # On a future that is done it runs where it is added.
    future.add_done_callback(lambda _: seen.append((5, threading.get_ident())))
    assert seen[5] == (5, threading.get_ident())


def test_an_exception_in_a_callback_is_logged(
    data: spikewire.Dataset, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> None:
        message = "on purpose"
        raise LookupError(message)

    called = threading.Event()
    with caplog.at_level(logging.ERROR, "concurrent.futures"):
        future = data.submit.put("k", {"n": 1})
        future.add_done_callback(fail)
        future.add_done_callback(lambda _: called.set())
        assert called.wait(20)
        assert data.submit.get("k").result(20)["n"] == 1
    assert "exception calling callback" in caplog.text
    assert "LookupError: on purpose" in caplog.text


def test_a_callback_does_not_wait_for_its_own_thread(data: spikewire.Dataset) -> None:
    def refusal(wait: Callable[[Any], object]) -> str:
        """What waiting for another call raises in a callback on the client's thread."""
        here = threading.current_thread()
        while True:
            text: concurrent.futures.Future[str | None] = concurrent.futures.Future()

            def call(_: object, text: Any = text) -> None:
                if threading.current_thread() is here:  # The reply came before the callback.
                    text.set_result(None)
                    return
                try:
                    wait(data.submit.put("k", {"n": 2}))
                except RuntimeError as error:
                    text.set_result(str(error))
                else:
                    text.set_result("it waited")

            data.submit.put("k", {"n": 1}).add_done_callback(call)
            if (answer := text.result(20)) is not None:
                return answer

    waits: list[Callable[[Any], object]] = [
        lambda future: future.result(),
        lambda future: concurrent.futures.wait([future]),
        lambda future: list(concurrent.futures.as_completed([future])),
    ]
    for wait in waits:
        assert "add_done_callback" in refusal(wait)
    # A blocking call needs no thread of the client.
    number: concurrent.futures.Future[int] = concurrent.futures.Future()
    future = data.submit.put("k", {"n": 3})
    future.add_done_callback(lambda _: number.set_result(data.get("k")["n"]))
    assert number.result(20) == 3


@pytest.mark.parametrize("fn", [None, 1, "print"])
def test_a_callback_must_be_callable(data: spikewire.Dataset, fn: Any) -> None:
    for future in (data.submit.exists("k"), data.submit.exists("k")):
        with pytest.raises(TypeError, match="fn must be a function"):
            future.add_done_callback(fn)
        future.result(20)


@pytest.mark.parametrize("limit", [1, 2048])
def test_callbacks_may_submit_further_calls(cluster: Cluster, set_name: str, limit: int) -> None:
    chains, calls = 200, 4000
    with spikewire.Client(
        cluster.seeds, timeout=20, connect_timeout=20, submit_limit=limit
    ) as client:
        data = client.dataset("test", set_name)
        # Iterators of a range repeat numbers when threads without a GIL share them; counts do not.
        numbers = itertools.count()
        done: list[object] = []
        end = threading.Event()

        def following(future: concurrent.futures.Future[None] | None = None) -> None:
            if future is not None:
                done.append(future.exception())
                if len(done) == calls:
                    end.set()
            if (key := next(numbers)) < calls:
                data.submit.put(key, {"n": key}).add_done_callback(following)

        for _ in range(chains):
            following()
        assert end.wait(60)
        assert done == [None] * calls
        assert data.get_many(range(calls)).found == calls


# --- The bound on what is in flight


def test_submitting_beyond_the_limits_waits_instead_of_failing(
    cluster: Cluster, set_name: str
) -> None:
    # Far more than connections, queue and window take: further submits wait, and none fails.
    options: spikewire.options.ClientOptions = {
        "pipeline_depth": 4,
        "queue_limit": 0,
        "connections_per_node": 1,
    }
    with spikewire.Client(  # type: ignore[misc]
        cluster.seeds, timeout=20, connect_timeout=20, submit_limit=64, **options
    ) as client:
        data = client.dataset("test", set_name)
        futures = [data.submit.put(n, {"n": n}) for n in range(10_000)]
        assert [future for future in futures if future.exception() is not None] == []
        assert data.get_many(range(10_000)).found == 10_000


def test_never_more_in_flight_than_the_limit(slow: Cluster) -> None:
    with spikewire.Client(slow.seeds, timeout=20, connect_timeout=20, submit_limit=5) as client:
        futures: list[concurrent.futures.Future[bool]] = []
        for n in range(12):
            futures.append(client.submit.exists(("test", "s", n)))
            assert sum(not future.done() for future in futures) <= 5
        assert [future.result() for future in futures] == [False] * 12


def test_threads_take_turns(cluster: Cluster, set_name: str) -> None:
    with spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20, submit_limit=8) as client:
        data = client.dataset("test", set_name)

        def work(thread: int) -> int:
            futures = [data.submit.put((thread * 1000) + n, {"n": n}) for n in range(300)]
            return sum(future.exception() is None for future in futures)

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            assert list(pool.map(work, range(16))) == [300] * 16


def test_the_timeout_counts_while_it_waits_for_room(slow: Cluster) -> None:
    slow.inject(0, delay=3)
    with spikewire.Client(slow.seeds, timeout=20, connect_timeout=20, submit_limit=1) as client:
        first = client.submit.exists(("test", "s", "k"))
        key = ("test", "s", "late")
        late = [
            client.submit.put(key, {"n": 1}, timeout=0.05),
            client.submit.put_many({key: {"n": 1}}, timeout=0.05),
        ]
        for future in late:
            error = future.exception(0)  # type: ignore[attr-defined]
            assert isinstance(error, spikewire.Timeout)
            assert "submit_limit" in str(error)
            assert error.in_doubt is False
        assert first.result() is False
        slow.clear_faults(0)
        assert client.exists(key) is False


# --- Ends


def test_closing_fails_what_is_pending(slow: Cluster) -> None:
    slow.inject(0, delay=60)
    client = spikewire.Client(slow.seeds, timeout=60, connect_timeout=20, submit_limit=3)
    futures = [client.submit.exists(("test", "s", n)) for n in range(3)]
    called: list[Any] = []
    futures[0].add_done_callback(called.append)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        waits = [pool.submit(futures[0].result)]
        # Beyond the limit: these wait for room.
        waits += [pool.submit(client.submit.exists, ("test", "s", n)) for n in range(3)]  # type: ignore[arg-type]
        # As far as can be seen from here; those that come later find the client closed.
        assert until(lambda: all(wait.running() for wait in waits))
        client.close()
        for wait in waits:
            with pytest.raises(spikewire.ClientClosed):
                wait.result(20)
    for future in futures:
        assert isinstance(future.exception(20), spikewire.ClientClosed)
    # Waiters for a future are notified before its callbacks are called.
    assert until(lambda: called)
    assert called == [futures[0]]
    with pytest.raises(spikewire.ClientClosed):
        client.submit.exists(("test", "s", "k"))
    client.close()


def test_a_callback_may_close_the_client(cluster: Cluster) -> None:
    client = spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20)
    closed = threading.Event()

    def close(_: object) -> None:
        client.close()
        closed.set()

    client.submit.exists(("test", "s", "k")).add_done_callback(close)
    assert closed.wait(20)
    assert until(lambda: not client.is_connected)


def test_closing_leaves_no_threads(cluster: Cluster, no_descriptor_leak: Callable[[], int]) -> None:
    def threads() -> int:
        with open("/proc/self/status") as status:  # noqa: PTH123
            return next(int(line.split()[1]) for line in status if line.startswith("Threads"))

    before = threads()
    for _ in range(3):
        with spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20) as client:
            client.submit.exists(("test", "s", "k")).result()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        client = spikewire.Client(cluster.seeds, timeout=20, connect_timeout=20)
        client.submit.exists(("test", "s", "k")).result()
        del client
        gc.collect()
    assert until(lambda: threads() <= before)


def test_futures_are_freed(data: spikewire.Dataset) -> None:
    class Value:
        pass

    value = Value()
    gone = weakref.ref(value)
    future = data.submit.get("k", default=None)
    # A cycle through the callback.
    cycle: list[object] = [value]
    future.add_done_callback(lambda _, cycle=cycle: cycle)  # type: ignore[misc]
    cycle.append(future)
    future.result()
    last = data.submit.put("k", {"n": 1})
    last.result()
    del future, cycle, value
    assert until(lambda: gc.collect() >= 0 and gone() is None, 10)
    freed = weakref.ref(last)
    del last
    assert until(lambda: freed() is None)


@pytest.mark.parametrize("close", ["client.close()", "pass"])
def test_the_end_of_the_interpreter(slow: Cluster, close: str) -> None:
    slow.inject(0, delay=60)
    code = f"""
        import sys, spikewire
        client = spikewire.Client(sys.argv[1], timeout=60, connect_timeout=20)
        futures = [client.submit.exists(("test", "s", n)) for n in range(100)]
        futures[0].add_done_callback(lambda f: print(type(f.exception()).__name__, flush=True))
        {close}
        sys.exit(3)
    """
    assert program(code, slow.seeds, status=3) == ["ClientClosed"]


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no fork")
def test_futures_of_the_parent_fail_in_the_child_of_a_fork(cluster: Cluster) -> None:
    code = """
        import os, signal, sys, warnings, spikewire
        warnings.simplefilter("ignore", DeprecationWarning)
        with spikewire.Client(sys.argv[1], timeout=20, connect_timeout=20) as client:
            users = client.dataset("test", "forked")
            users.submit.put("k", {"n": 1}).result()
            pending = [users.submit.add("k", {"n": 1}) for _ in range(500)]
            sys.stdout.flush()
            if os.fork() == 0:
                signal.alarm(30)
                for future in pending:
                    try:
                        future.result()
                    except spikewire.ClientClosed as error:
                        assert "before a fork" in str(error)
                assert users.submit.get("k").result()["n"] >= 1
                users.submit.put("child", {"n": 2}).result()
                client.close()
                os._exit(0)
            _, status = os.wait()
            assert all(future.exception() is None for future in pending)
            print(status, users.submit.get("k").result()["n"], users.get("child")["n"])
    """
    assert program(code, cluster.seeds) == ["0 501 2"]


# --- Storms


def test_threads_and_callbacks_survive_a_dead_node() -> None:
    with Cluster(nodes=3) as cluster:
        assert cluster.wait_settled()
        # Only reads and repeatable writes, so that every retry is allowed.
        with spikewire.Client(
            cluster.seeds,
            timeout=30,
            max_retries=1000,
            retry_in_doubt=True,
            sleep_between_retries=0.01,
            tend_interval=0.1,
            submit_limit=100,
        ) as client:
            data = client.dataset("test", "storm")
            stop = threading.Event()
            counts = [0] * 8
            failures: list[BaseException] = []

            def note(future: concurrent.futures.Future[Any]) -> None:
                if error := future.exception():
                    failures.append(error)

            def chained(thread: int) -> None:
                def following(future: concurrent.futures.Future[Any] | None = None) -> None:
                    if future is not None:
                        note(future)
                        counts[thread] += 1
                    if not stop.is_set():
                        data.submit.put(thread, {"n": counts[thread]}).add_done_callback(following)

                following()

            def work(thread: int) -> None:
                while not stop.is_set():
                    futures = [data.submit.exists(n) for n in range(50)]
                    for future in futures:
                        note(future)
                    counts[thread] += 50

            workers = [threading.Thread(target=work, args=(at,)) for at in range(4)]
            for worker in workers:
                worker.start()
            for at in range(4, 8):
                chained(at)
            for _ in range(2):
                goal = [count + 50 for count in counts]
                assert until(lambda goal=goal: all(map(int.__ge__, counts, goal)), 60)  # type: ignore[misc]
                cluster.kill(1)
                goal = [count + 50 for count in counts]
                assert until(lambda goal=goal: all(map(int.__ge__, counts, goal)), 60)  # type: ignore[misc]
                cluster.restart(1)
                assert cluster.wait_settled()
            stop.set()
            for worker in workers:
                worker.join(60)
                assert not worker.is_alive()
            assert failures == []
