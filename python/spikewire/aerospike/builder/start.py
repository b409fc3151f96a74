"""Where chains begin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from spikewire._native import AsyncDataset, Dataset, SessionBase
from spikewire.aerospike.builder.step import keys_of

if TYPE_CHECKING:
    from spikewire._native import StepKinds

__all__ = ["Start"]

_DATASETS = (Dataset, AsyncDataset)


class Start(SessionBase):
    """Starts chains. Common to blocking and asyncio builders."""

    __slots__ = ()

    #: The classes of steps.
    _kinds: ClassVar[StepKinds]
    _scan: ClassVar[type[Any]]
    _dataset: ClassVar[type[Any]]

    def _several(self, verb: str, key: Any, more: tuple[Any, ...]) -> Any:
        """A step on anything other than a single ``Key``."""
        if verb == "query" and not more and isinstance(getattr(key, "_target", key), _DATASETS):
            return self._step(verb, self._own(key), True, of=self._scan)
        keys, single = keys_of(verb, key, more, awaited=self._dataset is AsyncDataset)
        return self._step(verb, keys, single)

    def _own(self, dataset: Any) -> Any:
        """A dataset of this client. For a view, the dataset itself, because the profile is the
        builder's."""
        native = getattr(dataset, "_target", dataset)
        if not isinstance(native, self._dataset) or not self._verbs._owns(native):
            raise ValueError(f"{dataset!r} is a dataset of another client")
        return native

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._verbs!r}>"
