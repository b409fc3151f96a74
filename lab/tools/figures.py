"""Writes the figures that pages quote from the reports in ``lab/reports``.

``--take FOLDER`` first copies the reports of a run of the lab there; with ``--special NAME`` that
name is appended to theirs, as in ``sdk-free-threaded.html``. ``--check`` changes nothing and fails
if a page differs from the reports.

    python lab/tools/figures.py [--check | --take bench-results/lab-... [--special free-threaded]]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from quotes.pages import pages
from quotes.saved import ROOT, take


def main() -> int:
    """Writes or checks the pages; returns the exit status."""
    parser = argparse.ArgumentParser(description="Writes the figures that pages quote.")
    parser.add_argument("--check", action="store_true", help="only say what is not up to date")
    parser.add_argument("--take", type=Path, metavar="FOLDER", help="of a run of the lab")
    parser.add_argument("--special", default="", metavar="NAME", help="what is special about it")
    options = parser.parse_args()
    try:
        if options.take is not None and not options.check:
            for name in take(options.take, options.special):
                print(f"lab/reports/{name}.html, {name}.json")
        texts = pages()
    except ValueError as error:
        print(f"lab/tools/figures.py: {error}", file=sys.stderr)
        return 2
    stale = [path for path, text in texts.items() if path.read_text() != text]
    for path in stale:
        print(f"{'not up to date' if options.check else 'written'}: {path.relative_to(ROOT)}")
        if not options.check:
            path.write_text(texts[path])
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
