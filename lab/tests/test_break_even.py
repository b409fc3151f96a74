"""The tool that measures from which size on compression pays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> list[list[str]]:
    """The lines that it prints below the head, as words."""
    command = [sys.executable, str(ROOT / "lab/tools/break_even.py"), "--calls", "5", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    head, *lines = done.stdout.splitlines()
    assert head.split()[:2] == ["bytes", "packed"]
    return [line.split() for line in lines]


def test_each_size_has_a_line() -> None:
    small, large = run("--sizes", "128", "4096")
    assert (small[0], large[0]) == ("128", "4096")
    assert int(large[1]) < 4096
    assert "put" in large


def test_values_of_a_file_are_measured(tmp_path: Path) -> None:
    file = tmp_path / "values"
    file.write_text("x" * 1000 + "\n" + "".join(map(chr, range(48, 58))) + "\n")
    long, short = run("--values", str(file))
    assert (long[0], short[0]) == ("1000", "10")
    assert short[-1] == "never", "zlib makes it longer"
