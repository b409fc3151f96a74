"""Counts the instructions of small pieces of work, in this tree and in an earlier commit.

    tools/instructions.py                    compares the work tree with the commit before
    tools/instructions.py --base v0.1.0      compares it with this commit
    tools/instructions.py --base none        only counts
    tools/instructions.py get scan           only benchmarks with one of these words in their names

Needs valgrind. Builds `benches/instructions` of both, the base in a work tree of its own under
`target/instructions`, and fails if a benchmark takes more instructions per operation than its
threshold allows. Counts do not depend on how busy the machine is.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "target" / "instructions"
PROGRAM = "spikewire-instructions"
#: Instructions are counted inside this function, on the thread that calls it. It is never inlined.
MEASURED = "spikewire_instructions::measured*"
#: How much more a benchmark may take, in percent. Counts of codecs are the same in every run; whole
#: commands find their replies slightly earlier or later.
CODEC, COMMAND = 2.0, 3.0
#: Runs of whole commands; the lowest count is what the code needs.
RUNS = 3


def fail(message: str) -> int:
    """Exits with an error message."""
    print(f"instructions.py: {message}", file=sys.stderr)
    return 2


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """The standard output of a program; its standard error goes to the terminal."""
    done = subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def build(tree: Path, name: str) -> Path | None:
    """The program built from this work tree, or None if the tree has none."""
    if not (tree / "benches" / "instructions" / "Cargo.toml").exists():
        return None
    target = ROOT / "target"
    command = ["cargo", "build", "--quiet", "--locked", "--package", PROGRAM]
    command += ["--profile", "instructions", "--target-dir", str(target)]
    # The default release build, whatever build settings the environment has.
    environment = {key: value for key, value in os.environ.items() if "_PROFILE_" not in key}
    subprocess.run(command, cwd=tree, check=True, env=environment)
    built = SCRATCH / name
    shutil.copy2(target / "instructions" / PROGRAM, built)
    return built


def build_base(commit: str) -> Path | None:
    """The program of an earlier commit, from a temporary work tree."""
    tree = SCRATCH / "tree"
    run("git", "worktree", "prune")
    if tree.exists():
        run("git", "worktree", "remove", "--force", tree)
    run("git", "worktree", "add", "--quiet", "--detach", tree, commit)
    try:
        return build(tree, "base")
    finally:
        run("git", "worktree", "remove", "--force", tree)


def count(program: Path, benchmark: str) -> float:
    """Instructions per operation."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += ["--collect-atstart=no", f"--toggle-collect={MEASURED}", str(program), benchmark]
    # An empty environment: the size of a full one moves the stack.
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PATH": os.environ["PATH"]}, check=False
    )
    counted = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode or counted is None or counted[1] == "0":
        print(done.stderr, file=sys.stderr)
        message = f"{program.name}: {benchmark}: valgrind counted nothing"
        raise RuntimeError(message)
    return int(counted[1]) / int(done.stdout)


def is_codec(benchmark: str) -> bool:
    """Whether the count depends on nothing but the code."""
    return benchmark.startswith(("encode", "decode", "digest"))


def least(program: Path, benchmark: str) -> float:
    """The lowest of several counts for benchmarks whose counts vary between runs."""
    return min(count(program, benchmark) for _ in range(1 if is_codec(benchmark) else RUNS))


def counts(program: Path, benchmarks: list[str]) -> dict[str, float]:
    """Counts of all benchmarks."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = pool.map(partial(least, program), benchmarks)
        return dict(zip(benchmarks, counted, strict=True))


def table(here: dict[str, float], base: dict[str, float]) -> list[str]:
    """Prints the counts; returns the benchmarks that exceed their threshold."""
    beyond: list[str] = []
    print(f"{'instructions per operation':<28}{'base':>12}{'here':>12}{'change':>10}")
    for name, now in here.items():
        before = base.get(name)
        if before is None:
            print(f"{name:<28}{'-':>12}{now:>12,.1f}{'new':>10}")
            continue
        change = (now / before - 1) * 100
        threshold = CODEC if is_codec(name) else COMMAND
        mark = ""
        if change > threshold:
            beyond.append(name)
            mark = f"  more than {threshold:g} % allow"
        print(f"{name:<28}{before:>12,.1f}{now:>12,.1f}{change:>+9.1f}%{mark}")
    for name in base.keys() - here.keys():
        print(f"{name:<28}{base[name]:>12,.1f}{'-':>12}{'gone':>10}")
    return beyond


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("words", nargs="*", help="only benchmarks with one of these in their names")
    parser.add_argument("--base", default="HEAD~1", help="a commit, or none (%(default)s)")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        return fail("valgrind is not installed (on Debian: apt-get install valgrind)")

    def names_of(program: Path) -> list[str]:
        names = run(program).splitlines()
        words = options.words
        return [name for name in names if not words or any(word in name for word in words)]

    SCRATCH.mkdir(parents=True, exist_ok=True)
    base: dict[str, float] = {}
    if options.base != "none":
        commit = run("git", "rev-parse", "--verify", f"{options.base}^{{commit}}")
        program = build_base(commit)
        if program is None:
            print(f"{options.base} ({commit[:9]}) has no benchmarks to compare with")
        else:
            base = counts(program, names_of(program))
    program = build(ROOT, "here")
    if program is None:
        return fail("benches/instructions is not here")
    here = counts(program, names_of(program))
    if not here:
        return fail(f"no benchmark has any of these in its name: {' '.join(options.words)}")
    beyond = table(here, base)
    if beyond:
        return fail(f"more instructions than in {options.base}: {', '.join(beyond)}") - 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
