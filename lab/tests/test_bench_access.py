"""Users and TLS in the lab: the options of clients, which are left out, and that secrets stay
hidden."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("rich.console", reason="the lab's rich is not installed")
pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")

from spikewire_lab.access import (
    AUTHS,
    HIDDEN,
    OPEN,
    Access,
    Secret,
    Tls,
    cql_options,
    info,
    server,
)
from spikewire_lab.access.flags import without_secrets
from spikewire_lab.clients import PEERS, aerospike_c, aerospike_py
from spikewire_lab.clients.base import Target
from spikewire_lab.clients.limits import barred
from spikewire_lab.queries import lab as scans
from spikewire_lab.run import compare, launch
from spikewire_lab.run.place import Place
from spikewire_lab.run.progress import Progress
from spikewire_lab.studies import interleaved, recipes
from spikewire_lab.studies.recipe import QUICK, Bench
from spikewire_lab.studies.recipe import Target as LabTarget
from spikewire_lab.studies.recipes.serving import lab as serving
from spikewire_lab.studies.run import run_recipe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spikewire_lab.contract.result import Job

PASSWORD = "not to be seen"
LOGIN = Access("app", Secret(PASSWORD), "internal")
FILES = Tls("ca.pem", "client.pem", "client.key", ("", "db.example"))
FULL = replace(LOGIN, tls=FILES)
SEEDS = (("10.0.0.1", 3000), ("10.0.0.2", 4333))


def target(access: Access) -> Target:
    return Target(SEEDS, "test", "bench", access=access)


def test_a_job_passes_credentials_to_its_worker() -> None:
    for access in (OPEN, LOGIN, replace(LOGIN, tls=Tls()), FULL, Access(auth="pki", tls=FILES)):
        job: Any = json.loads(json.dumps({"access": access.job()}))
        assert Access.of_job(job) == access
    assert Access.of_job({}) == OPEN
    assert not OPEN
    assert LOGIN
    assert Access(tls=Tls())


def test_saved_and_printed_output_hides_the_password() -> None:
    place = Place(hosts=SEEDS, access=FULL)
    saved = json.dumps(place.as_json())
    assert PASSWORD not in saved
    assert "client.key" not in saved
    assert place.as_json()["access"] == {"auth": "internal", "tls": {"client_certificate": True}}
    assert "access" not in Place().as_json()
    assert PASSWORD not in repr(place)
    with pytest.raises(TypeError):
        json.dumps(vars(LOGIN))


@pytest.mark.parametrize(
    "words", [["--password", PASSWORD], [f"--password={PASSWORD}"], ["--password", "-5"]]
)
def test_command_lines_hide_the_password(words: list[str]) -> None:
    cleaned = without_secrets(["spikewire", "bench", *words, "-d", "1"])
    assert PASSWORD not in " ".join(cleaned)
    assert cleaned[-2:] == ["-d", "1"]
    assert HIDDEN in cleaned[-3]
    command = ["spikewire", "bench", "--password", "--tls"]
    assert without_secrets(command) == command


def test_messages_of_a_client_hide_the_password() -> None:
    answer = {"failed": f"no such user: app/{PASSWORD}", "operations": 3}
    assert launch.hidden(answer, LOGIN) == {"failed": "no such user: app/***", "operations": 3}
    assert launch.hidden(answer, OPEN) == answer


def test_our_client_gets_options_and_seeds_with_tls_names() -> None:
    assert target(OPEN).options == {"use_services_alternate": False}
    assert target(OPEN).seed_text == "10.0.0.1:3000,10.0.0.2:4333"
    options = target(FULL).options
    assert (options["user"], options["password"], options["auth"]) == ("app", PASSWORD, "internal")
    files = {"ca": "ca.pem", "certificate": "client.pem", "private_key": "client.key"}
    assert options["tls"] == files
    assert target(FULL).seed_text == "10.0.0.1:3000,10.0.0.2:db.example:4333"
    assert target(Access(tls=Tls())).options["tls"] is True
    named = replace(FULL, tls=replace(FILES, names=("db",)))
    assert cql_options(named) == {
        "user": "app",
        "password": PASSWORD,
        "tls": {**files, "server_name": "db"},
    }


def test_the_c_client_gets_a_config_with_tls_names() -> None:
    pytest.importorskip("aerospike")
    assert aerospike_c.config("aerospike", target(OPEN)) == {
        "hosts": list(SEEDS),
        "use_services_alternate": False,
    }
    options = aerospike_c.config("aerospike", target(FULL))
    assert options["hosts"] == [("10.0.0.1", 3000, "10.0.0.1"), ("10.0.0.2", 4333, "db.example")]
    assert (options["user"], options["password"]) == ("app", PASSWORD)
    files = {"cafile": "ca.pem", "certfile": "client.pem", "keyfile": "client.key"}
    assert options["tls"] == {"enable": True, **files}


def test_aerospike_py_logs_in_and_has_no_tls() -> None:
    pytest.importorskip("aerospike_py")
    options = aerospike_py.config("aerospike_py", target(LOGIN))
    assert (options["user"], options["password"]) == ("app", PASSWORD)
    for name in ("aerospike-py", "spikewire-compat-py"):
        assert barred(name, FULL) == "has no TLS"
        assert barred(name, LOGIN) is None
        assert barred(name, replace(LOGIN, auth="external-insecure")) == (
            "has no --auth external-insecure"
        )


def test_all_other_clients_log_in_by_every_way() -> None:
    others = [name for name in PEERS if name not in ("aerospike-py", "spikewire-compat-py")]
    for name in (*others, "spikewire-rust", "aerospike-rust", "spikewire-node", "aerospike-node"):
        for auth in AUTHS:
            assert barred(name, replace(FULL, auth=auth)) is None


def test_the_embedded_cluster_gets_users_and_reports_its_authority() -> None:
    options = json.loads(server.options(2, "test", 1, 2, replace(LOGIN, tls=Tls())))
    assert options["users"] == {"app": {"password": PASSWORD, "external": False}}
    assert options["tls"] == {"name": server.NAME}
    assert json.loads(server.options(1, "test", 1, 1, Access(tls=Tls())))["nodes"] == 1
    known = server.with_certificates(Access(tls=Tls()), 'certificates {"ca": "/x/ca.pem"}')
    assert known.tls == Tls(ca="/x/ca.pem")


def unanswered(*_: object) -> None:
    """As if there were no node."""


@pytest.mark.parametrize("name", ["aerospike-py", "serving", "node", "latency", "sdk"])
def test_every_job_of_every_recipe_has_credentials(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jobs: list[Job] = []

    def answer(_command: object, job: Any, *_: object, **__: object) -> Mapping[str, object]:
        if job["seeds"]:
            jobs.append(job)
        elif job["action"].startswith("describe"):
            return {"unavailable": None}
        if job["action"] in ("populate", "fill", "fill-sets"):
            return {"operations": job["keys"], "records": job["keys"] * job.get("sets", 1)}
        return {"failed": "nothing is there"}

    for module in (interleaved, serving, scans, compare):
        monkeypatch.setattr(module, "run_job", answer)
    monkeypatch.setattr(info, "first", unanswered)
    where = LabTarget(hosts=(("127.0.0.1", 1),), access=replace(LOGIN, tls=Tls("ca.pem")))
    clients = ("spikewire", "aerospike", "aerospike-py")
    bench = Bench(
        where,
        QUICK,
        ("",),
        Progress(bar=False),
        ["spikewire", "lab", name, "--password", PASSWORD],
        clients,
    )
    run_recipe(recipes.load(name), bench, tmp_path)
    assert jobs
    assert {job.get("access", {}).get("password") for job in jobs} == {PASSWORD}
    assert "aerospike-py" not in {job["client"] for job in jobs}
    assert any("aerospike-py" in one and "has no TLS" in one for one in bench.skipped)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if PASSWORD in path.read_text(errors="replace")]
