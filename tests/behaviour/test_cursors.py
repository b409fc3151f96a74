"""Cursors have the same bytes in Python and in Rust. ``tests/cursors.txt`` has some of each, with
the records that follow them; the Rust counterpart is ``crates/spikewire/tests/cursors.rs``."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from apis import Api, Opened

#: The hash of the query in a cursor.
FINGERPRINT = slice(5, 13)
QUERIES: dict[str, dict[str, Any]] = {
    "scan": {},
    "bins": {"where": "$.n >= 5", "bins": ["n"]},
    "limit": {"bins": ["n", "missing"], "limit": 25},
    "digests": {"include_values": False},
    "index": {"index": spikewire.between("n", 5, 35)},
    "operations": {"operations": [op.get("n"), op.read("twice", "$.n * 2")]},
    "parts": {"partitions": range(1000, 3000)},
}
FILE = Path(__file__).parent.parent / "cursors.txt"
LINES = [line.split() for line in FILE.read_text().splitlines() if not line.startswith("#")]


@pytest.fixture(scope="module")
def numbers(client: Opened, api: Api) -> dict[bytes, int]:
    """The records of the file by their digests."""
    data = client.dataset("test", "cursors")
    data.put_many({n: {"n": n} for n in range(40)}).raise_for_errors()
    api.settle(lambda: client.raw.indexes.create("test", "cursors", "n", int))
    return {spikewire.Key("test", "cursors", n).digest: n for n in range(40)}


@pytest.mark.parametrize(("name", "maker", "cursor", "rest"), LINES)
def test_a_cursor_of_either_language_goes_on(
    api: Api,
    client: Opened,
    numbers: dict[bytes, int],
    name: str,
    maker: str,
    cursor: str,
    rest: str,
) -> None:
    def left(query: Any) -> list[int]:
        return sorted(numbers[record.key.digest] for record in api.rows(query))

    begun = client.raw.query("test", "cursors", **QUERIES[name])
    seen = {numbers[record.key.digest] for record in api.some(begun, 10, exactly=True)}
    own = begun.cursor
    others = sorted(set(range(40)) - seen) if name == "limit" else left(begun)
    cursors = ",".join(map(str, others))
    fresh = f"{name} python {base64.b64encode(own).decode()} {cursors}"
    stored = base64.b64decode(cursor)
    assert stored[FINGERPRINT] == own[FINGERPRINT], f"the file should have:\n{fresh}"
    # The cursor itself says which partitions are left.
    again = client.raw.query(
        "test", "cursors", **QUERIES[name] | {"partitions": None}, resume=stored
    )
    resumed, expected = left(again), [int(number) for number in rest.split(",")]
    if name == "limit":
        assert len(resumed) == 15
        assert set(resumed) <= set(expected), maker
    else:
        assert resumed == expected, maker
