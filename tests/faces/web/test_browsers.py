"""The main paths through the page in each supported browser, driven over WebDriver BiDi and CDP by Puppeteer.

The other tests of this folder drive Chromium through Playwright, which cannot drive Debian's Firefox.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.clients.node import run_node
from tests.faces.web.site import demonstrated

TOUR = Path(__file__).with_name("tour.mjs")


@pytest.mark.node
@pytest.mark.parametrize(
    ("name", "program"),
    [
        pytest.param("chrome", "chromium", marks=pytest.mark.chromium),
        pytest.param("firefox", "firefox-esr", marks=pytest.mark.firefox),
    ],
)
def test_the_main_paths_work_in_a_supported_browser(tmp_path: Path, name: str, program: str) -> None:
    executable = shutil.which(program)
    assert executable is not None
    with demonstrated(tmp_path / "demo") as site:
        done = run_node(TOUR, name, executable, site.link, check=False)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["version"].lower().startswith(name)
        assert found["complaints"] == []
        assert found["tooWide"] == []
        assert found["titles"]["/board"] == ["Board · Holdfast", "Board"]
        assert len(found["titles"]) == 8
        assert all(title.endswith(" · Holdfast") and heading for title, heading in found["titles"].values())
        assert found["focused"] == "h1"
        assert found["column"] == "in-progress"
        assert found["menu"]
        assert found["themeChanges"]
