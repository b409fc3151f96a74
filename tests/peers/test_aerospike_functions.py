"""User-defined functions of the embedded cluster, registered and applied by the C client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from box import c_client

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")
from aerospike import exception  # noqa: E402
from aerospike_helpers.batch.records import Apply, BatchRecords  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

MODULE = """
function visit(rec, by)
    if not aerospike:exists(rec) then
        rec.log = list()
        rec.n = 0
        aerospike:create(rec)
    end
    rec.n = rec.n + by
    local log = rec.log
    list.append(log, by)
    rec.log = log
    aerospike:update(rec)
    return map { n = rec.n, seen = list.size(log), set = record.setname(rec) }
end

function echo(rec, value) return value end
function drop(rec) return aerospike:remove(rec) end
function fail(rec) error('no luck') end
function spin(rec) while true do end end
function brief(rec) record.set_ttl(rec, 100) rec.n = 1 return aerospike:update(rec) end
"""


@pytest.fixture(scope="module")
def client(box: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    client = c_client(box.seeds)
    path = tmp_path_factory.mktemp("lua") / "visits.lua"
    path.write_text(MODULE)
    client.udf_put(str(path), aerospike.UDF_TYPE_LUA)
    yield client
    client.udf_remove("visits.lua")
    client.close()


def test_a_function_creates_changes_and_returns(client: Any, set_name: str) -> None:
    key = ("test", set_name, "alice")
    assert client.apply(key, "visits", "visit", [2]) == {"n": 2, "seen": 1, "set": set_name}
    assert client.apply(key, "visits", "visit", [3]) == {"n": 5, "seen": 2, "set": set_name}
    _, meta, bins = client.get(key)
    assert bins == {"n": 5, "log": [2, 3]}
    assert meta["gen"] == 2
    assert client.apply(key, "visits", "drop", []) == 0
    assert client.exists(key)[1] is None


@pytest.mark.parametrize(
    "value", [7, 1.5, "text", True, None, b"\x00\xff", [1, ["a"]], {"a": {1: 2}}, 2**63 - 1]
)
def test_arguments_are_returned_as_they_were_passed(client: Any, set_name: str, value: Any) -> None:
    assert client.apply(("test", set_name, "echo"), "visits", "echo", [value]) == value


def test_a_function_sets_the_time_to_live(client: Any, set_name: str) -> None:
    key = ("test", set_name, "brief")
    client.put(key, {"a": 1})
    assert client.apply(key, "visits", "brief", []) == 0
    assert 40 <= client.get(key)[1]["ttl"] <= 100


@pytest.mark.parametrize(
    ("module", "function", "text"),
    [
        ("visits", "fail", "visits.lua:18: no luck"),
        ("visits", "none", "function not found"),
        ("nothing", "f", "UDF: Execution Error 1"),
        ("visits", "spin", "ran for longer than"),
    ],
)
def test_failures_are_reported(
    client: Any, set_name: str, module: str, function: str, text: str
) -> None:
    with pytest.raises(exception.UDFError) as caught:
        client.apply(("test", set_name, "x"), module, function, [])
    assert text in caught.value.msg
    assert client.apply(("test", set_name, "x"), "visits", "echo", [1]) == 1


def test_batch_rows_call_functions(client: Any, set_name: str) -> None:
    rows = [Apply(("test", set_name, n), "visits", "visit", [n]) for n in range(8)]
    rows.append(Apply(("test", set_name, 8), "visits", "fail", []))
    *successes, failure = client.batch_write(BatchRecords(rows)).batch_records
    assert [row.record[2]["SUCCESS"]["n"] for row in successes] == list(range(8))
    assert failure.result == 100


def test_modules_are_listed_read_and_removed(client: Any, tmp_path: Path) -> None:
    listed = {entry["name"] for entry in client.udf_list()}
    assert "visits.lua" in listed
    assert client.udf_get("visits.lua", aerospike.UDF_TYPE_LUA) == MODULE
    bad = tmp_path / "bad.lua"
    bad.write_text("function f(\nreturn 1 +")
    with pytest.raises(exception.AerospikeError):
        client.udf_put(str(bad), aerospike.UDF_TYPE_LUA)
    assert "bad.lua" not in {entry["name"] for entry in client.udf_list()}
