"""Situations for tests: a home, a repository, a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdfast.contributions import contributions
from holdfast.installation.client import Contributions, InstallationContext, Scope

CONTRIBUTED: Contributions = contributions()


def context(root: str | Path, home: str | Path = "/home/ada", **more: Any) -> InstallationContext:
    given: dict[str, Any] = {
        "platform": "linux",
        "environment": {},
        "scope": Scope.PROJECT,
        "program": "/opt/holdfast/bin/holdfast",
        "on_search_path": True,
    }
    return InstallationContext(root=str(root), home=str(home), **{**given, **more})
