"""Behaviour that every client must observe: the same tests, run through each client's own calls."""

from __future__ import annotations

import time
from typing import Any, Protocol

import pytest

#: Result codes by their names in the protocol.
NOT_FOUND, GENERATION, PARAMETER, EXISTS, TOO_BIG, BIN_TYPE, NAMESPACE, BIN_NAME = (
    2, 3, 4, 5, 13, 12, 20, 21
)  # fmt: skip
#: Seconds that a client may take to notice that a node failed or returned.
NOTICE = 30

Key = tuple[str, str, Any]
Step = tuple[str, str, Any]


def last_results(bins: dict[str, Any]) -> dict[str, Any]:
    """Clients that request every result return those of a bin as a list."""
    return {name: value[-1] if isinstance(value, list) else value for name, value in bins.items()}


class Adapter(Protocol):
    """A connected client behind a common interface. Errors are the client's own."""

    @property
    def errors(self) -> tuple[type[BaseException], ...]:
        """The exceptions of the client for a refusal by the server."""

    #: Whether it supports these at all.
    can_append_bytes: bool
    can_add_float: bool

    def close(self) -> None: ...
    def put(
        self, key: Key, bins: dict[str, Any], *, ttl: int | None = None,
        generation: int | None = None, exists: str | None = None, send_key: bool = False,
    ) -> None: ...  # fmt: skip
    def get(self, key: Key, bins: list[str] | None = None) -> tuple[dict[str, Any], int, int]: ...
    def exists(self, key: Key) -> bool: ...
    def delete(self, key: Key) -> bool: ...
    def touch(self, key: Key, ttl: int) -> None: ...
    def append(self, key: Key, name: str, value: str | bytes) -> None: ...
    def prepend(self, key: Key, name: str, value: str | bytes) -> None: ...
    def add(self, key: Key, name: str, value: float) -> None: ...
    def operate(self, key: Key, steps: list[Step]) -> dict[str, Any]: ...
    def truncate(self, set_name: str) -> None: ...
    def geo(self, text: str) -> Any: ...
    def geo_text(self, value: Any) -> str: ...
    def code(self, error: BaseException) -> int: ...


class Contract:
    """Subclasses define ``connect`` and inherit the tests."""

    def connect(self, seeds: str) -> Adapter:
        raise NotImplementedError

    @pytest.fixture
    def client(self, box: Any) -> Any:
        client = self.connect(box.seeds)
        yield client
        client.close()

    @pytest.fixture
    def key(self, set_name: str) -> Key:
        return ("test", set_name, "k")

    def rejected(self, client: Adapter, code: int, call: Any) -> None:
        with pytest.raises(client.errors) as caught:
            call()
        assert client.code(caught.value) == code, caught.value

    def test_put_get_exists_delete(self, client: Adapter, key: Key) -> None:
        self.rejected(client, NOT_FOUND, lambda: client.get(key))
        assert not client.exists(key)
        client.put(key, {"a": 1, "b": "two"})
        assert client.get(key)[:2] == ({"a": 1, "b": "two"}, 1)
        assert client.get(key, ["b", "none"])[0] == {"b": "two"}
        assert client.exists(key)
        assert client.delete(key)
        assert not client.exists(key)
        assert not client.delete(key)

    @pytest.mark.parametrize("user_key", [0, -1, 2**63 - 1, "", "käy", b"\0\xff", b"k"])
    def test_keys_of_every_type_work(self, client: Adapter, set_name: str, user_key: Any) -> None:
        key = ("test", set_name, user_key)
        client.put(key, {"a": 1}, send_key=True)
        assert client.get(key)[0] == {"a": 1}

    @pytest.mark.parametrize(
        "value",
        [
            0, -1, 2**63 - 1, -(2**63), 1.5, -0.0, True, False,
            "", "ü€", "x" * 5000, b"", b"\0\xff",
            [], [1, "a", b"b", 2.5, None, True, [1, [2]], {"x": 1}], list(range(1000)),
            {}, {"b": 1, "a": [1, {"c": 2}]}, {1: "one", "s": "two", -7: 0},
            {i: str(i) for i in range(300, 0, -1)},
        ],
        ids=lambda value: repr(value)[:24],
    )  # fmt: skip
    def test_values_round_trip(self, client: Adapter, key: Key, value: Any) -> None:
        client.put(key, {"v": value})
        stored = client.get(key)[0]["v"]
        assert stored == value
        assert type(stored) is type(value)

    def test_geojson_round_trips(self, client: Adapter, key: Key) -> None:
        text = '{"type": "Point", "coordinates": [1.0, 2.0]}'
        client.put(key, {"g": client.geo(text)})
        assert client.geo_text(client.get(key)[0]["g"]).replace(" ", "") == text.replace(" ", "")

    def test_a_null_removes_its_bin(self, client: Adapter, key: Key) -> None:
        client.put(key, {"a": 1, "b": 2})
        client.put(key, {"a": None})
        assert client.get(key)[0] == {"b": 2}

    def test_sets_are_apart(self, client: Adapter, set_name: str) -> None:
        one, other = ("test", set_name, 1), ("test", set_name + "x", 1)
        client.put(one, {"a": 1})
        assert not client.exists(other)
        client.put(other, {"a": 2})
        client.truncate(set_name)
        assert not client.exists(one)
        assert client.get(other)[0] == {"a": 2}
        client.put(one, {"a": 3})
        assert client.get(one)[:2] == ({"a": 3}, 1)

    def test_a_wrong_generation_is_rejected(self, client: Adapter, key: Key) -> None:
        client.put(key, {"a": 1})
        client.put(key, {"a": 2}, generation=1)
        self.rejected(client, GENERATION, lambda: client.put(key, {"a": 3}, generation=1))
        assert client.get(key)[:2] == ({"a": 2}, 2)

    def test_exists_policies(self, client: Adapter, key: Key) -> None:
        for exists in ("update", "replace"):
            self.rejected(client, NOT_FOUND, lambda e=exists: client.put(key, {"a": 1}, exists=e))
        client.put(key, {"a": 1}, exists="create")
        self.rejected(client, EXISTS, lambda: client.put(key, {"a": 2}, exists="create"))
        client.put(key, {"b": 2}, exists="update")
        assert client.get(key)[0] == {"a": 1, "b": 2}
        client.put(key, {"c": 3}, exists="replace")
        assert client.get(key)[:2] == ({"c": 3}, 3)

    def test_ttl_and_touch_set_the_expiry(self, client: Adapter, key: Key) -> None:
        client.put(key, {"a": 1}, ttl=100)
        assert 95 <= client.get(key)[2] <= 100
        client.touch(key, 500)
        assert client.get(key)[1] == 2
        assert 495 <= client.get(key)[2] <= 500
        client.put(key, {"a": 2}, ttl=1)
        deadline = time.monotonic() + 20
        while client.exists(key):
            assert time.monotonic() < deadline, "the record does not expire"
            time.sleep(0.05)

    def test_append_prepend_add(self, client: Adapter, key: Key) -> None:
        client.append(key, "s", "mid")
        client.append(key, "s", ">")
        client.prepend(key, "s", "<")
        client.add(key, "n", 5)
        client.add(key, "n", -7)
        expected: dict[str, Any] = {"s": "<mid>", "n": -2}
        if client.can_append_bytes:
            client.append(key, "b", b"\x01")
            client.prepend(key, "b", b"\x00")
            expected["b"] = b"\x00\x01"
        if client.can_add_float:
            client.add(key, "f", 1.5)
            client.add(key, "f", 0.25)
            expected["f"] = 1.75
        assert client.get(key)[0] == expected
        self.rejected(client, BIN_TYPE, lambda: client.add(key, "s", 1))
        self.rejected(client, BIN_TYPE, lambda: client.append(key, "n", "x"))

    def test_operate_runs_its_steps(self, client: Adapter, key: Key) -> None:
        steps = [
            ("put", "a", 1), ("add", "a", 4), ("append", "s", "y"), ("prepend", "s", "x"),
            ("get", "a", None), ("get", "s", None),
        ]  # fmt: skip
        results = client.operate(key, steps)
        assert (results["a"], results["s"]) == (5, "xy")
        assert client.get(key)[:2] == ({"a": 5, "s": "xy"}, 1)
        results = client.operate(key, [("get", "s", None)])
        assert results["s"] == "xy"
        assert client.get(key)[1] == 1, "reading alone changes nothing"

    def test_a_record_that_is_too_big_is_rejected(self, client: Adapter, key: Key) -> None:
        client.put(key, {"a": 1})
        big = b"x" * (1 << 20)
        self.rejected(client, TOO_BIG, lambda: client.put(key, {"big": big}))
        assert client.get(key)[:2] == ({"a": 1}, 1)

    def test_many_records_round_trip(self, client: Adapter, set_name: str) -> None:
        for i in range(500):
            client.put(("test", set_name, i), {"i": i})
        for i in range(500):
            assert client.get(("test", set_name, i))[:2] == ({"i": i}, 1)

    def test_a_node_dies_and_returns(self, fragile_box: Any, set_name: str) -> None:
        client = self.connect(fragile_box.seeds)
        try:
            keys = [("test", set_name, i) for i in range(200)]
            for i, key in enumerate(keys):
                client.put(key, {"i": i})
            for node in (1, 0):
                fragile_box.kill(node)
                assert fragile_box.wait_settled()
                self.all_readable(client, keys)
                fragile_box.restart(node)
                assert fragile_box.wait_settled()
                self.all_readable(client, keys)
            for i, key in enumerate(keys):
                client.put(key, {"i": i + 1})
                assert client.get(key)[:2] == ({"i": i + 1}, 2)
        finally:
            client.close()

    def all_readable(self, client: Adapter, keys: list[Key]) -> None:
        """Every record is read in one call, once the client has noticed the change."""
        deadline = time.monotonic() + NOTICE
        while (error := self.read_all(client, keys)) is not None:
            assert client.code(error) != NOT_FOUND, "a record is lost"
            if time.monotonic() > deadline:
                raise error
            time.sleep(0.1)

    def read_all(self, client: Adapter, keys: list[Key]) -> BaseException | None:
        try:
            records = [client.get(key)[0] for key in keys]
        except client.errors as error:
            return error
        assert records == [{"i": i} for i in range(len(keys))]
        return None
