"""Every view with data, light and dark, wide and narrow: usable by everybody, nothing beside the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

import holdfast.faces.web
from tests.faces.web.conftest import Axe
from tests.faces.web.demonstration import make
from tests.faces.web.site import Site

VIEWS = Path(holdfast.faces.web.__file__).parent / "static" / "views"
ADDRESSES = {
    "today": "/",
    "board": "/board",
    "task": "/task/TP-5",
    "code": "/code/src/tidepool/leases.py",
    "review": "/review?what=worktree",
    "issues": "/issues",
    "health": "/health",
    "activity": "/activity",
}
WIDE, NARROW = 1440, 360


@pytest.fixture(scope="module")
def filled(site: Site) -> Site:
    make(site)
    return site


@pytest.mark.parametrize("view", [name for name in ADDRESSES if (VIEWS / f"{name}.js").exists()])
def test_a_view_is_usable_by_everybody(filled: Site, page: Page, axe: Axe, view: str) -> None:
    page.goto(f"{filled.url}{ADDRESSES[view]}")
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
            page.wait_for_selector("main[data-ready]")
            axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.getElementById('main').scrollWidth") <= width
    assert page.locator("h1").count() == 1
    assert page.locator(".problem").all_inner_texts() == []
