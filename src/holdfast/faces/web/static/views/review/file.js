// A file of a diff with its remarks. Its lines are loaded when they are scrolled near.

import { button, plainButton } from "../../controls.js";
import { pluralise, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { SIDECAR_SUFFIX, codeAddress } from "../../links.js";
import { get } from "../../api.js";
import { SEEN_FILES, isMarked, setMark } from "../../storage.js";
import { draftNode } from "./drafts.js";
import { findRow, keyOf, threadNode, threadWithLink } from "./remarks.js";

/** @import { Review } from "../review.js" */
/** @import { Row, Thread } from "./remarks.js" */

/**
 * A line of a diff. `old` and `new` are its line numbers; `changed` holds the ranges of changed words, `styles` those
 * that are coloured.
 * @typedef {{kind: "same" | "added" | "removed", text: string, old?: number, new?: number, changed: [number, number][],
 *   styles: [number, number, string][], moved?: string, note?: string}} Line
 */

/** @typedef {{old?: Line, new?: Line}} Pair an old and a new line that are shown side by side */

/** The numbers of context lines that "More lines" steps through; the first is git's default. */
const CONTEXT_LINES = [3, 25, 5000];
/** A file with more changed lines is loaded only on request; a judgement: about twenty screens. */
const MAX_LINES_LOADED = 800;
/** The sign of a line, by its kind. */
const SIGNS = { same: " ", added: "+", removed: "−" };
/** The classes of the columns in each layout. */
const COLUMNS = { split: ["number", "text", "number", "text"], unified: ["number", "number", "sign", "text"] };

/**
 * The file that an element shows.
 * @type {WeakMap<Element, FileDiff>}
 */
const diffs = new WeakMap();
/**
 * The row that an element shows.
 * @type {WeakMap<Element, Row>}
 */
const rowsByNode = new WeakMap();

/**
 * Return whether a file belongs to Holdfast itself: a sidecar with notes, or a rule or document of the workspace.
 * @param {string} path
 */
export const isOwn = (path) => path.endsWith(SIDECAR_SUFFIX) || path.startsWith(".task/");

/** @param {Element} node the element of a row */
export const rowOf = (node) => /** @type {Row} */ (rowsByNode.get(node));

/**
 * Return the numbers of added and removed lines; null if they are unknown.
 * @param {{added?: number | null, removed?: number | null}} file
 */
export function changeCounts({ added, removed }) {
  if (added === null || added === undefined) return null;
  return el("span.counts.mono", el("span.plus", `+${added}`), " ", el("span.minus", `−${removed}`));
}

/** A file of a diff. */
export class FileDiff {
  /**
   * @param {Review} review
   * @param {Record<string, any>} file as `read_diff` lists it
   */
  constructor(review, file) {
    this.review = review;
    this.file = file;
    /** The index in CONTEXT_LINES. */
    this.contextIndex = 0;
    /** @type {ReturnType<typeof drawHunks> | null} the lines, once they have been loaded */
    this.table = null;
    /** @type {any} the file as `read_diff` returns it with its lines */
    this.content = null;
    /** The remarks on lines that are not shown. */
    this.foot = el("div.foot.stack");
    this.body = el("div.body");
    this.seenBox = el("input", {
      type: "checkbox", checked: isMarked(SEEN_FILES, file.version), "aria-label": `Seen ${file.path}`,
      on: { change: () => this.setSeen(this.seenBox.checked) },
    });
    this.moreButton = plainButton("More lines", () => this.load(this.contextIndex + 1), { hidden: true });
    this.node = el("section.file.card", { "aria-label": file.path }, this.drawHeader(), this.body);
    diffs.set(this.node, this);
    this.showBody();
  }

  /** @param {Element | null | undefined} node */
  static of(node) {
    return node ? diffs.get(node) : undefined;
  }

  drawHeader() {
    const { file } = this;
    const name = [file.former && quiet(`${file.former} → `), file.path];
    return el("header.row",
      el("h2.mono", file.kind === "deleted" ? name : el("a", { href: codeAddress(file.path) }, name)),
      file.kind !== "changed" && el("span.tag", file.kind), file.mode && el("span.tag", `mode ${file.mode}`),
      changeCounts(file), this.moreButton, el("label.row.seen", this.seenBox, "Seen"));
  }

  /**
   * Fold a file that was seen; offer to load very many lines, or those of a file of Holdfast itself; load others when
   * the file is scrolled near.
   */
  showBody() {
    const { added, removed, note } = this.file;
    const isSeen = this.seenBox.checked;
    this.node.classList.toggle("folded", isSeen);
    if (isSeen || this.table) return;
    const isUncounted = added === null;
    // A binary file, for example; the note of one that differs too much says that its lines were "not compared".
    const hasNoLines = isUncounted && note && !note.includes("not compared");
    if (hasNoLines) fill(this.body, el("p.quiet", note));
    else if (isUncounted || added + removed > MAX_LINES_LOADED || isOwn(this.file.path)) {
      const lines = isUncounted ? "very many changed lines" : pluralise(added + removed, "changed line");
      fill(this.body, button(`Show ${lines}`, () => this.load()));
    } else this.review.visibility.observe(this.node);
  }

  /** @param {boolean} isSeen */
  setSeen(isSeen) {
    this.seenBox.checked = isSeen;
    setMark(SEEN_FILES, this.file.version, isSeen);
    this.showBody();
    this.review.showSummary();
  }

  /** Load the lines with some lines of context, and draw them. */
  load(contextIndex = this.contextIndex) {
    this.contextIndex = Math.min(contextIndex, CONTEXT_LINES.length - 1);
    const context = CONTEXT_LINES[this.contextIndex];
    const query = { ...this.review.query, file: this.file.path, context, highlight: true };
    const { view, visibility } = this.review;
    visibility.unobserve(this.node); // redrawing it later would take the focus from a field
    return view.attempt(this.body, async () => {
      const { files } = await get("source/read_diff", query, view);
      this.content = files[0];
      this.draw();
    });
  }

  draw() {
    if (!this.content) return;
    const { path, hunks = [], note = hunks.length ? null : "No lines differ." } = this.content;
    this.table = drawHunks({ path, hunks }, this.review.isSplit);
    fill(this.foot);
    const hasAllContext = this.contextIndex === CONTEXT_LINES.length - 1 || this.file.kind === "added";
    this.moreButton.hidden = !hunks.length || hasAllContext;
    fill(this.body, hunks.length > 0 && this.table.node, note && el("p.quiet", note), this.foot);
    this.showRemarks();
  }

  /** The remark that the user is writing, and the threads with an open reply form. */
  get openRemarks() {
    return [...this.node.querySelectorAll(".remark:has(textarea:focus), .remark[data-thread]:has(textarea)")];
  }

  /** Show threads and drafts below their lines, and those whose lines are not shown at the foot. */
  showRemarks() {
    const { table, review, openRemarks } = this;
    if (!table) return;
    const isOpen = (/** @type {Element} */ node) => openRemarks.some((remark) => node.contains(remark));
    for (const row of this.node.querySelectorAll("tr.remarks")) if (!isOpen(row)) row.remove();
    for (const head of table.heads) fill(changeNotice(head));
    const openKeys = new Set(openRemarks.map(keyOf));
    const isHere = (/** @type {{file: string}} */ { file }) => file === this.file.path;
    /** @type {HTMLElement[]} */
    const withoutLine = [];
    for (const thread of review.threads.filter((one) => isHere(one) && !openKeys.has(one.id))) {
      const { row, isChanged } = findRow(table.rows, thread);
      const options = review.threadOptions(thread);
      if (row) insertBelow(row, threadNode(thread, options, isChanged));
      else withoutLine.push(threadWithLink(thread, options));
      const notice = el("span.tag.attention", "changed since your remark");
      if (row && isChanged) fill(changeNotice(table.heads[row.hunk]), notice);
    }
    for (const draft of review.drafts.list.filter((one) => isHere(one) && !openKeys.has(one.key))) {
      const { row } = findRow(table.rows, draft);
      const node = draftNode(draft, review.draftOptions(draft));
      if (row) insertBelow(row, node);
      else withoutLine.push(node);
    }
    fill(this.foot, [...this.foot.children].filter(isOpen), withoutLine);
  }
}

/**
 * Return the element in the head of a hunk that says that its lines have changed.
 * @param {HTMLElement} head
 */
const changeNotice = (head) => /** @type {HTMLElement} */ (head.querySelector(".since"));

/**
 * Insert a node below a row and the remarks that are already there.
 * @param {Row} row
 * @param {HTMLElement} node
 */
function insertBelow(row, node) {
  /** @type {Element} */
  let previous = row.node;
  while (previous.nextElementSibling?.classList.contains("remarks")) previous = previous.nextElementSibling;
  previous.after(el("tr.remarks", el("td", { colspan: 4 }, node)));
}

/**
 * Draw the lines of a file as a table; return its node, its rows and the heads of its hunks.
 * @param {{path: string, hunks: Line[][]}} file
 * @param {boolean} isSplit
 */
function drawHunks(file, isSplit) {
  const body = el("tbody");
  /** @type {Row[]} */
  const rows = [];
  const moves = describeMoves(file);
  const splitCells = (/** @type {Pair} */ pair) => [numberCell(pair.old?.old), codeCell(pair.old, moves),
    numberCell(pair.new?.new), codeCell(pair.new, moves)];
  const unifiedCells = (/** @type {Line} */ line) =>
    [numberCell(line.old), numberCell(line.new), signCell(line), codeCell(line, moves)];
  const heads = file.hunks.map((lines, hunk) => {
    const head = el("tr.hunk", el("td", { colspan: 4 }, hunkRange(file, lines), el("span.since")));
    body.append(head);
    const pairs = isSplit ? pairLines(lines) : lines.map(toPair);
    pairs.forEach((pair, index) => {
      const node = el("tr.line", { tabindex: -1 }, isSplit ? splitCells(pair) : unifiedCells(lines[index]));
      const texts = { old: pair.old?.text, new: pair.new?.text };
      const row = { node, old: pair.old?.old ?? null, new: pair.new?.new ?? null, texts, hunk, near: null };
      rowsByNode.set(node, row);
      rows.push(row);
      body.append(node);
    });
    return head;
  });
  /** @type {number | null} */
  let nextNewLine = null;
  for (const row of rows.toReversed()) {
    nextNewLine = row.new ?? nextNewLine;
    row.near = nextNewLine;
  }
  const layout = isSplit ? "split" : "unified";
  const columns = el("colgroup", COLUMNS[layout].map((name) => el("col", { class: name })));
  const node = el(`table.diff.mono.${layout}`, { "aria-label": `Differences in ${file.path}` }, columns, body);
  return { node, rows, heads };
}

/**
 * Return the range of lines of a hunk, as a link if they still exist.
 * @param {{path: string}} file
 * @param {Line[]} lines
 */
function hunkRange(file, lines) {
  const numbers = lines.map((line) => line.new).filter(Boolean);
  if (!numbers.length) return el("span", `was lines ${lines[0].old}–${lines[lines.length - 1].old}`);
  const first = numbers[0], last = numbers[numbers.length - 1];
  return el("a", { href: codeAddress(file.path, first, last), title: "Open in Code" }, `lines ${first}–${last}`);
}

/**
 * Return a line as a pair: a removed line has no new side, an added line no old side.
 * @param {Line} line
 * @returns {Pair}
 */
const toPair = (line) => ({ removed: { old: line }, added: { new: line } })[line.kind] ?? { old: line, new: line };

/**
 * Pair lines for the layout side by side: removed lines beside the added lines that replaced them.
 * @param {Line[]} lines
 */
function pairLines(lines) {
  /** @type {Pair[]} */
  const pairs = [];
  /** @type {Line[]} */
  let removed = [];
  /** @type {Line[]} */
  let added = [];
  const addChangedPairs = () => {
    const count = Math.max(removed.length, added.length);
    for (let index = 0; index < count; index += 1) pairs.push({ old: removed[index], new: added[index] });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      addChangedPairs();
      pairs.push({ old: line, new: line });
    }
  }
  addChangedPairs();
  return pairs;
}

/** @param {Line} line */
const lineClass = (line) => (line.moved ? `${line.kind} moved` : line.kind);
/** @param {number | undefined} value */
const numberCell = (value) => el("td.line-number", value ?? "");
/** @param {Line} line */
const signCell = (line) => el("td", { class: `sign ${lineClass(line)}` }, SIGNS[line.kind]);

/**
 * @param {Line | undefined} line
 * @param {Map<Line, string>} moves
 */
function codeCell(line, moves) {
  if (!line) return el("td.code.nothing");
  const isUnchangedEnding = line.note === "CRLF" && line.kind === "same";
  const note = !isUnchangedEnding && line.note;
  return el("td", { class: `code ${lineClass(line)}`, dataset: { sign: SIGNS[line.kind] } }, markChanges(line),
    note && el("span.tag", note), moves.has(line) && el("span.tag.info", moves.get(line)));
}

/**
 * Return the text of a line with its syntax coloured and its changed words marked. Positions are in code points, not
 * UTF-16 units.
 * @param {Line} line
 */
function markChanges({ text, changed, styles }) {
  const characters = [...text];
  const pieces = [];
  let position = 0;
  for (const [start, end] of changed) {
    pieces.push(colour(characters, styles, position, start), el("mark", colour(characters, styles, start, end)));
    position = end;
  }
  return [...pieces, colour(characters, styles, position, characters.length)];
}

/**
 * Return the characters from `from` up to `to`, coloured.
 * @param {string[]} characters
 * @param {Line["styles"]} styles
 * @param {number} from
 * @param {number} to
 */
function colour(characters, styles, from, to) {
  const pieces = [];
  let position = from;
  for (const [start, end, style] of styles) {
    const [first, last] = [Math.max(start, position), Math.min(end, to)];
    if (first >= last) continue;
    pieces.push(characters.slice(position, first).join(""));
    pieces.push(el("span", { class: `is-${style}` }, characters.slice(first, last).join("")));
    position = last;
  }
  return [...pieces, characters.slice(position, to).join("")];
}

/**
 * Describe where each moved block of lines went or came from; the key is the first line of the block.
 * @param {{path: string, hunks: Line[][]}} file
 * @returns {Map<Line, string>}
 */
function describeMoves({ path, hunks }) {
  const moves = new Map();
  for (const [kind, preposition] of [["removed", "to"], ["added", "from"]]) {
    /** @type {string | undefined} the place of the next line of the current block in the other version */
    let expected;
    for (const line of hunks.flat().filter((candidate) => candidate.kind === kind)) {
      const [, file, number] = line.moved?.match(/^(.*):(\d+)$/s) ?? [];
      const isBlockStart = file && line.moved !== expected;
      const place = file === path ? `line ${number}` : line.moved;
      if (isBlockStart) moves.set(line, `moved ${preposition} ${place}`);
      expected = file && `${file}:${Number(number) + 1}`;
    }
  }
  return moves;
}
