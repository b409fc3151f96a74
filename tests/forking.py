"""Programs that fork, each in an interpreter of its own, so that a hang there is a failure here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

LONGEST = 180

PREAMBLE = """
import asyncio, faulthandler, gc, multiprocessing, os, signal, sys, threading, time, traceback
import spikewire

seeds = sys.argv[1]

def child(work):
    '''Runs work in a forked child; the child's failure is the parent's.'''
    process = os.fork()
    if process == 0:
        status = 1
        try:
            # A child that hangs says where.
            faulthandler.register(signal.SIGALRM, chain=True)
            signal.alarm(60)
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(process, 0)
    assert status == 0, f"the child ended with {status}"

def children_beside_first_calls(work, count):
    '''Runs work in forked children while a thread runs it, too, and another thread does not release
    the interpreter, so that each first use takes long.'''
    sys.setswitchinterval(0.02)
    is_over = threading.Event()

    def compute():
        while not is_over.is_set():
            sum(range(10_000))

    threads = [threading.Thread(target=target, daemon=True) for target in (compute, work)]
    for thread in threads:
        thread.start()
    for _ in range(count):
        child(work)
    is_over.set()
    for thread in threads:
        thread.join()
"""


def scenario(seeds: str, code: str, *options: str) -> str:
    """Runs code after the preamble, with these ``seeds``; returns its output."""
    program = PREAMBLE + textwrap.dedent(code)
    command = [sys.executable, "-X", "faulthandler", *options, "-c", program, seeds]
    # A session of its own, so that its forks can be killed with it.
    ran = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        out, err = ran.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        os.killpg(ran.pid, signal.SIGKILL)
        out, err = ran.communicate()
        pytest.fail(f"hung: {out.decode()}{err.decode()}")
    assert ran.returncode == 0, out.decode() + err.decode()
    return out.decode().strip()
