// The Today view: what waits for the user, which agents are at work, what happened since yesterday.

import { apiUrl, get } from "../api.js";
import { errorMessage, quiet } from "../display.js";
import { el, fill } from "../dom.js";
import { MAX_LINES, WAITING } from "./today/waiting.js";

/** @import { View } from "../view.js" */
/** @import { Line, List } from "./today/waiting.js" */

/** @type {List} */
const AGENTS = { name: "At work", all: "/activity", topic: "tasks", load: atWork };
/** @type {List} */
const MILESTONES = { all: "/issues?kind=milestone", topic: "milestones", load: openMilestones };

/** @param {View} view */
export async function show(view) {
  view.setHeading("Today", { json: apiUrl("inbox/list_messages", { newest: true }) });
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
  // The rest takes longer, so it follows when there is something to read; the events of tasks are in the cache by then.
  Promise.all(cheap).then(async (found) => {
    const { LATELY } = await import("./today/lately.js");
    const happened = await column(view, lately, LATELY, "No task, issue or file with notes changed since yesterday.");
    if (view.signal.aborted) return;
    if (!happened && !found.some(Boolean)) showFirstSteps(view, milestones);
    showHealth(view, health, mine);
  });
}

/** @type {List["load"]} */
async function atWork(signal) {
  const { agents, agentItem } = await import("./activity/agents.js");
  const found = await agents(/** @type {AbortSignal} */ (signal));
  return { total: found.length, lines: found.map(agentItem) };
}

/** @type {List["load"]} */
async function openMilestones(signal) {
  const { dueDistance, entityAddress, issueProgress } = await import("./issues/entity.js");
  const query = { entity: "milestone", sort: ["due"], limit: MAX_LINES };
  const { items, nextCursor } = await get("milestones/git_mile_overview", query, { signal });
  const line = ({ id, title, stats, closed_issues: closed, due }) => el("li.milestone",
    el("a.one-line", { href: entityAddress("milestone", id), title }, title), issueProgress(stats.open_issues, closed),
    due ? dueDistance(due) : quiet("no due day"));
  return { total: items.length, more: Boolean(nextCursor), lines: items.map(line) };
}

/**
 * Show the health of the code, which takes longest; a failing quality gate is listed among what waits.
 * @param {View} view
 * @param {HTMLElement} health
 * @param {HTMLElement} mine
 */
async function showHealth(view, health, mine) {
  const failing = el("div.card.gate", { hidden: true });
  mine.append(failing);
  const showGate = ({ passed, reason }) => {
    failing.hidden = passed;
    const lines = [{ text: reason, href: "/health#gate" }];
    fill(failing, shortList({ name: "The quality gate fails" }, { total: 1, lines }));
  };
  const load = async (/** @type {AbortSignal | undefined} */ signal) => {
    const { healthAtAGlance } = await import("./health/glance.js");
    const found = await healthAtAGlance(signal, showGate);
    return { total: Number(Boolean(found)), lines: [el("li", found)] };
  };
  health.hidden = !(await column(view, health, [{ load }], ""));
}

/**
 * Fill a column with the lists that are not empty and keep them current; return whether there is anything in them.
 * @param {View} view
 * @param {HTMLElement} node
 * @param {List[]} lists
 * @param {string} nothing shown if all lists are empty
 */
async function column(view, node, lists, nothing) {
  const placeholder = el("p.quiet", { hidden: true }, nothing);
  const places = new Map(lists.map((list) => [list, el("div.card", { hidden: true })]));
  node.append(placeholder, ...places.values());
  /** @type {Map<List, number>} */
  const totals = new Map();
  const load = async (/** @type {List} */ list) => {
    const place = /** @type {HTMLElement} */ (places.get(list));
    try {
      const found = await list.load(view.signal);
      totals.set(list, found.total);
      fill(place, shortList(list, found));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      totals.set(list, 1);
      fill(place, list.name && el("h3", list.name), errorMessage(problem));
    }
    place.hidden = totals.get(list) === 0;
    placeholder.hidden = totals.size < lists.length || [...totals.values()].some(Boolean);
  };
  for (const list of lists) if (list.topic) view.on(list.topic, () => load(list));
  const loadMarked = () => lists.filter(({ topic }) => topic === "inbox").forEach(load);
  document.addEventListener("marked", loadMarked, { signal: view.signal });
  await Promise.all(lists.map(load));
  return [...totals.values()].some(Boolean);
}

/**
 * @param {Pick<List, "name" | "all" | "most">} list
 * @param {{total: number, lines: any[], more?: boolean}} found
 */
function shortList({ name, all, most = MAX_LINES }, { total, lines, more = false }) {
  const draw = (/** @type {Line} */ { tag, text, href, detail }) => el("li.line",
    tag && el("span", { class: tag === "done" ? "tag ok" : "tag" }, tag),
    el("a.two-lines", { href, title: text }, text), quiet(detail));
  return [
    name && el("h3", name),
    el("ul.plain-list", lines.slice(0, most).map((line) => (line instanceof Node ? line : draw(line)))),
    more || total > most ? el("a.all", { href: all }, more ? "see all" : `all ${total}`) : null,
  ];
}

/**
 * Show the first steps, in a repository that has nothing yet.
 * @param {View} view
 * @param {HTMLElement} milestones
 */
function showFirstSteps(view, milestones) {
  milestones.remove();
  for (const { topic } of [AGENTS, MILESTONES, ...WAITING]) view.on(topic ?? "", () => view.go(location.href));
  const step = (/** @type {string} */ text, /** @type {string} */ command) =>
    el("li", el("p", text), el("pre", { tabindex: "0" }, command));
  fill(/** @type {HTMLElement} */ (view.main.querySelector(".today")), el("div.empty",
    el("p", "Here you will see what waits for you, who is at work and what happened since yesterday. To begin:"),
    el("ol",
      step("Let your agent find Holdfast.", "holdfast install claude-code"),
      step("Leave a remark on a line for it.",
        'holdfast send --file src/main.py --line 42 --comment "Handle the error"'),
      step("Write down a first task.", 'holdfast tasks init && holdfast tasks add "What is to be done"'))));
}
