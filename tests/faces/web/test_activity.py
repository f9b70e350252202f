"""The Activity view: events of every room as they happen, who is at work, and what filters leave."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.faces.web.conftest import Axe
from tests.faces.web.site import Site

SOURCE = "def burn():\n    return 1\n"
RENEWED_TWICE = """async () => {
  const { updateAll } = await import("/static/time.js");
  const clocks = [...document.querySelectorAll("main [data-clock]")];
  const seen = new MutationObserver(() => {});
  updateAll();
  seen.observe(document.querySelector("main"), {childList: true, characterData: true, subtree: true});
  updateAll();
  return clocks.length ? seen.takeRecords().length : -1;
}"""


def test_an_empty_repository_says_what_belongs_here(page: Page, site: Site, axe: Axe) -> None:
    page.goto(f"{site.url}/activity")
    expect(page.get_by_text("Nothing has happened yet.")).to_be_visible()
    expect(page.get_by_text("No agent is at work.")).to_be_visible()
    expect(page.get_by_role("button", name="Older")).to_have_count(0)
    axe(page)


def test_notes_that_are_all_old_are_shown_at_once(page: Page, site: Site) -> None:
    site.write("old.py", SOURCE)
    site.holdfast("comments", "add", "old.py", "2", "From last year", "--tag", "NOTE", "--author", "lin")
    kept = site.root / "old.py.comments"
    kept.write_text(re.sub(r'"created": "20\d\d', '"created": "2020', kept.read_text()))
    page.goto(f"{site.url}/activity")
    expect(page.get_by_role("region", name="Events")).to_contain_text("From last year")
    expect(page.get_by_text("Nothing has happened yet.")).to_have_count(0)
    kept.unlink()


def test_events_of_every_room_arrive_live_and_filters_are_in_the_address(
    page: Page, site: Site, axe: Axe
) -> None:
    page.goto(f"{site.url}/activity")
    expect(page.locator(".live.connected")).to_be_visible()
    site.write("src/lamp.py", SOURCE)
    site.commit()
    site.holdfast("tasks", "init")
    lamp = {"title": "Light <b>the</b> lamp", "connected_files": ["src/lamp.py"]}
    site.call("taskpilot_add", tasks=[lamp, {"title": "Buy oil"}])
    site.call("taskpilot_claim", action="take", task_id="TP-1", agent="grace")
    site.call("send_message", file="src/lamp.py", line="1", comment="<img src=x onerror=alert(1)>")
    site.call("git_mile.create", entity="issue", title="The wick is wet")
    site.holdfast("comments", "add", "src/lamp.py", "2", "Why 1?", "--tag", "NOTE", "--author", "lin")
    events = page.get_by_role("region", name="Events")
    expect(events.get_by_role("link", name="TP-1 Light <b>the</b> lamp").first).to_be_visible()
    for line in ("claimed TP-1", "onerror=alert(1)", "The wick is wet", "wrote a note on src/lamp.py:2"):
        expect(events.get_by_text(line).first).to_be_visible()
    expect(events.get_by_role("link", name="The wick is wet")).to_be_visible()
    agents = page.get_by_role("complementary", name="Agents")
    expect(agents.get_by_text("grace")).to_be_visible()
    expect(agents.get_by_role("link", name="TP-1 Light <b>the</b> lamp")).to_be_visible()
    expect(agents.get_by_role("progressbar", name="Lease left")).to_have_attribute("aria-valuenow", "100")
    expect(agents).to_contain_text(re.compile(r"(29|30) min left"))
    assert page.evaluate(RENEWED_TWICE) == 0, "words that say the same are not touched"
    axe(page)

    page.get_by_role("textbox", name="Task or file").fill("src/lamp.py")
    page.keyboard.press("Enter")
    expect(events.get_by_text("The wick is wet")).to_have_count(0)
    expect(events.get_by_text("added TP-1")).to_be_visible()
    expect(events.get_by_text("onerror")).to_be_visible()
    page.get_by_role("combobox", name="Kind").select_option("Tasks")
    expect(events.get_by_text("onerror")).to_have_count(0)
    expect(page).to_have_url(f"{site.url}/activity?about=src%2Flamp.py&room=tasks")
    page.get_by_role("link", name="Today").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Today")
    page.go_back()
    expect(page.get_by_role("combobox", name="Kind")).to_have_value("tasks")
    expect(events.get_by_text("added TP-1")).to_be_visible()
    expect(events.get_by_text("added TP-2")).to_have_count(0)
    page.get_by_role("combobox", name="Who").fill("nobody")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No event matches these filters.")).to_be_visible()
    page.get_by_role("link", name="Show all").click()
    expect(events.get_by_text("The wick is wet")).to_be_visible()


def test_new_events_wait_behind_their_number_and_none_is_lost_while_nobody_looks(
    page: Page, site: Site
) -> None:
    site.call("taskpilot_init", project_name="Lamps")
    for first in (0, 30):
        titles = [f"Trim wick {number}" for number in range(first, first + 30)]
        site.call("taskpilot_add", tasks=[{"title": title} for title in titles])
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(f"{site.url}/activity?room=tasks")
    events = page.get_by_role("region", name="Events")
    lines = events.locator("[data-key]")
    expect(lines).to_have_count(50)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("button", name="Older").click()
    expect(events.get_by_text("Trim wick 0")).to_be_attached()
    before = lines.count()
    page.locator("main").evaluate("main => main.scrollTo(0, 600)")
    added = site.call("taskpilot_add", tasks=[{"title": f"New {number}"} for number in range(3)])
    page.get_by_role("button", name="3 new").click()
    expect(lines).to_have_count(before + 3)
    expect(events.get_by_text("New 2")).to_be_in_viewport()

    # Hidden, the page hears nothing; on return it gets all of it, more than one page even.
    page.evaluate(
        "() => { Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
        " document.dispatchEvent(new Event('visibilitychange')) }"
    )
    for _ in range(2):
        site.call("taskpilot_add", tasks=[{"title": f"Missed {number}"} for number in range(40)])
    number = int(added["tasks_created"][-1]["id"].removeprefix("TP-")) + 80
    page.evaluate("() => { delete document.hidden; document.dispatchEvent(new Event('visibilitychange')) }")
    expect(events.get_by_text(f"added TP-{number}")).to_be_attached()
    expect(lines).to_have_count(before + 83)
