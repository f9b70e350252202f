"""Runs the JavaScript of this folder and of the packages that it uses."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.conftest import NODE, NODE_HOME

HERE = Path(__file__).parent
INSPECTOR = NODE_HOME / "node_modules" / ".bin" / "mcp-inspector"


def run_node(
    script: Path, *arguments: str, check: bool = True, cwd: Path = NODE_HOME
) -> subprocess.CompletedProcess[str]:
    """Run a script; the packages are found from the folder they are installed in."""
    environment = os.environ | {"PATH": os.pathsep.join([str(NODE.parent), os.environ["PATH"]])}
    return subprocess.run(
        [NODE, script, *arguments],
        cwd=cwd,
        env=environment,
        check=check,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
