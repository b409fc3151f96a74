"""Columns that relate one figure to another."""

from __future__ import annotations

import pytest

from spikewire_lab.studies import recipes
from spikewire_lab.studies.relative import beside, change, saved, times
from spikewire_lab.studies.report import Heading, Median, Row, Table

TABLE = Table(
    "table",
    "Table",
    "How.",
    (Heading("one", "one"), Heading("two", "two")),
    (
        Row("both", {"one": Median(3.0, 2.0, 4.0, 5), "two": 2}),
        Row("words", {"one": "flat", "two": 2}),
        Row("nothing", {"one": 3.0, "two": 0}),
        Row("missing", {"one": 3.0}),
    ),
)


def test_a_figure_is_set_beside_another_where_both_are_known() -> None:
    extended = beside(
        TABLE, (times("ratio", "Ratio", "one", "two"), saved("less", "L", "two", "one"))
    )
    assert [one.key for one in extended.headings] == ["one", "two", "ratio", "less"]
    first, *others = extended.rows
    assert first.fields["ratio"] == 1.5
    assert first.fields["less"] == pytest.approx(100 / 3)
    assert first.fields["two"] == 2
    assert all(row.fields["ratio"] is None and row.fields["less"] is None for row in others)


def test_columns_without_any_figure_are_left_out() -> None:
    extended = beside(TABLE, (times("ratio", "Ratio", "one", "three"),))
    assert extended.headings == TABLE.headings
    assert [dict(row.fields) for row in extended.rows] == [dict(row.fields) for row in TABLE.rows]


def test_changes_are_in_percent() -> None:
    assert change(150.0, 100.0) == pytest.approx(50.0)
    assert change(None, 100.0) is None
    assert change(1.0, 0) is None


@pytest.mark.parametrize(
    ("recipe", "name", "row", "figures"),
    [
        ("sdk", "published-batches", 0, {"rate128": 485_056, "times16": 2.25, "times128": 3.32}),
        ("sdk", "published-batches", 2, {"rate128": None, "times64": 1.77, "times128": None}),
        ("aerospike-py", "published-memory", 4, {"aerospike-py-sync-saved": 88.0}),
        ("aerospike-py", "published-bins", 2, {"aerospike-py-sync-gain": "1.1 times slower"}),
        ("serving", "published-client", 2, {"avg": "-80 %", "p99": "-38 %", "tps": "+171 %"}),
        ("serving", "published-model", 2, {"avg": "-19 %", "p90": "-41 %", "p95": "-42 %"}),
        ("serving", "published-steps", 3, {"p95": 97, "change": -70}),
    ],
)
def test_ratios_are_those_that_the_studies_print(
    recipe: str, name: str, row: int, figures: dict[str, object]
) -> None:
    table = next(one for one in recipes.load(recipe).published() if one.name == name)
    fields = table.rows[row].fields
    printed = {key: fields.get(key) for key in figures}
    digits = {one.key: one.digits for one in table.headings}
    rounded = {
        key: round(one, digits[key]) if isinstance(one, float) else one
        for key, one in printed.items()
    }
    assert rounded == figures
