"""Expressions on the contents of maps."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.resources import Call, Operator, map_of


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
            {"return_type": return_type, "key": begin, "range": end, "inverted": inverted},
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
