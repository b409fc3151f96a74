"""Programs with users and TLS: pools, threads, forks, expired sessions, the command line."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from forking import scenario
from secured import PASSWORD, USERS, WRITER, files, identity, trusted, url
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def secured() -> Iterator[Cluster]:
    with Cluster(nodes=2, users=USERS, tls={"client_certificates": True}) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture(scope="module")
def options(secured: Cluster) -> dict[str, Any]:
    return {"timeout": 30, "connect_timeout": 20, **WRITER, **trusted(secured, **identity(secured))}


def test_threads_share_a_client(secured: Cluster, options: dict[str, Any]) -> None:
    with spikewire.Client(secured.seeds, **options) as client:
        users = client.dataset("test", "threads")
        begin = threading.Barrier(8)

        def work(number: int) -> int:
            begin.wait(60)  # connections are opened at the same time
            for at in range(50):
                users.put(number * 50 + at, {"n": at})
            return users.get_many(range(number * 50, number * 50 + 50)).found

        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(work, range(8))) == [50] * 8
        futures = [users.submit.get(n) for n in range(400)]
        values = [future.result(60).bins["n"] for future in futures]
        assert all(values.count(n) == 8 for n in range(50))
        assert client.stats().nodes


@pytest.mark.parametrize("uvloop", [False, True])
def test_a_pool_uses_a_secured_cluster(
    secured: Cluster, options: dict[str, Any], uvloop: bool
) -> None:
    if uvloop:
        pytest.importorskip("uvloop")
    with spikewire.Pool(secured.seeds, loops=3, uvloop=uvloop, **options) as pool:
        users = pool.dataset("test", "pool")
        for number in range(100):
            pool.run(users.put, number, {"n": number}).result(60)
        values = list(pool.map(users.get, range(100)))
        assert [record["n"] for record in values] == list(range(100))
        assert PASSWORD not in repr(pool)


def test_concurrent_calls_use_a_secured_cluster(secured: Cluster, options: dict[str, Any]) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(secured.seeds, **options) as client:
            users = client.dataset("test", "burst")
            await asyncio.gather(*(users.put(n, {"n": n}) for n in range(2000)))
            text = "x" * 100_000
            await asyncio.gather(*(users.put(f"large {n}", {"t": text}) for n in range(20)))
            records = await asyncio.gather(*(users.get(f"large {n}") for n in range(20)))
            assert all(record["t"] == text for record in records)
            assert (await users.get_many(range(2000))).found == 2000

    asyncio.run(main())


def test_the_child_of_a_fork_logs_in(secured: Cluster) -> None:
    with Cluster(users=USERS, tls=True) as cluster:
        output = scenario(
            url(cluster),
            """
            with spikewire.Client.from_url(seeds, timeout=30, connect_timeout=20) as client:
                users = client.dataset(set="forks")
                users.put("k", {"n": 1})
                def work():
                    assert users.get("k")["n"] == 1
                    users.put("child", {"n": 2})
                child(work)
                child(work)
                assert users.get("child")["n"] == 2
            print("done")
            """,
        )
        assert output == "done"


def test_sessions_that_end_are_renewed() -> None:
    with Cluster(nodes=2, users=USERS, session_ttl=1) as cluster:
        options = {**WRITER, "timeout": 30, "idle_timeout": 0.2, "connections_per_node": 8}
        with spikewire.Client(cluster.seeds, **options) as client:
            users = client.dataset("test", "renewed")
            for round_ in range(8):
                with ThreadPoolExecutor(8) as threads:
                    list(threads.map(lambda n: users.put(n, {"n": n}), range(64)))
                assert users.get_many(range(64)).found == 64
                threading.Event().wait(0.4)
                assert round_ < 8


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: it for name, it in os.environ.items() if not name.startswith("SPIKEWIRE_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "spikewire", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment | variables,
        stdin=subprocess.DEVNULL,
    )


def test_info_reads_a_secured_cluster(secured: Cluster) -> None:
    certificates = files(secured)
    flags = ["--user", "app", "--tls-ca", str(certificates.ca)]
    flags += [
        "--tls-certificate",
        str(certificates.certificate),
        "--tls-key",
        str(certificates.key),
    ]
    variable = {"SPIKEWIRE_AEROSPIKE_PASSWORD": PASSWORD}
    ran = run("info", "-H", secured.seeds, *flags, "build", **variable)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("  build: ") == 2
    ran = run("info", "-H", secured.seeds, *flags, "--password", PASSWORD)
    assert ran.returncode == 0, ran.stderr
    wrong = run("info", "-H", secured.seeds, *flags, "--password", "hidden")
    assert wrong.returncode == 1
    assert 'the login of user "app" was refused' in wrong.stderr
    assert "hidden" not in wrong.stderr
    missing = run("info", "-H", secured.seeds, *flags)
    assert missing.returncode == 2
    assert "--user app needs --password, or the variable" in missing.stderr
    other = run("info", "-H", secured.seeds, *flags, "--tls-name", "pomona.example", **variable)
    assert other.returncode == 1
    assert "pomona.example" in other.stderr
    flags += ["--tls-name", "pomona.example", "--no-tls-verify-hostname"]
    assert run("info", "-H", secured.seeds, *flags, **variable).returncode == 0


def test_variables_open_a_secured_client(secured: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates = files(secured)
    for name, text in {
        "URL": f"aerospike://{secured.seeds}/test",
        "USER": "app",
        "PASSWORD": PASSWORD,
        "TLS_CA": str(certificates.ca),
        "TLS_CERTIFICATE": str(certificates.certificate),
        "TLS_PRIVATE_KEY": str(certificates.key),
    }.items():
        monkeypatch.setenv(f"SPIKEWIRE_AEROSPIKE_{name}", text)
    with spikewire.Client.from_url() as client:
        assert not client.dataset(set="variables").exists("a")

    async def main() -> None:
        async with spikewire.AsyncClient.from_url() as client:
            assert not await client.dataset(set="variables").exists("a")
        async with spikewire.Pool.from_url(loops=1) as pool:
            assert not await pool.run(pool.dataset(set="variables").exists, "a")

    asyncio.run(main())
