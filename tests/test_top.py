"""``spikewire top``, against the endpoint of a program."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

import spikewire
from spikewire import metrics
from spikewire.cli import main
from spikewire.testing import Cluster
from spikewire.top.scrape import ScrapeError, address, read, scrape
from spikewire.top.view import between, quantile

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Longer than anything here takes on a loaded machine.
LONG = 60


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The endpoint of a program that reads existing and missing records all the time."""
    ends = threading.Event()
    with Cluster(nodes=2) as cluster, spikewire.Client(cluster.seeds) as client:
        client.metrics.enable(stages=True)
        users = client.dataset("test", "users")

        def work() -> None:
            users.put(1, {"n": 1})
            while not ends.is_set():
                users.get(1)
                users.get("nobody", default=None)

        server = make_server("127.0.0.1", 0, metrics.wsgi_app(client), handler_class=Quiet)
        threads = [threading.Thread(target=work), threading.Thread(target=server.serve_forever)]
        for thread in threads:
            thread.start()
        yield f"127.0.0.1:{server.server_port}"
        ends.set()
        server.shutdown()
        server.server_close()
        for thread in threads:
            thread.join()


def text(gets: int, failed: int, fast: int) -> str:
    def series(result: str, all_of_them: int, within: int) -> str:
        labels = f'operation="get",namespace="te\\"st",node="A 1:2",result="{result}"'
        name = "spikewire_command_duration_seconds"
        return (
            f'{name}_bucket{{{labels},le="0.001"}} {within}\n'
            f'{name}_bucket{{{labels},le="0.002"}} {all_of_them}\n'
            f'{name}_bucket{{{labels},le="+Inf"}} {all_of_them}\n'
            f"{name}_sum{{{labels}}} 0.5\n{name}_count{{{labels}}} {all_of_them}\n"
        )

    return (
        "# HELP of_another_library 1\nof_another_library 5\n"
        + series("ok", gets, fast)
        + series("timeout", failed, failed)
        + 'spikewire_node_connections{node="A 1:2"} 3\nspikewire_node_connections{node="B 1:3"} 1\n'
        'spikewire_node_breaker_open{node="B 1:3"} 1\n'
        "spikewire_commands_in_flight 4\nspikewire_commands_queued 2\nspikewire_counting 1\n"
    )


def test_rates_and_latencies_are_what_came_in_between() -> None:
    before, after = read(text(100, 0, 100)), read(text(300, 20, 100))
    after.at = before.at + 2.0
    view = between(before, after)
    assert view.total.rate == pytest.approx(110)
    assert view.total.errors == pytest.approx(10)
    assert (view.in_flight, view.queued, view.counting) == (4, 2, True)
    (line,) = view.operations
    assert (line.name, line.results) == ('get te"st', {"ok": 100.0, "timeout": 10.0})
    # 200 of 220 took 1 to 2 ms, the others less.
    assert line.p50 == pytest.approx(0.001 + 0.001 * (110 - 20) / 200)
    assert line.p99 == pytest.approx(0.001 + 0.001 * (217.8 - 20) / 200)
    first, second = view.nodes
    assert (first.name, first.rate, first.connections, first.breaker_open) == (
        "A 1:2",
        110,
        3,
        False,
    )
    assert (second.name, second.rate, second.p99) == ("B 1:3", 0, None)
    assert (second.connections, second.breaker_open) == (1, True)
    # The program restarted.
    again = read(text(10, 0, 10))
    again.at = after.at + 1.0
    assert between(after, again).total.rate == pytest.approx(10)


def test_quantiles_are_estimated_from_buckets() -> None:
    assert quantile({}, 0.5) is None
    assert quantile({1.0: 0, float("inf"): 0}, 0.5) is None
    assert quantile({1.0: 0, float("inf"): 5}, 0.5) == 1.0
    assert quantile({1.0: 4, float("inf"): 4}, 0.5) == 0.5


def test_addresses_of_metrics_are_completed() -> None:
    assert address("localhost:8000") == "http://localhost:8000/metrics"
    assert address("https://h/m?x=1") == "https://h/m?x=1"
    for wrong in ("ftp://h/metrics", "http://", "file:///etc/passwd"):
        with pytest.raises(ValueError, match="is not the address"):
            address(wrong)
    with pytest.raises(ScrapeError, match="none of a Spikewire client"):
        read("up 1\n")


def test_json_output_is_printed(endpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", endpoint, "--once", "--json", "--interval", "0.3"]) == 0
    view = json.loads(capsys.readouterr().out)
    assert view["total"]["rate"] > 0
    operations = {line["name"]: line for line in view["operations"]}
    get = operations["get test"]
    assert 0 < get["p50"] <= get["p99"] < LONG
    assert set(get["results"]) == {"ok", "not_found"}
    assert get["errors"] == 0
    assert len(view["nodes"]) == 2
    assert sum(node["rate"] for node in view["nodes"]) == pytest.approx(view["total"]["rate"])
    assert {line["name"] for line in view["stages"]} >= {"encode", "queue", "wire", "hand_over"}


def test_once_prints_a_table(endpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    assert main(["top", endpoint, "--once", "--interval", "0.2"]) == 0
    output = capsys.readouterr().out
    assert f"http://{endpoint}/metrics" in output
    assert "get test" in output
    assert "not_found" in output
    # A file or a pipe has no width: nothing is cut.
    assert "…" not in output
    assert "breaker" in output


def test_narrow_screens_shorten_names_not_numbers() -> None:
    console = pytest.importorskip("rich.console", reason="rich is not installed")
    from spikewire.top.screen import screen

    text_of_before, text_of_after = text(100, 0, 100), text(3000, 0, 2000)
    for old, new in (('"A 1:2"', '"BB900009E5F0002 127.0.0.1:40001"'), ("timeout", "not_found")):
        text_of_before = text_of_before.replace(old, new)
        text_of_after = text_of_after.replace(old, new)
    before, after = read(text_of_before), read(text_of_after)
    after.at = before.at + 2.0
    output = console.Console(width=80, file=io.StringIO())
    output.print(screen("http://h/metrics", between(before, after)))
    lines = output.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    (head,) = (line for line in lines if line.startswith("node"))
    assert head.split()[:7] == ["node", "per", "s", "p50", "p99", "errors/s", "connections"]
    (node,) = (line for line in lines if line.startswith("BB9"))
    assert "…" in node
    assert node.split("…", 1)[1].split()[:5] == ["1,450", "763", "µs", "1.97", "ms"]


def test_errors_are_printed(endpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "ftp://nowhere", "--once"]) == 1
    assert "is not the address of metrics" in capsys.readouterr().err
    assert main(["top", "127.0.0.1:1", "--once"]) == 1
    assert "127.0.0.1:1/metrics" in capsys.readouterr().err
    for interval, output in [("0", "from 0.05 to 3600, not 0"), ("often", "number of seconds")]:
        with pytest.raises(SystemExit):
            main(["top", endpoint, "--interval", interval])
        assert output in capsys.readouterr().err


@pytest.mark.parametrize(
    "reply",
    [b"nonsense\r\n\r\n", b"", b"HTTP/1.0 200 OK\r\nContent-Length: 999\r\n\r\nspikewire_x 1\n"],
    ids=["no HTTP", "nothing", "cut"],
)
def test_a_reply_that_is_not_http_is_reported(reply: bytes) -> None:
    """Whatever an endpoint answers is an error of the command, not a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                while b"\r\n\r\n" not in connection.recv(4096):
                    pass
                connection.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/metrics"
        with pytest.raises(ScrapeError, match=url):
            scrape(url, LONG)
        thread.join()


def test_numbers_that_are_none_are_left_out() -> None:
    odd = (
        'spikewire_command_duration_seconds_bucket{node="A",le="wide"} 5\n'
        'spikewire_command_duration_seconds_bucket{node="A",le="NaN"} 5\n'
        "spikewire_commands_in_flight NaN\nspikewire_commands_queued +Inf\n"
        "spikewire_commands_queued x\n"
    )
    before, after = (read(text(gets, 0, gets) + odd) for gets in (100, 200))
    view = between(before, after)
    assert (view.in_flight, view.queued) == (4, 2), "those of the numbers"
    assert view.total.rate > 0


def test_control_characters_of_servers_do_not_reach_the_terminal() -> None:
    """Labels, node names and errors come from elsewhere: they must not move the cursor, retitle
    the window or be taken for markup.
    """
    from rich.console import Console

    from spikewire.top.screen import problem, screen

    node = r"[red]\x1b]0;title\x07\x9b2J\nA"
    sample = f'spikewire_node_connections{{node="{node.encode().decode("unicode_escape")}"}} 3\n'
    both = [read(text(100, 0, 100) + sample.replace("\nA", "\\nA")) for _ in range(2)]
    terminal = io.StringIO()
    console = Console(width=200, file=terminal, force_terminal=True, color_system=None)
    console.print(screen("http://x/\x1b[2J", between(*both)))
    console.print(problem("u", "bad \x1b[2J"))
    output = terminal.getvalue()
    assert not set(output) & {"\x1b", "\x07", "\x9b", "\r"}
    assert r"[red]\x1b]0;title\x07\x9b2J\nA" in output


def test_ctrl_c_ends_it_and_leaves_the_terminal_as_it_was(endpoint: str) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "spikewire", "top", endpoint, "--interval", "0.1"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "60", "LINES": "30"}
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, env=environment
    )
    os.close(follower)
    output = b""
    end = time.monotonic() + LONG
    sent = False
    while time.monotonic() < end:
        ready, _, _ = select.select([leader], [], [], 1.0)
        if not ready:
            continue
        try:
            more = os.read(leader, 65536)
        except OSError:  # the other side is closed
            break
        output += more
        if not sent and b"get test" in output:
            process.send_signal(signal.SIGINT)
            sent = True
    if time.monotonic() >= end:
        process.kill()
    assert sent, output[-4000:]
    assert process.wait(LONG) == 0, output[-4000:]
    os.close(leader)
    assert b"Traceback" not in output
    # It has left the alternate screen.
    assert b"\x1b[?1049h" in output
    assert output.rindex(b"\x1b[?1049l") > output.rindex(b"\x1b[?1049h")
