from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.faces.http.running import RunningServer, running_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that the tests of a module share."""
    repository = tmp_path_factory.mktemp("http") / "repository"
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    with running_server(repository) as server:
        yield server
