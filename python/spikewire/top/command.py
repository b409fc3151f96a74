"""The command ``spikewire top``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING

from spikewire.top.scrape import Scrape, ScrapeError, address, scrape
from spikewire.top.view import View, between

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    """Adds the command."""
    top = commands.add_parser(
        "top",
        help="show live command statistics of a running program",
        description="Reads the metrics that a program serves for Prometheus "
        "(spikewire.metrics.asgi_app, wsgi_app or a registry) repeatedly, and shows the"
        " changes: commands per second, latencies, errors, by operation and by node. "
        "All clients of the program are summed. Ctrl-C ends it.",
        epilog="example: spikewire top localhost:8000",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    top.add_argument(
        "url",
        metavar="URL",
        help="where the program serves its metrics; HOST:PORT stands for http://HOST:PORT/metrics",
    )
    top.add_argument(
        "-i", "--interval", type=_seconds, default=2.0, metavar="SECONDS", help="time between reads"
    )
    top.add_argument("--once", action="store_true", help="show one interval, then exit")
    top.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object per line and interval; times in seconds",
    )
    top.set_defaults(run=_run)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number of seconds, not {text!r}") from None
    if not 0.05 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"must be from 0.05 to 3600, not {text}")
    return seconds


_FILE_WIDTH = 200


def _run(options: argparse.Namespace) -> int:
    url: str = address(options.url)
    try:
        return _watch(url, options)
    except ScrapeError as error:
        raise OSError(str(error)) from error
    except KeyboardInterrupt:
        return 0  # The normal way to end it.


def _watch(url: str, options: argparse.Namespace) -> int:
    interval: float = options.interval
    if options.json:
        _each(url, interval, options.once, lambda view: print(json.dumps(view.plain()), flush=True))
        return 0
    try:
        from rich.console import Console
        from rich.live import Live

        from spikewire.top.screen import problem, screen
    except ImportError as error:
        message = "spikewire top needs rich, except with --json: pip install rich"
        raise OSError(message) from error
    # A file or a pipe has no width of its own: nothing is cut there.
    console = Console() if sys.stdout.isatty() else Console(width=_FILE_WIDTH)
    if options.once or not console.is_terminal:
        _each(url, interval, options.once, lambda view: console.print(screen(url, view)))
        return 0
    with Live(problem(url, "..."), console=console, auto_refresh=False, screen=True) as live:
        _each(
            url,
            interval,
            False,
            lambda view: live.update(screen(url, view), refresh=True),
            lambda error: live.update(problem(url, str(error)), refresh=True),
        )
    return 0


def _each(
    url: str,
    interval: float,
    once: bool,
    show: Callable[[View], object],
    fails: Callable[[ScrapeError], object] | None = None,
) -> None:
    """Shows one interval after the other. The first scrape's failure is raised, since it is mostly
    a wrong address; later failures are passed to ``fails`` if given.
    """
    before: Scrape | None = scrape(url, max(interval, 5.0))
    while True:
        time.sleep(interval)
        try:
            after = scrape(url, max(interval, 5.0))
        except ScrapeError as error:
            if fails is None:
                raise
            fails(error)
            before = None
            continue
        if before is not None:
            show(between(before, after))
            if once:
                return
        before = after
