from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.clients.recording", "tests.clients.review")

from tests.clients.recording import Recording  # noqa: E402


@pytest.fixture
def repository(repository: Path) -> Path:
    """A repository with the file that the clients send remarks about."""
    (repository / "README.md").write_text("Kelp\nholds\nfast\n", encoding="utf-8")
    return repository


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """A place where servers that clients start are recorded."""
    folder = tmp_path / "recording"
    folder.mkdir()
    return Recording(folder)
