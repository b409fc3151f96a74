"""A pool of event loops in threads, for Python without the GIL: ``spikewire.Pool``.

| module | what it holds |
|---|---|
| ``pool`` | how a pool is opened, what it runs, how it ends |
| ``clients`` | the clients underneath: one for all loops, or one for each |
| ``routed`` | several clients as one: each thread reaches its own |
| ``worker`` | one event loop in one thread, and what is handed to it |
| ``job`` | one call: what ``run`` returns |
| ``results`` | what ``map`` and ``gather`` return |
| ``window`` | the calls of one ``map`` that are under way |
| ``errors`` | what a pool raises |
"""

from spikewire.pool.errors import LoopDied, PoolClosed
from spikewire.pool.job import Job
from spikewire.pool.pool import Pool
from spikewire.pool.results import Results

__all__ = ["Job", "LoopDied", "Pool", "PoolClosed", "Results"]
