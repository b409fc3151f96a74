"""The exception classes: hierarchy, messages, attributes."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

import spikewire
from spikewire import errors
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from apis import Api, Caller, Opened

KINDS = [getattr(errors, name) for name in errors.__all__]


def test_errors_have_one_base_class() -> None:
    assert all(issubclass(kind, spikewire.Error) for kind in KINDS)
    assert all(getattr(spikewire, kind.__name__) is kind for kind in KINDS)
    assert issubclass(spikewire.Timeout, TimeoutError)
    assert issubclass(spikewire.ConnectionFailed, ConnectionError)
    assert issubclass(spikewire.RecordNotFound, KeyError)
    assert issubclass(spikewire.ConnectionFailed, OSError)
    for kind in ("RecordNotFound", "RecordExists", "GenerationMismatch", "RecordTooBig"):
        assert issubclass(getattr(spikewire, kind), spikewire.ServerError)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_errors_pickle_and_copy(kind: type[spikewire.Error]) -> None:
    key = spikewire.Key("test", "s", "k")
    error = kind("it failed", code=7, node="BB9 10.0.0.1:3000", attempts=3, in_doubt=True, key=key)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is kind
        assert str(again) == str(error)
        assert again.args == error.args
        for name in ("code", "node", "attempts", "in_doubt", "key", "message"):
            assert getattr(again, name) == getattr(error, name)
    text = str(error)
    for part in (
        "it failed",
        "code 7",
        "Key('test', 's', 'k')",
        "BB9 10.0.0.1:3000",
        "3 attempts",
        "may have been applied",
    ):
        assert part in text


def test_a_missing_record_raises_record_not_found(data: Caller, set_name: str) -> None:
    with pytest.raises(KeyError) as caught:
        data.get("nobody")
    error = caught.value
    assert isinstance(error, spikewire.RecordNotFound)
    assert error.code == 2
    assert error.key == spikewire.Key("test", set_name, "nobody")
    assert error.attempts == 1
    assert error.in_doubt is False
    assert error.node.startswith("BB9")  # type: ignore[union-attr]
    assert "127.0.0.1:" in error.node  # type: ignore[operator]
    assert "'nobody'" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_errors_from_a_digest_name_it(client: Opened) -> None:
    with pytest.raises(spikewire.RecordNotFound) as caught:
        client.verbs.get(("test", "s", None, bytes(20)))
    assert caught.value.key == spikewire.Key.from_digest("test", "s", bytes(20))


def test_messages_give_advice(data: Caller) -> None:
    data.put(1, {"a": 1})
    with pytest.raises(spikewire.GenerationMismatch, match="read it again"):
        data.put(1, {"a": 2}, generation=9)


def test_a_closed_client_raises(api: Api, cluster: Cluster) -> None:
    client = api.open(cluster.seeds, timeout=20)
    data = client.dataset("test", "closed")
    data.put(1, {"a": 1})
    assert client.raw.is_connected
    client.close()
    client.close()
    assert not client.raw.is_connected
    for call in (
        lambda: data.get(1),
        lambda: data.put(1, {"a": 1}),
        lambda: client.verbs.get(("test", "closed", 1)),
        lambda: client.verbs.info("build"),
        client.raw.nodes,
    ):
        with pytest.raises(spikewire.ClientClosed, match="closed"):
            call()


def test_an_unconnected_client_raises(api: Api, cluster: Cluster) -> None:
    if api.is_blocking:
        pytest.skip("the blocking client connects when it is made")
    client = spikewire.AsyncClient(cluster.seeds)
    assert not client.is_connected
    with pytest.raises(spikewire.ClientClosed, match="async with"):
        api.settle(lambda: client.get(("test", "s", 1)))


def test_verbs_outside_a_loop_raise(api: Api, client: Opened) -> None:
    if api.is_blocking:
        pytest.skip("needs no loop")
    with pytest.raises(RuntimeError, match="event loop"):
        client.raw.get(("test", "s", 1))


@pytest.mark.parametrize("timeout", [5e-324, 1e-10, 1e-9])
def test_a_tiny_timeout_is_not_unlimited(api: Api, timeout: float) -> None:
    """A timeout that rounds to zero must not become an unlimited one."""
    with Cluster(1) as cluster, api.open(cluster.seeds, max_error_rate=0) as client:
        data = client.dataset("test", "late")
        data.put(1, {"a": 1}, timeout=20)
        cluster.inject(0, delay=0.2)
        with pytest.raises(spikewire.Timeout, match="total timeout") as caught:
            data.put(1, {"a": 1}, timeout=timeout)
        assert caught.value.code == 9
        # Its time is over when it starts: nothing is sent.
        assert (caught.value.attempts, caught.value.in_doubt) == (0, False)
        assert isinstance(caught.value, TimeoutError)
        cluster.clear_faults(0)
        assert data.exists(2, timeout=20) is False
