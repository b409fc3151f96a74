"""Columns that the study's tables and ours share."""

from __future__ import annotations

from ....measure import WITHIN_MS
from ...report import MORE, Heading

RATE = Heading("rate", "throughput", "op/s", MORE, 0)
SHARE_HEADINGS = tuple(Heading(f"within{ms}", f"≤ {ms} ms", "%", MORE, 1) for ms in WITHIN_MS)
"""Cumulative shares of the calls, by the upper bounds of their latencies."""
