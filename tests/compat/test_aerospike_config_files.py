"""Files of a ``ConfigProvider``: they override the program's settings, and are reloaded."""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compat.side_by_side import Programs
from spikewire.compat import aerospike
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat.aerospike_drivers import Driver

program: Programs[Driver] = Programs("drivers")
test_both_see_the_same = program.test()

FILE = """
version: 1.1.0
static:
  client:
    config_interval: 250
dynamic:
  write:
    send_key: true
  read:
    max_retries: 1
    replica: MASTER
"""


@program
def providers(d: Driver) -> Any:
    make_provider = d.module.ConfigProvider
    provider = make_provider("path", 30000)

    def change() -> None:
        provider.interval = 1

    calls: list[tuple[Any, ...]] = [(3,), ("p", "x"), ("p", -1), ("p", 2**32), ()]
    return [
        (provider.path, provider.interval, make_provider(path="p").interval),
        [type(error).__name__ for error in map(raised(make_provider), calls)],
        type(raised(change)(())).__name__,
        d.outcome(d.module.client, {**d.config, "config_provider": 0}),
    ]


def raised(call: Callable[..., Any]) -> Callable[[tuple[Any, ...]], Any]:
    """The exception of a call with these arguments."""

    def of(args: tuple[Any, ...]) -> Any:
        try:
            return call(*args) if args else call()
        except Exception as error:
            return error

    return of


@program
def settings_of_a_file(d: Driver) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "client.yml"
        path.write_text(FILE.replace("250", "1000"))
        provider = d.module.ConfigProvider(str(path))
        client = d.module.client({**d.config, "config_provider": provider}).connect()
    client.put(d.key(1), {"a": 1})
    client.put(d.key(2), {"a": 2}, None, {"key": d.module.POLICY_KEY_DIGEST})
    client.remove_bin(d.key(2), ["b"])
    records = client.query("test", d.set).results()
    client.close()
    return sorted(key[2] for key, _, _ in records)


OFF = "version: 1.1.0\ndynamic:\n" + "".join(
    f"  {section}:\n    send_key: false\n"
    for section in ("write", "batch_write", "batch_udf", "batch_delete")
)


@program
def sending_keys_is_only_switched_on(d: Driver) -> Any:
    """Neither a file nor the policy of a call or of a row switches off what the client's policy
    switches on."""
    operations = d.helper("operations.operations")
    rows = d.helper("batch.records")
    send, digest = d.module.POLICY_KEY_SEND, d.module.POLICY_KEY_DIGEST
    writes = [operations.write("a", 1)]
    sent: list[Any] = []

    def run(config: dict[str, Any], label: str) -> None:
        client = d.module.client(config).connect()
        policies: list[Any] = [None, {}, {"key": digest}, {"key": send}]
        for at, policy in enumerate(policies):
            keys = [d.key(f"{label} {at} {verb}") for verb in range(4)]
            client.put(keys[0], {"a": 1}, None, policy)
            client.operate(keys[1], writes, None, policy)
            client.batch_operate([keys[2]], writes, None, policy)
            client.batch_write(rows.BatchRecords([rows.Write(keys[3], writes, policy=policy)]))
        sent.extend(key[2] for key, _, _ in client.query("test", d.set).results())
        client.truncate("test", d.set, 0)
        client.close()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "client.yml"
        path.write_text(OFF)
        for own in (digest, send):
            kinds = ("write", "operate", "batch_write")
            config = {**d.config, "policies": {kind: {"key": own} for kind in kinds}}
            run(config, f"{own} without a file")
            run(
                {**config, "config_provider": d.module.ConfigProvider(str(path))},
                f"{own} with a file",
            )
    return sorted(key for key in sent if key is not None)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        yield cluster


def config(cluster: Cluster) -> dict[str, Any]:
    host, port = cluster.addresses[0].rsplit(":", 1)
    return {"hosts": [(host, int(port))], "policies": {"write": {"key": 0}}}


def sends_key(client: Any, name: str) -> bool:
    client.put(("test", name, 1), {"a": 1})
    keys = [key[2] for key, _, _ in client.query("test", name).results()]
    client.truncate("test", name, 0)
    return keys == [1]


def until(holds: Callable[[], bool]) -> None:
    """Waits for a condition, with a time limit."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_file_is_read_again(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "client.yml"
    path.write_text(FILE.replace("true", "false"))
    monkeypatch.setenv("AEROSPIKE_CLIENT_CONFIG_URL", f"file://{path}")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        # Inside, because a thread may inherit the warning filters of the block that starts it.
        client = aerospike.client(config(cluster))
        assert not sends_key(client, "again")
        path.write_text(FILE)
        until(lambda: sends_key(client, "again"))
        assert not warned
        path.write_text(FILE.replace("true", "maybe"))
        until(lambda: bool(warned))
    assert sends_key(client, "again")  # earlier settings stay in force
    assert "line 8, dynamic.write.send_key: it must be true or false" in str(warned[0].message)
    path.write_text(FILE.replace("true", "false"))
    until(lambda: not sends_key(client, "again"))
    client.close()
    client.connect()
    assert not sends_key(client, "again")
    client.close()


def test_a_file_controls_whether_metrics_are_enabled(cluster: Cluster, tmp_path: Path) -> None:
    seen: list[str] = []
    helpers = pytest.importorskip("spikewire.compat.aerospike_helpers.metrics")
    listeners = helpers.MetricsListeners(
        lambda: seen.append("on"),
        lambda _: None,
        lambda _: None,
        lambda _: seen.append("off"),
    )
    path = tmp_path / "client.yml"
    path.write_text(FILE + "  metrics:\n    enable: true\n    latency_columns: 5\n")
    settings = config(cluster)
    settings["policies"]["metrics"] = helpers.MetricsPolicy(listeners)
    settings["config_provider"] = aerospike.ConfigProvider(str(path))
    client = aerospike.client(settings)
    assert seen == ["on"]
    for call in (client.disable_metrics, client.enable_metrics):
        with pytest.warns(aerospike.CompatWarning, match="controls whether metrics are enabled"):
            call()
    path.write_text(FILE + "  metrics:\n    enable: false\n")
    until(lambda: seen == ["on", "off"])
    client.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        ("version: 2\n", r"line 1, version: it must be one of 1\.0\.0, 1\.1\.0"),
        ("version: [\n", "line 2"),
        ("version: 1.1.0\ndynamic: 3\n", "line 2, dynamic: it must hold sections"),
        ("version: 1.1.0\ndynamic:\n  read: 3\n", r"dynamic\.read: it must hold entries"),
        (FILE.replace("MASTER", "MINE"), r"dynamic\.read\.replica: it must be one of MASTER, "),
        (FILE.replace("250", "-1"), "config_interval: it must be an integer from 0 to 4294967295"),
        (FILE + "    flavour: 3\n", r"without effect: dynamic\.read\.flavour"),
        (FILE + "    connect_timeout: 7\n", "'connect_timeout' has no effect"),
    ],
)
def test_mistakes_are_named(
    cluster: Cluster, tmp_path: Path, text: str | None, message: str
) -> None:
    path = tmp_path / "client.yml"
    if text is not None:
        path.write_text(text)
    settings = config(cluster) | {"config_provider": aerospike.ConfigProvider(str(path))}
    with pytest.warns(aerospike.CompatWarning, match=message):
        client = aerospike.client(settings)
    client.put(("test", "mistakes", 1), {"a": 1})
    client.close()
