// Sent remarks on lines of a diff: their text format, the search for their lines, and threads as elements.

import { get, post } from "../../api.js";
import { plainButton } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { form } from "../../forms.js";
import { codeLink } from "../../links.js";
import { person } from "../../people.js";
import { loadText } from "../../storage.js";
import { ago } from "../../time.js";
import { applyButton, hasSuggestion, remarkText } from "./suggestion.js";

/** @import { View } from "../../view.js" */
/** @import { Draft } from "./drafts.js" */

/**
 * A row of a diff, with the line numbers and texts of both sides; `near` is the next line number on the new side.
 * @typedef {{node: HTMLElement, old: number | null, new: number | null, hunk: number, near: number | null,
 *   texts: {old?: string, new?: string}}} Row
 */

/** The file of the summary of a review: the repository. */
export const REPOSITORY = ".";

/**
 * What a remark is about: lines of a file; without `from` and `to`, all of it.
 * @typedef {{file: string, side: "old" | "new", from: number | null, to: number | null, quote: string[]}} Anchor
 */

/**
 * A remark that was sent.
 * @typedef {{id: string, file: string, line?: string, comment: string, text: string, author?: string, time: string,
 *   state: string, replies: number, suggestion?: {original: string | null}}} Message
 */

/**
 * A remark and its follow-ups.
 * @typedef {Anchor & {id: string, where?: string, messages: Message[]}} Thread
 */

/** The number of lines that a remark quotes; a judgement: enough to find the lines again. A suggestion needs all. */
const MAX_QUOTED_LINES = 12;
/**
 * The format of a remark: "About the work tree, lines 3-4:", the quoted lines, an empty line, the text. One on a file
 * is about "the whole file", the summary of a review about its subject "as a whole".
 */
const PLACE = new RegExp(/^About (?<where>[^\n]+?), /.source
  + /(?:(?<removed>removed )?lines? (?<from>\d+)(?:-(?<to>\d+))?|the whole file|as a whole):\n/.source);
const QUOTE = /(?<quote>(?:>[^\n]*\n)*)\n(?<text>.*)$/;
const REMARK = new RegExp(PLACE.source + QUOTE.source, "s");
const REPLY = /^In reply to (?<id>m_[0-9a-f]{16}):\n\n(?<text>.*)$/s;

/**
 * The id of the thread or the key of the draft that each element shows.
 * @type {WeakMap<Element, string | number>}
 */
const keys = new WeakMap();

/**
 * Return the id of the thread or the key of the draft that an element shows.
 * @param {Element} node
 */
export const keyOf = (node) => keys.get(node);

/**
 * @param {Element} node
 * @param {string | number} key
 */
export const setKey = (node, key) => keys.set(node, key);

/**
 * Return the element of a thread or draft, if it is shown.
 * @param {Element} root
 * @param {string | number} key
 * @returns {HTMLElement | undefined}
 */
export function findRemark(root, key) {
  const nodes = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".remark"));
  return [...nodes].find((node) => keyOf(node) === key);
}

/**
 * Return the anchor of a remark on some rows: their lines on the new side, or the removed lines if there are no others.
 * Without rows, it is on the whole file.
 * @param {string} file
 * @param {Row[]} rows
 * @param {string} where describes the diff: "the work tree"
 * @returns {Anchor & {where: string, near: number | null}}
 */
export function anchorFrom(file, rows, where) {
  const side = rows.some((row) => row.new !== null) ? "new" : "old";
  const sideRows = rows.filter((row) => row[side] !== null);
  const numbers = sideRows.map((row) => Number(row[side]));
  const quote = sideRows.map((row) => row.texts[side] ?? "");
  return { file, where, side: numbers.length ? side : "new", from: numbers[0] ?? null, to: numbers.at(-1) ?? null,
    near: rows[0]?.near ?? null, quote };
}

/**
 * Return a remark as a message, in the format of `REMARK`.
 * @param {Draft} draft
 */
export function formatMessage({ file, where, side, from, to, near, quote, text }) {
  const lines = from === to ? `${from}` : `${from}-${to}`;
  const place = from === null ? (file === REPOSITORY ? "as a whole" : "the whole file")
    : `${side === "old" ? "removed " : ""}line${from === to ? "" : "s"} ${lines}`;
  const head = `About ${where}, ${place}:`;
  const nearestLine = near ? `${near}` : null;
  const quoted = hasSuggestion(text) ? quote : quote.slice(0, MAX_QUOTED_LINES);
  const comment = [head, ...quoted.map((one) => `> ${one}`), "", text.trim()].join("\n");
  return { file, line: side === "new" && from !== null ? lines : nearestLine, comment };
}

/** @param {Thread} thread */
export const lastMessage = (thread) => thread.messages[thread.messages.length - 1];

/**
 * Group messages, the oldest first, into threads. A reply to a message that is not among them starts a thread.
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
 * Return the thread that a message starts.
 * @param {Message} message
 * @returns {Thread}
 */
function threadFrom(message) {
  const parts = message.comment.match(REMARK)?.groups;
  const [from, to] = parts ? [parts.from, parts.to] : (message.line ?? "").split("-");
  return {
    id: message.id,
    file: message.file,
    where: parts?.where,
    messages: [{ ...message, text: parts?.text ?? message.comment }],
    side: parts?.removed ? "old" : "new",
    from: Number(from) || null,
    to: Number(to ?? from) || null,
    quote: (parts?.quote ?? "").split("\n").slice(0, -1).map((line) => line.slice(2)),
  };
}

/**
 * Find the row below which a remark belongs, or null, and whether its lines have changed.
 *
 * The rows are searched for the quoted lines; of several matches, the nearest to the original line is used. If there is
 * no match, the row is found by its line number.
 * @param {Row[]} rows
 * @param {Pick<Thread, "side" | "from" | "to" | "quote">} anchor
 */
export function findRow(rows, { side, from, to, quote }) {
  const sideRows = rows.filter((row) => row[side] !== null);
  const first = Number(from), last = Number(to);
  const lineAt = (/** @type {number} */ index) => Number(sideRows[index][side]);
  const isQuotedAt = (/** @type {number} */ index) => quote.length > 0 && quote.every((text, offset) => {
    const row = sideRows[index + offset];
    return row?.[side] === lineAt(index) + offset && row.texts[side]?.trimEnd() === text.trimEnd();
  });
  const distance = (/** @type {number} */ index) => Math.abs(lineAt(index) - first);
  const matches = [...sideRows.keys()].filter(isQuotedAt);
  const [nearest] = matches.sort((one, other) => distance(one) - distance(other));
  if (nearest !== undefined) {
    const lastIndex = Math.min(nearest + last - first, sideRows.length - 1);
    return { row: sideRows[lastIndex], isChanged: false };
  }
  const rowBefore = sideRows.findLast((row) => Number(row[side]) <= last);
  const isInHunk = rowBefore && sideRows.some((row) => row.hunk === rowBefore.hunk && Number(row[side]) >= last);
  return isInHunk ? { row: rowBefore, isChanged: quote.length > 0 } : { row: null, isChanged: false };
}

/**
 * The actions of a thread: mark it as done, load the remarks again when a reply form closes, and the diff too.
 * @typedef {{markDone: () => any, reload: () => any, refresh: () => any, view: View}} ThreadOptions
 */

/**
 * Return a thread: its messages with their state and answers, and a reply button.
 * @param {Thread} thread
 * @param {ThreadOptions} options
 * @param {boolean} isChanged whether its lines have changed
 */
export function threadNode(thread, { markDone, reload, refresh, view }, isChanged = false) {
  const last = lastMessage(thread);
  const waiting = last.state === "delivered"
    ? el("span.tag.agent", "with the agent")
    : el("span.tag", last.state === "withdrawn" ? "withdrawn" : "waiting");
  const place = el("div.stack");
  const open = () => openReply(place, thread, reload);
  const reply = plainButton("Reply", () => open().focus());
  if (loadText(replyDraft(thread), "session")) open(); // the page was reloaded while the user wrote it
  const [first] = thread.messages;
  const apply = first.suggestion?.original ? applyButton(first.id, view, refresh) : null;
  const withdraw = last.state === "pending" ? withdrawButton(last.id, view, reload) : null;
  const properties = { "aria-label": `Remark on ${thread.file}`, tabindex: -1, dataset: { thread: thread.id } };
  const node = el("article.remark.card.stack", properties,
    el("div.row", last.replies ? el("span.tag.ok", "answered") : waiting,
      isChanged && el("span.tag.attention", "the line has changed since")),
    isChanged && el("pre", thread.quote.join("\n")),
    thread.messages.map((message) => [entry(message, thread.quote), answersTo(message, view)]),
    apply?.errorPlace, withdraw?.errorPlace, place,
    el("div.row", apply?.button, reply, withdraw?.button, last.replies > 0 && plainButton("Done", markDone)));
  keys.set(node, thread.id);
  return node;
}

/**
 * Return a button that withdraws a message before an agent gets it, and a place for what prevents it.
 * @param {string} id
 * @param {View} view
 * @param {() => any} reload called when it was withdrawn
 */
function withdrawButton(id, view, reload) {
  const errorPlace = el("div");
  const withdraw = () => view.attempt(errorPlace, async () => {
    await post("inbox/withdraw_message", { message_id: id });
    view.announce("Remark withdrawn");
    await reload();
  });
  return { button: plainButton("Withdraw", withdraw, { title: "Keep this remark from the agent" }), errorPlace };
}

/**
 * Return an element in which the answers to a message are shown once they are loaded.
 * @param {Message} message
 * @param {View} view
 */
function answersTo({ id, replies: count }, view) {
  const place = el("div.stack");
  if (count > 0) {
    get("inbox/show_message", { message_id: id }, view)
      .then(({ replies }) => fill(place, replies.map((one) => entry({ ...one, author: one.author ?? "the agent" }))))
      .catch((problem) => view.showError(place, problem));
  }
  return place;
}

/**
 * @param {Pick<Message, "author" | "time" | "text">} message
 * @param {string[]} [quote] the lines that the message is about
 */
const entry = ({ author, time, text }, quote) =>
  el("div", el("div.row", el("strong", person(author)), ago(time)), remarkText(text, quote));

/**
 * Open a form for a reply, which the agent gets as a separate message; return its text area.
 *
 * A thread with an open form is not redrawn, so it is reloaded when the form closes.
 * @param {HTMLElement} place
 * @param {Thread} thread
 * @param {() => any} reload
 */
function openReply(place, thread, reload) {
  const area = el("textarea", { name: "text", "aria-label": "Reply to the thread" });
  const close = () => {
    fill(place);
    reload();
  };
  const send = async (/** @type {{text: string}} */ { text }) => {
    if (!text.trim()) return;
    const { file, line } = thread.messages[0];
    const comment = `In reply to ${thread.id}:\n\n${text.trim()}`;
    await post("inbox/send_message", { file, line, comment, anyway: true });
    close();
  };
  fill(place, form(area, { verb: "Send reply", send, cancel: close, draftName: replyDraft(thread) }));
  return area;
}

/**
 * Return the name under which the text of an unsent reply is stored.
 * @param {Thread} thread
 */
const replyDraft = ({ id }) => `reply ${id}`;

/**
 * Return a thread whose lines are not shown, below a link to them.
 * @param {Thread} thread
 * @param {ThreadOptions} options
 */
export const threadWithLink = (thread, options) =>
  el("div.stack", codeLink(thread.file, thread.from), threadNode(thread, options));
