"""The array module that sketches are made with: CuPy where a GPU is asked for and answers, or NumPy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from holdfast.analysis.duplicates.clone import GpuUse

_NOT_INSTALLED = "CuPy is not installed; pip install 'holdfast[gpu]' brings it."
_NOTHING_TO_DO = "Only the search for gapped and semantic clones runs on a GPU: there was nothing to search."


def array_module(requested: bool) -> tuple[Any, GpuUse]:
    """Return the array module to count with, and what to say about it."""
    if not requested:
        return np, GpuUse()
    try:
        cupy: Any = importlib.import_module("cupy")
    except ImportError:
        return np, GpuUse(True, reason=_NOT_INSTALLED)
    try:
        name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDeviceCount() - 1)["name"]
        cupy.arange(2).sum().item()  # a device that is listed may still refuse work
    except (RuntimeError, OSError, ImportError) as problem:
        return np, GpuUse(True, reason=f"CuPy found no GPU that answers: {type(problem).__name__}.")
    return cupy, GpuUse(True, True, None, name.decode() if isinstance(name, bytes) else str(name))


def failed(use: GpuUse, problem: Exception) -> GpuUse:
    """Return what to say where a GPU was used and gave up on the way."""
    reason = f"The GPU gave up and the processor did all of it: {type(problem).__name__}."
    return GpuUse(True, False, reason, use.device)


def idle(use: GpuUse) -> GpuUse:
    """Return what to say where there was nothing to do for a GPU."""
    return GpuUse(True, False, _NOTHING_TO_DO, use.device) if use.used else use
