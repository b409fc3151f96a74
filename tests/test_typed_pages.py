"""What users copy first passes ``mypy --strict``: programs of pages, and the example of a service.

The kind of fault: a library that is typed, whose users' programs are not accepted.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from test_docs import ROOT, blocks

if TYPE_CHECKING:
    from pathlib import Path

#: Pages, each with the heading at which its program ends for this test.
PAGES = {
    "README.md": "",
    "docs/index.md": "",
    "docs/tutorial.md": "",
    "docs/types.md": "",
    "docs/frameworks.md": "## Flask and gunicorn",
}
#: What a program imports besides the requirements of tests.
NEEDS = ("fastapi", "httpx", "pydantic")


def test_programs_in_pages_pass_mypy(tmp_path: Path) -> None:
    for needed in ("mypy", *NEEDS):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    programs = [ROOT / "examples/python/fastapi_service.py"]
    for page, end in PAGES.items():
        text = (ROOT / page).read_text(encoding="utf-8").splitlines()
        lines = blocks(ROOT / page).splitlines()[: text.index(end) if end else None]
        program = tmp_path / f"{page.replace('/', '_').removesuffix('.md').lower()}.py"
        program.write_text("\n".join(lines) + "\n", encoding="utf-8")
        programs.append(program)
    paths = os.pathsep.join(map(str, (ROOT / "python", ROOT / "examples/python")))
    command = ["mypy", "--strict", "--config-file=", "--cache-dir", os.devnull]
    done = subprocess.run(
        [sys.executable, "-m", *command, *map(str, programs)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env={**os.environ, "MYPYPATH": paths},
    )
    assert done.returncode == 0, done.stdout + done.stderr
