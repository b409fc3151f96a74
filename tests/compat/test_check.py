"""``spikewire compat check`` reports the differences for small real programs."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from spikewire.compat.check import Finding, check
from spikewire.compat.check.peers import PEERS, NotImportable, module_at
from spikewire.compat.check.report import show
from spikewire.compat.command import main
from spikewire.compat.difference_table import Differs, Missing

if TYPE_CHECKING:
    from pathlib import Path

OFFICIAL = """
    import aerospike
    from aerospike import exception as ex
    from aerospike_helpers import expressions as exp
    from aerospike_helpers.operations import list_operations as lo

    config = {
        "hosts": [("127.0.0.1", 3000)],
        "tls": {"enable": True, "cafile": "/ca.pem", "cert_blacklist": "/x", "knots": 1},
        "policies": {"read": {"total_timeout": 100, "compress": True}},
        "colour": 1,
    }
    client = aerospike.client(config).connect()
    key = ("test", "demo", 1)
    client.put(key, {"a": 1}, {"ttl": 5}, {"key": aerospike.POLICY_KEY_SEND, "flavour": 3})
    try:
        client.operate(key, [lo.list_append("l", 1)], policy={"max_retries": 5})
    except ex.RecordNotFound:
        pass
    client.commit(1)
    query = client.query("test", "demo")
    query.where(aerospike.predicates.equals("a", 1))
    client.paint()

    def later(db_client):
        db_client.abort(1)
        db_client.truncate("test", "demo", 0)

    print(exp.IntBin("a"), aerospike.NO_SUCH_NUMBER)
"""
PY = """
    import aerospike_py as ap
    from aerospike_py import exp
    from aerospike_py.exception import RecordNotFound

    async def main(db: ap.AsyncClient, rows):
        async with ap.AsyncClient({"hosts": [("h", 3000)], "user": "u"}) as client:
            await client.connect()
            handle = await client.batch_read(rows, policy={"total_timeout": 5, "timeout": 1})
            handle.to_dict()
            handle.squeeze()
            await client.operate_ordered(rows[0], [])
            await client.put(rows[0], {"a": 1}, policy={"concurrency": 3})
        await db.admin_query_roles()
        ap.client({"hosts": [], "password": "p", "auth_mode": ap.AUTH_PKI})
"""
CASSANDRA = """
    from cassandra.auth import PlainTextAuthProvider
    from cassandra.cluster import Cluster, ExecutionProfile
    from cassandra.policies import DowngradingConsistencyRetryPolicy, RoundRobinPolicy
    from cassandra.query import SimpleStatement
    import cassandra.cqlengine.models
    from cassandra.io.geventreactor import GeventConnection
    from cassandra.values import Binder

    with Cluster(["h"], metrics_enabled=True, executor_threads=8, no_compact=False) as cluster:
        session = cluster.connect("shop")
        prepared = session.prepare("SELECT 1")
        rows = session.execute(prepared, (), execute_as="me")
        print(rows.one())
        session.execute_graph("g.V()")
        session.row_factory = None
        SimpleStatement("SELECT 1", routing_key=b"x")
"""


def findings_by_name(program: str) -> dict[str, Finding]:
    return {each.name: each for each in check(textwrap.dedent(program), "program.py")}


def verdicts(program: str, verdict: str) -> set[str]:
    return {name for name, each in findings_by_name(program).items() if each.verdict == verdict}


def test_the_official_client_is_checked() -> None:
    assert verdicts(OFFICIAL, "missing") == {
        "Client.paint", "aerospike.NO_SUCH_NUMBER", "config.tls.cert_blacklist",
    }  # fmt: skip
    assert verdicts(OFFICIAL, "differs") == {
        "config.colour", "config.tls.knots", "policy.compress", "policy.flavour",
        "policy.max_retries",
    }  # fmt: skip
    assert verdicts(OFFICIAL, "same") >= {
        "Client.abort", "Client.commit", "Client.put", "Client.operate", "Client.truncate",
        "Query.where", "config.hosts",
        "config.tls", "config.tls.enable", "config.tls.cafile",
        "policy.total_timeout", "policy.ttl", "aerospike.POLICY_KEY_SEND",
        "aerospike.exception.RecordNotFound", "aerospike.predicates.equals",
        "aerospike_helpers.operations.list_operations.list_append",
    }  # fmt: skip
    lines = {name: each.line for name, each in findings_by_name(OFFICIAL).items()}
    assert lines["config.tls.cert_blacklist"] == 9
    assert lines["Client.abort"] == 26


def test_aerospike_py_is_checked() -> None:
    assert verdicts(PY, "missing") == {
        "LazyBatchRecords.squeeze", "aerospike_py.AUTH_PKI",
    }  # fmt: skip
    assert verdicts(PY, "differs") == {
        "AsyncClient.operate_ordered", "policy.concurrency", "policy.timeout",
    }  # fmt: skip
    assert verdicts(PY, "same") >= {
        "AsyncClient.connect", "AsyncClient.batch_read", "LazyBatchRecords.to_dict",
        "aerospike_py.exception.RecordNotFound", "policy.total_timeout", "config.user",
        "config.password", "config.auth_mode",
    }  # fmt: skip


def test_cassandra_driver_is_checked() -> None:
    assert verdicts(CASSANDRA, "missing") == {
        "Cluster(metrics_enabled)", "Session.execute(execute_as)", "Session.execute_graph",
        "cassandra.io.geventreactor.GeventConnection",
        "cassandra.policies.DowngradingConsistencyRetryPolicy", "cassandra.values.Binder",
    }  # fmt: skip
    assert verdicts(CASSANDRA, "differs") == {
        "Cluster(executor_threads)", "SimpleStatement(routing_key)", "cassandra.cqlengine.models",
    }  # fmt: skip
    assert verdicts(CASSANDRA, "same") >= {
        "Cluster.connect", "Session.execute", "Session.prepare", "Session.row_factory",
        "ResultSet.one", "cassandra.auth.PlainTextAuthProvider",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ("'q', None, 1, False, None, None, None, None, 'me'", {"Session.execute(execute_as)"}),
        ("'q', execute_as='me'", {"Session.execute(execute_as)"}),
        ("'q', None, 1, False, None, None, None, None, None", set()),
        ("'q'", set()),
    ],
)
def test_positional_parameters_are_checked(arguments: str, missing: set[str]) -> None:
    session = "from cassandra.cluster import Cluster\nsession = Cluster().connect()\n"
    assert verdicts(f"{session}session.execute({arguments})", "missing") == missing


@pytest.mark.parametrize("module", ["aerospike", "aerospike_py"])
def test_a_user_is_the_same(module: str) -> None:
    program = f"import {module}\n{module}.client({{'hosts': []}}).connect('u', password='p')"
    assert not verdicts(program, "missing") | verdicts(program, "differs")


@pytest.mark.parametrize(
    "program",
    [
        "import spikewire\nclient = spikewire.Client('x')\nclient.abort()",
        "client.abort()",
        "from .aerospike import client\nclient.admin_create_user()",
        "",
    ],
)
def test_other_programs_are_left_alone(program: str) -> None:
    assert check(program) == []


def test_clients_are_known_wherever_they_are_stored() -> None:
    program = """
    import aerospike

    class Store:
        def __init__(self, config):
            self.db = aerospike.client(config)
            self.other = None

        def run(self):
            self.db.get_many()
            self.other.get_many()
            (lambda c: c.get_many(1))(self.db)
            aerospike.client({}).connect().select_many(1)

    def typed(it: aerospike.Client):
        it.list_size("x", "y")
    """
    assert {each.name for each in check(textwrap.dedent(program)) if each.verdict == "missing"} == {
        "Client.get_many", "Client.list_size", "Client.select_many",
    }  # fmt: skip
    assert [e.line for e in check(textwrap.dedent(program)) if e.name == "Client.get_many"] == [10]


def test_variables_of_the_same_name_are_distinguished() -> None:
    program = """
    import aerospike
    from aerospike import exception as e
    from aerospike_helpers.batch import records
    from aerospike_helpers.operations import operations as ops

    client = aerospike.client({}).connect()

    def read(query, records: list, client: Other):
        query.lower()
        records.append(1)
        client.paint()
        try:
            records.sort()
        except e.TimeoutError as e:
            e.print_it()

    def write(rows, ops):
        records = [ops.nothing() for _ in rows]
        records.append(2)

    def name(it: "aerospike.Client | None", thing):
        from aerospike_helpers.operations import nothing as ops
        it.paint()
        ops.x()
        records.Nothing()
        return lambda client: client.get_many([])
    """
    seen = {each.name for each in check(textwrap.dedent(program)) if each.verdict != "same"}
    assert seen == {
        "Client.paint", "Client.get_many", "aerospike_helpers.batch.records.Nothing",
        "aerospike_helpers.operations.nothing", "aerospike_helpers.operations.nothing.x",
    }  # fmt: skip


def test_names_only_in_the_drop_in_are_reported() -> None:
    program = """
    import aerospike
    from aerospike import operations, predicates, records
    client = aerospike.client({})
    client.get(("a", "b", 1), colour=1)
    client.get_many([])
    """
    assert verdicts(program, "missing") == {
        "aerospike.operations", "aerospike.records", "Client.get(colour)",
        "Client.get_many",
    }  # fmt: skip


def _begins(names: list[str], start: str) -> bool:
    return any(each.startswith(start) for each in names)


def test_methods_of_older_versions_are_not_in_the_original() -> None:
    real = pytest.importorskip("aerospike", reason="the official client is not installed")
    gone = [
        name.partition(".")[2].rstrip("*")
        for name, entry in PEERS[0].differences().entries.items()
        if isinstance(entry, Missing) and "no such method either" in entry.instead
    ]
    assert len(gone) > 5
    # "list_" stands for all names with that prefix.
    names = dir(real.Client)
    assert not [old for old in gone if old in names or (old[-1] == "_" and _begins(names, old))]


def test_a_drop_in_that_cannot_be_imported_is_named(
    monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is then reported as missing."""
    package = folder / "halfway"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("import no_such_library\n")
    (package / "wrong.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(str(folder))
    assert module_at("halfway.nothing") is None
    for name, why in (("part", "no_such_library"), ("wrong", "ZeroDivisionError")):
        with pytest.raises(NotImportable, match=f"halfway.{name} cannot be imported here: .*{why}"):
            module_at(f"halfway.{name}.thing")

    for name in [each for each in sys.modules if each.startswith("spikewire.compat.aerospike_py")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "spikewire.compat.aerospike_py", None)
    module_at.cache_clear()
    program = folder / "app" / "py.py"
    program.write_text("import aerospike_py\naerospike_py.client({}).connect()\n")
    assert main(["check", str(folder / "app")]) == 2
    out = capsys.readouterr().out
    assert "py.py: cannot be checked: spikewire.compat.aerospike_py" in out
    assert "missing  " not in out
    assert "written for aerospike: 3 names" in out
    module_at.cache_clear()


def test_texts_are_those_of_the_errors() -> None:
    """The drop-in's errors and the check's reports use the same table."""
    from spikewire.compat import aerospike, aerospike_py

    table = PEERS[0].differences()
    with pytest.raises(NotImplementedError) as caught:
        aerospike.client({"hosts": [("h", 1)], "tls": {"enable": True, "cert_blacklist": "/x"}})
    assert findings_by_name(OFFICIAL)["config.tls.cert_blacklist"].text in str(caught.value)
    assert str(caught.value) == table.text("config.tls.cert_blacklist")
    with pytest.raises(NotImplementedError) as caught:
        aerospike_py.client({"hosts": ["h"], "user": "u", "auth_mode": 2}).connect()
    assert findings_by_name(PY)["aerospike_py.AUTH_PKI"].text in str(caught.value)


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_each_listed_name_has_a_text(peer: object) -> None:
    assert isinstance(peer, tuple)
    entries = peer.differences().entries  # type: ignore[attr-defined]
    assert len(entries) > 20
    for name, entry in entries.items():
        text = entry.instead if isinstance(entry, Missing) else entry.how
        assert isinstance(entry, (Missing, Differs)), name
        assert text == text.strip(), name
        assert not text.endswith("."), name


def test_names_that_are_listed_as_missing_are_known_to_the_original() -> None:
    real = pytest.importorskip("aerospike_py", reason="aerospike-py is not installed")
    for name, entry in PEERS[1].differences().entries.items():
        kind, _, rest = name.partition(".")
        if isinstance(entry, Missing) and kind in ("Client", "AsyncClient"):
            method = rest.partition("(")[0].rstrip("*")
            assert any(each.startswith(method) for each in dir(getattr(real, kind)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / ".venv").mkdir()
    (tmp_path / "app" / "one.py").write_text("import aerospike\naerospike.client({}).connect()\n")
    (tmp_path / "app" / "none.py").write_text("print(1)\n")
    (tmp_path / ".venv" / "skipped.py").write_text("import aerospike\naerospike.Nothing()\n")
    return tmp_path


def test_the_exit_code_depends_on_findings(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(folder)]) == 0
    assert "2 files, written for aerospike: 3 names" in capsys.readouterr().out
    missing = folder / "app" / "two.py"
    missing.write_text("import aerospike\naerospike.Nothing()\n")
    assert main(["check", str(folder)]) == 1
    out = capsys.readouterr().out
    assert re.search(r"missing  aerospike\.Nothing\n +there is .*\n +.*two\.py:2\n", out)
    (folder / "app" / "broken.py").write_text("import aerospike\nclass\n")
    assert main(["check", str(folder)]) == 2
    assert "broken.py: is not valid Python" in capsys.readouterr().out
    (folder / "empty").mkdir()
    assert main(["check", str(folder / "empty")]) == 2
    assert "empty: contains no Python files" in capsys.readouterr().out
    assert main(["check", str(folder / "not_there.py")]) == 2
    assert "cannot be read" in capsys.readouterr().out
    (folder / "bytes.py").write_bytes(b"\xff\xfe\x00import aerospike")
    assert main(["check", str(folder / "bytes.py")]) == 2


def test_findings_are_printed_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = folder / "app" / "one.py"
    program.write_text("import aerospike\naerospike.Nothing()\naerospike.Nothing()\n")
    assert main(["check", "--json", str(program)]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["counts"] == {"same": 1, "differs": 0, "missing": 1}
    assert [each["line"] for each in data["findings"] if each["verdict"] == "missing"] == [2, 3]
    assert data["files"] == 1
    assert data["unreadable"] == {}


def test_all_names_are_printed_on_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--all", "--plain", str(folder)]) == 0
    assert re.search(r"same +Client\.connect\n", capsys.readouterr().out)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colours(folder: Path) -> None:
    pytest.importorskip("rich")
    findings = check("import aerospike\naerospike.Nothing()\n", "program.py")
    for plain in (False, True):
        out = Terminal()
        show(findings, {}, 1, out, everything=False, plain=plain)
        assert ("\x1b[" in out.getvalue()) != plain
        assert "aerospike.Nothing" in out.getvalue()


def test_the_command_runs_as_a_module(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spikewire.compat", "check", str(folder)],
        check=False, timeout=120, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    process = subprocess.run(
        [sys.executable, "-m", "spikewire.compat", "check", "--help"],
        check=False, timeout=120, capture_output=True, text=True,
    )  # fmt: skip
    assert "exit codes: 0 nothing is missing" in process.stdout
