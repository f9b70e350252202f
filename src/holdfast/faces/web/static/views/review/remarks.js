// Remarks on lines: how one is written down so that it finds its line again, its state in words, its thread.

import { get, post } from "../../api.js";
import { ago, button, codeLink, el, failure, fill, form, plain, primary, quiet, sentByKeys } from "../../dom.js";

const QUOTED = 12;
const PLACE = /^About [^\n]+?, (?<removed>removed )?lines? (?<from>\d+)(?:-(?<to>\d+))?:\n/;
const QUOTE = /(?<quote>(?:>[^\n]*\n)*)\n(?<text>.*)$/;
const FORM = new RegExp(PLACE.source + QUOTE.source, "s");
const REPLY = /^In reply to (?<id>m_[0-9a-f]{16}):\n\n(?<text>.*)$/s;

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
  const waiting = last.state === "delivered" ? el("span.tag.info", "with the agent") : el("span.tag", "waiting");
  const place = el("div.stack");
  const reply = plain("Reply", () => openReply(place, thread));
  const named = { "aria-label": `Remark on ${thread.file}`, dataset: { thread: thread.id } };
  const node = el("article.remark.card.stack", named,
    el("div.row", last.replies ? el("span.tag.ok", "answered") : waiting,
      changed && el("span.tag.attention", "the line has changed since")),
    changed && el("pre", thread.quote.join("\n")),
    thread.messages.map((message) => [entry(message), answersTo(message, view)]), place,
    el("div.row", reply, last.replies > 0 && plain("Done with it", done)));
  node.about = thread.id;
  return node;
}

function answersTo({ id, replies: count }, view) {
  const place = el("div.stack");
  const asked = count && get("inbox/show_message", { message_id: id }, view);
  if (asked) asked.then(({ replies }) => fill(place, replies.map(entry)), (problem) => view.fail(place, problem));
  return place;
}

const entry = ({ author, time, text }) =>
  el("div", el("div.row", el("strong", author ?? "you"), ago(time)), el("div.said", text));

/** Open a field for another word in a thread; it reaches the agent as a message of its own. */
function openReply(where, thread) {
  const area = el("textarea", { name: "text", "aria-label": "Reply to the thread" });
  const cancel = () => fill(where);
  const send = async ({ text }) => {
    if (!text.trim()) return;
    const { file, line } = thread.messages[0];
    await post("inbox/send_message", { file, line, comment: `In reply to ${thread.id}:\n\n${text.trim()}` });
    cancel();
  };
  fill(where, form(area, { verb: "Send reply", send, cancel, keep: `reply ${thread.id}` }));
  area.focus();
}

/** Return a draft: a form while it is being written, else its text. */
export function draftNode(draft, { save, send, remove }) {
  const lines = draft.from === draft.to ? `line ${draft.from}` : `lines ${draft.from}–${draft.to}`;
  const trouble = draft.problem && failure(draft.problem);
  const sending = primary("Send", send);
  const keep = () => (draft.text.trim() ? save({ editing: false }) : remove());
  const writing = () => {
    const area = el("textarea", {
      "aria-label": `Remark on ${lines} of ${draft.file}`, placeholder: "What should the agent change, or explain?",
      value: draft.text, on: { input: () => save({ text: area.value }, true) },
    });
    sentByKeys(area, send, keep);
    const hint = el("span.quiet.hint", "Ctrl-Enter sends, Esc keeps it");
    return [area, trouble, el("div.row", sending, button("Keep as draft", keep), plain("Cancel", remove), hint)];
  };
  const written = () => [el("div.row", el("span.tag", "draft"), quiet(lines)),
    el("div.said", draft.text), trouble,
    el("div.row", sending, plain("Edit", () => save({ editing: true })), plain("Delete", remove))];
  const content = draft.editing ? writing() : written();
  const node = el("article.remark.card.stack", { "aria-label": `Draft on ${draft.file}` }, content);
  node.about = draft;
  return node;
}

/** Return a thread that has no line to stand at, with a link to its place. */
export const elsewhere = (thread, options) =>
  el("div.stack", codeLink(thread.file, thread.from), threadNode(thread, false, options));
