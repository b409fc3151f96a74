"""Files outside ``docs`` that are pages of the site, and the links to them.

A link to any other file of the repository has no target on a site that works without a network:
only its text is kept.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Pages of the site, by their source files.
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
#: Replacements for targets of links.
INSTEAD = {
    "README.md": "index.md",
    "examples": "examples.md",
    "examples/python": "examples.md",
    "node/examples": "examples.md",
}
#: Programs that are shown on one page: the folder, and the name of their language.
EXAMPLES = (
    ("examples/python", ("py", "ipynb"), "Python"),
    ("node/examples", ("ts",), "Node.js"),
)

#: Files that are served as they are: their folder here, and that on the site.
REPORTS = ("lab/reports", "benchmarks")

_LINK = re.compile(
    r"(?P<text>\[[^\]\n]*(?:\n[^\]\n]+)?\])\((?P<target>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)"
)
_FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    for source, path in PAGES.items():
        yield path, (root / source).read_text(encoding="utf-8")
    yield "examples.md", _examples(root)


def files(root: Path) -> Iterator[tuple[str, Path]]:
    """Path on the site and place of each file that is no page."""
    source, to = REPORTS
    for file in sorted((root / source).iterdir()):
        yield f"{to}/{file.name}", file


def _examples(root: Path) -> str:
    text = ["# Examples", "", "Complete programs, which the tests run.", ""]
    for folder, endings, language in EXAMPLES:
        text += [f"## {language}", ""]
        for file in sorted((root / folder).iterdir()):
            ending = file.suffix.removeprefix(".")
            if ending in endings:
                text += [f"### {file.name}", "", f"`{folder}/{file.name}`", ""]
                content = file.read_text(encoding="utf-8")
                text += _cells(content) if ending == "ipynb" else _block(ending, content)
    return "\n".join(text)


def _block(language: str, code: str) -> list[str]:
    return [f"```{language}", code.rstrip(), "```", ""]


def _cells(notebook: str) -> list[str]:
    """The texts and the code of a notebook, without its output."""
    text: list[str] = []
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            text += _block("py", source)
        else:
            # Its headings would otherwise be among those of the page.
            text += [re.sub(r"^#+ (.+)$", r"**\1**", source, flags=re.MULTILINE), ""]
    return text


def linked(markdown: str, page: str) -> str:
    """The text with its links pointing to pages of the site."""
    came_from = {path: source for source, path in PAGES.items()}
    folder = posixpath.dirname(came_from.get(page, f"docs/{page}"))

    def instead(match: re.Match[str]) -> str:
        target, anchor = match["target"], match["anchor"] or ""
        if not target or ":" in target:
            return match[0]
        file = posixpath.normpath(posixpath.join(folder, target))
        to = PAGES.get(file) or INSTEAD.get(file)
        if file.startswith("docs/"):
            to = file.removeprefix("docs/")
        elif posixpath.dirname(file) == REPORTS[0]:
            to = f"{REPORTS[1]}/{posixpath.basename(file)}"
        elif to is None and posixpath.dirname(file) in {where for where, *_ in EXAMPLES}:
            to, anchor = "examples.md", f"#{posixpath.basename(file).replace('.', '')}"
        if to is None:
            return match["text"][1:-1]
        if to == "index.md":
            anchor = ""
        return f"{match['text']}({posixpath.relpath(to, posixpath.dirname(page) or '.')}{anchor})"

    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else _LINK.sub(instead, part) for part in parts)
