"""The view of the API: what the server answers, from its own description."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.faces.web.site import Site


def test_every_request_of_the_description_is_shown_with_its_parameters(page: Page, site: Site) -> None:
    paths = site.server.ask("GET", "/api/openapi.json").json["paths"]
    page.goto(f"{site.url}/api")
    page.wait_for_selector("main[data-ready]")
    expect(page.locator("h1")).to_have_text("API")
    expect(page.locator(".request")).to_have_count(sum(map(len, paths.values())))
    request = page.locator(".request", has=page.get_by_text("/api/inbox/send_message", exact=True))
    request.locator("summary").click()
    expect(request.get_by_role("row", name="anyway")).to_contain_text("body")
    expect(request.get_by_role("row", name="comment")).to_contain_text("required")
    listing = page.locator(".request", has=page.get_by_text("/api/inbox/list_messages", exact=True))
    listing.locator("summary").click()
    expect(listing.get_by_role("row", name="cursor query")).to_contain_text("query")
