"""A stand-in for a recommendation model, in NumPy: the shape of DLRM, with random weights.

Dense features pass through a small network, identifiers look up embeddings, the dot products of all
pairs of these vectors are computed, and a second network derives a score. Only its cost matters
here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .features import Records

WIDTH, TABLE, HIDDEN, TOP = 16, 10_000, 64, (128, 64, 1)


class Model:
    """Scores the items of a request: the n-th record of each set belongs to the n-th item."""

    def __init__(self, sets: int, seed: int) -> None:
        self._np: Any = importlib.import_module("numpy")
        rng = self._np.random.default_rng(seed)
        # Each set has two identifiers and two dense features.
        self._tables = rng.standard_normal((2 * sets, TABLE, WIDTH), dtype="f4") / WIDTH
        self._bottom = self._layers(rng, (2 * sets, HIDDEN, WIDTH))
        vectors = 2 * sets + 1
        self._pairs = self._np.triu_indices(vectors, 1)
        self._top = self._layers(rng, (WIDTH + vectors * (vectors - 1) // 2, *TOP))

    def _layers(self, rng: Any, sizes: tuple[int, ...]) -> list[Any]:
        return [
            rng.standard_normal((sizes[at], sizes[at + 1]), dtype="f4") / sizes[at] ** 0.5
            for at in range(len(sizes) - 1)
        ]

    def scores(self, records: Records) -> list[float]:
        """One score for each item, from 0 to 1."""
        np = self._np
        ids = np.array(
            [[bins[name] for bins in one] for one in records for name in ("b0", "b1")], dtype="i8"
        ).T
        dense = np.array(
            [[bins[name] for bins in one] for one in records for name in ("b2", "b3")], dtype="f4"
        ).T
        bottom = self._through(self._bottom, dense)
        embedded = self._tables[np.arange(ids.shape[1]), ids % TABLE]
        vectors = np.concatenate((bottom[:, None, :], embedded), axis=1)
        products = vectors @ vectors.transpose(0, 2, 1)
        crossed = products[:, self._pairs[0], self._pairs[1]]
        last = self._through(self._top, np.concatenate((bottom, crossed), axis=1))
        scores: list[float] = (1 / (1 + np.exp(-last[:, 0]))).tolist()
        return scores

    def _through(self, layers: list[Any], values: Any) -> Any:
        for number, weights in enumerate(layers, 1):
            values = values @ weights
            if number < len(layers):
                values = self._np.maximum(values, 0)
        return values
