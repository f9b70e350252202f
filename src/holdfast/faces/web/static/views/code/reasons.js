// Why lines are as they are: the notes, remarks, tasks and issues that concern them.

import { get, ifInitialised } from "../../api.js";

/** @import { View } from "../../view.js" */
/** @import { Range } from "./lines.js" */
/** @import { Note } from "./notes.js" */
/** @import { Commit } from "./story.js" */

/** @typedef {{id: string, title: string, status: string, reason: string, links: {kind: string, ref: string}[]}} Task */

/** The number of remarks that are searched, the newest; the maximum that the server accepts as `limit`. */
const MAX_REMARKS = 200;
/** The number of tasks and of remarks that are shown; a judgement: about a screen. */
const MAX_SHOWN = 8;
const TASK_ID = /\b[A-Za-z][A-Za-z0-9]{0,9}-[1-9]\d*\b/g;

/**
 * Return what concerns some lines. A source that fails, such as an inbox that a role may not read, has nothing.
 * @param {View} view
 * @param {string} path
 * @param {Range} range
 * @param {Note[]} fileNotes the notes of the file
 * @param {Commit[]} commits the commits that changed the lines
 */
export async function findReasons(view, path, range, fileNotes, commits) {
  /** @type {(first: number, last: number) => boolean} */
  const overlaps = (first, last) => first <= range.last && last >= range.first;
  const notes = fileNotes.filter(({ orphaned, line, endLine = line }) => !orphaned && overlaps(line, endLine ?? line));
  const remarks = await unlessRefused(findRemarks(view, path, overlaps), []);
  const named = new Map();
  const addNamed = (/** @type {string} */ text, /** @type {string} */ reason) => {
    for (const [id] of text.matchAll(TASK_ID)) if (!named.has(id.toUpperCase())) named.set(id.toUpperCase(), reason);
  };
  for (const { commit, subject, body } of commits) addNamed(`${subject}\n${body}`, `named in ${commit.slice(0, 8)}`);
  for (const { text, replies } of notes) {
    addNamed([text, ...replies.map((/** @type {any} */ reply) => reply.text)].join("\n"), "named in a note");
  }
  for (const { comment } of remarks) addNamed(comment, "named in a remark");
  const tasks = await unlessRefused(findTasks(view, path, named), []);
  const linked = tasks.flatMap(({ id, links }) =>
    links.filter(({ kind }) => kind === "issue").map(({ ref }) => ({ task: id, ref })));
  const issues = await Promise.all(linked.slice(0, MAX_SHOWN).map(({ task, ref }) => unlessRefused(
    get("milestones/git_mile_show", { entity: "issue", id: ref }, view).then((issue) => ({ ...issue, task })), null)));
  return { notes, remarks, tasks, issues: issues.filter((issue) => issue !== null) };
}

/**
 * Return the result of a request, or `fallback` if the server refuses it.
 * @template Result
 * @param {Promise<Result>} request
 * @param {Result} fallback
 */
const unlessRefused = (request, fallback) => request.catch((problem) => {
  if (problem.name === "AbortError" || problem.status === undefined) throw problem;
  return fallback;
});

/**
 * Return the remarks on a file whose lines overlap, or that name no line, with their answers.
 * @param {View} view
 * @param {string} path
 * @param {(first: number, last: number) => boolean} overlaps
 */
async function findRemarks(view, path, overlaps) {
  const { messages } = await get("inbox/list_messages", { newest: true, limit: MAX_REMARKS }, view);
  const onLines = messages.filter(({ file, line, state }) => {
    if (file !== path || state === "withdrawn") return false;
    const [first, last = first] = (line ?? "").split("-").map(Number);
    return line === null || line === undefined || overlaps(first, last);
  });
  return Promise.all(onLines.slice(-MAX_SHOWN).map(async (/** @type {any} */ message) => {
    const thread = message.replies ? await get("inbox/show_message", { message_id: message.id }, view) : null;
    return { ...message, answers: thread?.replies ?? [] };
  }));
}

/**
 * Return the tasks that are named, and those about the file.
 * @param {View} view
 * @param {string} path
 * @param {Map<string, string>} named the ids, with where each is named
 * @returns {Promise<Task[]>}
 */
async function findTasks(view, path, named) {
  const query = { connected_file: path, limit: MAX_SHOWN };
  const about = await ifInitialised(get("tasks/taskpilot_list", query, view), { tasks: [] });
  const reasons = new Map(named);
  for (const { id } of about.tasks) if (!reasons.has(id)) reasons.set(id, "about this file");
  const tasks = await Promise.all([...reasons].slice(0, MAX_SHOWN).map(([id, reason]) => unlessRefused(
    get("tasks/taskpilot_show", { task_id: id }, view).then(({ task }) => ({ links: [], ...task, reason })), null)));
  return tasks.filter((task) => task !== null);
}
