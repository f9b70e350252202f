"""Chooses the array module that computes sketches: CuPy if a GPU is requested and works, else NumPy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from holdfast.analysis.duplicates.clone import GpuUse

_NOT_INSTALLED = "CuPy is not installed; pip install 'holdfast[gpu]' installs it."
_NOTHING_TO_SEARCH = (
    "Only the search for gapped and semantic clones uses a GPU, and there was nothing to search."
)


def choose_array_module(gpu_requested: bool) -> tuple[Any, GpuUse]:
    """Return the array module, and whether it uses a GPU."""
    if not gpu_requested:
        return np, GpuUse()
    try:
        cupy: Any = importlib.import_module("cupy")
    except ImportError:
        return np, GpuUse(True, reason=_NOT_INSTALLED)
    try:
        runtime = cupy.cuda.runtime
        name = runtime.getDeviceProperties(runtime.getDeviceCount() - 1)["name"]
        cupy.arange(2).sum().item()  # a device that is listed may still refuse work
    except (RuntimeError, OSError, ImportError) as problem:
        return np, GpuUse(True, reason=f"CuPy found no GPU that works: {type(problem).__name__}.")
    device = name.decode() if isinstance(name, bytes) else str(name)
    return cupy, GpuUse(True, True, None, device)


def gpu_failed(use: GpuUse, problem: Exception) -> GpuUse:
    """Return the report for a GPU that failed during the work."""
    reason = f"The GPU failed, and the processor did all the work: {type(problem).__name__}."
    return GpuUse(True, False, reason, use.device)


def gpu_idle(use: GpuUse) -> GpuUse:
    """Return the report for a search that had no work for a GPU."""
    return GpuUse(True, False, _NOTHING_TO_SEARCH, use.device) if use.used else use
