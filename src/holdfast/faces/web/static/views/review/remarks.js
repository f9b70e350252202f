// Remarks on lines: how one is written down so that it finds its line again, its state in words, its thread.

import { el, fill } from "../../dom.js";
import { get, post } from "../../api.js";
import { ago } from "../../time.js";
import { failure } from "../../view.js";
import { address } from "../../router.js";

const QUOTED = 12;
const FORM = /^About (?<where>[^\n]+?), (?<removed>removed )?lines? (?<from>\d+)(?:-(?<to>\d+))?:\n(?<quote>(?:>[^\n]*\n)*)\n(?<text>.*)$/s;
const REPLY = /^In reply to (?<id>m_[0-9a-f]{16}):\n\n(?<text>.*)$/s;

/** Return what selected rows are about: lines of the new side, or removed ones where no other is selected. */
export function anchorOf(file, rows, where) {
  const side = rows.some((row) => row.new !== null) ? "new" : "old";
  const own = rows.filter((row) => row[side] !== null);
  return { file, where, side, from: own[0][side], to: own.at(-1)[side], near: rows[0].near, quote: own.slice(0, QUOTED).map((row) => row.texts[side]) };
}

/** Return the message of a remark: its place in plain words and the lines quoted, then what was said. */
export function messageOf({ file, where, side, from, to, near, quote, text }) {
  const lines = from === to ? `${from}` : `${from}-${to}`;
  const head = `About ${where}, ${side === "old" ? "removed " : ""}line${from === to ? "" : "s"} ${lines}:`;
  const line = side === "new" ? lines : near ? `${near}` : null;
  return { file, line, comment: [head, ...quote.map((one) => `> ${one}`), "", text].join("\n") };
}

/** Return threads from messages: follow-ups belong to the message that they answer. */
export function threadsOf(messages) {
  const threads = new Map();
  for (const message of messages) {
    const reply = message.comment.match(REPLY)?.groups;
    const thread = reply && threads.get(reply.id);
    if (thread) thread.messages.push({ ...message, text: reply.text });
    else threads.set(message.id, { id: message.id, file: message.file, messages: [read(message)], ...anchor(message) });
  }
  return [...threads.values()];
}

function read(message) {
  return { ...message, text: message.comment.match(FORM)?.groups.text ?? message.comment };
}

function anchor(message) {
  const found = message.comment.match(FORM)?.groups;
  const [from, to] = found ? [found.from, found.to] : (message.line ?? "").split("-");
  if (!from) return { side: "new", from: null, to: null, quote: [] };
  const quote = (found?.quote ?? "").split("\n").slice(0, -1).map((line) => line.slice(2));
  return { side: found?.removed ? "old" : "new", from: Number(from), to: Number(to ?? from), quote, where: found?.where };
}

/** Return the row under which a remark belongs, or null, and whether its lines changed since. */
export function find(rows, { side, from, to, quote }) {
  const own = rows.filter((row) => row[side] !== null);
  const matches = own.map((_, at) => at).filter((at) => quote.length && quote.every((text, step) => same(own[at + step], own[at], side, step, text)));
  const length = Math.max(0, to - from);
  const nearest = matches.sort((one, other) => Math.abs(own[one][side] - from) - Math.abs(own[other][side] - from))[0];
  if (nearest !== undefined) return { row: own[Math.min(nearest + length, own.length - 1)], changed: false };
  const there = own.filter((row) => row[side] <= to).at(-1);
  const inside = there && own.some((row) => row.hunk === there.hunk && row[side] >= to);
  return { row: inside ? there : null, changed: Boolean(inside) && quote.length > 0 };
}

function same(row, first, side, step, text) {
  return row !== undefined && row[side] === first[side] + step && row.texts[side].trimEnd() === text.trimEnd();
}

/** Return a thread's state in words, with the look of its tag. */
export function stateOf(thread) {
  const last = thread.messages.at(-1);
  if (last.replies) return ["answered", "ok"];
  return last.state === "delivered" ? ["with the agent", "info"] : ["waiting", ""];
}

/** Return a thread: what was said, its state, the answers, and a place to say more. */
export function threadNode(thread, changed, { done, view }) {
  const [state, look] = stateOf(thread);
  const answers = el("div", { class: "stack" });
  const said = thread.messages.map((message) => [entry(message.author ?? "you", message.time, message.text), el("div", { class: "stack", dataset: { replies: message.id } })]);
  const node = el("article", { class: "remark card stack", "aria-label": `Remark on ${thread.file}`, dataset: { thread: thread.id } },
    el("div", { class: "row" }, el("span", { class: `tag ${look}` }, state), changed && el("span", { class: "tag attention" }, "the line has changed since")),
    changed && el("pre", {}, thread.quote.join("\n")), said, answers,
    el("div", { class: "row" }, button("Reply", () => replyForm(answers, thread, view)), state === "answered" && button("Done with it", done)));
  node.about = thread.id;
  for (const message of thread.messages.filter((one) => one.replies)) showReplies(node, message, view);
  return node;
}

async function showReplies(node, message, view) {
  const { replies } = await get("inbox/show_message", { message_id: message.id }, { signal: view.signal }).catch(() => ({ replies: [] }));
  fill(node.querySelector(`[data-replies="${message.id}"]`), replies.map((reply) => entry(reply.author, reply.time, reply.text)));
}

function entry(author, time, text) {
  return el("div", {}, el("div", { class: "row" }, el("strong", {}, author), ago(time)), el("div", { class: "said" }, text));
}

function button(text, click, look = "plain") {
  return el("button", { class: `button ${look}`, type: "button", on: { click } }, text);
}

/** Open a field for another word in a thread; it reaches the agent as a message of its own. */
function replyForm(where, thread, view) {
  const field = el("textarea", { "aria-label": "Reply to the thread" });
  const trouble = el("div");
  const send = async () => {
    const comment = `In reply to ${thread.id}:\n\n${field.value.trim()}`;
    const { file, line } = thread.messages[0];
    if (field.value.trim()) await post("inbox/send_message", { file, line, comment }).then(() => fill(where), (problem) => view.fail(trouble, problem));
  };
  fill(where, field, el("div", { class: "row" }, button("Send reply", send, "primary"), button("Cancel", () => fill(where))), trouble);
  keys(field, send, () => fill(where));
  field.focus();
}

/** Return a draft: a form while it is being written, else its text. */
export function draftNode(draft, { save, send, remove }) {
  const lines = draft.from === draft.to ? `line ${draft.from}` : `lines ${draft.from}–${draft.to}`;
  const trouble = el("div", { class: "stack" }, draft.problem ? failure(draft.problem) : null);
  const keep = () => (draft.text.trim() ? save({ editing: false }) : remove());
  const field = el("textarea", {
    "aria-label": `Remark on ${lines} of ${draft.file}`, placeholder: "What should the agent change, or explain?", value: draft.text,
    on: { input: () => save({ text: field.value }, true) },
  });
  keys(field, send, keep);
  const node = el("article", { class: "remark card stack", "aria-label": `Draft on ${draft.file}` }, draft.editing
    ? [field, trouble, el("div", { class: "row" }, button("Send", send, "primary"), button("Keep as draft", keep, ""), button("Cancel", remove), el("span", { class: "quiet hint" }, "Ctrl-Enter sends, Esc keeps it"))]
    : [el("div", { class: "row" }, el("span", { class: "tag" }, "draft"), el("span", { class: "quiet" }, lines)), el("div", { class: "said" }, draft.text), trouble,
      el("div", { class: "row" }, button("Send", send, "primary"), button("Edit", () => save({ editing: true })), button("Delete", remove))]);
  node.about = draft;
  return node;
}

function keys(field, send, leave) {
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  });
}

/** Return threads that have no line to stand at, each with a link to its place. */
export function elsewhere(threads, options) {
  return threads.map((thread) => el("div", { class: "stack" },
    el("a", { class: "mono", href: `${address("/code", thread.file)}${thread.from ? `#L${thread.from}` : ""}` }, thread.from ? `${thread.file}:${thread.from}` : thread.file),
    threadNode(thread, false, options(thread))));
}
