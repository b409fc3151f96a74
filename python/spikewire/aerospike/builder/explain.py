"""What the call of a step, or of a chain, would use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire._native import Read
from spikewire.aerospike.profiles.explain import Explanation, Used

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.aerospike.builder.rows import Rows
    from spikewire.aerospike.builder.step import Step

__all__ = ["explained_chain", "explained_step"]

#: Options of a batch that concern its rows.
_OF_ROWS = ("read_mode", "read_touch", "ttl", "exists", "durable", "send_key")
#: Options of a step that concern its rows. All other options concern the whole call.
_STEP_OPTIONS_OF_ROWS = frozenset({*_OF_ROWS, "where", "generation", "hedge", "share_reads"})


def explained_step(step: Step, verb: str, *arguments: Any) -> Explanation:
    """``explain`` of a step on its own, which calls this verb."""
    explained: Explanation = step._verbs.explain(verb, *arguments, **step._keywords())  # pyright: ignore[reportPrivateUsage]
    return explained


def explained_chain(last: Rows) -> Explanation:
    """``explain`` of a chain: of its batch, with the rows of each step."""
    steps: list[Any] = [last]
    while steps[-1]._before is not None:
        steps.append(steps[-1]._before)
    steps.reverse()
    whole: dict[str, Any] = {}
    rows: list[Read] = []
    for step in steps:
        step._check_batch()
        keywords = step._keywords().items()
        whole.update((name, value) for name, value in keywords if name not in _STEP_OPTIONS_OF_ROWS)
        rows += (Read(key) for key in _keys(step))
    call: Explanation = steps[0]._verbs.explain("batch", rows, **whole)
    used = {name: it for name, it in call.items() if name not in _OF_ROWS}
    each = tuple(_explain_row(step, call) for step in steps)
    return Explanation(used, call.consistency, verb=call.verb, steps=each, depends=call.depends)


def _explain_row(step: Any, call: Explanation) -> Explanation:
    """What the rows of a step would use."""
    keywords = step._keywords()
    used: dict[str, Used] = {}
    for name in step._row_options:
        if keywords.get(name) is not None:
            used[name] = Used(name, keywords[name], "the step")
        elif (step._verb, name) == ("delete", "send_key"):
            # For this verb the option has another meaning than for rows.
            used[name] = Used(name, False, "the default")
        else:
            used[name] = call[name]
    return Explanation(used, call.consistency, verb=step._verb)


def _keys(step: Any) -> Iterator[Any]:
    """The keys of a step. An iterator is not consumed, because the call needs its keys."""
    keys = step._keys
    if step._single:
        yield keys
    elif hasattr(keys, "__len__"):
        yield from keys
