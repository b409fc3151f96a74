"""Figures of the pages come from the reports that are kept."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab" / "tools"))

from quotes.best import CPU, RATE, Candidate, alike, in_rows, line  # noqa: E402
from quotes.pages import PAGES, pages  # noqa: E402
from quotes.saved import (  # noqa: E402
    FREE,
    REPORTS,
    STUDIES,
    SavedReport,
    preferred,
    saved_reports,
    take,
)
from spikewire_lab.studies.recipes import NAMES  # noqa: E402
from spikewire_lab.studies.report import Report, Row, Section, Table  # noqa: E402


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of all sources of figures."""
    for name in PAGES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    (tmp_path / REPORTS).mkdir(parents=True)
    for path in (ROOT / REPORTS).glob("*.json"):
        shutil.copyfile(path, tmp_path / REPORTS / path.name)
    return tmp_path


def test_figures_in_pages_equal_the_reports() -> None:
    """If it fails: python lab/tools/figures.py."""
    for path, text in pages().items():
        assert path.read_text() == text, path.name


def test_a_figure_typed_by_hand_is_detected(root: Path) -> None:
    readme = root / "README.md"
    written = readme.read_text()
    figure = next(row for row in written.splitlines() if row.startswith("| uvloop, 32 tasks"))
    readme.write_text(written.replace(figure, figure.replace(figure.split(" | ")[1], "999,999")))
    assert pages(root)[readme] == written
    readme.write_text(written.replace("figures: headline", "figures: headlines"))
    with pytest.raises(ValueError, match="no block of figures is called headlines"):
        pages(root)


def test_every_recipe_has_a_study_and_every_report_a_page() -> None:
    assert set(STUDIES) == set(NAMES)
    for name in saved_reports():
        assert (ROOT / REPORTS / f"{name}.html").is_file()


def test_stored_reports_are_compact_json() -> None:
    for path in (ROOT / REPORTS).glob("*.json"):
        assert path.stat().st_size < 300_000, path.name
        assert path.read_bytes().count(b"\n") == 1, path.name


def a_run(folder: Path, name: str, /, **changes: Any) -> Path:
    """The kept report of that recipe as if it had just been measured."""
    known = json.loads((ROOT / REPORTS / f"{name}.json").read_text())
    known["environment"]["build"] = {"modified": False}
    for key, value in changes.items():
        known[key] = value
    (folder / name).mkdir(parents=True)
    (folder / name / "report.json").write_text(json.dumps(known))
    (folder / name / "report.html").write_text("<!doctype html>")
    return folder


def test_a_run_without_the_lock_gets_pages_and_figures_of_its_own(root: Path) -> None:
    sections = json.loads((ROOT / REPORTS / "sdk.json").read_text())["sections"]
    for section in sections:
        for table in section["tables"]:
            rows = table["rows"]
            table["rows"] = [
                {**row, "label": f"{row['label']}, Python 3.14.4t, GIL {lock}"}
                for row in rows
                for lock in ("on", "off")
            ]
    folder = a_run(root / "run", "sdk", sections=sections)
    assert take(folder, FREE, root) == [f"sdk-{FREE}"]
    assert (root / REPORTS / f"sdk-{FREE}.html").is_file()
    built = {path.name: text for path, text in pages(root).items()}
    assert "There is no report of it yet" not in built["figures.md"]
    assert "| uvloop, 32 tasks, without the GIL | " in built["README.md"]
    assert "layers, free-threaded | [sdk-free-threaded]" in built["reports.md"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"interrupted": True}, "interrupted"),
        ({"sections": []}, "nothing was measured"),
        ({"recipe": "other"}, "no study is called other"),
        ({"environment": {"build": {"modified": True}}}, "changes that are in no commit"),
    ],
)
def test_unquotable_reports_are_rejected(root: Path, changes: dict[str, Any], reason: str) -> None:
    folder = a_run(root / "run", "gil", **changes)
    before = (root / REPORTS / "gil.json").read_bytes()
    with pytest.raises(ValueError, match=reason):
        take(folder, "", root)
    assert (root / REPORTS / "gil.json").read_bytes() == before
    with pytest.raises(ValueError, match=r"has no report\.json"):
        take(root / "docs", "", root)


def test_a_run_of_the_first_table_alone_is_quoted_there_and_nowhere_else(root: Path) -> None:
    settings = {"size": "full", "only": [" sync 32"]}
    sections = json.loads((ROOT / REPORTS / "sdk.json").read_text())["sections"]
    for section in sections:
        for row in (row for table in section["tables"] for row in table["rows"]):
            rate = row["fields"].get("rate")
            if isinstance(rate, dict):
                best = {"spikewire": 3.0, "aerospike": 1.0}.get(row["client"], 0.5)
                values = [best * one for one in (100.0, 104.0, 98.0, 101.0, 99.0)]
                row["fields"]["rate"] = {**rate, "value": values[0], "values": values, "rounds": 5}
    folder = a_run(root / "run", "sdk", sections=sections, settings=settings, interrupted=True)
    with pytest.raises(ValueError, match="interrupted"):
        take(folder, "", root)
    before = {path.name: text for path, text in pages(root).items()}
    assert take(folder, "headline", root) == ["sdk-headline"]
    after = {path.name: text for path, text in pages(root).items()}
    assert "[sdk-headline](lab/reports/sdk-headline.html)" in after["README.md"]
    assert "| blocking, 32 threads | 300 | 100 (`aerospike`) |" in after["README.md"]
    assert "| 3.00 (3.00-3.00) |" in after["README.md"]
    assert after["figures.md"] == before["figures.md"]


@pytest.mark.parametrize(
    ("ours", "other", "ratio"),
    [(200, 100, "2.0"), (199, 100, "unclear"), (100, 199, "unclear"), (100, 400, "0.2")],
)
def test_a_ratio_within_the_noise_is_no_win_and_no_loss(ours: int, other: int, ratio: str) -> None:
    mine, best = (Candidate(name, (value, 1)) for name, value in (("ours", ours), ("o", other)))
    assert str(line("here", (RATE, CPU), [mine], [best])).endswith(f"| {ratio} |")


def test_each_column_names_the_best_other_client() -> None:
    rows = [
        Row("spikewire, 1 thread", {"rate": 100, "cpu": 5}, "spikewire"),
        Row("spikewire-builder, 1 thread", {"rate": 900, "cpu": 1}, "spikewire-builder"),
        Row("aerospike, 1 thread", {"rate": 90, "cpu": 7}, "aerospike"),
        Row("aerospike-sdk, 1 thread", {"rate": 80, "cpu": 4}, "aerospike-sdk"),
        Row("aerospike-py, 1 thread", {"rate": 500, "cpu": 2}, "aerospike-py", "errors"),
        Row("spikewire, 2 threads", {"rate": 1, "cpu": 1}, "spikewire"),
    ]
    table = Table("matrix", "Single keys", "How.", (), rows)
    report = Report("sdk", "", "", sections=[Section("singles", "", "", (table,))])

    def text(words: str) -> str | None:
        return line("here", (RATE, CPU), *in_rows(report, "matrix", alike(words), ("rate", "cpu")))

    expected = "| here | 100 | 90 (`aerospike`) | 5 | 4 (`aerospike-sdk`) | unclear |"
    assert text("1 thread") == expected
    assert text("2 threads") == "| here | 1 |  | 1 |  |  |"
    assert text("3 threads") is None
    flawed = replace(rows[0], flawed="errors")
    report.sections = [Section("singles", "", "", (replace(table, rows=[flawed, *rows[2:5]]),))]
    assert text("1 thread") is None


def test_a_real_server_goes_before_a_later_run_on_the_embedded_one() -> None:
    def a_saved(name: str, kind: str, date: str) -> SavedReport:
        report = Report("sdk", "", "", "")
        report.environment = {"date": date, "cluster": {"kind": kind}}
        return SavedReport(name, report)

    real = a_saved("sdk-headline", "one node", "2026-11-01")
    embedded = a_saved("sdk", "embedded, one node", "2026-11-02")
    later = a_saved("sdk", "one node", "2026-11-02")
    assert preferred({"sdk": embedded}, "sdk") is embedded
    assert preferred({"sdk": embedded, "sdk-headline": real}, "sdk") is real
    assert preferred({"sdk": later, "sdk-headline": real}, "sdk") is later
    assert preferred({}, "sdk") is None
