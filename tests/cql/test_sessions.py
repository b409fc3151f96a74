"""Sessions from opening to closing: contact points, forks, loops, cancelling."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import os
import pickle
import socket
import subprocess
import sys
import textwrap
import threading
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.cql import errors
from spikewire.testing.cassandra import CqlProxy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessions import Opened, Sessions
    from spikewire.testing.cassandra import SharedCassandra

SLOW = "SELECT * FROM system_schema.columns"


def scenario(cassandra: SharedCassandra, code: str, *options: str) -> str:
    """The output of a program of its own; it must succeed, and print nothing else."""
    program = "import sys\nfrom spikewire import cql\npoints = sys.argv[1]\n"
    process = subprocess.run(
        [sys.executable, *options, "-c", program + textwrap.dedent(code), cassandra.addresses[0]],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout.strip()


def test_session_attributes_describe_the_cluster(
    sessions: Sessions, cassandra: SharedCassandra
) -> None:
    session = sessions.open([cassandra.addresses[0]])
    raw = session.raw
    assert raw.is_open
    (node,) = raw.nodes
    assert node == cql.Node(cassandra.addresses[0], "dc1", node.rack, node.release, up=True)
    assert raw.protocol_version == 5
    assert raw.keyspace is None
    assert repr(raw) == f"<{type(raw).__name__} {cassandra.addresses[0]}, connected>"
    session.close()
    session.close()
    assert not raw.is_open
    assert "closed" in repr(raw)
    with pytest.raises(errors.SessionClosed, match="the session is closed"):
        session.execute("SELECT key FROM system.local")
    with pytest.raises(errors.SessionClosed, match="the session is closed"):
        session.execute_many("SELECT key FROM system.local WHERE key = ?", [("local",)])


def test_protocol_version_4_works(sessions: Sessions, cassandra: SharedCassandra) -> None:
    session = sessions.open(cassandra.addresses[0], protocol_version=4, compression="lz4")
    assert session.raw.protocol_version == 4
    find = "SELECT key FROM system.local WHERE key = ?"
    assert session.execute(find, ["local"]).one().key == "local"


@pytest.mark.parametrize("target", [pickle.dumps, pickle.Pickler(open(os.devnull, "wb")).dump])  # noqa: SIM115, PTH123
def test_sessions_do_not_pickle(session: Opened, target: Any) -> None:
    with pytest.raises(TypeError, match="cannot be pickled: open a session"):
        target(session.raw)


@pytest.mark.parametrize(
    ("points", "options", "error", "words"),
    [
        ("", {}, ValueError, r"\w"),
        ([], {}, ValueError, "no contact point"),
        (9042, {}, TypeError, "contact points must be"),
        ("cassandra://127.0.0.1", {}, ValueError, "Session.from_url"),
        ("127.0.0.1:x", {}, ValueError, r"\w"),
        ("127.0.0.1", {"speed": 1}, TypeError, "unknown session option"),
        ("127.0.0.1", {"user": "a"}, ValueError, "go together"),
        # The engine's messages, the same as in node/test/cql.test.ts and for Rust.
        (
            "127.0.0.1",
            {"compression": "zip"},
            ValueError,
            "^compression must be 'none' or 'lz4', got",
        ),
        (
            "127.0.0.1",
            {"page_size": -1},
            ValueError,
            "^page_size must be from 1 to 2147483647, got",
        ),
        (
            "127.0.0.1",
            {"pipeline_depth": 40_000},
            ValueError,
            "^pipeline_depth must be from 1 to 32767, got",
        ),
        (
            "127.0.0.1",
            {"idle_timeout": 0.05},
            ValueError,
            "^idle_timeout must be at least 0.1 s, got 0.05",
        ),
        (
            "127.0.0.1",
            {"serial_consistency": "quorum"},
            ValueError,
            "^serial_consistency must be 'serial' or",
        ),
        ("127.0.0.1", {"keyspace": ""}, ValueError, "^keyspace must not be empty$"),
        (
            "127.0.0.1",
            {"shard_aware_port": 1},
            TypeError,
            "^shard_aware_port must be True or False, not int",
        ),
        (
            "127.0.0.1",
            {"address_map": 5},
            TypeError,
            "^address_map must be a dict of advertised to",
        ),
        ("127.0.0.1", {"speculative_delay": 0}, ValueError, "at least 0.001 s"),
        ("127.0.0.1", {"speculative_delay": -1}, ValueError, "speculative_delay"),
        ("127.0.0.1", {"speculative_delay": float("nan")}, ValueError, "speculative_delay"),
        ("127.0.0.1", {"speculative_delay": True}, TypeError, "must be seconds"),
        ("127.0.0.1", {"speculative_delay": "1"}, ValueError, "must be a time"),
        ("127.0.0.1", {"speculative_attempts": 0}, ValueError, "speculative_attempts"),
        ("127.0.0.1", {"speculative_attempts": 33}, ValueError, "speculative_attempts"),
        ("127.0.0.1", {"speculative_attempts": True}, TypeError, "must be int"),
        ("127.0.0.1", {"speculative_attempts": 1.5}, TypeError, "must be int"),
        ("127.0.0.1", {"speculative_attempts": None}, TypeError, "speculative_attempts"),
    ],
)
def test_invalid_options_raise(points: Any, options: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        cql.Session(points, **options)
    with pytest.raises(error, match=words):
        cql.AsyncSession(points, **options)


def test_an_unknown_keyspace_raises(cassandra: SharedCassandra) -> None:
    with pytest.raises(errors.Error, match="nowhere"):
        cql.connect(cassandra.addresses[0], keyspace="nowhere", connect_timeout=20)


@pytest.fixture
def http_server() -> Iterator[str]:
    """The address of a server that is not a Cassandra."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(100)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def test_a_seed_that_speaks_http_raises(sessions: Sessions, http_server: str) -> None:
    with pytest.raises(errors.Error):
        sessions.open(http_server)


def test_closing_fails_what_is_under_way(sessions: Sessions, cassandra: SharedCassandra) -> None:
    session = sessions.open(cassandra.addresses[0])
    if session.api.is_blocking:
        calls = [session.raw.submit.execute(SLOW) for _ in range(50)]
        session.close()
        ends = [call.exception(60) for call in calls]
    else:

        async def run() -> list[Any]:
            calls = [session.raw.execute(SLOW) for _ in range(50)]
            await session.raw.close()
            return await asyncio.gather(*calls, return_exceptions=True)

        ends = session.api.settle(run)
    assert any(isinstance(end, errors.SessionClosed) for end in ends)
    kinds = (type(None), cql.Rows, errors.SessionClosed)
    assert [end for end in ends if not isinstance(end, kinds)] == []


def test_cancelled_statements_leave_the_session_usable(session: Opened) -> None:
    if session.api.is_blocking:
        calls = [session.raw.submit.execute(SLOW) for _ in range(200)]
        for call in calls[1:]:
            call.cancel()
        concurrent.futures.wait(calls, 60)
        assert all(call.cancelled() or len(call.result(0)) > 0 for call in calls)
    else:

        async def run() -> None:
            calls = [session.raw.execute(SLOW) for _ in range(200)]
            for call in calls[1:]:
                call.cancel()
            assert len(await calls[0]) > 0
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(session.raw.execute(SLOW), 0)

            async def endless() -> Any:
                while True:
                    await asyncio.sleep(0)
                    yield ("local",)

            find = "SELECT key FROM system.local WHERE key = ?"
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(session.raw.execute_many(find, endless()), 0.3)

        session.api.settle(run)
    assert session.execute("SELECT key FROM system.local").one().key == "local"


def test_a_statement_that_takes_too_long_raises_timeout(
    sessions: Sessions, cassandra: SharedCassandra
) -> None:
    with CqlProxy(cassandra.addresses[0]) as proxy:
        session = sessions.open([proxy.address])
        proxy.inject("replies", delay=60)
        with pytest.raises(errors.Timeout) as raised:
            session.execute(SLOW, timeout=0.1)
        assert isinstance(raised.value, TimeoutError)


def test_one_session_works_on_several_loops(cassandra: SharedCassandra) -> None:
    session = cql.AsyncSession(cassandra.addresses[0], connect_timeout=20)

    async def use() -> str:
        result = await session.execute("SELECT key FROM system.local")
        return result[0].key

    async def begin() -> str:
        await session.__aenter__()
        return await use()

    assert asyncio.run(begin()) == "local"
    assert asyncio.run(use()) == "local"
    result: list[str] = []
    threads = [threading.Thread(target=lambda: result.append(asyncio.run(use()))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert result == ["local"] * 3
    asyncio.run(session.close())


def test_an_unopened_session_raises(cassandra: SharedCassandra) -> None:
    session = cql.AsyncSession(cassandra.addresses[0])
    with pytest.raises(errors.SessionClosed, match="async with"):
        session.execute("SELECT key FROM system.local")


def test_an_unclosed_session_warns(cassandra: SharedCassandra) -> None:
    sessions = [cql.connect(cassandra.addresses[0], connect_timeout=20)]
    with pytest.warns(ResourceWarning, match="unclosed <Session"):
        sessions.clear()
    gc.collect()


def test_the_interpreter_ends_with_statements_under_way(cassandra: SharedCassandra) -> None:
    output = scenario(
        cassandra,
        f"""
        session = cql.connect(points, connect_timeout=20)
        calls = [session.submit.execute({SLOW!r}) for _ in range(100)]
        query = session.query({SLOW!r}, page_size=10)
        next(query)
        print("left")
        """,
    )
    assert output == "left"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_sessions_work_after_a_fork(cassandra: SharedCassandra) -> None:
    output = scenario(
        cassandra,
        """
        import os, warnings
        # Python itself warns of forks beside threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        key = "SELECT key FROM system.local WHERE key = ?"
        with cql.connect(points, connect_timeout=20) as session:
            find = session.prepare(key)
            session.submit.execute(find, ["local"]).result()
            child = os.fork()
            if child == 0:
                same = session.execute(find, ["local"]).one().key
                many = session.execute_many(find, [["local"]] * 100, results=False)
                print(same, many, flush=True)
                session.close()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            print(session.execute(find, ["local"]).one().key)
            print(session.submit.execute(find, ["local"]).result().one().key)
        """,
    )
    assert output.split() == ["local", "100", "local", "local"]


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent in another way there")
def test_control_c_ends_many_rows(cassandra: SharedCassandra) -> None:
    output = scenario(
        cassandra,
        """
        import itertools, os, signal, threading
        with cql.connect(points, connect_timeout=20) as session:
            find = "SELECT key FROM system.local WHERE key = ?"
            def rows():
                for number in itertools.count():
                    if number == 1000:
                        kill = lambda: os.kill(os.getpid(), signal.SIGINT)
                        threading.Timer(0.1, kill).start()
                    yield ["local"]
            try:
                session.execute_many(find, rows(), results=False)
            except KeyboardInterrupt:
                print("interrupted")
            print(session.execute(find, ["local"]).one().key)
        """,
    )
    assert output.split() == ["interrupted", "local"]


def test_sessions_open_by_url(
    cassandra: SharedCassandra, keyspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"cassandra://{cassandra.addresses[0]}/{keyspace}?consistency=one&page_size=2"
    with cql.Session.from_url(url) as session:
        assert session.keyspace == keyspace
        session.execute("CREATE TABLE by_url (id int PRIMARY KEY)")
        session.execute_many("INSERT INTO by_url (id) VALUES (?)", [(n,) for n in range(5)])
        assert len(session.page("SELECT id FROM by_url")) == 2
    monkeypatch.setenv("SPIKEWIRE_CQL_URL", url)

    async def run() -> None:
        async with cql.AsyncSession.from_url(page_size=3) as session:
            assert len(await session.page("SELECT id FROM by_url")) == 3
        session = await cql.AsyncSession.from_url().open()
        assert session.is_open
        await session.close()

    asyncio.run(run())
