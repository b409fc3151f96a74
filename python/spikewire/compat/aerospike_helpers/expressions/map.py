"""Operations on maps inside expressions."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.resources import Call, Operator, map_of


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


class MapSize(Call):
    """``MapSize``."""

    def __init__(self, ctx: Any, bin: Any) -> None:
        super().__init__("map", "size", bin, ctx, {})


class MapGetByKey(Call):
    """``MapGetByKey``."""

    def __init__(self, ctx: Any, return_type: Any, value_type: Any, key: Any, bin: Any) -> None:
        super().__init__(
            "map", "get_by_key", bin, ctx, {"return_type": return_type, "key": key}, value_type
        )


class MapGetByKeyRange(Call):
    """``MapGetByKeyRange``."""

    def __init__(
        self, ctx: Any, return_type: Any, begin: Any, end: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_key_range",
            bin,
            ctx,
            {"return_type": return_type, "key": begin, "val": end, "inverted": inverted},
        )


class MapGetByKeyList(Call):
    """``MapGetByKeyList``."""

    def __init__(
        self, ctx: Any, return_type: Any, keys: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_key_list",
            bin,
            ctx,
            {"return_type": return_type, "val": keys, "inverted": inverted},
        )


class MapGetByKeyRelIndexRangeToEnd(Call):
    """``MapGetByKeyRelIndexRangeToEnd``."""

    def __init__(
        self, ctx: Any, return_type: Any, key: Any, index: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_key_relative_index",
            bin,
            ctx,
            {"return_type": return_type, "key": key, "index": index, "inverted": inverted},
        )


class MapGetByKeyRelIndexRange(Call):
    """``MapGetByKeyRelIndexRange``."""

    def __init__(
        self,
        ctx: Any,
        return_type: Any,
        key: Any,
        index: Any,
        count: Any,
        bin: Any,
        inverted: bool = False,
    ) -> None:
        super().__init__(
            "map",
            "get_by_key_relative_index",
            bin,
            ctx,
            {
                "return_type": return_type,
                "key": key,
                "index": index,
                "count": count,
                "inverted": inverted,
            },
        )


class MapGetByValue(Call):
    """``MapGetByValue``."""

    def __init__(
        self, ctx: Any, return_type: Any, value: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_value",
            bin,
            ctx,
            {"return_type": return_type, "val": value, "inverted": inverted},
        )


class MapGetByValueRange(Call):
    """``MapGetByValueRange``."""

    def __init__(
        self,
        ctx: Any,
        return_type: Any,
        value_begin: Any,
        value_end: Any,
        bin: Any,
        inverted: bool = False,
    ) -> None:
        super().__init__(
            "map",
            "get_by_value_range",
            bin,
            ctx,
            {
                "return_type": return_type,
                "val": value_begin,
                "range": value_end,
                "inverted": inverted,
            },
        )


class MapGetByValueList(Call):
    """``MapGetByValueList``."""

    def __init__(
        self, ctx: Any, return_type: Any, value: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_value_list",
            bin,
            ctx,
            {"return_type": return_type, "val": value, "inverted": inverted},
        )


class MapGetByValueRelRankRangeToEnd(Call):
    """``MapGetByValueRelRankRangeToEnd``."""

    def __init__(
        self, ctx: Any, return_type: Any, value: Any, rank: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_value_relative_rank",
            bin,
            ctx,
            {"return_type": return_type, "val": value, "rank": rank, "inverted": inverted},
        )


class MapGetByValueRelRankRange(Call):
    """``MapGetByValueRelRankRange``."""

    def __init__(
        self,
        ctx: Any,
        return_type: Any,
        value: Any,
        rank: Any,
        count: Any,
        bin: Any,
        inverted: bool = False,
    ) -> None:
        super().__init__(
            "map",
            "get_by_value_relative_rank",
            bin,
            ctx,
            {
                "return_type": return_type,
                "val": value,
                "rank": rank,
                "count": count,
                "inverted": inverted,
            },
        )


class MapGetByIndex(Call):
    """``MapGetByIndex``."""

    def __init__(self, ctx: Any, return_type: Any, value_type: Any, index: Any, bin: Any) -> None:
        super().__init__(
            "map",
            "get_by_index",
            bin,
            ctx,
            {"return_type": return_type, "index": index},
            value_type,
        )


class MapGetByIndexRangeToEnd(Call):
    """``MapGetByIndexRangeToEnd``."""

    def __init__(
        self, ctx: Any, return_type: Any, index: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_index_range",
            bin,
            ctx,
            {"return_type": return_type, "index": index, "inverted": inverted, "val": None},
        )


class MapGetByIndexRange(Call):
    """``MapGetByIndexRange``."""

    def __init__(
        self, ctx: Any, return_type: Any, index: Any, count: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_index_range",
            bin,
            ctx,
            {"return_type": return_type, "index": index, "val": count, "inverted": inverted},
        )


class MapGetByRank(Call):
    """``MapGetByRank``."""

    def __init__(self, ctx: Any, return_type: Any, value_type: Any, rank: Any, bin: Any) -> None:
        super().__init__(
            "map", "get_by_rank", bin, ctx, {"return_type": return_type, "index": rank}, value_type
        )


class MapGetByRankRangeToEnd(Call):
    """``MapGetByRankRangeToEnd``."""

    def __init__(
        self, ctx: Any, return_type: Any, rank: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_rank_range",
            bin,
            ctx,
            {"return_type": return_type, "index": rank, "inverted": inverted, "val": None},
        )


class MapGetByRankRange(Call):
    """``MapGetByRankRange``."""

    def __init__(
        self, ctx: Any, return_type: Any, rank: Any, count: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "map",
            "get_by_rank_range",
            bin,
            ctx,
            {"return_type": return_type, "index": rank, "val": count, "inverted": inverted},
        )


class MapGetKeys(Operator):
    """The keys of a map."""

    def __init__(self, map_value: Any) -> None:
        super().__init__("mapKeys", map_of(map_value))


class MapGetValues(Operator):
    """The values of a map."""

    def __init__(self, map_value: Any) -> None:
        super().__init__("mapValues", map_of(map_value))
