// The properties of a task: status, holder, priority, labels, milestone, links, dependencies, files, commits.

import { button, choice } from "../../controls.js";
import { quiet } from "../../display.js";
import { el } from "../../dom.js";
import { codeAddress, commitAddress } from "../../links.js";
import { lease } from "../activity/agents.js";

/** @import { Desk } from "../task.js" */
/** @import { Part, PartDefinition } from "./part.js" */

/** A judgement: the rest is summed up, since the column is narrow. */
const MAX_LACKS = 4;
const ADDRESSES = { issue: "/issues", milestone: "/issues", task: "/task" };

/**
 * @param {Desk} desk
 * @param {Part} part
 */
function status(desk, part) {
  const { status, ready, blocked_by: blockers = [] } = desk.task;
  const below = el("div");
  const move = (/** @type {string} */ wanted) => {
    if (!desk.state?.with_reason?.includes(wanted)) return desk.act(part, { set: { status: wanted } });
    const label = `Why is it ${wanted === "blocked" ? "blocked" : "reopened"}?`;
    const change = (/** @type {Record<string, string>} */ { reason }) => ({ set: { status: wanted }, reason });
    const fields = [{ name: "reason", label, required: true }];
    return part.openForm(below, { fields, save: "Move", change, back: "Status" });
  };
  const lacks = (["in-progress", "review"].includes(status) && desk.card?.lacks) || [];
  const rest = lacks.length > MAX_LACKS ? `; and ${lacks.length - MAX_LACKS} more` : "";
  return [choice("Status", [status, ...desk.state?.goes_to ?? []], status, move),
    ready && quiet("Ready: nothing blocks it."),
    blockers.length > 0 && quiet(`Waits for ${blockers.join(", ")}.`),
    lacks.length > 0 && quiet(`Before done: ${lacks.slice(0, MAX_LACKS).join("; ")}${rest}.`), below];
}

/**
 * @param {Desk} desk
 * @param {Part} part
 */
function holder(desk, part) {
  const { claim, status } = desk.task;
  const act = (/** @type {string} */ text, /** @type {string} */ action) =>
    button(text, () => desk.act(part, { action }, "taskpilot_claim"));
  if (!claim) return [quiet("Nobody."), !["done", "dropped"].includes(status) && el("div", act("Claim", "take"))];
  const handOver = part.formButton("Hand over", {
    fields: [{ name: "note", label: "Note for the next holder", kind: "textarea" }],
    save: "Hand over", operation: "taskpilot_claim", back: "Claim",
    change: ({ note }) => ({ action: "handoff", ...(note && { note }) }),
  });
  return [el("strong", claim.agent), lease(claim.since, claim.expires_at), claim.token
    ? el("div.row.wrap", act("Release", "release"), act("Renew", "renew"), handOver)
    : quiet("Only the holder can release it; once the lease is over, anybody can take it.")];
}

/**
 * @param {Desk} desk
 * @param {Part} part
 */
function priority(desk, part) {
  const change = (/** @type {string} */ priority) => desk.act(part, { set: { priority } });
  return choice("Priority", ["high", "medium", "low"], desk.task.priority, change);
}

/**
 * Return a part that lists values, each with a button that removes it, and a form that adds one.
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.list the field of the task
 * @param {string} options.label that of the form's field
 * @param {(value: any) => any} options.item draws a value
 * @param {(value: any) => string} options.key names a value
 * @param {string} [options.none] shown if there is none
 * @param {(text: string) => any} [options.added] what is sent to add a text
 * @param {(value: any) => any} [options.removed] what is sent to remove a value
 * @param {(desk: Desk) => any} [options.more] drawn below the list
 * @returns {PartDefinition}
 */
function listPart({ title, list, label, item, key, none = "None.", added = (text) => text, removed = key, more }) {
  const slice = (/** @type {Desk} */ { task, bundle }) =>
    [task[list], bundle?.remarks, task.blocks, task.parent_id, task.subtasks];
  const draw = (/** @type {Desk} */ desk, /** @type {Part} */ part) => {
    const line = (one) => el("li", el("div.row", item(one), part.removeButton(key(one), { [list]: [removed(one)] })),
      list === "connected_files" && remarksOn(desk, one.path));
    const found = desk.task[list] ?? [];
    const add = part.formButton("Add", {
      fields: [{ name: "text", label, required: true }], save: "Add",
      change: ({ text }) => ({ add: { [list]: [added(text)] } }),
    }, `Add to ${title.toLowerCase()}`);
    return [found.length ? el("ul.plain-list", found.map(line)) : quiet(none), more?.(desk), add];
  };
  return [title, slice, draw];
}

/**
 * @param {Desk} desk
 * @param {string} path
 */
function remarksOn({ bundle }, path) {
  const found = (bundle?.remarks ?? []).filter((/** @type {any} */ remark) => remark.file === path);
  const names = { comment: "note", message: "remark" };
  const line = ({ kind, text, line: at, author, state }) => el("li",
    el("a", { href: codeAddress(path, at), title: text }, names[kind] ?? kind, at && ` at ${at}`),
    quiet(` ${[author, text].filter(Boolean).join(": ")}`, state === "orphaned" && " (its code is gone)"));
  return found.length > 0 && el("ul.plain-list.remarks", found.map(line));
}

/**
 * @param {string} id
 * @param {string} more
 */
const taskLink = (id, more = "") => el("a", { href: `/task/${id}` }, id, quiet(more));

function linkTo({ kind, ref, uri }) {
  if (kind === "comment") return codeAddress(ref.replace(/#[^#]*$/, ""));
  if (kind === "commit") return commitAddress(ref);
  return ADDRESSES[kind] ? `${ADDRESSES[kind]}/${encodeURIComponent(ref)}` : uri;
}

const LABELS = listPart({
  title: "Labels", list: "labels", label: "Label", item: (name) => el("span.tag", name), key: (name) => name,
});

const LINKS = listPart({
  title: "Links", list: "links", label: "Address: a page, an issue, a message or a note",
  item: (link) => el("a.one-line", { href: linkTo(link), rel: "noopener noreferrer", title: link.uri ?? link.ref },
    `${link.kind}: ${link.title ?? link.ref}`),
  added: (uri) => ({ uri }),
  key: ({ ref }) => ref,
  removed: ({ kind, ref }) => ({ kind, ref }),
});

const DEPENDENCIES = listPart({
  title: "Waits for", list: "depends_on", none: "No other task.", label: "Task, such as TP-3",
  item: ({ id, kind, status }) => taskLink(id, ` ${kind === "blocks" ? "" : `${kind.replace("_", " ")}, `}${status}`),
  added: (text) => text.toUpperCase(),
  key: ({ id }) => id,
  more: ({ task: { blocks, parent_id: parent, subtasks = [] } }) => Object.entries({
    Blocks: blocks ?? [], "Part of": parent ? [parent] : [], Parts: subtasks.map(({ id }) => id),
  }).map(([text, ids]) => ids.length > 0 && el("div.row.wrap", quiet(text), ids.map((id) => taskLink(id)))),
});

const FILES = listPart({
  title: "Files", list: "connected_files", label: "Path, such as src/a.py:10-20",
  item: ({ path, line_start: first, line_end: last }) =>
    el("a.mono.one-line", { href: codeAddress(path, first, last), title: path }, path, first ? `:${first}` : ""),
  key: ({ path }) => path,
});

/**
 * @param {Desk} desk
 * @param {Part} part
 */
function milestone(desk, part) {
  const { milestone = "" } = desk.task;
  const isSame = ({ kind, ref, title }) => kind === "milestone" && [ref, title].includes(milestone);
  const known = desk.bundle?.remarks?.find(isSame);
  const fields = [{ name: "milestone", label: "Milestone; empty for none", value: milestone }];
  const name = milestone ? el("span", milestone) : quiet("None.");
  return [known ? el("a", { href: linkTo(known) }, known.title ?? milestone) : name,
    part.formButton("Change", { fields, change: (values) => ({ set: values }) }, "Change milestone")];
}

/** @param {Desk} desk */
const commits = ({ bundle }) => bundle?.remarks?.filter((/** @type {any} */ remark) => remark.kind === "commit") ?? [];
const commitLink = ({ ref, text }) =>
  el("a.one-line", { href: commitAddress(ref), title: text }, el("span.mono", ref.slice(0, 8)), ` ${text}`);

/**
 * The parts of the side column.
 * @type {PartDefinition[]}
 */
export const SIDE = [
  ["Status", ({ task, card, state }) => [task.status, task.ready, card?.lacks, task.blocked_by, state], status],
  ["Holder", ({ task }) => [task.claim, task.status], holder],
  ["Priority", ({ task }) => task.priority, priority],
  LABELS,
  ["Milestone", ({ task, bundle }) => [task.milestone, bundle?.remarks], milestone],
  DEPENDENCIES, FILES, LINKS,
  ["Commits", commits, (desk) => commits(desk).map(commitLink)],
];
