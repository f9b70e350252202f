// Today: what waits for somebody, who is at work, what happened since yesterday; each list fills by itself.

import { el, fill } from "../dom.js";
import { apiUrl, get } from "../api.js";
import { failure } from "../view.js";
import { MOST, WAITING } from "./today/waiting.js";

const AGENTS = { name: "At work", all: "/activity", topic: "tasks", load: atWork };
const MILESTONES = { all: "/issues?kind=milestone", topic: "milestones", load: openMilestones };

export async function show(view) {
  view.heading("Today", { json: apiUrl("inbox/list_messages", { newest: true }) });
  const [mine, agents, lately, milestones, health] = ["For you", "Agents", "Since yesterday", "Milestones", "Health"]
    .map((name) => el("section", { class: "stack column", "aria-label": name }, el("h2", {}, name)));
  milestones.classList.add("wide");
  health.hidden = true;
  view.main.append(el("div", { class: "today" }, mine, agents, lately), el("div", { class: "today" }, milestones, health));
  const cheap = [column(view, mine, WAITING, "Nothing waits for you."), column(view, milestones, [MILESTONES], "No milestone is open."), column(view, agents, [AGENTS], "No agent is at work.")];
  await cheap[0];
  // The rest takes longer, and comes when somebody can already read; events that the agents brought are not sent again.
  Promise.all(cheap).then(async (found) => {
    const { LATELY } = await import("./today/lately.js");
    const happened = await column(view, lately, LATELY, "No task, issue or file with notes changed since yesterday.");
    if (view.signal.aborted) return;
    if (!happened && !found.some(Boolean)) begin(view, milestones);
    measure(view, health, mine);
  });
}

async function atWork(signal) {
  const { agents, agentItem } = await import("./activity/agents.js");
  const found = await agents(signal);
  return { total: found.length, lines: found.map(agentItem) };
}

async function openMilestones(signal) {
  const { dueDay, place, progress } = await import("./issues/parts.js");
  const { items, nextCursor } = await get("milestones/git_mile_overview", { entity: "milestone", sort: ["due"], limit: MOST }, { signal });
  const bar = (item) => el("li", { class: "milestone" }, el("a", { href: place("milestone", item.id), title: item.title }, item.title),
    progress(item.stats.open_issues, item.closed_issues), item.due ? dueDay(item.due) : el("span", { class: "quiet" }, "no due day"));
  return { total: items.length, more: Boolean(nextCursor), lines: items.map(bar) };
}

/** Show how the code is, which takes longest to find out; a gate that fails waits for somebody. */
async function measure(view, health, mine) {
  const failing = el("div", { class: "card gate", hidden: true });
  mine.append(failing);
  const told = ({ passed, reason }) => {
    failing.hidden = passed;
    fill(failing, shortList({ name: "The quality gate fails" }, { total: 1, lines: [{ text: reason, href: "/health#gate", detail: [] }] }));
  };
  const load = async (signal) => {
    const { healthAtAGlance } = await import("./health/glance.js");
    const found = await healthAtAGlance(signal, told);
    return { total: Number(Boolean(found)), lines: [el("li", {}, found)] };
  };
  health.hidden = !(await column(view, health, [{ load }], ""));
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
      const found = await list.load(view.signal);
      totals.set(list, found.total);
      fill(place, shortList(list, found));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      totals.set(list, 1);
      fill(place, list.name && el("h3", {}, list.name), failure(problem));
    }
    place.hidden = totals.get(list) === 0;
    quiet.hidden = totals.size < lists.length || [...totals.values()].some(Boolean);
  };
  for (const list of lists) if (list.topic) view.on(list.topic, () => renew(list));
  document.addEventListener("marked", () => lists.filter(({ topic }) => topic === "inbox").forEach(renew), { signal: view.signal });
  await Promise.all(lists.map(renew));
  return [...totals.values()].some(Boolean);
}

function shortList({ name, all, most = MOST }, { total, lines, more = false }) {
  const line = ({ word, text, href, detail }) => el("li", { class: "line" },
    word && el("span", { class: word === "done" ? "tag ok" : "tag" }, word),
    el("a", { class: "two-lines", href, title: text }, text), el("span", { class: "quiet" }, detail));
  return [
    name && el("h3", {}, name),
    el("ul", {}, lines.slice(0, most).map((one) => (one instanceof Node ? one : line(one)))),
    more || total > most ? el("a", { class: "all", href: all }, more ? "all of them" : `all ${total}`) : null,
  ];
}

/** Say what belongs here and how it begins, in a repository that has nothing yet. */
function begin(view, milestones) {
  milestones.remove();
  for (const { topic } of [AGENTS, MILESTONES, ...WAITING]) view.on(topic, () => view.go(location.href));
  const step = (words, command) => el("li", {}, el("p", {}, words), el("pre", { tabindex: "0" }, command));
  fill(view.main.querySelector(".today"), el("div", { class: "empty" },
    el("p", {}, "What waits for you, who is at work and what happened since yesterday will stand here. To begin:"),
    el("ol", {},
      step("Let your agent find Holdfast.", "holdfast install claude-code"),
      step("Leave a remark on a line for it.", 'holdfast send --file src/main.py --line 42 --comment "Handle the error"'),
      step("Write down a first task.", 'holdfast tasks init && holdfast tasks add "What is to be done"'))));
}
