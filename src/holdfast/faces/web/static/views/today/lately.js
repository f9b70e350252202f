// What happened since yesterday: tasks and issues that are new or done, and changed files that have notes.

import { get } from "../../api.js";
import { ago, codeAddress, counted } from "../../dom.js";
import { named, place } from "../issues/parts.js";
import { tasks } from "./waiting.js";

const TASK_EVENTS = 200; // as many as the list of agents asks for
const ISSUE_EVENTS = 50;

/** Tell whether something was after yesterday began. */
const isRecent = (moment) => Date.parse(moment) >= new Date().setHours(-24, 0, 0, 0);

async function doneTasks(signal) {
  const { events, next_cursor: older } = await tasks("taskpilot_events", { limit: TASK_EVENTS }, signal);
  const lines = new Map();
  for (const event of events.filter(({ at }) => isRecent(at))) {
    const { type, status, task_id: id, title = id, at } = event;
    const word = type === "created" ? "added" : status === "done" ? "done" : null;
    if (word && id && !lines.has(id)) lines.set(id, { word, text: title, href: `/task/${id}`, detail: ago(at) });
  }
  return { total: lines.size, more: Boolean(older) && isRecent(events.at(-1).at), lines: [...lines.values()] };
}

async function issues(signal) {
  const { events, nextCursor } = await get("milestones/git_mile_log", { limit: ISSUE_EVENTS }, { signal });
  const words = new Map();
  for (const { action, field, value, entity, ts } of events.filter((event) => isRecent(event.ts))) {
    const isDone = field === "status" && value === "closed";
    const word = action === "create" ? "added" : isDone ? "done" : null;
    if (word && !words.has(entity)) words.set(entity, { word, at: ts });
  }
  const known = await named([...words.keys()].slice(0, 50), signal);
  const lines = [...words].map(([id, { word, at }]) => {
    const { title = id, kind } = known.get(id) ?? {};
    return { word, text: title, href: place(kind, id), detail: ago(at) };
  });
  return { total: lines.length, more: Boolean(nextCursor) && isRecent(events.at(-1).ts), lines };
}

async function files(signal) {
  const [churn, notes] = await Promise.all([
    get("analyze/analyze_code_churn", { project_path: ".", period_days: 2, limit: 200 }, { signal }),
    get("comments/list_comments", { status: "open", limit: 500 }, { signal }),
  ]);
  const noted = Map.groupBy(notes.comments, ({ filePath }) => filePath);
  const changed = churn.files.filter(({ path, last_modified: at }) => noted.has(path) && isRecent(at));
  const lines = changed.map(({ path, last_modified: at }) =>
    ({ text: path, href: codeAddress(path), detail: [counted(noted.get(path).length, "note"), " · ", ago(at)] }));
  return { total: changed.length, more: notes.total > notes.comments.length, lines };
}

/** The lists of what happened: where more of it is, and what brings news of it. */
export const LATELY = [
  { name: "Tasks", all: "/activity", topic: "tasks", load: doneTasks },
  { name: "Issues", all: "/issues?sort=updated%3Adesc&closed=1", topic: "milestones", load: issues },
  { name: "Changed files with notes", all: "/code", topic: "comments", load: files },
];
