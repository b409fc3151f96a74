"""Operations on HyperLogLog sketches inside expressions."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.base import HLLBin as HLLBin
from spikewire.compat.aerospike_helpers.expressions.hints import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.resources import Call


class HLLInit(Call):
    """``HLLInit``."""

    def __init__(self, policy: Any, index_bit_count: Any, mh_bit_count: Any, bin: Any) -> None:
        super().__init__(
            "hll",
            "init",
            bin,
            None,
            {
                "hll_policy": policy,
                "index_bit_count": index_bit_count,
                "mh_bit_count": mh_bit_count,
            },
        )


class HLLAdd(Call):
    """``HLLAdd``."""

    def __init__(
        self, policy: Any, list: Any, index_bit_count: Any, mh_bit_count: Any, bin: Any
    ) -> None:
        super().__init__(
            "hll",
            "add",
            bin,
            None,
            {
                "hll_policy": policy,
                "value_list": list,
                "index_bit_count": index_bit_count,
                "mh_bit_count": mh_bit_count,
            },
        )


class HLLGetCount(Call):
    """``HLLGetCount``."""

    def __init__(self, bin: Any) -> None:
        super().__init__("hll", "get_count", bin, None, {})


class HLLGetUnion(Call):
    """``HLLGetUnion``."""

    def __init__(self, values: Any, bin: Any) -> None:
        super().__init__("hll", "get_union", bin, None, {"value_list": values})


class HLLGetUnionCount(Call):
    """``HLLGetUnionCount``."""

    def __init__(self, values: Any, bin: Any) -> None:
        super().__init__("hll", "get_union_count", bin, None, {"value_list": values})


class HLLGetIntersectCount(Call):
    """``HLLGetIntersectCount``."""

    def __init__(self, values: Any, bin: Any) -> None:
        super().__init__("hll", "get_intersect_count", bin, None, {"value_list": values})


class HLLGetSimilarity(Call):
    """``HLLGetSimilarity``."""

    def __init__(self, values: Any, bin: Any) -> None:
        super().__init__("hll", "get_similarity", bin, None, {"value_list": values})


class HLLDescribe(Call):
    """``HLLDescribe``."""

    def __init__(self, bin: Any) -> None:
        super().__init__("hll", "describe", bin, None, {})


class HLLMayContain(Call):
    """``HLLMayContain``."""

    def __init__(self, list: Any, bin: Any) -> None:
        super().__init__("hll", "may_contain", bin, None, {"value_list": list})
