"""Sessions whose connections fail: a proxy in front of a real node."""

from __future__ import annotations

import asyncio
import http.server
import pickle
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.cql import errors
from spikewire.testing.cassandra import CqlProxy
from waiting import ends_before, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

pytestmark = pytest.mark.faults


@pytest.fixture(scope="module")
def table(cassandra: SharedCassandra, keyspace: str) -> str:
    cassandra.execute(f"CREATE TABLE {keyspace}.fruit (id int PRIMARY KEY, name text)")
    cassandra.execute(f"INSERT INTO {keyspace}.fruit (id, name) VALUES (1, 'pear')")
    return keyspace


@pytest.fixture
def proxy(cassandra: SharedCassandra) -> Iterator[CqlProxy]:
    with CqlProxy(cassandra.addresses[0]) as proxy:
        yield proxy


@pytest.fixture(params=[5, 4], ids=["v5", "v4"])
def session(proxy: CqlProxy, table: str, request: pytest.FixtureRequest) -> Iterator[cql.Session]:
    version = request.param
    with cql.Session(proxy.address, keyspace=table, protocol_version=version) as session:
        # From here on there is a connection.
        assert session.execute("SELECT name FROM fruit WHERE id = 1")[0]["name"] == "pear"
        yield session


READ = "SELECT name FROM fruit WHERE id = 1"
WRITE = "UPDATE fruit SET name = 'pear' WHERE id = 1"


def read(session: cql.Session, **options: Any) -> cql.Rows:
    rows = session.execute(READ, **options)
    assert rows[0]["name"] == "pear"
    return rows


def strike(session: cql.Session, proxy: CqlProxy, text: str, fault: Any, **options: Any) -> Any:
    """Injects one fault during a statement; returns its rows, or its error.

    The fault can hit the session's own requests to the node as well: then the statement is
    repeated.
    """
    for _ in range(20):
        proxy.inject("replies", times=1, **fault)
        try:
            rows = session.execute(text, **options)
        except errors.Error as error:
            return error
        if rows.attempts > 1:
            return rows
    pytest.fail("the fault never struck")


@pytest.mark.parametrize("after", [0, 1, 8])
def test_a_connection_is_cut_in_the_middle_of_a_reply(
    session: cql.Session, proxy: CqlProxy, after: int
) -> None:
    assert strike(session, proxy, READ, {"cut": after}).attempts == 2
    error = strike(session, proxy, WRITE, {"cut": after})
    assert isinstance(error, errors.ConnectionFailed)
    assert error.in_doubt
    assert error.attempts == 1
    assert strike(session, proxy, WRITE, {"cut": after}, idempotent=True).attempts == 2
    read(session)


@pytest.mark.parametrize("at", [0, 4, 9, 14])
def test_a_checksum_is_wrong(proxy: CqlProxy, table: str, at: int) -> None:
    with cql.Session(proxy.address, keyspace=table, protocol_version=5) as session:
        read(session)
        corrupt = {"corrupt": (at, 0x10)}
        assert strike(session, proxy, READ, corrupt).attempts == 2
        error = strike(session, proxy, WRITE, corrupt)
        assert isinstance(error, errors.Error)
        assert "invalid bytes" in error.message
        assert error.in_doubt
        read(session)


def test_errors_list_every_attempt(session: cql.Session, proxy: CqlProxy) -> None:
    proxy.inject("replies", cut=5)
    with pytest.raises(errors.ConnectionFailed) as caught:
        session.execute(READ, max_retries=2)
    assert caught.value.attempts == 3
    assert [node for node, _ in caught.value.failed_attempts] == [proxy.address] * 3
    assert all(reason for _, reason in caught.value.failed_attempts)


def test_a_server_error_lists_earlier_attempts(session: cql.Session, proxy: CqlProxy) -> None:
    error = strike(session, proxy, "SELECT nothing FROM fruit", {"cut": 5})
    # The fault can hit the session's own requests instead.
    while error.attempts == 1:
        error = strike(session, proxy, "SELECT nothing FROM fruit", {"cut": 5})
    assert isinstance(error, errors.InvalidRequest)
    assert error.attempts == 2
    assert [node for node, _ in error.failed_attempts] == [proxy.address] * 2
    assert error.failed_attempts[1][1] == error.message
    assert error.failed_attempts[0][1] != error.message
    again = pickle.loads(pickle.dumps(error))
    assert again.failed_attempts == error.failed_attempts


def test_a_timeout_names_the_node_and_what_was_before(
    session: cql.Session, proxy: CqlProxy
) -> None:
    proxy.inject("replies", swallow=True)
    with pytest.raises(errors.Timeout, match=f"no answer came from node {proxy.address}") as caught:
        session.execute(READ, timeout=0.5)
    assert (caught.value.node, caught.value.attempts) == (proxy.address, 1)
    assert caught.value.failed_attempts == [(proxy.address, caught.value.message)]
    proxy.clear()
    assert read(session).attempts == 1
    proxy.inject("replies", swallow=True)
    # The first attempt is given up because of silence, and the node does not answer the session's
    # own requests either.
    with pytest.raises((errors.Timeout, errors.ConnectionFailed)) as failed:
        session.execute(READ, timeout=20.0, socket_timeout=0.3, max_retries=100)
    attempts = failed.value.failed_attempts
    assert len(attempts) > 1
    assert all(node == proxy.address for node, _ in attempts)
    assert "socket timeout" in attempts[0][1]


def test_slow_networks_only_take_time(session: cql.Session, proxy: CqlProxy) -> None:
    proxy.inject("replies", delay=0.2)
    assert read(session).attempts == 1
    proxy.inject("replies", drip=(3, 0.001))
    proxy.inject("requests", drip=(5, 0.001))
    assert read(session).attempts == 1


def test_lost_requests_time_out(session: cql.Session, proxy: CqlProxy) -> None:
    proxy.inject("replies", swallow=True)
    with ends_before(8), pytest.raises(errors.Timeout) as caught:
        session.execute(WRITE, timeout=0.3)
    assert caught.value.in_doubt
    with ends_before(8), pytest.raises(errors.Timeout) as caught:
        session.execute(READ, timeout=0.3)
    assert not caught.value.in_doubt
    proxy.clear()
    proxy.cut()
    assert until(lambda: read(session, timeout=20.0))


def test_a_silent_connection_is_replaced(session: cql.Session, proxy: CqlProxy) -> None:
    """A statement outlives the silent connection: another one has the answer."""
    proxy.inject("replies", hold=True)
    waiting = session.submit.execute(READ, timeout=60.0, max_retries=100)
    assert until(lambda: not session.nodes[0].up)
    proxy.clear()
    proxy.cut()
    assert waiting.result(60)[0]["name"] == "pear"
    assert until(lambda: session.nodes[0].up)


def test_all_contact_points_go_and_come_back(session: cql.Session, proxy: CqlProxy) -> None:
    proxy.refuse("port")
    proxy.cut()
    with pytest.raises(errors.Error) as caught:
        session.execute(WRITE, timeout=5.0)
    assert isinstance(caught.value, (errors.ConnectionFailed, errors.NodeUnavailable))
    assert not caught.value.in_doubt
    assert until(lambda: not session.nodes[0].up)
    proxy.clear()
    assert until(lambda: session.nodes[0].up)
    read(session)


@pytest.mark.parametrize("how", ["close", "silent", "port"])
def test_a_refusing_contact_point_is_named(proxy: CqlProxy, how: Any) -> None:
    proxy.refuse(how)
    with (
        ends_before(20),
        pytest.raises(errors.ConnectionFailed, match="no contact point") as caught,
    ):
        cql.Session(proxy.address, connect_timeout=1.0)
    assert proxy.address in str(caught.value)


def test_another_contact_point_serves(proxy: CqlProxy, cassandra: SharedCassandra) -> None:
    proxy.refuse("close")
    with cql.Session([proxy.address, *cassandra.addresses]) as session:
        assert len(session.execute("SELECT key FROM system.local")) == 1


class Hello(http.server.BaseHTTPRequestHandler):
    def handle(self) -> None:
        self.rfile.read(1)
        self.wfile.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def test_a_contact_point_that_speaks_http_raises() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{server.server_address[1]}"
        with ends_before(60), pytest.raises(errors.ConnectionFailed, match="no contact point"):
            cql.Session(address)
        server.shutdown()


def test_a_silent_contact_point_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        address = f"127.0.0.1:{deaf.getsockname()[1]}"
        with ends_before(30), pytest.raises(errors.ConnectionFailed, match=address):
            cql.Session(address, connect_timeout=0.5)


def test_a_keyspace_that_does_not_exist(cassandra: SharedCassandra) -> None:
    with pytest.raises(errors.InvalidRequest, match="Keyspace 'nowhere' does not exist"):
        cql.Session(cassandra.addresses, keyspace="nowhere")


def test_many_requests_share_one_preparation(
    cassandra: SharedCassandra, proxy: CqlProxy, table: str
) -> None:
    """The statement is long, so that the size of requests shows how often it was sent."""
    length, count = 20_000, 1000

    async def main() -> None:
        async with cql.AsyncSession(proxy.address, keyspace=table) as session:
            text = f"INSERT INTO fruit (id, name) VALUES (?, ?) /* {'x' * length} */"
            insert = await session.prepare(text)
            await session.execute(insert, (1, "pear"))
            for number in range(2):
                await asyncio.to_thread(
                    cassandra.execute, f"ALTER TABLE {table}.fruit ADD storm{number} text"
                )
                before = proxy.stats()["requests"]
                values = ((i, "pear") for i in range(count))
                await asyncio.gather(*(session.execute(insert, row) for row in values))
                sent = proxy.stats()["requests"] - before
                assert length < sent < 10 * length + 400 * count, "not one for each"

    asyncio.run(main())


@pytest.mark.parametrize("version", [4, 5])
def test_columns_that_came_later_are_seen(
    cassandra: SharedCassandra, keyspace: str, version: int
) -> None:
    name = f"{keyspace}.late{version}"
    cassandra.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, a text, z text)")
    cassandra.execute(f"INSERT INTO {name} (id, a, z) VALUES (1, 'a', 'z')")
    points = cassandra.addresses
    with (
        cql.Session(points, protocol_version=version) as session,
        cql.Session(points, protocol_version=version) as other,
    ):
        text = f"SELECT * FROM {name} WHERE id = ?"
        select = session.prepare(text)
        assert list(session.execute(select, (1,)).columns) == ["id", "a", "z"]
        other.execute(f"ALTER TABLE {name} ADD m text")
        # The node knows the statement again, with other columns.
        other.prepare(text)
        other.execute(f"UPDATE {name} SET m = 'm' WHERE id = 1")
        for _ in range(2):
            rows = session.execute(select, (1,))
            assert list(rows.columns) == ["id", "a", "m", "z"]
            assert rows[0]["z"] == "z"
            assert rows[0]["m"] == "m"


def test_more_calls_than_a_connection_has_ids(cassandra: SharedCassandra, table: str) -> None:
    async def main() -> None:
        async with cql.AsyncSession(
            cassandra.addresses,
            keyspace=table,
            pipeline_depth=32_767,
            timeout=120.0,
            max_retries=30,
            retry_budget=None,
        ) as session:
            select = await session.prepare("SELECT name FROM fruit WHERE id = ?")
            rows = await asyncio.gather(*(session.execute(select, (1,)) for _ in range(40_000)))
            assert all(item[0]["name"] == "pear" for item in rows)

    asyncio.run(main())
