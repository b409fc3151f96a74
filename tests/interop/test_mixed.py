"""Rules of writes and mixed batches: peers observe their effects."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Delete, Newer, Read, Write, exp, op

if TYPE_CHECKING:
    from apis import Caller, Opened

# One client's binding announces removals of calls.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def data(ours: Opened, set_name: str) -> Caller:
    return ours.dataset("test", set_name)


def test_a_datetime_ttl_is_seen_by_peers(data: Caller, peer: Any, set_name: str) -> None:
    data.put("k", {"n": 1}, ttl=datetime.now(timezone.utc) + timedelta(hours=2))
    assert 7100 < peer.get(("test", set_name, "k"))[2] <= 7200


def test_generations_of_peers_are_checked(data: Caller, peer: Any, set_name: str) -> None:
    key = ("test", set_name, "k")
    for n in range(3):
        peer.put(key, {"n": n})
    with pytest.raises(spikewire.GenerationMismatch):
        data.put("k", {"n": 9}, generation=Newer(3))
    data.put("k", {"n": 9}, generation=Newer(4))
    assert peer.get(key)[:2] == ({"n": 9}, 4)


def test_filters_match_bins_of_peers(data: Caller, peer: Any, set_name: str) -> None:
    peer.put(("test", set_name, "k"), {"n": 5, "s": "x"})
    assert data.get("k", where=(exp.bin("n") == 5) & (exp.bin("s") == "x"))["n"] == 5
    with pytest.raises(spikewire.FilteredOut):
        data.put("k", {"n": 6}, where=exp.bin("n") > 5)
    assert peer.get(("test", set_name, "k"))[:2] == ({"n": 5, "s": "x"}, 1)


def test_mixed_batches_change_records_of_peers(data: Caller, peer: Any, set_name: str) -> None:
    keys = [("test", set_name, i) for i in range(40)]
    for i, key in enumerate(keys):
        peer.put(key, {"n": i})
    steps = [op.add("n", 1), op.get("n")]
    rows = [(Read(i), Write(i, {"m": i}), Write(i, steps), Delete(i))[i % 4] for i in range(40)]
    done = data.batch(rows).raise_for_errors()
    assert [record.get("n") for record in done] == [
        (i, None, i + 1, None)[i % 4] for i in range(40)
    ]
    for i, key in enumerate(keys):
        if i % 4 == 3:
            assert not peer.exists(key)
        else:
            expected = ({"n": i}, {"n": i, "m": i}, {"n": i + 1})[i % 4]
            assert peer.get(key)[0] == expected
