"""Situations for tests: a home, a repository, a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdfast.contributions import contributions
from holdfast.installation.client import Contributions, InstallationContext, Part, Scope

CONTRIBUTED: Contributions = contributions()
SERVER = frozenset({Part.SERVER})
EARLIER = frozenset({Part.SERVER, Part.HOOKS, Part.COMMANDS})
"""Three files for Claude Code, one of each format."""


def context(root: str | Path, home: str | Path = "/home/ada", **more: Any) -> InstallationContext:
    given: dict[str, Any] = {
        "platform": "linux",
        "environment": {},
        "scope": Scope.PROJECT,
        "program": "/opt/holdfast/bin/holdfast",
        "on_search_path": True,
    }
    if more.get("scope") is Scope.PLUGIN:
        given["plugin_folder"] = f"{root}/plugin"
    return InstallationContext(root=str(root), home=str(home), **{**given, **more})
