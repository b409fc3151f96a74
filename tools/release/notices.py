"""Writes the notices of the third-party code that is linked into a package.

    python tools/release/notices.py --for python|node|crates --output FILE

From `cargo metadata` and the sources that Cargo has downloaded, for exactly the versions of
Cargo.lock: each crate with its license, and every license text once, with the crates that it is
for. What no crate says of itself is in `EXTRA`: Lua, which a build script compiles, the
standard library, and what the linker adds. It fails if a crate has a license that `CHOSEN` does
not know, or no text can be found.

The notices are built, not kept in the repository. `--for crates` is for programs that depend on
the published crates: those contain no code but ours.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = "THIRD-PARTY-NOTICES.txt"

#: What is linked into a package of each kind.
PACKAGES = {
    "python": ("spikewire-python",),
    "node": ("spikewire-node",),
    "crates": ("spikewire", "spikewire-aerospike-server", "spikewire-cql-server"),
}
#: Where packages run. A crate that one of these needs is in the notices of all.
TARGETS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
)
#: Of licenses that a crate offers for choice, the first of these is taken.
CHOSEN = (
    "Apache-2.0",
    "MIT",
    "ISC",
    "Zlib",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Unicode-3.0",
    "CC0-1.0",
)
#: How the names of files say which license they hold. Other files are for the whole crate.
NAMED = {
    "APACHE": "Apache-2.0",
    "MIT": "MIT",
    "ISC": "ISC",
    "ZLIB": "Zlib",
    "UNICODE": "Unicode-3.0",
    "CC0": "CC0-1.0",
    "UNLICENSE": "Unlicense",
    "LLVM-EXCEPTION": "Apache-2.0 WITH LLVM-exception",
}
#: What no crate says of itself: for which licenses it is used, and where it is from.
EXTRA = (
    "The Rust standard library, copyright The Rust Project Developers: MIT OR Apache-2.0",
    "compiler-rt and libunwind, where linked statically: Apache-2.0 WITH LLVM-exception",
)
MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software
and associated documentation files (the "Software"), to deal in the Software without
restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING
BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


class Unknown(Exception):
    """A license or a text that a human has to look at."""


@dataclass(frozen=True)
class Crate:
    """A crate of the lock file, with the folder of its sources."""

    name: str
    version: str
    license: str
    folder: Path
    repository: str
    authors: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def chosen(expression: str) -> set[str]:
    """The licenses that are used of an SPDX expression: all of an AND, the best of an OR.

    >>> sorted(chosen("(MIT OR Apache-2.0) AND Unicode-3.0"))
    ['Apache-2.0', 'Unicode-3.0']
    """
    words = re.findall(r"[()]|[^\s()/]+|/", expression)

    def alternatives(at: int) -> tuple[set[str], int]:
        options = []
        while True:
            option, at = together(at)
            options.append(option)
            if at < len(words) and words[at] in ("OR", "/"):
                at += 1
                continue
            return best(options), at

    def together(at: int) -> tuple[set[str], int]:
        result, at = one(at)
        while at < len(words) and words[at] == "AND":
            more, at = one(at + 1)
            result = result | more
        return result, at

    def one(at: int) -> tuple[set[str], int]:
        if words[at] == "(":
            inner, at = alternatives(at + 1)
            return inner, at + 1
        if at + 2 < len(words) and words[at + 1] == "WITH":
            return {f"{words[at]} WITH {words[at + 2]}"}, at + 3
        return {words[at]}, at + 1

    def best(options: list[set[str]]) -> set[str]:
        known = [option for option in options if option <= set(CHOSEN)]
        if not known:
            message = f"no license of {expression!r} is in CHOSEN"
            raise Unknown(message)
        return min(known, key=lambda option: max(CHOSEN.index(name) for name in option))

    return alternatives(0)[0]


def crates(kind: str) -> list[Crate]:
    """The foreign crates that are linked into a package of this kind, sorted by name."""
    names = [flag for package in PACKAGES[kind] for flag in ("--package", package)]
    targets = [flag for target in TARGETS for flag in ("--target", target)]
    tree = output(
        [
            "cargo",
            "tree",
            *names,
            *targets,
            *(["--all-features"] if kind == "crates" else []),
            "--edges",
            "no-dev,no-build,no-proc-macro",
            "--prefix",
            "none",
            "--locked",
            "--format",
            "{p}",
        ]
    )
    linked = {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}
    metadata = json.loads(output(["cargo", "metadata", "--format-version=1", "--locked"]))
    result = [
        Crate(
            package["name"],
            package["version"],
            package["license"] or "",
            Path(package["manifest_path"]).parent,
            package["repository"] or "",
            tuple(package["authors"]),
        )
        for package in metadata["packages"]
        # Ours have no source. Lua is compiled by a crate that only a build script uses.
        if package["source"]
        and ((package["name"], f"v{package['version']}") in linked or package["name"] == "lua-src")
    ]
    if not any(crate.name == "mlua-sys" for crate in result):
        result = [crate for crate in result if crate.name != "lua-src"]
    return sorted(result, key=lambda crate: (crate.name, crate.version))


def output(command: list[str]) -> str:
    """What a command prints."""
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        message = f"{' '.join(command[:2])} failed: {done.stderr.strip()[-500:]}"
        raise Unknown(message)
    return done.stdout


def license_files(folder: Path) -> list[Path]:
    """The files of a crate that hold licenses or notices, those of code it took over included."""
    pattern = re.compile(
        r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)([-._].*)?", re.IGNORECASE
    )
    left_out = {"tests", "benches", "examples", "target", "docs"}
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        and pattern.fullmatch(file.name)
        and file.suffix not in (".rs", ".py", ".html")
        and not left_out & set(file.relative_to(folder).parts[:-1])
    ]


def held(file: Path) -> str:
    """The license that a file's name says it holds; empty for other files."""
    rest = file.name.upper()
    for word in ("LLVM-EXCEPTION", *NAMED):
        if word in rest:
            return NAMED[word]
    return ""


def texts(crate: Crate) -> list[str]:
    """The texts that a copy of the crate has to come with, but for that of Apache-2.0."""
    used = chosen(crate.license)
    result = []
    complete = "Apache-2.0" in used and len(used) == 1
    for file in license_files(crate.folder):
        text = file.read_text(errors="replace").strip()
        if is_apache(text):
            continue
        named = held(file)
        # Another license of those that are offered. In a folder of its own, it is for other code.
        if file.parent == crate.folder and named and named not in used:
            continue
        result.append(text)
        complete = True
    if crate.name == "lua-src":
        result.append(lua(crate.folder))
    if not complete and "MIT" in used and len(used) == 1:
        holders = ", ".join(re.sub(r"\s*<.*?>", "", author) for author in crate.authors)
        result.append(f"Copyright (c) {holders or f'the authors of {crate.name}'}\n\n{MIT}")
        complete = True
    if not complete:
        message = f"{crate}: no text of {' and '.join(sorted(used))}"
        raise Unknown(message)
    return result


def is_apache(text: str) -> bool:
    """Whether a text is the Apache License as such, which the notices have once."""
    begin = re.sub(r"\s+", " ", text[:200])
    return (
        "Apache License Version 2.0, January 2004" in begin
        and "END OF TERMS" in text
        and len(text) < 12000
    )


def lua(folder: Path) -> str:
    """The notice of Lua, which is at the end of its header."""
    header = max(folder.glob("lua-5.4.*/lua.h"), default=None)
    notice = header and re.search(
        r"\*{20,}\n(\* Copyright \(C\).*?)\n\*{20,}/", header.read_text(), re.DOTALL
    )
    if not notice:
        message = f"{folder}: lua.h has no notice"
        raise Unknown(message)
    return "Lua\n\n" + re.sub(r"(?m)^\* ?", "", notice[1])


def text(kind: str) -> str:
    """The notices for packages of a kind: `python`, `node` or `crates`."""
    linked = crates(kind)
    by_text: dict[str, tuple[str, list[Crate]]] = {}
    for crate in linked:
        for part in texts(crate):
            # Line breaks make no other license.
            _, users = by_text.setdefault(re.sub(r"\s+", " ", part), (part, []))
            if crate not in users:
                users.append(crate)
    apache = ", ".join(str(crate) for crate in linked if "Apache-2.0" in chosen(crate.license))
    listed = [*(f"{crate}: {crate.license}" for crate in linked), *EXTRA]
    parts = [
        "Spikewire is licensed under the Apache License, Version 2.0: see the file LICENSE. It is\n"
        "linked with the following software by others.\n\n"
        + "\n".join(f"- {line}" for line in listed),
        f"Apache License, Version 2.0, of which LICENSE is a copy. Used by:\n{apache}",
        *(
            f"{', '.join(map(str, users))}\n\n{part.strip()}"
            for part, users in sorted(by_text.values(), key=lambda entry: str(entry[1][0]))
        ),
    ]
    return f"\n\n{'=' * 100}\n".join(parts) + "\n"


def main() -> int:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--for", dest="kind", choices=PACKAGES, required=True)
    parser.add_argument("--output", type=Path, required=True)
    flags = parser.parse_args()
    try:
        notices = text(flags.kind)
    except Unknown as unknown:
        print(f"notices.py: {unknown}", file=sys.stderr)
        return 1
    flags.output.parent.mkdir(parents=True, exist_ok=True)
    flags.output.write_text(notices)
    print(f"{flags.output}: {len(crates(flags.kind))} crates, {len(notices)} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
