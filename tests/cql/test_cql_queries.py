"""Results of several pages: all at once, page by page, as a stream; and many rows written."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.cql import errors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from sessions import Opened
    from spikewire.testing.cassandra import SharedCassandra

ROWS = 1000
INSERT = "INSERT INTO series (k, c, v) VALUES (?, ?, ?)"
SELECT = "SELECT c FROM series WHERE k = ?"


@pytest.fixture(scope="module", autouse=True)
def table(cassandra: SharedCassandra, keyspace: str) -> None:
    cassandra.execute(f"CREATE TABLE {keyspace}.series (k int, c int, v text, PRIMARY KEY (k, c))")
    with cql.Session(cassandra.addresses[0], keyspace=keyspace, connect_timeout=20) as session:
        rows = ((0, number, f"v{number}") for number in range(ROWS))
        assert session.execute_many(INSERT, rows, results=False, timeout=60) == ROWS


def numbers(rows: Any) -> list[int]:
    return [row.c for row in rows]


@pytest.mark.parametrize("size", [1, 7, ROWS - 1, ROWS, ROWS + 1])
def test_all_rows_come_whatever_the_page(session: Opened, size: int) -> None:
    most = 40 if size == 1 else ROWS
    result = session.execute(SELECT + f" LIMIT {most}", [0], page_size=size)
    assert numbers(result) == list(range(most))
    assert result.paging_state is None
    assert numbers(result[5:8]) == [5, 6, 7]
    assert result[-1].c == most - 1
    literal = session.execute(f"SELECT c FROM series WHERE k = 0 LIMIT {most}", page_size=size)
    assert numbers(literal) == list(range(most))


def test_pages_are_fetched_one_by_one(session: Opened) -> None:
    # The last page is full, and the server reveals that only with an empty page after it.
    sizes, state = [], None
    while True:
        page = session.page(SELECT, [0], page_size=250, paging_state=state)
        sizes.append(len(page))
        state = page.paging_state
        if state is None:
            break
    assert sizes == [250, 250, 250, 250, 0]


def test_a_stream_returns_all_rows(session: Opened) -> None:
    query = session.query(SELECT, [0], page_size=100)
    assert numbers(session.some(query, 150)) == list(range(150))
    assert numbers(session.some(query)) == list(range(150, ROWS))
    assert session.some(query) == []
    assert query.paging_state is None
    assert "at the end" in repr(query)


def test_a_stream_returns_pages(session: Opened) -> None:
    assert [len(page) for page in session.pages(session.query(SELECT, [0], page_size=400))] == [
        400,
        400,
        200,
    ]
    everything = session.pages(session.query("SELECT c FROM series WHERE k = 0"))
    assert [len(page) for page in everything] == [ROWS]


def test_a_stream_goes_on_elsewhere(session: Opened) -> None:
    query = session.query(SELECT, [0], page_size=100)
    session.pages(query, 3)
    rest = session.query(SELECT, [0], page_size=100, paging_state=query.paging_state)
    session.end_query(query)
    assert numbers(session.some(rest)) == list(range(300, ROWS))


def test_a_stream_that_is_closed_ends(session: Opened) -> None:
    query = session.query(SELECT, [0], page_size=100)
    session.some(query, 10)
    for _ in range(2):
        session.end_query(query)
    assert session.some(query) == []
    assert "closed" in repr(query)
    never = session.query(SELECT, [0])
    session.end_query(never)
    assert session.some(never) == []


def test_parameters_are_those_of_the_beginning(session: Opened) -> None:
    parameters = [0]
    query = session.query(SELECT, parameters, page_size=100)
    session.some(query, 1)
    parameters[0] = 1
    assert numbers(session.some(query)) == list(range(1, ROWS))


def test_errors_of_a_stream_raise(session: Opened) -> None:
    with pytest.raises(errors.InvalidRequest, match="nothing"):
        session.some(session.query("SELECT * FROM nothing"))
    with pytest.raises(TypeError, match="k: int"):
        session.some(session.query(SELECT, ["zero"]))


def test_pages_are_fetched_on_demand(session: Opened) -> None:
    requests: list[Any] = []

    query = session.query(SELECT, [0], page_size=10)
    real = query._session

    class Spy:
        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        @property
        def submit(self) -> Any:
            return self

        def page(self, *arguments: Any, **options: Any) -> Any:
            requests.append(options.get("paging_state"))
            first = len(requests) == 1 and session.api.is_blocking
            owner = real if first or not session.api.is_blocking else real.submit
            return owner.page(*arguments, **options)

    query._session = Spy()
    assert requests == []
    session.some(query, 1)
    assert len(requests) == 2
    session.some(query, 9)
    assert len(requests) == 2
    session.some(query, 1)
    assert len(requests) == 3
    session.end_query(query)


def test_execute_many_runs_at_any_concurrency(session: Opened) -> None:
    insert = session.prepare(INSERT)
    for concurrency in (1, 7, 128, 30_000):
        rows = [(1, number, "m") for number in range(300)]
        results = session.execute_many(insert, rows, concurrency=concurrency)
        assert [len(result) for result in results] == [0] * 300
    assert session.execute("SELECT count(*) AS n FROM series WHERE k = 1").one().n == 300
    find = "SELECT c FROM series WHERE k = %s AND c = %s"
    results = session.execute_many(find, ((1, number) for number in range(299, -1, -1)))
    assert [result.one().c for result in results] == list(range(299, -1, -1))
    assert session.execute_many(insert, []) == []
    assert session.execute_many(insert, iter(rows), results=False) == 300
    assert session.execute_many(insert, [{"k": 1, "c": 1, "v": "d"}], results=False) == 1


@pytest.mark.parametrize("concurrency", [1, 10])
def test_rows_are_read_only_as_concurrency_allows(session: Opened, concurrency: int) -> None:
    count = 0

    def rows() -> Iterator[tuple[int, int, str]]:
        nonlocal count
        for number in range(100):
            count += 1
            yield 2, "wrong" if number == 50 else number, "t"  # type: ignore[misc]

    with pytest.raises(TypeError, match="c: int takes an integer") as raised:
        session.execute_many(INSERT, rows(), concurrency=concurrency)
    assert raised.value.row == 50  # type: ignore[attr-defined]
    # Whether it really does not fit is looked up first, which takes the place of one row; the
    # rows beside it go on meanwhile.
    assert count == 51 if concurrency == 1 else count >= 51


def test_errors_are_returned_among_results(session: Opened) -> None:
    rows = [(3, 1, "a"), (3, "b", "b"), (3, 1 << 40, "c"), (3,), (3, 2, "d")]
    results = session.execute_many(INSERT, rows, errors="return")
    kinds = [type(result).__name__ for result in results]
    assert kinds == ["Rows", "TypeError", "OverflowError", "ValueError", "Rows"]


def test_errors_of_the_server_raise(session: Opened) -> None:
    statement = "SELECT c FROM series WHERE k = ? AND v = ? ALLOW FILTERING"
    rows: list[Any] = [(0, "v1"), (0, cql.UNSET), (0, "v2")]
    with pytest.raises(errors.InvalidRequest) as raised:
        session.execute_many(statement, rows)
    assert raised.value.row == 1  # type: ignore[attr-defined]
    results = session.execute_many(statement, rows, errors="return")
    assert [type(result).__name__ for result in results] == ["Rows", "InvalidRequest", "Rows"]
    assert [numbers(results[0]), numbers(results[2])] == [[1], [2]]


def test_an_error_of_the_row_iterator_raises(session: Opened) -> None:
    def rows() -> Iterator[tuple[int, int, str]]:
        yield 4, 1, "a"
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        session.execute_many(INSERT, rows())
    assert session.execute_many(INSERT, [(4, 2, "b")], results=False) == 1


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"concurrency": 0}, ValueError, "concurrency must be from 1"),
        ({"concurrency": 40_000}, ValueError, "concurrency must be from 1"),
        ({"concurrency": -1}, ValueError, "got -1"),
        ({"concurrency": 1 << 70}, ValueError, "concurrency must be from 1"),
        ({"concurrency": "a"}, TypeError, "str"),
        ({"concurrency": True}, TypeError, "int"),
        ({"errors": None}, TypeError, "errors must be"),
        ({"errors": "ignore"}, ValueError, 'errors must be "raise" or "return"'),
        ({"errors": "return", "results": False}, ValueError, "among the results"),
        ({"speed": 1}, TypeError, "unknown option"),
    ],
)
def test_invalid_options_of_execute_many_raise(
    session: Opened, options: dict[str, Any], error: type, words: str
) -> None:
    with pytest.raises(error, match=words):
        session.execute_many(session.prepare(INSERT), [(1, 1, "a")], **options)
    with pytest.raises(TypeError, match="many rows"):
        session.execute_many(cql.Batch(), [(1, 1, "a")])
    with pytest.raises(TypeError):
        session.execute_many(INSERT, 5)


def test_rows_may_be_asynchronous(session: Opened) -> None:
    async def rows() -> AsyncIterator[tuple[int, int, str]]:
        for number in range(300):
            if number % 50 == 0:
                await asyncio.sleep(0)
            yield 5, number, "a"

    if session.api.is_blocking:
        with pytest.raises(TypeError, match="AsyncSession"):
            session.execute_many(INSERT, rows())
        return
    assert session.execute_many(INSERT, rows(), concurrency=20, results=False) == 300
    assert len(session.execute(SELECT, [5])) == 300


def test_more_calls_than_a_connection_has_ids(session: Opened) -> None:
    find = session.prepare("SELECT c FROM series WHERE k = ? AND c = ?")
    rows = [(0, number % ROWS) for number in range(40_000)]
    results = session.execute_many(find, rows, concurrency=1000)
    assert [result.one().c for result in results] == [number for _, number in rows]
