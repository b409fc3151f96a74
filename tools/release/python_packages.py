"""Checks of the wheel and the sdist: `python tools/release/python_packages.py`.

The wheel is built for this platform by zig, as those that are published, and tried where
nothing is installed but Python and pip: in a Debian that mmdebstrap makes. Other platforms'
wheels are for the release workflow, and for `make wheels PLATFORMS=...`; those in `dist/release`
are checked as well, and one for ARM is tried under qemu.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path
from typing import TYPE_CHECKING

import notices
import release_steps
import source
import wheels
from release_steps import Absent, Context, Failure, Finding, Step

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "python"
#: What a wheel may weigh, in bytes; `make wheel-size` has the same limit.
WHEEL_LIMIT = 10_000_000
#: The newest glibc that a wheel may need.
GLIBC = (2, 28)
#: The Debian in which the wheel is tried, and the Python that it has, for which the wheel is built.
SUITE, PYTHON = "bookworm", "3.11"
INSTALL_TOOLS = "pip install -r requirements/release.txt -r requirements/cross.txt"
#: What pages say for as long as there is no release.
UNRELEASED = re.compile(
    r"on (?:a package index|the \w+ registry) yet"
    r"|(?:until|before) (?:there is a release|it is published)"
    r"|from the packages that `make npm-packages` builds",
    re.IGNORECASE,
)
#: Where pages may say it.
PAGES = ("README.md", "docs/*.md", "node/README.md", "crates/*/README.md", "examples/**/README.md")


def steps(_context: Context) -> list[Step]:
    """The steps, in their order."""
    return [
        Step("python: notices", check_notices),
        Step("python: sdist", build_sdist),
        Step("python: wheel by zig", build_wheel),
        Step("python: auditwheel", audit, needs="python: wheel by zig"),
        Step("python: contents", check_contents, needs="python: wheel by zig"),
        Step("python: twine check", twine, needs="python: sdist"),
        Step("python: texts", check_texts),
        Step("python: sdist builds", sdist_builds, needs="python: sdist"),
        Step("python: bare root", bare_root, needs="python: wheel by zig"),
        Step("python: wheel for ARM", emulated),
    ]


def packages(context: Context) -> Path:
    """Where this run's packages are."""
    return context.output / "python"


def tool(name: str) -> str:
    """A program of the environment that runs the checks."""
    file = Path(sys.executable).parent / name
    program = str(file) if file.exists() else shutil.which(name)
    if program is None:
        message = f"{name} is not installed: make release-check, or {INSTALL_TOOLS}"
        raise Absent(message)
    return program


def staged(context: Context) -> Path:
    """The source tree that packages are built from, made anew."""
    try:
        source.stage(context.root, wheels.STAGED, context.names)
    except notices.Unknown as unknown:
        raise Failure(str(unknown)) from None
    return wheels.STAGED


def check_notices(_context: Context) -> list[Finding]:
    """Every crate that is linked has a license that we know, and its text."""
    try:
        text = notices.text("python")
        linked = notices.crates("python")
    except notices.Unknown as unknown:
        raise Failure(str(unknown)) from None
    if "Lua.org, PUC-Rio" not in text:
        return [Finding("failed", "Lua is not in the notices")]
    return [Finding("note", f"{len(linked)} crates, {len(text)} characters")]


def build_sdist(context: Context) -> list[Finding]:
    """Packs the sdist."""
    folder = packages(context)
    for former in folder.glob("*.tar.gz"):
        former.unlink()
    context.run(
        wheels.sdist_command(folder, tool("maturin")), cwd=staged(context), env=wheels.environment()
    )
    return [size(only(folder.glob("*.tar.gz")))]


def build_wheel(context: Context) -> list[Finding]:
    """Builds the wheel for this platform and Python as it is published."""
    this = wheels.this_platform()
    if this.startswith("linux"):
        tool("python-zig")
    folder = packages(context)
    if context.built and (wheel := next(folder.glob("*.whl"), None)):
        return [size(wheel)]
    if target := wheels.missing_library(this):
        message = f"rustup target add {target}"
        raise Absent(message)
    for former in folder.glob("*.whl"):
        former.unlink()
    profile = os.environ.get("RELEASE_PROFILE", "dist")
    context.run(
        wheels.command(this, PYTHON, profile, folder, tool("maturin")),
        cwd=staged(context),
        env=wheels.environment(),
    )
    wheel = only(folder.glob("*.whl"))
    if wheel.stat().st_size > WHEEL_LIMIT:
        return [Finding("failed", f"{wheel.name} has more than {WHEEL_LIMIT} bytes")]
    return [size(wheel)]


def only(files: Iterable[Path]) -> Path:
    """The one file that there should be."""
    built = sorted(files)
    if len(built) != 1:
        message = f"one file should have been built, there are {[file.name for file in built]}"
        raise Failure(message)
    return built[0]


def size(file: Path) -> Finding:
    """A note about a package."""
    return Finding("note", f"{file.name}: {file.stat().st_size} bytes")


def all_wheels(context: Context) -> list[Path]:
    """The wheel of this run, and those that `make wheels` built."""
    return sorted([*packages(context).glob("*.whl"), *wheels.OUT.glob("*.whl")])


def audit(context: Context) -> list[Finding]:
    """The tags of the wheels are true: auditwheel finds nothing newer in them."""
    findings = []
    for wheel in all_wheels(context):
        if "linux" not in wheel.name:
            continue
        done = context.run([tool("auditwheel"), "show", wheel])
        text = re.sub(r"\s+", " ", done.stdout)
        match = re.search(r'following platform tag: "([^"]+)"', text)
        if match is None:
            findings.append(Finding("failed", f"auditwheel does not say what {wheel.name} is"))
            continue
        findings.append(judged(wheel.name, match[1]))
    return findings


def judged(wheel: str, tag: str) -> Finding:
    """What auditwheel's tag says of a wheel."""
    glibc = re.match(r"manylinux_(\d+)_(\d+)_", tag)
    musl = re.match(r"musllinux_(\d+)_(\d+)_", tag)
    if glibc and (int(glibc[1]), int(glibc[2])) <= GLIBC and "manylinux" in wheel:
        return Finding("note", f"{tag} suffices for {wheel}")
    if musl and (int(musl[1]), int(musl[2])) <= (1, 2) and "musllinux" in wheel:
        return Finding("note", f"{tag} suffices for {wheel}")
    return Finding("failed", f"{wheel} needs {tag}")


def check_contents(context: Context) -> list[Finding]:
    """Licenses, notices, components and types are in the wheel, and nothing strange is."""
    findings = []
    for wheel in all_wheels(context):
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            findings += [
                Finding("failed", f"{wheel.name}: {text}")
                for text in wrong_contents(names, lambda name, a=archive: a.read(name).decode())
            ]
    for sdist in packages(context).glob("*.tar.gz"):
        with tarfile.open(sdist) as archive:
            names = [name.partition("/")[2] for name in archive.getnames()]
        findings += [
            Finding("failed", f"{sdist.name}: there is no {name}")
            for name in ("LICENSE", notices.FILE, "Cargo.lock", "README.md", "PKG-INFO")
            if name not in names
        ]
    return findings


def wrong_contents(names: list[str], read: object) -> list[str]:
    """What is missing from a wheel with these files, or should not be there."""
    assert callable(read)
    wrong = []
    expected = (
        r"[^/]+\.dist-info/licenses/LICENSE",
        rf"[^/]+\.dist-info/licenses/{re.escape(notices.FILE)}",
        r"[^/]+\.dist-info/sboms/.+\.cyclonedx\.json",
        r"spikewire/py\.typed",
        r"spikewire/_native\..+\.so",
        r"spikewire/_native\.pyi",
    )
    wrong += [
        f"there is no {pattern}"
        for pattern in expected
        if not any(re.fullmatch(pattern, name) for name in names)
    ]
    allowed = re.compile(
        r"(spikewire|pytest_spikewire|spikewire-[^/]+\.dist-info|spikewire\.libs)/"
    )
    wrong += [f"{name} does not belong there" for name in names if not allowed.match(name)]
    for name in names:
        if name.endswith(".cyclonedx.json"):
            components = {row["name"] for row in json.loads(read(name)).get("components", [])}
            wrong += [
                f"{name} lacks {crate}"
                for crate in ("mlua", "ring", "pyo3")
                if crate not in components
            ]
        if name.endswith(".dist-info/METADATA"):
            wrong += metadata_faults(read(name))
    return wrong


def metadata_faults(text: str) -> list[str]:
    """What in the metadata of a package is not true of what was tested."""
    metadata = message_from_string(text)
    systems = [c for c in metadata.get_all("Classifier", []) if c.startswith("Operating System ::")]
    faults = [
        f"{c}: no such system was tested"
        for c in systems
        if c != "Operating System :: POSIX :: Linux"
    ]
    if metadata.get("License-Expression") != "Apache-2.0":
        faults.append("License-Expression is not Apache-2.0")
    return faults


def twine(context: Context) -> list[Finding]:
    """The index accepts the metadata and can render the README."""
    files = [*packages(context).glob("*.tar.gz"), *all_wheels(context)]
    context.run([tool("twine"), "check", "--strict", *files])
    return []


def check_texts(context: Context) -> list[Finding]:
    """Pages that say that there is no release yet; links of the README that lead nowhere."""
    findings = []
    if not context.names.urls["repository"]:
        links = source.relative_links((context.root / "README.md").read_text())
        findings.append(
            Finding(
                "human",
                f"urls.repository: until then, {len(links)} links of README.md are relative",
                "tools/release/names.toml",
            )
        )
    findings += [
        Finding("human", "say how to install it from an index", name)
        for name in unreleased(context.root)
    ]
    return findings


def unreleased(root: Path) -> list[str]:
    """The pages that say that there is no release yet, as paths within the checkout."""
    return [
        file.relative_to(root).as_posix()
        for pattern in PAGES
        for file in sorted(root.glob(pattern))
        # Lines may break within what they say.
        if UNRELEASED.search(re.sub(r"\s+", " ", file.read_text()))
    ]


def sdist_builds(context: Context) -> list[Finding]:
    """pip builds a wheel from the sdist alone, and the wheel works in an empty environment."""
    sdist = only(packages(context).glob("*.tar.gz"))
    folder = context.output / "from-sdist"
    shutil.rmtree(folder, ignore_errors=True)
    context.run([context.python, "-m", "venv", folder / "venv"])
    python = folder / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    # Whether it builds is the question, not how fast it is then.
    quick = {
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        "CARGO_INCREMENTAL": "0",
        "CARGO_TARGET_DIR": str(context.output / "target-sdist"),
    }
    context.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, sdist], cwd=folder, env=quick)
    wheel = only(folder.glob("*.whl"))
    context.run([*pip, "install", wheel], cwd=folder)
    done = context.run([python, context.root / "tools/release/smoke.py"], cwd=folder)
    return [Finding("note", done.stdout.strip())]


def debian(context: Context, name: str, *flags: str) -> Path:
    """A folder with a Debian that mmdebstrap has made, which takes minutes; it is kept."""
    root = context.output / f"{name}-{SUITE}"
    if (root / f"usr/bin/python{PYTHON}").exists():
        return root
    if shutil.which("mmdebstrap") is None:
        message = "mmdebstrap is not installed: apt-get install mmdebstrap"
        raise Absent(message)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    # Through an archive, so that the files belong to whoever runs this.
    archive = root.with_suffix(".tar")
    context.run(["mmdebstrap", *flags, SUITE, archive], timeout=1800)
    context.run(["tar", "-xf", archive, "--no-same-owner", "--exclude=./dev/*", "-C", root])
    archive.unlink()
    return root


def bare_root(context: Context) -> list[Finding]:
    """The wheel works in a Debian with Python and pip, without a compiler or other packages."""
    wheel = only(packages(context).glob("*.whl"))
    root = debian(context, "root", "--variant=minbase", "--include=python3,python3-pip")
    if (root / "usr/bin/cc").exists():
        return [Finding("failed", f"{root} has a compiler")]
    work = root / "root" / "release"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copy(wheel, work)
    shutil.copy(context.root / "tools/release/smoke.py", work)
    # Namespaces of its own: nobody has to be root, and there is no network.
    enter = ["unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-c"]
    enter.append('mount --rbind /dev "$1/dev" && exec chroot "$1" /bin/sh -c "$2"')
    program = (
        "set -e; cd /root/release; "
        # A network without other machines: what is missing cannot come from an index.
        "python3 -c 'import fcntl, socket, struct; s = socket.socket(); "
        'fcntl.ioctl(s, 0x8914, struct.pack("16sH14s", b"lo", 0x41, b""))\'; '
        f"python3 -m pip --version; rm -rf there; "
        f"python3 -m pip install --no-index --no-cache-dir --quiet --target there {wheel.name}; "
        "PYTHONPATH=there python3 smoke.py; PYTHONPATH=there python3 -m spikewire --version"
    )
    done = context.run(
        [*enter, "sh", root, program],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root"},
    )
    lines = done.stdout.strip().splitlines()
    return [
        Finding("note", next((line for line in lines if line.startswith("spikewire")), lines[-1]))
    ]


def emulated(context: Context) -> list[Finding]:
    """A wheel for ARM that `make wheels` built works in Debian's Python, under qemu."""
    pattern = f"*-cp{PYTHON.replace('.', '')}-manylinux*_aarch64.whl"
    wheel = next(iter(sorted(wheels.OUT.glob(pattern))), None)
    if wheel is None:
        how = f"make wheels PLATFORMS=linux-arm64-gnu PYTHONS={PYTHON}"
        return [Finding("note", f"not tried, there is none in dist/release: {how}")]
    if shutil.which("qemu-aarch64-static") is None:
        message = "qemu-aarch64-static is not installed: apt-get install qemu-user-static"
        raise Absent(message)
    flags = ("--variant=extract", "--architectures=arm64", f"--include=python{PYTHON}")
    root = debian(context, "arm64", *flags)
    folder = context.output / "arm64-wheel"
    shutil.rmtree(folder, ignore_errors=True)
    context.run([context.python, "-m", "zipfile", "-e", wheel, folder])
    python = root / f"usr/bin/python{PYTHON}"
    smoke = context.root / "tools/release/smoke.py"
    command: list[str | Path] = ["qemu-aarch64-static", "-L", root, python, smoke]
    # A home of its own: qemu shows the program this system's files as well.
    home = {"PYTHONPATH": str(folder), "PYTHONHOME": str(root / "usr")}
    done = context.run(command, cwd=folder, env=home, timeout=300)
    return [Finding("note", f"{done.stdout.strip()}, under qemu")]


if __name__ == "__main__":
    sys.exit(release_steps.main(steps))
