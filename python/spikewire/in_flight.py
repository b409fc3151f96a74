"""Many calls in flight from one thread: futures of submitted calls, and ``concurrent``."""

from spikewire.aerospike.in_flight import *
from spikewire.aerospike.in_flight import __all__ as __all__
