"""The frame around all views: signing in, going about by links and keys, staying live, light and dark."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from tests import forked
from tests.faces.http.running import HOLDFAST, running_server
from tests.faces.web.conftest import WAIT_MS, Axe, Held
from tests.faces.web.site import Site, served


def test_the_link_signs_the_first_browser_in_and_tells_others_how(
    browser: Browser, page: Page, site: Site
) -> None:
    page.goto(site.url)
    expect(page.get_by_role("heading", level=1)).to_have_text("Today")
    stranger = browser.new_context()
    other = stranger.new_page()
    other.goto(site.link)  # used up by the fixture
    expect(other.get_by_role("heading", level=1)).to_have_text("This browser is not signed in")
    expect(other.locator("pre", has_text="holdfast open")).to_be_visible()
    stranger.close()


def test_a_teammate_signs_in_with_a_token(browser: Browser, site: Site) -> None:
    token = site.holdfast("token", "add", "bo", "--role", "write").strip()
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.url)
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("This token is not known here.")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Today")
    context.close()


def test_views_are_reached_by_links_keys_and_back(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/nowhere")
    rail = page.get_by_role("navigation", name="Views")
    rail.get_by_role("link", name="Today").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Today")
    expect(rail.get_by_role("link", name="Today")).to_have_attribute("aria-current", "page")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search or jump").fill("tdy")
    expect(page.get_by_role("option", name="Today view")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Today")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Search or jump")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_an_address_that_no_view_has_says_so(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/nowhere/at/all")
    expect(page.get_by_text("There is no page at this address.")).to_be_visible()
    assert site.server.ask("GET", "/nowhere/at/all").status == 404


def test_the_stream_tells_of_a_write_by_another_process_and_comes_back_after_hiding(
    page: Page, site: Site
) -> None:
    page.goto(site.url)
    expect(page.locator(".live.connected")).to_be_visible()
    page.evaluate(
        """async () => { const live = await import("/static/live.js");
        let heard = 0; live.on("inbox", () => { document.body.dataset.heard = ++heard; }); }"""
    )
    site.holdfast("send", "--anyway", "--file", "a.py", "--comment", "first")
    body = page.locator("body")
    expect(body).to_have_attribute("data-heard", re.compile("[1-9]"), timeout=WAIT_MS)
    hide = """hidden => { Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
              document.dispatchEvent(new Event("visibilitychange")); }"""
    page.evaluate(hide, True)
    heard = str(body.get_attribute("data-heard"))  # one write may be heard twice
    site.holdfast("send", "--anyway", "--file", "a.py", "--comment", "while hidden")
    page.evaluate(hide, False)
    expect(body).not_to_have_attribute("data-heard", heard, timeout=WAIT_MS)


def test_an_idle_page_sends_no_requests_and_files_that_change_are_shown(page: Page, site: Site) -> None:
    site.write("idle.py", "x = 1\n")
    page.clock.install()
    pending: set[Request] = set()
    asked: list[str] = []

    def ask(request: Request) -> None:
        if "/api/events" not in request.url:
            pending.add(request)
            asked.append(request.url)

    def end(request: Request) -> None:
        pending.discard(request)

    page.on("request", ask)
    page.on("requestfinished", end)
    page.on("requestfailed", end)
    for path in ("/", "/board", "/issues", "/activity", "/review", "/code/idle.py"):
        page.goto(f"{site.url}{path}")
        page.wait_for_selector("main[data-ready]")
        page.wait_for_selector(".live.connected", state="attached")
        quiet = 0
        while quiet < 3:  # round trips during which nothing that belongs to the view was requested
            asked.clear()
            page.clock.run_for(10_000)
            page.evaluate("fetch('/api/health')")
            while pending:
                page.wait_for_event("requestfinished")
            quiet = quiet + 1 if len(asked) == 1 else 0
        asked.clear()
        page.clock.run_for(10 * 60_000)
        page.evaluate("fetch('/api/health')")
        assert asked == [f"{site.url}/api/health"]
    site.write("idle.py", "x = 2  # later\n")
    expect(page.get_by_text("# later")).to_be_visible()


def test_a_server_that_ended_shows_as_reconnecting_and_a_new_one_asks_to_sign_in(
    browser: Browser, tmp_path: Path
) -> None:
    root = tmp_path / "repository"
    context = browser.new_context()
    page = context.new_page()
    with served(root) as site:
        page.goto(site.link)
        expect(page.locator(".live.connected")).to_be_visible()
        page.goto(f"{site.url}/issues")
        expect(page.locator(".live.connected")).to_be_visible()
        port = site.server.port
    expect(page.locator(".live")).to_contain_text("reconnecting", timeout=WAIT_MS)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Health").click()
    expect(page.get_by_role("alert")).to_contain_text("The server could not be reached.")
    expect(page.get_by_role("alert")).to_contain_text("holdfast open")
    with running_server(root, "--http", f"127.0.0.1:{port}") as again:
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "This browser is not signed in", timeout=WAIT_MS
        )
        other = context.new_page()
        other.goto(Site(again, root).link)
        expect(other.get_by_role("heading", level=1)).to_have_text("Today")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # somebody looks again
        expect(page.get_by_role("heading", level=1)).to_have_text("Health")
    context.close()


def test_a_server_that_is_gone_is_announced_and_what_was_typed_outlives_it(
    browser: Browser, tmp_path: Path, axe: Axe
) -> None:
    root = tmp_path / "repository"
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    outage = page.get_by_role("status").filter(has_text="The server does not answer.")
    with served(root) as site:
        site.write("tide.py", "one\ntwo\n")
        page.goto(site.link)
        page.wait_for_selector("main[data-ready]")
        page.goto(f"{site.url}/review")
        expect(page.locator(".live.connected")).to_be_visible()
        page.locator("tr.line .code").first.click()
        page.keyboard.press("r")
        page.keyboard.type("Half a thought")
        expect(outage).to_be_hidden()
        port = site.server.port
    expect(outage).to_be_visible(timeout=WAIT_MS)
    expect(outage).to_contain_text("holdfast open")
    page.keyboard.type(", and more")
    axe(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    with running_server(root, "--http", f"127.0.0.1:{port}") as again:
        expect(outage).to_be_hidden(timeout=WAIT_MS)
        other = context.new_page()
        other.goto(Site(again, root).link)
        other.wait_for_selector("main[data-ready]")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        field = page.get_by_role("textbox", name="Remark on line 1 of tide.py")
        expect(field).to_have_value("Half a thought, and more")
    context.close()


def test_a_view_that_fails_says_so_and_can_be_tried_again(context: BrowserContext, site: Site) -> None:
    page = context.new_page()
    page.route("**/api/tasks/taskpilot_board*", lambda route: route.fulfill(json={}))
    page.goto(f"{site.url}/board")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This view could not be shown.")
    expect(alert).to_contain_text("What you typed is kept.")
    page.unroute("**/api/tasks/taskpilot_board*")
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text("Board")


@pytest.mark.parametrize("from_start", [True, False], ids=["first-view", "later-view"])
def test_a_view_is_shown_when_its_stylesheet_cannot_be_loaded(
    context: BrowserContext, site: Site, from_start: bool
) -> None:
    page = context.new_page()
    page.route("**/static/views/issues.css", lambda route: route.abort())
    page.goto(f"{site.url}/issues" if from_start else site.url)
    if not from_start:
        page.get_by_role("navigation", name="Views").get_by_role("link", name="Issues").click()
    expect(page.get_by_role("button", name="New issue")).to_be_visible()
    page.wait_for_selector("main[data-ready]")


def test_counts_whose_module_could_not_be_loaded_come_with_the_next_view(
    context: BrowserContext, site: Site
) -> None:
    site.holdfast("send", "--anyway", "--file", "counted.py", "--comment", "Count the answer")
    for message in site.call("check_lazygit_messages")["messages"]:
        site.holdfast("inbox", "reply", message["id"], "--text", "Answered")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/static/views/today/waiting.js", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.goto(f"{site.url}/issues")
    page.wait_for_selector("main[data-ready]")
    page.unroute("**/static/views/today/waiting.js")
    rail = page.get_by_role("navigation", name="Views")
    rail.get_by_role("link", name="Code").click()
    expect(rail.get_by_role("link", name="Review").locator(".count")).to_be_visible()
    assert errors == []


def test_a_column_of_today_whose_module_cannot_be_loaded_says_so(context: BrowserContext, site: Site) -> None:
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/static/views/today/recent.js", lambda route: route.abort())
    page.goto(site.url)
    recent = page.get_by_role("region", name="Since yesterday")
    expect(recent.get_by_role("alert")).to_be_visible()
    assert errors == []


NO_STORAGE = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, {get() { throw new DOMException("denied", "SecurityError"); }});"""


def test_the_page_works_where_the_browser_denies_storage(page: Page, site: Site) -> None:
    site.write("stored.py", "x = 1\n")
    page.add_init_script(NO_STORAGE)
    for path in ("/", "/board", "/code/stored.py#L1", "/review", "/issues", "/health", "/activity"):
        page.goto(f"{site.url}{path}")
        page.wait_for_selector("main[data-ready]")
    page.get_by_role("button", name="Switch between light and dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", re.compile("light|dark"))
    page.goto(f"{site.url}/code/stored.py#L1")
    page.wait_for_selector("main[data-ready]")
    page.keyboard.press("c")
    page.get_by_label("Note on line 1").fill("Kept without storage")
    page.get_by_role("button", name="Add note").click()
    expect(page.get_by_role("list", name="Notes")).to_contain_text("Kept without storage")


def test_a_change_of_view_moves_the_focus_to_its_heading_and_is_announced(page: Page, site: Site) -> None:
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    expect(page.locator("body")).to_be_focused()
    rail = page.get_by_role("navigation", name="Views")
    for name in ("Board", "Issues", "Health"):
        rail.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", level=1, name=name)).to_be_focused()
        expect(page.locator("#announcer")).to_contain_text(name)
        expect(page).to_have_title(f"{name} · Holdfast")
    page.go_back()
    expect(page.get_by_role("heading", level=1, name="Issues")).to_be_focused()
    page.get_by_label("Show closed").check()  # another question to the same view
    expect(page.get_by_label("Show closed")).to_be_focused()


def test_enter_in_the_palette_takes_what_is_first_in_the_order_of_sources_not_what_answered_first(
    page: Page, site: Site
) -> None:
    site.write("kelpforest.py", "x = 1\n")
    site.holdfast("tasks", "init")
    site.holdfast("tasks", "add", "Plant the kelpforest")
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    files = Held(page, "**/api/source/find_files*")
    page.keyboard.press("/")
    with page.expect_response("**/api/tasks/taskpilot_list?query=kelpforest*"):
        page.get_by_role("combobox", name="Search or jump").fill("kelpforest")
        page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page).to_have_url(f"{site.url}/")
    files.let_go()
    expect(page.get_by_role("heading", level=1)).to_have_text("kelpforest.py")


def test_the_palette_keeps_the_order_of_its_results_and_enter_takes_the_selected_one(
    page: Page, site: Site
) -> None:
    site.write("seagrass.py", "x = 1\n")
    site.call("send_message", file="seagrass.py", comment="unrelated")
    site.call("git_mile_create", entity="issue", title="Seagrass is lost")
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    files = Held(page, "**/api/source/find_files*")
    page.keyboard.press("/")
    with page.expect_response("**/api/milestones/git_mile_list*"):
        page.get_by_role("combobox", name="Search or jump").fill("seagrass")
    options = page.get_by_role("option")
    expect(options).to_have_text(["Searching…"])
    page.get_by_role("combobox", name="Search or jump").fill("work tree")
    expect(options).to_have_text(["Review the work treeaction", "Searching…"])
    page.get_by_role("combobox", name="Search or jump").fill("seagrass")
    files.let_go()
    expect(options).to_have_text(["seagrass.pyfile", "Seagrass is lostissue"])
    expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Seagrass is lost")


def test_the_palette_finds_tasks_and_issues_by_their_ids(page: Page, site: Site) -> None:
    site.holdfast("tasks", "init")
    task = site.call("taskpilot_create_task", title="Count the limpets")["task"]["id"]
    issue = site.call("git_mile_create", entity="issue", title="Limpets move at night")
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Search or jump")
    field.fill(task.lower())
    expect(page.get_by_role("option")).to_have_text([f"{task} Count the limpetstask"])
    field.fill(issue["id"][:10])
    expect(page.get_by_role("option")).to_have_text(["Limpets move at nightissue"])


def test_light_and_dark_follow_the_system_until_somebody_chooses(page: Page, site: Site) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(site.url)
    shade = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(shade)
    page.get_by_role("button", name="Switch between light and dark").click()
    light = page.evaluate(shade)
    assert dark != light
    page.reload()
    assert page.evaluate(shade) == light


def test_the_frame_is_usable_by_everybody_on_a_small_screen(page: Page, site: Site, axe: Axe) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site.url)
    for link in page.get_by_role("navigation", name="Views").get_by_role("link").all():
        expect(link).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    axe(page)


def test_every_answer_of_the_page_has_the_strict_policy(site: Site) -> None:
    html = {"Accept": "text/html", "Authorization": None}
    for path in ("/", "/board", "/code/a.py", "/health", "/static/frame.js", "/static/style.css"):
        answered = site.server.ask("GET", path, headers=html)
        assert answered.status == 200, path
        policy = answered.headers["content-security-policy"]
        assert policy.startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        )
        assert "frame-ancestors 'none'" in policy
        again = site.server.ask("GET", path, headers=html | {"If-None-Match": answered.headers["etag"]})
        assert again.status == 304
    for path in (
        "/static/../site.py",
        "/static/%2e%2e/site.py",
        "/static//etc/passwd",
        "/static/",
        "/static/nothing.js",
    ):
        assert site.server.ask("GET", path, headers=html).status in (401, 404), path
    assert site.server.ask("GET", "/health").json["data"], "asked by a program it stays what it was"


def test_open_serves_and_hands_the_link_to_the_browser(repository: Path, tmp_path: Path) -> None:
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {told}.new && mv {told}.new {told}\n')
    browser.chmod(0o755)
    environment = os.environ | {"BROWSER": f"{browser} %s"}
    process = forked.Popen(
        [HOLDFAST, "open"], cwd=repository, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stderr is not None
        said = ""
        while "/login?code=" not in said:
            said = process.stderr.readline()
            assert said
        link = said.split()[-1]
        for _ in range(400):
            if told.exists():
                break
            process.poll()
            subprocess.run(["sleep", "0.05"])
        assert told.read_text() == link
    finally:
        process.terminate()
        process.communicate(timeout=40)


def test_the_palette_offers_recent_items_and_actions(page: Page, site: Site, axe: Axe) -> None:
    site.write("deep/whelk.py", "x = 1\n")
    site.write("limpet.py", "x = 1\n")
    for file in ("deep/whelk.py", "limpet.py"):
        page.goto(f"{site.url}/code/{file}")
        page.wait_for_selector("main[data-ready]")
    page.goto(site.url)
    page.wait_for_selector("main[data-ready]")
    page.keyboard.press("/")
    field, options = page.get_by_role("combobox", name="Search or jump"), page.get_by_role("option")
    expect(options.nth(0)).to_have_text("limpet.pycode")
    expect(options.nth(1)).to_have_text("deep/whelk.pycode")
    expect(options.nth(2)).to_have_text("Todayview")
    axe(page)
    field.fill("whelk")
    expect(options).to_have_text(["deep/whelk.pycode"])  # found by the server as well, and shown once
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/code/deep/whelk.py")
    page.wait_for_selector("main[data-ready]")
    page.keyboard.press("/")
    field.fill("who last")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/code/deep/whelk.py?blame=true")
    page.keyboard.press("/")
    field.fill("light and dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("/")
    field.fill("new issue")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="New issue")).to_be_visible()
    expect(page).to_have_url(f"{site.url}/issues")
