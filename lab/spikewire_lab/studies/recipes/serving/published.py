"""The figures of the study, by environment."""

from __future__ import annotations

from dataclasses import dataclass

from ....serving.cells import (
    ASGI,
    BATCH,
    ENVIRONMENTS,
    LOOP,
    MODEL,
    OFFICIAL,
    PEER,
    SETS,
)
from ...relative import change
from ...report import LESS, Heading, Row, Table
from .figures import AVERAGE, P90, P95, P99, RATE

PUBLISHED: dict[str, dict[str, dict[str, float]]] = {
    LOOP: {
        PEER: {AVERAGE.key: 22, P99.key: 121, RATE.key: 374},
        OFFICIAL: {AVERAGE.key: 108, P99.key: 195, RATE.key: 138},
    },
    ASGI: {
        PEER: {AVERAGE.key: 228, RATE.key: 19.4},
        OFFICIAL: {AVERAGE.key: 290, RATE.key: 16.6},
    },
    MODEL: {
        PEER: {AVERAGE.key: 118, P90.key: 173, P95.key: 189},
        OFFICIAL: {AVERAGE.key: 146, P90.key: 293, P95.key: 324},
    },
}
_HEADINGS: dict[str, tuple[Heading, ...]] = {
    LOOP: (AVERAGE, P99, RATE),
    ASGI: (AVERAGE, RATE),
    MODEL: (AVERAGE, P90, P95),
}


@dataclass(frozen=True)
class Step:
    """A step in a chain of improvements."""

    what: str
    client: str
    way: str
    free_threaded: bool
    p95: float | None = None
    """Milliseconds, as published."""


STEPS = (
    Step("aerospike, gathered batches", OFFICIAL, SETS, free_threaded=False, p95=324),
    Step("aerospike-py instead", PEER, SETS, free_threaded=False, p95=189),
    Step("aerospike-py, one batch", PEER, BATCH, free_threaded=False, p95=126),
    Step("aerospike-py, one batch, no GIL", PEER, BATCH, free_threaded=True, p95=97),
)

CHANGE = Heading("change", "p95 against the first", "%", LESS, 0)
_ACTIONS = (
    ("aerospike-py instead of aerospike", "-42 %, Python 3.11", STEPS[1].what),
    ("one batch instead of gathered ones", "-33 % more, with the GIL", STEPS[2].what),
    ("Python 3.14 without the GIL", "-49 % more, requests +47 %", STEPS[3].what),
    (
        "internal metrics of aerospike-py stay on",
        "about 0",
        "not measured: a switch of that client",
    ),
)


def _advantage(clients: dict[str, dict[str, float]]) -> Row:
    """The last column: the difference of each figure in percent."""
    ours, official = clients[PEER], clients[OFFICIAL]
    changes = {key: change(figure, official[key]) for key, figure in ours.items()}
    texts = {key: f"{by:+.0f} %" for key, by in changes.items() if by is not None}
    return Row(f"{PEER} against {OFFICIAL}", texts)


TABLES = (
    *(
        Table(
            f"published-{environment}",
            ENVIRONMENTS[environment],
            "Python 3.11 with a GIL; k6 with 10 virtual users for 60 s where there is HTTP, two"
            " replicas of 4 processors and 4 GiB each; the official client in an executor.",
            _HEADINGS[environment],
            (
                *(Row(client, fields, client) for client, fields in clients.items()),
                _advantage(clients),
            ),
        )
        for environment, clients in PUBLISHED.items()
    ),
    Table(
        "published-steps",
        "Cumulative gain on p95 in environment C",
        "As the study chains them. They come from runs of different scripts, and the first two are"
        " elsewhere in the same study runs with a single batch already.",
        (P95, CHANGE),
        tuple(
            Row(
                step.what,
                {P95.key: step.p95, CHANGE.key: change(step.p95, STEPS[0].p95)},
                step.client,
            )
            for step in STEPS
        ),
        "step",
    ),
    Table(
        "published-actions",
        "What the study advises, in this order",
        "Each against the one before, in environment C.",
        (Heading("effect", "effect on p95"), Heading("here", "measured here as")),
        tuple(Row(action, {"effect": effect, "here": here}) for action, effect, here in _ACTIONS),
        "action",
    ),
)
