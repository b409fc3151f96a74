"""Expressions: all their classes in one module."""

from spikewire.compat.aerospike_helpers.expressions.arithmetic import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.base import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.bitwise import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.bitwise_operators import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.hll import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.list import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.map import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.resources import ResultType as ResultType
from spikewire.compat.aerospike_helpers.expressions.string import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
