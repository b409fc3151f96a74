"""Pages that quote reports have no figures typed by hand beside them: those would remain when the
reports are made anew. A figure that is no report's has its command in the same paragraph."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab/tools"))

from quotes.pages import PAGES  # noqa: E402

BLOCK = re.compile(
    r"<!-- figures: [\w -]+ -->.*?<!-- end of figures -->|^```.*?^```", re.DOTALL | re.MULTILINE
)
#: Rates, ratios, shares, times; not the confidence of intervals.
FIGURE = re.compile(
    r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])(?! bytes)"
    r"|\b\d+(?:\.\d+)?(?: times\b|x\b| ?(?:µs|us)\b| op/s| %(?! interval))",
)
COMMAND = re.compile(r"`(?:spikewire|python|make|node|npm run) [^`]+`")


def typed_by_hand(text: str) -> list[str]:
    """Figures of a page outside of what is generated."""
    found = []
    for paragraph in re.split(r"\n\s*\n", BLOCK.sub("", text)):
        if not COMMAND.search(" ".join(paragraph.split())):
            found += [match[0] for match in FIGURE.finditer(paragraph)]
    return found


@pytest.mark.parametrize("name", PAGES)
def test_figures_of_reports_are_not_typed_by_hand(name: str) -> None:
    assert typed_by_hand((ROOT / name).read_text()) == []


def test_figures_typed_by_hand_are_detected() -> None:
    assert typed_by_hand("It makes 5.5 times the calls: 305,374 op/s.") == ["5.5 times", "305,374"]
    assert typed_by_hand("3.07 µs per call") == ["3.07 µs"]
    assert typed_by_hand("20 % of it; ratios have a 95 % interval") == ["20 %"]
    assert typed_by_hand("<!-- figures: x -->\n\n1.5 times\n\n<!-- end of figures -->") == []
    assert typed_by_hand("1.1 times, by `spikewire compare --rounds 5`") == []
