"""Updates pages with blocks that quote reports.

A block is enclosed by two comments and generated anew, so that no figure is copied by hand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .blocks import BLOCKS
from .saved import ROOT, saved_reports

if TYPE_CHECKING:
    from pathlib import Path

PAGES = ("README.md", "docs/index.md", "docs/figures.md", "docs/choosing.md", "docs/reports.md")
_BLOCK = re.compile(r"<!-- figures: ([\w -]+) -->\n.*?<!-- end of figures -->", re.DOTALL)


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Every page with its new contents; raises `ValueError` for an unknown block."""
    reports = saved_reports(root)

    def block(match: re.Match[str]) -> str:
        name = match[1]
        if name not in BLOCKS:
            raise ValueError(f"no block of figures is called {name}: {', '.join(BLOCKS)}")
        text = "\n".join(BLOCKS[name](reports))
        return f"<!-- figures: {name} -->\n\n{text}\n\n<!-- end of figures -->"

    return {root / name: _BLOCK.sub(block, (root / name).read_text()) for name in PAGES}
