// What happened since yesterday: tasks and issues that are new or done, and changed files that have notes.

import { get } from "../../api.js";
import { address } from "../../router.js";
import { ago } from "../../time.js";
import { named, place } from "../issues/parts.js";
import { tasks } from "./waiting.js";

const TASK_EVENTS = 200; // as many as the list of agents asks for
const ISSUE_EVENTS = 50;

function isRecent(moment) {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - 1);
  return new Date(moment) >= day;
}

async function doneTasks(signal) {
  const { events, next_cursor: older } = await tasks("taskpilot_events", { limit: TASK_EVENTS }, signal);
  const lines = new Map();
  for (const event of events.filter(({ at }) => isRecent(at))) {
    const word = event.type === "created" ? "added" : event.status === "done" ? "done" : null;
    if (word && event.task_id && !lines.has(event.task_id)) lines.set(event.task_id, { word, text: event.title ?? event.task_id, href: `/task/${event.task_id}`, detail: [ago(event.at)] });
  }
  return { total: lines.size, more: Boolean(older) && isRecent(events.at(-1).at), lines: [...lines.values()] };
}

async function issues(signal) {
  const { events, nextCursor } = await get("milestones/git_mile_log", { limit: ISSUE_EVENTS }, { signal });
  const words = new Map();
  for (const event of events.filter(({ ts }) => isRecent(ts))) {
    const word = event.action === "create" ? "added" : event.field === "status" && event.value === "closed" ? "done" : null;
    if (word && !words.has(event.entity)) words.set(event.entity, { word, at: event.ts });
  }
  const known = await named([...words.keys()].slice(0, 50), signal);
  const lines = [...words].map(([id, { word, at }]) => ({ word, text: known.get(id)?.title ?? id, href: place(known.get(id)?.kind, id), detail: [ago(at)] }));
  return { total: lines.length, more: Boolean(nextCursor) && isRecent(events.at(-1).ts), lines };
}

async function files(signal) {
  const [churn, notes] = await Promise.all([
    get("analyze/analyze_code_churn", { project_path: ".", period_days: 2, limit: 200 }, { signal }),
    get("comments/list_comments", { status: "open", limit: 500 }, { signal }),
  ]);
  const counted = new Map();
  for (const { filePath } of notes.comments) counted.set(filePath, (counted.get(filePath) ?? 0) + 1);
  const changed = churn.files.filter((file) => counted.has(file.path) && isRecent(file.last_modified));
  return {
    total: changed.length,
    more: notes.total > notes.comments.length,
    lines: changed.map(({ path, last_modified: at }) => ({ text: path, href: address("/code", path), detail: [`${counted.get(path)} ${counted.get(path) === 1 ? "note" : "notes"} · `, ago(at)] })),
  };
}

/** The lists of what happened: where more of it is, and what brings news of it. */
export const LATELY = [
  { name: "Tasks", all: "/activity", topic: "tasks", load: doneTasks },
  { name: "Issues", all: "/issues?sort=updated%3Adesc&closed=1", topic: "milestones", load: issues },
  { name: "Changed files with notes", all: "/code", topic: "comments", load: files },
];
