"""Every view with data, light and dark, wide and narrow: usable by everybody, nothing beside the screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import holdfast.faces.web
from tests.faces.web.conftest import Axe
from tests.faces.web.site import Site, demonstrated

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
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with demonstrated(tmp_path_factory.mktemp("page") / "demo") as site:
        yield site


def test_the_demonstration_shows_something_in_every_room(site: Site, page: Page) -> None:
    for address, shown in (
        ("/", "Say how many writers."),
        ("/board", "Flush the folder after a pool is replaced"),
        ("/task/TP-5", "A test pulls the plug"),
        ("/code/src/tidepool/store.py", "First the content, then the name"),
        ("/review?what=worktree", "Why 80?"),
        ("/issues", "A power cut loses the newest pool"),
        ("/activity", "claude"),
    ):
        page.goto(f"{site.url}{address}")
        expect(page.get_by_role("main")).to_contain_text(shown)


def test_the_check_notices_who_would_be_kept_out(site: Site, page: Page, axe: Axe) -> None:
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    with pytest.raises(AssertionError, match="label"):
        axe(page)


@pytest.mark.parametrize("view", [name for name in ADDRESSES if (VIEWS / f"{name}.js").exists()])
def test_a_view_is_usable_by_everybody(site: Site, page: Page, axe: Axe, view: str) -> None:
    page.goto(f"{site.url}{ADDRESSES[view]}")
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
