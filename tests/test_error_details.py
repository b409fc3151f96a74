"""What servers from 8.2 on say about errors beyond their codes."""

from __future__ import annotations

import asyncio
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import AsyncClient, Client, Read, Write, op
from spikewire.error_details import ErrorDetails, ErrorTrace
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "the string is not a number of this kind"
TO_INT = [op.string.to_int("s")]
WHOLE = ErrorDetails(10, "string_conversion", TEXT)


@pytest.fixture(scope="module")
def newer() -> Iterator[Cluster]:
    with Cluster(nodes=1, build="8.2") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def asking(newer: Cluster) -> Iterator[spikewire.Dataset]:
    with Client(newer.seeds, error_details="trace", timeout=30) as client:
        users = client.dataset("test", "users")
        users.put("k", {"s": "text", "n": 7, "zero": 0, "l": [1, 2, 3]})
        yield users


def failure(call: Any) -> spikewire.Error:
    with pytest.raises(spikewire.Error) as raised:
        call()
    return raised.value


def test_an_error_has_subcode_name_and_message(asking: spikewire.Dataset) -> None:
    error = failure(lambda: asking.operate("k", TO_INT))
    assert isinstance(error, spikewire.OpNotApplicable)
    assert (error.code, error.subcode, error.subcode_name) == (26, 10, "string_conversion")
    assert error.details == WHOLE
    assert f" [string_conversion 10: {TEXT}] (code 26" in str(error)


def test_off_is_the_default_and_changes_nothing(newer: Cluster) -> None:
    with Client(newer.seeds, timeout=30) as client:
        users = client.dataset("test", "users")
        users.put("k", {"s": "text"})
        error = failure(lambda: users.operate("k", TO_INT))
        assert (error.details, error.subcode, error.subcode_name) == (None, None, None)
        assert "[" not in error.message


def test_a_call_decides_for_itself(asking: spikewire.Dataset) -> None:
    levels: dict[str, ErrorDetails | None] = {
        "off": None,
        "subcode": ErrorDetails(10, "string_conversion"),
        "message": WHOLE,
        "trace": WHOLE,
    }
    for level, expected in levels.items():
        error = failure(lambda level=level: asking.operate("k", TO_INT, error_details=level))
        assert error.details == expected, level


def test_traces_lead_to_the_operation(asking: spikewire.Dataset) -> None:
    error = failure(lambda: asking.get("k", where="$.n / $.zero > 2"))
    assert isinstance(error, spikewire.FilteredOut)
    details = error.details
    assert details is not None
    assert details.message == "the expression has no value"
    assert details.trace == ErrorTrace(
        phase="evaluation",
        offset=2,
        op="/",
        depth=1,
        path=(">", "/"),
        snippet="$.n:INT / $.zero:INT",
        outcome="fault",
        operands=("7", "0"),
    )
    assert "in / at byte 2 of the expression ($.n:INT / $.zero:INT)" in str(error)
    missing = failure(lambda: asking.operate("k", [op.read("e", "$.nothing:INT + 1")]))
    assert missing.details is not None
    trace = missing.details.trace
    assert trace is not None
    assert (trace.outcome, trace.op, trace.path) == ("absent", "bin", ("+", "bin"))
    false = failure(lambda: asking.put("k", {"x": 1}, where="$.n == 8 and $.n > 1"))
    assert false.details is not None
    trace = false.details.trace
    assert trace is not None
    assert (trace.outcome, trace.op, trace.operands) == ("false", "==", ("7", "8"))


def test_rows_of_batches_have_details(asking: spikewire.Dataset) -> None:
    keys = ["k", "none", "k"]
    rows = asking.operate_many(keys, [op.list.get("l", 9)], error_details="message")
    expected = ErrorDetails(1, "cdt_index_out_of_bounds", "the index is outside the list or map")
    details = {row: error.details for row, error in rows.errors.items()}
    assert sorted(details) == [0, 2]
    for said in details.values():
        assert said is not None
        assert (said.subcode, said.subcode_name) == (expected.subcode, expected.subcode_name)
        assert said.message == "index 9 is outside a list of 3 elements"
    # One row goes as a request of its own; rows that write have the level of their batch.
    for row in (Read("k", ops=TO_INT), Write("k", [op.string.overwrite("s", 99, "x")])):
        one = asking.batch([row])
        two = asking.batch([row, Read("none")])
        assert one.errors[0].details == two.errors[0].details
        assert one.errors[0].details is not None
        quiet = asking.batch([row, Read("none")], error_details="off")
        assert quiet.errors[0].details is None


def test_queries_have_details(asking: spikewire.Dataset) -> None:
    between = spikewire.query.between("nothing", 1, 2)
    error = failure(lambda: list(asking.query(index=between)))
    assert isinstance(error, spikewire.IndexNotFound)
    assert error.details == ErrorDetails(message="no index fits the query")
    quiet = failure(lambda: list(asking.query(index=between, error_details="off")))
    assert quiet.details is None


def test_plans_jobs_and_aggregations_have_details(newer: Cluster) -> None:
    between = spikewire.query.between("nothing", 1, 2)
    with Client(newer.seeds, error_details="message", timeout=30) as client:
        client.modules.register("all.lua", "function all(stream) return stream end")
        users = client.dataset("test", "users")
        users.put("k", {"n": 7})
        calls = [
            lambda: users.query(where="$.nothing == 1", require_index=True).explain(),
            lambda: users.operate_all([op.put("a", 1)], index=between),
            lambda: users.apply_all("all", "all", index=between),
            lambda: users.query(index=between).aggregate("all", "all"),
        ]
        for call in calls:
            error = failure(call)
            assert error.details == ErrorDetails(message="no index fits the query")
            assert error.message.count("no index fits the query") == 1
        quiet = users.query(index=between, error_details="off")
        assert failure(lambda: quiet.aggregate("all", "all")).details is None


def test_details_are_pickled(asking: spikewire.Dataset) -> None:
    error = failure(lambda: asking.get("k", where="$.n / $.zero > 2"))
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.details, str(copy)) == (error.details, str(error))
    assert copy.details.trace == error.details.trace  # type: ignore[union-attr]


def test_nodes_before_8_2_are_not_asked() -> None:
    with (
        Cluster(nodes=2, build="8.2,8.1.2") as cluster,
        Client(cluster.seeds, error_details="trace", timeout=30) as client,
    ):
        users = client.dataset("test", "users")
        users.put_many({key: {"l": [1]} for key in range(40)}).raise_for_errors()
        builds = {f"{node.name} {node.address}": node.build for node in client.nodes()}
        seen: dict[str, set[int | None]] = {}
        for key in range(40):
            error = failure(lambda key=key: users.operate(key, [op.list.get("l", 5)]))
            seen.setdefault(builds[str(error.node)], set()).add(error.subcode)
        assert seen == {"8.2.0.0": {1}, "8.1.2.0": {None}}
        rows = users.operate_many(range(40), [op.list.get("l", 5)])
        seen = {}
        for error in rows.errors.values():
            seen.setdefault(builds[str(error.node)], set()).add(error.subcode)
        assert seen == {"8.2.0.0": {1}, "8.1.2.0": {None}}


def test_profiles_steps_and_urls_decide_for_their_calls(newer: Cluster) -> None:
    with Client(newer.seeds, timeout=30) as client:
        client.dataset("test", "users").put("k", {"s": "text"})
        view = client.with_profile(spikewire.Profile(read={"error_details": "subcode"}))
        users = view.dataset("test", "users")
        assert failure(lambda: users.operate("k", TO_INT)).subcode == 10
        assert "error_details = 'subcode'" in str(users.explain("operate", "k", TO_INT))
    url = f"aerospike://{newer.seeds}/test?error_details=message&timeout=30"
    with Client.from_url(url) as client:
        assert failure(lambda: client.dataset("test", "users").operate("k", TO_INT)).subcode == 10


@pytest.mark.parametrize("wrong", ["all", "", "TRACE", 3, True])
def test_other_levels_are_refused_by_name(asking: spikewire.Dataset, wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="error_details must be"):
        asking.get("k", error_details=wrong)
    with pytest.raises((TypeError, ValueError), match="error_details must be"):
        asking.query(error_details=wrong)
    with pytest.raises((TypeError, ValueError), match="error_details must be"):
        Client("127.0.0.1:1", error_details=wrong)


def test_awaited_calls_have_details(newer: Cluster) -> None:
    async def run() -> ErrorDetails | None:
        async with AsyncClient(newer.seeds, error_details="message", timeout=30) as client:
            users = client.dataset("test", "users")
            await users.put("k", {"s": "text"})
            with pytest.raises(spikewire.OpNotApplicable) as raised:
                await users.operate("k", TO_INT)
            return raised.value.details

    assert asyncio.run(run()) == WHOLE
