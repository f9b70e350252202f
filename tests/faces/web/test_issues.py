"""Issues and milestones in the page: the list in its filter language, one of them whole, and other clones."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import APIResponse, Page, Route, expect

from tests import forked
from tests.faces.http.running import HOLDFAST
from tests.faces.web.conftest import Axe, Held
from tests.faces.web.site import Site

HOSTILE = "<img src=x onerror=alert(1)>\"'`${7*7} <script>alert(2)</script>"


def shown(site: Site, name: str) -> Any:
    """What another process sees of a milestone or issue."""
    return json.loads(site.holdfast("milestones", "show", name, "--json"))


def made(site: Site, kind: str, title: str, **more: Any) -> str:
    name: str = site.call("git_mile_create", entity=kind, title=title, **more)["id"]
    return name


def test_an_issue_is_made_changed_and_closed_and_another_process_sees_all_of_it(
    page: Page, site: Site, axe: Axe
) -> None:
    milestone = made(site, "milestone", "First cut", due="2001-01-01")
    other = made(site, "issue", "Comes first")
    page.goto(f"{site.url}/issues")
    expect(page.get_by_role("link", name="Comes first")).to_be_visible()
    page.keyboard.press("n")
    form = page.get_by_role("dialog", name="New issue")
    form.get_by_label("Title").fill(HOSTILE)
    form.get_by_label("Description").fill("Seen **twice**.")
    form.get_by_role("button", name="Create issue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(page.locator(".markdown strong")).to_have_text("twice")
    name = page.url.rpartition("/")[2]

    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Title").fill("Panel is too big")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Panel is too big")
    facts = page.get_by_role("complementary", name="Facts")

    def change(what: str, label: str, value: str, button: str) -> None:
        facts.get_by_label(what, exact=True).click()
        facts.get_by_label(label, exact=True).fill(value)
        facts.get_by_role("button", name=button, exact=True).click()

    change("Add to labels", "Labels", HOSTILE[:40], "Add")
    expect(facts.get_by_text(HOSTILE[:40])).to_be_visible()
    change("Change assignee", "Assignee", "Grace <grace@example.org>", "Assign")
    expect(facts.get_by_text("Grace", exact=True)).to_be_visible()
    change("Change due date", "Due", "2001-02-03", "Set")
    expect(facts.get_by_text("overdue by")).to_be_visible()
    facts.get_by_label("Change milestone").click()
    facts.get_by_label("Milestone", exact=True).select_option(label="First cut")
    facts.get_by_role("button", name="Set").click()
    expect(facts.get_by_role("link", name="First cut")).to_be_visible()
    change("Add to depends on", "Depends on", other, "Add")
    expect(facts.get_by_role("link", name="Comes first")).to_be_visible()
    change("Add to links", "Links", "javascript:alert(3)", "Add")
    expect(facts.get_by_text("javascript:alert(3)")).to_be_visible()
    expect(facts.get_by_label("Add to links")).to_be_focused()
    expect(facts.locator("a[href^='javascript']")).to_have_count(0)
    facts.get_by_role("button", name="Claim for an hour").click()
    expect(facts.get_by_role("button", name="Release")).to_be_visible()

    page.get_by_label("Comment", exact=True).fill(HOSTILE)
    page.get_by_role("button", name="Comment", exact=True).click()
    comment = page.locator(".comments > li")
    expect(comment).to_contain_text("alert(1)")
    comment.get_by_role("button", name="Edit").click()
    page.get_by_label("Edit the comment").fill("It is the margin.")
    page.get_by_role("button", name="Save").click()
    expect(comment).to_contain_text("edited")
    page.get_by_label("Comment", exact=True).fill("Done")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    axe(page)

    issue = shown(site, name)
    assert (issue["title"], issue["status"], issue["labels"]) == (
        "Panel is too big",
        "closed",
        [HOSTILE[:40]],
    )
    assert (issue["assignee"], issue["due"]) == ("Grace <grace@example.org>", "2001-02-03")
    assert (issue["milestone"], issue["dependencies"]) == (milestone, [other])
    assert [comment["body"] for comment in issue["comments"]] == ["It is the margin.", "Done"]

    first = page.locator(".comments > li").first
    first.get_by_role("button", name="Delete").click()
    first.get_by_role("button", name="Keep").click()
    first.get_by_role("button", name="Delete").click()
    first.get_by_role("button", name="Delete in every clone").click()
    expect(first).to_contain_text("Deleted.")
    page.get_by_text("History").click()
    expect(page.locator(".history")).to_contain_text("set status to closed")
    expect(page.locator(".history")).to_contain_text("deleted a comment")
    assert shown(site, name)["comments"][0]["deleted"] is True


def test_older_history_stays_when_something_changes(page: Page, site: Site) -> None:
    name = made(site, "issue", "Told at length")
    for number in range(60):
        site.call("git_mile_comment", id=name, body=f"Word {number}")
    page.goto(f"{site.url}/issues/{name}")
    page.get_by_text("History").click()
    events = page.locator(".history > li > span")
    expect(events).to_have_count(50)
    page.get_by_role("button", name="Older").click()
    expect(events).to_have_count(61)
    site.call("git_mile_edit", id=name, title="Told again")
    expect(page.locator(".history")).to_contain_text("set title to Told again")
    expect(events).to_have_count(61)


def test_what_was_typed_outlives_a_reload_and_a_second_edit(page: Page, site: Site) -> None:
    name = made(site, "issue", "Typed for minutes")
    page.goto(f"{site.url}/issues/{name}")
    page.get_by_label("Comment", exact=True).fill("Half a thought")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Title").fill("Typed for hours")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Title")).to_have_value("Typed for hours")
    page.reload()
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator(".comments > li")).to_contain_text("Half a thought")
    expect(page.get_by_label("Comment", exact=True)).to_have_value("")
    page.reload()
    expect(page.locator(".comments > li")).to_contain_text("Half a thought")
    expect(page.get_by_label("Comment", exact=True)).to_have_value("")


def test_an_answer_that_was_overtaken_is_not_shown(page: Page, site: Site) -> None:
    name = made(site, "issue", "First")
    page.goto(f"{site.url}/issues/{name}")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("First")
    expect(page.locator(".live.connected")).to_be_visible()
    late: list[tuple[Route, APIResponse]] = []

    def asked(route: Route) -> None:
        if late:
            route.continue_()
        else:
            late.append((route, route.fetch()))
            site.call("git_mile_edit", id=name, title="Third")

    page.route("**/api/milestones/git_mile_show?*", asked)
    site.call("git_mile_edit", id=name, title="Second")
    expect(heading).to_have_text("Third")
    with page.expect_event("requestfinished", lambda request: "git_mile_show" in request.url):
        for route, answer in late:
            route.fulfill(response=answer)
    page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done)))")
    assert "Second" in late[0][1].text()
    expect(heading).to_have_text("Third")


def test_a_mistake_in_the_filter_stands_under_its_column(page: Page, site: Site) -> None:
    made(site, "issue", "Only one")
    page.goto(f"{site.url}/issues")
    expect(page.get_by_role("link", name="Only one")).to_be_visible()
    field = page.get_by_role("combobox", name="Filter")
    for filter_text, column in (
        ("status == open and colour = red", 20),
        ('title == "東京" and colour = red', 19),
    ):
        field.fill(filter_text)
        field.press("Escape")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text(f'column {column}: "colour" is not a field')
        expect(page.get_by_role("link", name="Only one")).to_be_hidden()
        marker = page.locator(".filter-problem b").bounding_box()
        box = field.bounding_box()
        assert marker is not None
        assert box is not None
        drawn = field.evaluate(
            """(input, text) => {
                const canvas = document.createElement("canvas").getContext("2d");
                const style = getComputedStyle(input);
                canvas.font = `${style.fontSize} ${style.fontFamily}`;
                return canvas.measureText(text).width + parseFloat(style.paddingLeft) + 1;
            }""",
            filter_text[: column - 1],
        )
        assert abs(marker["x"] - (box["x"] + drawn)) < 2
        assert marker["y"] >= box["y"] + box["height"]
    field.fill("status == open")
    field.press("Escape")
    field.press("Enter")
    expect(page.get_by_role("link", name="Only one")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_empty()
    assert "filter=status" in page.url


def test_the_filter_is_completed_from_fields_operators_and_values(page: Page, site: Site) -> None:
    made(site, "issue", "Wanted", label=["needs care"])
    made(site, "issue", "Other")
    page.goto(f"{site.url}/issues")
    field = page.get_by_role("combobox", name="Filter")
    words = page.get_by_role("listbox", name="Completions").get_by_role("option")
    field.press_sequentially("lab")
    expect(words).to_have_text(["labels"])
    page.keyboard.press("ArrowDown")
    expect(words.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(field).to_have_value("labels ")
    expect(words).to_have_text(["==", "!=", "in", "not in", "contains", "not contains"])
    field.press_sequentially("in [ca")
    words.get_by_text('"needs care"').click()
    field.press_sequentially("] and sta")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    field.press_sequentially("!= ")
    expect(words).to_have_text(["draft", "open", "closed"])
    field.press_sequentially("closed ")
    expect(words).to_have_text(["and", "or"])
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator(".lines a.name")).to_have_text(["Wanted"])


def imported(site: Site, titles: list[str], first: int) -> None:
    numbered = enumerate(titles, first)
    drafts = [{"title": title, "body": "", "labels": [], "number": number} for number, title in numbered]
    site.write("many.json", json.dumps(drafts))
    site.call("git_mile_import", file="many.json", format="github")


def test_lines_that_were_asked_for_stay_when_something_changes(page: Page, site: Site) -> None:
    imported(site, [f"Wave {number:03}" for number in range(560)], first=1000)
    [first] = site.call("git_mile_list", entity="issue", filter='title == "Wave 000"')["items"]
    page.goto(f"{site.url}/issues?sort=title&filter=title%20contains%20Wave")
    links = page.locator(".lines a.name")
    expect(links).to_have_count(50)
    expect(page.locator(".live.connected")).to_be_visible()
    overview = "**/api/milestones/git_mile_overview?*"
    held = Held(page, overview)
    with page.expect_request(overview):
        page.get_by_role("button", name="More").click()
    with page.expect_request(overview):
        site.call("git_mile_edit", id=first["id"], title="Wave 000, broken")
    held.let_go()
    expect(links.first).to_have_text("Wave 000, broken")
    expect(links).to_have_count(100)
    for number in (*range(150, 551, 50), 560):
        page.get_by_role("button", name="More").click()
        expect(links).to_have_count(number)
    site.call("git_mile_edit", id=first["id"], title="Wave 000, calm")
    expect(links.first).to_have_text("Wave 000, calm")
    expect(links).to_have_count(560)
    expect(page.get_by_text("560 in all")).to_be_visible()


def test_pages_follow_each_other_and_closed_ones_come_when_asked_for(page: Page, site: Site) -> None:
    titles = [f"Number {number:03}" for number in range(120)]
    imported(site, titles, first=1)
    page.goto(f"{site.url}/issues?sort=title&filter=title%20contains%20Number")
    links = page.locator(".lines a.name")
    expect(links).to_have_count(50)
    page.get_by_role("button", name="More").click()
    expect(links).to_have_count(100)
    expect(links.nth(50)).to_be_focused()
    page.get_by_role("button", name="More").click()
    expect(links).to_have_count(120)
    assert links.all_text_contents() == titles
    expect(page.get_by_text("120 in all")).to_be_visible()
    gone = site.call("git_mile_list", entity="issue", filter='title == "Number 007"')["items"][0]["id"]
    site.holdfast("milestones", "close", gone)
    expect(links).to_have_count(119)
    page.get_by_label("Filter").fill('title contains "Number 00"')
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(links).to_have_count(9)
    page.get_by_label("Show closed").check()
    expect(links).to_have_count(10)
    assert "closed=1" in page.url
    page.reload()
    expect(links).to_have_count(10)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Number 001")
    page.go_back()
    expect(links).to_have_count(10)
    page.keyboard.press("/")
    page.keyboard.type("number 119")
    page.get_by_role("option", name="Number 119").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Number 119")


def test_milestones_show_progress_and_days_and_change_live(page: Page, site: Site, axe: Axe) -> None:
    late = made(site, "milestone", HOSTILE, due="2001-01-01")
    issues = [made(site, "issue", f"Part {number}", milestone=late) for number in range(4)]
    page.goto(f"{site.url}/issues")
    page.get_by_role("link", name="Milestones").click()
    line = page.locator(".lines > li", has_text="alert(1)")
    expect(line).to_contain_text("0 of 4 closed")
    expect(line).to_contain_text("overdue by")
    site.holdfast("milestones", "close", issues[0])
    expect(line).to_contain_text("1 of 4 closed")
    expect(line.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "25")
    axe(page)
    line.get_by_role("link").click()
    expect(page.get_by_role("region", name="Issues").locator(".lines > li")).to_have_count(4)
    begun = page.get_by_label("Assignee", exact=True)
    page.get_by_label("Change assignee").click()
    begun.fill("Grace")
    page.get_by_label("Comment", exact=True).fill("Half of a")
    page.keyboard.press("Escape")
    site.holdfast("milestones", "edit", late, "--title", "Renamed elsewhere")
    expect(page.get_by_role("heading", level=1)).to_have_text("Renamed elsewhere")
    expect(begun).to_have_value("Grace")
    expect(page.get_by_label("Comment", exact=True)).to_have_value("Half of a")
    page.set_viewport_size({"width": 360, "height": 740})
    main = page.locator("main")
    assert main.evaluate("node => node.scrollWidth <= node.clientWidth")
    page.goto(f"{site.url}/issues?kind=milestone")
    expect(page.get_by_role("link", name="Renamed elsewhere")).to_be_visible()
    assert main.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_what_two_clones_set_at_once_stands_side_by_side_until_one_is_taken(
    page: Page, site: Site, tmp_path: Path
) -> None:
    page.goto(f"{site.url}/issues")
    expect(page.get_by_role("button", name="New issue")).to_be_visible()
    expect(page.get_by_role("button", name="Sync")).to_have_count(0)
    hub, clone = tmp_path / "hub", tmp_path / "clone"
    subprocess.run(["git", "init", "--quiet", "--bare", str(hub)], check=True)
    subprocess.run(["git", "clone", "--quiet", str(hub), str(clone)], check=True, capture_output=True)
    site.git("remote", "add", "origin", str(hub))

    def elsewhere(*arguments: str) -> None:
        command = [HOLDFAST, "milestones", *arguments]
        forked.run(command, cwd=clone, check=True, capture_output=True)

    name = made(site, "issue", "Size")
    page.reload()
    page.get_by_role("button", name="Sync with origin").click()
    expect(page.get_by_role("status").get_by_text("Received 0 and sent")).to_be_visible()
    elsewhere("sync")
    elsewhere("edit", name, "--title", "Size of the panel", "--due", "2030-01-31")
    elsewhere("assign", name, "Grace <grace@example.org>")
    elsewhere("sync")
    site.call("git_mile_edit", id=name, title="Size on phones", due="2030-02-01")
    site.call("git_mile_assign", id=name, assignee="Ada")
    page.get_by_role("button", name="Sync with origin").click()
    line = page.locator(".lines > li", has_text="Size")
    expect(line).to_contain_text("contested")
    line.get_by_role("link").click()
    for label, value in (
        ("the title", "Size of the panel"),
        ("the due date", "2030-01-31"),
        ("the assignee", "Grace"),
    ):
        contest = page.get_by_role("region", name=f"Contested: {label}")
        expect(contest.locator(".choice")).to_have_count(2)
        contest.locator(".choice", has_text=value).get_by_role("button", name="Use this one").click()
        expect(contest).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text("Size of the panel")
    issue = shown(site, name)
    assert "contested" not in issue
    assert (issue["due"], issue["assignee"]) == ("2030-01-31", "Grace <grace@example.org>")
