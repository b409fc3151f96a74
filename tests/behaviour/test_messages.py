"""What the message of an error says besides what happened: who, and what to write instead."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

    from apis import Caller, Opened

#: What verbs are called with.
ARGUMENTS: dict[str, tuple[object, ...]] = {
    "put": ("k", {"n": 1}),
    "add": ("k", {"n": 1}),
    "append": ("k", {"s": "x"}),
    "prepend": ("k", {"s": "x"}),
    "operate": ("k", [op.get("n")]),
    "apply": ("k", "m", "f", []),
    "get_many": (["k"],),
    "put_many": ({"k": {"n": 1}},),
    "operate_many": (["k"], [op.get("n")]),
}


def message(call: Callable[[], object], kind: type[BaseException]) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_a_missing_record_suggests_a_default(data: Caller) -> None:
    assert "default=None" in message(lambda: data.get("nobody"), spikewire.RecordNotFound)
    assert "default=" not in message(lambda: data.touch("nobody"), spikewire.RecordNotFound)


def test_operations_that_do_not_fit_are_named(data: Caller) -> None:
    data.put("k", {"n": 1, "s": "text", "l": [1]})
    text = message(lambda: data.operate("k", [op.get("n"), op.add("s", 1)]), spikewire.BinTypeError)
    assert 'bin: op.add("s", 1) (' in text
    several = [op.add("n", 1), op.list.append("n", 1), op.list.append("l", 2)]
    text = message(lambda: data.operate("k", several), spikewire.BinTypeError)
    assert all(f'"{name}"' in text for name in "nl")
    assert "one of" in text
    text = message(
        lambda: data.operate("k", [op.list.get_by_index("l", 9)]), spikewire.OpNotApplicable
    )
    assert 'op.list.get_by_index("l", 9' in text
    many = [op.list.append("n", number) for number in range(100)]
    text = message(lambda: data.operate("k", many), spikewire.BinTypeError)
    assert "92 more" in text
    assert len(text) < 2000


def test_bins_whose_type_does_not_fit_are_named(data: Caller) -> None:
    """Plain verbs, whose operations nobody wrote."""
    data.put("k", {"n": 1, "s": "text"})
    for call in (
        lambda: data.add("k", {"s": 1}),
        lambda: data.append("k", {"n": "x"}),
        lambda: data.prepend("k", {"n": "x"}),
    ):
        assert re.search('type of the bin: bin "[ns]" ', message(call, spikewire.BinTypeError))
    text = message(lambda: data.add("k", {"n": 1, "s": 1}), spikewire.BinTypeError)
    assert 'one of bins "n", "s" (' in text
    many = {"s": 1} | {f"b{number}": 1 for number in range(20)}
    text = message(lambda: data.add("k", many), spikewire.BinTypeError)
    assert "and 13 more" in text
    # Operations are shown as they were written, and their bins not a second time.
    text = message(lambda: data.operate("k", [op.add("s", 1)]), spikewire.BinTypeError)
    assert text.count('"s"') == 1


def test_a_record_that_is_too_big_has_a_size(data: Caller) -> None:
    for call in (
        lambda: data.put("k", {"a": bytes(2 << 20)}),
        lambda: data.operate("k", [op.put("a", bytes(2 << 20))]),
    ):
        text = message(call, spikewire.RecordTooBig)
        size = re.search("max-record-size; the request has ([0-9]+) bytes", text)
        assert size is not None
        assert 2 << 20 < int(size[1]) < (2 << 20) + 200


def test_keywords_that_a_verb_does_not_have(data: Caller, client: Opened) -> None:
    """The names that it has are listed."""
    verbs = ["get", "exists", "put", "add", "append", "prepend", "delete", "touch", "operate"]
    verbs += ["apply", "get_many", "put_many", "operate_many"]
    for of in (data, client.verbs):
        for verb in verbs:
            call = partial(getattr(of, verb), *ARGUMENTS.get(verb, ("k",)), timout=1)
            text = message(call, TypeError)
            assert f".{verb}() got an unexpected keyword argument 'timout'; there are: " in text
            assert ", timeout" in text


@pytest.mark.parametrize("value", [object(), 2**64, [2**64], {"k": {1j}}, "\udc80"])
def test_a_value_that_cannot_be_stored(data: Caller, value: Any) -> None:
    """The error is the same wherever the value stands."""
    with pytest.raises((TypeError, OverflowError, ValueError)) as caught:
        data.put("k", {"b": value})
    kind, text = type(caught.value), str(caught.value)
    assert message(lambda: data.operate("k", [op.put("b", value)]), kind) == text
    for wrong in (op.list.append, partial(op.map.put, key="k")):
        assert text.partition(": ")[2] in message(partial(wrong, "b", value=value), kind)


def test_a_bin_that_was_not_read(data: Caller) -> None:
    data.put("k", {"age": 1, "name": "x"})
    record = data.get("k", ["age"])
    assert "no bin 'nope'; the bins read are: 'age'" in message(lambda: record["nope"], KeyError)
    with pytest.raises(TypeError, match="unhashable"):
        record[[]]


def test_a_module_that_is_not_registered(data: Caller) -> None:
    data.put("k", {"n": 1})
    text = message(lambda: data.apply("k", "nothere", "f", []), spikewire.FunctionFailed)
    assert '"nothere"' in text
    assert "client.modules.list()" in text


def test_long_texts_are_shortened(data: Caller) -> None:
    for call, kind in [
        (lambda: data.get("k" * 200_000), spikewire.RecordNotFound),
        (lambda: data.put(1, {"x" * 1_000_000: 1}), ValueError),
        (lambda: data.put(1, {"a": 1}, ttl="x" * 1_000_000), ValueError),
        (lambda: spikewire.Key("test", "s" * 1_000_000, 1), ValueError),
        (lambda: data.get(1, where="$.a == '" + "x" * 500_000), ValueError),
    ]:
        assert len(message(call, kind)) < 3000


def test_codes_of_failures_on_this_side_are_left_out(data: Caller) -> None:
    text = message(lambda: spikewire.Client("127.0.0.1:1"), spikewire.ConnectionFailed)
    assert "code" not in text
    assert "is a server running there?" in text
    assert "code 2" in message(lambda: data.get("nobody"), spikewire.RecordNotFound)


def test_the_node_of_a_timeout_is_named_once() -> None:
    with Cluster(nodes=1) as cluster, spikewire.Client(cluster.seeds) as client:
        cluster.inject(0, delay=60)
        text = message(lambda: client.get(("test", "s", 1), timeout=0.05), spikewire.Timeout)
        assert text.count(cluster.seeds) == 1


SEEDS: list[tuple[Any, type[Exception], str]] = [
    ("aerospike://u:secret@h/test", ValueError, r"Client\.from_url\(\"aerospike://…@h/test\"\)"),
    (("127.0.0.1", 3000), TypeError, '"127.0.0.1:3000"'),
    ([("::1", 3000)], TypeError, r'"\[::1\]:3000"'),
]


@pytest.mark.parametrize(("seeds", "kind", "text"), SEEDS, ids=str)
def test_seeds_in_the_form_of_other_clients_raise_with_advice(
    seeds: Any, kind: type[Exception], text: str
) -> None:
    for client in (spikewire.Client, spikewire.AsyncClient):
        with pytest.raises(kind, match=text) as caught:
            client(seeds)
        assert "secret" not in str(caught.value)


def test_a_closed_client_names_its_node(cluster: Cluster) -> None:
    client = spikewire.Client(cluster.seeds)
    client.close()
    text = message(lambda: client.get(("test", "s", 1)), spikewire.ClientClosed)
    assert cluster.addresses[0] in text


def test_a_subclass_that_does_not_call_its_base(cluster: Cluster) -> None:
    class Mine(spikewire.Client):
        def __init__(self, seeds: str) -> None:
            pass

    text = message(lambda: Mine(cluster.seeds).nodes(), spikewire.ClientClosed)
    assert "super().__init__" in text


def test_passwords_are_not_quoted(cluster: Cluster) -> None:
    """Not even if they are no text, as ``os.environ`` may have them."""
    secret = "S3cr\udce9t"
    for call in (
        lambda: spikewire.Client(cluster.seeds, user="u", password=secret),
        lambda: Cluster(users={"u": secret}),
        lambda: Cluster(users={"u": {"password": secret}}),
    ):
        text = message(call, ValueError)
        assert "S3cr" not in text
        assert "password" in text


@pytest.mark.parametrize("value", ["1000", "86_400"])
def test_timeouts_in_milliseconds_are_noticed_once(cluster: Cluster, value: str) -> None:
    code = """if True:
        import datetime, sys, warnings
        import spikewire
        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always")
            client = spikewire.Client(sys.argv[1], timeout=datetime.timedelta(hours=2))
            client.exists(("test", "s", 1), timeout=30)
            client.exists(("test", "s", 1), timeout=7200.0)
            assert not noticed
            value = eval(sys.argv[2])
            for _ in range(3):
                client.exists(("test", "s", 1), timeout=value)
            (warning,) = noticed
            assert f"timeout={value}: timeouts are in seconds" in str(warning.message)
            assert warning.filename == "<string>", warning
        client.close()
    """
    subprocess.run([sys.executable, "-c", code, cluster.seeds, value], check=True, timeout=60)


def test_an_iterator_without_end_raises_memory_error(cluster: Cluster) -> None:
    code = """if True:
        import itertools, resource, sys
        import spikewire
        with spikewire.Client(sys.argv[1], timeout=5) as client:
            data = client.dataset("test", "endless")
            used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
            limit = used + (600 << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            for call in (
                lambda: data.get_many(itertools.count()),
                lambda: data.exists_many(itertools.repeat("k")),
                lambda: data.put_many((n, {"n": n}) for n in itertools.count()),
            ):
                try:
                    call()
                except MemoryError:
                    continue
                raise AssertionError("it ended")
            assert data.exists("k") is False
    """
    if sys.platform != "linux":
        pytest.skip("needs limits on memory")
    subprocess.run([sys.executable, "-c", code, cluster.seeds], check=True, timeout=120)


def test_repr_of_public_objects(cluster: Cluster) -> None:
    with Cluster(nodes=1) as one:
        assert repr(one) == f"<Cluster of 1 node, {one.seeds}>"
    assert repr(one) == "<Cluster of 1 node, stopped>"
    with spikewire.Client(cluster.seeds) as client:
        query = client.dataset("test", "s").query()
        assert repr(query) == "<Query of test, s, open>"
        query.close()
        assert repr(query) == "<Query of test, s, closed>"
        assert repr(client.metrics) == f"<Metrics of {client!r}, off>"
        client.metrics.enable(stages=True)
        assert repr(client.metrics).endswith("on, with stages>")
        metrics = client.metrics
    assert "closed" in repr(metrics)
