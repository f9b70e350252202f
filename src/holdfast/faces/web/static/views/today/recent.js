// What happened since yesterday: new and finished tasks and issues, and changed files that have notes.

import { get } from "../../api.js";
import { pluralise } from "../../display.js";
import { codeAddress } from "../../links.js";
import { ago } from "../../time.js";
import { entityAddress, findByIds } from "../issues/entity.js";
import { getTasks } from "./waiting.js";

/** @import { ShortList } from "./waiting.js" */

/** The same number as the list of agents requests, so that both share one response. */
const MAX_TASK_EVENTS = 200;
/** A judgement: more than happen in most days; the list then links to all. */
const MAX_ISSUE_EVENTS = 50;
/** A judgement: more than change in two days in most repositories. */
const MAX_FILES = 200;
/** A judgement: more than are open in most repositories; the list then links to all. */
const MAX_NOTES = 500;

/**
 * Return whether a time is today or yesterday.
 * @param {string} iso
 */
const isRecent = (iso) => Date.parse(iso) >= new Date().setHours(-24, 0, 0, 0);

/**
 * Return the tag of an event, or null if the event is not shown.
 * @param {boolean} isNew
 * @param {boolean} isDone
 */
function eventTag(isNew, isDone) {
  if (isNew) return "added";
  return isDone ? "done" : null;
}

/** @type {ShortList["load"]} */
async function loadTasks(signal) {
  const { events, next_cursor: cursor } = await getTasks("taskpilot_events", { limit: MAX_TASK_EVENTS }, signal);
  const items = new Map();
  for (const event of events.filter(({ at }) => isRecent(at))) {
    const { type, status, task_id: id, title = id, at } = event;
    const tag = eventTag(type === "created", status === "done");
    if (tag && id && !items.has(id)) items.set(id, { tag, text: title, href: `/task/${id}`, detail: ago(at) });
  }
  return { total: items.size, more: Boolean(cursor) && isRecent(events.at(-1).at), items: [...items.values()] };
}

/** @type {ShortList["load"]} */
async function loadIssues(signal) {
  const { events, nextCursor } = await get("milestones/git_mile_log", { limit: MAX_ISSUE_EVENTS }, { signal });
  const changes = new Map();
  for (const { action, field, value, entity, ts } of events.filter((event) => isRecent(event.ts))) {
    const tag = eventTag(action === "create", field === "status" && value === "closed");
    if (tag && !changes.has(entity)) changes.set(entity, { tag, at: ts });
  }
  const issues = await findByIds([...changes.keys()], signal);
  const items = [...changes].map(([id, { tag, at }]) => {
    const { title = id, kind } = issues.get(id) ?? {};
    return { tag, text: title, href: entityAddress(kind, id), detail: ago(at) };
  });
  return { total: items.length, more: Boolean(nextCursor) && isRecent(events.at(-1).ts), items };
}

/** @type {ShortList["load"]} */
async function loadFiles(signal) {
  const [churn, notes] = await Promise.all([
    get("analyze/analyze_code_churn", { project_path: ".", period_days: 2, limit: MAX_FILES }, { signal }),
    get("comments/list_comments", { status: "open", limit: MAX_NOTES }, { signal }),
  ]);
  /** @type {Map<string, any[]>} */
  const notesByFile = Map.groupBy(notes.comments, ({ filePath }) => filePath);
  const changed = churn.files.filter(({ path, last_modified: at }) => notesByFile.has(path) && isRecent(at));
  const items = changed.map(({ path, last_modified: at }) => {
    const noteCount = notesByFile.get(path)?.length ?? 0;
    return { text: path, href: codeAddress(path), detail: [pluralise(noteCount, "note"), " · ", ago(at)] };
  });
  return { total: changed.length, more: notes.total > notes.comments.length, items };
}

/**
 * The lists of recent events.
 * @type {ShortList[]}
 */
export const RECENT = [
  { name: "Tasks", icon: "task", all: "/activity", topic: "tasks", load: loadTasks },
  {
    name: "Issues", icon: "issues", all: "/issues?sort=updated%3Adesc&closed=1", topic: "milestones",
    load: loadIssues,
  },
  { name: "Changed files with notes", icon: "file", all: "/code", topic: "comments", load: loadFiles },
];
