"""The source tree that the Python packages of a release are built from: `build/release/source`.

It is a copy of the tracked files that the packages need, plus what a checkout does not have:
the notices of third-party code, and a README whose links are absolute, because an index shows
it without the repository.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import notices

if TYPE_CHECKING:
    from pathlib import Path

    from names import Names

FOLDERS = ("benches/", "crates/", "python/")
FILES = (
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "rustfmt.toml",
    "clippy.toml",
)


def version(root: Path) -> str:
    """The version of all packages."""
    match = re.search(r'(?m)^version = "(.+)"$', (root / "Cargo.toml").read_text())
    assert match, "Cargo.toml has no version"
    return match[1]


def absolute(text: str, repository: str, tag: str) -> str:
    """A page whose links to files lead to them in the repository, at a tag, if there is one.

    >>> absolute("[a](docs/a.md#b) [c](#d) [e](https://f)", "https://host/us/it/", "v1")
    '[a](https://host/us/it/blob/v1/docs/a.md#b) [c](#d) [e](https://f)'
    """
    if not repository:
        return text
    base = f"{repository.rstrip('/').removesuffix('.git')}/blob/{tag}/"
    return re.sub(r"\]\((?![a-z]+:|#)(?:\./)?([^)\s]+)\)", rf"]({base}\1)", text)


def relative_links(text: str) -> list[str]:
    """The links of a page that lead to files beside it."""
    return re.findall(r"\]\((?![a-z]+:|#)([^)\s]+)\)", text)


def stage(root: Path, folder: Path, names: Names) -> None:
    """Makes the tree anew. Files keep their times, by which Cargo knows what has changed."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--", *FOLDERS, *FILES],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    shutil.rmtree(folder, ignore_errors=True)
    for name in filter(None, tracked):
        if not (root / name).is_file():
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, target)
    readme = absolute(
        (root / "README.md").read_text(), names.urls["repository"], f"v{version(root)}"
    )
    (folder / "README.md").write_text(readme)
    (folder / notices.FILE).write_text(notices.text("python"))
