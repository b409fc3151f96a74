"""Which nodes statements are sent to, as reported by the servers."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra


@pytest.fixture(scope="module")
def session(cassandra_cluster: SharedCassandra) -> Iterator[cql.Session]:
    with cql.Session(cassandra_cluster.addresses, timeout=30.0) as session:
        for name, replication in {
            "simple": "{'class': 'SimpleStrategy', 'replication_factor': 1}",
            "racks": "{'class': 'NetworkTopologyStrategy', 'dc1': 2}",
        }.items():
            session.execute(f"CREATE KEYSPACE {name} WITH replication = {replication}")
            session.execute(
                f"CREATE TABLE {name}.fruit (id int, kind text, name text, "
                "PRIMARY KEY ((id, kind)))"
            )
        yield session


def coordinator(session: cql.Session, rows: Any) -> str:
    """The coordinator of a traced statement, according to its trace."""
    text = "SELECT coordinator FROM system_traces.sessions WHERE session_id = %s"
    texts: list[str] = []

    def is_written() -> bool:
        result = session.execute(text, (rows.tracing_ids[0],), consistency="all")
        texts.extend(str(row["coordinator"]) for row in result)
        return bool(texts)

    # Traces are written after the answer.
    assert until(is_written), "no trace was written"
    return texts[0]


@pytest.mark.parametrize("keyspace", ["simple", "racks"])
def test_prepared_statements_go_to_a_replica(session: cql.Session, keyspace: str) -> None:
    select = session.prepare(f"SELECT name FROM {keyspace}.fruit WHERE id = ? AND kind = ?")
    requests = Counter[str]()
    for number in range(30):
        values = (number, "sour")
        token = select.token(values)
        assert token is not None
        replicas = [node.rpartition(":")[0] for node in session.replicas(keyspace, token)]
        assert len(replicas) == (1 if keyspace == "simple" else 2)
        rows = session.execute(select, values, tracing=True)
        node = coordinator(session, rows)
        assert node in replicas
        requests[node] += 1
    assert len(requests) == 3, "all nodes have their part"


def wrote(session: cql.Session, trace: object, replicas: set[str]) -> bool:
    """Whether exactly these nodes wrote a row, according to the trace."""
    events = session.execute(
        "SELECT source, activity FROM system_traces.events WHERE session_id = %s",
        (trace,),
        consistency="all",
    )
    values = {str(event["source"]) for event in events if "memtable" in event["activity"]}
    assert values <= replicas
    return values == replicas


def test_replicas_are_those_of_the_server(session: cql.Session) -> None:
    """A row that only its replicas were asked to write is found on these, and nowhere else."""
    insert = session.prepare("INSERT INTO racks.fruit (id, kind, name) VALUES (?, ?, 'pear')")
    for number in range(10):
        values = (number, "sweet")
        written = session.execute(insert, values, tracing=True, consistency="all")
        token = insert.token(values)
        assert token is not None
        replicas = {node.rpartition(":")[0] for node in session.replicas("racks", token)}
        trace = written.tracing_ids[0]
        # Traces are written after the answer.
        assert until(partial(wrote, session, trace, replicas))


def test_conditions_meet_on_the_first_replica(session: cql.Session) -> None:
    insert = session.prepare("INSERT INTO racks.fruit (id, kind) VALUES (?, ?) IF NOT EXISTS")
    for number in range(6):
        values = (number, "bitter")
        token = insert.token(values)
        assert token is not None
        first = session.replicas("racks", token)[0].rpartition(":")[0]
        for _ in range(2):
            rows = session.execute(insert, values, tracing=True)
            assert coordinator(session, rows) == first


KEYS = {
    "int": lambda: random.randint(-(2**31), 2**31 - 1),
    "bigint": lambda: random.randint(-(2**63), 2**63 - 1),
    "text": lambda: "".join(random.choices("abcäöü€𝄞", k=random.randint(1, 40))),
    "blob": lambda: random.randbytes(random.randint(1, 100)),
}


@pytest.mark.parametrize("columns", [["int"], ["bigint"], ["text"], ["blob"], list(KEYS)])
def test_tokens_are_those_of_the_server(session: cql.Session, columns: list[str]) -> None:
    random.seed(7)
    names = [f"k{number}" for number in range(len(columns))]
    table = "simple.t_" + "_".join(columns)
    typed = ", ".join(f"{name} {kind}" for name, kind in zip(names, columns, strict=True))
    session.execute(f"CREATE TABLE {table} ({typed}, PRIMARY KEY (({', '.join(names)})))")
    marks = ", ".join("?" * len(names))
    insert = session.prepare(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})")
    keys = {tuple(KEYS[kind]() for kind in columns) for _ in range(2000)}
    # On a busy machine this takes longer than the usual timeout.
    pending = [session.submit.execute(insert, key, timeout=300) for key in keys]
    for one in pending:
        one.result()
    rows = session.execute(
        f"SELECT token({', '.join(names)}) AS t, {', '.join(names)} FROM {table}"
    )
    entries = {tuple(row[name] for name in names): row["t"] for row in rows}
    assert entries.keys() == keys
    wrong = [key for key, token in entries.items() if insert.token(key) != token]
    assert not wrong, wrong[:3]


def test_nodes_of_another_datacenter_are_left_alone(cassandra_cluster: SharedCassandra) -> None:
    with (
        cql.Session(cassandra_cluster.addresses, local_datacenter="elsewhere") as session,
        pytest.raises(cql.errors.NodeUnavailable, match="elsewhere"),
    ):
        session.execute("SELECT key FROM system.local")
