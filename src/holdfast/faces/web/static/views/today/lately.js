// What happened since yesterday: new and finished tasks and issues, and changed files that have notes.

import { get } from "../../api.js";
import { pluralise } from "../../display.js";
import { codeAddress } from "../../links.js";
import { ago } from "../../time.js";
import { entityAddress, findByIds } from "../issues/entity.js";
import { getTasks } from "./waiting.js";

/** @import { List } from "./waiting.js" */

/** As many as the list of agents requests, so that both share one answer. */
const TASK_EVENTS = 200;
const ISSUE_EVENTS = 50;
/** The most ids that the names of issues are looked up for. */
const MAX_IDS = 50;

/**
 * Return whether something happened since yesterday began.
 * @param {string} iso
 */
const isRecent = (iso) => Date.parse(iso) >= new Date().setHours(-24, 0, 0, 0);

/** @type {List["load"]} */
async function doneTasks(signal) {
  const { events, next_cursor: older } = await getTasks("taskpilot_events", { limit: TASK_EVENTS }, signal);
  const lines = new Map();
  for (const event of events.filter(({ at }) => isRecent(at))) {
    const { type, status, task_id: id, title = id, at } = event;
    const tag = type === "created" ? "added" : status === "done" ? "done" : null;
    if (tag && id && !lines.has(id)) lines.set(id, { tag, text: title, href: `/task/${id}`, detail: ago(at) });
  }
  return { total: lines.size, more: Boolean(older) && isRecent(events.at(-1).at), lines: [...lines.values()] };
}

/** @type {List["load"]} */
async function issues(signal) {
  const { events, nextCursor } = await get("milestones/git_mile_log", { limit: ISSUE_EVENTS }, { signal });
  const changes = new Map();
  for (const { action, field, value, entity, ts } of events.filter((event) => isRecent(event.ts))) {
    const isClosed = field === "status" && value === "closed";
    const tag = action === "create" ? "added" : isClosed ? "done" : null;
    if (tag && !changes.has(entity)) changes.set(entity, { tag, at: ts });
  }
  const known = await findByIds([...changes.keys()].slice(0, MAX_IDS), signal);
  const lines = [...changes].map(([id, { tag, at }]) => {
    const { title = id, kind } = known.get(id) ?? {};
    return { tag, text: title, href: entityAddress(kind, id), detail: ago(at) };
  });
  return { total: lines.length, more: Boolean(nextCursor) && isRecent(events.at(-1).ts), lines };
}

/** @type {List["load"]} */
async function files(signal) {
  const [churn, notes] = await Promise.all([
    get("analyze/analyze_code_churn", { project_path: ".", period_days: 2, limit: 200 }, { signal }),
    get("comments/list_comments", { status: "open", limit: 500 }, { signal }),
  ]);
  /** @type {Map<string, any[]>} */
  const notesOf = Map.groupBy(notes.comments, ({ filePath }) => filePath);
  const changed = churn.files.filter(({ path, last_modified: at }) => notesOf.has(path) && isRecent(at));
  const lines = changed.map(({ path, last_modified: at }) => ({
    text: path, href: codeAddress(path), detail: [pluralise(notesOf.get(path)?.length ?? 0, "note"), " · ", ago(at)],
  }));
  return { total: changed.length, more: notes.total > notes.comments.length, lines };
}

/**
 * The lists of what happened.
 * @type {List[]}
 */
export const LATELY = [
  { name: "Tasks", all: "/activity", topic: "tasks", load: doneTasks },
  { name: "Issues", all: "/issues?sort=updated%3Adesc&closed=1", topic: "milestones", load: issues },
  { name: "Changed files with notes", all: "/code", topic: "comments", load: files },
];
