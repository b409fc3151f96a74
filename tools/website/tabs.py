"""Tabs whose source is readable as plain Markdown.

Between ``<!-- tabs -->`` and ``<!-- end of tabs -->`` each paragraph that consists of bold text
(``**Builder**``) begins a tab with that title.
"""

from __future__ import annotations

import re
import textwrap

_TABS = re.compile(r"^<!-- tabs -->\n(.*?)^<!-- end of tabs -->\n", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^\*\*([^*\n]+)\*\*\n", re.MULTILINE)


def with_tabs(markdown: str) -> str:
    """The text with its tabs in the syntax of the site generator."""
    return _TABS.sub(_tabs, markdown)


def _tabs(match: re.Match[str]) -> str:
    before, *tabs = _TITLE.split(match[1])
    if before.strip() or not tabs:
        message = f"tabs have to begin with a title in bold: {match[0][:80]!r}"
        raise ValueError(message)
    parts = [
        f'=== "{title}"\n\n{textwrap.indent(body.strip(), "    ")}\n'
        for title, body in zip(tabs[::2], tabs[1::2], strict=True)
    ]
    return "\n".join(parts)
