// Remarks on lines of a diff: how one is written so that it finds its lines again, its state, its thread.

import { get, post } from "../../api.js";
import { button, plainButton, primaryButton } from "../../controls.js";
import { errorMessage, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { bindSubmitKeys, form } from "../../forms.js";
import { codeLink } from "../../links.js";
import { ago } from "../../time.js";

/** @import { View } from "../../view.js" */

/**
 * A row of a diff, with the line numbers and texts of both sides; `near` is the next line of the new side.
 * @typedef {{node: HTMLElement, old: number | null, new: number | null, hunk: number, near: number | null,
 *   texts: {old?: string, new?: string}}} Row
 */

/**
 * The lines that a remark is about.
 * @typedef {{file: string, side: "old" | "new", from: number, to: number, quote: string[]}} Anchor
 */

/**
 * An unsent remark.
 * @typedef {Anchor & {where: string, near: number | null, key: number, text: string, editing: boolean,
 *   problem?: any}} Draft
 */

/**
 * A remark that was sent.
 * @typedef {{id: string, file: string, line?: string, comment: string, text: string, author?: string, time: string,
 *   state: string, replies: number}} Message
 */

/** A remark and its follow-ups.
 * @typedef {Omit<Anchor, "from" | "to"> & {id: string, from: number | null, to: number | null,
 *   messages: Message[]}} Thread
 */

/** Lines that are quoted at most; a judgement: enough to find the place again. */
const MAX_QUOTED = 12;
const PLACE = /^About [^\n]+?, (?<removed>removed )?lines? (?<from>\d+)(?:-(?<to>\d+))?:\n/;
const QUOTE = /(?<quote>(?:>[^\n]*\n)*)\n(?<text>.*)$/;
const FORM = new RegExp(PLACE.source + QUOTE.source, "s");
const REPLY = /^In reply to (?<id>m_[0-9a-f]{16}):\n\n(?<text>.*)$/s;

/**
 * What each element shows: the id of a thread or a draft.
 * @type {WeakMap<Element, string | Draft>}
 */
const subjects = new WeakMap();
/** @type {WeakMap<Element, Row>} */
const rowsOfNodes = new WeakMap();

/**
 * Return what an element of a remark shows: the id of a thread, or a draft.
 * @param {Element} node
 */
export const subjectOf = (node) => subjects.get(node);

/**
 * Remember the row that an element shows.
 * @param {Element} node
 * @param {Row} row
 */
export const setRow = (node, row) => rowsOfNodes.set(node, row);

/**
 * Return the row that an element shows.
 * @param {Element} node
 */
export const rowOf = (node) => /** @type {Row} */ (rowsOfNodes.get(node));

/**
 * Return the lines that selected rows are about: those of the new side, or removed ones if there are no others.
 * @param {string} file
 * @param {Row[]} rows
 * @param {string} where
 * @returns {Anchor & {where: string, near: number | null}}
 */
export function anchorFrom(file, rows, where) {
  const side = rows.some((row) => row.new !== null) ? "new" : "old";
  const own = rows.filter((row) => row[side] !== null);
  const numbers = own.map((row) => Number(row[side]));
  const quote = own.slice(0, MAX_QUOTED).map((row) => row.texts[side] ?? "");
  return { file, where, side, from: numbers[0], to: numbers[numbers.length - 1], near: rows[0].near, quote };
}

/**
 * Return the message of a remark: its place and the quoted lines, then its text.
 * @param {Draft} draft
 */
export function formatMessage({ file, where, side, from, to, near, quote, text }) {
  const lines = from === to ? `${from}` : `${from}-${to}`;
  const head = `About ${where}, ${side === "old" ? "removed " : ""}line${from === to ? "" : "s"} ${lines}:`;
  const line = side === "new" ? lines : near ? `${near}` : null;
  return { file, line, comment: [head, ...quote.map((one) => `> ${one}`), "", text.trim()].join("\n") };
}

/**
 * Group messages into threads.
 * @param {Message[]} messages
 */
export function groupThreads(messages) {
  /** @type {Map<string, Thread>} */
  const threads = new Map();
  for (const message of messages) {
    const reply = message.comment.match(REPLY)?.groups;
    const thread = reply && threads.get(reply.id);
    if (thread) thread.messages.push({ ...message, text: reply.text });
    else threads.set(message.id, threadFrom(message));
  }
  return [...threads.values()];
}

/**
 * Return the thread that a message begins.
 * @param {Message} message
 * @returns {Thread}
 */
function threadFrom(message) {
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

/**
 * Find the row below which a remark belongs, or null, and whether its lines have changed.
 *
 * The quoted lines are looked for first, the match nearest to the original line wins; else the line number counts.
 * @param {Row[]} rows
 * @param {Pick<Thread, "side" | "from" | "to" | "quote">} anchor
 */
export function findRow(rows, { side, from, to, quote }) {
  const own = rows.filter((row) => row[side] !== null);
  const [first, last] = [Number(from), Number(to)];
  const numberAt = (/** @type {number} */ at) => Number(own[at][side]);
  const isQuoted = (/** @type {number} */ at) => quote.length > 0 && quote.every((text, step) => {
    const row = own[at + step];
    return row?.[side] === numberAt(at) + step && row.texts[side]?.trimEnd() === text.trimEnd();
  });
  const distance = (/** @type {number} */ at) => Math.abs(numberAt(at) - first);
  const [nearest] = own.map((_, at) => at).filter(isQuoted).sort((one, other) => distance(one) - distance(other));
  if (nearest !== undefined) return { row: own[Math.min(nearest + last - first, own.length - 1)], changed: false };
  const before = own.findLast((row) => Number(row[side]) <= last);
  const isInside = before && own.some((row) => row.hunk === before.hunk && Number(row[side]) >= last);
  return { row: isInside ? before : null, changed: Boolean(isInside) && quote.length > 0 };
}

/**
 * What a thread calls: `done` when the user is done with it, `reload` when it may be table again after a reply.
 * @typedef {{done: () => any, reload: () => any, view: View}} ThreadOptions
 */

/**
 * Return a thread: its messages with their state and answers, and a reply button.
 * @param {Thread} thread
 * @param {boolean} changed whether its lines have changed
 * @param {ThreadOptions} options
 */
export function threadNode(thread, changed, { done, reload, view }) {
  const last = thread.messages[thread.messages.length - 1];
  const waiting = last.state === "delivered" ? el("span.tag.info", "with the agent") : el("span.tag", "waiting");
  const place = el("div.stack");
  const reply = plainButton("Reply", () => openReply(place, thread, reload));
  const properties = { "aria-label": `Remark on ${thread.file}`, dataset: { thread: thread.id } };
  const node = el("article.remark.card.stack", properties,
    el("div.row", last.replies ? el("span.tag.ok", "answered") : waiting,
      changed && el("span.tag.attention", "the line has changed since")),
    changed && el("pre", thread.quote.join("\n")),
    thread.messages.map((message) => [entry(message), answersTo(message, view)]), place,
    el("div.row", reply, last.replies > 0 && plainButton("Done", done)));
  subjects.set(node, thread.id);
  return node;
}

/**
 * Return an element that shows the answers to a message once they are loaded.
 * @param {Message} message
 * @param {View} view
 */
function answersTo({ id, replies: count }, view) {
  const place = el("div.stack");
  const request = count > 0 && get("inbox/show_message", { message_id: id }, view);
  if (request) request.then(({ replies }) => fill(place, replies.map(entry)), (problem) => view.showError(place, problem));
  return place;
}

/** @param {Pick<Message, "author" | "time" | "text">} message */
const entry = ({ author, time, text }) =>
  el("div", el("div.row", el("strong", author ?? "you"), ago(time)), el("div.said", text));

/**
 * Open a form for a reply, which the agent gets as a message of its own.
 *
 * A thread with an open form is not table again, so what happened to it meanwhile is shown when the form closes.
 * @param {HTMLElement} where
 * @param {Thread} thread
 * @param {() => any} reload
 */
function openReply(where, thread, reload) {
  const area = el("textarea", { name: "text", "aria-label": "Reply to the thread" });
  const cancel = () => (fill(where), reload());
  const send = async (/** @type {{text: string}} */ { text }) => {
    if (!text.trim()) return;
    const { file, line } = thread.messages[0];
    await post("inbox/send_message", { file, line, comment: `In reply to ${thread.id}:\n\n${text.trim()}` });
    cancel();
  };
  fill(where, form(area, { verb: "Send reply", send, cancel, draftName: `reply ${thread.id}` }));
  area.focus();
}

/**
 * Return a draft: a form while it is being edited, else its text.
 * @param {Draft} draft
 * @param {{save: (changes: Partial<Draft>, isTyping?: boolean) => void, send: () => any, remove: () => void}} options
 */
export function draftNode(draft, { save, send, remove }) {
  const lines = draft.from === draft.to ? `line ${draft.from}` : `lines ${draft.from}–${draft.to}`;
  const trouble = draft.problem && errorMessage(draft.problem);
  const sendButton = primaryButton("Send", send);
  const keep = () => (draft.text.trim() ? save({ editing: false }) : remove());
  const editor = () => {
    const area = el("textarea", {
      "aria-label": `Remark on ${lines} of ${draft.file}`, placeholder: "What should the agent change, or explain?",
      value: draft.text, on: { input: () => save({ text: area.value }, true) },
    });
    bindSubmitKeys(area, send, keep);
    const hint = el("span.quiet.hint", "Ctrl-Enter sends, Esc keeps it as a draft");
    const buttons = [sendButton, button("Keep as draft", keep), plainButton("Cancel", remove)];
    return [area, trouble, el("div.row", buttons, hint)];
  };
  const preview = () => [el("div.row", el("span.tag", "draft"), quiet(lines)),
    el("div.said", draft.text), trouble,
    el("div.row", sendButton, plainButton("Edit", () => save({ editing: true })), plainButton("Delete", remove))];
  const content = draft.editing ? editor() : preview();
  const node = el("article.remark.card.stack", { "aria-label": `Draft on ${draft.file}` }, content);
  subjects.set(node, draft);
  return node;
}

/**
 * Return a thread whose lines are not shown, with a link to them.
 * @param {Thread} thread
 * @param {ThreadOptions} options
 */
export const threadWithLink = (thread, options) =>
  el("div.stack", codeLink(thread.file, thread.from), threadNode(thread, false, options));
