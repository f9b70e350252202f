"""The board: made, moved by hand, by keys and by menu, refused with a reason, kept current, and large."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.faces.http.running import HOLDFAST
from tests.faces.web.conftest import Axe, Held
from tests.faces.web.site import Site, served
from tests.wire.client import WireClient, wire_client

HOSTILE = '<img src=x onerror=alert(1)>"><script>alert(2)</script>'


@pytest.fixture(scope="module")
def begun(site: Site) -> Site:
    """The site, with a workspace that has no tasks of its own."""
    site.call("taskpilot_init", project_name="Kelp")
    for number in range(1, 5):
        site.call("taskpilot_update", task_id=f"TP-{number}", set={"status": "dropped"})
    return site


def add(site: Site, title: str, **more: Any) -> str:
    """Add a task and return its id."""
    created: str = site.call("taskpilot_create_task", title=title, **more)["task"]["id"]
    return created


def go(page: Page, site: Site, query: str = "") -> None:
    page.goto(f"{site.url}/board{query}")
    page.wait_for_selector("main[data-ready]")


def card(page: Page, task: str) -> Locator:
    return page.locator(f'[data-id="{task}"]')


def column(page: Page, name: str) -> Locator:
    return page.locator(f'.cards[data-column="{name}"]')


def test_an_empty_board_begins_and_takes_a_first_task(site: Site, page: Page, axe: Axe) -> None:
    page.goto(f"{site.url}/task/TP-1")
    page.get_by_role("link", name="Go to the board").click()
    expect(page.get_by_text("holdfast tasks init")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Begin with a few tasks").click()
    expect(column(page, "ready").locator(".task")).to_have_count(3)
    expect(card(page, "TP-4")).to_contain_text("waits for TP-1")
    axe(page)


def test_columns_and_filters_fit_into_1280_pixels(begun: Site, page: Page) -> None:
    add(begun, "Seen whole")
    page.set_viewport_size({"width": 1280, "height": 800})
    go(page, begun)
    assert page.locator(".board").evaluate("(node) => node.scrollWidth <= node.clientWidth")
    tops = page.locator(".filters > *").evaluate_all("(all) => all.map((node) => node.offsetTop)")
    assert len(set(tops)) == 1


def test_a_task_is_made_with_a_key_and_its_title_stays_text(begun: Site, page: Page) -> None:
    go(page, begun)
    page.keyboard.press("n")
    form = page.get_by_role("dialog", name="New task")
    form.get_by_label("Title").fill(HOSTILE)
    form.get_by_label("Priority").select_option("high")
    form.get_by_label("Done when").fill("One\n\nTwo")
    form.get_by_role("button", name="Add").click()
    made = page.locator(".task", has_text="onerror=alert(1)")
    expect(made).to_have_count(1)
    expect(made.locator(".name")).to_be_focused()
    expect(made.locator(".name")).to_contain_text(HOSTILE)
    expect(made).to_contain_text("0/2")
    expect(made).to_contain_text("high")
    assert page.locator(".task img, .task script").count() == 0


def test_a_card_is_dragged_and_a_column_it_may_not_enter_says_why(begun: Site, page: Page) -> None:
    task = add(begun, "Dragged", criteria=["It is shown"])
    waiting = add(begun, "Waiting", depends_on=[task])
    go(page, begun)
    card(page, task).drag_to(column(page, "in-progress"))
    expect(column(page, "in-progress").locator(f'[data-id="{task}"]')).to_be_visible()
    expect(page.locator("#announcer")).to_have_text(f"{task} is now in In progress.")
    assert begun.call("taskpilot_show", task_id=task)["task"]["status"] == "in-progress"

    hover(page, card(page, task), column(page, "done"))
    expect(page.locator(".verdict:visible")).to_have_text("Not done yet: criterion 1 is not checked.")
    page.mouse.up()
    expect(page.locator(".verdict:visible")).to_have_count(0)
    hover(page, card(page, waiting), column(page, "in-progress"))
    expect(page.locator(".verdict:visible")).to_have_text(f"Not yet: waits for {task}.")
    page.mouse.up()
    hover(page, card(page, task), column(page, "review"))
    expect(page.locator(".verdict:visible")).to_contain_text("Lands 1 of")
    expect(column(page, "review").locator(".landing")).to_be_visible()
    page.mouse.up()
    expect(column(page, "review").locator(f'[data-id="{task}"]')).to_be_visible()
    expect(column(page, "backlog").locator(f'[data-id="{waiting}"]')).to_be_visible()


def hover(page: Page, what: Locator, where: Locator) -> None:
    """Drag something over a place, and hold it there."""
    what.locator(".quiet").first.hover()
    page.mouse.down()
    where.hover(position={"x": 40, "y": 200})
    where.hover(position={"x": 42, "y": 202})


def test_keys_lift_move_and_drop_a_card_and_say_each_step(begun: Site, page: Page) -> None:
    task = add(begun, "Moved by keys", priority="high")
    add(begun, "Stands in another column")
    go(page, begun)
    said = page.locator("#announcer")
    card(page, task).locator(".name").focus()
    page.keyboard.press("Space")
    expect(said).to_contain_text(f"{task} lifted")
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("Dropped. Lands")
    page.keyboard.press("Escape")
    expect(said).to_contain_text(f"{task} is still in Ready")
    for key in ("Space", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(said).to_contain_text("In progress. Lands")
    page.keyboard.press("Space")
    expect(column(page, "in-progress").locator(f'[data-id="{task}"]')).to_be_visible()
    expect(card(page, task).locator(".name")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.get_by_role("dialog").get_by_label("What blocks it?").fill("A key is missing")
    page.keyboard.press("Enter")
    expect(column(page, "blocked").locator(f'[data-id="{task}"] .name')).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".task:focus-within")).not_to_have_attribute("data-id", task)


def test_a_card_moved_again_before_its_first_move_was_answered_meets_no_conflict_with_itself(
    begun: Site, page: Page
) -> None:
    task = add(begun, "Moved twice in a hurry")
    go(page, begun)
    held = Held(page, "**/api/tasks/taskpilot_update")
    card(page, task).locator(".name").focus()
    with page.expect_request("**/api/tasks/taskpilot_update"):
        for key in ("Space", "ArrowRight", "ArrowRight", "Space"):
            page.keyboard.press(key)
    expect(column(page, "in-progress").locator(f'[data-id="{task}"] .name')).to_be_focused()
    for key in ("Space", "ArrowRight", "ArrowRight", "Space"):
        page.keyboard.press(key)
    held.let_go()
    expect(page.locator("#announcer")).to_contain_text(f"{task} is now in Review.")
    expect(column(page, "review").locator(f'[data-id="{task}"]')).to_be_visible()
    expect(card(page, task).get_by_role("alert")).to_have_count(0)


def test_a_move_is_made_when_somebody_leaves_before_it_was_answered(begun: Site, page: Page) -> None:
    task = add(begun, "Moved and left")
    go(page, begun)
    held = Held(page, "**/api/tasks/taskpilot_update")
    card(page, task).locator(".name").focus()
    with page.expect_request("**/api/tasks/taskpilot_update"):
        for key in ("Space", "ArrowRight", "ArrowRight", "Space"):
            page.keyboard.press(key)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Issues").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Issues")
    expect(page.locator("#announcer")).to_have_text("Issues is shown.")
    held.let_go()
    expect(page.locator("#announcer")).to_have_text(f"{task} is now in In progress.")
    assert begun.call("taskpilot_show", task_id=task)["task"]["status"] == "in-progress"


def test_the_menu_moves_takes_and_gives_back(begun: Site, page: Page, axe: Axe) -> None:
    task = add(begun, "Moved by menu", criteria=["Shown"])
    page.clock.install()
    go(page, begun)
    menu = page.get_by_role("group", name=f"Actions for {task}")
    open_menu = page.get_by_role("button", name=f"Move or claim {task}")
    open_menu.click()
    axe(page)
    menu.get_by_role("button", name="Claim it").click()
    held = column(page, "in-progress").locator(f'[data-id="{task}"]')
    expect(held).to_contain_text("Ada")
    expect(held).to_contain_text("29 min")
    page.clock.fast_forward("10:00")
    expect(held).to_contain_text("19 min")
    open_menu.click()
    to_done = menu.get_by_role("button", name="Move to Done")
    expect(to_done).to_have_attribute("aria-disabled", "true")
    expect(to_done).to_contain_text("Not done yet: criterion 1 is not checked.")
    menu.get_by_role("button", name="Release it").click()
    expect(column(page, "ready").locator(f'[data-id="{task}"]')).to_be_visible()
    open_menu.click()
    menu.get_by_role("button", name="Move to In progress").click()
    expect(column(page, "in-progress").locator(f'[data-id="{task}"]')).to_be_visible()


def test_the_board_follows_the_codes_and_the_order_of_the_server_not_its_wording(
    begun: Site, page: Page
) -> None:
    add(begun, "High second", priority="high")
    first = add(begun, "Low first", priority="low")
    begun.call("taskpilot_update", task_id=first, add={"criteria": ["One", "Two"]})

    def reworded(route: Route) -> None:
        answer = route.fetch().json()
        for item in answer.get("cards", []):
            if item["id"] == first:
                item["order"] = [-1]
                item["lacks"] = ["eins ist offen", "zwei ist offen", "niemand hat zugestimmt"]
                item["lacks_codes"] = ["unchecked_criterion", "unchecked_criterion", "not_approved"]
        route.fulfill(json=answer)

    page.route("**/api/tasks/taskpilot_board*", reworded)
    go(page, begun)
    expect(column(page, "ready").locator(".task").first).to_contain_text("Low first")
    begun.call("taskpilot_update", task_id=first, set={"status": "in-progress"})
    expect(column(page, "in-progress").locator(f'[data-id="{first}"]')).to_be_visible()
    page.get_by_role("button", name=f"Move or claim {first}").click()
    expect(page.get_by_role("button", name="Move to Done")).to_contain_text(
        "Not done yet: 2 criteria are not checked; niemand hat zugestimmt. "
        f"A person approves it with: holdfast tasks approve {first}"
    )


def test_a_card_that_changed_meanwhile_goes_back_and_says_what_to_do(begun: Site, page: Page) -> None:
    task = add(begun, "Contested")
    go(page, begun)
    # Another process changes the card after the page has sent its move, before the server gets it.
    page.route("**/api/tasks/taskpilot_update", lambda route: (changed(), route.continue_()))

    def changed() -> None:
        begun.holdfast("tasks", "update", task, "--field", "title", "--value", "Changed elsewhere")

    card(page, task).drag_to(column(page, "in-progress"))
    back = column(page, "ready").locator(f'[data-id="{task}"]')
    expect(back.get_by_role("alert")).to_contain_text("Somebody else has changed this task.")
    expect(back.get_by_role("alert")).to_contain_text("Move it again")
    expect(back.locator(".name")).to_contain_text("Changed elsewhere")
    page.unroute("**/api/tasks/taskpilot_update")
    back.get_by_role("button", name="Dismiss").click()
    card(page, task).drag_to(column(page, "in-progress"))
    expect(column(page, "in-progress").locator(f'[data-id="{task}"]')).to_be_visible()


@pytest.fixture
def agent(begun: Site) -> Iterator[WireClient]:
    """An agent in a process of its own, speaking over its pipes."""
    with wire_client([HOLDFAST, "serve"], cwd=begun.root) as client:
        client.initialize()
        yield client


OBSERVE = """() => {
  window.touched = new Set();
  window.watch = new MutationObserver((records) => records.forEach(({target}) => {
    const node = target instanceof Element ? target : target.parentElement;
    window.touched.add(node.closest("[data-id]")?.dataset.id ?? node.className);
  }));
  window.watch.observe(document.querySelector(".board"),
    {subtree: true, childList: true, attributes: true, characterData: true});
}"""


def test_a_write_by_an_agent_repaints_one_card_and_nothing_else(
    begun: Site, page: Page, agent: WireClient
) -> None:
    task, needs = add(begun, "Written elsewhere"), add(begun, "Needs the other")
    go(page, begun)
    expect(card(page, task)).to_be_visible()
    page.evaluate("document.body.dataset.kept = 'yes'")
    page.evaluate(OBSERVE)
    agent.call(1, "taskpilot_update", task_id=task, set={"title": "Written by an agent"})
    expect(card(page, task)).to_contain_text("Written by an agent")
    assert page.evaluate("[...window.touched]") == [task]
    page.evaluate("window.watch.disconnect()")

    agent.call(2, "taskpilot_update", task_id=needs, add={"depends_on": [task]})
    expect(column(page, "backlog").locator(f'[data-id="{needs}"]')).to_contain_text(f"waits for {task}")
    expect(card(page, task)).to_contain_text("blocks 1")
    agent.call(3, "taskpilot_update", task_id=task, set={"status": "in-progress"})
    agent.call(4, "taskpilot_update", task_id=task, set={"status": "done"})
    expect(column(page, "ready").locator(f'[data-id="{needs}"]')).to_be_visible()
    expect(column(page, "done").locator(f'[data-id="{task}"]')).to_be_visible()
    assert page.evaluate("document.body.dataset.kept") == "yes"

    page.goto(f"{begun.url}/")
    agent.call(5, "taskpilot_update", task_id=needs, set={"priority": "high"})
    go(page, begun)
    expect(card(page, needs).locator(".changed")).to_have_count(1)
    expect(card(page, task).locator(".changed")).to_have_count(0)


def test_a_card_that_an_agent_holds_is_moved_after_taking_it_over(begun: Site, page: Page) -> None:
    task = add(begun, "In the hands of an agent")
    begun.call("taskpilot_claim", action="take", task_id=task, agent="grace")
    go(page, begun)
    page.get_by_role("button", name=f"Move or claim {task}").click()
    page.get_by_role("group", name=f"Actions for {task}").get_by_role("button", name="Move to Review").click()
    held = column(page, "in-progress").locator(f'[data-id="{task}"]')
    expect(held.get_by_role("alert")).to_contain_text(f"{task} is held by grace.")
    held.get_by_role("button", name="Take over").click()
    expect(column(page, "review").locator(f'[data-id="{task}"]')).to_contain_text("Ada")
    (event, *_) = begun.call("taskpilot_events", task_id=task)["events"]
    assert (event["type"], event["actor"], event["status"]) == ("taken-over", "Ada", "review")


def test_filters_and_lanes_are_in_the_address_and_back_undoes_them(begun: Site, page: Page) -> None:
    api, web = add(begun, "About the api", labels=["api"]), add(begun, "About the web", labels=["web"])
    go(page, begun)
    page.get_by_label("Filter by label").select_option("api")
    expect(card(page, web)).to_have_count(0)
    expect(card(page, api)).to_be_visible()
    assert page.url.endswith("/board?label=api")
    page.get_by_label("Lanes").select_option("label")
    expect(page.get_by_role("region", name="api")).to_contain_text("About the api")
    assert page.url.endswith("lanes=label")
    page.go_back()
    expect(page.locator(".lane-name")).to_have_count(0)
    page.go_back()
    expect(card(page, web)).to_be_visible()
    page.get_by_label("Words in tasks").fill("about ")
    expect(page).to_have_url(re.compile("query=about"))
    expect(page.get_by_label("Words in tasks")).to_be_focused()
    page.keyboard.type("the web")  # after a pause, what was typed before is all there
    expect(page.get_by_label("Words in tasks")).to_have_value("about the web")
    expect(card(page, api)).to_have_count(0)
    expect(page.get_by_label("Words in tasks")).to_be_focused()
    page.get_by_role("button", name="Mine").click()
    expect(page.get_by_text("No task matches these filters.")).to_be_visible()
    begun.call("taskpilot_claim", action="take", task_id=web, agent="Ada")
    expect(card(page, web)).to_contain_text("Ada")
    begun.call("taskpilot_claim", action="release", task_id=web, agent="Ada")
    page.get_by_role("link", name="Show all tasks").click()
    expect(card(page, api)).to_be_visible()
    go(page, begun, "?status=dropped&priority=high")
    expect(column(page, "dropped").locator(".task")).to_have_count(2)


def test_thousands_of_cards_are_few_nodes_and_all_can_be_reached(
    tmp_path: Any, browser: Any, axe: Axe
) -> None:
    with served(tmp_path / "large") as large:
        large.holdfast("tasks", "init")
        lines = "\n".join(f"- [ ] Task number {number}" for number in range(1500))
        large.write("tasks.md", lines)
        large.holdfast("tasks", "import", "todo", "tasks.md")
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(large.link)
        page.wait_for_selector("main[data-ready]")
        go(page, large)
        expect(page.locator('.head[data-column="ready"]')).to_contain_text("1503")
        assert page.locator(".task").count() < 60
        seen = page.evaluate(
            """async () => {
              const list = document.querySelector('.cards[data-column="ready"]'), seen = new Set();
              for (let top = 0; top < list.scrollHeight; top += list.clientHeight + 700) {
                list.scrollTop = top;
                await new Promise(requestAnimationFrame);
                for (const node of list.querySelectorAll(".task")) seen.add(Number(node.ariaPosInSet));
              }
              return [seen.size, Math.max(...seen), document.querySelectorAll(".task").length];
            }"""
        )
        assert seen[:2] == [1503, 1503]
        assert seen[2] < 60
        page.keyboard.press("Control+f")  # the browser's own search goes through nodes
        expect(page.locator(".task")).to_have_count(1504)
        page.keyboard.press("Escape")
        assert page.locator(".task").count() < 60
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        expect(page.locator('.head[data-column="backlog"]')).not_to_be_in_viewport(ratio=0.9)
        page.locator('.head[data-column="review"]').scroll_into_view_if_needed()
        expect(page.locator('.head[data-column="review"]')).to_be_in_viewport(ratio=1)
        axe(page)
        page.close()


def test_the_json_link_has_what_the_board_shows(begun: Site, page: Page) -> None:
    add(begun, "As data", labels=["data"])
    go(page, begun, "?label=data")
    link = page.get_by_role("link", name="JSON").get_attribute("href")
    shown = json.loads(page.request.get(f"{begun.url}{link}").text())
    assert [item["title"] for item in shown["cards"]] == ["As data"]


def test_a_card_that_left_the_board_with_a_move_is_not_marked_as_changed_later(
    begun: Site, page: Page
) -> None:
    task = add(begun, "Done by the user")
    go(page, begun)
    go(page, begun, "?ready=true")
    card(page, task).locator(".more").click()
    page.get_by_role("button", name="Move to In progress").click()
    expect(card(page, task)).to_have_count(0)
    expect(page.locator("#announcer")).to_contain_text("In progress")
    page.get_by_role("link", name="Today").click()
    page.wait_for_selector("main[data-view=today][data-ready]")
    go(page, begun)
    expect(card(page, task)).to_be_visible()
    expect(card(page, task).locator(".changed")).to_have_count(0)
