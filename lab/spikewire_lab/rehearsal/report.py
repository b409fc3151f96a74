"""What a rehearsal says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intervals import total

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spikewire.recording import Trace

    from .plan import Plan
    from .rounds import Round


def about_trace(trace: Trace, plan: Plan) -> Iterator[str]:
    """The lines about a trace."""
    yield (
        f"{len(trace):,} calls recorded in {trace.seconds:.1f} s, {trace.share:.3g} of all:"
        f" {plan.rate:,.0f} calls per second"
    )
    records = sum(len(records.sizes) for records in plan.sets.values())
    yield f"sets: {len(plan.sets)}, records: {records:,}"
    if trace.dropped:
        yield f"{trace.dropped:,} calls are missing in the trace: the load was higher than it shows"
    for counts, text in (
        (plan.left_out, "not sent again, for lack of a key or of a call like it"),
        (plan.substitutes, "sent as another operation of the same size"),
    ):
        if counts:
            named = ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
            yield f"{text}: {named}"


def about_round(one: Round) -> Iterator[str]:
    """The lines about a round."""
    whole = total(one.intervals)
    failed = sum(whole.errors.values())
    p50, p99 = whole.quantile(0.5), whole.quantile(0.99)
    figures = [
        f"{whole.calls:,} calls",
        f"{whole.good:,} good",
        f"{whole.late:,} late",
        f"{failed:,} failed",
        *(f"{name} {value * 1000:.2f} ms" for name, value in (("p50", p50), ("p99", p99)) if value),
        f"client's processor {whole.cpu:.0%}",
    ]
    cut = "" if one.complete else ", interrupted"
    yield f"{one.times:g} times{cut}: {', '.join(figures)}"
    for number, broken in enumerate(one.breaks):
        yield f"  {'first' if number == 0 else 'then'} in second {broken.second:g}: {broken.about}"


def verdict(rounds: Sequence[Round]) -> str:
    """What breaks first, or that nothing does."""
    broken = next((one for one in rounds if one.breaks), None)
    held = [one.times for one in rounds if one.complete and not one.breaks]
    holds = f"holds at {max(held):g} times the rate" if held else ""
    if broken is None:
        return f"{holds}: nothing breaks" if holds else "interrupted before anything was known"
    first = broken.breaks[0]
    names = {
        "cpu": "the client's processor",
        "errors": "errors",
        "queue": "the queue of calls",
        "deadline": "the deadline",
    }
    breaks = (
        f"breaks at {broken.times:g} times the rate in second {first.second:g}:"
        f" {names[first.what]}: {first.about}"
    )
    return f"{holds}, {breaks}" if holds else breaks
