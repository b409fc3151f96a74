"""The public names in `names.toml`, and the files that repeat them.

    python tools/release/names.py [--write]

Says which names are empty and which files disagree with the others; with `--write`, writes them
there: into pyproject.toml, Cargo.toml and those of the crates that are published, and
node/package.json.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("names.toml")
#: What the URLs are called in [project.urls] of pyproject.toml.
LABELS = {
    "homepage": "Homepage",
    "documentation": "Documentation",
    "repository": "Repository",
    "issues": "Issues",
    "changelog": "Changelog",
}


@dataclass(frozen=True)
class Names:
    """The tables of `names.toml`."""

    urls: dict[str, str]
    people: dict[str, str]
    done: dict[str, bool]

    def empty(self) -> list[str]:
        """The names that nobody has filled in, as `urls.repository`."""
        tables = [("urls", self.urls), ("people", self.people)]
        return [
            f"{table}.{key}" for table, rows in tables for key, value in rows.items() if not value
        ]


def load(file: Path = FILE) -> Names:
    """Reads the file. Raises `ValueError` for a URL that is none."""
    tables = tomllib.loads(file.read_text())
    for key, url in tables["urls"].items():
        if url and not re.fullmatch(r"https://[^\s/]+(/\S*)?", url):
            message = f"{file.name}: urls.{key} is no https URL: {url!r}"
            raise ValueError(message)
    return Names(tables["urls"], tables["people"], tables["done"])


def pyproject(text: str, names: Names) -> str:
    """pyproject.toml with `authors` and `[project.urls]`."""
    text = re.sub(r'(?m)^authors = \[\{ name = ".*" \}\]\n', "", text)
    text = re.sub(r"(?ms)^\[project\.urls\]\n.*?\n(?=\[)", "", text)
    author = names.people.get("author")
    if author:
        text = text.replace("\nlicense = ", f'\nauthors = [{{ name = "{author}" }}]\nlicense = ', 1)
    rows = "".join(
        f'{label} = "{names.urls[key]}"\n' for key, label in LABELS.items() if names.urls.get(key)
    )
    if rows:
        text = text.replace(
            "[project.scripts]\n", f"[project.urls]\n{rows}\n[project.scripts]\n", 1
        )
    return text


def workspace(text: str, names: Names) -> str:
    """The workspace's Cargo.toml with the URLs that crates inherit."""
    head, table, rest = text.partition("[workspace.package]\n")
    table_rows, gap, rest = rest.partition("\n\n")
    rows = [
        row for row in table_rows.splitlines() if not re.match(r"(repository|homepage) = ", row)
    ]
    rows += [f'{key} = "{names.urls[key]}"' for key in INHERITED if names.urls.get(key)]
    return head + table + "\n".join(rows) + gap + rest


#: What crates inherit from the workspace. Their documentation is where the index builds it.
INHERITED = ("homepage", "repository")


def crate(text: str, names: Names) -> str:
    """The Cargo.toml of a crate that is published, which inherits the URLs."""
    text = re.sub(r"(?m)^(repository|homepage)\.workspace = true\n", "", text)
    rows = "".join(f"{key}.workspace = true\n" for key in INHERITED if names.urls.get(key))
    return text.replace("license.workspace = true\n", f"license.workspace = true\n{rows}", 1)


def package_json(text: str, names: Names) -> str:
    """node/package.json with `repository`, `homepage`, `bugs` and `author`."""
    rest = {
        k: v
        for k, v in json.loads(text).items()
        if k not in ("repository", "homepage", "bugs", "author")
    }
    ours: dict[str, object] = {}
    if names.urls.get("homepage"):
        ours["homepage"] = names.urls["homepage"]
    if names.urls.get("repository"):
        url = names.urls["repository"].removesuffix(".git")
        ours["repository"] = {"type": "git", "url": f"git+{url}.git", "directory": "node"}
    if names.urls.get("issues"):
        ours["bugs"] = {"url": names.urls["issues"]}
    if names.people.get("author"):
        ours["author"] = names.people["author"]
    result: dict[str, object] = {}
    for key, value in rest.items():
        result[key] = value
        if key == "license":
            result |= ours
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def files(root: Path, names: Names) -> dict[Path, str]:
    """The files that repeat names, with what they should contain."""
    result = {
        root / "pyproject.toml": pyproject((root / "pyproject.toml").read_text(), names),
        root / "Cargo.toml": workspace((root / "Cargo.toml").read_text(), names),
        root / "node/package.json": package_json((root / "node/package.json").read_text(), names),
    }
    for file in sorted(root.glob("crates/*/Cargo.toml")):
        text = file.read_text()
        if "publish = false" not in text:
            result[file] = crate(text, names)
    return result


def disagreeing(root: Path, names: Names) -> list[Path]:
    """The files that do not have the names of `names.toml`, as paths within the checkout."""
    return [
        file.relative_to(root)
        for file, text in files(root, names).items()
        if file.read_text() != text
    ]


def main() -> int:
    """Says what is empty and what disagrees, or writes it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--write", action="store_true", help="write the names into the files")
    flags = parser.parse_args()
    names = load()
    for name in names.empty():
        print(f"empty: {name}")
    others = disagreeing(ROOT, names)
    for file in others:
        print(f"{'written' if flags.write else 'disagrees'}: {file}")
    if flags.write:
        for file, text in files(ROOT, names).items():
            file.write_text(text)
        return 0
    return int(bool(others))


if __name__ == "__main__":
    sys.exit(main())
