// Who is at work: what each agent holds, what is left of the lease, and what it did last.

import { get, orNone } from "../../api.js";
import { bar, quiet } from "../../controls.js";
import { el } from "../../dom.js";
import { ago, left } from "../../time.js";
import { told } from "./words.js";

const EACH = 5000;

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
    el("a", { class: "one-line", href: `/task/${id}`, title }, quiet(id), " ", title), lease(since, expires_at)));
  return el("li", { class: "agent stack" },
    el("div", { class: "row" }, el("strong", { class: "one-line" }, agent), held.length ? null : el("span", { class: "tag" }, "holds nothing")),
    last ? quiet(told(last, last.task_id), " · ", ago(last.at)) : quiet("seen ", ago(last_seen)),
    held.length ? el("ul", { class: "plain-list stack" }, held) : null);
}

/** Return what is left of a claim as a thin line that shrinks, and in words. */
export function lease(since, until) {
  const title = `until ${new Date(until).toLocaleString()}`;
  const node = el("div", { class: "lease row", title, dataset: { since, until } }, bar("Lease left", 0), quiet());
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
