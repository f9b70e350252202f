"""The array module that computes sketches: CuPy if a GPU is requested and works, else NumPy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from holdfast.analysis.duplicates.clone import GpuUse

_NOT_INSTALLED = "CuPy is not installed; pip install 'holdfast[gpu]' installs it."
_NOTHING_TO_DO = "Only the search for gapped and semantic clones uses a GPU, and there was nothing to search."


def array_module(requested: bool) -> tuple[Any, GpuUse]:
    """Return the array module, and whether it uses a GPU."""
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
        return np, GpuUse(True, reason=f"CuPy found no GPU that works: {type(problem).__name__}.")
    return cupy, GpuUse(True, True, None, name.decode() if isinstance(name, bytes) else str(name))


def failed(use: GpuUse, problem: Exception) -> GpuUse:
    """Report that the GPU failed during the work."""
    reason = f"The GPU failed, and the processor did all the work: {type(problem).__name__}."
    return GpuUse(True, False, reason, use.device)


def idle(use: GpuUse) -> GpuUse:
    """Report that there was no work for a GPU."""
    return GpuUse(True, False, _NOTHING_TO_DO, use.device) if use.used else use
