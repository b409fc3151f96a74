"""Containers that change while they are being encoded: an error, and nothing is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from apis import Caller


def changing(change: Any) -> Any:
    """A mapping that runs something when it is read."""

    class Changing(Mapping):  # type: ignore[type-arg]
        def __getitem__(self, name: str) -> int:
            change()
            return 7

        def __iter__(self) -> Any:
            return iter(("a",))

        def __len__(self) -> int:
            return 1

    return Changing()


def test_records_bins_and_maps_changed_while_read_raise(data: Caller) -> None:
    records: dict[Any, Any] = {1: {"n": 1}, 2: {}, 3: {"n": 3}}
    records[2] = {"m": changing(lambda: records.update({len(records) + 1: {"n": 1}}))}
    with pytest.raises(RuntimeError, match="a dict was changed while it was read"):
        data.put_many(records)
    bins: dict[str, Any] = {"a": 1}
    bins["m"] = changing(lambda: bins.pop("a", None))
    bins["z"] = 1
    with pytest.raises(RuntimeError, match="a dict was changed while it was read"):
        data.put(4, bins)
    inner: dict[str, Any] = {}
    inner["m"] = changing(lambda: inner.update({f"k{len(inner)}": 1}))
    inner["z"] = 1
    with pytest.raises(RuntimeError, match="a dict was changed while it was read"):
        data.put(4, {"d": inner})
    assert data.exists_many(range(1, 5)).found == 0


def test_a_list_changed_while_it_is_read_raises(data: Caller) -> None:
    items: list[Any] = [1, 2, 3]
    items[0] = changing(items.pop)
    with pytest.raises(RuntimeError, match="a list was changed while it was read"):
        data.put(1, {"l": items})
    growing: list[Any] = [0, 2]
    growing[0] = changing(lambda: growing.append(1))
    data.put(2, {"l": growing})
    assert data.get(2)["l"] == [{"a": 7}, 2]
    assert not data.exists(1)


def test_a_mapping_that_lies_about_its_length(data: Caller) -> None:
    class Short(Mapping):  # type: ignore[type-arg]
        def __getitem__(self, name: str) -> int:
            return 7

        def __iter__(self) -> Any:
            return iter(("a", "b"))

        def __len__(self) -> int:
            return 1

    data.put(1, {"m": Short()})
    assert data.get(1)["m"] == {"a": 7, "b": 7}
