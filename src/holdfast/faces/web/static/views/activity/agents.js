// Who is at work: what each agent holds, what is left of the lease, and what it did last.

import { get, orNone } from "../../api.js";
import { bar, quiet } from "../../controls.js";
import { el } from "../../dom.js";
import { ago, left, ticking } from "../../time.js";
import { told } from "./words.js";

/** Return who is at work, who was heard of last first, each with its last event. */
export async function agents(signal) {
  const [status, happened] = await Promise.all([
    orNone(get("tasks/taskpilot_status", { include: "agents", response_format: "detailed" }, { signal }), {}),
    orNone(get("tasks/taskpilot_events", { limit: 200 }, { signal }), {}),
  ]);
  return (status.agents ?? []).map((one) => ({ ...one, last: happened.events?.find((event) => event.actor === one.agent) }));
}

/** Return one agent as a list item: name, last event, and each task it holds with its lease. */
export function agentItem({ agent, tasks = [], last_seen, last }) {
  const held = tasks.map(({ id, title, since, expires_at }) => el("li", { class: "stack" },
    el("a", { class: "two-lines", href: `/task/${id}`, title }, quiet(id), " ", title), lease(since, expires_at)));
  return el("li", { class: "agent stack" },
    el("div", { class: "row" }, el("strong", { class: "one-line" }, agent), held.length ? null : el("span", { class: "tag" }, "holds nothing")),
    last ? quiet(told(last, last.task_id), " · ", ago(last.at)) : quiet("seen ", ago(last_seen)),
    held.length ? el("ul", { class: "plain-list stack" }, held) : null);
}

/** Return what is left of a claim as a thin line that shrinks, and in words. */
export function lease(since, until) {
  const [line, words] = [bar("Lease left", 0), quiet()];
  const node = el("div", { class: "lease row", title: `until ${new Date(until).toLocaleString()}` }, line, words);
  return ticking(node, () => {
    const [rest, whole] = [Date.parse(until) - Date.now(), Date.parse(until) - Date.parse(since)];
    const share = Math.min(100, Math.max(0, Math.round((100 * rest) / Math.max(1, whole))));
    line.style.setProperty("--share", `${share}%`);
    line.setAttribute("aria-valuenow", share);
    words.textContent = rest > 0 ? `${left(until)} left` : "over";
  });
}
