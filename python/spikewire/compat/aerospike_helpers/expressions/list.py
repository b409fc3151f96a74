"""Operations on lists inside expressions."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers import cdt_ctx as cdt_ctx
from spikewire.compat.aerospike_helpers.expressions.base import ListBin as ListBin
from spikewire.compat.aerospike_helpers.expressions.hints import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.resources import Absent, Call, Operator, list_of
from spikewire.compat.aerospike_helpers.expressions.resources import ReturnType as ReturnType


class ListAppend(Call):
    """``ListAppend``."""

    def __init__(self, ctx: Any, policy: Any, value: Any, bin: Any) -> None:
        super().__init__("list", "append", bin, ctx, {"list_policy": policy, "val": value})


class ListAppendItems(Call):
    """``ListAppendItems``."""

    def __init__(self, ctx: Any, policy: Any, value: Any, bin: Any) -> None:
        super().__init__("list", "append_items", bin, ctx, {"list_policy": policy, "val": value})


class ListInsert(Call):
    """``ListInsert``."""

    def __init__(self, ctx: Any, policy: Any, index: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "list", "insert", bin, ctx, {"list_policy": policy, "index": index, "val": value}
        )


class ListInsertItems(Call):
    """``ListInsertItems``."""

    def __init__(self, ctx: Any, policy: Any, index: Any, values: Any, bin: Any) -> None:
        super().__init__(
            "list", "insert_items", bin, ctx, {"list_policy": policy, "index": index, "val": values}
        )


class ListIncrement(Call):
    """``ListIncrement``."""

    def __init__(self, ctx: Any, policy: Any, index: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "list", "increment", bin, ctx, {"list_policy": policy, "index": index, "val": value}
        )


class ListSet(Call):
    """``ListSet``."""

    def __init__(self, ctx: Any, policy: Any, index: Any, value: Any, bin: Any) -> None:
        super().__init__(
            "list", "set", bin, ctx, {"list_policy": policy, "index": index, "val": value}
        )


class ListClear(Call):
    """``ListClear``."""

    def __init__(self, ctx: Any, bin: Any) -> None:
        super().__init__("list", "clear", bin, ctx, {})


class ListSort(Call):
    """``ListSort``."""

    def __init__(self, ctx: Any, order: Any, bin: Any) -> None:
        super().__init__("list", "sort", bin, ctx, {"sort_flags": order})


class ListRemoveByValue(Call):
    """``ListRemoveByValue``."""

    def __init__(self, ctx: Any, value: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "list",
            "remove_by_value",
            bin,
            ctx,
            {"val": value, "inverted": inverted, "return_type": 0},
        )


class ListRemoveByValueList(Call):
    """``ListRemoveByValueList``."""

    def __init__(self, ctx: Any, values: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "list",
            "remove_by_value_list",
            bin,
            ctx,
            {"value_list": values, "inverted": inverted, "return_type": 0},
        )


class ListRemoveByValueRange(Call):
    """``ListRemoveByValueRange``."""

    def __init__(self, ctx: Any, begin: Any, end: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "list",
            "remove_by_value_range",
            bin,
            ctx,
            {"value_begin": begin, "value_end": end, "inverted": inverted, "return_type": 0},
        )


class ListRemoveByValueRelRankToEnd(Call):
    """``ListRemoveByValueRelRankToEnd``."""

    def __init__(self, ctx: Any, value: Any, rank: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "list",
            "remove_by_value_relative_rank",
            bin,
            ctx,
            {"val": value, "rank": rank, "inverted": inverted, "return_type": 0},
        )


class ListRemoveByValueRelRankRange(Call):
    """``ListRemoveByValueRelRankRange``."""

    def __init__(
        self, ctx: Any, value: Any, rank: Any, count: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "list",
            "remove_by_value_relative_rank",
            bin,
            ctx,
            {"val": value, "rank": rank, "count": count, "inverted": inverted, "return_type": 0},
        )


class ListRemoveByIndex(Call):
    """``ListRemoveByIndex``."""

    def __init__(self, ctx: Any, index: Any, bin: Any) -> None:
        super().__init__("list", "remove_by_index", bin, ctx, {"index": index, "return_type": 0})


class ListRemoveByIndexRangeToEnd(Call):
    """``ListRemoveByIndexRangeToEnd``."""

    def __init__(self, ctx: Any, index: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "list",
            "remove_by_index_range",
            bin,
            ctx,
            {"index": index, "inverted": inverted, "return_type": 0},
        )


class ListRemoveByIndexRange(Call):
    """``ListRemoveByIndexRange``."""

    def __init__(self, ctx: Any, index: Any, count: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "list",
            "remove_by_index_range",
            bin,
            ctx,
            {"index": index, "count": count, "inverted": inverted, "return_type": 0},
        )


class ListRemoveByRank(Call):
    """``ListRemoveByRank``."""

    def __init__(self, ctx: Any, rank: Any, bin: Any) -> None:
        super().__init__("list", "remove_by_rank", bin, ctx, {"rank": rank, "return_type": 0})


class ListRemoveByRankRangeToEnd(Call):
    """``ListRemoveByRankRangeToEnd``."""

    def __init__(self, ctx: Any, rank: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "list",
            "remove_by_rank_range",
            bin,
            ctx,
            {"rank": rank, "inverted": inverted, "return_type": 0},
        )


class ListRemoveByRankRange(Call):
    """``ListRemoveByRankRange``."""

    def __init__(self, ctx: Any, rank: Any, count: Any, bin: Any, inverted: bool = False) -> None:
        super().__init__(
            "list",
            "remove_by_rank_range",
            bin,
            ctx,
            {"rank": rank, "count": count, "inverted": inverted, "return_type": 0},
        )


class ListSize(Call):
    """``ListSize``."""

    def __init__(self, ctx: Any, bin: Any) -> None:
        super().__init__("list", "size", bin, ctx, {})


class ListGetByValue(Call):
    """``ListGetByValue``."""

    def __init__(
        self, ctx: Any, return_type: Any, value: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "list",
            "get_by_value",
            bin,
            ctx,
            {"return_type": return_type, "val": value, "inverted": inverted},
        )


class ListGetByValueRange(Call):
    """``ListGetByValueRange``."""

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
            "list",
            "get_by_value_range",
            bin,
            ctx,
            {
                "return_type": return_type,
                "value_begin": value_begin,
                "value_end": value_end,
                "inverted": inverted,
            },
        )


class ListGetByValueList(Call):
    """``ListGetByValueList``."""

    def __init__(
        self, ctx: Any, return_type: Any, value: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "list",
            "get_by_value_list",
            bin,
            ctx,
            {"return_type": return_type, "value_list": value, "inverted": inverted},
        )


class ListGetByValueRelRankRangeToEnd(Call):
    """``ListGetByValueRelRankRangeToEnd``."""

    def __init__(
        self, ctx: Any, return_type: Any, value: Any, rank: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "list",
            "get_by_value_relative_rank",
            bin,
            ctx,
            {"return_type": return_type, "val": value, "rank": rank, "inverted": inverted},
        )


class ListGetByValueRelRankRange(Call):
    """``ListGetByValueRelRankRange``."""

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
            "list",
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


class ListGetByIndex(Call):
    """``ListGetByIndex``."""

    def __init__(self, ctx: Any, return_type: Any, value_type: Any, index: Any, bin: Any) -> None:
        super().__init__(
            "list",
            "get_by_index",
            bin,
            ctx,
            {"return_type": return_type, "index": index},
            value_type,
        )


class ListGetByIndexRangeToEnd(Call):
    """``ListGetByIndexRangeToEnd``."""

    def __init__(
        self, ctx: Any, return_type: Any, index: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "list",
            "get_by_index_range",
            bin,
            ctx,
            {"return_type": return_type, "index": index, "inverted": inverted},
        )


class ListGetByIndexRange(Call):
    """``ListGetByIndexRange``."""

    def __init__(
        self, ctx: Any, return_type: Any, index: Any, count: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "list",
            "get_by_index_range",
            bin,
            ctx,
            {"return_type": return_type, "index": index, "count": count, "inverted": inverted},
        )


class ListGetByRank(Call):
    """``ListGetByRank``."""

    def __init__(self, ctx: Any, return_type: Any, value_type: Any, rank: Any, bin: Any) -> None:
        super().__init__(
            "list", "get_by_rank", bin, ctx, {"return_type": return_type, "rank": rank}, value_type
        )


class ListGetByRankRangeToEnd(Call):
    """``ListGetByRankRangeToEnd``."""

    def __init__(
        self, ctx: Any, return_type: Any, rank: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "list",
            "get_by_rank_range",
            bin,
            ctx,
            {"return_type": return_type, "rank": rank, "inverted": inverted},
        )


class ListGetByRankRange(Call):
    """``ListGetByRankRange``."""

    def __init__(
        self, ctx: Any, return_type: Any, rank: Any, count: Any, bin: Any, inverted: bool = False
    ) -> None:
        super().__init__(
            "list",
            "get_by_rank_range",
            bin,
            ctx,
            {"return_type": return_type, "rank": rank, "count": count, "inverted": inverted},
        )


class InList(Operator):
    """Whether a list contains a value."""

    def __init__(self, value: Any, bin: Any) -> None:
        super().__init__("in", value, list_of(bin))


class ListJoin(Absent):
    """Not supported."""
