"""Expressions on maps without some of their entries."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.resources import Call


class MapRemoveByKey(Call):
    """``MapRemoveByKey``."""

    def __init__(self, ctx: Any, key: Any, bin: Any) -> None:
        super().__init__("map", "remove_by_key", bin, ctx, {"key": key, "return_type": 0})


class MapRemoveByKeyList(Call):
    """``MapRemoveByKeyList``."""

    def __init__(self, ctx: Any, keys: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_key_list",
            bin,
            ctx,
            {"val": keys, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByKeyRange(Call):
    """``MapRemoveByKeyRange``."""

    def __init__(self, ctx: Any, begin: Any, end: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_key_range",
            bin,
            ctx,
            {"key": begin, "val": end, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByKeyRelIndexRangeToEnd(Call):
    """``MapRemoveByKeyRelIndexRangeToEnd``."""

    def __init__(self, ctx: Any, key: Any, index: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_key_relative_index",
            bin,
            ctx,
            {"key": key, "index": index, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByKeyRelIndexRange(Call):
    """``MapRemoveByKeyRelIndexRange``."""

    def __init__(
        self, ctx: Any, key: Any, index: Any, count: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "remove_by_key_relative_index",
            bin,
            ctx,
            {"key": key, "index": index, "count": count, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByValue(Call):
    """``MapRemoveByValue``."""

    def __init__(self, ctx: Any, value: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_value",
            bin,
            ctx,
            {"val": value, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByValueList(Call):
    """``MapRemoveByValueList``."""

    def __init__(self, ctx: Any, values: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_value_list",
            bin,
            ctx,
            {"val": values, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByValueRange(Call):
    """``MapRemoveByValueRange``."""

    def __init__(self, ctx: Any, begin: Any, end: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_value_range",
            bin,
            ctx,
            {"val": begin, "range": end, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByValueRelRankRangeToEnd(Call):
    """``MapRemoveByValueRelRankRangeToEnd``."""

    def __init__(self, ctx: Any, value: Any, rank: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_value_relative_rank",
            bin,
            ctx,
            {"val": value, "rank": rank, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByValueRelRankRange(Call):
    """``MapRemoveByValueRelRankRange``."""

    def __init__(
        self, ctx: Any, value: Any, rank: Any, count: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "remove_by_value_relative_rank",
            bin,
            ctx,
            {"val": value, "rank": rank, "count": count, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByIndex(Call):
    """``MapRemoveByIndex``."""

    def __init__(self, ctx: Any, index: Any, bin: Any) -> None:
        super().__init__("map", "remove_by_index", bin, ctx, {"index": index, "return_type": 0})


class MapRemoveByIndexRangeToEnd(Call):
    """``MapRemoveByIndexRangeToEnd``."""

    def __init__(self, ctx: Any, index: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_index_range",
            bin,
            ctx,
            {"index": index, "inverted": inverted, "return_type": 0, "val": None},
        )


class MapRemoveByIndexRange(Call):
    """``MapRemoveByIndexRange``."""

    def __init__(self, ctx: Any, index: Any, count: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_index_range",
            bin,
            ctx,
            {"index": index, "val": count, "inverted": inverted, "return_type": 0},
        )


class MapRemoveByRank(Call):
    """``MapRemoveByRank``."""

    def __init__(self, ctx: Any, rank: Any, bin: Any) -> None:
        super().__init__("map", "remove_by_rank", bin, ctx, {"index": rank, "return_type": 0})


class MapRemoveByRankRangeToEnd(Call):
    """``MapRemoveByRankRangeToEnd``."""

    def __init__(self, ctx: Any, rank: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_rank_range",
            bin,
            ctx,
            {"index": rank, "inverted": inverted, "return_type": 0, "val": None},
        )


class MapRemoveByRankRange(Call):
    """``MapRemoveByRankRange``."""

    def __init__(self, ctx: Any, rank: Any, count: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "map",
            "remove_by_rank_range",
            bin,
            ctx,
            {"index": rank, "val": count, "inverted": inverted, "return_type": 0},
        )
