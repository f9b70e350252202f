"""A room on a repository of its own, and folders of templates beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.storage.git.repository import Repository
from holdfast.templates.catalogue import Templates

OwnTemplate = Callable[..., Path]

HEAD = """\
+++
category = "{category}"
path = "{path}"
addresses = [
  {{ toolchain = "{toolchain}", variant = "{variant}", name = "Notice", description = "A notice" }}
]
parameters = [
  {{ name = "project_name", type = "string", required = true, description = "Name." }},
  {{ name = "items", type = "array", default = [], description = "Items." }},
{parameters}]
+++
"""


@pytest.fixture
def room(repository: Path) -> Templates:
    return Templates(Repository.discover(repository))


@pytest.fixture
def own_template(repository: Path, home: Path) -> OwnTemplate:
    """Put a template into the repository's folder or the user's."""
    folders = {"repository": repository / ".scaffold", "user": home / ".config" / "holdfast" / "templates"}

    def put(body: str, *, origin: str = "repository", file: str = "notice.template", **head: str) -> Path:
        values = {
            "category": "notice",
            "path": "NOTICE",
            "toolchain": "rust",
            "variant": "cli",
            "parameters": "",
        }
        path = folders[origin] / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD.format(**values | head) + body, encoding="utf-8")
        return path

    return put
