// Agents at work: the tasks that each agent holds, the time left of its leases, and its last event.

import { get, ifInitialised } from "../../api.js";
import { progressBar, quiet } from "../../display.js";
import { el } from "../../dom.js";
import { person } from "../../people.js";
import { ago, keepUpdated, timeLeft } from "../../time.js";

/**
 * An event of a task.
 * @typedef {{type: string, at: string, actor: string, task_id?: string, status?: string, changed: string[],
 *   reason?: string}} TaskEvent
 */

/**
 * An agent, the tasks that it holds, and its last event.
 * @typedef {{agent: string, last_seen: string, last?: TaskEvent,
 *   tasks?: {id: string, title: string, since: string, expires_at: string}[]}} Agent
 */

/** The number of events that are searched for the last one of each agent; the maximum of the server. */
const MAX_EVENTS = 200;
/** The text of an event before the task. */
const EVENT_TEXTS = {
  created: "added ", claimed: "claimed ", released: "released ", "handed-over": "handed over ",
  "taken-over": "took over ",
  attached: "attached a file to ",
};
/** The names of fields, where they differ from the field. */
const FIELD_NAMES = {
  claimed_by: "holder", depends_on: "dependencies", issue_number: "issue", issue_url: "issue", parent: "parent task",
};
/** The fields that a change of status also changes; they are not mentioned separately. */
const CHANGED_BY_STATUS = ["status", "claimed_by", "progress"];

/**
 * Load the agents at work, the most recently active first.
 * @param {AbortSignal} signal
 * @returns {Promise<Agent[]>}
 */
export async function loadAgents(signal) {
  const [status, recent] = await Promise.all([
    ifInitialised(get("tasks/taskpilot_status", { include: "agents", response_format: "detailed" }, { signal }), {}),
    ifInitialised(get("tasks/taskpilot_events", { limit: MAX_EVENTS }, { signal }), {}),
  ]);
  const lastEvent = (/** @type {Agent} */ { agent }) => recent.events?.find((event) => event.actor === agent);
  return (status.agents ?? []).map((agent) => ({ ...agent, last: lastEvent(agent) }));
}

/**
 * Return an agent as a list item.
 * @param {Agent} agent
 */
export function agentItem({ agent, tasks = [], last_seen, last }) {
  const held = tasks.map(({ id, title, since, expires_at }) => el("li.stack",
    el("a.two-lines", { href: `/task/${id}`, title }, quiet(id), " ", title), leaseBar(since, expires_at)));
  return el("li.agent.stack",
    el("div.row", el("strong.row", person(agent)), held.length ? null : el("span.tag", "holds no task")),
    last ? quiet(describeEvent(last, last.task_id), " · ", ago(last.at)) : quiet("seen ", ago(last_seen)),
    held.length ? el("ul.plain-list.stack", held) : null);
}

/**
 * Return the remaining time of a lease as a bar and as text.
 * @param {string} since
 * @param {string} until
 */
export function leaseBar(since, until) {
  const bar = progressBar("Lease left", 0);
  const text = keepUpdated(quiet(), () => {
    const total = Math.max(1, Date.parse(until) - Date.parse(since));
    const percent = Math.min(100, Math.max(0, Math.round((100 * (Date.parse(until) - Date.now())) / total)));
    bar.style.setProperty("--share", `${percent}%`);
    bar.setAttribute("aria-valuenow", String(percent));
    const left = timeLeft(until);
    return left ? `${left} left` : "expired";
  });
  return el("div.lease.row", { title: `until ${new Date(until).toLocaleString()}` }, bar, text);
}

/**
 * Describe an event around a node or text that names its task: "moved ", TP-1, " to review".
 * @param {TaskEvent} event
 * @param {any} task
 */
export function describeEvent({ type, status, changed }, task) {
  if (type === "taken-over" && status) return ["took over ", task, ` and moved it to ${status}`];
  if (type !== "updated") return [EVENT_TEXTS[type] ?? `${type}: `, task];
  const isMentioned = (/** @type {string} */ field) => !status || !CHANGED_BY_STATUS.includes(field);
  const names = [...new Set(changed.filter(isMentioned).map((field) => FIELD_NAMES[field] ?? field))].join(", ");
  if (!status) return [`changed ${names} of `, task];
  return ["moved ", task, ` to ${status}${names ? `, changed ${names}` : ""}`];
}
