// The left side of a task: description, criteria with evidence, notes, attachments, history.

import { get } from "../../api.js";
import { ago, bar, button, commitAddress, el, fill, plain, quiet } from "../../dom.js";
import { markdown } from "../../markdown.js";
import { told } from "../activity/agents.js";

const LONGEST_TITLE = 200;
const MOST_BYTES = 512 * 1024;
const PICTURE = /^image\/(png|jpeg|gif|webp|avif)$/;
const RUN = new Set(["test", "gate"]); // evidence that is a command which ended somehow

/** Let somebody edit title and description, in the place of the description. */
export function openText(desk) {
  const [part] = desk.parts; // the description
  if (part.node.querySelector("form")) return;
  const { title, description } = desk.task;
  part.form(part.body, {
    fields: [{ name: "title", label: "Title", value: title, required: true, maxlength: LONGEST_TITLE },
      { name: "description", label: "Description, in Markdown", kind: "textarea", value: description, rows: 12 }],
    change: (values) => ({ set: values }),
  });
}

/** Return a part for a long text that is edited as its source. */
function longText(name, title) {
  const draw = ({ task: { [name]: value } }, part) => {
    const fields = [{ name, label: `${title}, in Markdown`, kind: "textarea", value, rows: 6 }];
    const edit = { fields, change: (values) => ({ set: values }) };
    return value ? [markdown(value), part.ask("Edit", edit, `Edit ${title.toLowerCase()}`)] : null;
  };
  return [title, ({ task }) => task[name], draw];
}

const description = ({ task: { description: text } }) =>
  (text ? markdown(text) : el("p.quiet", "No description yet. Press ", el("kbd", "e"), " to write one."));

function criteria(desk, part) {
  const { criteria = [], evidence = [] } = desk.task;
  const met = criteria.filter((item) => item.checked).length;
  const others = evidence.filter((item) => !criteria.some(({ text }) => text === item.criterion));
  const fields = [{ name: "text", label: "What has to be true", required: true, maxlength: 200 }];
  const share = Math.round((100 * met) / criteria.length);
  return [
    criteria.length
      ? el("div.progress.quiet", bar("Criteria met", share), `${met} of ${criteria.length}`)
      : el("p.quiet", "Nothing has to be true yet before this task is done."),
    el("ul.plain-list.stack", criteria.map((item) => criterion(desk, part, item, evidence))),
    others.length > 0 && el("div.row.wrap.quiet", "Other evidence: ", others.map(proof)),
    part.ask("Add a criterion", { fields, save: "Add", change: ({ text }) => ({ add: { criteria: [text] } }) }),
  ];
}

function criterion(desk, part, { text, checked }, evidence) {
  const below = el("div");
  const turn = async ({ target }) => {
    if (!target.checked) return desk.act(part, () => unchecked(desk.task.criteria, text));
    if (!desk.bundle) {
      target.checked = false;
      await desk.lookAround().catch(() => {}); // who cannot know asks for evidence
    }
    if (desk.bundle && desk.bundle.done_gate !== "evidence") return desk.act(part, { check: [text] });
    target.checked = false; // until there is an answer
    if (below.hasChildNodes()) return;
    const ended = (kind) => (below.querySelector("[name=exit_status]").parentNode.hidden = !RUN.has(kind));
    const proven = ({ kind, ref, exit_status: status }) =>
      ({ kind, ref, criterion: text, ...(RUN.has(kind) && { exit_status: Number(status) }) });
    part.form(below, {
      fields: [{ name: "kind", label: "Evidence", options: ["test", "commit", "gate", "note"], change: ended },
        { name: "ref", label: "The command, the commit or the note; leave it empty to check without", maxlength: 200 },
        { name: "exit_status", label: "How the command ended; 0 is success", type: "number", value: "0" }],
      save: "Check",
      change: (values) => ({ check: [text], evidence: values.ref ? [proven(values)] : [] }),
      back: text,
    });
  };
  const box = el("input", { type: "checkbox", checked, dataset: { focus: text }, on: { change: turn } });
  const proofs = evidence.filter((item) => item.criterion === text).map(proof);
  return el("li.criterion", el("label", box, el("span", text)), el("span.row.wrap", proofs),
    part.remover(`criterion: ${text}`, { criteria: [text] }), below);
}

/** Return the change that takes a check away: the rest is removed and put back in its order, as it was. */
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

function history(desk, part) {
  const list = el("ol.plain-list.history"), more = el("div");
  const line = (event) => el("li", ago(event.at), " ", el("strong", event.actor), " ", told(event, "it"),
    event.reason && quiet(` — ${event.reason}`));
  const append = ({ events, next_cursor: cursor }) => {
    list.append(...events.map(line));
    desk.told = Math.max(desk.told, Math.min(200, list.childElementCount)); // as many are read again
    fill(more, cursor && button("Older", () => older(cursor).then(append, (problem) => part.fail(problem))));
  };
  const older = (cursor) => get("tasks/taskpilot_events", { task_id: desk.id, limit: 100, cursor }, desk.view);
  append(desk.history);
  return [list, more];
}

// Files that people put on a task: listed, opened in place, added by choosing one.

const size = (bytes) => (bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} kB`);

function attachments(desk, part) {
  const change = ({ target }) => target.files[0] && attach(desk, part, target.files[0]);
  const line = (item) => {
    const below = el("div");
    const open = plain("Open", () => show(desk, part, item, below), { "aria-label": `Open ${item.name}` });
    const facts = quiet(`${item.mime} · ${size(item.size)}`);
    return el("li", el("div.row", el("span.one-line", item.name), facts, open), below);
  };
  return [el("ul.plain-list.stack", (desk.task.attachments ?? []).map(line)),
    el("div", el("input", { type: "file", id: "attach", class: "visually-hidden", on: { change } }),
      el("label.button.plain", { for: "attach" }, "Attach a file"))];
}

async function attach(desk, part, file) {
  const message = `${file.name} has ${size(file.size)}; at most ${size(MOST_BYTES)} are kept.`;
  if (file.size > MOST_BYTES) return part.fail({ message, hint: "Attach a smaller file." });
  const characters = Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte));
  await desk.act(part, { name: file.name, data: btoa(characters.join("")) }, "taskpilot_attach");
}

function show(desk, part, { name, mime }, below) {
  return desk.view.attempt(part.notice, async () => {
    const { text, data } = await get("tasks/taskpilot_attachment", { task_id: desk.id, name }, desk.view);
    if (text !== undefined) return fill(below, el("pre", text));
    const large = "It is too large to be shown here; agents read it as a resource.";
    if (data === undefined) return fill(below, el("p.quiet", large));
    // A picture's bytes come from this server and stay in the page: nothing is asked of any other.
    if (PICTURE.test(mime)) return fill(below, el("img.picture", { src: `data:${mime};base64,${data}`, alt: name }));
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const link = el("a.button", { download: name }, `Save ${name}`);
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    fill(below, link);
  });
}

/** The parts, each with its title, what of the task it shows, and what draws it. */
export const MAIN = [
  ["Description", ({ task }) => task.description, description],
  ["Criteria", ({ task }) => [task.criteria, task.evidence], criteria],
  longText("plan", "Plan"), longText("notes", "Notes"),
  ["Attachments", ({ task }) => task.attachments, attachments],
  ["History", (desk) => desk.history, history],
];
