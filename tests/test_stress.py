"""`make stress` counts what it tries, and fails if something is wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STRESS = Path(__file__).parent.parent / "tools" / "stress"

pytestmark = [pytest.mark.faults, pytest.mark.slow]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(STRESS), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    "kind",
    ["doubt", "crosstalk", "queries", "spikes", "transactions", "forks", "interrupts"],
)
def test_each_kind_counts_and_finds_nothing(kind: str) -> None:
    ended = run("--minutes", "0.03", "--seed", "5", "--only", kind)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (total,) = re.findall(rf"^{kind} +1 rounds: .* \d+", ended.stdout, re.MULTILINE)
    assert not re.search(r" 0(,|$)", total.partition(":")[2].partition(",")[0])
    assert ended.stdout.endswith("nothing wrong\n")


def test_seeds_of_transactions_end_with_their_number() -> None:
    of = ("--only", "transactions", "--seeds", "2", "--seed", "7")
    ended = run(*of, "--transactions", "30", "--minutes", "2")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "transactions, seed 7, " in ended.stdout
    assert "2 of 2 seeds" in ended.stdout
    (count,) = re.findall(r"^transactions +2 rounds: .*transactions (\d+),", ended.stdout, re.M)
    assert 60 <= int(count) < 1000
    late = run(*of, "--transactions", "1000000", "--minutes", "0.03")
    assert late.returncode == 1
    assert re.search(r"WRONG: transactions, seed 7: exit status 1: .*only [\d,]+ of", late.stdout)


@pytest.mark.skipif(
    not (STRESS.parent.parent / "node" / "dist" / "cli" / "main.js").exists()
    or not shutil.which("node"),
    reason="the npm package is not built",
)
def test_terminations_end_when_their_time_is_over() -> None:
    ended = run("--minutes", "0.05", "--only", "workers")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (count,) = re.findall(r"^workers +1 rounds: terminations (\d+)$", ended.stdout, re.MULTILINE)
    # Fewer than it asks for, which is more than any machine manages.
    assert 0 < int(count) < 300


def test_a_wrong_answer_is_reported(tmp_path: Path) -> None:
    for path in STRESS.glob("*.py"):
        text = path.read_text()
        if path.name == "crosstalk.py":
            # A reader that expects the next key's record.
            text = text.replace("content == expected(key)", "content == expected(key + 1)")
        (tmp_path / path.name).write_text(text)
    command = [sys.executable, str(tmp_path), "--minutes", "0.08", "--only", "crosstalk"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 1
    assert "WRONG: crosstalk, seed 1: exit status 1: key " in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--minutes", "0"], "must be between 0 and 1440"),
        (["--only", "doubt,nothing"], "there are: doubt, crosstalk"),
        (["--seeds", "5", "--transactions", "5"], "need --only transactions"),
        (["--only", "transactions", "--seeds", "5"], "need each other"),
        (["--seeds", "0"], "must be between 1 and"),
    ],
)
def test_invalid_arguments_are_rejected(arguments: list[str], reason: str) -> None:
    ended = run(*arguments)
    assert ended.returncode == 2
    assert reason in ended.stderr
