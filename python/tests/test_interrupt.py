"""Ctrl-C, and other threads during the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import gpualign

# A shell may have started the tests with SIGINT ignored, which children inherit.
WORK = """
import signal
import gpualign
signal.signal(signal.SIGINT, signal.default_int_handler)
sequences = ["ACGTTGCA" * 400] * 2000
print("begins", flush=True)
gpualign.nw(sequences, device="cpu", cigars=True, threads=1)
"""


def test_ctrl_c_ends_the_work() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WORK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "begins\n"
    time.sleep(0.5)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said


def test_other_threads_go_on() -> None:
    sequences = ["ACGTTGCA" * 40] * 120
    done = threading.Event()

    def work() -> None:
        gpualign.nw(sequences, device="cpu", threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    steps = 0
    while not done.is_set():
        steps += 1
        time.sleep(0.001)
    thread.join()
    assert steps > 5
