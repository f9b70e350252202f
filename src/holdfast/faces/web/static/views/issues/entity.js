// Parts of issues and milestones that several views show: status, people, due dates, progress, links.

import { get } from "../../api.js";
import { progressBar, pluralise, quiet } from "../../display.js";
import { el } from "../../dom.js";
import { field } from "../../forms.js";
import { ago } from "../../time.js";

/** An issue or milestone as lists have it; its fields are those of `git_mile_overview`.
 * @typedef {Record<string, any>} Item
 */

/** @typedef {"issue" | "milestone"} Kind */

const DAY_MS = 86_400_000;
/** Due later than this, only the date is shown; a judgement: nobody plans in days two months ahead. */
const FAR_DAYS = 60;
/** Due sooner than this, it is highlighted. */
const SOON_DAYS = 3;
const MARKS = { draft: ["◌", "Draft"], open: ["○", "Open"], closed: ["✓", "Closed"] };

/**
 * Return a status as a mark and a word.
 * @param {string} status
 */
export function statusLabel(status) {
  const [mark, word] = MARKS[status] ?? ["·", status];
  return el(`span.state.${status}`, el("span", { "aria-hidden": "true" }, mark), el("span", word));
}

/**
 * Return the name of a person; the mail address is in the title.
 * @param {string} text as git writes it: "Name <mail>"
 */
export const personName = (text) => el("span.person", { title: text }, text.replace(/ <[^<>]*>$/, "") || text);

/**
 * Return how far away a due date is.
 * @param {string} day
 * @param {boolean} done whether it is closed: then it is not overdue
 */
export function dueDistance(day, done = false) {
  const today = new Date();
  const midnight = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate());
  const days = Math.round((Date.parse(day) - midnight) / DAY_MS);
  if (done || days > FAR_DAYS) return el("span.quiet", { title: day }, `due ${day}`);
  if (days < 0) return el("span.tag.danger", { title: day }, `overdue by ${pluralise(-days, "day")}`);
  const text = days === 0 ? "due today" : `due in ${pluralise(days, "day")}`;
  return el(days < SOON_DAYS ? "span.tag.attention" : "span.quiet", { title: day }, text);
}

/**
 * Return a due date and how far away it is.
 * @param {string} day
 * @param {boolean} [done]
 */
export function dueDate(day, done) {
  const distance = dueDistance(day, done);
  return distance.textContent?.includes(day) ? distance : el("span", day, " ", distance);
}

/**
 * Return how many issues of a milestone are closed, as a bar and as text.
 * @param {number} open
 * @param {number} closed
 */
export function issueProgress(open, closed) {
  const total = open + closed;
  const text = total ? `${closed} of ${total} closed` : "no issues yet";
  return el("div.progress", progressBar(text, total ? Math.round((100 * closed) / total) : 0), quiet(text));
}

/**
 * Return the kind that the query names.
 * @param {{query: URLSearchParams}} view
 * @returns {Kind}
 */
export const kindOf = ({ query }) => (query.get("kind") === "milestone" ? "milestone" : "issue");

/**
 * Return the address of an issue or milestone.
 * @param {string | undefined} kind
 * @param {string} id
 */
export const entityAddress = (kind, id) =>
  (`/issues/${encodeURIComponent(id)}${kind === "milestone" ? "?kind=milestone" : ""}`);

/**
 * Look up issues and milestones by id, with their kind.
 * @param {(string | null | undefined)[]} ids
 * @param {AbortSignal} [signal]
 */
export async function findByIds(ids, signal) {
  /** @type {Map<string, Item>} */
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

/**
 * Return the fields for a title and a description.
 * @param {Item} item
 */
export function textFields({ title = "", description = "" } = {}) {
  const limits = { required: true, maxlength: 500, autocomplete: "off" };
  return [field("Title", el("input", { name: "title", value: title, ...limits })),
    field("Description, in Markdown", el("textarea", { name: "description", value: description, rows: 8 }))];
}

/**
 * Return the content of a line of the list.
 * @param {Item} item
 * @param {Kind} kind
 */
export function listItem(item, kind) {
  const { id, title, status, milestone, claimed_by: holder, assignee, due, labels, stats, contested, updated } = item;
  const facts = kind === "milestone" ? [issueProgress(stats.open_issues, item.closed_issues)] : [
    milestone && el("span.quiet", { title: `Milestone ${milestone}` }, milestone),
    holder ? el("span", personName(holder), " is working on it") : assignee && personName(assignee),
  ];
  const comments = stats.comment_count && quiet(pluralise(stats.comment_count, "comment"));
  facts.push(due && dueDistance(due, status === "closed"), comments, ago(updated));
  return [
    statusLabel(status),
    el("div.what", el("a.name", { href: entityAddress(kind, id) }, title),
      contested && el("span.tag.attention", "contested"),
      labels.map((/** @type {string} */ label) => el("span.tag", { title: label }, label))),
    el(`div.facts.${kind}`, facts.map((fact) => el("span", fact || null))),
  ];
}
