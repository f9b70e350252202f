"""The memory of processes: measured with their descendants, and limited."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.storage.processes.memory import process_tree, process_tree_bytes

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system has no /proc")

GROW_IN_CHILD = """
import subprocess, sys
child = "held = b'x' * 300 * 2**20; print(len(held), flush=True); input()"
process = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE)
process.wait()
"""
GROW = """
import threading
from holdfast.storage.processes.memory import memory_limited
class TooMuch(Exception): pass
blocks, released = [], threading.Event()
def grow():
    while len(blocks) < 4000 and not released.is_set():
        blocks.append(b"x" * 2**20)
        threading.Event().wait(0.001)
try:
    with memory_limited(200 * 2**20, TooMuch):
        GROWS
    print("unlimited")
except TooMuch:
    print("limited")
released.set()
with memory_limited(100 * 2**20, TooMuch):  # more is in use already, which does not count
    threading.Event().wait(0.5)  # longer than the interval of the checks
    print("below")
"""
IN_A_THREAD = "thread = threading.Thread(target=grow, daemon=True); thread.start(); thread.join()"


def test_memory_of_children_counts() -> None:
    with subprocess.Popen([sys.executable, "-c", GROW_IN_CHILD], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"314572800\n"
        tree = process_tree(process.pid)
        held = process_tree_bytes(process.pid)
        for one in reversed(tree):
            os.kill(one, 9)

    assert len(tree) == 2
    assert tree[0] == process.pid
    assert 300 * 2**20 < held < 2**30


@pytest.mark.parametrize("growth", ["grow()", IN_A_THREAD])
def test_a_block_that_uses_too_much_memory_is_interrupted(growth: str) -> None:
    code = GROW.replace("GROWS", growth)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.stdout == "limited\nbelow\n", ran.stderr
