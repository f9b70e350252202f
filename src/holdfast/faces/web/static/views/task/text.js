// The main column of a task: description, criteria with evidence, notes, attachments, history.

import { get } from "../../api.js";
import { button, plainButton } from "../../controls.js";
import { progressBar, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { commitAddress } from "../../links.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";
import { describeEvent } from "../activity/agents.js";

/** @import { Desk } from "../task.js" */
/** @import { Part, PartDefinition } from "./part.js" */

/** Limits of the server. */
const MAX_TITLE = 200;
const MAX_BYTES = 512 * 1024;
/** Older events that are loaded at a time, and the most that the server returns. */
const PAGE_SIZE = 100, MAX_PAGE_SIZE = 200;
const PICTURE = /^image\/(png|jpeg|gif|webp|avif)$/;
/** Kinds of evidence that are commands, which have an exit status. */
const COMMANDS = new Set(["test", "gate"]);

/**
 * Open a form for title and description in place of the description.
 * @param {Desk} desk
 */
export function openText(desk) {
  const [part] = desk.parts; // the description
  if (part.node.querySelector("form")) return;
  const { title, description } = desk.task;
  part.openForm(part.body, {
    fields: [{ name: "title", label: "Title", value: title, required: true, maxlength: MAX_TITLE },
      { name: "description", label: "Description, in Markdown", kind: "textarea", value: description, rows: 12 }],
    change: (values) => ({ set: values }),
  });
}

/**
 * Return a part for a text in Markdown.
 * @param {string} name the field of the task
 * @param {string} title
 * @returns {PartDefinition}
 */
function longText(name, title) {
  const draw = (/** @type {Desk} */ { task }, /** @type {Part} */ part) => {
    const value = task[name];
    const fields = [{ name, label: `${title}, in Markdown`, kind: "textarea", value, rows: 6 }];
    const edit = { fields, change: (/** @type {object} */ values) => ({ set: values }) };
    return value ? [markdown(value), part.formButton("Edit", edit, `Edit ${title.toLowerCase()}`)] : null;
  };
  return [title, ({ task }) => task[name], draw];
}

/** @param {Desk} desk */
const description = ({ task: { description: text } }) =>
  (text ? markdown(text) : el("p.quiet", "No description yet. Press ", el("kbd", "e"), " to write one."));

/**
 * @param {Desk} desk
 * @param {Part} part
 */
function criteria(desk, part) {
  const { criteria = [], evidence = [] } = desk.task;
  const met = criteria.filter((/** @type {any} */ item) => item.checked).length;
  const others = evidence.filter((/** @type {any} */ item) => !criteria.some(({ text }) => text === item.criterion));
  const fields = [{ name: "text", label: "What has to be true", required: true, maxlength: 200 }];
  const share = Math.round((100 * met) / criteria.length);
  return [
    criteria.length
      ? el("div.progress.quiet", progressBar("Criteria met", share), `${met} of ${criteria.length}`)
      : el("p.quiet", "There are no criteria for when this task is done yet."),
    el("ul.plain-list.stack", criteria.map((/** @type {any} */ item) => criterion(desk, part, item, evidence))),
    others.length > 0 && el("div.row.wrap.quiet", "Other evidence: ", others.map(proof)),
    part.formButton("Add a criterion", { fields, save: "Add", change: ({ text }) => ({ add: { criteria: [text] } }) }),
  ];
}

/**
 * @param {Desk} desk
 * @param {Part} part
 * @param {{text: string, checked: boolean}} item
 * @param {any[]} evidence
 */
function criterion(desk, part, { text, checked }, evidence) {
  const below = el("div");
  const toggle = async ({ target }) => {
    if (!target.checked) return desk.act(part, () => unchecked(desk.task.criteria, text));
    if (!desk.bundle) {
      target.checked = false;
      await desk.loadContext().catch(() => {}); // if the gate stays unknown, evidence is requested
    }
    if (desk.bundle && desk.bundle.done_gate !== "evidence") return desk.act(part, { check: [text] });
    target.checked = false; // until the form is saved
    if (below.hasChildNodes()) return;
    const showStatus = (/** @type {string} */ kind) => {
      const field = /** @type {HTMLElement | null | undefined} */ (
        below.querySelector("[name=exit_status]")?.parentElement);
      if (field) field.hidden = !COMMANDS.has(kind);
    };
    const evidenceOf = (/** @type {Record<string, string>} */ { kind, ref, exit_status: status }) =>
      ({ kind, ref, criterion: text, ...(COMMANDS.has(kind) && { exit_status: Number(status) }) });
    part.openForm(below, {
      fields: [{ name: "kind", label: "Evidence", options: ["test", "commit", "gate", "note"], change: showStatus },
        { name: "ref", label: "The command, the commit or the note; leave it empty for none", maxlength: 200 },
        { name: "exit_status", label: "Exit status of the command; 0 is success", type: "number", value: "0" }],
      save: "Check",
      change: (values) => ({ check: [text], evidence: values.ref ? [evidenceOf(values)] : [] }),
      back: text,
    });
  };
  const box = el("input", { type: "checkbox", checked, dataset: { focus: text }, on: { change: toggle } });
  const proofs = evidence.filter((/** @type {any} */ item) => item.criterion === text).map(proof);
  return el("li.criterion", el("label", box, el("span", text)), el("span.row.wrap", proofs),
    part.removeButton(`criterion: ${text}`, { criteria: [text] }), below);
}

/**
 * Return the change that unchecks a criterion. The server has no such operation, so this criterion and those after it
 * are removed and added again in the same order, and the others are checked as before.
 * @param {{text: string, checked: boolean}[]} criteria
 * @param {string} wanted
 */
function unchecked(criteria, wanted) {
  const number = criteria.findIndex(({ text }) => text === wanted) + 1;
  const rest = number ? criteria.slice(number - 1) : [];
  return {
    remove: { criteria: rest.map(() => String(number)) },
    add: { criteria: rest.map(({ text }) => text) },
    check: rest.flatMap(({ checked }, place) => (place > 0 && checked ? number + place : [])),
  };
}

function proof({ kind, ref, exit_status: status }) {
  const look = kind === "note" ? "" : status ? "danger" : "ok";
  const outcome = status === undefined ? " " : status ? ` failed (${status}): ` : " passed: ";
  return el("span", { class: `tag ${look}`, title: ref }, kind, outcome,
    kind === "commit" ? el("a.mono", { href: commitAddress(ref) }, ref.slice(0, 8)) : ref);
}

/**
 * @param {Desk} desk
 * @param {Part} part
 */
function history(desk, part) {
  const list = el("ol.plain-list.history"), more = el("div");
  const line = (/** @type {any} */ event) =>
    el("li", ago(event.at), " ", el("strong", event.actor), " ", describeEvent(event, "it"),
    event.reason && quiet(` — ${event.reason}`));
  const append = (/** @type {Desk["history"]} */ { events, next_cursor: cursor }) => {
    list.append(...events.map(line));
    // A refresh loads as many as are shown.
    desk.historySize = Math.max(desk.historySize, Math.min(MAX_PAGE_SIZE, list.childElementCount));
    fill(more, cursor && button("Older", () => older(cursor).then(append, (problem) => part.fail(problem))));
  };
  const older = (/** @type {string} */ cursor) =>
    get("tasks/taskpilot_events", { task_id: desk.id, limit: PAGE_SIZE, cursor }, desk.view);
  append(desk.history);
  return [list, more];
}

/** @param {number} bytes */
const size = (bytes) => (bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} kB`);

/**
 * @param {Desk} desk
 * @param {Part} part
 */
function attachments(desk, part) {
  const change = ({ target }) => target.files[0] && attach(desk, part, target.files[0]);
  const line = (/** @type {any} */ item) => {
    const below = el("div");
    const open = plainButton("Open", () => showAttachment(desk, part, item, below),
      { "aria-label": `Open ${item.name}` });
    const facts = quiet(`${item.mime} · ${size(item.size)}`);
    return el("li", el("div.row", el("span.one-line", item.name), facts, open), below);
  };
  return [el("ul.plain-list.stack", (desk.task.attachments ?? []).map(line)),
    el("div", el("input", { type: "file", id: "attach", class: "visually-hidden", on: { change } }),
      el("label.button.plain", { for: "attach" }, "Attach a file"))];
}

/**
 * @param {Desk} desk
 * @param {Part} part
 * @param {File} file
 */
async function attach(desk, part, file) {
  const message = `${file.name} has ${size(file.size)}; attachments have at most ${size(MAX_BYTES)}.`;
  if (file.size > MAX_BYTES) return part.fail({ message, hint: "Attach a smaller file." });
  const characters = Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte));
  await desk.act(part, { name: file.name, data: btoa(characters.join("")) }, "taskpilot_attach");
}

/**
 * Show an attachment below its line, or offer to save it.
 * @param {Desk} desk
 * @param {Part} part
 * @param {{name: string, mime: string}} attachment
 * @param {HTMLElement} below
 */
function showAttachment(desk, part, { name, mime }, below) {
  return desk.view.attempt(part.notice, async () => {
    const { text, data } = await get("tasks/taskpilot_attachment", { task_id: desk.id, name }, desk.view);
    if (text !== undefined) return fill(below, el("pre", text));
    const large = "It is too large to be shown here; agents can read it as a resource.";
    if (data === undefined) return fill(below, el("p.quiet", large));
    // A data URL: the page's policy allows pictures of this server only.
    if (PICTURE.test(mime)) return fill(below, el("img.picture", { src: `data:${mime};base64,${data}`, alt: name }));
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const link = el("a.button", { download: name }, `Save ${name}`);
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    fill(below, link);
  });
}

/**
 * The parts of the main column.
 * @type {PartDefinition[]}
 */
export const MAIN = [
  ["Description", ({ task }) => task.description, description],
  ["Criteria", ({ task }) => [task.criteria, task.evidence], criteria],
  longText("plan", "Plan"), longText("notes", "Notes"),
  ["Attachments", ({ task }) => task.attachments, attachments],
  ["History", (desk) => desk.history, history],
];
