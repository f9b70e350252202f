// Today: what waits for somebody, who is at work, what happened since yesterday; each list fills by itself.

import { apiUrl, get } from "../api.js";
import { el, failure, fill, quiet } from "../dom.js";
import { MOST, WAITING } from "./today/waiting.js";

const AGENTS = { name: "At work", all: "/activity", topic: "tasks", load: atWork };
const MILESTONES = { all: "/issues?kind=milestone", topic: "milestones", load: openMilestones };

export async function show(view) {
  view.heading("Today", { json: apiUrl("inbox/list_messages", { newest: true }) });
  const [mine, agents, lately, milestones, health] = ["For you", "Agents", "Since yesterday", "Milestones", "Health"]
    .map((name) => el("section.stack.column", { "aria-label": name }, el("h2", name)));
  milestones.classList.add("wide");
  health.hidden = true;
  view.main.append(el("div.today", mine, agents, lately), el("div.today", milestones, health));
  const cheap = [
    column(view, mine, WAITING, "Nothing waits for you."),
    column(view, milestones, [MILESTONES], "No milestone is open."),
    column(view, agents, [AGENTS], "No agent is at work."),
  ];
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
  const query = { entity: "milestone", sort: ["due"], limit: MOST };
  const { items, nextCursor } = await get("milestones/git_mile_overview", query, { signal });
  const line = ({ id, title, stats, closed_issues: closed, due }) => el("li.milestone",
    el("a.one-line", { href: place("milestone", id), title }, title), progress(stats.open_issues, closed),
    due ? dueDay(due) : quiet("no due day"));
  return { total: items.length, more: Boolean(nextCursor), lines: items.map(line) };
}

/** Show how the code is, which takes longest to find out; a gate that fails waits for somebody. */
async function measure(view, health, mine) {
  const failing = el("div.card.gate", { hidden: true });
  mine.append(failing);
  const told = ({ passed, reason }) => {
    failing.hidden = passed;
    const lines = [{ text: reason, href: "/health#gate" }];
    fill(failing, shortList({ name: "The quality gate fails" }, { total: 1, lines }));
  };
  const load = async (signal) => {
    const { healthAtAGlance } = await import("./health/glance.js");
    const found = await healthAtAGlance(signal, told);
    return { total: Number(Boolean(found)), lines: [el("li", found)] };
  };
  health.hidden = !(await column(view, health, [{ load }], ""));
}

/** Fill a column with the lists that are not empty, and keep them current; return whether anything is there. */
async function column(view, node, lists, nothing) {
  const nothingYet = el("p.quiet", { hidden: true }, nothing);
  const places = new Map(lists.map((list) => [list, el("div.card", { hidden: true })]));
  node.append(nothingYet, ...places.values());
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
      fill(place, list.name && el("h3", list.name), failure(problem));
    }
    place.hidden = totals.get(list) === 0;
    nothingYet.hidden = totals.size < lists.length || [...totals.values()].some(Boolean);
  };
  for (const list of lists) if (list.topic) view.on(list.topic, () => renew(list));
  const marked = () => lists.filter(({ topic }) => topic === "inbox").forEach(renew);
  document.addEventListener("marked", marked, { signal: view.signal });
  await Promise.all(lists.map(renew));
  return [...totals.values()].some(Boolean);
}

function shortList({ name, all, most = MOST }, { total, lines, more = false }) {
  const line = ({ word, text, href, detail }) => el("li.line",
    word && el("span", { class: word === "done" ? "tag ok" : "tag" }, word),
    el("a.two-lines", { href, title: text }, text), quiet(detail));
  return [
    name && el("h3", name),
    el("ul.plain-list", lines.slice(0, most).map((one) => (one instanceof Node ? one : line(one)))),
    more || total > most ? el("a.all", { href: all }, more ? "all of them" : `all ${total}`) : null,
  ];
}

/** Say what belongs here and how it begins, in a repository that has nothing yet. */
function begin(view, milestones) {
  milestones.remove();
  for (const { topic } of [AGENTS, MILESTONES, ...WAITING]) view.on(topic, () => view.go(location.href));
  const step = (words, command) => el("li", el("p", words), el("pre", { tabindex: "0" }, command));
  fill(view.main.querySelector(".today"), el("div.empty",
    el("p", "What waits for you, who is at work and what happened since yesterday will stand here. To begin:"),
    el("ol",
      step("Let your agent find Holdfast.", "holdfast install claude-code"),
      step("Leave a remark on a line for it.",
        'holdfast send --file src/main.py --line 42 --comment "Handle the error"'),
      step("Write down a first task.", 'holdfast tasks init && holdfast tasks add "What is to be done"'))));
}
