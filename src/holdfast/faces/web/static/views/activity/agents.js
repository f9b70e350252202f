// Who is at work: what each agent holds, what is left of the lease, and what it did last.

import { get } from "../../api.js";
import { el } from "../../dom.js";
import { ago, left } from "../../time.js";
import { told } from "./words.js";

const EACH = 5000;

/**
 * Return who is at work, who was heard of last first.
 * @returns {Promise<{name: string, tasks: {id: string, title: string, since: string, expires_at: string}[],
 *   lastSeen: string, lastEvent: object | null}[]>}
 */
export async function agents(signal) {
  try {
    const [status, happened] = await Promise.all([
      get("tasks/taskpilot_status", { include: "agents", response_format: "detailed" }, { signal }),
      get("tasks/taskpilot_events", { limit: 200 }, { signal }),
    ]);
    return (status.agents ?? []).map(({ agent, tasks = [], last_seen }) => ({
      name: agent,
      tasks,
      lastSeen: last_seen,
      lastEvent: happened.events.find((event) => event.actor === agent) ?? null,
    }));
  } catch (problem) {
    if (problem.kind === "not_initialized") return [];
    throw problem;
  }
}

/** Return one agent as a list item: name, last event, and each task it holds with its lease. */
export function agentItem({ name, tasks, lastSeen, lastEvent }) {
  const last = lastEvent
    ? el("span", { class: "quiet" }, told(lastEvent, lastEvent.task_id), " · ", ago(lastEvent.at))
    : el("span", { class: "quiet" }, "seen ", ago(lastSeen));
  const held = tasks.map((task) => el("li", { class: "stack" },
    el("a", { class: "one-line", href: `/task/${task.id}`, title: task.title }, el("span", { class: "quiet" }, task.id), " ", task.title),
    lease(task.since, task.expires_at)));
  return el("li", { class: "agent stack" },
    el("div", { class: "row" }, el("strong", { class: "one-line" }, name), held.length ? null : el("span", { class: "tag" }, "holds nothing")),
    last, held.length ? el("ul", { class: "plain-list stack" }, held) : null);
}

/** Return what is left of a claim as a thin line that shrinks, and in words. */
export function lease(since, until) {
  const bar = el("div", { class: "bar", role: "progressbar", "aria-label": "Lease left", "aria-valuemin": 0, "aria-valuemax": 100 });
  const node = el("div", { class: "lease row", title: `until ${new Date(until).toLocaleString()}`, dataset: { since, until } }, bar, el("span", { class: "quiet" }));
  renew(node);
  return node;
}

function renew(node) {
  const [since, until] = [Date.parse(node.dataset.since), Date.parse(node.dataset.until)];
  const share = Math.min(100, Math.max(0, Math.round((100 * (until - Date.now())) / Math.max(1, until - since))));
  const rest = left(node.dataset.until);
  node.firstChild.style.setProperty("--share", `${share}%`);
  node.firstChild.setAttribute("aria-valuenow", share);
  node.lastChild.textContent = rest === "over" ? "over" : `${rest} left`;
}

// One timer for every lease on the page.
setInterval(() => {
  if (!document.hidden) document.querySelectorAll(".lease[data-until]").forEach(renew);
}, EACH);
