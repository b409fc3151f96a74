"""The names of ``aerospike_helpers``, for ``spikewire.compat.aerospike``.

| module | contents |
|---|---|
| ``operations`` | operations for ``operate``, as the dictionaries of the official client |
| ``expressions`` | expressions |
| ``cdt_ctx`` | the path to a nested list or map |
| ``batch.records`` | the rows of a batch |
"""

from __future__ import annotations

from spikewire.compat.aerospike.values import HyperLogLog

__all__ = ["HyperLogLog"]
