"""The store itself is tested on both engines, in every run."""

from __future__ import annotations

import pytest

from tests.tasks.conftest import ENGINES


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The engine that a test of the store runs on."""
    return str(request.param)
