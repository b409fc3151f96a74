"""Commands that install something, on pages and in messages, work today.

There is no release: Spikewire comes from a checkout, or from a package that was built in one. A
command with its bare name would fail, or install what somebody else has published under it. The
commands are in ``docs/installing.md``; other places repeat them or say less.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
#: Where texts are that people read: pages, examples, messages of programs.
TEXTS = (
    "*.md",
    "docs/*.md",
    "lab/*.md",
    "lab/spikewire_lab/**/*.py",
    "node/*.md",
    "node/src/**/*.ts",
    "node/examples/**/*.ts",
    "node/scripts/*.mjs",
    "crates/*/README.md",
    "crates/*/src/**/*.rs",
    "python/**/*.py",
    "examples/**/*.py",
    "examples/**/*.md",
    "examples/**/*.ipynb",
)
COMMAND = re.compile(
    r"(?P<tool>(?:pip3?|uv pip) install|uv (?:tool install|add)|pipx install|poetry add"
    r"|npm (?:install|i|add|exec)|(?:pnpm|yarn|bun|deno) add|cargo (?:add|install))"
    r"(?P<arguments>(?:[ \t]+[^\s#`;()]+)+)"
)
#: Our names on the indexes.
OURS = re.compile(r"spikewire(?:-lab|-[\w-]+)?(?=$|[\[@=<>~!])|.*@npm:spikewire")
#: A dependency on a release, in another project's file.
PINNED = re.compile(
    r'^\s*"?spikewire"?\s*(?:[=~><!]=|=\s*(?:"|\{\s*version)|:\s*"[\^~]?\d)', re.MULTILINE
)
#: What our packages are installed from.
SOURCE = re.compile(r"'?\.(?:\[[\w,]+\])?'?$|\./lab$|\S*/?spikewire-\S+\.(?:whl|tgz)$")


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """The tools of a text's commands with their arguments, flags excepted."""
    for match in COMMAND.finditer(text):
        words = match["arguments"].split()
        arguments = [it.rstrip(",:").strip("'\"") for it in words]
        yield match["tool"], [it for it in arguments if not it.startswith("-")]


def texts() -> list[Path]:
    found = {path for pattern in TEXTS for path in ROOT.glob(pattern)}
    return sorted(path for path in found if path.name != "CHANGELOG.md")


def test_commands_install_nothing_that_was_not_published() -> None:
    wrong = []
    for path in texts():
        text, name = path.read_text(), path.relative_to(ROOT)
        wrong += [
            f"{name}: {tool} {it}"
            for tool, names in commands(text)
            for it in names
            if OURS.match(it)
        ]
        wrong += [f"{name}: {match[0].strip()}" for match in PINNED.finditer(text)]
    assert not wrong, "there is no release: take a command from docs/installing.md"


def test_commands_that_install_spikewire_are_those_of_the_page() -> None:
    page = dict.fromkeys(
        it
        for _, names in commands((ROOT / "docs/installing.md").read_text())
        for it in names
        if SOURCE.match(it)
    )
    assert {".", "./lab"} < set(page), "the page has the commands"
    for path in texts():
        for tool, names in commands(path.read_text()):
            own = [re.sub(r"\[.*\]", "", it) for it in names if SOURCE.match(it)]
            unknown = [it for it in own if it not in page]
            assert not unknown, f"{path.relative_to(ROOT)}: {tool} {unknown}"


@pytest.mark.parametrize(
    "wrong",
    [
        "pip install spikewire",
        "pip install 'spikewire[arrow]'",
        "pip install -U spikewire>=0.1",
        "uv add spikewire",
        "npm install spikewire",
        "npm install aerospike@npm:spikewire",
        "npm i --save spikewire@latest",
        "cargo add spikewire",
        "cargo add spikewire-aerospike",
        "pip install numpy spikewire-lab",
    ],
)
def test_commands_with_a_bare_name_are_seen(wrong: str) -> None:
    assert [it for _, names in commands(f"`{wrong}`") for it in names if OURS.match(it)]


@pytest.mark.parametrize(
    "wrong", ['spikewire = "0.1"', "spikewire==0.1.0", '  "spikewire": "^0.1.0"', "spikewire>=0.1"]
)
def test_dependencies_on_a_release_are_seen(wrong: str) -> None:
    assert PINNED.search(f"[dependencies]\n{wrong}\n")


@pytest.mark.parametrize(
    "right",
    [
        "pip install .",
        "pip install '.[arrow,top]'",
        "pip install . ./lab aerospike",
        "pip install dist/spikewire-*.whl",
        "npm install ../packages/spikewire-0.1.0.tgz",
        "pip install prometheus-client",
    ],
)
def test_commands_that_work_are_not(right: str) -> None:
    assert not [it for _, names in commands(right) for it in names if OURS.match(it)]
