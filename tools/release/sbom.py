"""What is linked into a native part, as a CycloneDX document: crates, and Lua.

    python tools/release/sbom.py --crate spikewire-node --target x86_64-unknown-linux-gnu \\
        --name @spikewire/linux-x64-gnu --output sbom.cdx.json

The same sources give the same document: it has no time, and its serial number depends on its
contents. Crates that only run at build time are not in it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import uuid
from pathlib import Path
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
LINE = re.compile(r"^(\d+)\|(\S+) v(\S+)(?: \([^)]*\))*\|([^|]*?)(?: \(\*\))?$")


def linked(tree: str) -> tuple[dict[str, tuple[str, str, str]], dict[str, set[str]]]:
    """The crates that `cargo tree` printed (name, version, licence), and which uses which."""
    crates: dict[str, tuple[str, str, str]] = {}
    uses: dict[str, set[str]] = {}
    above: list[str] = []
    for line in tree.splitlines():
        match = LINE.match(line)
        if match is None:
            message = f"cargo tree printed a line that is not understood: {line!r}"
            raise ValueError(message)
        depth, name, version, licence = match.groups()
        purl = f"pkg:cargo/{name}@{version}"
        crates[purl] = name, version, licence
        uses.setdefault(purl, set())
        above[int(depth) :] = [purl]
        if int(depth):
            uses[above[int(depth) - 1]].add(purl)
    return crates, uses


def checksums(lock: str) -> dict[str, str]:
    """SHA-256 of the crates' archives, from Cargo.lock."""
    return {
        f"pkg:cargo/{crate['name']}@{crate['version']}": crate["checksum"]
        for crate in tomllib.loads(lock)["package"]
        if "checksum" in crate
    }


def lua(root: Path = ROOT) -> dict[str, Any] | None:
    """The Lua that the crate `mlua` builds from the sources in its build dependency `lua-src`."""
    metadata = subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version", "1"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    for crate in json.loads(metadata.stdout)["packages"]:
        if crate["name"] == "lua-src":
            # Each version of Lua that it can build has a folder.
            for folder in Path(crate["manifest_path"]).parent.glob("lua-5.4.*"):
                purl = f"pkg:generic/lua@{folder.name.removeprefix('lua-')}"
                return {
                    "type": "library",
                    "bom-ref": purl,
                    "name": "lua",
                    "version": folder.name.removeprefix("lua-"),
                    "purl": purl,
                    "licenses": [{"expression": "MIT"}],
                }
    return None


def document(
    name: str, version: str, tree: str, lock: str, *others: dict[str, Any]
) -> dict[str, Any]:
    """The document of a package, from what cargo says about its crates."""
    crates, uses = linked(tree)
    digests = checksums(lock)
    components = []
    for purl, (crate, release, licence) in sorted(crates.items()):
        component: dict[str, Any] = {
            "type": "library",
            "bom-ref": purl,
            "name": crate,
            "version": release,
            "purl": purl,
        }
        if licence:
            # An older way to write a choice.
            component["licenses"] = [{"expression": licence.replace("/", " OR ")}]
        if purl in digests:
            component["hashes"] = [{"alg": "SHA-256", "content": digests[purl]}]
        components.append(component)
    components += others
    top = f"pkg:npm/{name.replace('@', '%40')}@{version}"
    root = next(iter(crates))
    dependencies = [{"ref": top, "dependsOn": [root]}]
    for purl, used in sorted(uses.items()):
        also = (
            [other["bom-ref"] for other in others] if purl.startswith("pkg:cargo/mlua-sys@") else []
        )
        dependencies.append({"ref": purl, "dependsOn": sorted(used) + also})
    dependencies += [{"ref": other["bom-ref"], "dependsOn": []} for other in others]
    body = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": top,
                "name": name,
                "version": version,
                "purl": top,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": components,
        "dependencies": dependencies,
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    return {"serialNumber": f"urn:uuid:{number}", **body}


def main() -> None:
    """Writes the document of one package."""
    parser = argparse.ArgumentParser(description="Writes a CycloneDX document of a native part.")
    parser.add_argument("--crate", required=True)
    parser.add_argument("--target", required=True, help="Rust's name of the platform")
    parser.add_argument("--name", required=True, help="the npm package")
    parser.add_argument("--output", required=True, type=Path)
    flags = parser.parse_args()
    command = ["cargo", "tree", "--locked", "--package", flags.crate, "--target", flags.target]
    command += ["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", "|{p}|{l}"]
    tree = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if tree.returncode:
        parser.exit(1, f"{' '.join(command)} failed:\n{tree.stderr}")
    version = json.loads((ROOT / "node" / "package.json").read_text())["version"]
    native = [part for part in (lua(),) if part is not None]
    lock = (ROOT / "Cargo.lock").read_text()
    body = document(flags.name, version, tree.stdout, lock, *native)
    flags.output.write_text(json.dumps(body, indent=1) + "\n")


if __name__ == "__main__":
    main()
