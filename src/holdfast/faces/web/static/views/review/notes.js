// What changed in the notes of a file: read from both versions of their document, and shown as notes.

import { quiet } from "../../display.js";
import { el } from "../../dom.js";
import { SIDECAR_SUFFIX, codeLink } from "../../links.js";
import { person } from "../../people.js";
import { ago } from "../../time.js";

/** @import { Line } from "./hunks.js" */

/** @typedef {{author?: string, text: string, created?: string}} Reply */
/**
 * A note as its document has it; `place` is its line.
 * @typedef {Reply & {id: string, line?: number, place: number | null, tag?: string, status?: string, updated?: string,
 *   replies?: Reply[]}} Note
 */
/** @typedef {{kind: string, note: Note, before: Note | null}} NoteChange */

/** The class of the tag for each kind of change. */
const TAGS = { added: "ok", deleted: "danger", changed: "info", resolved: "ok", reopened: "attention", moved: "info" };

/**
 * Return how the notes differ, or null if a version is not a document with notes or is not contained completely.
 * @param {Line[][]} hunks all lines of both versions
 * @returns {NoteChange[] | null}
 */
export function noteChanges(hunks) {
  const [before, after] = [notesOf(hunks, "old"), notesOf(hunks, "new")];
  if (!before || !after) return null;
  const deleted = [...before.values()].filter(({ id }) => !after.has(id));
  const changes = [...after.values()].map((note) => changeOf(note, before.get(note.id) ?? null));
  return [...changes.filter((change) => change !== null),
    ...deleted.map((note) => ({ kind: "deleted", note, before: null }))];
}

/**
 * Return the notes of one version by id; none if the file did not exist.
 * @param {Line[][]} hunks
 * @param {"old" | "new"} side
 * @returns {Map<string, Note> | null}
 */
function notesOf(hunks, side) {
  const lines = hunks.flat().filter((line) => line[side]);
  if (!lines.length) return new Map();
  try {
    const { comments, ghostMarkers = [] } = JSON.parse(lines.map(({ text }) => text).join("\n"));
    const places = new Map(ghostMarkers.flatMap(({ line, commentIds = [] }) =>
      commentIds.map((/** @type {string} */ id) => [id, line])));
    return new Map(comments.map((/** @type {Note} */ note) =>
      [note.id, { ...note, place: places.get(note.id) ?? note.line ?? null }]));
  } catch {
    return null;
  }
}

/**
 * Return what changed in a note, or null: a check of its place alone, for example, is not worth reading.
 * @param {Note} note
 * @param {Note | null} before
 * @returns {NoteChange | null}
 */
function changeOf(note, before) {
  if (!before) return { kind: "added", note, before };
  const isChanged = note.text !== before.text || note.tag !== before.tag || newReplies(note, before).length > 0;
  const isDecided = note.status !== before.status;
  if (isDecided) return { kind: note.status === "resolved" ? "resolved" : "reopened", note, before };
  if (isChanged) return { kind: "changed", note, before };
  return note.place === before.place ? null : { kind: "moved", note, before };
}

/**
 * @param {Note} note
 * @param {Note | null} before
 */
const newReplies = ({ replies = [] }, before) => replies.slice(before?.replies?.length ?? 0);

/**
 * Return the changes of notes as elements.
 * @param {string} path of the document
 * @param {NoteChange[]} changes
 */
export function drawNotes(path, changes) {
  const source = path.slice(0, -SIDECAR_SUFFIX.length);
  const items = changes.map((change) => noteItem(source, change));
  return items.length ? el("ul.plain-list.stack.notes", items)
    : el("p.quiet", "No note changed: only where they belong was checked again.");
}

/**
 * @param {string} source
 * @param {NoteChange} change
 */
function noteItem(source, { kind, note, before }) {
  const { author, tag, text, place, created, updated = created } = note;
  const isMoved = before && before.place !== place;
  const isRewritten = before && before.text !== text;
  return el("li.stack",
    el("div.row.wrap", el("span", { class: `tag ${TAGS[kind]}` }, `note ${kind}`), tag && el("span.tag", tag),
      el("strong", person(author)), updated && ago(updated),
      kind === "deleted" ? quiet(`${source}:${place}`) : codeLink(source, place),
      isMoved && quiet(`was on line ${before.place}`)),
    isRewritten && el("del.said.removed", before.text),
    kind === "deleted" ? el("del.said.removed", text) : el(isRewritten ? "ins.said.added" : "div.said", text),
    newReplies(note, before).map((reply) =>
      el("div.reply", el("div.row", el("strong", person(reply.author)), reply.created && ago(reply.created)),
        el("div.said", reply.text))));
}
