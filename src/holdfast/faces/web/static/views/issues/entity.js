// Issues and milestones as several views show them: status, people, due dates, progress, list items.

import { get } from "../../api.js";
import { progressBar, pluralise, quiet } from "../../display.js";
import { el } from "../../dom.js";
import { field } from "../../forms.js";
import { icon } from "../../icons.js";
import { label, person } from "../../people.js";
import { DAY_MS, ago } from "../../time.js";

/**
 * An issue or milestone, with the fields of `git_mile_overview`.
 * @typedef {Record<string, any>} Item
 */

/** @typedef {"issue" | "milestone"} Kind */

/** For later due dates only the date is shown; a judgement: nobody counts the days two months ahead. */
const MAX_DAYS_COUNTED = 60;
/** Earlier due dates are highlighted; a judgement: two days of notice. */
const SOON_DAYS = 3;
/** The icon and the name of each status. */
const STATUSES = { draft: ["backlog", "Draft"], open: ["issues", "Open"], closed: ["done", "Closed"] };

/**
 * Return a status as an icon and a word.
 * @param {string} status
 */
export function statusLabel(status) {
  const [symbol, word] = STATUSES[status] ?? ["ready", status];
  return el(`span.state.${status}`, icon(symbol), el("span", word));
}

/**
 * Return the time until a due date: "due in 2 days".
 * @param {string} day
 * @param {boolean} isClosed whether the item is closed, and so never overdue
 */
export function dueDistance(day, isClosed = false) {
  const today = new Date();
  const midnight = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate());
  const days = Math.round((Date.parse(day) - midnight) / DAY_MS);
  if (isClosed || days > MAX_DAYS_COUNTED) return el("span.quiet", { title: day }, `due ${day}`);
  if (days < 0) return el("span.tag.danger", { title: day }, `overdue by ${pluralise(-days, "day")}`);
  const text = days === 0 ? "due today" : `due in ${pluralise(days, "day")}`;
  return el(days < SOON_DAYS ? "span.tag.attention" : "span.quiet", { title: day }, text);
}

/**
 * Return a due date and the time until it.
 * @param {string} day
 * @param {boolean} [isClosed]
 */
export function dueDate(day, isClosed) {
  const distance = dueDistance(day, isClosed);
  const hasDate = distance.textContent?.includes(day);
  return hasDate ? distance : el("span", day, " ", distance);
}

/**
 * Return the share of a milestone's issues that are closed, as a bar and as text.
 * @param {number} open
 * @param {number} closed
 */
export function issueProgress(open, closed) {
  const total = open + closed;
  const text = total ? `${closed} of ${total} closed` : "no issues yet";
  return el("div.progress", progressBar(text, total ? Math.round((100 * closed) / total) : 0), quiet(text));
}

/**
 * Return the kind in the query of a view's URL.
 * @param {{query: URLSearchParams}} view
 * @returns {Kind}
 */
export const kindOf = ({ query }) => (query.get("kind") === "milestone" ? "milestone" : "issue");

/**
 * Return the URL of an issue or milestone.
 * @param {string | undefined} kind
 * @param {string} id
 */
export function entityAddress(kind, id) {
  const query = kind === "milestone" ? "?kind=milestone" : "";
  return `/issues/${encodeURIComponent(id)}${query}`;
}

/**
 * Find issues and milestones by id; each gets its kind as a further field.
 * @param {(string | null | undefined)[]} ids
 * @param {AbortSignal} [signal]
 */
export async function findByIds(ids, signal) {
  /** @type {Map<string, Item>} */
  const itemsById = new Map();
  const uniqueIds = [...new Set(ids.filter(Boolean))];
  if (!uniqueIds.length) return itemsById;
  const filter = `id in [${uniqueIds.map((id) => JSON.stringify(id)).join(", ")}]`;
  await Promise.all(["issue", "milestone"].map(async (kind) => {
    const query = { entity: kind, filter, includeClosed: true, limit: 500 };
    const { items } = await get("milestones/git_mile_overview", query, { signal });
    for (const item of items) itemsById.set(item.id, { ...item, kind });
  }));
  return itemsById;
}

/**
 * Return the fields for a title and a description.
 * @param {Item} item
 */
export function textFields({ title = "", description = "" } = {}) {
  const properties = { name: "title", value: title, required: true, maxlength: 500, autocomplete: "off" };
  return [field("Title", el("input", properties)),
    field("Description, in Markdown", el("textarea", { name: "description", value: description, rows: 8 }))];
}

/**
 * Return the content of a list item.
 * @param {Item} item
 * @param {Kind} kind
 */
export function listItem(item, kind) {
  const { id, title, status, milestone, claimed_by: holder, assignee, due, labels, stats, contested, updated } = item;
  const issueFacts = () => [
    milestone && el("span.quiet", { title: `Milestone ${milestone}` }, milestone),
    holder ? el("span", person(holder), " is working on it") : assignee && person(assignee),
  ];
  const facts = kind === "milestone" ? [issueProgress(stats.open_issues, item.closed_issues)] : issueFacts();
  const comments = stats.comment_count && quiet(pluralise(stats.comment_count, "comment"));
  facts.push(due && dueDistance(due, status === "closed"), comments, ago(updated));
  return [
    statusLabel(status),
    el("div.what", el("a.name", { href: entityAddress(kind, id) }, title),
      contested && el("span.tag.attention", "contested"),
      labels.map(label)),
    el(`div.facts.${kind}`, facts.map((fact) => el("span", fact || null))),
  ];
}
