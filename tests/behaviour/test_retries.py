"""Options for retries: of the client, of a profile, of a call; on every API."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Profile, op
from spikewire.testing import Cluster
from waiting import ends_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api

BUSY: dict[str, Any] = {"error": 1.0, "code": 18}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=1) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def healthy(cluster: Cluster) -> Iterator[None]:
    yield
    cluster.clear_faults(0)


def opened(api: Api, cluster: Cluster, **options: Any) -> Any:
    return api.open(cluster.seeds, **{"timeout": 30, "max_error_rate": 0, **options})


def attempts(data: Any, verb: str, *arguments: Any, **options: Any) -> int:
    with pytest.raises(spikewire.ServerError) as caught:
        getattr(data, verb)(*arguments, **options)
    assert caught.value.code == 18
    return caught.value.attempts


def test_max_retries_of_a_call_overrides_the_client(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, max_retries=1) as client:
        data = client.dataset("test", "retries")
        cluster.inject(0, **BUSY)
        assert attempts(data, "get", 1) == 2
        assert attempts(data, "get", 1, max_retries=4) == 5
        assert attempts(data, "put", 1, {"n": 1}, max_retries=0) == 1
        assert attempts(data, "operate", 1, [op.get("n")], max_retries=3) == 4
        batch = data.get_many([1, 2], max_retries=5)
        assert {error.attempts for error in batch.errors.values()} == {6}
        batch = data.batch([spikewire.Read(1)], max_retries=0)
        assert {error.attempts for error in batch.errors.values()} == {1}


def test_pauses_grow_up_to_the_longest(api: Api, cluster: Cluster) -> None:
    pauses: dict[str, Any] = {
        "sleep_between_retries": 0.02,
        "sleep_multiplier": 2.0,
        "max_sleep_between_retries": 0.05,
    }
    with opened(api, cluster, replica="master", max_retries=3, **pauses) as client:
        data = client.dataset("test", "retries")
        cluster.inject(0, **BUSY)
        began = time.monotonic()
        assert attempts(data, "get", 1) == 4
        assert time.monotonic() - began > 0.109
        began = time.monotonic()
        assert attempts(data, "get", 1, sleep_multiplier=4, max_sleep_between_retries=0) == 4
        assert time.monotonic() - began > 0.419
        began = time.monotonic()
        batch = data.put_many({n: {"n": n} for n in range(4)})
        assert time.monotonic() - began > 0.109
        assert {error.attempts for error in batch.errors.values()} == {4}


def test_no_pause_reaches_beyond_the_timeout(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, replica="master") as client:
        data = client.dataset("test", "retries")
        cluster.inject(0, **BUSY)
        options = {"sleep_between_retries": 60, "max_retries": 9, "timeout": 20}
        with ends_before(options["timeout"]):
            assert attempts(data, "get", 1, **options) == 1


def test_with_jitter_a_pause_is_any_part_of_it(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, replica="master", sleep_between_retries=0.5) as client:
        data = client.dataset("test", "retries")
        cluster.inject(0, **BUSY)

        def ends_before_a_whole_pause() -> bool:
            began = time.monotonic()
            assert attempts(data, "get", 1, max_retries=1, sleep_jitter=True) == 2
            return time.monotonic() - began < 0.5

        # A busy machine only adds to each, and none ends as early without jitter.
        assert any(ends_before_a_whole_pause() for _ in range(20))


def test_writes_in_doubt_are_retried_on_request(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, socket_timeout=0.3) as client:
        data = client.dataset("test", "doubt")
        data.put(1, {"n": 0})
        cluster.inject(0, drop_reply=1.0)
        with pytest.raises(spikewire.Error) as caught:
            data.add(1, {"n": 1}, max_retries=2, timeout=10)
        assert caught.value.in_doubt
        assert caught.value.attempts == 1
        with pytest.raises(spikewire.Error) as caught:
            data.add(1, {"n": 1}, max_retries=2, timeout=10, retry_in_doubt=True)
        assert caught.value.in_doubt
        assert caught.value.attempts == 3
        cluster.clear_faults(0)
        assert data.get(1)["n"] == 4


def test_profiles_set_retry_options(api: Api, cluster: Cluster) -> None:
    profile = Profile(
        "patient",
        max_retries=3,
        read={"max_retries": 5},
        write={"retryable": {"retry_in_doubt": True}},
        query={"max_retries": 1},
    )
    with opened(api, cluster) as client:
        view = client.raw.with_profile(profile)
        explained = view.explain("put")
        assert explained["retry_in_doubt"].value is True
        assert view.explain("add")["retry_in_doubt"].source == "the default"
        assert view.explain("get")["max_retries"].value == 5
        data = view.dataset("test", "retries")
        cluster.inject(0, **BUSY)
        for verb, arguments, expected in (("get", (1,), 6), ("put", (1, {"n": 1}), 4)):
            with pytest.raises(spikewire.ServerError) as caught:
                api.settle(partial(getattr(data, verb), *arguments))
            assert caught.value.attempts == expected


def test_queries_pause_between_retries(cluster: Cluster) -> None:
    with spikewire.Client(cluster.seeds, timeout=30, max_error_rate=0) as client:
        data = client.dataset("test", "retries")
        data.put(1, {"n": 1})
        cluster.inject(0, **BUSY)
        began = time.monotonic()
        with pytest.raises(spikewire.ServerError):
            list(data.query(max_retries=2, sleep_between_retries=0.15))
        assert time.monotonic() - began > 0.29
        with pytest.raises(spikewire.ServerError):
            list(data.query(max_retries=0))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_retries": 1001}, ValueError, "max_retries must be from 0 to 1000, got 1001"),
        ({"max_retries": -1}, ValueError, "max_retries must be from 0 to 1000, got -1"),
        ({"max_retries": 1.0}, TypeError, "max_retries must be int, not float"),
        ({"sleep_between_retries": -1}, ValueError, "sleep_between_retries must be a number"),
        ({"sleep_multiplier": 0.5}, ValueError, "sleep_multiplier must be from 1 to 100, got 0.5"),
        ({"sleep_multiplier": float("nan")}, ValueError, "sleep_multiplier must be from 1 to 100"),
        ({"sleep_multiplier": True}, TypeError, "sleep_multiplier must be a number"),
        (
            {"max_sleep_between_retries": "1"},
            TypeError,
            "max_sleep_between_retries must be seconds",
        ),
        ({"sleep_jitter": 1}, TypeError, "sleep_jitter"),
    ],
)
def test_invalid_retry_options_raise_before_sending(
    cluster: Cluster, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        spikewire.Client(cluster.seeds, **options)
    with spikewire.Client(cluster.seeds) as client:
        data = client.dataset("test", "retries")
        calls: list[Any] = [
            lambda: data.get(1, **options),
            lambda: data.put(1, {"n": 1}, **options),
            lambda: data.delete_many([1], **options),
            lambda: data.batch([], **options),
            lambda: data.query(**options),
            lambda: data.submit.get(1, **options),
        ]
        for call in calls:
            with pytest.raises(error, match=message):
                call()
    with pytest.raises(spikewire.ProfileError):
        Profile("wrong", **options)
