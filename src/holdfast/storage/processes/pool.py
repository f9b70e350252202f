"""Work on every core: Python itself, started again, and nothing that anybody names."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Executor, ProcessPoolExecutor


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_every_core() -> Executor:
    """Return what runs functions in processes of their own, as many as there are cores.

    They are not forked: a server has threads, and a fork would copy their locks in whatever state they are.
    """
    return ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("spawn"))
