"""The thread that completes the statements of cassandra-driver's drop-in waits for no lock that
others can hold: a signal handler, a finalizer or Ctrl-C may come anywhere in the code of the
program's thread, and what it does there may need that other thread."""

from __future__ import annotations

import itertools
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.compat.cassandra.cluster import Cluster
from spikewire.compat.cassandra.concurrent import execute_concurrent_with_args

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spikewire.testing.cassandra import SharedCassandra

LOCAL = "SELECT key FROM system.local"
#: The code in which locks were taken.
FILES = {"future.py", "synchronization.py", "concurrent.py", "threading.py"}


@pytest.fixture(scope="module")
def session(cassandra: SharedCassandra, keyspace: str) -> Iterator[Any]:
    host, port = cassandra.addresses[0].split(":")
    with Cluster([host], port=int(port), connect_timeout=60) as cluster:
        session = cluster.connect(keyspace)
        session.execute("CREATE TABLE t (k int PRIMARY KEY)")
        for at in range(3):
            session.execute("INSERT INTO t (k) VALUES (%s)", (at,))
        yield session


class Stop:
    """Stops this thread at one line of some code, until the other thread has completed the
    statements so far and another one."""

    def __init__(self, session: Any, at: int) -> None:
        self.session = session
        self.at = at
        self.count = 0
        self.gate = threading.Event()
        self.is_late = False
        self.stuck: tuple[str, int] | None = None

    def __enter__(self) -> None:
        """Holds up the other thread."""
        held = threading.Event()

        def hold(_: Any) -> None:
            held.set()
            # Where this thread waits before its line, it is too late for the line.
            self.is_late = not self.gate.wait(4)

        self.session.execute_async(LOCAL).add_callback(hold)
        assert held.wait(20)
        sys.settrace(self.enter)

    def __exit__(self, *_error: object) -> None:
        sys.settrace(None)
        self.gate.set()

    def enter(self, frame: Any, _event: str, _argument: Any) -> Any:
        return self.stop if Path(frame.f_code.co_filename).name in FILES else None

    def stop(self, frame: Any, event: str, _argument: Any) -> Any:
        self.count += event == "line"
        if event == "line" and self.count == self.at:
            self.gate.set()
            if not is_completed(self.session, LOCAL):
                self.stuck = frame.f_code.co_name, frame.f_lineno
        return self.stop


def is_completed(session: Any, statement: str) -> bool:
    done = threading.Event()

    def end(_: Any) -> None:
        done.set()

    session.execute_async(statement).add_callbacks(end, end)
    return done.wait(20)


def follow(session: Any) -> None:
    future = session.execute_async(LOCAL)
    rows: list[Any] = []
    future.add_callbacks(rows.append, rows.append)
    repr(future)
    assert future.result().one().key == "local"
    future.clear_callbacks()


def many(session: Any) -> None:
    results = execute_concurrent_with_args(
        session, "SELECT * FROM t WHERE k = %s", [(at,) for at in range(3)], concurrency=1
    )
    assert [item.result_or_exc.one().k for item in results] == [0, 1, 2]


@pytest.mark.parametrize("act", [follow, many])
def test_the_thread_of_callbacks_goes_on(session: Any, act: Callable[[Any], None]) -> None:
    act(session)
    lines = itertools.count(1)
    while True:
        stop = Stop(session, next(lines))
        with stop:
            act(session)
        assert stop.stuck is None
        if stop.is_late:
            break
    assert stop.at > 10


@pytest.mark.parametrize("wait", ["result", "callback"])
def test_each_page_is_waited_for_and_called_back(session: Any, wait: str) -> None:
    session.default_fetch_size = 1
    try:
        future = session.execute_async("SELECT k FROM t")
    finally:
        session.default_fetch_size = 5000
    if wait == "result":
        assert sorted(row.k for row in future.result()) == [0, 1, 2]
        return
    seen: list[Any] = []
    done = threading.Event()

    def page(rows: Any) -> None:
        seen.extend(row.k for row in rows)
        if future.has_more_pages:
            future.start_fetching_next_page()
        else:
            done.set()

    future.add_callback(page)
    assert done.wait(30)
    assert sorted(seen) == [0, 1, 2]


def test_it_goes_on_while_the_schema_is_read(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement that changed the schema waits for nobody who reads it, who reads it again."""
    metadata = session.cluster.metadata
    tables = metadata.keyspaces[session.keyspace].tables
    read, seen = metadata._read_schema, list[bool]()

    def pause(*arguments: Any) -> None:
        read(*arguments)
        if not seen:
            seen.append(is_completed(session, "ALTER TABLE t WITH comment = 'changed'"))

    monkeypatch.setattr(metadata, "_read_schema", pause)
    session.cluster.refresh_schema_metadata()
    assert seen == [True]
    assert tables["t"].options["comment"] == "changed"


def test_an_unreadable_schema_is_read_later(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement was executed: its result does not fail because the schema cannot be read."""
    metadata = session.cluster.metadata
    tables = metadata.keyspaces[session.keyspace].tables

    def fail(_query: str) -> None:
        raise ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(metadata, "_query", fail)
        session.execute("CREATE TABLE later (k int PRIMARY KEY)")
        session.execute_async("DROP TABLE later").result()
        session.execute_async("CREATE TABLE later (k int PRIMARY KEY)").result()
    assert "later" not in tables
    assert "later" in metadata.keyspaces[session.keyspace].tables


def test_listeners_may_add_callbacks_to_each_statement(session: Any) -> None:
    seen: list[Any] = []

    def begin(future: Any) -> None:
        future.add_callbacks(seen.append, seen.append)

    session.add_request_init_listener(begin)
    try:
        session.execute(LOCAL)
        with pytest.raises(Exception, match="nonsense"):
            session.execute("nonsense")
        session.execute_async(LOCAL).result()
    finally:
        session.remove_request_init_listener(begin)
    assert [type(one).__name__ for one in seen] == ["list", "SyntaxException", "list"]


WITHIN = """
    import sys, threading
    from spikewire.compat.cassandra.cluster import Cluster

    host, port = sys.argv[1].split(":")
    session = Cluster([host], port=int(port), connect_timeout=60).connect()
    text = "SELECT key FROM system.local"
    seen, done = [], threading.Event()

    def wait(_):
        seen.append(session.execute(text).one().key)
        other = session.execute_async(text)
        for wait in (other.result, lambda: other.warnings, other.get_all_query_traces):
            try:
                wait()
            except RuntimeError as error:
                seen.append("add_callbacks" in str(error))
        other.add_callback(lambda _: done.set())

    session.execute_async(text).add_callbacks(wait, print)
    print(done.wait(30), seen, flush=True)
    session.cluster.shutdown()
"""
GREENLETS = """
    import gevent.monkey
    gevent.monkey.patch_all()
    import itertools, sys
    from spikewire.compat.cassandra.cluster import Cluster

    host, port = sys.argv[1].split(":")
    session = Cluster([host], port=int(port), connect_timeout=60).connect()
    submit, text = session._core.submit, "SELECT key FROM system.local"
    new_lock = gevent.monkey.get_original("_thread", "allocate_lock")

    def attempt(at):
        # The engine's thread waits until this one is at a certain line of the code for waiting.
        gate, held, late, stuck, count = new_lock(), new_lock(), [], [], itertools.count(1)
        gate.acquire(), held.acquire()

        def hold(_):
            held.release()
            late.append(not gate.acquire(timeout=4))

        def stop(frame, event, _):
            if event == "line" and next(count) == at:
                gate.release()
                try:
                    submit.execute(text).result(20)
                except TimeoutError:
                    stuck.append((frame.f_code.co_name, frame.f_lineno))
            return stop

        submit.execute(text).add_done_callback(hold)
        held.acquire()
        future = session.execute_async(text)
        sys.settrace(lambda frame, *_: stop if "synchronization.py" in str(frame.f_code) else None)
        future.result()
        sys.settrace(None)
        return late[0], stuck

    for at in itertools.count(1):
        late, stuck = attempt(at)
        if late or stuck:
            break
    print(at > 5, stuck, flush=True)
    session.cluster.shutdown()
"""


def run(program: str, cassandra: SharedCassandra) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), cassandra.addresses[0]],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert not done.stderr
    return done.stdout.strip()


def test_waiting_in_a_callback_raises(cassandra: SharedCassandra) -> None:
    """It would wait for the thread that it keeps busy, and all statements with it."""
    assert run(WITHIN, cassandra) == "True ['local', True, True, True]"


def test_it_goes_on_under_gevent(cassandra: SharedCassandra) -> None:
    pytest.importorskip("gevent")
    assert run(GREENLETS, cassandra) == "True []"
