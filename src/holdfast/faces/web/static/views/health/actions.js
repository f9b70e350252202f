// Work from a measured place: a task, a remark to the agent or a note, each with a link back to the place.

import { authorName, post } from "../../api.js";
import { button } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { field, formDialog } from "../../forms.js";
import { codeAddress } from "../../links.js";
import { address } from "../../router.js";

/** @import { View } from "../../view.js" */

/**
 * What the work is about: a place or, without a file, the repository or a folder; why; and links to findings or further
 * places.
 * @typedef {{file: string | null, line?: number | null, endLine?: number | null, title: string, text: string,
 *   links?: {kind: string, ref: string, title?: string}[]}} Subject
 */

/** The maximum length of a title that the server accepts. */
const MAX_TITLE_CHARACTERS = 200;

/**
 * Return buttons that create a task, ask the agent or leave a note about a place. What was created is linked beside
 * them.
 * @param {View} view
 * @param {Subject} subject
 */
export function workButtons(view, subject) {
  const created = el("span", { role: "status" });
  const done = (/** @type {any} */ content) => content && fill(created, content);
  const about = (/** @type {string} */ verb) => `${verb}: ${subject.title}`;
  const act = (/** @type {string} */ text, /** @type {() => Promise<any>} */ run) =>
    button(text, async () => done(await run()), { "aria-label": about(text) });
  return el("div.row.wrap.work",
    act("Create a task", () => createTask(view, subject)),
    act("Ask the agent", () => askAgent(view, subject)),
    subject.file !== null && act("Leave a note", () => leaveNote(view, subject)), created);
}

/** @param {Subject} subject */
const placeText = ({ file, line }) => (line ? `${file}:${line}` : file ?? "the repository");

/**
 * @param {View} view
 * @param {Subject} subject
 */
function createTask(view, subject) {
  const { file, title, text, links = [] } = subject;
  const input = el("input", {
    name: "title", required: true, maxlength: MAX_TITLE_CHARACTERS, value: title.slice(0, MAX_TITLE_CHARACTERS),
  });
  const value = file === null ? text : `${text}\n\nPlace: ${placeText(subject)}`;
  const description = el("textarea", { name: "description", rows: "5", value });
  const submit = async ({ title: chosen, description: written }) => {
    const body = { title: chosen, task_description: written, connected_files: file === null ? [] : [file], links };
    const { task: { id } } = await post("tasks/taskpilot_create_task", body);
    return ["Created ", el("a", { href: address("/task", id) }, id)];
  };
  const fields = [field("Title", input), field("Description", description)];
  return formDialog(view, "New task", fields, { verb: "Add", submit });
}

/**
 * @param {View} view
 * @param {Subject} subject
 */
function askAgent(view, subject) {
  const { file, line, endLine, text } = subject;
  const comment = el("textarea", { name: "comment", rows: "5", required: true, value: text });
  const lines = line && (endLine && endLine > line ? `${line}-${endLine}` : `${line}`);
  const submit = async ({ comment: written }) => {
    await post("inbox/send_message", { file: file ?? ".", line: lines || null, comment: written });
    return "Sent to the agent.";
  };
  const title = `To the agent, about ${placeText(subject)}`;
  return formDialog(view, title, field("Remark", comment), { verb: "Send", submit });
}

/**
 * @param {View} view
 * @param {Subject} subject
 */
async function leaveNote(view, subject) {
  const { file, line, text } = subject;
  if (file === null) return null;
  const note = el("textarea", { name: "text", rows: "5", required: true, value: text });
  const author = await authorName();
  const submit = async ({ text: written }) => {
    const body = { filePath: file, line: line ?? 1, text: written, tag: "NOTE", author: author || undefined };
    await post("comments/add_comment", body);
    return ["Noted at ", el("a", { href: codeAddress(file, line ?? 1) }, `line ${line ?? 1}`)];
  };
  return formDialog(view, `Note on ${placeText(subject)}`, field("Note", note), { verb: "Add note", submit });
}
