"""Clients and datasets with a profile."""

from spikewire.aerospike.views import *
from spikewire.aerospike.views import __all__ as __all__
