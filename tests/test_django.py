"""The cache for Django does what Django documents for caches, in threads and on event loops."""

from __future__ import annotations

import asyncio
import itertools
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import forking
import spikewire
from waiting import until

pytest.importorskip("django", reason="django is not installed")

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache, CacheKeyWarning
from django.core.exceptions import ImproperlyConfigured
from django.utils.asyncio import async_unsafe

from spikewire.contrib.django import SpikewireCache, close_clients

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spikewire.testing import Cluster

_sets = itertools.count()


class Awaited:
    """A cache through its asynchronous methods, each on an event loop of its own."""

    def __init__(self, cache: BaseCache) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._cache, f"a{name}")

        async def call(*args: Any, **keywords: Any) -> Any:
            return await method(*args, **keywords)

        return lambda *args, **keywords: asyncio.run(call(*args, **keywords))


@pytest.fixture(scope="module", autouse=True)
def _clients_end(cluster: Cluster) -> Iterator[None]:
    yield
    close_clients()


@pytest.fixture
def make(cluster: Cluster) -> Callable[..., SpikewireCache]:
    """Creates caches with a set of their own, with parameters."""
    options = {"timeout": 20, "set": f"django{next(_sets)}"}
    location = f"aerospike://{cluster.seeds}/test"

    def make(**params: Any) -> SpikewireCache:
        value = options | params.pop("OPTIONS", {})
        return SpikewireCache(location, {"OPTIONS": value, **params})

    return make


@pytest.fixture(params=["blocking", "asyncio"])
def cache(request: pytest.FixtureRequest, make: Callable[..., SpikewireCache]) -> Any:
    return make() if request.param == "blocking" else Awaited(make())


def seconds_left(cluster: Cluster, cache: SpikewireCache, key: str) -> int | None:
    """The time to live of an entry, according to the server."""
    name = cache._place._name
    with spikewire.Client(cluster.seeds, timeout=20) as client:
        return client.dataset("test", name).get(cache.make_key(key)).ttl


VALUES = [
    None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**63, 10**40, 0.5, "", "text é", "\ud800",
    b"", b"bytes", [1, [None]], {"a": {1: (2,)}}, {1, 2},
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back_as_they_were(cache: Any, value: object) -> None:
    cache.set("key", value)
    record = cache.get("key", "default")
    assert (record, type(record)) == (value, type(value))


class Evaluated:
    """Like a query set: pickling it queries a database, which must not happen on an event loop."""

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        requests: tuple[int, ...] = async_unsafe("not on an event loop")(lambda: (1, 2))()
        return (list, (requests,))


def test_values_that_event_loops_must_not_evaluate(cache: Any) -> None:
    cache.set("one", Evaluated())
    assert cache.add("added", Evaluated()) is True
    assert cache.set_many({"many": Evaluated()}) == []
    assert cache.get_many(["one", "added", "many"]) == {
        "one": [1, 2],
        "added": [1, 2],
        "many": [1, 2],
    }


@pytest.mark.parametrize("store", ["set", "add"])
def test_values_that_do_not_pickle(cache: Any, store: str) -> None:
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        getattr(cache, store)("key", lambda: None)
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        cache.set_many({"other": 1, "key": lambda: None})
    # Nothing was sent.
    assert cache.get_many(["key", "other"]) == {}


def test_get_returns_what_set_stored(cache: Any) -> None:
    assert cache.get("missing") is None
    assert cache.get("missing", "default") == "default"
    cache.set("none", None)
    assert cache.get("none", "default") is None
    assert cache.has_key("none")
    assert not cache.has_key("missing")


def test_add_stores_only_missing_keys(cache: Any) -> None:
    assert cache.add("key", 1) is True
    assert cache.add("key", 2) is False
    assert cache.get("key") == 1
    assert cache.add("key", 2, timeout=0) is False
    assert cache.add("other", 2, timeout=0) is True
    assert not cache.has_key("other")


def test_delete_reports_whether_a_key_was_there(cache: Any) -> None:
    cache.set("key", 1)
    assert cache.delete("key") is True
    assert cache.delete("key") is False
    assert cache.get("key") is None


def test_get_or_set(cache: Any) -> None:
    assert cache.get_or_set("key", 1) == 1
    assert cache.get_or_set("key", lambda: 2) == 1
    assert cache.get_or_set("called", lambda: 3, timeout=100) == 3
    assert cache.get("called") == 3
    assert cache.get_or_set("none", None) is None
    assert cache.has_key("none")


def test_set_many_and_get_many_round_trip(cache: Any) -> None:
    assert cache.set_many({"a": 1, "b": "two", "c": None}) == []
    assert cache.get_many(iter(["a", "x", "c", "b"])) == {"a": 1, "c": None, "b": "two"}
    assert list(cache.get_many(["b", "a"])) == ["b", "a"]
    cache.delete_many(iter(["a", "x", "b"]))
    assert cache.get_many(["a", "b", "c"]) == {"c": None}
    assert cache.set_many({"c": 1}, timeout=0) == []
    assert cache.get_many(["c"]) == {}


def test_many_methods_accept_nothing(cache: Any) -> None:
    assert cache.set_many({}) == []
    assert cache.get_many([]) == {}
    assert cache.delete_many([]) is None


def test_clear_removes_every_version(cache: Any) -> None:
    cache.set_many({f"key {n}".replace(" ", "-"): n for n in range(50)})
    cache.set("versioned", 1, version=2)
    cache.clear()
    assert cache.get_many([f"key-{n}" for n in range(50)]) == {}
    assert cache.get("versioned", version=2) is None


def test_clear_before_the_first_value(cache: Any) -> None:
    """As test suites do; the nodes do not know the set yet."""
    cache.clear()
    cache.set("key", 1)
    cache.clear()
    assert cache.get("key") is None


class TestTimeouts:
    def test_timeouts_become_times_to_live(
        self, cluster: Cluster, make: Callable[..., SpikewireCache]
    ) -> None:
        cache = make()
        for timeout, least, most in [
            (100, 90, 100),
            (0.5, 0, 1),
            (86_400 * 40, 3_400_000, 3_456_000),
        ]:
            cache.set("key", 1, timeout)
            left = seconds_left(cluster, cache, "key")
            assert left is not None
            assert least <= left <= most
        cache.set("default", 1)
        assert 290 <= (seconds_left(cluster, cache, "default") or 0) <= 300
        cache.set("forever", 1, None)
        assert seconds_left(cluster, cache, "forever") is None
        cache.set_many({"one": 1, "two": 2}, timeout=100)
        assert 90 <= (seconds_left(cluster, cache, "two") or 0) <= 100

    def test_the_default_timeout_applies(
        self, cluster: Cluster, make: Callable[..., SpikewireCache]
    ) -> None:
        forever, short, never = make(TIMEOUT=None), make(TIMEOUT=1000), make(TIMEOUT=0)
        forever.set("key", 1)
        assert seconds_left(cluster, forever, "key") is None
        short.set("key", 1)
        assert 990 <= (seconds_left(cluster, short, "key") or 0) <= 1000
        never.set("key", 1)
        assert not never.has_key("key")

    @pytest.mark.parametrize("timeout", [0, -1, -0.5])
    def test_zero_is_not_cached(self, cache: Any, timeout: float) -> None:
        cache.set("key", 1)
        cache.set("key", 2, timeout)
        assert cache.get("key") is None

    def test_entries_expire(self, cache: Any) -> None:
        cache.set("key", 1, 1)
        until(lambda: not cache.has_key("key"))
        assert cache.get("key") is None
        assert cache.add("key", 2) is True

    def test_touch_changes_the_timeout(
        self, cluster: Cluster, make: Callable[..., SpikewireCache]
    ) -> None:
        cache = make()
        awaited = Awaited(cache)
        for touch in (cache.touch, awaited.touch):
            cache.set("key", 1, 10)
            assert touch("key", 1000) is True
            assert 990 <= (seconds_left(cluster, cache, "key") or 0) <= 1000
            assert touch("key") is True
            assert 290 <= (seconds_left(cluster, cache, "key") or 0) <= 300
            assert touch("key", None) is True
            assert seconds_left(cluster, cache, "key") is None
            assert touch("key", 0) is True
            assert touch("key", 0) is False
            assert touch("key", 10) is False

    def test_incr_keeps_it(self, cluster: Cluster, make: Callable[..., SpikewireCache]) -> None:
        cache = make()
        for key, value in (("integer", 1), ("other", 0.5)):
            cache.set(key, value, 1000)
            assert cache.incr(key) == value + 1
            assert 900 <= (seconds_left(cluster, cache, key) or 0) <= 1000


class TestIncr:
    def test_incr_and_decr_return_the_new_value(self, cache: Any) -> None:
        cache.set("n", 41)
        assert cache.incr("n") == 42
        assert cache.incr("n", 10) == 52
        assert cache.decr("n") == 51
        assert cache.decr("n", 10) == 41
        assert cache.get("n") == 41

    def test_incr_of_a_missing_key_raises(self, cache: Any) -> None:
        for call in (cache.incr, cache.decr):
            with pytest.raises(ValueError, match="Key 'missing' not found"):
                call("missing")
        assert not cache.has_key("missing")

    @pytest.mark.parametrize(
        ("value", "delta"),
        [(2**63 - 1, 1), (-(2**63), -1), (2**63 - 2, 1), (2**70, -(2**70)), (0.5, 1), (1, 0.5),
         (1, 2**64), (True, 1)],
    )  # fmt: skip
    def test_numbers_do_not_wrap(self, cache: Any, value: float, delta: float) -> None:
        cache.set("n", value)
        assert cache.incr("n", delta) == value + delta
        assert cache.get("n") == value + delta

    def test_incr_of_no_number_raises(self, cache: Any) -> None:
        cache.set("text", "abc")
        with pytest.raises(TypeError):
            cache.incr("text")
        assert cache.get("text") == "abc"

    @pytest.mark.parametrize("start", [0, 0.5], ids=["atomic", "by generation"])
    def test_incr_is_atomic_among_threads(
        self, make: Callable[..., SpikewireCache], start: float
    ) -> None:
        cache = make()
        cache.set("n", start)
        with ThreadPoolExecutor(4) as pool:
            sums = list(pool.map(lambda _: cache.incr("n"), range(100)))
        assert sorted(sums) == [start + n for n in range(1, 101)]


class TestVersionsAndPrefixes:
    def test_versions_are_separate(self, cache: Any) -> None:
        cache.set("key", 1)
        cache.set("key", 2, version=2)
        assert (cache.get("key"), cache.get("key", version=2)) == (1, 2)
        assert cache.get_many(["key"], version=2) == {"key": 2}
        assert cache.delete("key", version=3) is False
        assert cache.incr("key", version=2) == 3
        assert cache.get("key") == 1

    def test_incr_version_moves_the_entry(self, cache: Any) -> None:
        cache.set("key", 1)
        assert cache.incr_version("key") == 2
        assert cache.get("key") is None
        assert cache.get("key", version=2) == 1
        assert cache.decr_version("key", version=2) == 1
        assert cache.get("key") == 1
        with pytest.raises(ValueError, match="not found"):
            cache.incr_version("missing")

    def test_prefix_version_and_key_function_form_the_key(
        self, make: Callable[..., SpikewireCache]
    ) -> None:
        plain, prefixed, second = make(), make(KEY_PREFIX="app"), make(VERSION=2)
        strange = make(KEY_FUNCTION=lambda *parts: "/".join(map(str, parts[::2])))
        for number, one in enumerate((plain, prefixed, second, strange)):
            one.set("key", number)
        assert [one.get("key") for one in (plain, prefixed, second, strange)] == [0, 1, 2, 3]
        assert plain.get("key", version=2) == 2

    def test_keys_that_memcached_would_not_take(self, cache: Any) -> None:
        with pytest.warns(CacheKeyWarning, match="characters that will cause errors"):
            cache.set("key with spaces", 1)
        with pytest.warns(CacheKeyWarning, match="longer than 250"):
            cache.set("k" * 300, 2)
        with pytest.warns(CacheKeyWarning):
            assert cache.get_many(["key with spaces"]) == {"key with spaces": 1}


class Reversed:
    """A serializer of texts."""

    def dumps(self, value: str) -> bytes:
        return value[::-1].encode()

    def loads(self, data: bytes) -> str:
        return data.decode()[::-1]


@pytest.mark.parametrize("serializer", [Reversed, Reversed(), f"{__name__}.Reversed"])
def test_the_serializer_option_is_used(
    make: Callable[..., SpikewireCache], serializer: object
) -> None:
    cache = make(OPTIONS={"serializer": serializer})
    cache.set_many({"key": "abc", "n": 1})
    assert cache.get_many(["key", "n"]) == {"key": "abc", "n": 1}
    assert next(iter(cache._place.records().query())).bins["v"] in (b"cba", 1)


@pytest.mark.parametrize("timeout", [10**10, float("inf"), 315_360_001])
def test_no_entry_lives_longer_than_a_server_allows(
    make: Callable[..., SpikewireCache], timeout: float
) -> None:
    cache = make()
    cache.set("old", 1, timeout=timeout)
    assert cache.get("old") == 1
    assert cache.touch("old", timeout)


class TestConfiguration:
    @pytest.mark.parametrize(
        ("location", "options", "message"),
        [
            ("db1:3000", {}, "the URL"),
            ("aerospike://db1:3000", {}, "no namespace"),
            ("aerospike://db1/test?timeout=soon", {}, "option timeout"),
            ("aerospike://db1/test", {"timeuot": 1}, "timeuot"),
            ("aerospike://db1/test", {"set": "s" * 64}, "set"),
            ("aerospike://db1/test", {"MAX_ENTRIES": 10}, "MAX_ENTRIES"),
            ("aerospike://db1/test", {"serializer": 5}, "serializer: 5 has no method dumps"),
            ("aerospike://db1/test", {"serializer": "nowhere.At"}, "serializer: No module named"),
            ("aerospike://db1/test", {"serializer": "json.loads"}, "has no method dumps"),
        ],
    )
    def test_mistakes_are_named(self, location: str, options: dict[str, Any], message: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=message):
            SpikewireCache(location, {"OPTIONS": options})

    def test_connects_on_first_use(self) -> None:
        cache = SpikewireCache("aerospike://127.0.0.1:1/test", {})
        for call in (cache.get, Awaited(cache).get):
            with pytest.raises(spikewire.ConnectionFailed):
                call("key")

    def test_the_location_defaults_to_the_environment(
        self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_URL", f"aerospike://{cluster.seeds}/test")
        cache = SpikewireCache("", {"OPTIONS": {"set": f"django{next(_sets)}"}})
        cache.set("key", 1)
        assert cache.get("key") == 1


def test_a_process_has_one_client(make: Callable[..., SpikewireCache]) -> None:
    clients = set()

    def use(number: int) -> None:
        cache = make(KEY_PREFIX=f"p{number}", OPTIONS={"timeout": 21})
        cache.set("key", 1)
        clients.add(id(cache._place._shared.open()))
        asyncio.run(cache.aset("key", 2))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(16)))
    assert len(clients) == 1


def test_opens_again_after_closing(make: Callable[..., SpikewireCache]) -> None:
    cache = make()
    cache.set("key", 1)
    cache.close()
    assert cache.get("key") == 1
    close_clients()
    assert cache.get("key") == 1


FORKS = """
from spikewire.contrib.django import SpikewireCache, close_clients, clients

def opened(name):
    options = {"timeout": 20, "set": name}
    return SpikewireCache(f"aerospike://{seeds}/test", {"OPTIONS": options})

cache = opened("forked")
cache.set("n", 1)
held, done = threading.Event(), threading.Event()

def hold():
    with clients._state.lock:
        held.set()
        done.wait()

# The fork finds another thread in the middle of opening a client.
threading.Thread(target=hold).start()
held.wait()

def work():
    assert cache.incr("n") == 2
    assert asyncio.run(cache.aincr("n")) == 3
    opened("another").set("key", 1)
    close_clients()
    assert cache.incr("n") == 4

child(work)
done.set()
assert cache.incr("n") == 5
close_clients()
print("fine")
"""


def test_the_cache_works_in_the_child_of_a_fork(cluster: Cluster) -> None:
    assert forking.scenario(cluster.seeds, FORKS) == "fine"


def test_many_tasks_wait_together(make: Callable[..., SpikewireCache]) -> None:
    cache = make()

    async def main() -> list[int]:
        await asyncio.gather(*(cache.aset(f"k{n}", n) for n in range(200)))
        return list(await asyncio.gather(*(cache.aget(f"k{n}") for n in range(200))))

    assert asyncio.run(main()) == list(range(200))


class TestSessions:
    """Django's own session engine over this cache."""

    @pytest.fixture(autouse=True)
    def _settings(self, cluster: Cluster) -> Iterator[None]:
        from django.test.utils import override_settings

        if not settings.configured:
            settings.configure(SECRET_KEY="a secret of tests")
        cache = {
            "BACKEND": "spikewire.contrib.django.SpikewireCache",
            "LOCATION": f"aerospike://{cluster.seeds}/test",
            "OPTIONS": {"set": f"sessions{next(_sets)}", "timeout": 20},
        }
        with override_settings(CACHES={"default": cache}):
            yield
            caches.close_all()

    def test_sessions_work_on_threads(self) -> None:
        from django.contrib.sessions.backends.cache import SessionStore

        session = SessionStore()
        session["user"] = {"name": "Alice", "cart": [1, 2]}
        session.save()
        same = SessionStore(session.session_key)
        assert same["user"] == {"name": "Alice", "cart": [1, 2]}
        same.cycle_key()
        assert same.session_key != session.session_key
        assert not SessionStore(session.session_key).exists(session.session_key)
        again = SessionStore(same.session_key)
        assert again["user"]["name"] == "Alice"
        again.flush()
        assert again.session_key is None
        assert not SessionStore().exists(same.session_key)

    def test_sessions_work_on_an_event_loop(self) -> None:
        store = pytest.importorskip("django.contrib.sessions.backends.cache").SessionStore
        if not hasattr(store, "aload"):
            pytest.skip("sessions of this Django have no asynchronous methods")

        async def main() -> None:
            session = store()
            await session.aset("user", "Alice")
            await session.asave()
            same = store(session.session_key)
            assert await same.aget("user") == "Alice"
            await same.acycle_key()
            assert not await store().aexists(session.session_key)
            assert await store(same.session_key).aget("user") == "Alice"
            await same.aflush()
            assert not await store().aexists(session.session_key or "")

        asyncio.run(main())
