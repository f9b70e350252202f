// Who is at work: what each agent holds, what is left of the lease, and what it did last, in words.

import { get, orNone } from "../../api.js";
import { ago, bar, el, left, quiet, ticking } from "../../dom.js";

const DEEDS = {
  created: "added ", claimed: "took ", released: "gave back ", "handed-over": "handed over ",
  attached: "attached a file to ",
};
const NAMES = {
  claimed_by: "holder", depends_on: "dependencies", issue_number: "issue", issue_url: "issue", parent: "parent task",
};
const FOLLOWING = ["status", "claimed_by", "progress"]; // what a change of state brings with it

/** Return who is at work, who was heard of last first, each with its last event. */
export async function agents(signal) {
  const [status, happened] = await Promise.all([
    orNone(get("tasks/taskpilot_status", { include: "agents", response_format: "detailed" }, { signal }), {}),
    orNone(get("tasks/taskpilot_events", { limit: 200 }, { signal }), {}),
  ]);
  const last = ({ agent }) => happened.events?.find((event) => event.actor === agent);
  return (status.agents ?? []).map((one) => ({ ...one, last: last(one) }));
}

/** Return one agent as a list item: name, last event, and each task it holds with its lease. */
export function agentItem({ agent, tasks = [], last_seen, last }) {
  const held = tasks.map(({ id, title, since, expires_at }) => el("li.stack",
    el("a.two-lines", { href: `/task/${id}`, title }, quiet(id), " ", title), lease(since, expires_at)));
  return el("li.agent.stack",
    el("div.row", el("strong.one-line", agent), held.length ? null : el("span.tag", "holds nothing")),
    last ? quiet(told(last, last.task_id), " · ", ago(last.at)) : quiet("seen ", ago(last_seen)),
    held.length ? el("ul.plain-list.stack", held) : null);
}

/** Return what is left of a claim as a thin line that shrinks, and in words. */
export function lease(since, until) {
  const line = bar("Lease left", 0);
  const words = ticking(quiet(), () => {
    const [rest, whole] = [Date.parse(until) - Date.now(), Date.parse(until) - Date.parse(since)];
    const share = Math.min(100, Math.max(0, Math.round((100 * rest) / Math.max(1, whole))));
    line.style.setProperty("--share", `${share}%`);
    line.setAttribute("aria-valuenow", share);
    return rest > 0 ? `${left(until)} left` : "over";
  });
  return el("div.lease.row", { title: `until ${new Date(until).toLocaleString()}` }, line, words);
}

/** Return what somebody did to a task, around what names the task: "moved ", TP-1, " to review". */
export function told({ type, status, changed }, task) {
  if (type !== "updated") return [DEEDS[type] ?? `${type}: `, task];
  const rest = changed.filter((name) => !(status && FOLLOWING.includes(name)));
  const names = [...new Set(rest.map((name) => NAMES[name] ?? name))].join(", ");
  if (!status) return [`changed ${names} of `, task];
  return ["moved ", task, ` to ${status}${names ? `, changed ${names}` : ""}`];
}
