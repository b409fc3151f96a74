"""Checks of the npm packages: `python tools/release/npm.py`.

They are those of PLATFORMS in the environment, as in `PLATFORMS='linux-x64-gnu linux-arm64-musl'`,
or of this platform, built by `make npm-packages`, on Linux by zig. A native part in node/native
that `make npm-natives` built and that is newer than its sources is taken as it is, as in the
release workflow, where each machine has built its own. The main package is installed with this
platform's in an empty folder, and the smoke program runs there; for other platforms there is
node/scripts/emulated.mjs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import notices
import release_steps
import wheels
from release_steps import Absent, Context, Failure, Finding, Step

if TYPE_CHECKING:
    from pathlib import Path

NAME = "npm"
#: What a package may weigh, in bytes, packed.
LIMIT = 8_000_000
#: The newest glibc that a native part may need: that of Node.js itself.
GLIBC = (2, 28)
SBOM = "sbom.cdx.json"
#: Who uses the package from CommonJS, from modules, or with a bundler; attw's own defaults.
TYPES = ["--no-color", "--no-emoji"]


@dataclass(frozen=True)
class Package:
    """A packed package: its manifest, and its files by their names within the package."""

    file: Path
    manifest: dict[str, Any]
    sizes: dict[str, int]

    @property
    def name(self) -> str:
        """As it is installed."""
        return str(self.manifest["name"])

    def read(self, name: str) -> bytes:
        """The contents of one of its files."""
        with tarfile.open(self.file) as archive:
            content = archive.extractfile(f"package/{name}")
            assert content is not None
            return content.read()


def load(file: Path) -> Package:
    """Reads a packed package."""
    with tarfile.open(file) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        manifest = archive.extractfile("package/package.json")
        assert manifest is not None
        sizes = {member.name.removeprefix("package/"): member.size for member in files}
        return Package(file, json.load(manifest), sizes)


def steps(_context: Context) -> list[Step]:
    """The steps, in their order."""
    return [
        Step("npm: packages", build),
        Step("npm: contents", check_contents, needs="npm: packages"),
        Step("npm: C library", check_libraries, needs="npm: packages"),
        Step("npm: publint and types", check_types, needs="npm: packages"),
        Step("npm: installs and runs", check_installed, needs="npm: packages"),
    ]


def platforms() -> list[str]:
    """The platforms of this run."""
    return os.environ.get("PLATFORMS", "").split() or [wheels.this_platform()]


def native(context: Context, platform: str) -> Path:
    """The native part for a platform, built in the checkout."""
    return context.root / "node" / "native" / f"spikewire.{platform}.node"


def stale(context: Context, platform: str) -> bool:
    """Whether a native part is missing, older than what it is built from, or built for use in this
    checkout: by the system's linker, perhaps without the options of a release."""
    file = native(context, platform)
    if not file.exists():
        return True
    if platform == wheels.this_platform() and any(file.parent.glob(".built-*")):
        return True
    root = context.root
    sources = [root / "Cargo.toml", root / "Cargo.lock", *root.glob("crates/*/src/**/*.rs")]
    return file.stat().st_mtime < max(source.stat().st_mtime for source in sources)


def packages(context: Context) -> list[Package]:
    """The packages of this run, the main one last."""
    folder = context.root / "node" / "packages"
    loaded = [load(file) for file in sorted(folder.glob("*.tgz"))]
    return sorted(loaded, key=lambda package: package.name == "spikewire")


def build(context: Context) -> list[Finding]:
    """Builds native parts that are not up to date, and packs."""
    old = [platform for platform in platforms() if stale(context, platform)]
    if old:
        context.run(["make", "npm-natives", f"PLATFORMS={' '.join(old)}"], timeout=4 * 3600)
    context.run(["make", "npm-pack", f"PLATFORMS={' '.join(platforms())}"])
    result = []
    for package in packages(context):
        size = package.file.stat().st_size
        text = f"{package.name}: {size:,} bytes, {sum(package.sizes.values()):,} unpacked"
        result.append(Finding("failed" if size > LIMIT else "note", text))
    return result


def faults_of_manifest(manifest: dict[str, Any], files: set[str]) -> list[str]:
    """What is wrong in any package's manifest, or missing beside it."""
    faults = [
        f"there is no {name}"
        for name in ("LICENSE", "README.md", notices.FILE)
        if name not in files
    ]
    faults += [
        f"there is no `{key}`"
        for key in ("version", "description", "license")
        if not manifest.get(key)
    ]
    if manifest.get("publishConfig") != {"access": "public", "provenance": True}:
        faults.append("`publishConfig` must have `access: public` and `provenance: true`")
    # Nothing may run on the machine of whoever installs a package, but the build of the main one.
    scripts = manifest.get("scripts", {})
    if scripts != ({"install": "node dist/install.js"} if manifest["name"] == "spikewire" else {}):
        faults.append(f"`scripts` has more than it should: {scripts}")
    if "devDependencies" in manifest or "dependencies" in manifest:
        faults.append("it must not have `dependencies` or `devDependencies`")
    unwanted = re.compile(r"\.test\.|\.tsbuildinfo$|node_modules/|^rust/target/|(^|/)\.")
    faults += [f"{name} should not be in it" for name in sorted(files) if unwanted.search(name)]
    return faults


def faults_of_platform(manifest: dict[str, Any], files: set[str]) -> list[str]:
    """What is wrong in a platform package besides."""
    platform = manifest["name"].removeprefix("@spikewire/")
    system, processor, *library = platform.split("-")
    expected = {"os": [system], "cpu": [processor]}
    if library:
        expected["libc"] = [{"gnu": "glibc", "musl": "musl"}[library[0]]]
    faults = [
        f"`{key}` must be {value}, not {manifest.get(key)}"
        for key, value in expected.items()
        if manifest.get(key) != value
    ]
    main = f"spikewire.{platform}.node"
    if manifest.get("main") != main:
        faults.append(f"`main` must be {main}")
    faults += [f"there is no {name}" for name in (main, SBOM) if name not in files]
    return faults


def faults_of_main(manifest: dict[str, Any], others: list[dict[str, Any]]) -> list[str]:
    """What is wrong in the main package besides: it must name what was packed, and no others."""
    expected = {other["name"]: manifest["version"] for other in others}
    optional = manifest.get("optionalDependencies", {})
    faults = [
        f"{name} is not packed, and an optional dependency"
        for name in optional.keys() - expected.keys()
    ]
    faults += [
        f"{name} is packed, and no optional dependency"
        for name in expected.keys() - optional.keys()
    ]
    faults += [
        f"{other['name']} has version {other['version']}, not {manifest['version']}"
        for other in others
        if not other["version"]
        == optional.get(other["name"], other["version"])
        == manifest["version"]
    ]
    return faults


def check_contents(context: Context) -> list[Finding]:
    """Files and manifests of all packages."""
    loaded = packages(context)
    *others, main = loaded
    result = []
    for package in loaded:
        files = set(package.sizes)
        faults = faults_of_manifest(package.manifest, files)
        if package is main:
            faults += faults_of_main(main.manifest, [other.manifest for other in others])
        else:
            faults += faults_of_platform(package.manifest, files)
            components = json.loads(package.read(SBOM))["components"] if SBOM in files else []
            result.append(
                Finding("note", f"{package.name}: {len(components)} components in {SBOM}")
            )
        result += [Finding("failed", f"{package.name}: {fault}") for fault in faults]
        if "repository" not in package.manifest:
            text = "urls.repository: the repository's URL, which npm's provenance needs"
            result.append(Finding("human", text, "tools/release/names.toml"))
    return result


def newest_glibc(code: bytes) -> tuple[int, int]:
    """The newest version of glibc whose symbols a library uses; (0, 0) if it uses none."""
    versions = {(2, int(minor)) for minor in re.findall(rb"\bGLIBC_2\.(\d+)", code)}
    return max(versions, default=(0, 0))


def check_libraries(context: Context) -> list[Finding]:
    """Native parts need no newer C library than Node.js does, and those for musl no glibc."""
    result = []
    for platform in platforms():
        code = native(context, platform).read_bytes()
        if platform.startswith("darwin"):
            continue
        newest = newest_glibc(code)
        limit = GLIBC if platform.endswith("-gnu") else (0, 0)
        needed = f"glibc {newest[0]}.{newest[1]}" if newest > (0, 0) else "no glibc"
        level = "failed" if newest > limit or not code.startswith(b"\x7fELF") else "note"
        result.append(Finding(level, f"{platform}: {needed}"))
    return result


def tool(context: Context, name: str) -> Path:
    """A program of node/node_modules."""
    file = context.root / "node" / "node_modules" / ".bin" / name
    if not file.exists():
        message = f"{name} is not installed: npm ci in node"
        raise Absent(message)
    return file


def check_types(context: Context) -> list[Finding]:
    """publint on every package, arethetypeswrong on the main one, as they are packed."""
    for package in packages(context):
        context.run([tool(context, "publint"), "run", "--strict", package.file])
    context.run([tool(context, "attw"), package.file, *TYPES])
    return []


def check_installed(context: Context) -> list[Finding]:
    """The packages install in an empty folder, offline, and the smoke program runs there."""
    folder = context.output / "npm"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(
        '{ "name": "program", "version": "1.0.0", "private": true }'
    )
    node = context.root / "node"
    context.run([tool(context, "tsc"), "--project", "test"], cwd=node)
    shutil.copy(node / "build" / "test" / "smoke.js", folder / "smoke.mjs")
    ours = [
        package.file
        for package in packages(context)
        if package.name in ("spikewire", f"@spikewire/{wheels.this_platform()}")
    ]
    if len(ours) != 2:
        message = f"no package for this platform was packed: {wheels.this_platform()}"
        raise Failure(message)
    offline = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"]
    context.run(["npm", "install", *offline, *ours], cwd=folder)
    # The program must not find what is built in the checkout, only what was installed.
    done = context.run(["node", "smoke.mjs"], cwd=folder, timeout=300)
    context.run(["npm", "exec", "--offline", "--", "spikewire", "--help"], cwd=folder)
    sbom = context.run(["npm", "sbom", "--sbom-format", "cyclonedx"], cwd=folder)
    names = [component["name"] for component in json.loads(sbom.stdout)["components"]]
    version = context.run(["node", "--version"]).stdout.strip()
    return [
        Finding("note", f"{done.stdout.strip().splitlines()[-1]}: Node.js {version[1:]}"),
        Finding("note", f"npm sbom lists {', '.join(sorted(names))}"),
    ]


if __name__ == "__main__":
    sys.exit(release_steps.main(steps))
