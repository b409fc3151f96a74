"""A pool of event loops in threads, for Python without the GIL: ``spikewire.Pool``.

| module | what it holds |
|---|---|
| ``pool`` | opening a pool, running calls, closing |
| ``clients`` | the pool's clients: one for all loops, or one per loop |
| ``routed_client`` | several clients as one: each thread uses its own |
| ``worker`` | one event loop in one thread, and its calls |
| ``job`` | one call: what ``run`` returns |
| ``results`` | what ``map`` and ``gather`` return |
| ``window`` | the calls of one ``map`` in flight |
| ``errors`` | exceptions of a pool |
"""

from spikewire.pool.errors import LoopDied, PoolClosed
from spikewire.pool.job import Job
from spikewire.pool.pool import Pool
from spikewire.pool.results import Results

__all__ = ["Job", "LoopDied", "Pool", "PoolClosed", "Results"]
