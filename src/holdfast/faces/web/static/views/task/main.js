// The main column of a task: description, criteria with evidence, notes, attachments, history.

import { get } from "../../api.js";
import { button, plainButton } from "../../controls.js";
import { progressBar, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { commitAddress } from "../../links.js";
import { person } from "../../people.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";
import { describeEvent } from "../activity/agents.js";
import { MAX_TITLE_CHARACTERS } from "../board/rules.js";

/** @import { TaskEditor } from "../task.js" */
/** @import { Section, SectionDefinition } from "./section.js" */

/** The server's limit for attachments. */
const MAX_ATTACHMENT_BYTES = 512 * 1024;
/** The number of older events that are loaded at a time; a judgement: a few screens. */
const EVENTS_PER_PAGE = 100;
/** The maximum that the server accepts as `limit` for events. */
const MAX_EVENTS_PER_REQUEST = 200;
const PICTURE_TYPE = /^image\/(png|jpeg|gif|webp|avif)$/;
/** The kinds of evidence that are commands and have an exit status. */
const COMMAND_KINDS = new Set(["test", "gate"]);

/**
 * Replace the description with a form for the title and the description.
 * @param {TaskEditor} editor
 */
export function openTextForm(editor) {
  const [section] = editor.sections; // the first one shows the description
  if (section.node.querySelector("form")) return;
  const { title, description } = editor.task;
  section.openForm(section.body, {
    fields: [{ name: "title", label: "Title", value: title, required: true, maxlength: MAX_TITLE_CHARACTERS },
      { name: "description", label: "Description, in Markdown", kind: "textarea", value: description, rows: 12 }],
    change: (values) => ({ set: values }),
  });
}

/**
 * Return a section for a text in Markdown.
 * @param {string} name the field of the task
 * @param {string} title
 * @returns {SectionDefinition}
 */
function markdownSection(name, title) {
  const draw = (/** @type {TaskEditor} */ { task }, /** @type {Section} */ section) => {
    const value = task[name];
    const fields = [{ name, label: `${title}, in Markdown`, kind: "textarea", value, rows: 6 }];
    const edit = { fields, change: (/** @type {object} */ values) => ({ set: values }) };
    return value ? [markdown(value), section.formButton("Edit", edit, `Edit ${title.toLowerCase()}`)] : null;
  };
  return { title, select: ({ task }) => task[name], draw };
}

/** @param {TaskEditor} editor */
const drawDescription = ({ task: { description } }) =>
  (description ? markdown(description) : el("p.quiet", "No description yet. Press ", el("kbd", "e"), " to write one."));

/**
 * @param {TaskEditor} editor
 * @param {Section} section
 */
function drawCriteria(editor, section) {
  const { criteria = [], evidence = [] } = editor.task;
  const met = criteria.filter((/** @type {any} */ item) => item.checked).length;
  const texts = new Set(criteria.map(({ text }) => text));
  const otherEvidence = evidence.filter((/** @type {any} */ item) => !texts.has(item.criterion));
  const fields = [{ name: "text", label: "What must be true", required: true, maxlength: MAX_TITLE_CHARACTERS }];
  const addCriterion = (/** @type {Record<string, string>} */ { text }) => ({ add: { criteria: [text] } });
  const items = criteria.map((/** @type {any} */ item) => drawCriterion(editor, section, item, evidence));
  const percent = Math.round((100 * met) / criteria.length);
  return [
    criteria.length
      ? el("div.progress.quiet", progressBar("Criteria met", percent), `${met} of ${criteria.length}`)
      : el("p.quiet", "No criteria yet. They say when this task is done."),
    el("ul.plain-list.stack", items),
    otherEvidence.length > 0 && el("div.row.wrap.quiet", "Other evidence: ", otherEvidence.map(evidenceTag)),
    section.formButton("Add a criterion", { fields, save: "Add", change: addCriterion }),
  ];
}

/**
 * Draw a criterion with its evidence. If the gate requires evidence, checking the criterion opens a form for it.
 * @param {TaskEditor} editor
 * @param {Section} section
 * @param {{text: string, checked: boolean}} item
 * @param {any[]} evidence
 */
function drawCriterion(editor, section, { text, checked }, evidence) {
  const formPlace = el("div");
  const toggle = async ({ target }) => {
    if (!target.checked) return editor.act(section, () => uncheckChange(editor.task.criteria, text));
    if (!editor.bundle) {
      target.checked = false;
      await editor.loadContext().catch(() => {}); // if the gate stays unknown, evidence is requested
    }
    if (editor.bundle && editor.bundle.done_gate !== "evidence") return editor.act(section, { check: [text] });
    target.checked = false; // until the form is saved
    if (!formPlace.hasChildNodes()) openEvidenceForm(section, formPlace, text);
  };
  const box = el("input", { type: "checkbox", checked, dataset: { focus: text }, on: { change: toggle } });
  const tags = evidence.filter((/** @type {any} */ item) => item.criterion === text).map(evidenceTag);
  return el("li.criterion", el("label", box, el("span", text)), el("span.row.wrap", tags),
    section.removeButton(`criterion: ${text}`, { criteria: [text] }), formPlace);
}

/**
 * Open a form that checks a criterion, with or without evidence.
 * @param {Section} section
 * @param {HTMLElement} place
 * @param {string} criterion
 */
function openEvidenceForm(section, place, criterion) {
  const showExitStatus = (/** @type {string} */ kind) => {
    const input = place.querySelector("[name=exit_status]");
    const label = /** @type {HTMLElement | null | undefined} */ (input?.parentElement);
    if (label) label.hidden = !COMMAND_KINDS.has(kind);
  };
  const evidenceFrom = (/** @type {Record<string, string>} */ { kind, ref, exit_status: status }) =>
    ({ kind, ref, criterion, ...(COMMAND_KINDS.has(kind) && { exit_status: Number(status) }) });
  section.openForm(place, {
    fields: [
      { name: "kind", label: "Evidence", options: ["test", "commit", "gate", "note"], change: showExitStatus },
      { name: "ref", label: "The command, commit or note (optional)", maxlength: MAX_TITLE_CHARACTERS },
      { name: "exit_status", label: "Exit status of the command; 0 is success", type: "number", value: "0" },
    ],
    save: "Check",
    change: (values) => ({ check: [criterion], evidence: values.ref ? [evidenceFrom(values)] : [] }),
    focusAfter: criterion,
  });
}

/**
 * Return the change that unchecks a criterion. The server has no such operation, so this criterion and those after it
 * are removed and added again in the same order, and those after it are checked as before.
 * @param {{text: string, checked: boolean}[]} criteria
 * @param {string} target
 */
function uncheckChange(criteria, target) {
  const index = criteria.findIndex(({ text }) => text === target);
  const number = index + 1; // the server counts criteria from 1
  const rest = index < 0 ? [] : criteria.slice(index);
  return {
    remove: { criteria: rest.map(() => String(number)) }, // after each removal, the next criterion has this number
    add: { criteria: rest.map(({ text }) => text) },
    check: rest.flatMap(({ checked }, offset) => (offset > 0 && checked ? number + offset : [])),
  };
}

/** Return a piece of evidence as a tag: "test passed: pytest". */
function evidenceTag({ kind, ref, exit_status: status }) {
  let colour = status ? "danger" : "ok";
  if (kind === "note") colour = "";
  let outcome = " ";
  if (status !== undefined) outcome = status ? ` failed (${status}): ` : " passed: ";
  return el("span", { class: `tag ${colour}`, title: ref }, kind, outcome,
    kind === "commit" ? el("a.mono", { href: commitAddress(ref) }, ref.slice(0, 8)) : ref);
}

/**
 * @param {TaskEditor} editor
 * @param {Section} section
 */
function drawHistory(editor, section) {
  const list = el("ol.plain-list.history"), more = el("div");
  const line = (/** @type {any} */ event) =>
    el("li", ago(event.at), " ", el("strong", person(event.actor)), " ", describeEvent(event, "it"),
      event.reason && quiet(` — ${event.reason}`));
  const append = (/** @type {TaskEditor["history"]} */ { events, next_cursor: cursor }) => {
    list.append(...events.map(line));
    // A refresh loads as many events as are shown.
    editor.historySize = Math.max(editor.historySize, Math.min(MAX_EVENTS_PER_REQUEST, list.childElementCount));
    fill(more, cursor && button("Older", () => loadOlder(cursor)));
  };
  const loadOlder = async (/** @type {string} */ cursor) => {
    const query = { task_id: editor.id, limit: EVENTS_PER_PAGE, cursor };
    try {
      append(await get("tasks/taskpilot_events", query, editor.view));
    } catch (problem) {
      section.showError(problem);
    }
  };
  append(editor.history);
  return [list, more];
}

/** @param {number} bytes */
const formatSize = (bytes) => (bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} kB`);

/**
 * @param {TaskEditor} editor
 * @param {Section} section
 */
function drawAttachments(editor, section) {
  const change = ({ target }) => target.files[0] && attach(editor, section, target.files[0]);
  const line = (/** @type {any} */ item) => {
    const content = el("div");
    const show = () => showAttachment(editor, section, item, content);
    const open = plainButton("Open", show, { "aria-label": `Open ${item.name}` });
    const facts = quiet(`${item.mime} · ${formatSize(item.size)}`);
    return el("li", el("div.row", el("span.one-line", item.name), facts, open), content);
  };
  return [el("ul.plain-list.stack", (editor.task.attachments ?? []).map(line)),
    el("div", el("input", { type: "file", id: "attach", class: "visually-hidden", on: { change } }),
      el("label.button.plain", { for: "attach" }, "Attach a file"))];
}

/**
 * @param {TaskEditor} editor
 * @param {Section} section
 * @param {File} file
 */
async function attach(editor, section, file) {
  const limit = formatSize(MAX_ATTACHMENT_BYTES);
  const message = `${file.name} has ${formatSize(file.size)}; attachments have at most ${limit}.`;
  if (file.size > MAX_ATTACHMENT_BYTES) return section.showError({ message, hint: "Attach a smaller file." });
  const characters = Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte));
  await editor.act(section, { name: file.name, data: btoa(characters.join("")) }, "taskpilot_attach");
}

/**
 * Show an attachment below its line, or offer to save it.
 * @param {TaskEditor} editor
 * @param {Section} section
 * @param {{name: string, mime: string}} attachment
 * @param {HTMLElement} place
 */
function showAttachment(editor, section, { name, mime }, place) {
  return editor.view.attempt(section.notice, async () => {
    const { text, data } = await get("tasks/taskpilot_attachment", { task_id: editor.id, name }, editor.view);
    if (text !== undefined) return fill(place, el("pre", text));
    const tooLarge = "The file is too large to be shown here. Agents can read it as a resource.";
    if (data === undefined) return fill(place, el("p.quiet", tooLarge));
    // A data URL, because the content security policy allows no other pictures.
    const source = `data:${mime};base64,${data}`;
    if (PICTURE_TYPE.test(mime)) return fill(place, el("img.picture", { src: source, alt: name }));
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const link = el("a.button", { download: name }, `Save ${name}`);
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    fill(place, link);
  });
}

/**
 * The sections of the main column.
 * @type {SectionDefinition[]}
 */
export const MAIN_SECTIONS = [
  { title: "Description", select: ({ task }) => task.description, draw: drawDescription },
  { title: "Criteria", select: ({ task }) => [task.criteria, task.evidence], draw: drawCriteria },
  markdownSection("plan", "Plan"),
  markdownSection("notes", "Notes"),
  { title: "Attachments", select: ({ task }) => task.attachments, draw: drawAttachments },
  { title: "History", select: ({ history }) => history, draw: drawHistory },
];
