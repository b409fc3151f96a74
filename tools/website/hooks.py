"""Hooks that mkdocs calls while it builds the site (``hooks`` in mkdocs.yml).

Pages are written for the Markdown of code hosts. What the site adds is generated here:

================  ==================================================================
``outside``       files outside ``docs`` that are pages too, and links to them
``tabs``          blocks between comments that become tabs
``reference``     the pages of the Python modules, for mkdocstrings
``others``        the pages of the npm package and of the crates
================  ==================================================================
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import others
import outside
import reference
import tabs

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds the pages, the reports and the style sheet that are not in ``docs``."""
    for path, text in [*outside.pages(ROOT), *reference.pages(), *others.pages(ROOT)]:
        files.append(File.generated(config, path, content=text))
    for path, file in outside.files(ROOT):
        files.append(File.generated(config, path, abs_src_path=str(file)))
    for asset in sorted((ROOT / "tools/website/assets").iterdir()):
        path = f"assets/{asset.name}"
        files.append(File.generated(config, path, abs_src_path=str(asset)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Points links to files outside ``docs`` to their pages, and makes tabs."""
    del config, files
    return tabs.with_tabs(outside.linked(markdown, page.file.src_uri))
