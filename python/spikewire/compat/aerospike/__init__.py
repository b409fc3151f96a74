"""The names of the official Python client for Aerospike, over this package.

    from spikewire.compat import aerospike

    client = aerospike.client({"hosts": [("127.0.0.1", 3000)]}).connect()
    client.put(("test", "users", "alice"), {"age": 28})
    key, meta, bins = client.get(("test", "users", "alice"))

``spikewire.compat.aerospike_helpers`` has the names of ``aerospike_helpers``. ``install()`` is for
programs that cannot be edited. Unsupported features raise ``NotImplementedError`` with an
alternative; docs/compat-aerospike.md has the full list.

| module | contents |
|---|---|
| ``client``, ``records``, ``batch``, ``admin`` | ``Client``, by the subject of its methods |
| ``query`` | ``Query``, ``Scan`` |
| ``metrics``, ``client_metrics``, ``snapshots``, ``metrics_files``, ``metrics_policy`` | metrics |
| ``keys``, ``partitions`` | keys of records; which partitions a query reads, and its progress |
| ``configuration``, ``policies``, ``valid_keys`` | converting configurations and policies |
| ``operations``, ``opcodes``, ``paths``, ``expressions`` | the arguments of ``operate`` |
| ``batch_records`` | the rows of a batch |
| ``values`` | GeoJSON, ordered maps, sketches, serializers |
| ``exception``, ``failures`` | exceptions, and the conversion of errors to them |
| ``predicates`` | predicates of index queries |
| ``constants``, ``module``, ``log`` | named constants; functions of the module |
| ``c_errors`` | messages of ``TypeError`` |
| ``differences`` | known differences |
"""

from spikewire.compat.aerospike import (
    exception as exception,
)
from spikewire.compat.aerospike import (
    predicates as predicates,
)
from spikewire.compat.aerospike.client import (
    Client as Client,
)
from spikewire.compat.aerospike.client import (
    client as client,
)
from spikewire.compat.aerospike.config_provider import (
    ConfigProvider as ConfigProvider,
)
from spikewire.compat.aerospike.constants import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike.failures import (
    CompatWarning as CompatWarning,
)
from spikewire.compat.aerospike.installation import (
    install as install,
)
from spikewire.compat.aerospike.log import (
    set_log_handler as set_log_handler,
)
from spikewire.compat.aerospike.log import (
    set_log_level as set_log_level,
)
from spikewire.compat.aerospike.module import (
    calc_digest as calc_digest,
)
from spikewire.compat.aerospike.module import (
    get_partition_id as get_partition_id,
)
from spikewire.compat.aerospike.module import (
    set_deserializer as set_deserializer,
)
from spikewire.compat.aerospike.module import (
    set_serializer as set_serializer,
)
from spikewire.compat.aerospike.module import (
    unset_serializers as unset_serializers,
)
from spikewire.compat.aerospike.opcodes import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike.query import (
    Query as Query,
)
from spikewire.compat.aerospike.query import (
    Scan as Scan,
)
from spikewire.compat.aerospike.transaction import (
    Transaction as Transaction,
)
from spikewire.compat.aerospike.values import (
    CDTInfinite as CDTInfinite,
)
from spikewire.compat.aerospike.values import (
    CDTWildcard as CDTWildcard,
)
from spikewire.compat.aerospike.values import (
    GeoJSON as GeoJSON,
)
from spikewire.compat.aerospike.values import (
    KeyOrderedDict as KeyOrderedDict,
)
from spikewire.compat.aerospike.values import (
    geodata as geodata,
)
from spikewire.compat.aerospike.values import (
    geojson as geojson,
)
from spikewire.compat.aerospike.values import (
    null as null,
)
