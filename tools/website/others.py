"""The reference of the other languages: the exports of the npm package, and the crates.

For Node.js: names, documentation comments and members, read from the TypeScript source. For Rust: a
list that links to the output of rustdoc if it was built (``make docs``).
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_EXPORTED = re.compile(r"export (?:type )?(\{[^}]*\}|\*(?: as \w+)?) from '\./([\w./-]+)\.js'")
_FIELD = re.compile(r'^(name|description) = "(.*)"$', re.MULTILINE)
_DECLARED = re.compile(
    r"(?:/\*\*((?:(?!\*/).)*)\*/\s*)?export (?:declare )?(?:abstract )?(?:async )?"
    r"(class|interface|type|function|const) (\w+)",
    re.DOTALL,
)
_BODY = re.compile(r"\{\}?\n")
_MEMBER = re.compile(
    r"^  /\*\*((?:(?!\*/).)*)\*/\s*(?!private|#)(?:static |async |readonly |get |\*)*"
    r"([a-z]\w*)[?!]?[(:<]",
    re.DOTALL | re.MULTILINE,
)


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    yield "api/node.md", _node(root / "node")
    yield "api/rust.md", _rust(root / "crates")


def entries(package: Path) -> Iterator[tuple[str, str]]:
    """What a program imports of an npm package, and the file in ``src`` that exports it. Drop-ins
    are left out: their names are those of other packages."""
    manifest = json.loads((package / "package.json").read_text(encoding="utf-8"))
    for path, conditions in manifest["exports"].items():
        if isinstance(conditions, dict) and not path.startswith("./compat/"):
            types = conditions["require"]["types"]
            file = types.removeprefix("./dist/").removesuffix(".d.ts")
            yield f"{manifest['name']}{path[1:]}", f"{file}.ts"


def exports(source: Path, entry: str) -> Iterator[tuple[Path, str]]:
    """The names that an entry exports, each with the file that declares it."""
    file = source / entry
    for names, where in _EXPORTED.findall(file.read_text(encoding="utf-8")):
        declaring = file.parent / f"{where}.ts"
        if names == "*":
            text = declaring.read_text(encoding="utf-8")
            yield from ((declaring, name) for _, _, name in _DECLARED.findall(text))
        elif names.startswith("*"):
            yield declaring, names.split()[-1]
        else:
            for name in names.strip("{} \n,").split(","):
                yield declaring, name.replace("type ", "").strip().split(" as ")[-1]


def _comment_text(comment: str) -> str:
    lines = (line.strip().removeprefix("*").strip() for line in comment.strip().splitlines())
    text = "\n".join(line for line in lines if not line.startswith("@"))
    return re.sub(r"\{@link (\w+)\}", r"`\1`", text).strip()


def _node(package: Path) -> str:
    source = package / "src"
    text = [
        "# Node.js reference",
        "",
        "Generated from the source of the npm package; editors show it with all types.",
        "See [the Node.js client](../node.md) for explanations.",
        "",
    ]
    for module, entry in entries(package):
        text += [f"## `{module}`", ""]
        for file, name in sorted(set(exports(source, entry)), key=lambda one: one[1].lower()):
            text += _declaration(file, name)
    return "\n".join(text)


def _declaration(file: Path, name: str) -> list[str]:
    code = file.read_text(encoding="utf-8")
    match = _declared(code, name)
    if match is None:  # a module as a whole
        head = re.match(r"/\*\*((?:(?!\*/).)*)\*/", code, re.DOTALL)
        return [f"### {name}", "", "module", "", _comment_text(head[1]) if head else "", ""]
    text = [f"### {name}", "", f"{match[2]}", "", _comment_text(match[1] or ""), ""]
    if match[2] in ("class", "interface"):
        rows = list(_members(file, name))
        if rows:
            text += ["| member | |", "|---|---|", *dict.fromkeys(rows), ""]
    return text


def _declared(code: str, name: str) -> re.Match[str] | None:
    return next((one for one in _DECLARED.finditer(code) if one[3] == name), None)


def _members(file: Path, name: str) -> Iterator[str]:
    """A row for each member, those of the base class first."""
    code = file.read_text(encoding="utf-8")
    match = _declared(code, name)
    if match is None:
        return
    begins = _BODY.search(code, match.end())
    head = code[match.end() : begins.end() - 1 if begins else match.end()]
    if base := re.search(r"\sextends (\w*[a-z]\w*)(?:<[^{]*>)? \{", head):
        imported = rf"import [^;']*\b{base[1]}\b[^;']*from '(\.\.?/[\w./-]+)\.js'"
        where = re.search(imported, code)
        yield from _members(file.parent / f"{where[1]}.ts" if where else file, base[1])
    if not head.endswith("}"):
        begin = match.end() + len(head)
        body = code[begin : code.find("\n}", begin)]
        for comment, member in _MEMBER.findall(body):
            summary = (
                _comment_text(comment).split("\n\n")[0].replace("\n", " ").replace("||", "\\|\\|")
            )
            if summary and "@internal" not in comment and member != "constructor":
                yield f"| `{member}` | {summary} |"


def _rust(crates: Path) -> str:
    built = bool(os.environ.get("SPIKEWIRE_RUSTDOC"))
    how = "`make docs` builds it" + ("." if built else ", and links to it from this list.")
    text = [
        "# Rust reference",
        "",
        f"The crate documentation is the manual; {how}",
        "See [the Rust client](../rust.md) for explanations.",
        "",
        "| crate | |",
        "|---|---|",
    ]
    for file in sorted(crates.glob("*/Cargo.toml")):
        manifest = file.read_text(encoding="utf-8")
        package = dict(_FIELD.findall(manifest.split("\n[")[0]))
        name = package["name"]
        # Bindings are covered by the references of their languages.
        if '"cdylib"' not in manifest:
            page = f"../rust/{name.replace('-', '_')}/index.html"
            entry = f'<a href="{page}"><code>{name}</code></a>' if built else f"`{name}`"
            text.append(f"| {entry} | {package['description']} |")
    return "\n".join([*text, ""])
