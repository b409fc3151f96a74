"""Builds the wheels of a release and the sdist, from the source tree that `source.py` makes.

    python tools/release/wheels.py [--platform NAME]... [--python VERSION]...
        [--profile PROFILE] [--sdist]

    make wheels PLATFORMS='linux-x64-gnu linux-arm64-musl' PYTHONS='3.11 3.14t'

Into `dist/release`. On Linux, zig links for all four Linux platforms: for glibc 2.28, and for
musl 1.2. One wheel is for one interpreter (docs/installing.md says why); maturin knows the
interpreters, which need not be installed.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path

import names
import source

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "dist" / "release"
STAGED = ROOT / "build" / "release" / "source"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.14t")
#: By the names of the npm packages: Rust's name and what the wheel's tag begins with.
PLATFORMS = {
    "linux-x64-gnu": ("x86_64-unknown-linux-gnu", "manylinux_2_28"),
    "linux-arm64-gnu": ("aarch64-unknown-linux-gnu", "manylinux_2_28"),
    "linux-x64-musl": ("x86_64-unknown-linux-musl", "musllinux_1_2"),
    "linux-arm64-musl": ("aarch64-unknown-linux-musl", "musllinux_1_2"),
    "darwin-arm64": ("aarch64-apple-darwin", ""),
    "darwin-x64": ("x86_64-apple-darwin", ""),
}


def this_platform() -> str:
    """The name of the platform that this runs on."""
    processor = "arm64" if platform.machine() in ("aarch64", "arm64") else "x64"
    return f"darwin-{processor}" if sys.platform == "darwin" else f"linux-{processor}-gnu"


def command(
    name: str, python: str, profile: str = "dist", out: Path = OUT, maturin: str = "maturin"
) -> list[str]:
    """The command that builds one wheel in the staged tree."""
    target, tag = PLATFORMS[name]
    words = [
        maturin,
        "build",
        "--locked",
        "--profile",
        profile,
        "--target",
        target,
        "--out",
        str(out),
        # 6, the default, leaves a wheel 4 % larger.
        "--compression-level",
        "9",
    ]
    words += ["--interpreter", f"python{python}"]
    return [*words, "--zig", "--compatibility", tag] if tag else words


def environment() -> dict[str, str]:
    """What is added to the environment: compiled crates stay in the checkout's own folder."""
    commit = subprocess.run([ROOT / "tools/commit.sh"], capture_output=True, text=True, check=True)
    return {
        "CARGO_TARGET_DIR": str(ROOT / "target"),
        "SPIKEWIRE_COMMIT": commit.stdout.strip(),
        # zig and maturin are in the environment that runs this.
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }


def sdist_command(out: Path = OUT, maturin: str = "maturin") -> list[str]:
    """The command that packs the sdist in the staged tree."""
    return [maturin, "sdist", "--out", str(out)]


def missing_library(name: str) -> str:
    """Rust's name of a platform whose standard library is not installed; empty if it is."""
    target = PLATFORMS[name][0]
    done = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", target],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 and Path(done.stdout.strip()).exists() else target


def main() -> int:
    """Builds what the flags name: without any, wheels for this platform and this Python."""
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--platform", action="append", choices=PLATFORMS, metavar="NAME")
    parser.add_argument("--python", action="append", choices=PYTHONS, metavar="VERSION")
    parser.add_argument("--profile", default="dist")
    parser.add_argument("--sdist", action="store_true", help="the sdist, too")
    flags = parser.parse_args()
    platforms = flags.platform or [this_platform()]
    for name in platforms:
        if target := missing_library(name):
            print(f"wheels.py: {name} needs: rustup target add {target}", file=sys.stderr)
            return 1
        if name.startswith("darwin") and sys.platform != "darwin":
            print(f"wheels.py: {name} is built on macOS", file=sys.stderr)
            return 1
    source.stage(ROOT, STAGED, names.load())
    commands = [sdist_command()] if flags.sdist else []
    commands += [
        command(name, python, flags.profile)
        for name in platforms
        for python in flags.python or [this]
    ]
    for words in commands:
        print("$", " ".join(words), flush=True)
        status = subprocess.run(
            words, cwd=STAGED, env={**os.environ, **environment()}, check=False
        ).returncode
        if status != 0:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
