"""The lab measures known clients correctly, and reports it if it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spikewire.cli import main
from spikewire_lab.studies.selfcheck import command, exact, timed
from spikewire_lab.studies.selfcheck.fake import Act
from spikewire_lab.studies.selfcheck.finding import Finding, step
from spikewire_lab.studies.selfcheck.measure import ScriptedLoad, line, played, real

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich")


@pytest.fixture(scope="module")
def findings() -> list[Finding]:
    return list(exact.every())


def test_every_figure_in_played_time_is_right(findings: list[Finding]) -> None:
    assert len(findings) > 40
    assert [one for one in findings if not one.passed] == []


def test_played_time_gives_the_same_each_time(findings: list[Finding]) -> None:
    assert list(exact.every()) == findings


def test_a_client_that_is_slower_than_known_is_seen() -> None:
    known = ScriptedLoad("async", lambda _number: Act(takes=0.00103), 4, 1.0)
    rate = line(known, played(known)).rate
    assert rate is not None
    assert not Finding("", "", 4000, rate.median, 4000 * exact.TOLERANCE).passed


def test_processor_time_that_a_client_uses_is_charged_to_it() -> None:
    known = ScriptedLoad("sync", lambda _number: Act(burns=0.005), 1, 0.1)
    cpu = line(known, real(known)).cpu
    assert cpu is not None
    assert cpu.median >= 5000


def test_histograms_round_by_one_step() -> None:
    assert step(1.0) == 0.001
    assert step(2.047) == 0.001
    assert step(2.048) == 0.002
    assert step(1000.0) == 0.512


def test_failed_checks_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = Finding("a loop", "calls", 10, 10)

    def findings(*all_of_them: Finding) -> None:
        def every() -> Iterator[Finding]:
            return iter(all_of_them)

        monkeypatch.setattr(exact, "every", every)
        monkeypatch.setattr(timed, "every", lambda: iter(()))

    findings(right)
    assert main(["lab", command.NAME]) == 0
    assert "all right" in capsys.readouterr().out
    findings(right, replace(right, measured=9), replace(right, measured=None, tries=5))
    assert main(["lab", command.NAME]) == command.FAILED
    output = capsys.readouterr().out
    assert "2 wrong" in output
    assert "5 tries" in output


def test_a_failed_real_time_check_is_repeated() -> None:
    tried: list[str] = []

    def check(mode: str) -> list[Finding]:
        tried.append(mode)
        return [Finding("", "", 1, len(tried) - 2)]

    (finding,) = timed.again(check, "sync")
    assert finding.passed
    assert finding.tries == 3
    assert tried == ["sync"] * 3
