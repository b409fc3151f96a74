"""Clients by URL, environment variables and keywords."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import cql, opening
from spikewire.cql import AsyncSession, Session
from spikewire.cql._opening import CASSANDRA
from spikewire.cql.options import SessionOptions
from spikewire.opening.scheme import Scheme
from spikewire.options import BlockingOptions
from spikewire.testing import Cluster
from spikewire.testing.cassandra import CannedServer
from spikewire.testing.cassandra.certificates import make_certificates

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from pathlib import Path


#: A text for each option that a URL may contain, and its parsed value.
TEXTS: dict[str, tuple[str, Any]] = {
    "cluster_name": ("prod", "prod"),
    "seed_only": ("yes", True),
    "fail_if_not_connected": ("no", False),
    "protect_servers": ("no", False),
    "application_id": ("shop", "shop"),
    "user": ("app", "app"),
    "password": ("p", "p"),
    "auth": ("internal", "internal"),
    "tls": ("false", False),
    "timeout": ("250ms", 0.25),
    "socket_timeout": (".5", 0.5),
    "max_retries": ("3", 3),
    "sleep_between_retries": ("10ms", 0.01),
    "sleep_multiplier": ("1.5", 1.5),
    "hedge": ("p99", "p99"),
    "hedge_percent": ("20", 20),
    "share_reads": ("unsent", "unsent"),
    "near_cache": ("0", 0),
    "near_cache_staleness": ("50ms", 0.05),
    "near_cache_heat": ("10", 10),
    "max_sleep_between_retries": ("1s", 1.0),
    "sleep_jitter": ("true", True),
    "commit_level": ("master", "master"),
    "retry_in_doubt": ("true", True),
    "replica": ("prefer-rack", "prefer-rack"),
    "read_mode": ("all", "all"),
    "compress": ("true", True),
    "compression_threshold": ("1000", 1000),
    "error_details": ("trace", "trace"),
    "racks": ("2,1", [2, 1]),
    "send_key": ("yes", True),
    "connect_timeout": ("2s", 2.0),
    "tend_interval": ("0.5", 0.5),
    "idle_timeout": ("1min", 60.0),
    "use_services_alternate": ("0", False),
    "ip_map": (
        "10.0.0.1=192.0.2.1,10.0.0.2=192.0.2.2",
        {"10.0.0.1": "192.0.2.1", "10.0.0.2": "192.0.2.2"},
    ),
    "connections_per_node": ("2", 2),
    "warm_connections": ("1", 1),
    "slow_start": ("2s", 2.0),
    "pipeline_depth": ("64", 64),
    "queue_limit": ("1000", 1000),
    "retry_budget": ("0.2", 0.2),
    "adaptive_limits": ("false", False),
    "max_error_rate": ("0", 0),
    "error_rate_window": ("2", 2),
    "submit_limit": ("100", 100),
}
#: Options that have no text form.
OBJECTS = {"codec"}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of an authority."""
    pytest.importorskip("trustme", reason="nothing is installed that makes certificates")
    return make_certificates(tmp_path_factory.mktemp("authority"), ["localhost"]).ca


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=1) as cluster:
        yield cluster


def test_every_option_stands_in_a_url() -> None:
    assert TEXTS.keys() | OBJECTS == BlockingOptions.__annotations__.keys()
    query = "&".join(f"{name}={text}" for name, (text, _) in TEXTS.items())
    data = opening.read(f"aerospike://db1:3001,db2/test?{query}", environment={})
    assert (data.seeds, data.namespace) == ("db1:3001,db2", "test")
    assert data.options == {name: value for name, (_, value) in TEXTS.items()}


def test_every_option_stands_in_a_variable() -> None:
    variables = {f"SPIKEWIRE_AEROSPIKE_{name.upper()}": it for name, (it, _) in TEXTS.items()}
    data = opening.read(environment=variables)
    assert data.options == {name: value for name, (_, value) in TEXTS.items()}
    assert data.seeds == "127.0.0.1:3000"


def refusal(name: str) -> str:
    try:
        opening.read(f"cassandra://db1?{name}=%01", scheme=CASSANDRA, environment={})
    except ValueError as error:
        return str(error)
    return ""


def test_every_option_of_a_session_has_a_text_or_is_an_object() -> None:
    refusals = {name: refusal(name) for name in SessionOptions.__annotations__}
    assert not [name for name, text in refusals.items() if "there is no option" in text]
    objects = [name for name, text in refusals.items() if "it takes an object" in text]
    assert objects == ["authenticator", "address_translator"]


def test_keyword_before_url_before_variable_before_default() -> None:
    environment = {
        "SPIKEWIRE_AEROSPIKE_URL": "aerospike://variable:3000/v?timeout=9",
        "SPIKEWIRE_AEROSPIKE_TIMEOUT": "1",
        "SPIKEWIRE_AEROSPIKE_MAX_RETRIES": "1",
        "SPIKEWIRE_AEROSPIKE_REPLICA": "any",
        "SPIKEWIRE_AEROSPIKE_SEND_KEY": "",
    }
    data = opening.read(
        "aerospike://url:3000/u?timeout=2&max_retries=2", environment=environment, timeout=3
    )
    assert (data.seeds, data.namespace) == ("url:3000", "u")
    assert data.options == {"timeout": 3, "max_retries": 2, "replica": "any"}
    assert data.explain().splitlines() == [
        "seeds = url:3000  (the URL)",
        "namespace = u  (the URL)",
        "max_retries = 2  (the URL)",
        "replica = 'any'  (the variable SPIKEWIRE_AEROSPIKE_REPLICA)",
        "timeout = 3  (a keyword)",
    ]
    data = opening.read(environment=environment)
    assert (data.seeds, data.namespace, data.options["timeout"]) == ("variable:3000", "v", 9.0)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("db1:3000", "the URL must begin with aerospike://"),
        ("cassandra://db1", "the URL must begin with aerospike://"),
        ("aerospike://db1#x", "the URL has a fragment"),
        ("aerospikes://db1?tls=false", "the URL, option tls: another part of the URL sets it, too"),
        ("aerospike://db1?tls=false&tls_ca={pem}", "the URL, option tls_ca: connections are not"),
        ("aerospike://db1?tls_ca=/nowhere", "the URL, option tls_ca: the authority certificate"),
        ("aerospike://db1?tls_cas=/nowhere", "the URL, option tls_cas: there is no option 'tls_"),
        ("aerospike://db1?tls_verify_hostname=x", "the URL, option tls_verify_hostname: it must"),
        ("aerospike://db1?tls=x", "the URL, option tls: it must be true or false, not 'x'"),
        ("aerospike://app@db1", "user and password go together"),
        ("aerospike://u:hidden@db1:x", "the URL, host 1 ('db1'): it must be a host, host:port"),
        ("aerospike://db1:0", "the URL, host 1 ('db1'): it must be a host, host:port"),
        ("aerospike://db1,,db2", "the URL, host 2 (''): it must be a host"),
        ("aerospike://db1/a/b", "the URL, path: it must be one namespace, not 'a/b'"),
        ("aerospike://db1/" + "n" * 32, "the URL, namespace: namespace"),
        ("aerospike://db1?", "the URL, option 1: it must be name=value"),
        ("aerospike://db1?timeout", "the URL, option 1: it must be name=value"),
        ("aerospike://db1?speed=1", "the URL, option speed: there is no option 'speed'; there are"),
        ("aerospike://db1?timeout=1&timeout=1", "the URL, option timeout: it is given twice"),
        ("aerospike://db1?timeout=soon", "the URL, option timeout: it must be a time in seconds"),
        ("aerospike://db1?timeout=%zz", "the URL, option timeout: a '%' must be followed by"),
        ("aerospike://db1?timeout=%ff", "the URL, option timeout: a '%' must be followed by"),
        ("aerospike://db1?max_retries=1.5", "the URL, option max_retries: it must be a whole"),
        ("aerospike://db1?max_retries=5000", "the URL, option max_retries: max_retries must be"),
        ("aerospike://db1?send_key=2", "the URL, option send_key: it must be true or false"),
        ("aerospike://db1?racks=a", "the URL, option racks: it must be whole numbers"),
        ("aerospike://db1?ip_map=a", "the URL, option ip_map: it must be pairs"),
        ("aerospike://db1?replica=near", "the URL, option replica: replica must be 'master'"),
        ("aerospike://db1?codec=x", "the URL, option codec: it takes an object"),
    ],
)
def test_a_mistake_names_the_part(url: str, message: str, authority: Path) -> None:
    url = url.replace("{pem}", str(authority))
    with pytest.raises(ValueError) as caught:
        opening.read(url, environment={})
    assert str(caught.value).startswith(message)
    assert "hidden" not in str(caught.value)
    if not message.startswith("the URL"):
        return
    with pytest.raises(ValueError, match=r"^the variable SPIKEWIRE_AEROSPIKE_URL"):
        opening.read(environment={"SPIKEWIRE_AEROSPIKE_URL": url})


def test_a_mistake_names_the_variable() -> None:
    for name, text in [("TIMEOUT", "soon"), ("MAX_RETRIES", "5000"), ("SPEED", "1")]:
        variable = f"SPIKEWIRE_AEROSPIKE_{name}"
        with pytest.raises(ValueError, match=f"^the variable {variable}: "):
            opening.read("aerospike://db1", environment={variable: text})


def test_a_url_is_a_str() -> None:
    with pytest.raises(TypeError, match="the URL must be str, not int"):
        opening.read(1)  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", [opening.AEROSPIKE, CASSANDRA], ids=lambda it: it.name)
@pytest.mark.parametrize(
    "rest",
    [
        "app:hidden@db1:x",
        "app:hid/den@db1",
        "app:hid?den@db1",
        "app:hid#den@db1",
        "app:hidden",
        "app:hidden%zz@db1",
        ":hidden@db1",
        "app:hidden@db1?speed=1",
        "app:hidden@db1?password=hidden",
        "app:hidden@db1/a/b",
        "app:hidden@db1?user=app",
        "app:hidden@db1?tls=yes&tls_ca=/nowhere",
        "app:hidden%00@db1",
    ],
)
def test_a_password_is_in_no_message(rest: str, scheme: Scheme) -> None:
    with pytest.raises(ValueError) as caught:
        opening.read(f"{scheme.name}://{rest}", scheme=scheme, environment={})
    assert "hid" not in str(caught.value)
    assert "den" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


ENCRYPTED = opening.AEROSPIKE.encrypted


def test_a_client_takes_its_login_from_the_url() -> None:
    environment = {"SPIKEWIRE_AEROSPIKE_PASSWORD": "from the variable"}
    data = opening.read(
        f"{ENCRYPTED}://a%40b:s%2Fe%3Ac%25@db1:name:4333/test?auth=external",
        environment=environment,
    )
    assert (data.seeds, data.namespace) == ("db1:name:4333", "test")
    assert data.options == {"user": "a@b", "password": "s/e:c%", "auth": "external", "tls": True}
    assert "s/e" not in repr(data) + data.explain()
    data = opening.read("aerospike://app@db1", environment=environment)
    assert data.options == {"user": "app", "password": "from the variable"}
    assert "password = '***'  (the variable SPIKEWIRE_AEROSPIKE_PASSWORD)" in data.explain()
    with pytest.raises(ValueError, match=r"needs the option tls"):
        opening.read("aerospike://app:p@db1?auth=external", environment={})
    with pytest.raises(ValueError, match="auth must be 'internal', 'external'"):
        opening.read("aerospike://app:p@db1?auth=ldap", environment={})


def test_entries_of_tls_are_options(authority: Path) -> None:
    url = f"aerospike://db1?tls_ca={authority}&tls_server_name=db&tls_verify_hostname=no"
    data = opening.read(url, environment={})
    details = {"ca": str(authority), "server_name": "db", "verify_hostname": False}
    assert data.options == {"tls": details}
    assert data.sources["tls"] == "the URL"
    variables = {"SPIKEWIRE_AEROSPIKE_TLS_CA": str(authority), "SPIKEWIRE_AEROSPIKE_TLS": "yes"}
    assert opening.read(environment=variables).options == {"tls": {"ca": str(authority)}}


def test_entries_of_tls_come_together(authority: Path) -> None:
    variables = {"SPIKEWIRE_AEROSPIKE_TLS_CA": str(authority)}
    variable, ca = "the variable SPIKEWIRE_AEROSPIKE_TLS_CA", {"ca": str(authority)}

    def used(query: str, **options: Any) -> tuple[Any, str]:
        data = opening.read(f"aerospike://db1{query}", environment=variables, **options)
        return data.options["tls"], data.sources["tls"]

    both = f"{variable}, the URL"
    assert used("") == (ca, variable)
    assert used("?tls=true") == (ca, both)
    assert used("?tls_server_name=db") == ({**ca, "server_name": "db"}, both)
    assert used("?tls=false") == (False, "the URL")
    assert used("?tls=false", tls=True) == (True, "a keyword")
    assert used("", tls=True) == (ca, f"{variable}, a keyword")
    assert used("", tls={"ca": authority, "server_name": "x"}) == (
        {"ca": authority, "server_name": "x"},
        "a keyword",
    )
    with pytest.raises(TypeError, match='unknown client option "tls_ca"'):
        used("", tls_ca=str(authority))
    with pytest.raises(ValueError, match="certificate and private_key go together"):
        used(f"?tls_certificate={authority}")


def options_of(dataset: Any) -> dict[str, Any]:
    """The options with which its client was opened."""
    options: dict[str, Any] = dataset.__reduce__()[1][2]
    return options


class TestWithoutSeeds:
    """Clients that are opened without seeds: from the environment, or with the default seed."""

    @pytest.fixture
    def by_variable(self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_URL", f"aerospike://{cluster.seeds}/test?timeout=7")
        monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_CONNECT_TIMEOUT", "20")

    @pytest.mark.usefixtures("by_variable")
    def test_by_variables(self, cluster: Cluster) -> None:
        for value in (spikewire.Client, spikewire.Client.connect):
            with value(send_key=True) as client:
                data = client.dataset(set="unsaid")
                settings = options_of(data)
                assert (data.namespace, client.namespace) == ("test", "test")
                assert (settings["timeout"], settings["send_key"]) == (7.0, True)
        with spikewire.Client(timeout=9) as client:  # a keyword takes precedence
            assert options_of(client.dataset())["timeout"] == 9
        with spikewire.Client(cluster.seeds) as client:  # with seeds, variables do not matter
            assert client.namespace is None
            assert "timeout" not in options_of(client.dataset("test"))

        async def main() -> None:
            async with spikewire.AsyncClient(timeout=9) as client:
                assert await client.dataset(set="unsaid").exists(1) is False
            client = await spikewire.AsyncClient.connect()
            assert client.namespace == "test"
            await client.close()

        asyncio.run(main())
        for clients in ("shared", "each"):
            with spikewire.Pool(loops=2, clients=clients) as pool:
                assert list(pool.map(pool.dataset(set="unsaid").exists, [1, 2])) == [False, False]

    @pytest.mark.parametrize(
        ("url", "message"),
        [
            (
                "",
                "; the seed is the default: give seeds, or set SPIKEWIRE_AEROSPIKE_URL",
            ),
            ("aerospike://127.0.0.1:1", "; the seeds are those of the variable SPIKEWIRE_"),
        ],
    )
    def test_no_cluster(self, url: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_URL", url)
        # Nothing listens there, even if a cluster uses the default port.
        monkeypatch.setattr(Scheme, "seeds", property(lambda _: "127.0.0.1:1"))

        async def opened(make: Any) -> None:
            await make.open()

        for opens in (
            lambda: spikewire.Client(connect_timeout=0.2),
            lambda: spikewire.Client.from_url(connect_timeout=0.2),
            lambda: asyncio.run(opened(spikewire.AsyncClient(connect_timeout=0.2))),
            lambda: asyncio.run(opened(spikewire.AsyncClient.from_url(connect_timeout=0.2))),
            lambda: spikewire.Pool(loops=1, connect_timeout=0.2).open(),
            lambda: spikewire.Pool.from_url(loops=1, connect_timeout=0.2).open(),
        ):
            with pytest.raises(spikewire.ConnectionFailed) as caught:
                opens()
            assert str(caught.value).startswith(
                "cannot connect to the cluster: 127.0.0.1:1 refused "
            )
            assert str(caught.value).count(message) == 1
            assert message in caught.value.message

    def test_explicit_seeds_are_not_explained(self) -> None:
        with pytest.raises(spikewire.ConnectionFailed) as caught:
            spikewire.Client("127.0.0.1:1", connect_timeout=0.2)
        assert "the seeds are" not in str(caught.value)
        with pytest.raises(spikewire.ConnectionFailed, match=r"; the seeds are those of the URL"):
            spikewire.Client.from_url("aerospike://127.0.0.1:1", connect_timeout=0.2)

    def test_none_as_seeds_raises(self) -> None:
        nothing: Any = None
        for result in (spikewire.Client, spikewire.AsyncClient, spikewire.Pool):
            with pytest.raises(TypeError, match="not NoneType"):
                result(nothing)

    def test_mistakes_name_the_variable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_TIMEOUT", "soon")
        for result in (spikewire.Client, spikewire.AsyncClient, spikewire.Pool):
            with pytest.raises(ValueError, match=r"^the variable SPIKEWIRE_AEROSPIKE_TIMEOUT: "):
                result()


def test_a_session_takes_login_and_keyspace_from_the_url() -> None:
    environment = {"SPIKEWIRE_CQL_PASSWORD": "hidden", "SPIKEWIRE_CQL_SPECULATIVE_DELAY": "none"}
    url = "cassandra://a%40b@db1:9043,db2/ks?consistency=quorum&reconnect=100ms,30s"
    data = opening.read(url, scheme=CASSANDRA, environment=environment)
    assert data.seeds == "db1:9043,db2"
    assert data.options == {
        "user": "a@b",
        "password": "hidden",
        "keyspace": "ks",
        "consistency": "quorum",
        "reconnect": (0.1, 30.0),
        "speculative_delay": None,
    }
    assert "hidden" not in repr(data) + data.explain()
    assert "'password': '***'" in repr(data)
    assert "keyspace = 'ks'  (the URL)" in data.explain()
    assert "namespace" not in data.explain()
    with pytest.raises(ValueError, match="option page_size: page_size must be"):
        opening.read("cassandra://db1?page_size=0", scheme=CASSANDRA, environment={})


def test_sessions_connect_to_the_url() -> None:
    url = "cassandra://app:hidden@127.0.0.1:1?connect_timeout=100ms"
    with pytest.raises(cql.errors.ConnectionFailed, match=r"127\.0\.0\.1:1") as caught:
        Session.from_url(url)
    assert "hidden" not in str(caught.value)
    session = AsyncSession.from_url(url)
    assert "hidden" not in repr(session)
    with pytest.raises(cql.errors.ConnectionFailed, match=r"127\.0\.0\.1:1"):
        asyncio.run(session.open())


def test_a_client_by_url(cluster: Cluster) -> None:
    with spikewire.Client.from_url(f"aerospike://{cluster.seeds}/test?timeout=5s") as client:
        assert client.namespace == "test"
        users = client.dataset(set="opened")
        assert users == client.dataset("test", "opened")
        users.put("alice", {"age": 28})
        assert users.get("alice")["age"] == 28
        assert client.dataset().namespace == "test"
    with (
        spikewire.Client(cluster.seeds) as client,
        pytest.raises(TypeError, match="needs a namespace"),
    ):
        client.dataset(set="opened")
    assert client.namespace is None


def test_an_asyncio_client_by_variable(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_URL", f"aerospike://{cluster.seeds}/test")

    async def run() -> None:
        async with spikewire.AsyncClient.from_url() as client:
            assert client.namespace == "test"
            assert not await client.dataset(set="opened").exists("nobody")
        client = await spikewire.AsyncClient.from_url(timeout=3).open()
        assert client.is_connected
        assert await client.open() is client
        await client.close()
        with pytest.raises(ValueError, match="there is no option 'submit_limit'"):
            spikewire.AsyncClient.from_url(f"aerospike://{cluster.seeds}?submit_limit=3")

    asyncio.run(run())


def test_a_variable_of_the_other_client_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_SUBMIT_LIMIT", "3")
    assert opening.read().options == {"submit_limit": 3}
    spikewire.AsyncClient.from_url()


@pytest.mark.parametrize("character", ["\n", " ", "\t", "\0", "\x7f"])
def test_a_url_has_no_blanks(character: str) -> None:
    with pytest.raises(ValueError, match=rf"^the URL contains .*%{ord(character):02X}$"):
        opening.read(f"aerospike://db1{character}", environment={})


def test_a_variable_that_is_no_text_is_named() -> None:
    variables = {"SPIKEWIRE_AEROSPIKE_CLUSTER_NAME": "prod\udcff"}
    with pytest.raises(ValueError, match=r"^the variable SPIKEWIRE_AEROSPIKE_CLUSTER_NAME: "):
        opening.read(environment=variables)


def test_keywords_are_checked() -> None:
    with pytest.raises(TypeError, match="timeout must be seconds"):
        opening.read("aerospike://db1", environment={}, timeout="soon")
    with pytest.raises(TypeError, match='unknown client option "speed"'):
        opening.read("aerospike://db1", environment={}, speed=1)
    with pytest.raises(ValueError, match="user and password go together"):
        opening.read("cassandra://app@db1", scheme=CASSANDRA, environment={})


def test_a_private_key_is_not_printed() -> None:
    details = {"server_name": "db", "private_key": b"hidden"}
    result = opening.Opening("db1", None, {"tls": details}, {"seeds": "", "tls": "a keyword"})
    assert "hidden" not in repr(result) + result.explain()
    assert "'server_name': 'db'" in result.explain()


def test_unknown_keywords_raise() -> None:
    with pytest.raises(TypeError, match='unknown client option "speed"'):
        spikewire.Client.from_url("aerospike://127.0.0.1:1", speed=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("kind", ["client", "session"])
def test_a_client_opened_after_cancellation_is_closed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, is_over = threading.Event(), threading.Event(), threading.Event()
    target: Any = spikewire.AsyncClient if kind == "client" else AsyncSession
    starts, ends = ("_open", "_close") if kind == "client" else ("_start", "_end")
    done: list[str] = []

    def start(_: object) -> None:
        begun.set()
        assert go_on.wait(60)
        done.append("opened")

    def end(_: object) -> None:
        done.append("closed")
        is_over.set()

    monkeypatch.setattr(target, starts, start)
    monkeypatch.setattr(target, ends, end)

    async def main() -> None:
        task = asyncio.create_task(target("127.0.0.1:1").open())
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        assert await asyncio.to_thread(is_over.wait, 10)

    asyncio.run(main())
    assert done == ["opened", "closed"]


@pytest.mark.parametrize("enter", ["open", "__aenter__"])
def test_cancelling_a_second_opening_leaves_the_client_open(enter: str) -> None:
    async def main(seeds: str) -> None:
        async with spikewire.AsyncClient(seeds) as client:
            await cancelled(getattr(client, enter)())
            await client.put(client.dataset("test", "reopened").key(1), {"n": 1})

    with Cluster() as cluster:
        asyncio.run(main(cluster.seeds))


@pytest.mark.parametrize("enter", ["open", "__aenter__"])
def test_cancelling_a_second_opening_leaves_the_session_open(enter: str) -> None:
    async def main(address: str) -> None:
        async with AsyncSession(address) as session:
            await cancelled(getattr(session, enter)())
            await session.execute("SELECT release_version FROM system.local")

    with CannedServer() as server:
        asyncio.run(main(server.address))


async def cancelled(opening: Coroutine[Any, Any, object]) -> None:
    """Cancels it once it has begun."""
    task = asyncio.ensure_future(opening)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_one_of_several_openings_has_opened_the_client() -> None:
    with Cluster() as cluster:
        client = spikewire.AsyncClient(cluster.seeds)
        assert client._open()
        assert not client._open()
        client._close()
        with pytest.raises(spikewire.ClientClosed):
            client._open()
