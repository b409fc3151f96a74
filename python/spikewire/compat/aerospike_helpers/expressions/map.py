"""Operations on maps inside expressions."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers import cdt_ctx as cdt_ctx
from spikewire.compat.aerospike_helpers.expressions.base import MapBin as MapBin
from spikewire.compat.aerospike_helpers.expressions.hints import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.map_removals import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.map_selections import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.resources import Call
from spikewire.compat.aerospike_helpers.expressions.resources import ReturnType as ReturnType


class MapPut(Call):
    """``MapPut``."""

    def __init__(self, ctx: Any, policy: Any, key: Any, value: Any, bin: Any) -> None:
        super().__init__("map", "put", bin, ctx, {"map_policy": policy, "key": key, "val": value})


class MapPutItems(Call):
    """``MapPutItems``."""

    def __init__(self, ctx: Any, policy: Any, map: Any, bin: Any) -> None:
        super().__init__("map", "put_items", bin, ctx, {"map_policy": policy, "val": map})


class MapIncrement(Call):
    """``MapIncrement``."""

    def __init__(self, ctx: Any, policy: Any, key: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "map", "increment", bin, ctx, {"map_policy": policy, "key": key, "val": value}
        )


class MapClear(Call):
    """``MapClear``."""

    def __init__(self, ctx: Any, bin: Any) -> None:
        super().__init__("map", "clear", bin, ctx, {})


class MapSize(Call):
    """``MapSize``."""

    def __init__(self, ctx: Any, bin: Any) -> None:
        super().__init__("map", "size", bin, ctx, {})
