"""Checks dependencies between modules of a crate and between crates, and paths on pages.

    tools/structure.py            fails on what is not allowed

Six rules:

1. Doors open one way: no module cycles inside a crate, and none between the files and folders of
   any folder, whatever they use of each other's contents.
2. The dependencies between crates are exactly those of the picture in ARCHITECTURE.md.
   Dependencies of tests are not in it.
3. A dependency's version is set once, in `[workspace.dependencies]`, and lists are sorted.
4. No dependency needs a later Rust than the workspace's `rust-version`.
5. Files and folders that ARCHITECTURE.md and CONTRIBUTING.md name exist.
6. The folders in `WALLED` use only the crates listed there and nothing else of ours, not even
   other modules of their own crate.

It parses source text with regular expressions: paths that begin with `crate`, `super`, `self` or
the name of a module's own child, outside tests. It does not see what macros generate.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Module = tuple[str, ...]
Graph = dict[Module, set[Module]]

# --- Modules of a crate ---------------------------------------------------------------------------


def modules(source: Path) -> dict[Module, Path]:
    """The files of a crate by module, without tests."""
    modules: dict[Module, Path] = {}
    root = "lib.rs" if (source / "lib.rs").exists() else "main.rs"
    for file in sorted(source.rglob("*.rs")):
        parts = file.relative_to(source).with_suffix("").parts
        if parts == ("main",) and root != "main.rs":
            continue
        if parts[-1] in ("mod", "lib", "main"):
            parts = parts[:-1]
        if "tests" not in parts:
            modules[parts] = file
    return modules


def code(text: str) -> str:
    """Source without comments, string literals, and the tests at the end."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    return re.split(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:pub\s+)?mod \w+ \{", text)[0]


def branches(tree: str) -> list[list[str]]:
    """The paths of a `use`: `a::{b, c::d}` is a::b and a::c::d."""
    tree = tree.strip()
    opened = tree.find("{")
    if opened < 0:
        return [re.sub(r"\s+as\s+\w+$", "", tree).split("::")]
    head = [part for part in tree[:opened].split("::") if part.strip()]
    inner, depth, start = tree[opened + 1 : tree.rfind("}")], 0, 0
    paths: list[list[str]] = []
    for at, letter in enumerate([*inner, ","]):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if inner[start:at].strip():
                paths += [head + rest for rest in branches(inner[start:at])]
            start = at + 1
    return paths


def split(text: str) -> tuple[list[list[str]], list[list[str]]]:
    """Every path in a piece of code, and those that it re-exports by `pub use`."""
    used: list[list[str]] = []
    handed: list[list[str]] = []
    for public, tree in re.findall(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", text):
        (handed if public else used).extend(branches(tree))
    rest = re.sub(r"\buse\s+[^;]+;", "", text)
    used += [path.split("::") for path in re.findall(r"(?<![\w:])\w+(?:::\w+)+", rest)]
    return used, handed


def target(path: list[str], here: Module, known: dict[Module, Path]) -> tuple[Module, list[str]]:
    """The module that a path leads to and the name in it; nothing for paths outside the crate."""
    at, rest = here, list(path)
    if rest[0] == "crate":
        at = ()
        rest.pop(0)
    elif rest[0] in ("self", "super"):
        while rest and rest[0] in ("self", "super"):
            at = at[:-1] if rest.pop(0) == "super" else at
    elif (*here, rest[0]) not in known:
        return here, []
    while rest and (*at, rest[0]) in known:
        at = (*at, rest.pop(0))
    return at, rest


def uses(source: Path) -> Graph:
    """Which modules of a crate use which.

    A re-export by `pub use` does not count as a use by the re-exporting module: its users count as
    users of the module that defines the item. Uses of parent modules do not count either: the files
    of a folder share what its `mod.rs` holds.
    """
    known = modules(source)
    parts = {module: split(code(file.read_text())) for module, file in known.items()}
    handed: dict[Module, dict[str, Module]] = {}
    for module, (_, on) in parts.items():
        targets = [target(path, module, known) for path in on]
        handed[module] = {rest[0]: to for to, rest in targets if rest}
    graph: Graph = {module: set() for module in known}
    for module, (used, _) in parts.items():
        for path in used:
            to, rest = target(path, module, known)
            while rest and handed[to].get(rest[0], to) != to:
                to = handed[to][rest[0]]
            if module[: len(to)] != to:
                graph[module].add(to)
    return graph


def cycles(graph: Graph) -> list[set[Module]]:
    """Strongly connected groups: modules that use each other directly or indirectly."""

    def reachable(start: Module) -> set[Module]:
        seen: set[Module] = set()
        left = [start]
        while left:
            for to in graph[left.pop()] - seen:
                seen.add(to)
                left.append(to)
        return seen

    reach = {module: reachable(module) for module in graph}
    cycles: list[set[Module]] = []
    for module in graph:
        if module in reach[module] and not any(module in group for group in cycles):
            cycles.append({other for other in reach[module] if module in reach[other]})
    return cycles


#: The uses that make an arrow between two files or folders: pairs of modules.
Arrows = dict[tuple[Module, Module], set[tuple[Module, Module]]]


def folders(graph: Graph) -> dict[Module, Arrows]:
    """The arrows between the children of each folder, whatever module inside them makes the use."""
    arrows: dict[Module, Arrows] = {}
    for module, targets in graph.items():
        for to in targets:
            pairs = enumerate(zip(module, to, strict=False))
            depth = next((at for at, (one, other) in pairs if one != other), None)
            if depth is not None:
                ends = (module[: depth + 1], to[: depth + 1])
                arrows.setdefault(module[:depth], {}).setdefault(ends, set()).add((module, to))
    return arrows


def name(module: Module) -> str:
    """A module as a path."""
    return "::".join(module) or "(root)"


def graph_of(arrows: Arrows, group: set[Module]) -> Graph:
    """The arrows between the members of a group as a graph."""
    graph: Graph = {member: set() for member in group}
    for user, used in arrows:
        if user in group and used in group:
            graph[user].add(used)
    return graph


def closing_arrows(arrows: Arrows, group: set[Module]) -> Arrows:
    """The arrow with the fewest uses without which there is no circle; all, if there is none."""
    inner = {ends: pairs for ends, pairs in arrows.items() if group.issuperset(ends)}
    for ends, pairs in sorted(inner.items(), key=lambda arrow: (len(arrow[1]), arrow[0])):
        rest = {other: uses for other, uses in inner.items() if other != ends}
        if not cycles(graph_of(rest, group)):
            return {ends: pairs}
    return inner


def check_cycles(root: Path) -> list[str]:
    """Violations of the rule about modules and folders."""
    complaints: list[str] = []
    for manifest in sorted(root.glob("crates/*/Cargo.toml")):
        crate, graph = manifest.parent.name, uses(manifest.parent / "src")
        for group in cycles(graph):
            names = " ".join(sorted(map(name, group)))
            complaints.append(f"{crate}: these modules use each other: {names}")
        for folder, arrows in folders(graph).items():
            members = {end for ends in arrows for end in ends}
            for group in cycles(graph_of(arrows, members)):
                doors = [
                    f"{name(user)} -> {name(used)}"
                    for _, pairs in sorted(closing_arrows(arrows, group).items())
                    for user, used in sorted(pairs)
                ]
                names = " ".join(sorted(module[-1] for module in group))
                complaints.append(
                    f"{crate}: in {name(folder)}, {names} use each other; "
                    f"the door that opens the wrong way: {', '.join(doors)}"
                )
    return complaints


#: Folders without database code, and those of our crates that they may use.
WALLED = {"crates/spikewire-python/src/bridge": ("transport", "sync")}


def check_walls(root: Path) -> list[str]:
    """Forbidden uses in the folders without database code."""
    complaints: list[str] = []
    for folder, allowed in WALLED.items():
        own = Path(folder).name
        for file in sorted((root / folder).rglob("*.rs")):
            depth = len(file.relative_to(root / folder).parts) - (file.stem == "mod")
            used, handed = split(code(file.read_text()))
            for path in used + handed:
                ours = path[0].startswith("spikewire_") and short(path[0], "_") not in allowed
                beside = path[0] == "crate" and path[1:2] != [own]
                up = path.count("super") > depth
                if ours or beside or up:
                    place = file.relative_to(root)
                    complaints.append(f"{place}: {'::'.join(path)} is across the boundary")
    return complaints


# --- Crates ---------------------------------------------------------------------------------------


def picture(page: str) -> set[tuple[str, str]]:
    """The arrows of ARCHITECTURE.md, as pairs of a crate and one that it uses.

    They are in the first code block with a `<-` in it: `a <- b, c` means that b and c use a. Names
    are without `spikewire-`; text in parentheses is a remark.
    """
    blocks = re.findall(r"```\n(.*?)```", page, re.DOTALL)
    block = next((block for block in blocks if "<-" in block), "")
    arrows: set[tuple[str, str]] = set()
    for line in block.splitlines():
        groups = [re.findall(r"[\w-]+", part) for part in re.sub(r"\(.*?\)", "", line).split("<-")]
        for used, users in itertools.pairwise(groups):
            arrows |= {(short(user), short(crate)) for user in users for crate in used}
    return arrows


def short(crate: str, joint: str = "-") -> str:
    """A crate's name in the picture."""
    return crate.removeprefix(f"spikewire{joint}")


def sections(manifest: str) -> dict[str, list[str]]:
    """The lines of each section of a Cargo.toml, without comments."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in manifest.splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip().strip("[]"), [])
        elif re.match(r"[\w-]+[.\s=]", line):
            lines.append(line)
    return sections


def name_of(line: str) -> str:
    """The name in a line of a list of dependencies."""
    return re.split(r"[.\s=]", line, maxsplit=1)[0]


def check_crates(root: Path) -> list[str]:
    """Violations of the rule about crates."""
    named = picture((root / "ARCHITECTURE.md").read_text())
    manifests = sorted(root.glob("crates/*/Cargo.toml"))
    ours = {manifest.parent.name for manifest in manifests}
    there: set[tuple[str, str]] = set()
    complaints: list[str] = []
    for manifest in manifests:
        for section, lines in sections(manifest.read_text()).items():
            if not re.search(r"(?<!dev-)dependencies$", section):
                continue
            used = {name_of(line) for line in lines} & ours
            there |= {(short(manifest.parent.name), short(crate)) for crate in used}
    for user, crate in sorted(there - named):
        complaints.append(f"{user} uses {crate}: not in the picture in ARCHITECTURE.md")
    for user, crate in sorted(named - there):
        complaints.append(f"{user} does not use {crate}: take it out of the picture")
    return complaints


def check_dependencies(root: Path) -> list[str]:
    """Violations of the rules about lists of dependencies."""
    complaints: list[str] = []
    manifests = [root / "Cargo.toml", *root.glob("crates/*/Cargo.toml")]
    manifests += root.glob("benches/instructions/Cargo.toml")
    for manifest in manifests:
        place = manifest.relative_to(root)
        for section, lines in sections(manifest.read_text()).items():
            if not section.endswith("dependencies"):
                continue
            names = [name_of(line) for line in lines]
            if names != sorted(names):
                complaints.append(f"{place}: [{section}] is not sorted")
            for name, line in zip(names, lines, strict=True):
                if section != "workspace.dependencies" and "workspace = true" not in line:
                    complaints.append(f"{place}: {name} belongs in [workspace.dependencies]")
    return complaints


def version(text: str) -> list[int]:
    """A Rust version as numbers: 1.88 and 1.88.0 are the same."""
    return [int(part) for part in (text + ".0").split(".")[:3]]


def check_rust_versions(root: Path) -> list[str]:
    """Dependencies that need a later Rust than `rust-version`."""
    ours = re.search(r'^rust-version = "([^"]+)"', (root / "Cargo.toml").read_text(), re.MULTILINE)
    if ours is None:
        return ["Cargo.toml: rust-version is missing"]
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    done = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE)
    return [
        f"{package['name']} {package['version']} needs Rust {package['rust_version']}"
        for package in json.loads(done.stdout)["packages"]
        if version(package["rust_version"] or "0") > version(ours[1])
    ]


# --- Paths on pages -------------------------------------------------------------------------------

PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md")
#: Folders in which a path that is given by its end may be.
FOLDERS = (
    "crates",
    "python",
    "tests",
    "tools",
    "docs",
    "fuzz/fuzz_targets",
    "benches/instructions",
    "lab",
    "node/scripts",
    "node/src",
    "node/test",
)
#: A path in a text: a name with a slash, or a file name. One with `<...>` stands for several.
PATH = re.compile(r"(?:[\w.*-]+/)+[\w.*-]*|[\w-]+\.(?:rs|py|pyi|toml|md|sh|txt|ts|mjs)")


def named_paths(page: str) -> list[str]:
    """The paths that a page has in backticks, and the folders in its diagrams."""
    texts, blocks = re.sub(r"```.*?```", "", page, flags=re.DOTALL), page.split("```")[1::2]
    names = [name for name in re.findall(r"`([^`\s]+)`", texts) if PATH.fullmatch(name)]
    pictures = [line for block in blocks for line in block.splitlines()]
    names += [name for line in pictures for name in re.findall(r"(?<![^\s])[\w./-]+/(?!\S)", line)]
    return [name for name in names if not name.startswith("../")]


def is_there(root: Path, name: str) -> bool:
    """Whether there is such a file or folder: from the root, or as the end of a path."""
    name = name.rstrip("/")
    return any(root.glob(name)) or any(
        path for folder in FOLDERS for path in (root / folder).rglob(name)
    )


def check_paths(root: Path) -> list[str]:
    """Paths on pages for contributors that do not exist."""
    return [
        f"{page}: there is no {name}"
        for page in PAGES
        for name in dict.fromkeys(named_paths((root / page).read_text()))
        if not is_there(root, name)
    ]


def main() -> int:
    """The program."""
    complaints = [
        *check_cycles(ROOT),
        *check_walls(ROOT),
        *check_crates(ROOT),
        *check_dependencies(ROOT),
        *check_rust_versions(ROOT),
        *check_paths(ROOT),
    ]
    for complaint in complaints:
        print(f"structure.py: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
