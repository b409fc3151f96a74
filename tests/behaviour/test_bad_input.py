"""Invalid arguments are rejected before a byte is sent, by an error that names the argument."""

# ruff: noqa: E501 - one refusal a line is easier to read

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from apis import Api, Caller, Opened
    from spikewire.testing import Cluster


#: Flags, by verb.
SWITCHES: list[tuple[str, tuple[Any, ...], str]] = [
    ("get", (1,), "buffers"),
    ("get", (1,), "sleep_jitter"),
    ("put", (1, {}), "durable"),
    ("put", (1, {}), "send_key"),
    ("put", (1, {}), "retry_in_doubt"),
    ("delete", (1,), "send_key"),
    ("put_many", ({},), "durable"),
    ("query", (), "include_values"),
]


@pytest.mark.any_api
@pytest.mark.parametrize(("verb", "arguments", "name"), SWITCHES)
def test_a_switch_of_the_wrong_type_is_named(
    client: Opened, verb: str, arguments: Any, name: str
) -> None:
    call = getattr(client.raw.dataset("test", "bad"), verb)
    for wrong in ("yes", 1, [True]):
        with pytest.raises(TypeError) as caught:
            client.api.settle(partial(call, *arguments, **{name: wrong}))
        # Not only in a note, which `match` would search as well.
        assert str(caught.value) == f"{name} must be True or False, not {type(wrong).__name__}"


def test_switches_of_rows_operations_and_expressions_are_named() -> None:
    wrong: Any = "yes"
    for call, name in (
        (lambda: spikewire.Write(1, {}, durable=wrong), "durable"),
        (lambda: spikewire.Write(1, {}, send_key=wrong), "send_key"),
        (lambda: spikewire.Delete(1, send_key=wrong), "send_key"),
        (lambda: spikewire.Apply(1, "m", "f", durable=wrong), "durable"),
        (lambda: op.read("a", "1", no_fail=wrong), "no_fail"),
        (lambda: op.write("a", "1", allow_delete=wrong), "allow_delete"),
        (lambda: spikewire.exp.bin("a", str).matches("a", ignore_case=wrong), "ignore_case"),
        (lambda: spikewire.ctx.list_index_create(0, pad=wrong), "pad"),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == f"{name} must be True or False, not str"
    assert spikewire.Write(1, {}, durable=None).durable is None


class Odd:
    """A type that cannot be stored."""


def loop_list() -> list[object]:
    loop: list[object] = []
    loop.append(loop)
    loop.append(loop)
    return loop


def loop_dict() -> dict[str, object]:
    loop: dict[str, object] = {}
    loop["self"] = loop
    return loop


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


#: Name, verb, arguments, keywords, error, what the message must contain.
REFUSED: list[tuple[str, str, tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    ("float key", "get", (1.5,), {}, TypeError, "key.*float"),
    ("bool key", "get", (True,), {}, TypeError, "key.*bool"),
    ("no key", "get", (None,), {}, TypeError, "key.*NoneType"),
    ("list key", "get", ([1],), {}, TypeError, "key.*list"),
    ("object key", "get", (Odd(),), {}, TypeError, "key.*Odd"),
    ("key beyond 64 bits", "get", (1 << 63,), {}, OverflowError, "key 9223372036854775808"),
    ("key below 64 bits", "get", (-(1 << 63) - 1,), {}, OverflowError, "key -9223372036854775809"),
    ("surrogate key", "get", ("\ud800",), {}, ValueError, "key"),
    ("int beyond 64 bits", "put", (1, {"a": 1 << 63}), {}, OverflowError, '"a".*9223372036854775808'),
    ("int below 64 bits", "put", (1, {"a": -(1 << 63) - 1}), {}, OverflowError, '"a".*64 bits'),
    ("huge int", "put", (1, {"a": 10**1000}), {}, OverflowError, '"a"'),
    ("nested huge int", "put", (1, {"a": [1, 1 << 64]}), {}, OverflowError, r'"a"\[1\]'),
    ("long bin name", "put", (1, {"x" * 16: 1}), {}, ValueError, "x{16}.*15"),
    ("long UTF-8 bin name", "put", (1, {"é" * 8: 1}), {}, ValueError, "16 bytes.*15"),
    ("NUL in a bin name", "put", (1, {"a\0b": 1}), {}, ValueError, "NUL"),
    ("surrogate bin name", "put", (1, {"\ud800": 1}), {}, ValueError, "bin name"),
    ("bin name of bytes", "put", (1, {b"a": 1}), {}, TypeError, "bin name.*bytes"),
    ("bin name of int", "put", (1, {1: 1}), {}, TypeError, "bin name.*int"),
    ("unknown option", "put", (1, {"a": 1}), {"tll": 1}, TypeError, "tll"),
    ("unknown type", "put", (1, {"a": Odd()}), {}, TypeError, '"a".*Odd'),
    ("a set", "put", (1, {"a": {1, 2}}), {}, TypeError, '"a".*set'),
    ("complex", "put", (1, {"a": 1j}), {}, TypeError, '"a".*complex'),
    ("unknown type in a list", "put", (1, {"a": [1, [2, Odd()]]}), {}, TypeError, r'"a"\[1\]\[1\].*Odd'),
    ("unknown type in a map", "put", (1, {"a": {"k": [Odd()]}}), {}, TypeError, r"\['k'\]\[0\].*Odd"),
    ("float map key", "put", (1, {"a": {1.5: 1}}), {}, TypeError, '"a".*1.5.*float'),
    ("bool map key", "put", (1, {"a": {True: 1}}), {}, TypeError, '"a".*True.*bool'),
    ("None map key", "put", (1, {"a": {None: 1}}), {}, TypeError, '"a".*None'),
    ("tuple map key", "put", (1, {"a": {(1,): 1}}), {}, TypeError, '"a".*tuple'),
    ("surrogates", "put", (1, {"a": "x\udfff"}), {}, ValueError, '"a".*UTF-8'),
    ("surrogates in a text", "get", (1,), {"where": "$.a == '\ud800'"}, ValueError, r"^where: the text .*ud800.*UTF-8"),
    ("surrogates in a text with parameters", "get", (1,), {"where": ("$.\ud800 == ?", 1)}, ValueError, r"^where: the text .*ud800.*UTF-8"),
    ("surrogates in a word", "get", (1,), {"replica": "\ud800"}, ValueError, r"^replica .*ud800.*UTF-8"),
    ("surrogate ttl", "put", (1, {"a": 1}), {"ttl": "\ud800"}, ValueError, r"^ttl .*ud800.*UTF-8"),
    ("nested surrogates", "put", (1, {"a": ["\ud800"]}), {}, ValueError, r'"a"\[0\].*UTF-8'),
    ("deep nesting", "put", (1, {"a": deep(500)}), {}, ValueError, '"a".*deeper'),
    ("very deep nesting", "put", (1, {"a": deep(100_000)}), {}, ValueError, '"a".*deeper'),
    ("list in itself", "put", (1, {"a": loop_list()}), {}, ValueError, '"a".*deeper'),
    ("dict in itself", "put", (1, {"a": loop_dict()}), {}, ValueError, '"a".*deeper'),
    ("no bins", "put", (1, {}), {}, ValueError, "bins.*empty"),
    ("bins as list", "put", (1, ["a"]), {}, TypeError, "bins.*list"),
    ("bins as str", "put", (1, "a"), {}, TypeError, "bins.*str"),
    ("bins as None", "put", (1, None), {}, TypeError, "bins.*NoneType"),
    ("NaN TTL", "put", (1, {"a": 1}), {"ttl": float("nan")}, ValueError, "ttl.*nan"),
    ("float TTL", "put", (1, {"a": 1}), {"ttl": 1.5}, ValueError, "ttl.*1.5"),
    ("zero TTL", "put", (1, {"a": 1}), {"ttl": 0}, ValueError, "ttl.*0"),
    ("negative TTL", "put", (1, {"a": 1}), {"ttl": -1}, ValueError, "ttl.*-1"),
    ("TTL beyond 10 years", "put", (1, {"a": 1}), {"ttl": 315_360_001}, ValueError, "ttl.*315360001"),
    ("huge TTL", "put", (1, {"a": 1}), {"ttl": 1 << 70}, ValueError, "ttl"),
    ("bool TTL", "put", (1, {"a": 1}), {"ttl": True}, TypeError, "ttl.*bool"),
    ("TTL of an unknown word", "put", (1, {"a": 1}), {"ttl": "forever"}, ValueError, "ttl.*forever"),
    ("TTL of half seconds", "put", (1, {"a": 1}), {"ttl": timedelta(seconds=1.5)}, ValueError, "ttl"),
    ("huge TTL as timedelta", "put", (1, {"a": 1}), {"ttl": timedelta.max}, ValueError, "ttl"),
    ("negative generation", "put", (1, {"a": 1}), {"generation": -1}, OverflowError, "generation.*-1"),
    ("generation of 17 bits", "put", (1, {"a": 1}), {"generation": 65_536}, ValueError, "generation.*65536"),
    ("huge generation", "put", (1, {"a": 1}), {"generation": 1 << 80}, OverflowError, "generation"),
    ("float generation", "put", (1, {"a": 1}), {"generation": 1.0}, TypeError, "generation.*float"),
    ("bool generation", "put", (1, {"a": 1}), {"generation": True}, TypeError, "generation.*bool"),
    ("unknown exists", "put", (1, {"a": 1}), {"exists": "always"}, ValueError, "exists.*always"),
    ("exists of int", "put", (1, {"a": 1}), {"exists": 1}, TypeError, "exists.*int"),
    ("negative timeout", "get", (1,), {"timeout": -1}, ValueError, "timeout.*-1"),
    ("NaN timeout", "get", (1,), {"timeout": float("nan")}, ValueError, "timeout.*nan"),
    ("infinite timeout", "get", (1,), {"timeout": float("inf")}, ValueError, "timeout.*inf"),
    ("huge timeout", "get", (1,), {"timeout": 1e300}, ValueError, "timeout"),
    ("integer timeout beyond floats", "get", (1,), {"timeout": 10**400}, ValueError, "timeout.*from 0"),
    ("text timeout", "get", (1,), {"timeout": "1"}, TypeError, "timeout.*str"),
    ("bool timeout", "get", (1,), {"timeout": True}, TypeError, "timeout.*bool"),
    ("negative timedelta", "get", (1,), {"timeout": timedelta(seconds=-1)}, ValueError, "timeout"),
    ("bins to read as str", "get", (1, "a"), {}, TypeError, "bins.*str"),
    ("bins to read of int", "get", (1, [1]), {}, TypeError, "bin name.*int"),
    ("long bin to read", "get", (1, ["y" * 16]), {}, ValueError, "y{16}"),
    ("add of text", "add", (1, {"a": "x"}), {}, TypeError, '"a".*add.*int'),
    ("add of a flag", "add", (1, {"a": True}), {}, TypeError, '"a".*add'),
    ("append of int", "append", (1, {"a": 1}), {}, TypeError, '"a".*append'),
    ("prepend of a list", "prepend", (1, {"a": []}), {}, TypeError, '"a".*prepend'),
    ("append of None", "append", (1, {"a": None}), {}, TypeError, '"a".*append'),
    ("no operations", "operate", (1, []), {}, ValueError, "operations.*empty"),
    ("operations as str", "operate", (1, "get"), {}, TypeError, "operations.*str"),
    ("something else among operations", "operate", (1, [op.get("a"), "a"]), {}, TypeError, r"operations\[1\].*str"),
    ("rules for reads", "operate", (1, [op.get("a")]), {"generation": 1}, ValueError, "generation"),
    ("delete with bins", "delete", (1, {"a": 1}), {}, TypeError, "delete"),
    ("key of many digits", "get", (10**5000,), {}, OverflowError, "key a very long int"),
    ("TTL of many digits", "put", (1, {"a": 1}), {"ttl": 10**5000}, ValueError, "ttl"),
    ("value of many digits", "put", (1, {"a": 10**5000}), {}, OverflowError, '"a"'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "args", "options", "error", "message"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_invalid_arguments_raise(
    data: Caller,
    verb: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    data.put(1, {"a": 0})
    with pytest.raises(error) as caught:
        getattr(data, verb)(*args, **options)
    assert not isinstance(caught.value, spikewire.Error)
    assert re.search(message, str(caught.value)), caught.value
    assert len(str(caught.value)) < 2000
    # Nothing of it was sent, and the client still works.
    assert data.get(1).bins == {"a": 0}
    assert data.get(1).generation == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: op.put("x" * 16, 1), ValueError, "x{16}"),
        (lambda: op.put("a", Odd()), TypeError, '"a".*Odd'),  # type: ignore[arg-type]
        (lambda: op.put(1, 1), TypeError, "bin name.*int"),  # type: ignore[arg-type]
        (lambda: op.add("a", "x"), TypeError, "add"),  # type: ignore[arg-type]
        (lambda: op.append("a", 1), TypeError, "append"),  # type: ignore[arg-type]
        (lambda: op.prepend("a", 1.5), TypeError, "prepend"),  # type: ignore[arg-type]
        (lambda: op.get(""), ValueError, "empty"),
        (lambda: op.put("a", 1 << 64), OverflowError, '"a"'),
        (lambda: spikewire.Operation("fly", "a"), ValueError, "fly"),
        (lambda: spikewire.Key("n" * 32, "s", 1), ValueError, "namespace.*32.*31"),
        (lambda: spikewire.Key("", "s", 1), ValueError, "namespace.*empty"),
        (lambda: spikewire.Key("test", "s" * 64, 1), ValueError, "set.*64.*63"),
        (lambda: spikewire.Key("te\0st", "s", 1), ValueError, "namespace"),
        (lambda: spikewire.Key("\ud800", "s", 1), ValueError, "^namespace .*ud800.*UTF-8"),
        (lambda: spikewire.Key("test", "\ud800", 1), ValueError, "^set .*ud800.*UTF-8"),
        (lambda: spikewire.Key("te:st", "s", 1), ValueError, "namespace.*':'"),
        (lambda: spikewire.Key("test", "a\0b", 1), ValueError, "set"),
        (lambda: spikewire.Key("test", "s", 1.5), TypeError, "float"),  # type: ignore[arg-type]
        (lambda: spikewire.Key("test", 5, 1), TypeError, "set"),  # type: ignore[arg-type]
        (lambda: spikewire.Key.from_digest("test", "s", b"short"), ValueError, "20 bytes.*5"),
        (lambda: spikewire.Key.from_digest("test", "s", "x" * 20), TypeError, "digest.*str"),  # type: ignore[arg-type]
        (lambda: spikewire.GeoJSON(Odd()), TypeError, "Odd"),  # type: ignore[arg-type]
        (lambda: spikewire.HyperLogLog("text"), TypeError, "bytes.*str"),  # type: ignore[arg-type]
    ],
)
def test_invalid_values_raise_without_a_client(
    call: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (1, TypeError, "Key or.*int"),
        ("k", TypeError, "Key or.*str"),
        ((), ValueError, "3 or 4.*0"),
        (("test", "s"), ValueError, "3 or 4.*2"),
        (("test", "s", 1, None, None), ValueError, "3 or 4.*5"),
        (("test", "s", None), ValueError, "key or a digest"),
        ((b"test", "s", 1), TypeError, "namespace.*bytes"),
        (("test", b"s", 1), TypeError, "set.*bytes"),
        (("", "s", 1), ValueError, "namespace.*empty"),
        (("n" * 40, "s", 1), ValueError, "namespace"),
        (("test", "s", 1, bytes(20)), ValueError, "digest"),
        (("test", "s", None, bytes(19)), ValueError, "20 bytes.*19"),
        (("test", "s", 1.5), TypeError, "float"),
    ],
)
def test_verbs_of_a_client_need_whole_keys(
    client: Opened, key: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        client.verbs.get(key)


def test_an_unknown_namespace_raises(client: Opened) -> None:
    for call in (
        lambda: client.verbs.get(("nowhere", "s", 1)),
        lambda: client.verbs.get(("nowhere", "s", 1), default=None),
        lambda: client.dataset("nowhere", "s").put(1, {"a": 1}),
        lambda: client.dataset("nowhere", "s").exists(1),
    ):
        with pytest.raises(spikewire.NamespaceNotFound, match=r'"nowhere".*test') as caught:
            call()
        assert not caught.value.in_doubt


def test_a_record_beyond_the_size_limit_raises(data: Caller) -> None:
    data.put("k", {"a": 1})
    with pytest.raises(spikewire.RecordTooBig, match="max-record-size") as caught:
        data.put("k", {"a": bytes(2 << 20)})
    assert caught.value.code == 13
    assert caught.value.key.key == "k"  # type: ignore[union-attr]
    assert not caught.value.in_doubt
    assert data.get("k").bins == {"a": 1}


def test_a_set_of_another_case_is_another_set(client: Opened, set_name: str) -> None:
    client.dataset("test", set_name.upper()).put(1, {"a": 1})
    assert client.dataset("test", set_name).exists(1) is False


class TestInfo:
    def test_a_line_break_in_an_info_command_raises(self, client: Opened) -> None:
        with pytest.raises(ValueError, match="line break"):
            client.verbs.info("build\nnode")

    def test_an_unknown_node_raises(self, client: Opened) -> None:
        with pytest.raises(ValueError, match='no node "elsewhere" in the cluster; there are: BB9'):
            client.verbs.info("build", node="elsewhere")

    def test_an_unknown_info_command_raises(self, client: Opened) -> None:
        with pytest.raises(spikewire.ServerError, match="nonsense") as caught:
            client.verbs.info("nonsense")
        assert caught.value.node
        assert client.verbs.info("build")

    def test_info_commands_must_be_text(self, client: Opened) -> None:
        with pytest.raises(TypeError):
            client.verbs.info(5)


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"time_out": 1}, TypeError, "time_out"),
            ({"timeout": -1}, ValueError, "timeout.*-1"),
            ({"timeout": float("nan")}, ValueError, "timeout.*nan"),
            ({"timeout": 10**400}, ValueError, "timeout"),
            ({"timeout": None}, TypeError, "timeout.*NoneType"),
            ({"socket_timeout": "x"}, TypeError, "socket_timeout.*str"),
            ({"max_retries": -1}, ValueError, "max_retries.*-1"),
            ({"max_retries": 1.0}, TypeError, "max_retries.*float"),
            ({"retry_in_doubt": 1}, TypeError, "retry_in_doubt.*int"),
            ({"replica": "nearest"}, ValueError, "replica.*nearest"),
            ({"replica": 1}, TypeError, "replica.*int"),
            ({"send_key": "yes"}, TypeError, "send_key.*str"),
            ({"connect_timeout": 0}, ValueError, "connect_timeout.*0.001"),
            ({"tend_interval": 0.001}, ValueError, "tend_interval"),
            ({"connections_per_node": 0}, ValueError, "connections_per_node.*1"),
            ({"pipeline_depth": 0}, ValueError, "pipeline_depth"),
            ({"pipeline_depth": 1 << 80}, ValueError, "pipeline_depth"),
            ({"queue_limit": -5}, ValueError, "queue_limit.*-5"),
            ({"racks": "a"}, TypeError, "racks"),
            ({"racks": [-1]}, ValueError, "racks: a rack id must be from 0"),
            ({"ip_map": ["x"]}, TypeError, "ip_map"),
            ({"ip_map": {"a": 1}}, TypeError, "ip_map"),
            ({"cluster_name": 5}, TypeError, "cluster_name.*int"),
            ({"error_rate_window": 0}, ValueError, "error_rate_window"),
        ],
        ids=lambda value: str(value)[:30] if isinstance(value, dict) else None,
    )
    def test_invalid_client_options_raise(
        self,
        api: Api,
        cluster: Cluster,
        options: dict[str, Any],
        error: type[Exception],
        message: str,
    ) -> None:
        with pytest.raises(error, match=message):
            api.open(cluster.seeds, **options)

    def test_spans_can_be_timedeltas(self, api: Api, cluster: Cluster) -> None:
        with api.open(cluster.seeds, timeout=timedelta(seconds=5)) as client:
            assert client.dataset("test", "spans").exists(1) is False

    def test_the_longest_timeout_is_accepted(self, data: Caller) -> None:
        data.put(1, {"a": 1}, timeout=timedelta.max)
        assert data.get(1, timeout=3.2e9)["a"] == 1
        assert data.get(1, timeout=0)["a"] == 1

    def test_a_wrong_cluster_name_raises(self, api: Api, cluster: Cluster) -> None:
        named = r"cannot connect to the cluster: .*wrong cluster name 'spikewire'.*'mine'"
        with pytest.raises(spikewire.ConnectionFailed, match=named):
            api.open(cluster.seeds, cluster_name="mine")
        with api.open(cluster.seeds, cluster_name="spikewire") as client:
            assert client.raw.is_connected
