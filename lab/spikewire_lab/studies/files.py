"""Reports as files: `report.json`, `report.html`, `report.md`, and all runs in a separate file."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from .html import page
from .html.index import index
from .markdown import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .report import Report


REPORT = "report.json"


def save(report: Report, folder: Path) -> None:
    """Writes the files of a report, each atomically: next to the old file, which it then
    replaces."""
    folder.mkdir(parents=True, exist_ok=True)
    # Kept for years: indented it would be twice as large.
    text = json.dumps(report.as_json(), ensure_ascii=False, separators=(",", ":"))
    write(folder / REPORT, text.encode() + b"\n")
    save_pages(report, folder)
    write(folder / "runs.json.gz", gzip.compress(json.dumps(report.runs).encode(), mtime=0))


def save_pages(report: Report, folder: Path) -> None:
    """Writes the pages, which are made from the JSON alone."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "report.md", markdown(report).encode())
    write(folder / "report.html", page(report).encode())


def save_index(reports: Sequence[Report], folder: Path) -> None:
    """Writes `index.html` for reports in folders that are named after their recipes."""
    write(folder / "index.html", index(reports).encode())


def write(path: Path, content: bytes) -> None:
    """Writes a file atomically; raises `OSError`."""
    beside = path.with_name(f".{path.name}.part")
    beside.write_bytes(content)
    beside.replace(path)
