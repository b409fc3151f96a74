"""Calls of several steps: generators that yield requests and pauses, and are sent the results.

Each client drives them in its own way.
"""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike_py.batches import batch_write
from spikewire.compat.aerospike_py.types import BatchRetryInfo, BatchWriteResult

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["batch_write_steps"]

#: Result codes after which a row may be retried.
_AGAIN = frozenset({8, 9, 11, 14, 18})
_FIRST, _LONGEST = 0.01, 0.5
_TIMEOUT = 1000


def batch_write_steps(
    records: Any, policy: Any, retry: Any
) -> Generator[Any, Any, BatchWriteResult]:
    """``batch_write``: retries rows for which the cluster had no capacity."""
    if isinstance(retry, bool) or not isinstance(retry, int):
        message = f"retry must be an int, not {type(retry).__name__}"
        raise TypeError(message)
    if retry < 0:
        message = f"retry must not be negative: {retry}"
        raise OverflowError(message)
    request = batch_write(records, policy)
    began = time.monotonic()
    budget = ((policy or {}).get("total_timeout", _TIMEOUT) or float("inf")) / 1000
    result: BatchWriteResult = (yield request) if records else BatchWriteResult([])
    if not retry:
        return result
    rows = list(result.batch_records)
    attempts, truncated = 1, False
    again = _retryable_rows(rows)
    while again and attempts <= retry:
        pause = random.uniform(0, min(_LONGEST, _FIRST * 2**attempts))  # noqa: S311
        if time.monotonic() - began + pause >= budget:
            truncated = True
            break
        yield pause
        attempts += 1
        retried: BatchWriteResult = yield batch_write([records[at] for at in again], policy)
        for at, row in zip(again, retried.batch_records, strict=True):
            rows[at] = row
        again = _retryable_rows(rows)
    return BatchWriteResult(rows, BatchRetryInfo(attempts, 1 + retry, truncated, len(again)))


def _retryable_rows(rows: list[Any]) -> list[int]:
    return [at for at, row in enumerate(rows) if row.result in _AGAIN]
