"""What checks of a release have in common: steps, findings, and the table of them."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import names

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
Level = Literal["note", "absent", "human", "failed"]


class Failure(Exception):
    """Ends a step; its text becomes a finding `failed`."""


class Absent(Exception):
    """Ends a step because a tool is not installed; its text says how to install it."""


@dataclass(frozen=True)
class Finding:
    """What a step has to say; `place` is the file in which a human writes what is missing."""

    level: Level
    text: str
    place: str = ""


@dataclass
class Context:
    """Where steps work: the checkout, the folder for what they build, and the public names."""

    root: Path = ROOT
    output: Path = ROOT / "build" / "release"
    names: names.Names = field(default_factory=names.load)
    python: str = sys.executable
    #: Whether packages that an earlier run built are good enough.
    built: bool = False
    log: Path = Path(os.devnull)

    def run(
        self,
        command: list[str | Path],
        *,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        timeout: float = 3600,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command, its output appended to the step's log.

        `env` is added to this process's environment. Raises `Absent` if there is no such program
        and, unless `check` is false, `Failure` with the last lines if it fails.
        """
        words = [str(word) for word in command]
        if shutil.which(words[0]) is None:
            message = f"{words[0]} is not installed"
            raise Absent(message)
        try:
            done = subprocess.run(
                words,
                cwd=cwd or self.root,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            message = f"{' '.join(words)} did not end within {timeout:g} s"
            raise Failure(message) from None
        with self.log.open("a") as log:
            log.write(f"$ {' '.join(words)}\n{done.stdout}\n")
        if check and done.returncode != 0:
            last = "\n".join(done.stdout.strip().splitlines()[-8:])
            message = f"{' '.join(words)} ended with {done.returncode}:\n{last}"
            raise Failure(message)
        return done


@dataclass(frozen=True)
class Step:
    """One line of the table. It runs only if the step called `needs` did not fail."""

    title: str
    run: Callable[[Context], list[Finding]]
    needs: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a step."""

    title: str
    result: Literal["passed", "FAILED", "absent", "left out"]
    seconds: float
    findings: list[Finding]


def run_steps(steps: list[Step], context: Context) -> list[Outcome]:
    """Runs steps in their order, each with a log of its own in `output/logs`."""
    outcomes: list[Outcome] = []
    logs = context.output / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    unusable: set[str] = set()
    for step in steps:
        if step.needs in unusable:
            unusable.add(step.title)
            outcomes.append(Outcome(step.title, "left out", 0.0, []))
            continue
        context.log = logs / (re.sub(r"[^a-z0-9]+", "-", step.title.lower()).strip("-") + ".log")
        context.log.write_text("")
        print(f"--- {step.title}", flush=True)
        start = time.monotonic()
        try:
            findings = step.run(context)
        except Absent as absent:
            findings = [Finding("absent", str(absent))]
        except Failure as failure:
            findings = [Finding("failed", str(failure))]
        levels = {finding.level for finding in findings}
        result: Literal["passed", "FAILED", "absent"] = (
            "FAILED" if "failed" in levels else "absent" if "absent" in levels else "passed"
        )
        if result != "passed":
            unusable.add(step.title)
        outcome = Outcome(step.title, result, time.monotonic() - start, findings)
        outcomes.append(outcome)
        for finding in findings:
            place = f" ({finding.place})" if finding.place else ""
            print(f"    {finding.level}: {finding.text}{place}", flush=True)
    return outcomes


def table(outcomes: list[Outcome]) -> str:
    """The steps with their results, notes beside them, and what only a human can do."""
    wide = max((len(outcome.title) for outcome in outcomes), default=0)
    lines = []
    for outcome in outcomes:
        notes = [f.text.splitlines()[0] for f in outcome.findings if f.level != "human"]
        lines.append(
            f"{outcome.title:<{wide}}  {outcome.result:<8} {outcome.seconds:5.0f} s  "
            f"{'; '.join(notes)}".rstrip()
        )
    human = [f for outcome in outcomes for f in outcome.findings if f.level == "human"]
    if human:
        lines += ["", "What only a human can do:"]
        lines += [
            f"  - {finding.text}" + (f" ({finding.place})" if finding.place else "")
            for finding in dict.fromkeys(human)
        ]
    return "\n".join(lines)


def status(outcomes: list[Outcome], *, complete: bool = False, named: bool = False) -> int:
    """The exit status: 1 if a step failed, or if what was asked to be there is missing."""
    levels = {finding.level for outcome in outcomes for finding in outcome.findings}
    fatal = {"failed"} | ({"absent"} if complete else set()) | ({"human"} if named else set())
    return int(bool(levels & fatal))


def arguments(description: str) -> argparse.ArgumentParser:
    """The flags that every program of this folder has."""
    parser = argparse.ArgumentParser(description=description, allow_abbrev=False)
    parser.add_argument("--complete", action="store_true", help="fail if a tool is not installed")
    parser.add_argument(
        "--built", action="store_true", help="check the packages of an earlier run, if there are"
    )
    parser.add_argument("--names", action="store_true", help="fail while a public name is missing")
    return parser


def main(steps: Callable[[Context], list[Step]]) -> int:
    """Runs the steps of one module as a program."""
    flags = arguments("Checks one kind of package of a release.").parse_args()
    context = Context(built=flags.built)
    outcomes = run_steps(steps(context), context)
    print()
    print(table(outcomes))
    return status(outcomes, complete=flags.complete, named=flags.names)
