"""Generates files from the table of verbs and operations in ``tools/verbs``.

Run it after a change to the table; ``--check`` changes nothing and fails if a file differs from
what would be generated. It needs only rustfmt.

    python tools/generate.py [--check]
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from generator import (
    awaited,
    classes,
    compat,
    decoding,
    pages,
    rust_functions,
    signals,
    stub,
    table,
    typescript,
    verbs,
    versions,
    wrappers,
)
from generator.text import ROOT, formatted
from parity import page as parity

if TYPE_CHECKING:
    from pathlib import Path


PYTHON = ROOT / "python/spikewire"
RUST = ROOT / "crates/spikewire/src/aerospike"
RUST_MODULES = {"op": "operation", "exp": "expression"}
STUBS = {"aerospike": "_native.pyi", "cql": "cql/_native.pyi"}
BINDING = ROOT / "crates/spikewire-python/src"
PROTOCOL = ROOT / "crates/spikewire-aerospike-protocol/src"
NODE = ROOT / "node/src/aerospike"


def outputs() -> tuple[dict[Path, str], list[str]]:
    """Every generated file with its contents; and what is wrong with the reasons for what languages
    lack."""
    known = table.load()
    texts: dict[Path, str] = {}
    for name, family in known.families.items():
        for api in ("op", "exp"):
            texts[PYTHON / f"{api}/{name}.py"] = wrappers.public(family, api)
            texts[PYTHON / f"aerospike/{api}/{name}.py"] = wrappers.module(known, family, api)
            path = RUST / RUST_MODULES[api] / f"{name}.rs"
            texts[path] = formatted(rust_functions.module(known, family, api))
            texts[NODE / f"{api}/{name}.ts"] = typescript.module(known, family, api)
        path = PROTOCOL / f"operation/{name}.rs"
        texts[path] = formatted(decoding.module(known, family))
    texts[PROTOCOL / "operation/words.rs"] = formatted(decoding.words(known))
    texts[RUST / "words.rs"] = formatted(rust_functions.enumerations(known))
    texts[NODE / "operation/words.ts"] = typescript.words(known)
    texts |= {PYTHON / "compat" / path: text for path, text in compat.modules(known).items()}
    named = verbs.load()
    for database, of in named.items():
        methods = BINDING / database / "api/methods"
        for name, text in classes.modules(of).items():
            texts[methods / f"{name}.rs"] = formatted(text)
        path = PYTHON / STUBS[database]
        texts[path] = stub.filled(path.read_text(), of)
    texts[PYTHON / "metrics/table.py"] = signals.python()
    texts[ROOT / "node/src/metrics/table.ts"] = signals.typescript()
    steps = PYTHON / "aerospike/builder"
    texts[steps / "asynchronous.py"] = awaited.module((steps / "blocking.py").read_text())
    texts[ROOT / "docs/reference.md"] = pages.reference(known, named["aerospike"], named["cql"])
    texts[ROOT / "docs/versions.md"] = versions.page()
    compared, faults = parity.pages(known, named["aerospike"], named["cql"])
    texts |= {ROOT / f"docs/{name}.md": text for name, text in compared.items()}
    return texts, faults


def main() -> int:
    """Writes or checks the files; returns the exit status."""
    parser = argparse.ArgumentParser(description="Writes what comes from the table of verbs.")
    parser.add_argument("--check", action="store_true", help="only say what is not up to date")
    options = parser.parse_args()
    texts, faults = outputs()
    for fault in faults:
        print(f"tools/parity/reasons.toml: {fault}")
    stale = [
        (path, text)
        for path, text in texts.items()
        if not path.exists() or path.read_text() != text
    ]
    for path, text in stale:
        name = path.relative_to(ROOT)
        if options.check:
            print(f"{name} is not what the table asks for: run python tools/generate.py")
        else:
            path.write_text(text)
            print(f"wrote {name}")
    return 1 if faults or (stale and options.check) else 0


if __name__ == "__main__":
    sys.exit(main())
