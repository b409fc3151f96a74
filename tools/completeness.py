"""A plugin of pytest: tests that were skipped because a part is missing fail the run.

    SPIKEWIRE_COMPLETE=1 make test

A package that is not installed, no Cassandra, no Node.js, an extension that is not built: on a
developer's machine such tests are left out, and the output says why. Where everything has to run,
as in CI, that would hide what nobody tested. Other reasons, such as the operating system, remain.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What the reasons of tests say when a part is missing.
MISSING = re.compile(
    r"not installed|not built|could not import|no Cassandra|no Node|is not there", re.IGNORECASE
)


class Completeness:
    """Collects the reasons of skipped tests that name a missing part."""

    def __init__(self) -> None:
        self.missing: dict[str, int] = {}

    def note(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        """Counts a report, if a part was missing."""
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if MISSING.search(reason):
            self.missing[reason] = self.missing.get(reason, 0) + 1

    pytest_runtest_logreport = note
    pytest_collectreport = note

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Fails a run that left something out; workers report to the process with the result."""
        if self.missing and session.exitstatus == 0 and not hasattr(session.config, "workerinput"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        yield

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says what is missing."""
        for reason, count in self.missing.items():
            terminalreporter.write_line(f"missing ({count} tests): {reason}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Completeness())
