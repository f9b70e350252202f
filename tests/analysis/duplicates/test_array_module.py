"""Which array module counts: a GPU only where it is asked for and answers, and otherwise a reason."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from holdfast.analysis.duplicates.array_module import choose_array_module
from holdfast.analysis.duplicates.gpu_use import GpuUse


def cupy(monkeypatch: pytest.MonkeyPatch, current_device: Any) -> ModuleType:
    """Put a CuPy with two devices in place."""
    fake: Any = ModuleType("cupy")
    fake.arange = np.arange
    fake.cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            getDevice=current_device,
            getDeviceCount=lambda: 2,
            getDeviceProperties=lambda number: {"name": f"Accelerator {number}".encode()},
        )
    )
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake  # type: ignore[no-any-return]


def test_without_being_asked_no_gpu_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    cupy(monkeypatch, lambda: 0)

    assert choose_array_module(False) == (np, GpuUse(False, False, "No GPU was requested.", None))


def test_without_cupy_the_processor_counts_and_the_reason_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    arrays, use = choose_array_module(True)

    assert arrays is np
    assert (use.requested, use.used, use.device) == (True, False, None)
    assert "CuPy is not installed" in str(use.reason)


def test_without_a_device_the_processor_counts_and_the_reason_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_device() -> int:
        raise RuntimeError("cudaErrorNoDevice in /somewhere/secret")

    cupy(monkeypatch, no_device)
    arrays, use = choose_array_module(True)

    assert arrays is np
    assert (use.used, use.reason) == (False, "CuPy found no GPU that works: RuntimeError.")


def test_a_gpu_that_answers_is_used_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = cupy(monkeypatch, lambda: 0)

    assert choose_array_module(True) == (fake, GpuUse(True, True, None, "Accelerator 0"))


def test_the_sketches_need_numpy_and_the_standard_library_alone() -> None:
    code = (
        "import sys; import holdfast.analysis.duplicates.sketch, holdfast.analysis.duplicates.array_module;"
        "print(sorted({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names))"
    )
    found = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False,
                           env={"PYTHONPATH": ":".join(sys.path)})  # fmt: skip

    assert set(found.stdout.strip("[]\n").replace("'", "").split(", ")) <= {
        "holdfast",
        "numpy",
        "__main__",
    }, found.stdout + found.stderr


def test_a_gpu_that_gives_up_is_named_with_the_reason() -> None:
    use = GpuUse(True, True, None, "Accelerator 1")

    assert use.unused("It failed.") == GpuUse(True, False, "It failed.", "Accelerator 1")
