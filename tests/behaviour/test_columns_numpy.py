"""Batches as structured arrays: every kind of field, masks, and refusals."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, ClassVar

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import spikewire
from spikewire import GeoJSON, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from apis import Api, Caller, Opened

MOST = 2**63 - 1
SCALARS: list[tuple[str, Any, Any]] = [
    *[(f"i{size}", 2 ** (8 * size - 1) - 1, None) for size in (1, 2, 4, 8)],
    *[(f">i{size}", -(2 ** (8 * size - 1)), None) for size in (1, 2, 4, 8)],
    *[(f"u{size}", min(2 ** (8 * size) - 1, MOST), None) for size in (1, 2, 4, 8)],
    (">u4", 0x01020304, None),
    ("f8", 0.1, None),
    (">f8", -1.5e300, None),
    ("f8", float("inf"), None),
    ("f4", 0.1, np.float32(0.1)),
    (">f4", float("-inf"), None),
    ("f8", 2**53, float(2**53)),
    ("f4", -(2**24), None),
    ("?", True, None),
    ("S3", b"abc", None),
    ("S3", b"", None),
    ("S5", "text", b"text"),
    ("S4", b"\0\xff\0\xfe", None),
    ("U4", "héß€", None),
    (">U4", "a\U0001f600", None),
    ("U4", "", None),
    ("V3", b"\0\xff\0", np.void(b"\0\xff\0")),
    (
        "U40",
        GeoJSON('{"type":"Point","coordinates":[1,2]}'),
        '{"type":"Point","coordinates":[1,2]}',
    ),
    ("M8[s]", 1_700_000_000, np.datetime64(1_700_000_000, "s")),
    ("M8[ns]", -1, np.datetime64(-1, "ns")),
    (">M8[D]", 20_000, np.datetime64(20_000, "D")),
    ("m8[ms]", 1500, np.timedelta64(1500, "ms")),
]
SUB_ARRAYS: list[tuple[Any, Any, Any]] = [
    (("i4", (3,)), [1, -2, 3], None),
    ((">i2", (2,)), [1, 2], None),
    (("f8", 2), [0.5, 1], [0.5, 1.0]),
    (("i8", (2, 2)), [[1, 2], [3, 4]], None),
    (("u1", (2, 1, 3)), [[[1, 2, 3]], [[4, 5, 6]]], None),
    (("U2", (2,)), ["é", "ab"], None),
    (("S2", (2,)), ["a", b"bc"], [b"a", b"bc"]),
    (("?", (2,)), [True, False], None),
    (("M8[s]", (2,)), [0, 1], np.array([0, 1], "M8[s]")),
    (("u8", (1,)), [MOST], None),
    (("u1", (4,)), b"\1\2\3\4", [1, 2, 3, 4]),
    (("<f4", (2,)), np.array([1.5, 2.5], "<f4").tobytes(), [1.5, 2.5]),
    ((">i2", (2,)), b"\0\1\0\2", [1, 2]),
]


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import spikewire
with spikewire.Client.connect(sys.argv[1]) as client:
    data = client.dataset("test", "without-numpy")
    wanted = [("v", "i4")]
    for call in (
        lambda: data.get_many([1]).to_numpy(wanted),
        lambda: data.get_numpy([1], wanted),
        lambda: data.query().numpy_batches(wanted),
    ):
        try:
            call()
        except ImportError as error:
            print(error)
"""


CHANGED_NUMPY = """
import sys
import numpy as np
given = np.ma.MaskedArray.__array_finalize__
def finalize(self, obj):
    given(self, obj)
    self.__dict__["_later"] = ["new"]
np.ma.MaskedArray.__array_finalize__ = finalize
import spikewire
with spikewire.Client.connect(sys.argv[1]) as client:
    data = client.dataset("test", sys.argv[2])
    for _ in range(2):
        found = data.get_numpy([1, 2], [("n", "i4")])
        found._later.append("changed")
    found = data.get_numpy([1, 2], [("n", "i4")])
    print(type(found).__name__, found.tolist(), *found._later)
"""


class TestKinds:
    @pytest.mark.parametrize(("kind", "value", "expected"), SCALARS)
    def test_values_fill_fields_of_every_type(
        self, data: Caller, kind: str, value: object, expected: object
    ) -> None:
        data.put(1, {"v": value})
        array = data.get_many([1]).to_numpy([("v", kind)])
        assert type(array) is np.ma.MaskedArray
        assert array.dtype == np.dtype([("v", kind)])
        assert not array.mask["v"][0]  # type: ignore[call-overload, index]
        assert array["v"][0] == (value if expected is None else expected)

    @pytest.mark.parametrize(("kind", "value", "expected"), SUB_ARRAYS)
    def test_lists_fill_sub_arrays(
        self, data: Caller, kind: Any, value: object, expected: Any
    ) -> None:
        data.put(1, {"v": value})
        array = data.get_many([1]).to_numpy([("v", *kind)])
        np.testing.assert_array_equal(array.data["v"][0], value if expected is None else expected)
        assert not array.mask["v"].any()

    def test_gaps_in_lists_are_masked(self, data: Caller) -> None:
        data.put_many({1: {"v": [[1, None], [None, 4]]}, 2: {"n": 1}})
        array = data.get_many([1, 2]).to_numpy([("v", "i4", (2, 2))])
        assert array.mask["v"].tolist() == [[[False, True], [True, False]], [[True, True]] * 2]
        assert array.data["v"][0].tolist() == [[1, 0], [0, 4]]
        with pytest.raises(ValueError, match=r"row 0 \(key 1\), \"v\": there is no value"):
            data.get_many([1]).to_numpy([("v", "i4", (2, 2))], missing="raise")

    def test_padded_titled_and_overlapping_fields_are_filled(self, data: Caller) -> None:
        data.put(1, {"a": 1, "b": 2, "c": 3})
        aligned = np.dtype([("a", "i1"), ("b", "i8"), ("c", "i2")], align=True)
        assert data.get_many([1]).to_numpy(aligned)[0].tolist() == (1, 2, 3)
        titled = np.dtype([(("the a", "a"), "i4"), ("b", "i4")])
        assert data.get_many([1]).to_numpy(titled)["the a"].tolist() == [1]
        offsets = np.dtype({"names": ["c", "a"], "formats": ["i4", "i2"], "offsets": [8, 2]})
        assert data.get_many([1]).to_numpy(offsets)[0].tolist() == (3, 1)

    def test_many_fields_are_filled_in_any_order(self, data: Caller) -> None:
        bins = {f"b{i}": i for i in range(100)}
        data.put(1, bins)
        names = sorted(bins, key=lambda name: hash((name, 1)))
        array = data.get_many([1]).to_numpy([(name, "i2") for name in names])
        assert dict(zip(names, array[0].tolist(), strict=True)) == bins


class TestRows:
    def test_rows_are_in_input_order_with_misses_and_duplicates(self, data: Caller) -> None:
        data.put_many({i: {"n": i, "f": i / 2} for i in range(100)} | {"odd": {"f": 0.5}})
        array = data.get_many([5, "none", 5, "odd", 99]).to_numpy([("n", "i4"), ("f", "f8")])
        assert array.tolist() == [(5, 2.5), (None, None), (5, 2.5), (None, 0.5), (99, 49.5)]
        assert array.mask["n"].tolist() == [False, True, False, True, False]
        assert array["f"].sum() == 55

    def test_keys_generations_and_times_to_live_fill_fields(self, data: Caller) -> None:
        data.put(1, {"n": 1}, ttl=1000)
        data.put(2, {"n": 2}, ttl="never")
        data.put(2, {"n": 3})
        kinds = [("n", "i4"), ("id", "i8"), ("gen", "u2"), ("left", "u4")]
        array = data.get_many([2, 1, 7]).to_numpy(kinds, key="id", generation="gen", ttl="left")
        assert array["id"].tolist() == [2, 1, 7]
        assert array["gen"].tolist() == [2, 1, None]
        assert array["left"].mask.tolist() == [True, False, True]
        assert 900 < array["left"][1] <= 1000

    def test_text_and_bytes_keys_fill_a_field(self, data: Caller, set_name: str) -> None:
        data.put_many({"é": {"n": 1}, b"\1": {"n": 2}})
        assert data.get_many(["é"]).to_numpy([("k", "U3")], key="k").tolist() == [("é",)]
        assert data.get_many([b"\1", bytearray(b"xy")]).to_numpy(
            [("k", "S2"), ("n", "i1")], key="k"
        ).tolist() == [(b"\1", 2), (b"xy", None)]
        digest = spikewire.Key("test", set_name, "é").digest
        unknown = spikewire.Key.from_digest("test", set_name, digest)
        batch = data.get_many([unknown])
        assert batch.to_numpy([("k", "U3"), ("n", "i1")], key="k").tolist() == [(None, 1)]
        with pytest.raises(ValueError, match=r"row 0, \"k\": there is no value"):
            batch.to_numpy([("k", "U3")], key="k", missing="raise")
        with pytest.raises(TypeError, match=r"row 1 \(key 'b'\), \"k\": text does not go into int"):
            data.get_many([1, "b"]).to_numpy([("k", "i8")], key="k")

    def test_missing_raise_gives_plain_arrays(self, data: Caller) -> None:
        data.put_many({1: {"n": 1, "m": 1}, 2: {"n": 2}})
        array = data.get_many([1, 2, 1]).to_numpy([("n", "i4")], missing="raise")
        assert type(array) is np.ndarray
        assert array["n"].tolist() == [1, 2, 1]
        assert array.flags.writeable
        with pytest.raises(spikewire.RecordNotFound) as caught:
            data.get_many([1, 3]).to_numpy([("n", "i4")], missing="raise")
        assert caught.value.key.key == 3  # type: ignore[union-attr]
        with pytest.raises(ValueError, match=r"row 1 \(key 2\), \"m\": there is no value"):
            data.get_many([1, 2]).to_numpy([("m", "i4"), ("n", "i4")], missing="raise")

    def test_a_failed_row_raises(self, client: Opened, data: Caller, set_name: str) -> None:
        data.put_many({1: {"n": 1}, 2: {"n": 2}})
        keys = [("test", set_name, 1), ("nowhere", "s", 1), ("test", set_name, 2)]
        batch = client.verbs.get_many(keys)
        with pytest.raises(spikewire.NamespaceNotFound):
            batch.to_numpy([("n", "i4")])
        kinds = [("n", "i4"), ("k", "i4")]
        masked = batch.to_numpy(kinds, key="k", errors="mask")
        assert masked.tolist() == [(1, 1), (None, 1), (2, 2)]
        with pytest.raises(spikewire.NamespaceNotFound):
            batch.to_numpy(kinds[:1], missing="raise")

    def test_results_of_other_verbs_become_arrays(self, data: Caller) -> None:
        data.put_many({1: {"n": 1}, 2: {"n": 2}})
        done = data.operate_many([1, 2, 1], [op.add("n", 10), op.get("n"), op.put("s", "x")])
        assert done.to_numpy([("n", "i4")])["n"].tolist() == [11, 12, 21]
        for batch in (data.exists_many([1, 9]), data.put_many({1: {"n": 5}, 9: {"n": 1}})):
            assert batch.to_numpy([("n", "i4")]).mask["n"].all()
        assert data.get_many([]).to_numpy([("n", "i4")]).shape == (0,)

    def test_to_numpy_does_not_change_the_batch(self, data: Caller) -> None:
        data.put(1, {"n": 1})
        batch = data.get_many([1])
        first = batch.to_numpy([("n", "i4")])
        first["n"] = 7
        assert batch.to_numpy([("n", "i4")])["n"].tolist() == [1]
        assert batch[0].bins == {"n": 1}

    def test_threads_convert_one_batch(self, data: Caller) -> None:
        data.put_many({i: {"n": i} for i in range(500)})
        batch = data.get_many(range(500))
        sums: list[int] = []

        def work() -> None:
            sums.extend(int(batch.to_numpy([("n", "i8")])["n"].sum()) for _ in range(20))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sums == [sum(range(500))] * 80


class TestTheArray:
    """The array is like one from NumPy's own constructor, and shares nothing with others."""

    KINDS: ClassVar[list[tuple[str, str]]] = [("n", "i8"), ("f", "f4"), ("s", "U3")]

    def made(self, data: Caller) -> list[Any]:
        """Arrays of one key, read in different ways, with one dtype."""
        data.put(1, {"n": 1, "f": 0.5, "s": "abc"})
        kind = np.dtype(self.KINDS)
        batch = data.get_many([1, 2])
        return [batch.to_numpy(kind), batch.to_numpy(kind), data.get_numpy([1, 2], kind)]

    def test_the_array_equals_one_made_by_numpy(self, data: Caller) -> None:
        plain = np.array([(1, 0.5, "abc"), (0, 0, "")], self.KINDS)
        expected = np.ma.MaskedArray(plain, mask=[(False,) * 3, (True,) * 3])
        for item in self.made(data):
            assert (item.dtype, item.shape) == (expected.dtype, expected.shape)
            assert (item.mask.dtype, item.mask.tolist()) == (
                expected.mask.dtype,
                expected.mask.tolist(),
            )
            assert (repr(item), str(item)) == (repr(expected), str(expected))
            assert item.fill_value == expected.fill_value
            assert item.filled().tolist() == expected.filled().tolist()
            assert (item.sharedmask, item.hardmask, item.baseclass) == (False, False, np.ndarray)
            assert type(item.data) is np.ndarray
            assert item.flags.writeable
            assert item.flags.c_contiguous
            again = pickle.loads(pickle.dumps(item))
            assert again.tolist() == item.copy().tolist() == expected.tolist()
            assert item[::-1][0].tolist() == (None, None, None)
            assert np.ma.concatenate([item, item])["n"].tolist() == [1, None, 1, None]
            assert vars(item).keys() == vars(expected).keys()
            assert self.after_use(item) == self.after_use(expected.copy())

    @staticmethod
    def after_use(array: Any) -> list[Any]:
        """The state of an array after some operations on it."""
        seen = [(array["n"] + array["n"][::-1]).tolist(), (array["n"] * 2).tolist()]
        array["n"][1] = 7
        array["s"] = np.ma.masked
        seen += [array.tolist(), array["n"].count(), np.ma.is_masked(array["n"])]
        seen += [array.harden_mask().hardmask, array.soften_mask().hardmask]
        array[1] = (8, 8, "eight")
        seen.append(array.tolist())
        return [*seen, array.view(np.ndarray)["n"].tolist(), array.fill_value.tolist()]

    def test_arrays_share_no_state(self, data: Caller) -> None:
        first, *others = self.made(data)
        first.fill_value = (5, 5, "five")
        first["f"] = 7
        first._optinfo["note"] = "of the first"
        first.mask["n"] = True
        first.mask.dtype.names = ("x", "y", "z")
        for other in others:
            assert other.fill_value["n"] == 999_999
            assert other.tolist() == [(1, 0.5, "abc"), (None, None, None)]
            assert other.mask.dtype.names == ("n", "f", "s")
            assert other._optinfo == {}

    def test_arrays_are_built_by_numpy_if_its_layout_is_unknown(
        self, cluster: Cluster, set_name: str
    ) -> None:
        with spikewire.Client.connect(cluster.seeds) as client:
            client.dataset("test", set_name).put(1, {"n": 1})
        environment = [sys.executable, "-c", CHANGED_NUMPY, cluster.seeds, set_name]
        process = subprocess.run(
            environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert (process.stdout, process.stderr) == ("MaskedArray [(1,), (None,)] new\n", "")

    def test_a_dtype_whose_names_change(self, data: Caller) -> None:
        data.put(1, {"a": 1, "b": 2, "c": 3})
        kind = np.dtype([("a", "i4"), ("b", "i8")])
        assert data.get_numpy([1], kind).tolist() == [(1, 2)]
        kind.names = ("c", "a")
        renamed = data.get_numpy([1], kind)
        assert (renamed.tolist(), renamed.mask.dtype.names) == ([(3, 1)], ("c", "a"))
        assert data.get_numpy([1], [("a", "i4"), ("b", "i8")]).tolist() == [(1, 2)]
        kind.names = ("a", "b")
        assert data.get_many([1]).to_numpy(kind).tolist() == [(1, 2)]

    def test_other_columns_that_are_no_bins(self, data: Caller) -> None:
        data.put(1, {"a": 5, "b": 6})
        kind = np.dtype([("a", "i4"), ("b", "i4")])
        batch = data.get_many([1])
        assert batch.to_numpy(kind).tolist() == [(5, 6)]
        assert batch.to_numpy(kind, key="a").tolist() == [(1, 6)]
        assert batch.to_numpy(kind, key="b", generation="a").tolist() == [(1, 1)]
        assert batch.to_numpy(kind, generation="b").tolist() == [(5, 1)]

    def test_more_dtypes_than_the_cache_holds(self, data: Caller) -> None:
        data.put(1, {"n": 1})
        batch = data.get_many([1])
        for size in range(1, 200):
            assert batch.to_numpy([("n", "i8"), ("t", f"U{size}")]).tolist() == [(1, None)]


class TestStraightIntoAnArray:
    def test_get_numpy_equals_to_numpy_of_a_batch(self, data: Caller) -> None:
        data.put_many({i: {"n": i, "f": i / 2, "s": "x"} for i in range(500)})
        data.put_many({i: {"f": 0.5} for i in range(500, 520)})
        requested = [5, "none", 5, *range(490, 530)]
        kinds = [("f", "f8"), ("n", "i4"), ("id", "U4"), ("gen", "u2"), ("left", "i4")]
        extra = {"generation": "gen", "ttl": "left"}
        for keys in (requested, requested[:1], requested[1:2], []):
            array = data.get_numpy(keys, kinds, **extra)
            assert type(array) is np.ma.MaskedArray
            batch = data.get_many(keys).to_numpy(kinds, **extra)
            assert array.tolist() == batch.tolist()
            assert array.mask.tolist() == batch.mask.tolist()

    def test_get_numpy_takes_keys_and_filters(self, data: Caller) -> None:
        data.put_many({i: {"n": i} for i in range(20)})
        array = data.get_numpy(range(25), [("id", "i8"), ("n", "i1")], key="id", where="$.n >= 10")
        assert array["id"].tolist() == list(range(25))
        assert array["n"].tolist() == [None] * 10 + list(range(10, 20)) + [None] * 5
        only = data.get_numpy([3, 2], [("id", "i8")], key="id")
        assert only["id"].tolist() == [3, 2]

    def test_get_numpy_reads_many_rows(self, data: Caller) -> None:
        data.put_many({i: {"n": i} for i in range(0, 12_000, 2)})
        array = data.get_numpy(range(12_000), [("n", "i4")])
        assert array["n"].sum() == sum(range(0, 12_000, 2))
        assert array.mask["n"].sum() == 6000

    def test_get_numpy_raises_for_a_failed_row(
        self, client: Opened, data: Caller, set_name: str
    ) -> None:
        data.put_many({1: {"n": 1}, 2: {"n": 2}})
        keys = [("test", set_name, 1), ("nowhere", "s", 1), ("test", set_name, 2)]
        with pytest.raises(spikewire.NamespaceNotFound) as caught:
            client.verbs.get_numpy(keys, [("n", "i4")])
        assert caught.value.key.namespace == "nowhere"  # type: ignore[union-attr]
        array = client.verbs.get_numpy(keys, [("n", "i4")], errors="mask")
        assert array["n"].tolist() == [1, None, 2]

    def test_values_that_do_not_fit_raise(self, data: Caller) -> None:
        data.put_many({i: {"n": 100 + i} for i in range(100)})
        with pytest.raises(OverflowError, match=r"row 28 \(key 28\), \"n\": 128 does not fit int8"):
            data.get_numpy(range(100), [("n", "i1")])
        with pytest.raises(TypeError, match=r"row 1 \(key 'b'\), \"k\": text does not go into int"):
            data.get_numpy([1, "b"], [("k", "i8")], key="k")
        with pytest.raises(ValueError, match="the bin name"):
            data.get_numpy([1], [("n" * 16, "i8")])
        with pytest.raises(TypeError, match="row 1: a key must be"):
            data.get_numpy([1, 1.5], [("n", "i8")])
        with pytest.raises(ValueError, match="dtype must be structured"):
            data.get_numpy([1], "f8")
        with pytest.raises(ValueError, match='missing must be "mask" or "raise", not \'zero\''):
            data.get_numpy([1], [("n", "i8")], missing="zero")

    def test_get_numpy_gives_plain_arrays_with_missing_raise(self, data: Caller) -> None:
        data.put_many({i: {"n": i, "f": i / 2, "s": "x"} for i in range(200)})
        data.put_many({500: {"f": 0.5}, 501: {"f": 0.5}})
        kinds = [("f", "f8"), ("n", "i4"), ("id", "i8"), ("gen", "u2")]
        requested = [5, 5, *range(190, 100, -1)]
        for keys in (requested, requested[:1], []):
            array = data.get_numpy(keys, kinds, key="id", generation="gen", missing="raise")
            assert type(array) is np.ndarray
            assert (array.flags.writeable, array.flags.c_contiguous) == (True, True)
            assert array.dtype == np.dtype(kinds)
            assert array.tolist() == [(key / 2, key, key, 1) for key in keys]
        assert data.get_numpy([500], [("f", "f4")], missing="raise").tolist() == [(0.5,)]

    def test_missing_raise_names_the_first_gap(self, data: Caller, set_name: str) -> None:
        data.put_many({i: {"n": i} for i in range(200)})
        data.put_many({500: {"f": 0.5}, 501: {"n": None, "f": 0.5}})
        kinds = [("n", "i4")]
        for keys, first in (
            ([*range(100), 300, 301], 300),
            ([301], 301),
            ([0, 301, 500, 300], 301),
        ):
            with pytest.raises(spikewire.RecordNotFound) as caught:
                data.get_numpy(keys, kinds, missing="raise")
            assert caught.value.key == spikewire.Key("test", set_name, first)
        with pytest.raises(spikewire.RecordNotFound) as caught:
            data.get_numpy(range(10), kinds, missing="raise", where="$.n != 3")
        assert caught.value.key == spikewire.Key("test", set_name, 3)
        for keys in ([501], [*range(7), 501, 500, 300]):
            place = rf"row {keys.index(501)} \(key 501\), \"n\": there is no value"
            with pytest.raises(ValueError, match=place):
                data.get_numpy(keys, kinds, missing="raise")
        data.put(0, {"n": 1}, ttl=1000)
        with pytest.raises(ValueError, match=r"row 1 \(key 1\), \"left\": there is no value"):
            data.get_numpy([0, 1], [("n", "i4"), ("left", "i4")], ttl="left", missing="raise")
        unknown = spikewire.Key.from_digest(
            "test", set_name, spikewire.Key("test", set_name, 1).digest
        )
        with pytest.raises(ValueError, match=r"row 1, \"id\": there is no value"):
            data.get_numpy([0, unknown], [("id", "i4")], key="id", missing="raise")

    def test_missing_raise_names_a_gap_in_a_list(self, data: Caller) -> None:
        data.put_many({1: {"v": [1, 2]}, 2: {"v": [1, None]}})
        kinds = [("v", "i4", (2,))]
        assert data.get_numpy([1, 1], kinds, missing="raise")["v"].tolist() == [[1, 2]] * 2
        with pytest.raises(ValueError, match=r"row 1 \(key 2\), \"v\": there is no value"):
            data.get_numpy([1, 2], kinds, missing="raise")

    def test_missing_raise_raises_for_failed_rows(
        self, client: Opened, data: Caller, set_name: str
    ) -> None:
        data.put(1, {"n": 1})
        keys = [("test", set_name, 1), ("nowhere", "s", 1), ("test", set_name, 2)]
        kinds = [("n", "i4")]
        with pytest.raises(spikewire.NamespaceNotFound):
            client.verbs.get_numpy(keys, kinds, missing="raise")
        with pytest.raises(spikewire.RecordNotFound):
            client.verbs.get_numpy(keys[::-1], kinds, missing="raise")
        batch = client.verbs.get_many(keys)
        for call in (
            lambda: client.verbs.get_numpy(keys, kinds, missing="raise", errors="mask"),
            lambda: batch.to_numpy(kinds, missing="raise", errors="mask"),
        ):
            with pytest.raises(ValueError, match='errors="mask" needs a masked array'):
                call()

    def test_get_numpy_survives_a_dead_and_a_slow_node(self, api: Api) -> None:
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, timeout=10) as client:
            data = client.dataset("test", "s")
            data.put_many({i: {"n": i} for i in range(500)}).raise_for_errors()
            cluster.kill(1)
            assert data.get_numpy(range(500), [("n", "i4")])["n"].tolist() == list(range(500))
            cluster.restart(1)
            assert cluster.wait_settled()
            cluster.inject(0, delay=30)
            assert data.get_numpy(range(500), [("n", "i4")])["n"].tolist() == list(range(500))
            # Rows for the master only wait for it.
            only: Any = {"replica": "master"}
            with pytest.raises(spikewire.Timeout):
                data.get_numpy(range(500), [("n", "i4")], timeout=0.1, **only)
            array = data.get_numpy(range(500), [("n", "i4")], timeout=1, errors="mask", **only)
            result = array["n"].compressed().tolist()
            assert 0 < len(result) < 500
            assert all(array["n"][i] == i for i in result)

    def test_a_cancelled_get_numpy_does_not_disturb_others(
        self, cluster: Cluster, set_name: str
    ) -> None:
        async def main() -> None:
            async with spikewire.AsyncClient(
                cluster.seeds, timeout=20, connect_timeout=20
            ) as client:
                data = client.dataset("test", set_name)
                await data.put_many({i: {"n": i} for i in range(1000)})
                for _ in range(20):
                    futures = [data.get_numpy(range(1000), [("n", "i4")]) for _ in range(3)]
                    await asyncio.sleep(0)
                    futures[0].cancel()
                    for array in await asyncio.gather(*futures[1:]):
                        assert array["n"].sum() == sum(range(1000))

        asyncio.run(main())


@pytest.mark.any_api
class TestBadInput:
    @pytest.mark.parametrize(
        ("kind", "value", "error", "text"),
        [
            ("i1", 128, OverflowError, "128 does not fit int8"),
            ("i4", -(2**31) - 1, OverflowError, "does not fit int32"),
            ("u1", 256, OverflowError, "256 does not fit uint8"),
            ("u8", -1, OverflowError, "-1 does not fit uint64"),
            ("i4", 1.0, TypeError, "a float does not go into int32"),
            ("i4", True, TypeError, "a bool does not go into int32"),
            ("i4", "1", TypeError, "text does not go into int32"),
            ("?", 1, TypeError, "an integer does not go into bool"),
            ("f4", 1e39, OverflowError, "does not fit float32"),
            ("f4", 2**24 + 1, OverflowError, "16777217 is not exact in float32"),
            ("f8", MOST, OverflowError, f"{MOST} is not exact in float64"),
            ("f8", "1.5", TypeError, "text does not go into float64"),
            ("S2", b"abc", ValueError, "3 bytes are too many for .*, which has 2"),
            ("S3", "é", ValueError, "not ASCII"),
            ("S3", b"a\0", ValueError, "would lose the NUL at the end"),
            ("U2", "abc", ValueError, "text of 3 characters is too long for .*, which has 2"),
            ("U3", "a\0", ValueError, "would lose the NUL at the end"),
            ("U3", b"abc", TypeError, "a byte string does not go into"),
            ("V3", b"ab", ValueError, "2 bytes do not fill .*, which has 3"),
            ("V3", "abc", TypeError, "text does not go into"),
            ("M8[s]", -(2**63), OverflowError, "not a time"),
            ("M8[s]", 1.5, TypeError, "a float does not go into"),
            ("i4", [1], TypeError, "a list does not go into int32"),
            ("i4", {"a": 1}, TypeError, "a map does not go into int32"),
            (("i4", (2,)), [1], ValueError, "a list of 1 where axis 0 of .* has 2"),
            (("i4", (2, 2)), [[1, 2], [3]], ValueError, r"\[1\]: a list of 1 where axis 1"),
            (("i4", (2, 2)), [1, 2], ValueError, r"\[0\]: an integer where axis 1"),
            (("i4", (2,)), [1, 2.5], TypeError, r"\[1\]: a float does not go into"),
            (("i1", (2,)), [1, 200], OverflowError, r"\[1\]: 200 does not fit"),
            (("i4", (2,)), 5, TypeError, "an integer does not go into"),
            (("i4", (2,)), {1: 2}, TypeError, "a map does not go into"),
            (("i4", (2,)), b"1234567", ValueError, "7 bytes do not fill .*, which has 8"),
            (("?", (2,)), b"\7\7", TypeError, "a byte string does not go into"),
            (("i4", (2,)), [[1], [2]], TypeError, r"\[0\]: a list does not go into"),
        ],
    )
    def test_values_that_do_not_fit_name_row_and_field(
        self, data: Caller, kind: Any, value: Any, error: Any, text: str
    ) -> None:
        data.put_many({"good": {"n": 1}, "bad": {"v": value}})
        field = ("v", *kind) if isinstance(kind, tuple) else ("v", kind)
        batch = data.get_many(["good", "bad"])
        with pytest.raises(error, match=rf"row 1 \(key 'bad'\), \"v\": .*({text})"):
            batch.to_numpy([field])

    @pytest.mark.parametrize(
        ("kind", "error", "text"),
        [
            (None, TypeError, "dtype must be a structured dtype, not None"),
            ("f8", ValueError, r"dtype must be structured.*not dtype\('float64'\)"),
            ([], ValueError, "dtype has no bytes"),
            ([("v", "S0")], ValueError, "no bytes"),
            ([("v", "i4"), ("w", "i4", (0,))], ValueError, 'field "w" of the dtype has no bytes'),
            ([("v", "f2")], TypeError, 'field "v": no bin goes into float16'),
            ([("v", "c16")], TypeError, 'field "v": no bin goes into complex128'),
            ([("v", "O")], TypeError, 'field "v": no bin goes into object'),
            ([("v", [("w", "i4")])], TypeError, 'field "v": no bin goes into'),
            ([("v", "M8")], ValueError, 'field "v": datetime64 needs a unit'),
            ("nonsense", TypeError, "nonsense"),
        ],
    )
    def test_invalid_dtypes_raise(self, data: Caller, kind: Any, error: Any, text: str) -> None:
        with pytest.raises(error, match=text):
            data.get_many([1]).to_numpy(kind)

    @pytest.mark.parametrize(
        ("options", "error", "text"),
        [
            ({"missing": "zero"}, ValueError, 'missing must be "mask" or "raise", not \'zero\''),
            ({"errors": 1}, TypeError, 'errors must be "raise" or "mask", not int'),
            ({"key": 1}, TypeError, "key must be the name of a column, not int"),
            ({"key": "zz"}, ValueError, 'key: the dtype has no field "zz"'),
            ({"ttl": "v", "key": "v"}, ValueError, 'must be different columns, not "v" twice'),
            ({"generation": "s"}, TypeError, 'generation: field "s" must be a number, not'),
            ({"key": "l"}, TypeError, 'key: field "l" must hold one value'),
            ({"mising": "mask"}, TypeError, "mising"),
        ],
    )
    def test_invalid_options_raise(self, data: Caller, options: Any, error: Any, text: str) -> None:
        kinds = [("v", "i4"), ("s", "S3"), ("l", "i4", (2,))]
        with pytest.raises(error, match=text):
            data.get_many([1]).to_numpy(kinds, **options)

    def test_a_missing_numpy_raises_with_advice(self, cluster: Cluster) -> None:
        # In a process of its own: one that has used NumPy keeps it loaded.
        ran = subprocess.run(
            [sys.executable, "-c", WITHOUT_NUMPY, cluster.seeds],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        printed = ran.stdout.splitlines()
        verbs = ("to_numpy", "get_numpy", "numpy_batches")
        assert len(printed) == len(verbs)
        for verb, line in zip(verbs, printed, strict=True):
            assert line == (f"{verb} needs NumPy, which is not installed: pip install numpy")


def bins_of(kinds: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Records with some of the bins."""
    return st.fixed_dictionaries({}, optional=kinds).filter(bool)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "i1": (("i1",), st.integers(-128, 127)),
    "u2": ((">u2",), st.integers(0, 65535)),
    "i8": (("i8",), st.integers(-(2**63), MOST)),
    "f8": (("f8",), st.floats(allow_nan=False)),
    "f4": (("f4",), st.floats(allow_nan=False, width=32)),
    "bool": (("?",), st.booleans()),
    "text": (("U6",), TEXT),
    "bytes": (("S6",), st.binary(max_size=6).filter(lambda it: not it.endswith(b"\0"))),
    "raw": (("V4",), st.binary(min_size=4, max_size=4)),
    "list": (("i4", (2,)), st.lists(st.integers(-(2**31), 2**31 - 1), min_size=2, max_size=2)),
}


@hypothesis.settings(max_examples=40)
@hypothesis.given(drawn=st.data())
def test_round_trip(data: Caller, drawn: st.DataObject) -> None:
    strategies = {name: strategy for name, (_, strategy) in KINDS.items()}
    ids = st.integers(0, 20)
    stored = drawn.draw(st.dictionaries(ids, bins_of(strategies), max_size=10))
    requested = drawn.draw(st.lists(ids, max_size=15))
    names = drawn.draw(st.lists(st.sampled_from(sorted(KINDS)), unique=True, min_size=1))
    data.delete_many(range(21))
    data.put_many(stored).raise_for_errors()
    kinds = [(name, *KINDS[name][0]) for name in names]
    array = data.get_many(requested).to_numpy([*kinds, ("id", "i8")], key="id")
    assert array["id"].tolist() == requested
    for row, key in enumerate(requested):
        for name in names:
            value = stored.get(key, {}).get(name)
            mask = np.atleast_1d(array.mask[name][row])
            assert mask.all() if value is None else not mask.any()
            if value is not None:
                options = array.data[name][row]
                assert (options.tobytes() if name == "raw" else options.tolist()) == value
