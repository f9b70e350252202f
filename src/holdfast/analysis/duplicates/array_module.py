"""The array module that sketches are made with: CuPy where a GPU is asked for and answers, or NumPy."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

_NOT_ASKED = "A GPU was not asked for."
_NOT_INSTALLED = "CuPy is not installed; the extra `gpu` of the package brings it."
_NO_PIECES = "Only the search for gapped and semantic clones runs on a GPU, and it had nothing to do."


@dataclass(frozen=True)
class GpuUse:
    """Whether a GPU was asked for, whether it did the work, and if not, why not."""

    requested: bool = False
    used: bool = False
    reason: str | None = _NOT_ASKED
    device: str | None = None


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
    return GpuUse(
        True, False, f"The GPU gave up, the processor did all of it: {type(problem).__name__}.", use.device
    )


def idle(use: GpuUse) -> GpuUse:
    """Return what to say where there was nothing to do for a GPU."""
    return GpuUse(True, False, _NO_PIECES, use.device) if use.used else use
