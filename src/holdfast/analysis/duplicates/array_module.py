"""Chooses the array module that computes sketches: CuPy if a GPU is requested and works, else NumPy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from holdfast.analysis.duplicates.gpu_use import GpuUse

_NOT_INSTALLED = "CuPy is not installed; pip install 'holdfast[gpu]' installs it."


def choose_array_module(gpu_requested: bool) -> tuple[Any, GpuUse]:
    """Return NumPy or CuPy, and whether that uses a GPU: of several, CUDA's current device."""
    if not gpu_requested:
        return np, GpuUse()
    try:
        cupy: Any = importlib.import_module("cupy")
    except ImportError:
        return np, GpuUse(requested=True, reason=_NOT_INSTALLED)
    try:
        runtime = cupy.cuda.runtime
        name = runtime.getDeviceProperties(runtime.getDevice())["name"]
        cupy.arange(2).sum().item()  # a device that is listed may still refuse work
    except (RuntimeError, OSError, ImportError) as problem:
        reason = f"CuPy found no GPU that works: {type(problem).__name__}."
        return np, GpuUse(requested=True, reason=reason)
    device = name.decode() if isinstance(name, bytes) else str(name)
    return cupy, GpuUse(requested=True, used=True, reason=None, device=device)
