from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.clients.recording", "tests.clients.review")

from tests.clients.recording import Recording  # noqa: E402


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """A place where servers that clients start are recorded."""
    folder = tmp_path / "recording"
    folder.mkdir()
    return Recording(folder)
