"""The drop-in for the official Aerospike client in threads, in forked workers and with Ctrl-C."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from forking import scenario
from spikewire.compat import aerospike
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECT = """
    from spikewire.compat import aerospike
    from spikewire.compat.aerospike_helpers import metrics
    from spikewire.compat.aerospike_helpers.operations import operations

    host, port = seeds.rsplit(":", 1)
    config = {
        "hosts": [(host, int(port))],
        "policies": {kind: {"total_timeout": 60_000} for kind in ("read", "write", "operate", "batch")},
    }
    client = aerospike.client(config).connect()
    key = ("test", "forks", "k")
    client.put(key, {"n": 1})
"""  # noqa: E501


@pytest.fixture(scope="module")
def seeds() -> Iterator[str]:
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        yield cluster.addresses[0]


def test_threads_share_a_client(seeds: str) -> None:
    host, port = seeds.rsplit(":", 1)
    kinds = ("read", "write", "batch")
    client = aerospike.client(
        {
            "hosts": [(host, int(port))],
            "policies": {kind: {"total_timeout": 60_000} for kind in kinds},
        }
    ).connect()

    def work(number: int) -> None:
        keys = [("test", "threads", f"{number}-{at}") for at in range(50)]
        for at, key in enumerate(keys):
            client.put(key, {"n": at, "t": number})
            assert client.get(key)[2] == {"n": at, "t": number}
        batch = client.batch_read(keys)
        assert [row.record[2]["n"] for row in batch.batch_records] == list(range(50))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8), timeout=120))
    client.close()


def test_workers_that_are_forked_use_the_parents_client(seeds: str) -> None:
    """As with servers that import a program before they fork."""
    out = scenario(
        seeds,
        CONNECT
        + """
    listeners = metrics.MetricsListeners(lambda: None, print, print, lambda cluster: None)
    client.enable_metrics(metrics.MetricsPolicy(listeners, interval=1000))
    query = client.query("test", "forks")
    def work():
        assert client.get(key)[2] == {"n": 1}
        client.operate(("test", "forks", os.getpid()), [operations.increment("n", 2)])
        assert len(client.batch_read([key, key]).batch_records) == 2
        assert len(query.results()) >= 2
        client.disable_metrics()
        own = aerospike.client(config).connect()
        assert own.get(key)[2] == {"n": 1}
        own.close()
        client.close()
    for _ in range(3):
        child(work)
    assert client.get(key)[2] == {"n": 1}
    assert len(client.query("test", "forks").results()) == 4
    client.disable_metrics()
    client.close()
    print("done")
""",
    )
    assert out == "done"


def test_an_interrupt_ends_a_call_and_leaves_the_client_usable(seeds: str) -> None:
    out = scenario(
        seeds,
        CONNECT
        + """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    keys = [("test", "forks", at) for at in range(100)]
    calls = [
        lambda: client.get(key),
        lambda: client.batch_read(keys),
        lambda: client.query("test", "forks").foreach(lambda record: None),
        lambda: client.operate(key, [operations.increment("n", 1), operations.read("n")]),
    ]
    for call in calls:
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            while True:
                call()
        except KeyboardInterrupt:
            pass
        timer.join()
        assert client.get(key)[2]["n"] >= 1
    client.close()
    print("done")
""",
    )
    assert out == "done"
