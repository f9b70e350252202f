// The properties of a task: status, holder, priority, labels, milestone, links, dependencies, files, commits.

import { button, choice } from "../../controls.js";
import { quiet } from "../../display.js";
import { el } from "../../dom.js";
import { codeAddress, commitAddress } from "../../links.js";
import { leaseBar } from "../activity/agents.js";
import { label, person } from "../../people.js";
import { FINISHED_STATUSES, PRIORITIES } from "../board/rules.js";

/** @import { TaskEditor } from "../task.js" */
/** @import { Section, SectionDefinition } from "./section.js" */

/** The number of unmet conditions that are listed; a judgement: the column is narrow. */
const MAX_CONDITIONS_SHOWN = 4;
/** The paths of the views that show linked things, by kind. */
const VIEW_PATHS = { issue: "/issues", milestone: "/issues", task: "/task" };

/**
 * @param {TaskEditor} editor
 * @param {Section} section
 */
function drawStatus(editor, section) {
  const { status, ready, blocked_by: blockers = [] } = editor.task;
  const formPlace = el("div");
  const move = (/** @type {string} */ target) => {
    if (!editor.state?.with_reason?.includes(target)) return editor.act(section, { set: { status: target } });
    const label = `Why is it ${target === "blocked" ? "blocked" : "reopened"}?`;
    const change = (/** @type {Record<string, string>} */ { reason }) => ({ set: { status: target }, reason });
    const fields = [{ name: "reason", label, required: true }];
    return section.openForm(formPlace, { fields, save: "Move", change, focusAfter: "Status" });
  };
  const isNearDone = ["in-progress", "review"].includes(status);
  const conditions = isNearDone ? editor.card?.lacks ?? [] : [];
  const rest = conditions.length - MAX_CONDITIONS_SHOWN;
  const listed = conditions.slice(0, MAX_CONDITIONS_SHOWN).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
  return [choice("Status", [status, ...editor.state?.goes_to ?? []], status, move),
    ready && quiet("Ready: nothing blocks it."),
    blockers.length > 0 && quiet(`Waits for ${blockers.join(", ")}.`),
    conditions.length > 0 && quiet(`Before it is done: ${listed}.`), formPlace];
}

/**
 * @param {TaskEditor} editor
 * @param {Section} section
 */
function drawHolder(editor, section) {
  const { claim, status } = editor.task;
  const claimButton = (/** @type {string} */ text, /** @type {string} */ action) =>
    button(text, () => editor.act(section, { action }, "taskpilot_claim"));
  if (!claim) {
    const isOpen = !FINISHED_STATUSES.includes(status);
    return [quiet("Nobody."), isOpen && el("div", claimButton("Claim", "take"))];
  }
  const handOver = section.formButton("Hand over", {
    fields: [{ name: "note", label: "Note for the next holder", kind: "textarea" }],
    save: "Hand over", operation: "taskpilot_claim", focusAfter: "Claim",
    change: ({ note }) => ({ action: "handoff", ...(note && { note }) }),
  });
  const buttons = el("div.row.wrap", claimButton("Release", "release"), claimButton("Renew", "renew"), handOver);
  const takeOver = () => editor.act(section, { action: "take", take_over: true }, "taskpilot_claim");
  const isMine = Boolean(claim.token); // only the holder gets it
  return [el("strong", person(claim.agent)), leaseBar(claim.since, claim.expires_at),
    isMine ? buttons : [quiet("Only the holder can change its state and criteria. ",
      "Once the lease has expired, anybody can claim it."), el("div", button("Take over", takeOver))]];
}

/**
 * @param {TaskEditor} editor
 * @param {Section} section
 */
function drawPriority(editor, section) {
  const change = (/** @type {string} */ priority) => editor.act(section, { set: { priority } });
  return choice("Priority", PRIORITIES, editor.task.priority, change);
}

/**
 * Return a section that lists the values of a field, with buttons to remove each of them and to add one.
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.list the field of the task
 * @param {string} options.label the label of the input
 * @param {(value: any) => any} options.drawItem
 * @param {(value: any) => string} options.key returns the name of a value
 * @param {string} [options.none] shown if there are no values
 * @param {(text: string) => any} [options.toAdd] returns the argument of the operation that adds a text
 * @param {(value: any) => any} [options.toRemove] returns the argument of the operation that removes a value
 * @param {(editor: TaskEditor, value: any) => any} [options.drawDetails] draws content below a value
 * @param {(editor: TaskEditor) => any} [options.drawBelow] draws content below the list
 * @returns {SectionDefinition}
 */
function listSection({ title, list, label, drawItem, key, none = "None.", toAdd = (text) => text, toRemove = key,
  drawDetails, drawBelow }) {
  const select = (/** @type {TaskEditor} */ { task, bundle }) =>
    [task[list], bundle?.remarks, task.blocks, task.parent_id, task.subtasks];
  const draw = (/** @type {TaskEditor} */ editor, /** @type {Section} */ section) => {
    const line = (value) => {
      const remove = section.removeButton(key(value), { [list]: [toRemove(value)] });
      return el("li", el("div.row", drawItem(value), remove), drawDetails?.(editor, value));
    };
    const values = editor.task[list] ?? [];
    const add = section.formButton("Add", {
      fields: [{ name: "text", label, required: true }], save: "Add",
      change: ({ text }) => ({ add: { [list]: [toAdd(text)] } }),
    }, `Add to ${title.toLowerCase()}`);
    return [values.length ? el("ul.plain-list", values.map(line)) : quiet(none), drawBelow?.(editor), add];
  };
  return { title, select, draw };
}

/**
 * Return the list of notes and remarks on a file, or false if there are none.
 * @param {TaskEditor} editor
 * @param {string} path
 */
function remarksOn({ bundle }, path) {
  const remarks = (bundle?.remarks ?? []).filter((/** @type {any} */ remark) => remark.file === path);
  const names = { comment: "note", message: "remark" };
  const item = ({ kind, text, line, author, state }) => el("li",
    el("a", { href: codeAddress(path, line), title: text }, names[kind] ?? kind, line && ` at ${line}`),
    quiet(` ${[author, text].filter(Boolean).join(": ")}`, state === "orphaned" && " (its code is gone)"));
  return remarks.length > 0 && el("ul.plain-list.remarks", remarks.map(item));
}

/**
 * @param {string} id
 * @param {string} details
 */
const taskLink = (id, details = "") => el("a", { href: `/task/${id}` }, id, quiet(details));

/** Return the URL that a link of the task leads to. */
function linkTarget({ kind, ref, uri }) {
  if (kind === "comment") return codeAddress(ref.replace(/#[^#]*$/, ""));
  if (kind === "commit") return commitAddress(ref);
  return VIEW_PATHS[kind] ? `${VIEW_PATHS[kind]}/${encodeURIComponent(ref)}` : uri;
}

const LABELS = listSection({
  title: "Labels", list: "labels", label: "Label", drawItem: label, key: (name) => name,
});

const LINKS = listSection({
  title: "Links", list: "links", label: "Address: a page, an issue, a message or a note",
  drawItem: (link) => {
    const properties = { href: linkTarget(link), rel: "noopener noreferrer", title: link.uri ?? link.ref };
    return el("a.one-line", properties, `${link.kind}: ${link.title ?? link.ref}`);
  },
  toAdd: (uri) => ({ uri }),
  key: ({ ref }) => ref,
  toRemove: ({ kind, ref }) => ({ kind, ref }),
});

const DEPENDENCIES = listSection({
  title: "Waits for", list: "depends_on", none: "No other task.", label: "Task, such as TP-3",
  drawItem: ({ id, kind, status }) => {
    const relation = kind === "blocks" ? "" : `${kind.replace("_", " ")}, `;
    return taskLink(id, ` ${relation}${status}`);
  },
  toAdd: (text) => text.toUpperCase(),
  key: ({ id }) => id,
  drawBelow: ({ task: { blocks, parent_id: parent, subtasks = [] } }) => Object.entries({
    Blocks: blocks ?? [], "Part of": parent ? [parent] : [], Parts: subtasks.map(({ id }) => id),
  }).map(([text, ids]) => ids.length > 0 && el("div.row.wrap", quiet(text), ids.map((id) => taskLink(id)))),
});

const FILES = listSection({
  title: "Files", list: "connected_files", label: "Path, such as src/a.py:10-20",
  drawItem: ({ path, line_start: first, line_end: last }) =>
    el("a.mono.one-line", { href: codeAddress(path, first, last), title: path }, path, first ? `:${first}` : ""),
  drawDetails: (editor, { path }) => remarksOn(editor, path),
  key: ({ path }) => path,
});

/**
 * @param {TaskEditor} editor
 * @param {Section} section
 */
function drawMilestone(editor, section) {
  const { milestone = "" } = editor.task;
  const isOwn = ({ kind, ref, title }) => kind === "milestone" && [ref, title].includes(milestone);
  const linked = editor.bundle?.remarks?.find(isOwn);
  const fields = [{ name: "milestone", label: "Milestone (empty for none)", value: milestone }];
  const name = milestone ? el("span", milestone) : quiet("None.");
  return [linked ? el("a", { href: linkTarget(linked) }, linked.title ?? milestone) : name,
    section.formButton("Change", { fields, change: (values) => ({ set: values }) }, "Change milestone")];
}

/** @param {TaskEditor} editor */
const commits = ({ bundle }) => bundle?.remarks?.filter((/** @type {any} */ remark) => remark.kind === "commit") ?? [];
const commitLink = ({ ref, text }) =>
  el("a.one-line", { href: commitAddress(ref), title: text }, el("span.mono", ref.slice(0, 8)), ` ${text}`);

/**
 * The sections of the side column.
 * @type {SectionDefinition[]}
 */
export const SIDE_SECTIONS = [
  {
    title: "Status", draw: drawStatus,
    select: ({ task, card, state }) => [task.status, task.ready, card?.lacks, task.blocked_by, state],
  },
  { title: "Holder", select: ({ task }) => [task.claim, task.status], draw: drawHolder },
  { title: "Priority", select: ({ task }) => task.priority, draw: drawPriority },
  LABELS,
  { title: "Milestone", select: ({ task, bundle }) => [task.milestone, bundle?.remarks], draw: drawMilestone },
  DEPENDENCIES,
  FILES,
  LINKS,
  { title: "Commits", select: commits, draw: (editor) => commits(editor).map(commitLink) },
];
