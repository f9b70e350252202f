"""Builds the compiled core into the wheel, where cargo is installed.

Contract: there is a wheel in any case. Without cargo, or if the core cannot be built, one line says so and
the wheel holds only Python, which does the same work. `HOLDFAST_WITHOUT_CORE=1` asks for such a wheel.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_BUILT = {"darwin": "libholdfast_core.dylib", "win32": "holdfast_core.dll"}
_MODULE = "_core.pyd" if sys.platform == "win32" else "_core.abi3.so"


class CoreBuildHook(BuildHookInterface[Any]):
    """The build hook that pyproject.toml names."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the core to the wheel; not to an editable one, whose core `scripts/core` builds."""
        if version == "editable":
            return
        try:
            library = _build(Path(self.root, "core"))
        except _NotBuilt as reason:
            self.app.display_warning(f"The compiled core is not in this wheel: {reason}.")
            return
        build_data["force_include"][str(library)] = f"holdfast/{_MODULE}"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{_platform()}"


class _NotBuilt(Exception):
    """Why there is no core."""


def _build(core: Path) -> Path:
    """Build the core and return the library."""
    if os.environ.get("HOLDFAST_WITHOUT_CORE"):
        raise _NotBuilt("HOLDFAST_WITHOUT_CORE is set")
    cargo = shutil.which("cargo")
    if cargo is None:
        raise _NotBuilt("cargo is not installed")
    target = Path(os.environ.get("CARGO_TARGET_DIR", core / "target")).absolute()
    command = [cargo, "build", "--release", "--lib", "--target-dir", target]
    environment = os.environ | {"PYO3_BUILD_EXTENSION_MODULE": "1"}
    built = subprocess.run(command, check=False, cwd=core, env=environment, stderr=subprocess.PIPE)
    if built.returncode != 0:
        errors = [
            line for line in built.stderr.decode(errors="replace").splitlines() if line.startswith("error")
        ]
        raise _NotBuilt(f"cargo failed: {errors[0] if errors else f'exit status {built.returncode}'}")
    return target / "release" / _BUILT.get(sys.platform, "libholdfast_core.so")


def _platform() -> str:
    """Return the platform of the wheel's tag, with one architecture even if this Python has two."""
    if sys.platform == "darwin":
        machine = platform.machine()
        oldest = os.environ.get("MACOSX_DEPLOYMENT_TARGET", "11.0" if machine == "arm64" else "10.12")
        return f"macosx_{oldest.replace('.', '_')}_{machine}"  # by default the oldest that rustc builds for
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
