"""Text expressions beside the text language of servers: a table of texts, and what each is."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import spikewire
from spikewire import ctx, exp, op

TABLE = Path(__file__).with_name("text_language.txt")
PAGE = Path(__file__).parents[2] / "docs" / "text-expressions.md"
KEY = "record"
MARKS = {"-": "not read here", "~": "means something else here", "+": "only here"}


@dataclass
class Row:
    """A text, the line it stands on, and what is written behind it."""

    text: str
    line: int
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def mark(self) -> str | None:
        """How it differs from the servers' language, if it does."""
        return next((mark for mark in MARKS if mark in self.notes), None)


def read() -> list[Row]:
    """Read the table."""
    rows: list[Row] = []
    for number, line in enumerate(TABLE.read_text("utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if not line.startswith("    "):
            rows.append(Row(line, number))
            continue
        mark, _, note = line.strip().partition(" ")
        assert note, f"line {number}"
        assert mark in {*MARKS, "=", ">"}, f"line {number}"
        assert mark not in rows[-1].notes, f"line {number}"
        rows[-1].notes[mark] = note
    return rows


ROWS = read()
built = [pytest.param(row, id=row.text) for row in ROWS if row.mark != "-"]
refused = [pytest.param(row, id=row.text) for row in ROWS if row.mark == "-"]


def from_hex(digits: str) -> exp.Expression:
    """An expression from its bytes."""
    return exp.Expression.from_bytes(bytes.fromhex(digits))


NAMES = {"exp": exp, "ctx": ctx, "spikewire": spikewire, "hex": from_hex, "math": math}


def test_the_table_is_whole() -> None:
    texts = [row.text for row in ROWS]
    assert len(texts) == len(set(texts)) > 200
    for row in ROWS:
        wanted = {"-"} if row.mark == "-" else {"="}
        assert wanted <= set(row.notes), row
        assert sum(mark in row.notes for mark in MARKS) <= 1, row


@pytest.mark.parametrize("row", built)
def test_a_text_is_what_it_is_built_of(row: Row) -> None:
    expected = eval(row.notes["="], dict(NAMES))
    assert exp.text(row.text).same_as(expected), f"{exp.text(row.text)}\n{expected}"


@pytest.mark.parametrize("row", refused)
def test_a_text_that_is_not_read_is_an_error_with_its_place(row: Row) -> None:
    """When one of these begins to be read, its line in the table and in the docs is to change."""
    with pytest.raises((ValueError, TypeError)) as caught:
        exp.text(row.text)
    assert re.search(r"line 1, column \d+", str(caught.value)) or "placeholder" in str(caught.value)


@pytest.fixture(scope="module")
def words() -> Any:
    """The record that the values of the table are of, on a server that has all of the language."""
    cluster = spikewire.testing.Cluster(build="8.2.0.0")
    with cluster, spikewire.Client(cluster.seeds) as client:
        dataset = client.dataset("test", "words")
        put(dataset)
        yield dataset


def put(dataset: Any) -> None:
    """Write the record."""
    dataset.put(
        KEY,
        {
            "i": 5,
            "j": 2,
            "f": 2.5,
            "s": "text",
            "t": "words",
            "digits": "42",
            "flag": True,
            "b": b"\x01\x02",
            "l": [30, 10, 20],
            "pair": [1, "any"],
            "words": ["a", "b"],
            "m": {"a": 1, "b c": 2, "k": {"x": 3, "y": 4}, "word": "x"},
            "numbers": {5: "five"},
            "ages": {"ann": 31, "bob": 25, "kim": 40},
            "rows": [{"n": 1}, {"n": 2}],
            "a name": 1,
            "g": spikewire.GeoJSON('{"type": "Point", "coordinates": [1.0, 2.0]}'),
        },
    )
    dataset.operate(
        KEY,
        [
            op.hll.add("h", ["a", "b", "c"], index_bits=8),
            op.hll.add("h2", ["c", "d"], index_bits=8),
        ],
    )


@pytest.mark.parametrize("row", built)
def test_a_text_runs_on_a_server(words: Any, row: Row) -> None:
    results = words.operate(KEY, [op.read("x", exp.text(row.text), no_fail=True)])
    wanted = row.notes.get(">")
    if wanted is None:
        return
    if wanted == "unknown":
        assert "x" not in results
        return
    value = eval(wanted, dict(NAMES))
    assert results["x"] == value
    assert type(results["x"]) is type(value)


@pytest.mark.parametrize("row", built)
def test_a_text_is_read_again_from_its_own_form(row: Row) -> None:
    """What is shown of an expression is the same expression, where it can be read at all."""
    tree = exp.text(row.text)
    try:
        again = exp.text(str(tree))
    except (ValueError, TypeError):
        return
    assert again.same_as(tree)


def lines_of_page() -> list[str]:
    """The lines of the page's table of differences."""
    lines = []
    for row in ROWS:
        if row.mark is not None:
            cells = [f"`{row.text}`", MARKS[row.mark], row.notes[row.mark]]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def test_the_page_lists_every_difference() -> None:
    page = PAGE.read_text("utf-8")
    start = page.index("| text | here | |")
    table = page[start:].split("\n\n", 1)[0].splitlines()[2:]
    assert table == lines_of_page(), "\n".join(lines_of_page())
