// Remarks on lines: how one is written down so that it finds its line again, its state in words, its thread.

import { get, post } from "../../api.js";
import { button, codeLink, plain, quiet, sentByKeys } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { ago } from "../../time.js";
import { failure } from "../../view.js";

const QUOTED = 12;
const FORM = /^About [^\n]+?, (?<removed>removed )?lines? (?<from>\d+)(?:-(?<to>\d+))?:\n(?<quote>(?:>[^\n]*\n)*)\n(?<text>.*)$/s;
const REPLY = /^In reply to (?<id>m_[0-9a-f]{16}):\n\n(?<text>.*)$/s;
const PRIMARY = { class: "button primary" };

/** Return what selected rows are about: lines of the new side, or removed ones where no other is selected. */
export function anchorOf(file, rows, where) {
  const side = rows.some((row) => row.new !== null) ? "new" : "old";
  const own = rows.filter((row) => row[side] !== null);
  const quote = own.slice(0, QUOTED).map((row) => row.texts[side]);
  return { file, where, side, from: own[0][side], to: own.at(-1)[side], near: rows[0].near, quote };
}

/** Return the message of a remark: its place in plain words and the lines quoted, then what was said. */
export function messageOf({ file, where, side, from, to, near, quote, text }) {
  const lines = from === to ? `${from}` : `${from}-${to}`;
  const head = `About ${where}, ${side === "old" ? "removed " : ""}line${from === to ? "" : "s"} ${lines}:`;
  const line = side === "new" ? lines : near ? `${near}` : null;
  return { file, line, comment: [head, ...quote.map((one) => `> ${one}`), "", text.trim()].join("\n") };
}

/** Return threads from messages: follow-ups belong to the message that they answer. */
export function threadsOf(messages) {
  const threads = new Map();
  for (const message of messages) {
    const reply = message.comment.match(REPLY)?.groups;
    const thread = reply && threads.get(reply.id);
    if (thread) thread.messages.push({ ...message, text: reply.text });
    else threads.set(message.id, begun(message));
  }
  return [...threads.values()];
}

function begun(message) {
  const found = message.comment.match(FORM)?.groups;
  const [from, to] = found ? [found.from, found.to] : (message.line ?? "").split("-");
  return {
    id: message.id,
    file: message.file,
    messages: [{ ...message, text: found?.text ?? message.comment }],
    side: found?.removed ? "old" : "new",
    from: Number(from) || null,
    to: Number(to ?? from) || null,
    quote: (found?.quote ?? "").split("\n").slice(0, -1).map((line) => line.slice(2)),
  };
}

/** Return the row under which a remark belongs, or null, and whether its lines changed since. */
export function find(rows, { side, from, to, quote }) {
  const own = rows.filter((row) => row[side] !== null);
  const isQuoted = (at) => quote.length && quote.every((text, step) => {
    const row = own[at + step];
    return row?.[side] === own[at][side] + step && row.texts[side].trimEnd() === text.trimEnd();
  });
  const distance = (at) => Math.abs(own[at][side] - from);
  const [nearest] = own.map((_, at) => at).filter(isQuoted).sort((one, other) => distance(one) - distance(other));
  if (nearest !== undefined) return { row: own[Math.min(nearest + to - from, own.length - 1)], changed: false };
  const there = own.findLast((row) => row[side] <= to);
  const inside = there && own.some((row) => row.hunk === there.hunk && row[side] >= to);
  return { row: inside ? there : null, changed: Boolean(inside) && quote.length > 0 };
}

/** Return a thread: what was said, its state, the answers, and a place to say more. */
export function threadNode(thread, changed, { done, view }) {
  const last = thread.messages.at(-1);
  const [state, look] = last.replies ? ["answered", "ok"] : last.state === "delivered" ? ["with the agent", "info"] : ["waiting", ""];
  const place = el("div", { class: "stack" });
  const node = el("article", { class: "remark card stack", "aria-label": `Remark on ${thread.file}`, dataset: { thread: thread.id } },
    el("div", { class: "row" }, el("span", { class: `tag ${look}` }, state),
      changed && el("span", { class: "tag attention" }, "the line has changed since")),
    changed && el("pre", {}, thread.quote.join("\n")), thread.messages.map((message) => [entry(message), answersTo(message, view)]), place,
    el("div", { class: "row" }, plain("Reply", () => openReply(place, thread, view)), last.replies > 0 && plain("Done with it", done)));
  node.about = thread.id;
  return node;
}

function answersTo({ id, replies: count }, view) {
  const place = el("div", { class: "stack" });
  const asked = count && get("inbox/show_message", { message_id: id }, { signal: view.signal });
  if (asked) asked.then(({ replies }) => fill(place, replies.map(entry)), (problem) => view.fail(place, problem));
  return place;
}

function entry({ author, time, text }) {
  return el("div", {}, el("div", { class: "row" }, el("strong", {}, author ?? "you"), ago(time)), el("div", { class: "said" }, text));
}

/** Open a field for another word in a thread; it reaches the agent as a message of its own. */
function openReply(where, thread, view) {
  const field = el("textarea", { "aria-label": "Reply to the thread" });
  const trouble = el("div");
  const close = () => fill(where);
  const send = async () => {
    const { file, line } = thread.messages[0];
    const message = { file, line, comment: `In reply to ${thread.id}:\n\n${field.value.trim()}` };
    if (field.value.trim()) await view.attempt(trouble, () => post("inbox/send_message", message).then(close));
  };
  fill(where, field, el("div", { class: "row" }, button("Send reply", send, PRIMARY), plain("Cancel", close)), trouble);
  sentByKeys(field, send, close);
  field.focus();
}

/** Return a draft: a form while it is being written, else its text. */
export function draftNode(draft, { save, send, remove }) {
  const lines = draft.from === draft.to ? `line ${draft.from}` : `lines ${draft.from}–${draft.to}`;
  const trouble = draft.problem && failure(draft.problem);
  const sending = button("Send", send, PRIMARY);
  const keep = () => (draft.text.trim() ? save({ editing: false }) : remove());
  const form = () => {
    const field = el("textarea", {
      "aria-label": `Remark on ${lines} of ${draft.file}`, placeholder: "What should the agent change, or explain?", value: draft.text,
      on: { input: () => save({ text: field.value }, true) },
    });
    sentByKeys(field, send, keep);
    const hint = el("span", { class: "quiet hint" }, "Ctrl-Enter sends, Esc keeps it");
    return [field, trouble, el("div", { class: "row" }, sending, button("Keep as draft", keep), plain("Cancel", remove), hint)];
  };
  const written = () => [el("div", { class: "row" }, el("span", { class: "tag" }, "draft"), quiet(lines)),
    el("div", { class: "said" }, draft.text), trouble,
    el("div", { class: "row" }, sending, plain("Edit", () => save({ editing: true })), plain("Delete", remove))];
  const node = el("article", { class: "remark card stack", "aria-label": `Draft on ${draft.file}` }, draft.editing ? form() : written());
  node.about = draft;
  return node;
}

/** Return a thread that has no line to stand at, with a link to its place. */
export function elsewhere(thread, options) {
  return el("div", { class: "stack" }, codeLink(thread.file, thread.from), threadNode(thread, false, options));
}
