// What lists and single issues share: states, people, due days, progress, and links to milestones and issues.

import { get } from "../../api.js";
import { ago, bar, counted, el, field, quiet } from "../../dom.js";

const DAY = 86_400_000;
const FAR = 60;
const MARKS = { draft: ["◌", "Draft"], open: ["○", "Open"], closed: ["✓", "Closed"] };

/** Return a state as a mark and a word. */
export function state(status) {
  const [mark, word] = MARKS[status] ?? ["·", status];
  return el(`span.state.${status}`, el("span", { "aria-hidden": "true" }, mark), el("span", word));
}

/** Return the name of somebody written as git writes them; the whole of it is in the title. */
export const person = (text) => el("span.person", { title: text }, text.replace(/ <[^<>]*>$/, "") || text);

/** Return a due day, and in words how far off it is; what is done is late no more. */
export function dueDay(day, done = false) {
  const today = new Date();
  const days = Math.round((Date.parse(day) - Date.UTC(today.getFullYear(), today.getMonth(), today.getDate())) / DAY);
  if (done || days > FAR) return el("span.quiet", { title: day }, `due ${day}`);
  if (days < 0) return el("span.tag.danger", { title: day }, `overdue by ${counted(-days, "day")}`);
  const words = days === 0 ? "due today" : `due in ${counted(days, "day")}`;
  return el(days < 3 ? "span.tag.attention" : "span.quiet", { title: day }, words);
}

/** Return a due day in figures and in words, where the words are not the figures. */
export function dayInFull(day, done) {
  const words = dueDay(day, done);
  return words.textContent.includes(day) ? words : el("span", day, " ", words);
}

/** Return how many issues of a milestone are closed, as a bar and in words. */
export function progress(open, closed) {
  const total = open + closed;
  const words = total ? `${closed} of ${total} closed` : "no issues yet";
  return el("div.progress", bar(words, total ? Math.round((100 * closed) / total) : 0), quiet(words));
}

export const kindOf = ({ query }) => (query.get("kind") === "milestone" ? "milestone" : "issue");

export const place = (kind, id) =>
  (`/issues/${encodeURIComponent(id)}${kind === "milestone" ? "?kind=milestone" : ""}`);

/** Return what is known of some ids: a map of lines that also say their kind. */
export async function named(ids, signal) {
  const found = new Map();
  const wanted = [...new Set(ids.filter(Boolean))];
  if (!wanted.length) return found;
  const filter = `id in [${wanted.map((id) => JSON.stringify(id)).join(", ")}]`;
  await Promise.all(["issue", "milestone"].map(async (kind) => {
    const query = { entity: kind, filter, includeClosed: true, limit: 500 };
    const { items } = await get("milestones/git_mile_overview", query, { signal });
    for (const item of items) found.set(item.id, { ...item, kind });
  }));
  return found;
}

/** Return the fields of a title and a description. */
export function textFields({ title = "", description = "" } = {}) {
  const limits = { required: true, maxlength: 500, autocomplete: "off" };
  return [field("Title", el("input", { name: "title", value: title, ...limits })),
    field("Description, in Markdown", el("textarea", { name: "description", value: description, rows: 8 }))];
}

export function line(item, kind) {
  const { id, title, status, milestone, claimed_by: holder, assignee, due, labels, stats, contested, updated } = item;
  const facts = kind === "milestone" ? [progress(stats.open_issues, item.closed_issues)] : [
    milestone && el("span.quiet", { title: `Milestone ${milestone}` }, milestone),
    holder ? el("span", person(holder), " is on it") : assignee && person(assignee),
  ];
  const comments = stats.comment_count && quiet(counted(stats.comment_count, "comment"));
  facts.push(due && dueDay(due, status === "closed"), comments, ago(updated));
  return [
    state(status),
    el("div.what", el("a.name", { href: place(kind, id) }, title), contested && el("span.tag.attention", "contested"),
      labels.map((label) => el("span.tag", { title: label }, label))),
    el(`div.facts.${kind}`, facts.map((fact) => el("span", fact || null))),
  ];
}
