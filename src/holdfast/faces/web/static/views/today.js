// The Today view: what awaits the user, which agents are at work, and what happened since yesterday.

import { apiUrl, get } from "../api.js";
import { emptyState, errorMessage, quiet } from "../display.js";
import { el, fill } from "../dom.js";
import { icon } from "../icons.js";
import { MAX_ITEMS, WAITING } from "./today/waiting.js";

/** @import { View } from "../view.js" */
/** @import { ListItem, ShortList } from "./today/waiting.js" */

/** @type {ShortList} */
const AGENTS = { all: "/activity", topic: "tasks", load: loadAgentsAtWork };
/** @type {ShortList} */
const MILESTONES = { all: "/issues?kind=milestone", topic: "milestones", load: loadOpenMilestones };

/** @param {View} view */
export async function show(view) {
  view.setHeading("Today", { json: apiUrl("inbox/list_messages", { newest: true }) });
  const [mine, agents, recent, milestones, health] = ["For you", "Agents", "Since yesterday", "Milestones", "Health"]
    .map((name) => el("section.stack.column.loading", { "aria-label": name }, el("h2", name)));
  health.hidden = true;
  view.main.append(el("div.today", mine, el("div.stack", agents, milestones, health), recent));
  const fastColumns = [
    fillColumn(view, mine, WAITING, "Nothing waits for you."),
    fillColumn(view, milestones, [MILESTONES], "No milestone is open."),
    fillColumn(view, agents, [AGENTS], "No agent is at work."),
  ];
  await fastColumns[0];
  showSlowColumns();

  /** Show the columns that take longer, once the others are shown and the events of tasks are in the cache. */
  async function showSlowColumns() {
    const filled = await Promise.all(fastColumns);
    // If the module cannot be loaded, the column shows why, like a list that cannot be loaded.
    const recentLists = await import("./today/recent.js")
      .then(({ RECENT }) => RECENT, (problem) => [{ load: () => Promise.reject(problem) }]);
    const nothing = "No task, issue or file with notes changed since yesterday.";
    const isRecentFilled = await fillColumn(view, recent, recentLists, nothing);
    if (view.signal.aborted) return;
    if (!isRecentFilled && !filled.some(Boolean)) showFirstSteps(view, health);
    showHealth(view, health, mine);
  }
}

/** @type {ShortList["load"]} */
async function loadAgentsAtWork(signal) {
  const { loadAgents, agentItem } = await import("./activity/agents.js");
  const agents = await loadAgents(/** @type {AbortSignal} */ (signal));
  return { total: agents.length, items: agents.map(agentItem) };
}

/** @type {ShortList["load"]} */
async function loadOpenMilestones(signal) {
  const { dueDistance, entityAddress, issueProgress } = await import("./issues/entity.js");
  const query = { entity: "milestone", sort: ["due"], limit: MAX_ITEMS };
  const { items, nextCursor } = await get("milestones/git_mile_overview", query, { signal });
  const item = ({ id, title, stats, closed_issues: closed, due }) => el("li.milestone",
    el("a.one-line", { href: entityAddress("milestone", id), title }, title), issueProgress(stats.open_issues, closed),
    due ? dueDistance(due) : quiet("no due date"));
  return { total: items.length, more: Boolean(nextCursor), items: items.map(item) };
}

/**
 * Show the health of the code, which takes longest. A failing quality gate is also shown in the column of the user.
 * @param {View} view
 * @param {HTMLElement} health
 * @param {HTMLElement} mine
 */
async function showHealth(view, health, mine) {
  const failing = el("div.card.gate", { hidden: true });
  mine.append(failing);
  const showGate = ({ passed, reason }) => {
    failing.hidden = passed;
    const items = [{ text: reason, href: "/health#gate" }];
    fill(failing, drawList({ name: "The quality gate fails", icon: "health" }, { total: 1, items }));
  };
  const load = async (/** @type {AbortSignal | undefined} */ signal) => {
    const { healthOverview } = await import("./health/overview.js");
    const overview = await healthOverview(signal, showGate);
    return { total: overview ? 1 : 0, items: [el("li", overview)] };
  };
  health.hidden = !(await fillColumn(view, health, [{ load }], ""));
}

/**
 * Fill a column with the lists that are not empty, and keep them current. Resolves to whether any list has items.
 * @param {View} view
 * @param {HTMLElement} node
 * @param {ShortList[]} lists
 * @param {string} nothing shown if all lists are empty
 */
async function fillColumn(view, node, lists, nothing) {
  const placeholder = el("p.quiet", { hidden: true }, nothing);
  const places = new Map(lists.map((list) => [list, el("div.card", { hidden: true })]));
  node.append(placeholder, ...places.values());
  /** @type {Map<ShortList, number>} */
  const totals = new Map();
  const load = async (/** @type {ShortList} */ list) => {
    const place = /** @type {HTMLElement} */ (places.get(list));
    try {
      const content = await list.load(view.signal);
      totals.set(list, content.total);
      fill(place, drawList(list, content));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      totals.set(list, 1); // an error makes the column not empty
      fill(place, list.name && el("h3", list.name), errorMessage(problem));
    }
    if (totals.size < lists.length) return; // all lists appear at once, so that none pushes another down
    node.classList.remove("loading");
    for (const [each, card] of places) card.hidden = totals.get(each) === 0;
    placeholder.hidden = [...totals.values()].some(Boolean);
  };
  for (const list of lists) if (list.topic) view.on(list.topic, () => load(list));
  const loadRemarks = () => lists.filter(({ topic }) => topic === "inbox").forEach(load);
  document.addEventListener("marked", loadRemarks, { signal: view.signal });
  await Promise.all(lists.map(load));
  return [...totals.values()].some(Boolean);
}

/**
 * Draw a list with a link to all of its items.
 * @param {Pick<ShortList, "name" | "icon" | "all" | "maxItems">} list
 * @param {{total: number, items: any[], more?: boolean}} content
 */
function drawList({ name, icon: symbol, all, maxItems = MAX_ITEMS }, { total, items, more = false }) {
  const draw = (/** @type {ListItem} */ { tag, text, href, detail }) => el("li.line",
    tag && el("span", { class: tag === "done" ? "tag ok" : "tag" }, tag),
    el("a.two-items", { href, title: text }, text), quiet(detail));
  return [
    name && el("h3", symbol && icon(symbol), name),
    el("ul.plain-list", items.slice(0, maxItems).map((item) => (item instanceof Node ? item : draw(item)))),
    (more || total > maxItems) && el("a.all", { href: all }, more ? "see all" : `all ${total}`),
  ];
}

/**
 * Show the first steps in a repository that has no data yet.
 * @param {View} view
 * @param {HTMLElement} health remains
 */
function showFirstSteps(view, health) {
  for (const { topic } of [AGENTS, MILESTONES, ...WAITING]) view.on(topic ?? "", () => view.go(location.href));
  const step = (/** @type {string} */ text, /** @type {string} */ command) =>
    el("li", el("p", text), el("pre", { tabindex: "0" }, command));
  fill(/** @type {HTMLElement} */ (view.main.querySelector(".today")), emptyState("today",
    "This page shows what waits for you, who is at work and what happened since yesterday. To get started:",
    el("ol",
      step("Connect your agent to Holdfast.", "holdfast install claude-code"),
      step("Leave the agent a remark on a line.",
        'holdfast send --file src/main.py --line 42 --comment "Handle the error"'),
      step("Add a first task.", 'holdfast tasks init && holdfast tasks add "What is to be done"'))), health);
}
