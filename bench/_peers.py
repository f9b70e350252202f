"""Programs set beside ours, installed by their names into an environment of their own in the user's cache."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path


class Peers:
    """An environment with some packages; made when it is first asked for, which needs a registry."""

    def __init__(self, name: str, packages: Sequence[str]) -> None:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.folder = cache / "holdfast-bench" / f"{name}-{sys.version_info[0]}.{sys.version_info[1]}"
        self.packages = packages
        if not (self.folder / "whole").exists():
            venv.create(self.folder, with_pip=True, clear=True)
            subprocess.run([self.program("python"), "-m", "pip", "install", "--quiet", *packages], check=True)
            (self.folder / "whole").touch()

    def program(self, name: str) -> str:
        """Return where a program is."""
        return str(self.folder / "bin" / name)

    def run(self, name: str, *arguments: str, within: Path, seconds: int = 600) -> str:
        """Run a program in a folder and return what it prints, whatever its exit status says of the code."""
        command = [self.program(name), *arguments]
        return subprocess.run(
            command, cwd=within, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=seconds
        ).stdout

    @property
    def modules(self) -> Path:
        """The folder that Python imports the packages from."""
        return next((self.folder / "lib").glob("python*/site-packages"))

    def importable(self) -> None:
        """Let this process import the packages, behind its own."""
        sys.path.append(str(self.modules))

    def versions(self) -> dict[str, str]:
        """Return what was installed."""
        found = {
            each.name.replace("_", "-").lower(): each.version
            for each in distributions(path=[str(self.modules)])
        }
        return {name: found[name] for name in self.packages}


def folders(variable: str) -> list[Path]:
    """Return the folders that a variable of the environment names, as PATH does."""
    return [Path(each) for each in os.environ.get(variable, "").split(os.pathsep) if each]
