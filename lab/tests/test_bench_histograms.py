"""Histograms of workers, and the effect of their package on the interpreter."""

from __future__ import annotations

import importlib
import sys

import pytest

from spikewire_lab import measure
from spikewire_lab.worker.run import describe_python

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")


def test_a_worker_reports_the_gil_state_while_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of the histograms switches the GIL on in a free-threaded interpreter."""
    state = {"on": False}
    real = importlib.import_module

    def importing(name: str) -> object:
        state["on"] = True
        return real(name)

    monkeypatch.setattr(measure, "_gil_before", [])
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: state["on"], raising=False)
    assert describe_python()["gil"] is False
    with monkeypatch.context() as patched:
        patched.setattr(importlib, "import_module", importing)
        assert measure.encode([1_000])
    assert state["on"]
    assert describe_python()["gil"] is False


def test_a_gil_enabled_by_a_client_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_gil_before", [])
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: True, raising=False)
    measure.encode([1_000])
    assert describe_python()["gil"] is True
