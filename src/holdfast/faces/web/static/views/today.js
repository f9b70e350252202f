// Today: what waits for somebody, who is at work, what happened since yesterday; each list fills by itself.

import { el, fill } from "../dom.js";
import { apiUrl, get } from "../api.js";
import { failure } from "../view.js";
import { MOST, WAITING } from "./today/waiting.js";

const AGENTS = { name: "At work", all: "/activity", topic: "tasks", load: atWork };

export async function show(view) {
  view.heading("Today", { json: apiUrl("inbox/list_messages", { newest: true }) });
  const columns = ["For you", "Agents", "Since yesterday"].map((name) => el("section", { class: "stack column", "aria-label": name }, el("h2", {}, name)));
  const [mine, agents, lately] = columns;
  const milestones = el("section", { class: "stack wide", "aria-label": "Milestones", hidden: true });
  const health = el("section", { class: "stack", "aria-label": "Health", hidden: true }, el("h2", {}, "Health"));
  view.main.append(el("div", { class: "today" }, columns), el("div", { class: "today" }, milestones, health));
  const filled = await column(view, mine, WAITING, "Nothing waits for you.");
  // What is cheap has been asked by now; the rest comes when somebody can already read.
  Promise.all([
    column(view, agents, [AGENTS], "No agent is at work."),
    import("./today/lately.js").then(({ LATELY }) => column(view, lately, LATELY, "Nothing happened since yesterday.")),
    showMilestones(view, milestones),
  ]).then((others) => [filled, ...others].some(Boolean) || begin(view)).then(() => showHealth(view, health, mine));
}

async function atWork(signal) {
  const { agents, agentItem } = await import("./activity/agents.js");
  const found = await agents(signal);
  return { total: found.length, lines: found.map(agentItem) };
}

/** Fill a column with the lists that are not empty, and keep them current; return whether anything is there. */
async function column(view, node, lists, nothing) {
  const quiet = el("p", { class: "quiet", hidden: true }, nothing);
  const places = new Map(lists.map((list) => [list, el("div", { class: "card", hidden: true })]));
  node.append(quiet, ...places.values());
  const totals = new Map();
  const renew = async (list) => {
    const place = places.get(list);
    try {
      const { total, more, lines } = await list.load(view.signal);
      totals.set(list, total);
      place.hidden = total === 0;
      fill(place, shortList(list, total, lines, more));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      totals.set(list, 1);
      place.hidden = false;
      fill(place, el("h3", {}, list.name), failure(problem));
    }
    quiet.hidden = totals.size < lists.length || [...totals.values()].some(Boolean);
  };
  for (const list of lists) {
    view.on(list.topic, () => renew(list));
    if (list.topic === "inbox") document.addEventListener("answer-seen", () => renew(list), { signal: view.signal });
  }
  await Promise.all(lists.map(renew));
  return [...totals.values()].some(Boolean);
}

function shortList({ name, all, most = MOST }, total, lines, more = false) {
  const line = ({ word, text, href, detail, visit }) => el("li", { class: "line" },
    word && el("span", { class: word === "done" ? "tag ok" : "tag" }, word),
    el("a", { href, title: text, on: visit ? { click: () => { visit(); document.dispatchEvent(new Event("answer-seen")); } } : {} }, text),
    el("span", { class: "quiet" }, detail));
  return [
    el("h3", {}, name),
    el("ul", {}, lines.slice(0, most).map((one) => (one instanceof Node ? one : line(one)))),
    total > most ? el("a", { class: "all", href: all }, more ? `all of them, more than ${total}` : `all ${total}`) : null,
  ];
}

async function showMilestones(view, node) {
  const { dueDay, place, progress } = await import("./issues/parts.js");
  const bar = (item) => el("li", {}, el("a", { href: place("milestone", item.id), title: item.title }, item.title), progress(item.stats.open_issues, item.closed_issues), item.due ? dueDay(item.due) : el("span", { class: "quiet" }, "no due day"));
  const renew = async () => {
    node.hidden = false;
    try {
      const { items, nextCursor } = await get("milestones/git_mile_overview", { entity: "milestone", sort: ["due"], limit: MOST }, { signal: view.signal });
      node.hidden = items.length === 0;
      fill(node, el("h2", {}, "Milestones"), el("ul", { class: "card milestones" }, items.map(bar)), nextCursor ? el("a", { class: "all", href: "/issues?kind=milestone" }, "all milestones") : null);
    } catch (problem) {
      view.fail(node, problem);
    }
    return !node.hidden;
  };
  view.on("milestones", renew);
  return renew();
}

/** Show how the code is, which takes longest to find out; a gate that fails waits for somebody. */
async function showHealth(view, node, mine) {
  const place = el("div", { class: "card" });
  const failing = el("div", { class: "card gate", hidden: true });
  const told = ({ passed, reason }) => {
    failing.hidden = passed;
    fill(failing, shortList({ name: "The quality gate fails" }, 1, [{ text: reason, href: "/health#gate", detail: [] }]));
  };
  try {
    const { healthAtAGlance } = await import("./health/glance.js");
    const found = await healthAtAGlance(view.signal, told);
    node.hidden = !found;
    fill(place, found);
  } catch (problem) {
    if (problem.name === "AbortError") return;
    node.hidden = false;
    view.fail(place, problem);
  }
  mine.append(failing);
  node.append(place);
}

/** Say what belongs here and how it begins, in a repository that has nothing yet. */
function begin(view) {
  const step = (words, command) => el("li", {}, el("p", {}, words), el("pre", { tabindex: "0" }, command));
  fill(view.main.querySelector(".today"), el("div", { class: "empty" },
    el("p", {}, "What waits for you, who is at work and what happened since yesterday will stand here. To begin:"),
    el("ol", {},
      step("Let your agent find Holdfast.", "holdfast install claude-code"),
      step("Leave a remark on a line for it.", 'holdfast send --file src/main.py --line 42 --comment "Handle the error"'),
      step("Write down a first task.", 'holdfast tasks init && holdfast tasks add "What is to be done"'))));
}
