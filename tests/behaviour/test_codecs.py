"""Codecs: types and bins with encodings of their own, in every verb of every API."""

# ruff: noqa: E501 - one refusal a line is easier to read

from __future__ import annotations

import copy
import datetime as dt
import enum
import pickle
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

import spikewire
from spikewire import codec, op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Caller
    from spikewire.testing import Cluster

NOW = dt.datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=dt.timezone(dt.timedelta(hours=2)))


class Point:
    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y


class Near(Point):
    pass


class Level(enum.Enum):
    LOW = "low"


def point(value: Point) -> list[int]:
    return [value.x, value.y]


def fail(value: object) -> Any:
    raise KeyError("no way")


def same(value: Any) -> Any:
    return value


FORMS = codec.Codec(
    types={Point: point, dt.datetime: dt.datetime.isoformat, UUID: str, set: sorted},
    bins={
        "at": codec.timestamp(),
        "ms": codec.timestamp("ms"),
        "iso": codec.iso(),
        "price": codec.text(Decimal),
        "level": codec.enum(Level),
        "doc": codec.json(),
        "any": codec.pickle(),
        "bad": codec.Form(fail, same),
        "worse": codec.Form(same, fail),
        "none": codec.Form(lambda _: None, same),
        "list": codec.Form(sorted, frozenset),
    },
)

BINS: dict[str, Any] = {
    "at": NOW,
    "ms": NOW.replace(microsecond=678_000),
    "iso": NOW,
    "price": Decimal("1.10"),
    "level": Level.LOW,
    "doc": {"a": [1, None, "é"], "b": 1.5},
    "any": {Decimal(1): {1, 2}},
    "list": frozenset({3, 1}),
    "other": 5,
}

#: The values that any client reads.
STORED: dict[str, Any] = {
    "at": 1767315845678901,
    "ms": 1767315845678,
    "iso": "2026-01-02T03:04:05.678901+02:00",
    "price": "1.10",
    "level": "low",
    "doc": '{"a":[1,null,"é"],"b":1.5}',
    "any": pickle.dumps(BINS["any"], protocol=5),
    "list": [1, 3],
    "other": 5,
}


@pytest.fixture
def coded(api: Api, cluster: Cluster, set_name: str) -> Iterator[Caller]:
    with api.open(cluster.seeds, timeout=10, codec=FORMS) as client:
        yield client.dataset("test", set_name)


def test_single_records_are_encoded_and_decoded(coded: Caller, data: Caller) -> None:
    coded.put(1, BINS)
    assert data.get(1).bins == STORED
    record = coded.get(1)
    assert record.bins == BINS
    assert (record["at"].tzinfo, record["iso"].utcoffset()) == (dt.timezone.utc, NOW.utcoffset())
    assert coded.get(1, ["price", "other"]).bins == {"price": Decimal("1.10"), "other": 5}
    coded.put(1, {"at": None})
    assert "at" not in coded.get(1)


def test_batches_are_encoded_and_decoded(coded: Caller, data: Caller) -> None:
    coded.put_many({1: BINS, 2: {"price": Decimal(2)}}).raise_for_errors()
    assert data.get(1).bins == STORED
    batch = coded.get_many([1, 2, 3])
    assert [record and record.bins for record in batch] == [BINS, {"price": Decimal(2)}, None]
    assert batch.to_dict()[2]["price"] == Decimal(2)
    assert batch[0].bins is batch[0].bins


def test_operations_encode_and_decode_bins(coded: Caller, data: Caller) -> None:
    coded.put(1, BINS)
    later = NOW + dt.timedelta(days=1)
    steps = [
        op.put("at", FORMS.encode("at", later)),  # type: ignore[arg-type]
        op.get("at"),
        op.add("other", 1),
        op.get("other"),
        op.get("price"),
    ]
    record = coded.operate(1, steps)
    assert record.results == (None, later, None, 6, Decimal("1.10"))
    assert record.bins == {"at": later, "other": 6, "price": Decimal("1.10")}
    assert coded.operate(1, [op.get()]).bins["level"] is Level.LOW
    many = coded.operate_many([1, 9], [op.get("at"), op.get("other")])
    assert [r and r.bins for r in many] == [{"at": later, "other": 6}, None]
    assert coded.operate_many([1], steps)[0].results == (None, later, None, 7, Decimal("1.10"))
    assert data.get(1)["at"] == STORED["at"] + 86_400_000_000


def test_parts_of_bins_come_plain(coded: Caller) -> None:
    coded.put(1, BINS)
    assert coded.operate(1, [op.list.size("list")]).results == (2,)
    assert coded.operate(1, [op.list.size("list")])["list"] == 2
    assert coded.operate_many([1], [op.list.get("list", 0), op.get("level")])[0].bins == {
        "list": 1,
        "level": Level.LOW,
    }
    assert coded.operate(1, [op.get("list")])["list"] == frozenset({1, 3})


def queried(data: Caller, **options: Any) -> dict[Any, Any]:
    """The records of a query by key, on every API."""

    async def collect(query: Any) -> list[Any]:
        return [record async for record in query]

    query = data.target.query(**options)
    result = collect(query) if hasattr(query, "__aiter__") else list(query)
    records = result if isinstance(result, list) else data._settle(lambda: result)
    return {record.key.key: record for record in records}


def test_queries_decode_bins(coded: Caller) -> None:
    coded.put_many({1: BINS, 2: {"price": Decimal(2)}}, send_key=True).raise_for_errors()
    assert {key: record.bins for key, record in queried(coded).items()} == {
        1: BINS,
        2: {"price": Decimal(2)},
    }
    assert queried(coded, bins=["price"])[1].bins == {"price": Decimal("1.10")}
    steps = [op.get("level"), op.list.size("list")]
    assert queried(coded, operations=steps)[1].results == (Level.LOW, 2)


def test_mixed_batches_are_encoded_and_decoded(coded: Caller, data: Caller) -> None:
    coded.put(1, BINS)
    rows = [
        spikewire.Read(1),
        spikewire.Write(2, {"price": Decimal(2), "t": Point(1, 2)}),
        spikewire.Read(1, ops=[op.list.size("list"), op.get("level")]),
        spikewire.Read(1, ["list"]),
    ]
    first, _, parts, last = coded.batch(rows)
    assert first.bins == BINS
    assert data.get(2).bins == {"price": "2", "t": [1, 2]}
    assert parts.results == (2, Level.LOW)
    assert last.bins == {"list": BINS["list"]}


def test_add_and_append_do_not_encode(coded: Caller, data: Caller) -> None:
    coded.put(1, BINS)
    coded.add(1, {"ms": 1000})
    coded.append(1, {"price": "5"})
    assert data.get(1, ["ms", "price"]).bins == {"ms": STORED["ms"] + 1000, "price": "1.105"}
    assert coded.get(1)["price"] == Decimal("1.105")


def test_types_are_encoded_at_any_depth(coded: Caller, data: Caller) -> None:
    one = UUID(int=1)
    entries = {
        "p": Near(1, 2),
        "deep": [{"k": Point(3, 4)}, {2, 1}],
        "t": NOW,
        "u": {"u": one},
    }
    coded.put(1, entries)
    stored = {
        "p": [1, 2],
        "deep": [{"k": [3, 4]}, [1, 2]],
        "t": NOW.isoformat(),
        "u": {"u": str(one)},
    }
    assert data.get(1).bins == coded.get(1).bins == stored
    coded.put_many([(2, entries)]).raise_for_errors()
    assert data.get(2).bins == stored
    # Without a codec these values cannot be stored.
    with pytest.raises(TypeError, match=r'"p".*Near'):
        data.put(3, entries)


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"bad": 1}, ValueError, r'bin "bad": the codec cannot encode a value of type int: .*KeyError.*no way'),
    ({"none": 1}, ValueError, r'bin "none": the codec makes None of a int'),
    ({"at": NOW.replace(tzinfo=None)}, ValueError, r'bin "at".*datetime.datetime.*time zone'),
    ({"at": 5}, ValueError, r'bin "at".*type int.*datetime'),
    ({"level": "low"}, ValueError, r'bin "level".*type str.*Level'),
    ({"doc": float("nan")}, ValueError, r'bin "doc".*type float'),
    ({"doc": {"k": object()}}, ValueError, r'bin "doc".*type dict.*JSON serializable'),
    ({"any": fail.__class__.__call__}, ValueError, r'bin "any"'),
    ({"a": {"k": [Decimal(1)]}}, TypeError, r'bin "a"\[\'k\'\]\[0\].*Decimal'),
]  # fmt: skip


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("bins", "error", "message"), REFUSED, ids=[str(c[0])[:30] for c in REFUSED]
)
def test_values_that_cannot_be_encoded_raise(
    coded: Caller, bins: dict[str, Any], error: type[Exception], message: str
) -> None:
    if "any" in bins:
        bins = {"any": lambda: None}
    with pytest.raises(error, match=message) as caught:
        coded.put(1, bins)
    if isinstance(caught.value, ValueError) and "cannot encode" in message:
        assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(error, match=r"row 1: " + message):
        coded.put_many([(0, {"other": 1}), (1, bins)])
    assert coded.exists_many([0, 1]).found == 0


def test_values_that_cannot_be_decoded_raise(coded: Caller, data: Caller) -> None:
    data.put(1, {"worse": 1})
    data.put(2, {"at": "text"})
    text = r'bin "worse": the codec cannot decode a value of type int: .*no way'
    with pytest.raises(ValueError, match=text) as caught:
        coded.get(1)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ValueError, match=text):
        coded.get_many([1])[0]
    with pytest.raises(ValueError, match=r'bin "at".*decode.*type str'):
        coded.get(2)
    # The connection is still usable.
    assert coded.get(1, ["other"]).bins == {}


def test_recursive_codecs_raise(api: Api, cluster: Cluster, set_name: str) -> None:
    round_and_round = codec.Codec(types={Point: lambda _: Near(1, 1)})
    with api.open(cluster.seeds, codec=round_and_round) as client:
        data = client.dataset("test", set_name)
        with pytest.raises(TypeError, match=r"makes a .*Near of a .*Point"):
            data.put(1, {"a": [Point(1, 2)]})
    endless = codec.Codec(types={Point: lambda value: [value]})
    with api.open(cluster.seeds, codec=endless) as client:
        data = client.dataset("test", set_name)
        with pytest.raises(ValueError, match="deeper than"):
            data.put(1, {"a": Point(1, 2)})


def test_the_option_is_checked(cluster: Cluster) -> None:
    for value in ({"at": 1}, codec.timestamp(), codec.Codec, None):
        with pytest.raises(TypeError, match=r"codec must be a spikewire\.codec\.Codec"):
            spikewire.Client(cluster.seeds, codec=value)  # type: ignore[arg-type]
    for name in ("x" * 16, "a\0b"):
        with pytest.raises(ValueError, match="bin name"):
            spikewire.Client(cluster.seeds, codec=codec.Codec(bins={name: codec.json()}))


BAD: list[tuple[dict[str, Any], str]] = [
    ({"types": [str]}, "types must be a dict, not list"),
    ({"types": {"Point": point}}, "classes as keys, not 'Point'"),
    ({"types": {Point: 5}}, "Point.*must be a function, not int"),
    ({"types": {object: str}}, "must not have object"),
    ({"types": {int: str}}, "int is already stored as int"),
    ({"types": {enum.IntEnum: str}}, "IntEnum is already stored as int"),
    ({"types": {bool: str}}, "bool is already stored as int"),
    ({"bins": ["a"]}, "bins must be a dict, not list"),
    ({"bins": {1: codec.json()}}, r"bin names \(str\) as keys, not 1"),
    ({"bins": {"a": str}}, r"bins\['a'\] must be a codec.Form, not type"),
    ({"bins": {"a": codec.Form(str, 5)}}, r"the decode of bins\['a'\] must be a function, not int"),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize(("value", "message"), BAD, ids=[case[1][:25] for case in BAD])
def test_invalid_codecs_raise(value: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        codec.Codec(**value)


def test_forms_are_checked() -> None:
    with pytest.raises(ValueError, match=r"unit must be 's', 'ms' or 'us', got 'ns'"):
        codec.timestamp("ns")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="class of Enum"):
        codec.enum(int)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="kind must be a function"):
        codec.text(5)  # type: ignore[arg-type]


def test_timestamps_round_down() -> None:
    form = codec.timestamp("s")
    before = dt.datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=dt.timezone.utc)
    assert form.encode(before) == -1
    assert form.decode(-1) == before.replace(microsecond=0)
    exact = codec.timestamp()
    for moment in (before, dt.datetime(9999, 12, 31, 23, 59, 59, 999_999, dt.timezone.utc)):
        assert exact.decode(exact.encode(moment)) == moment


def test_codecs_are_values() -> None:
    assert copy.deepcopy(FORMS) is FORMS
    plain = codec.Codec(
        types={Point: point}, bins={"at": codec.timestamp(), "l": codec.enum(Level)}
    )
    again = pickle.loads(pickle.dumps(plain))
    assert again.types == plain.types
    assert again.bins == plain.bins
    assert again.decode("l", again.encode("l", Level.LOW)) is Level.LOW
    assert (again.encode("x", 5), again.decode("x", 5), again.encode("l", None)) == (5, 5, None)
    assert re.match(r"Codec\(types=\{.*Point.*\}, bins=\{'at': Form\(", repr(plain))
    for form in (codec.iso(), codec.json(), codec.pickle(), codec.text(Decimal), codec.timestamp()):
        assert pickle.loads(pickle.dumps(form)) == form


def test_datasets_take_their_codec_along(cluster: Cluster, set_name: str) -> None:
    forms = codec.Codec(bins={"at": codec.timestamp()})
    with spikewire.Client(cluster.seeds, timeout=10, connect_timeout=20, codec=forms) as client:
        users = client.dataset("test", set_name)
        users.put(1, {"at": NOW})
        packed = pickle.dumps(users)
        assert pickle.loads(packed).get(1)["at"] == NOW
    # Its client is closed: another one is opened, with the same codec.
    assert pickle.loads(packed).get(1)["at"] == NOW
