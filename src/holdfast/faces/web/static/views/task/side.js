// The right side of a task: state, holder, priority, labels, milestone, links, dependencies, files, commits.

import { el } from "../../dom.js";
import { address } from "../../router.js";
import { lease } from "../activity/agents.js";

const PRIORITIES = ["high", "medium", "low"];
const MOST_LACKS = 4;
const ADDRESSES = { issue: "/issues", milestone: "/issues", task: "/task" };

function choice(part, label, value, options, change) {
  const node = el("select", { "aria-label": label, dataset: { focus: label }, on: { change } }, options.map((option) => el("option", { value: option }, option)));
  node.value = value;
  return node;
}

const STATUS = {
  title: "Status",
  slice: ({ task, card, column }) => [task.status, task.ready, card?.lacks, task.blocked_by, column],
  draw: (desk, part) => {
    const { status, blocked_by: blockers = [] } = desk.task;
    const below = el("div", {});
    const move = ({ target }) => {
      if (!desk.column.with_reason?.includes(target.value)) return desk.act(part, { set: { status: target.value } });
      const wanted = target.value;
      const label = `Why is it ${wanted === "blocked" ? "blocked" : "opened again"}?`;
      return part.form(below, { fields: [{ name: "reason", label, required: true }], save: "Move", change: ({ reason }) => ({ set: { status: wanted }, reason }), back: "Status" });
    };
    const lacks = (["in-progress", "review"].includes(status) && desk.card?.lacks) || [];
    const rest = lacks.length > MOST_LACKS ? `; and ${lacks.length - MOST_LACKS} more` : "";
    return [choice(part, "Status", status, [status, ...desk.column.goes_to], move),
      desk.task.ready ? el("span", { class: "quiet" }, "Ready: nothing is in its way.") : null,
      blockers.length ? el("span", { class: "quiet" }, `Waits for ${blockers.join(", ")}.`) : null,
      lacks.length ? el("span", { class: "quiet" }, `Before done: ${lacks.slice(0, MOST_LACKS).join("; ")}${rest}.`) : null, below];
  },
};

const HOLDER = {
  title: "Holder",
  slice: ({ task }) => [task.claim, task.status],
  draw: (desk, part) => {
    const { claim, status } = desk.task;
    const act = (action) => () => desk.act(part, { action }, "taskpilot_claim");
    if (!claim) return [el("span", { class: "quiet" }, "Nobody."), ["done", "dropped"].includes(status) ? null : el("div", {}, part.button("Claim", act("take")))];
    const handOver = {
      fields: [{ name: "note", label: "For who goes on", kind: "textarea" }], save: "Hand over", operation: "taskpilot_claim", back: "Claim",
      change: ({ note }) => ({ action: "handoff", ...(note && { note }) }),
    };
    return [el("strong", {}, claim.agent), lease(claim.since, claim.expires_at),
      claim.token ? el("div", { class: "row wrap" }, part.button("Release", act("release")), part.button("Renew", act("renew")), part.ask("Hand over", handOver, { class: "button" }))
        : el("span", { class: "quiet" }, "Only the holder gives it back; once the lease is over, anybody can take it.")];
  },
};

const PRIORITY = {
  title: "Priority",
  slice: ({ task }) => task.priority,
  draw: (desk, part) => choice(part, "Priority", desk.task.priority, PRIORITIES, ({ target }) => desk.act(part, { set: { priority: target.value } })),
};

/** Return a part that lists things, each with a button that takes it away, and a form that adds one. */
function listed({ title, list, items, none, label, added, removed, more = () => null }) {
  return {
    title,
    slice: ({ task, bundle }) => [task[list], bundle?.remarks, task.blocks, task.parent_id, task.subtasks],
    draw: (desk, part) => {
      const found = (desk.task[list] ?? []).map((item) => {
        const { name, node } = items(item, desk);
        const remove = () => desk.act(part, { remove: { [list]: [removed(item)] } });
        return el("li", {}, el("div", { class: "row" }, node, part.button("✕", remove, { class: "button plain", "aria-label": `Remove ${name}` })),
          remarksOn(desk, list === "connected_files" && item.path));
      });
      const add = { fields: [{ name: "text", label, required: true }], save: "Add", change: ({ text }) => ({ add: { [list]: [added(text)] } }) };
      return [found.length ? el("ul", { class: "plain-list" }, found) : el("span", { class: "quiet" }, none), more(desk),
        part.ask("Add", add, { "aria-label": `Add to ${title.toLowerCase()}` })];
    },
  };
}

function remarksOn(desk, path) {
  const found = path ? (desk.bundle?.remarks ?? []).filter((remark) => remark.file === path) : [];
  return found.length ? el("ul", { class: "plain-list remarks" }, found.map(({ kind, text, line, author, state }) => el("li", {},
    el("a", { href: `${address("/code", path)}${line ? `#L${line}` : ""}`, title: text }, `${{ comment: "note", message: "remark" }[kind] ?? kind}${line ? ` at ${line}` : ""}`),
    el("span", { class: "quiet" }, ` ${[author, text].filter(Boolean).join(": ")}${state === "orphaned" ? " (its code is gone)" : ""}`)))) : null;
}

const taskLink = (id, more = "") => el("a", { href: `/task/${id}` }, id, el("span", { class: "quiet" }, more));

function linkTo({ kind, ref, uri }) {
  if (kind === "comment") return `${address("/code", ref.replace(/#[^#]*$/, ""))}`;
  if (kind === "commit") return `/review?what=commit&revision=${encodeURIComponent(ref)}`;
  return ADDRESSES[kind] ? `${ADDRESSES[kind]}/${encodeURIComponent(ref)}` : uri;
}

const LABELS = listed({ title: "Labels", list: "labels", none: "None.", label: "Label", items: (name) => ({ name, node: el("span", { class: "tag" }, name) }), added: (text) => text, removed: (name) => name });

const LINKS = listed({
  title: "Links", list: "links", none: "None.", label: "Address: a page, an issue, a message or a note",
  items: (link) => ({ name: link.ref, node: el("a", { class: "one-line", href: linkTo(link), rel: "noopener noreferrer", title: link.uri ?? link.ref }, `${link.kind}: ${link.title ?? link.ref}`) }),
  added: (uri) => ({ uri }),
  removed: ({ kind, ref }) => ({ kind, ref }),
});

const WAITS = listed({
  title: "Waits for", list: "depends_on", none: "No other task.", label: "Task, such as TP-3",
  items: ({ id, kind, status }) => ({ name: id, node: taskLink(id, ` ${kind === "blocks" ? status : `${kind.replace("_", " ")}, ${status}`}`) }),
  added: (text) => text.toUpperCase(),
  removed: ({ id }) => id,
  more: ({ task }) => [["Blocks", task.blocks], ["Part of", task.parent_id && [task.parent_id]], ["Parts", task.subtasks?.map((item) => item.id)]].filter(([, ids]) => ids?.length)
    .map(([text, ids]) => el("div", { class: "row wrap" }, el("span", { class: "quiet" }, text), ids.map((id) => taskLink(id)))),
});

const FILES = listed({
  title: "Files", list: "connected_files", none: "None.", label: "Path, such as src/a.py:10-20",
  items: ({ path, line_start: first, line_end: last }) => {
    const lines = first ? `#L${first}${last > first ? `-L${last}` : ""}` : "";
    return { name: path, node: el("a", { class: "mono one-line", href: address("/code", path) + lines, title: path }, path, first ? `:${first}` : "") };
  },
  added: (text) => text,
  removed: ({ path }) => path,
});

const MILESTONE = {
  title: "Milestone",
  slice: ({ task, bundle }) => [task.milestone, bundle?.remarks],
  draw: (desk, part) => {
    const { milestone = "" } = desk.task;
    const known = desk.bundle?.remarks?.find((remark) => remark.kind === "milestone" && (remark.ref === milestone || remark.title === milestone));
    const name = known ? el("a", { href: `/issues/${encodeURIComponent(known.ref)}` }, known.title ?? milestone) : el("span", { class: milestone ? "" : "quiet" }, milestone || "None.");
    return [name, part.ask("Change", { fields: [{ name: "milestone", label: "Milestone; empty for none", value: milestone }], change: (values) => ({ set: values }) }, { "aria-label": "Change milestone" })];
  },
};

const COMMITS = {
  title: "Commits",
  slice: ({ bundle }) => bundle?.remarks?.filter((remark) => remark.kind === "commit"),
  draw: ({ bundle }) => (bundle?.remarks ?? []).filter((remark) => remark.kind === "commit")
    .map(({ ref, text }) => el("a", { class: "one-line", href: linkTo({ kind: "commit", ref }), title: text }, el("span", { class: "mono" }, ref.slice(0, 8)), ` ${text}`)),
};

export const SIDE = [STATUS, HOLDER, PRIORITY, LABELS, MILESTONE, WAITS, FILES, LINKS, COMMITS];
