"""The work of a run, generated before the clock starts: bins, records, mix of verbs, keys, streams.

`shape` is what one call does; `bins` and `records` define what is stored under a key, `mix` and
`ycsb` what is done how often, `keys` which keys are drawn, and `streams` combines them for each
worker.
"""

from .bins import Bins, BinSpec, Value, bin_names, parse_bins
from .mix import Workload, parse_workload
from .records import differs, matches, record_of, value_pool
from .streams import (
    BATCHES_LEAST,
    BATCHES_MOST,
    STREAM_LEAST,
    STREAM_MOST,
    Block,
    Key,
    Operation,
    batch_stream,
    insert_stream,
    into_blocks,
    mixed_stream,
)

__all__ = [
    "BATCHES_LEAST",
    "BATCHES_MOST",
    "STREAM_LEAST",
    "STREAM_MOST",
    "BinSpec",
    "Bins",
    "Block",
    "Key",
    "Operation",
    "Value",
    "Workload",
    "batch_stream",
    "bin_names",
    "differs",
    "insert_stream",
    "into_blocks",
    "matches",
    "mixed_stream",
    "parse_bins",
    "parse_workload",
    "record_of",
    "value_pool",
]
