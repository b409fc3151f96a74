"""How a client stores values of custom types, and how it reads them back.

    from spikewire import codec

    forms = codec.Codec(
        types={Decimal: str},
        bins={"created": codec.timestamp(), "settings": codec.json()},
    )
    with spikewire.Client(seeds, codec=forms) as client: ...

Values are neither tagged nor guessed: a type defines how its values are written, a bin how its
value is written and read, and other clients see plain values. No form is used by default.
"""

from spikewire.aerospike.codec import *
from spikewire.aerospike.codec import __all__ as __all__
