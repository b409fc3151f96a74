"""Checks of the crates: `python tools/release/crates.py`.

With `--order` it prints their names, in the order in which they are published, and nothing else.

Crates with `publish = false` are the bindings, and what only bindings use.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import release_steps
from release_steps import Context, Finding, Step

NAME = "crates"
#: What the index takes at most, in bytes.
LIMIT = 10_000_000
#: Those of the index's categories that ours are in; it ignores any that it does not know.
CATEGORIES = {
    "asynchronous",
    "concurrency",
    "config",
    "database",
    "database-implementations",
    "development-tools::testing",
    "encoding",
    "network-programming",
    "parser-implementations",
}
#: The crate whose documentation is built as docs.rs builds it.
DOCUMENTED = "spikewire"


@dataclass(frozen=True)
class Crate:
    """A crate of the workspace, as `cargo metadata` describes it."""

    metadata: dict[str, Any]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.metadata["name"])

    @property
    def folder(self) -> Path:
        """Where it is in the checkout."""
        return Path(self.metadata["manifest_path"]).parent

    @property
    def published(self) -> bool:
        """Whether it goes to the index."""
        return self.metadata["publish"] is None

    def needs(self, *, tests: bool) -> set[str]:
        """The crates of the workspace that it, or its tests, are built with."""
        return {
            dependency["name"]
            for dependency in self.metadata["dependencies"]
            if dependency.get("path") and (tests or dependency["kind"] != "dev")
        }


def workspace(root: Path) -> list[Crate]:
    """The crates of the workspace."""
    done = subprocess.run(
        ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return [Crate(crate) for crate in json.loads(done.stdout)["packages"]]


def order(crates: list[Crate]) -> list[str]:
    """The crates that are published, each behind those that it and its tests need.

    Raises `ValueError` if there is no such order.
    """
    left = {crate.name: crate.needs(tests=True) for crate in crates if crate.published}
    for needs in left.values():
        needs &= left.keys()
    result: list[str] = []
    while left:
        ready = sorted(name for name, needs in left.items() if needs <= set(result))
        if not ready:
            message = f"these crates need each other: {', '.join(sorted(left))}"
            raise ValueError(message)
        result += ready
        for name in ready:
            del left[name]
    return result


def faults(crate: Crate, published: set[str]) -> list[str]:
    """What is missing in a crate that is published."""
    metadata = crate.metadata
    result = [
        f"there is no `{key}`"
        for key in ("description", "license", "readme", "rust_version", "keywords", "categories")
        if not metadata.get(key)
    ]
    keywords = metadata.get("keywords", [])
    if len(keywords) > 5:
        result.append(f"the index takes 5 keywords, not {len(keywords)}")
    result += [
        f"the index takes no keyword {keyword!r}"
        for keyword in keywords
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_+-]{0,19}", keyword)
    ]
    categories = metadata.get("categories", [])
    result += [
        f"unknown category {category!r}" for category in categories if category not in CATEGORIES
    ]
    if not (metadata.get("metadata") or {}).get("docs", {}).get("rs", {}).get("all-features"):
        result.append("[package.metadata.docs.rs] must have `all-features = true`")
    if not (crate.folder / "LICENSE").is_file():
        result.append("there is no LICENSE in its folder")
    if (readme := metadata.get("readme")) and not (crate.folder / readme).is_file():
        result.append(f"there is no {readme}")
    result += [
        f"it needs {name}, which is not published"
        for name in sorted(crate.needs(tests=True) - published)
    ]
    result += [
        f"its dependency {dependency['name']} has no version"
        for dependency in metadata["dependencies"]
        if dependency.get("path") and dependency["req"] == "*"
    ]
    return result


def steps(_context: Context) -> list[Step]:
    """The steps, in their order."""
    return [
        Step("crates: metadata", check_metadata),
        Step("crates: order", check_order),
        Step("crates: packages", check_packages),
        Step("crates: build", check_builds, needs="crates: packages"),
        Step("crates: docs.rs", check_documentation, needs="crates: packages"),
    ]


def check_metadata(context: Context) -> list[Finding]:
    """Every crate has what the index shows."""
    crates = workspace(context.root)
    published = {crate.name for crate in crates if crate.published}
    result = []
    for crate in crates:
        if crate.name not in published:
            continue
        # That there is a repository is for the step about names.
        result += [
            Finding("failed", f"{crate.name}: {fault}") for fault in faults(crate, published)
        ]
    return [Finding("note", f"{len(published)} of {len(crates)} crates are published"), *result]


def check_order(context: Context) -> list[Finding]:
    """There is an order in which each crate finds those that it needs."""
    try:
        return [Finding("note", " ".join(order(workspace(context.root))))]
    except ValueError as error:
        return [Finding("failed", str(error))]


def packing(names: list[str]) -> list[str | Path]:
    """The command that packs crates, and builds each from its package and the others' packages."""
    chosen = [word for name in names for word in ("--package", name)]
    # What is not committed is packed too: whether all is committed is for whoever tags a release.
    return ["cargo", "package", "--locked", "--allow-dirty", *chosen]


def check_packages(context: Context) -> list[Finding]:
    """Every crate packs, with all that the index shows."""
    names = order(workspace(context.root))
    context.run([*packing(names), "--no-verify"])
    result = []
    total = 0
    for name in names:
        file = packed(context, name)
        with tarfile.open(file) as archive:
            inside = {member.split("/", 1)[1] for member in archive.getnames() if "/" in member}
            lengths = {member.name.split("/", 1)[1]: member.size for member in archive.getmembers()}
        size = file.stat().st_size
        total += size
        result += [
            Finding("failed", f"{name}: there is no {part} in the package")
            for part in ("Cargo.toml", "LICENSE", "README.md", "src/lib.rs")
            if part not in inside or not lengths[part]
        ]
        if size > LIMIT:
            result.append(Finding("failed", f"{name}: {size:,} bytes, more than {LIMIT:,}"))
        result.append(Finding("note", f"{name}: {size:,} bytes, {len(inside)} files"))
    return [Finding("note", f"{len(names)} crates, {total:,} bytes in all"), *result]


def check_builds(context: Context) -> list[Finding]:
    """Every crate builds from its package, with the others as they were packed."""
    context.run(packing(order(workspace(context.root))))
    return []


def packed(context: Context, name: str) -> Path:
    """The package of a crate."""
    version = next(crate for crate in workspace(context.root) if crate.name == name).metadata[
        "version"
    ]
    return context.root / "target" / "package" / f"{name}-{version}.crate"


def check_documentation(context: Context) -> list[Finding]:
    """The documentation of `spikewire` builds from its package, as docs.rs builds it."""
    command = ["cargo", "doc", "--no-deps", "--lib", "--all-features"]
    target = context.root / "target" / "docs-rs"
    # Outside of the checkout, whose workspace Cargo would find.
    with tempfile.TemporaryDirectory(prefix="spikewire-crates-") as name:
        folder = Path(name)
        for crate in order(workspace(context.root)):
            file = packed(context, crate)
            with tarfile.open(file) as archive:
                archive.extractall(folder)  # noqa: S202 (ours, packed by the step before)
            if crate != DOCUMENTED:
                # As if it had been published.
                place = json.dumps(str(folder / file.stem))
                command += ["--config", f"patch.crates-io.{crate}.path={place}"]
        # docs.rs has a nightly compiler; this lets the one that is there take what only that takes.
        settings = {
            "RUSTDOCFLAGS": "--cfg docsrs -D warnings",
            "RUSTC_BOOTSTRAP": "1",
            "CARGO_TARGET_DIR": str(target),
        }
        documented = folder / packed(context, DOCUMENTED).stem
        context.run(command, cwd=documented, env=settings)
    pages = sum(1 for _ in (target / "doc" / DOCUMENTED).rglob("*.html"))
    return [Finding("note", f"{DOCUMENTED}: {pages} pages")]


if __name__ == "__main__":
    if sys.argv[1:] == ["--order"]:
        print("\n".join(order(workspace(release_steps.ROOT))))
        sys.exit(0)
    sys.exit(release_steps.main(steps))
