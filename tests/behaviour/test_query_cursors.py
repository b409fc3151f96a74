"""Cursors of plain queries: one that stops anywhere resumes anywhere, and no record comes twice."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from apis import Api, Opened

COUNT = 3000
#: Queries by their keywords, which another process repeats, and their results.
QUERIES = {
    "scan": ("", range(COUNT)),
    "filter": ('where="$.n % 3 == 1"', range(1, COUNT, 3)),
    "bins": ('bins=["n"], limit=2000', None),
    "index": ('index=spikewire.between("n", 100, 2499)', range(100, 2500)),
    "list": ('index=spikewire.between("l", 5, 6, of="list")', None),
}
BLOCKING = """
    import sys, spikewire
    with spikewire.Client(sys.argv[1]) as client:
        cursor = bytes.fromhex(sys.stdin.readline())
        for record in client.query("test", sys.argv[2], {options}, resume=cursor):
            print(record.key.digest.hex())
"""
ASYNCIO = """
    import asyncio, sys, spikewire

    async def main():
        async with spikewire.AsyncClient(sys.argv[1]) as client:
            cursor = bytes.fromhex(sys.stdin.readline())
            async for record in client.query("test", sys.argv[2], {options}, resume=cursor):
                print(record.key.digest.hex())

    asyncio.run(main())
"""


class Filled:
    """A set with two indexes, and its queries."""

    def __init__(self, client: Opened, name: str) -> None:
        self.api, self.client, self.name = client.api, client, name
        self.raw = client.raw.dataset("test", name)
        rows = {n: {"n": n, "l": [n % 7, n % 5]} for n in range(COUNT)}
        client.dataset("test", name).put_many(rows, send_key=True).raise_for_errors()
        indexes = client.raw.indexes
        self.api.settle(lambda: indexes.create("test", name, "n", int))
        self.api.settle(lambda: indexes.create("test", name, "l", int, of="list"))

    def query(self, options: str, **more: Any) -> Any:
        keywords = eval(f"dict({options})", {"spikewire": spikewire})
        return self.raw.query(**keywords, **more)

    def digests(self, query: Any, count: int = sys.maxsize) -> list[bytes]:
        return [record.key.digest for record in self.api.some(query, count)]


@pytest.fixture(scope="module")
def filled(client: Opened) -> Filled:
    return Filled(client, f"cursors {client.api.name}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "values"),
    [("scan", 0), ("scan", 1), ("scan", 777), *((kind, 300) for kind in QUERIES if kind != "scan")],
)
def test_another_process_goes_on(filled: Filled, cluster: Cluster, kind: str, values: int) -> None:
    if filled.api.name == "submit":
        pytest.skip("its queries are the blocking ones")
    options, expected = QUERIES[kind]
    whole = filled.digests(filled.query(options))
    if expected is not None:
        keys = (spikewire.Key("test", filled.name, n) for n in expected)
        assert set(whole) == {key.digest for key in keys}
    query = filled.query(options)
    seen = filled.digests(query, values)
    # The query is still open, and far ahead of its consumer.
    program = textwrap.dedent(BLOCKING if filled.api.is_blocking else ASYNCIO)
    options = options or "where=None"
    ran = subprocess.run(
        [sys.executable, "-c", program.format(options=options), cluster.seeds, filled.name],
        input=query.cursor.hex() + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    rest = [bytes.fromhex(line) for line in ran.stdout.splitlines()]
    assert len(seen) + len(rest) == len(whole)
    if kind == "bins":
        # Which records a limit leaves out is undefined.
        assert len(set(seen + rest)) == len(whole)
    else:
        assert sorted(seen + rest) == sorted(whole)


@pytest.mark.parametrize("kind", ["scan", "filter", "index", "list"])
def test_stops_anywhere_and_often(filled: Filled, kind: str) -> None:
    options, _ = QUERIES[kind]
    whole = sorted(filled.digests(filled.query(options)))
    draw = random.Random(kind)
    seen: list[bytes] = []
    cursor = None
    while len(seen) < len(whole):
        query = filled.query(options, resume=cursor, page_size=draw.choice([None, 100]))
        count = draw.choice([0, 1, 15, 17, 300, draw.randrange(700)])
        result = filled.digests(query, count)
        seen += result
        cursor = query.cursor
        assert len(result) == count or len(seen) == len(whole)
        if draw.random() < 0.3:
            # The query itself continues; the earlier cursor is still valid.
            more = filled.digests(query, 50)
            again = filled.digests(filled.query(options, resume=cursor))
            assert set(more) <= set(again)
            assert sorted(seen + again) == whole
        elif draw.random() < 0.5:
            query.close()
            cursor = query.cursor
    assert sorted(seen) == whole
    assert filled.digests(filled.query(options, resume=cursor)) == []


def test_batches_stop_anywhere(filled: Filled) -> None:
    pa = pytest.importorskip("pyarrow")
    options, _ = QUERIES["index"]
    cursor, seen = None, []
    while True:
        query = filled.query(options, resume=cursor)
        tables = filled.api.some(query.arrow_batches(500, key="key"), 1)
        cursor = query.cursor
        if not tables:
            break
        seen += pa.table(tables[0])["key"].to_pylist()
    assert sorted(seen) == list(range(100, 2500))


def until_it_fails(api: Api, source: Any) -> tuple[list[Any], spikewire.Error]:
    """The records before the error, and the error."""
    result: list[Any] = []

    async def take() -> None:
        async for one in source:
            result.append(one)  # noqa: PERF401

    try:
        if api.is_blocking:
            for one in source:
                result.append(one)  # noqa: PERF402
        else:
            api.settle(take)
    except spikewire.Error as error:
        return result, error
    message = "it did not fail"
    raise AssertionError(message)


def test_a_closed_client_leaves_the_cursor(api: Api, cluster: Cluster, filled: Filled) -> None:
    with api.open(cluster.seeds, timeout=10) as client:
        query = client.raw.query("test", filled.name)
        seen = filled.digests(query, 40)
    rest = filled.digests(filled.raw.query(resume=query.cursor))
    assert len(set(seen + rest)) == len(seen + rest) == COUNT


@pytest.mark.parametrize("way", ["records", "batches"])
def test_errors_leave_the_cursor(api: Api, way: str) -> None:
    pa = pytest.importorskip("pyarrow") if way == "batches" else None
    # More than sockets and windows hold, so that the end has not arrived when the node fails.
    rows = {n: {"n": n, "b": b"x" * 4000} for n in range(2500)}

    def keys(result: list[Any]) -> list[int]:
        if way == "records":
            return [record.key.key for record in result]
        return [key for table in result for key in pa.table(table)["key"].to_pylist()]  # type: ignore[union-attr]

    with (
        Cluster(nodes=1) as cluster,
        api.open(cluster.seeds, max_retries=0, timeout=20) as client,
    ):
        data = client.dataset("test", "frail")
        data.put_many(rows, send_key=True).raise_for_errors()
        query = client.raw.query("test", "frail")
        source = query if way == "records" else query.arrow_batches(100, key="key")
        seen = keys(api.some(source, 1))
        cluster.kill(0)
        more, _ = until_it_fails(api, source)
        seen += keys(more)
        assert 0 < len(seen) < len(rows)
        # The same records are returned again when the query resumes.
        cluster.restart(0)
        with api.open(cluster.seeds, timeout=20) as other:
            again = other.dataset("test", "frail")
            again.put_many(rows, send_key=True).raise_for_errors()
            rest = api.rows(other.raw.query("test", "frail", resume=query.cursor))
        assert sorted(seen + [record.key.key for record in rest]) == sorted(rows)
