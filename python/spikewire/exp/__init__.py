"""Filter expressions, evaluated by the server on one record.

    from spikewire import exp

    adults = exp.bin("age") >= 18
    wanted = adults & (exp.bin("country") == "US") & ~exp.bin("banned")

An expression is checked when it is made, encoded once, and can be kept, hashed and pickled. The
type of a bin follows from its use (``exp.bin("age") > 25`` asks for an integer); where nothing
implies it, name it: ``exp.bin("a", int) == exp.bin("b")``. In a record where a bin is missing
or of another type the comparison is neither true nor false, and such records do not match.

Operators: ``== != < <= > >=``, ``& | ~`` (and, or, not; bit by bit on integers), ``^`` (one of
two), ``+ - * / % **``, ``<< >>``, ``abs()``, ``math.floor()`` and ``math.ceil()``. Integers divide
toward zero. The same can be written as text, see ``text``. ``exp.list``, ``exp.map``, ``exp.bit``,
``exp.hll`` and ``exp.string`` read what is inside lists, maps, bytes, sketches and strings,
``exp.path`` many elements of nested lists and maps, by filters of ``exp.loop``.
"""

from spikewire.aerospike.exp import *
from spikewire.aerospike.exp import __all__ as __all__
