"""Today: what waits, who is at work, what happened; each list by itself, from nothing to far too much."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.faces.web.conftest import Axe
from tests.faces.web.site import Site

HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script>"
CODE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
TANGLE = "def tangle(x):\n" + "".join(f"    if x == {n}:\n        return {n}\n" for n in range(60))


def test_a_repository_with_nothing_says_how_to_begin(page: Page, site: Site, axe: Axe) -> None:
    page.goto(site.url)
    for command in ("holdfast install", "holdfast send --file", "holdfast tasks init"):
        expect(page.get_by_text(command)).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("heading", level=2)).to_have_count(0)
    axe(page)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Issues").click()
    expect(page.get_by_text("There are no open issues.")).to_be_visible()
    expect(page.locator('link[data-view="today"]')).to_have_attribute("media", "not all")
    expect(page.get_by_text("git mile create issue")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("holdfast install")).to_be_visible()
    site.holdfast("milestones", "create", "milestone", "Stage 0", "--due", "2000-01-01")
    expect(page.get_by_role("region", name="Milestones").get_by_text("Stage 0")).to_be_visible()


@pytest.fixture(scope="module")
def busy(site: Site) -> None:
    """More of everything than Today shows."""
    site.write("src/a.py", CODE)
    site.commit()
    site.call("add_comment", file_path="src/a.py", line=5, text=HOSTILE, tag="NOTE")
    site.call("add_comment", file_path="src/a.py", line=1, text="Begins at one", tag="NOTE")
    site.write("src/a.py", "def one():\n    return 1\n")
    site.write("src/tangle.py", TANGLE)
    site.commit("shorter")
    site.call("taskpilot_init", workspace_path=".", project_name="Kelp")
    titles = [HOSTILE, *(f"Part {number}" for number in range(8))]
    added = site.call(
        "taskpilot_add", tasks=[{"title": title, "task_description": title} for title in titles]
    )
    first, second = (task["id"] for task in added["tasks_created"][:2])
    site.call("taskpilot_claim", action="take", task_id=first, agent="grace")
    site.call("taskpilot_claim", action="take", task_id=second, agent="lin")
    site.call("taskpilot_update", task_id=second, agent="lin", set={"status": "review"})
    for number in range(9):
        site.call("send_message", file="src/a.py", line="1", comment=f"{HOSTILE} {number}")
    asked = site.call("list_messages")["messages"][0]["id"]
    site.call("reply_to_message", message_id=asked, text="Because", author="grace")
    for number in range(1, 9):
        site.call("git_mile_create", entity="milestone", title=f"Stage {number}", due=f"200{number}-01-01")


@pytest.mark.usefixtures("busy")
def test_everything_that_waits_and_happened_is_there_and_no_list_is_long(
    page: Page, site: Site, axe: Axe
) -> None:
    page.goto(site.url)
    mine = page.get_by_role("region", name="For you")
    for title in (
        "Answers to your remarks",
        "Tasks in review",
        "Notes whose code is gone",
        "Remarks no agent has read",
        "Tasks that are ready",
    ):
        expect(mine.get_by_role("heading", name=title)).to_be_visible()
    lately = page.get_by_role("region", name="Since yesterday")
    expect(lately.get_by_role("link", name="src/a.py")).to_be_visible()
    expect(lately.get_by_text("added").first).to_be_visible()
    expect(page.get_by_role("region", name="Agents").get_by_text("grace")).to_be_visible()
    bars = page.get_by_role("region", name="Milestones").get_by_role("listitem")
    expect(bars).to_have_count(7)
    expect(bars.first).to_contain_text("overdue by")
    health = page.get_by_role("region", name="Health")
    expect(health.get_by_text("gate fails")).to_be_visible()
    expect(mine.locator(".card", has_text="The quality gate fails").get_by_role("link")).to_be_visible()
    lists = page.locator(".today .card ul")
    assert max(lists.nth(at).locator("> li").count() for at in range(lists.count())) == 7
    page.keyboard.press("/")
    page.keyboard.type("begins at")
    note = page.get_by_role("option", name="Begins at one")
    expect(note).to_contain_text("src/a.py")
    page.get_by_role("combobox", name="Search or jump").fill("a.py")
    expect(page.get_by_role("option", name="src/a.py file", exact=True)).to_be_visible()
    expect(page.get_by_role("option").filter(has_text="a.py.comments")).to_have_count(0)
    page.keyboard.press("Escape")
    unread = mine.locator(".card", has_text="Remarks no agent has read")
    expect(unread.get_by_role("link", name="all 9")).to_have_attribute("href", "/review")
    axe(page)
    for width in (360, 1024):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.locator("main").evaluate("node => node.scrollWidth <= node.clientWidth")


@pytest.mark.usefixtures("busy")
def test_the_rail_counts_what_waits_and_an_answer_that_is_done_with_waits_no_more(
    page: Page, site: Site
) -> None:
    page.goto(site.url)
    rail = page.get_by_role("navigation", name="Views")
    today, review = (rail.get_by_role("link", name=name).locator(".count") for name in ("Today", "Review"))
    expect(review).to_have_text("1")
    expect(today).to_have_text("3")
    answers = page.locator(".card", has_text="Answers to your remarks")
    asked = site.call("list_messages")["messages"][1]["id"]
    site.holdfast("inbox", "reply", asked, "--text", "Done")
    expect(answers.get_by_role("listitem")).to_have_count(2)
    expect(answers.get_by_role("listitem").first).to_contain_text("Done")
    expect(review).to_have_text("2")
    expect(today).to_have_text("4")
    answers.get_by_role("link").first.click()
    page.locator("summary", has_text="older").click()
    page.get_by_role("button", name="Done").first.click()
    expect(review).to_have_text("1")
    expect(today).to_have_text("3")


@pytest.mark.usefixtures("busy")
def test_a_damaged_room_says_so_in_its_list_and_the_others_are_shown(page: Page, site: Site) -> None:
    store = site.root / ".git" / "holdfast" / "inbox.sqlite"
    for file in store.parent.glob("inbox.sqlite-*"):
        file.unlink()
    damaged = store.with_name("damaged")
    damaged.write_bytes(b"not a database".ljust(8192, b"!"))
    damaged.replace(store)
    page.goto(site.url)
    mine = page.get_by_role("region", name="For you")
    expect(mine.get_by_role("alert")).to_have_count(2)
    expect(mine.get_by_role("alert").first).to_contain_text("is not a database")
    expect(mine.get_by_role("heading", name="Tasks in review")).to_be_visible()
    expect(page.get_by_role("region", name="Agents").get_by_text("grace")).to_be_visible()
    expect(page.get_by_role("region", name="Milestones").get_by_role("listitem")).to_have_count(7)
