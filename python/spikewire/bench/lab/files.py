"""Reports as files: `report.json`, `report.html`, `report.md`, and every single run apart."""

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


def save(report: Report, folder: Path) -> None:
    """Each file is whole at any time: it is written beside the old one and takes its place."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "report.json", json.dumps(report.as_json(), indent=1).encode() + b"\n")
    save_pages(report, folder)
    write(folder / "runs.json.gz", gzip.compress(json.dumps(report.runs).encode(), mtime=0))


def save_pages(report: Report, folder: Path) -> None:
    """What is made from the JSON alone."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "report.md", markdown(report).encode())
    write(folder / "report.html", page(report).encode())


def save_index(reports: Sequence[Report], folder: Path) -> None:
    """`index.html`, over reports that are in folders called as their recipes."""
    write(folder / "index.html", index(reports).encode())


def write(path: Path, content: bytes) -> None:
    """A file that is whole at any time; raises `OSError`."""
    beside = path.with_name(f".{path.name}.part")
    beside.write_bytes(content)
    beside.replace(path)
