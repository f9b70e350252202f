// What lists and single issues share: states, people, due days, progress, and links to milestones and issues.

import { get } from "../../api.js";
import { bar, quiet } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { field, form } from "../../form.js";
import { ago } from "../../time.js";

const DAY = 86_400_000;
const FAR = 60;
const MARKS = { draft: ["◌", "Draft"], open: ["○", "Open"], closed: ["✓", "Closed"] };

/** Return a state as a mark and a word. */
export function state(status) {
  const [mark, word] = MARKS[status] ?? ["·", status];
  return el("span", { class: `state ${status}` }, el("span", { "aria-hidden": "true" }, mark), el("span", {}, word));
}

/** Return the name of somebody written as git writes them; the whole of it is in the title. */
export function person(text) {
  return el("span", { class: "person", title: text }, text.replace(/ <[^<>]*>$/, "") || text);
}

/** Return a due day, and in words how far off it is; what is done is late no more. */
export function dueDay(day, done = false) {
  const today = new Date();
  const days = Math.round((Date.parse(day) - Date.UTC(today.getFullYear(), today.getMonth(), today.getDate())) / DAY);
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? "day" : "days"}`;
  const words = days > FAR ? `due ${day}` : days === 0 ? "due today" : days < 0 ? `overdue by ${count}` : `due in ${count}`;
  if (done) return quiet(`due ${day}`);
  return el("span", { class: days < 0 ? "tag danger" : days < 3 ? "tag attention" : "quiet", title: day }, words);
}

/** Return a due day in figures and in words, where the words are not the figures. */
export function dayInFull(day, done) {
  const words = dueDay(day, done);
  return words.textContent.includes(day) ? words : el("span", {}, day, " ", words);
}

/** Return how many issues of a milestone are closed, as a bar and in words. */
export function progress(open, closed) {
  const total = open + closed;
  const words = total ? `${closed} of ${total} closed` : "no issues yet";
  return el("div", { class: "progress" }, bar(words, total ? Math.round((100 * closed) / total) : 0), quiet(words));
}

/** Return which of the two an address names. */
export const kindOf = ({ query }) => (query.get("kind") === "milestone" ? "milestone" : "issue");

/** Return where a milestone or an issue is shown. */
export function place(kind, id) {
  return `/issues/${encodeURIComponent(id)}${kind === "milestone" ? "?kind=milestone" : ""}`;
}

/** Return what is known of some ids: a map of lines that also say their kind. */
export async function named(ids, signal) {
  const found = new Map();
  const wanted = [...new Set(ids.filter(Boolean))];
  if (!wanted.length) return found;
  const filter = `id in [${wanted.map((id) => JSON.stringify(id)).join(", ")}]`;
  await Promise.all(["issue", "milestone"].map(async (kind) => {
    const { items } = await get("milestones/git_mile_overview", { entity: kind, filter, includeClosed: true, limit: 500 }, { signal });
    for (const item of items) found.set(item.id, { ...item, kind });
  }));
  return found;
}

/** Return a form for a title and a description. */
export function textForm({ title = "", description = "" }, verb, send, cancel) {
  const fields = [field("Title", el("input", { name: "title", value: title, required: true, maxlength: 500, autocomplete: "off" })),
    field("Description, in Markdown", el("textarea", { name: "description", value: description, rows: 8 }))];
  return form(fields, { class: "stack editing", verb, send, cancel });
}

/** Return a line of a list of milestones or issues. */
export function line(item, kind) {
  const facts = kind === "milestone"
    ? [progress(item.stats.open_issues, item.closed_issues)]
    : [item.milestone && el("span", { class: "quiet", title: `Milestone ${item.milestone}` }, item.milestone), item.claimed_by ? el("span", {}, person(item.claimed_by), " is on it") : item.assignee && person(item.assignee)];
  const comments = item.stats.comment_count;
  facts.push(item.due && dueDay(item.due, item.status === "closed"), comments && quiet(`${comments} ${comments === 1 ? "comment" : "comments"}`), ago(item.updated));
  return [
    state(item.status),
    el("div", { class: "what" }, el("a", { class: "name", href: place(kind, item.id) }, item.title), item.contested && el("span", { class: "tag attention" }, "contested"), item.labels.map((label) => el("span", { class: "tag", title: label }, label))),
    el("div", { class: `facts ${kind}` }, facts.map((fact) => el("span", {}, fact || null))),
  ];
}

const shown = new WeakMap();

/** Fill a node anew when what it shows has changed, unless somebody is writing in it. */
export function patch(node, data, render) {
  const text = JSON.stringify(data ?? null);
  if (shown.get(node) === text || node.querySelector("details[open], .editing")) return;
  node.classList.toggle("fresh", shown.has(node));
  shown.set(node, text);
  fill(node, render());
}
