"""The cost of metrics: CPU time per command, in one process, with metrics off,
counted, with stages timed and with spans of OpenTelemetry, in interleaved rounds.

    .venv/bin/python benches/signals.py [ROUNDS]

A cluster in another process answers. The table has the median of all rounds for the client's
process with its threads, and the difference from off.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import spikewire

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

TASKS, COMMANDS = 32, 6400
MODES = ("off", "counters", "stages", "spans")


async def run(users: Any) -> float:
    """CPU time of a command, in microseconds."""

    async def work() -> None:
        for _ in range(COMMANDS // TASKS):
            await users.get(1)

    start = time.process_time()
    await asyncio.gather(*(work() for _ in range(TASKS)))
    return (time.process_time() - start) / COMMANDS * 1e6


def blocking(users: Any) -> float:
    """The same for a calling thread."""
    start = time.process_time()
    for _ in range(COMMANDS):
        users.get(1)
    return (time.process_time() - start) / COMMANDS * 1e6


def turn(client: Any, mode: str) -> None:
    """Configures the metrics of the client for the mode."""
    if mode in ("counters", "stages"):
        client.metrics.enable(stages=mode == "stages")
    else:
        client.metrics.disable()


def traced(client: Any) -> Any | None:
    """The client with spans, if OpenTelemetry is installed."""
    try:
        from opentelemetry.sdk.trace import TracerProvider

        from spikewire.metrics import otel
    except ImportError:
        return None
    return otel.instrument(client, tracer_provider=TracerProvider())


async def measure(client: Any, rounds: int, one: Callable[[Any], Awaitable[float]]) -> None:
    """Prints the table of one API."""
    view = traced(client)
    users = client.dataset("test", "users")
    modes = [mode for mode in MODES if mode != "spans" or view is not None]
    by_mode: dict[str, list[float]] = {mode: [] for mode in modes}
    for number in range(rounds + 1):
        for mode in modes:
            turn(client, mode)
            dataset = view.dataset("test", "users") if mode == "spans" and view else users
            took = await one(dataset)
            if number:  # the first round is the warm-up
                by_mode[mode].append(took)
    off = statistics.median(by_mode["off"])
    for mode, times in by_mode.items():
        median = statistics.median(times)
        more = statistics.median(
            time / base for time, base in zip(times, by_mode["off"], strict=True)
        )
        print(f"{type(client).__name__:12} {mode:9} {median:7.2f} µs/op  {more - 1:+6.1%}")
    assert off > 0


async def main(seeds: str, rounds: int) -> None:
    """Both APIs."""
    async with spikewire.AsyncClient(seeds) as client:
        await client.dataset("test", "users").put(1, {"n": 1})
        await measure(client, rounds, run)

    async def thread(users: Any) -> float:
        return blocking(users)

    with spikewire.Client(seeds) as threads:
        await measure(threads, rounds, thread)


if __name__ == "__main__":
    command = [sys.executable, "-m", "spikewire", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            seeds = server.stdout.readline().removeprefix("ready ").strip()
            asyncio.run(main(seeds, int(sys.argv[1]) if len(sys.argv) > 1 else 9))
        finally:
            server.terminate()
