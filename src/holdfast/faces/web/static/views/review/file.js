// A file of a diff: its lines, unified or side by side, are loaded when it is scrolled near; its remarks.

import { button, plainButton } from "../../controls.js";
import { pluralise, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";
import { get } from "../../api.js";
import { SEEN_FILES, isMarked, setMark } from "../../storage.js";
import { draftNode, findRow, setRow, subjectOf, threadNode } from "./remarks.js";

/** @import { Review } from "../review.js" */
/** @import { Row, Thread } from "./remarks.js" */

/**
 * A line of a diff. `old` and `new` are its line numbers; `changed` holds the ranges of changed words.
 * @typedef {{kind: "same" | "added" | "removed", text: string, old?: number, new?: number, changed: [number, number][],
 *   moved?: string, note?: string}} Line
 */

/** @typedef {{old?: Line, new?: Line}} Pair */

/** Lines of context, step by step; the first is git's own default. */
const CONTEXTS = [3, 25, 5000];
/** With more changed lines than this, a file is only loaded on request; a judgement: about twenty screens. */
const MAX_LINES = 800;

/**
 * The file that an element shows.
 * @type {WeakMap<Element, FileDiff>}
 */
const diffs = new WeakMap();

/**
 * Return how many lines were added and removed.
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
    this.context = 0;
    /** @type {ReturnType<typeof drawHunks> | null} its lines, once they have been loaded */
    this.table = null;
    /** @type {any} the file with its lines */
    this.whole = null;
    this.foot = el("div.foot.stack");
    this.body = el("div.body");
    this.tick = el("input", {
      type: "checkbox", checked: isMarked(SEEN_FILES, file.version), "aria-label": `Seen ${file.path}`,
      on: { change: () => this.setSeen(this.tick.checked) },
    });
    this.more = plainButton("More lines", () => this.load(this.context + 1), { hidden: true });
    this.node = el("section.file.card", { "aria-label": file.path }, this.head(), this.body);
    diffs.set(this.node, this);
    this.showBody();
  }

  /**
   * Return the file that an element shows.
   * @param {Element | null | undefined} node
   */
  static of(node) {
    return node ? diffs.get(node) : undefined;
  }

  head() {
    const { file } = this;
    const name = [file.former && quiet(`${file.former} → `), file.path];
    return el("header.row",
      el("h2.mono", file.kind === "deleted" ? name : el("a", { href: codeAddress(file.path) }, name)),
      file.kind !== "changed" && el("span.tag", file.kind), file.mode && el("span.tag", `mode ${file.mode}`),
      changeCounts(file), this.more, el("label.row.seen", this.tick, "Seen"));
  }

  /** Show nothing of a file that was seen, a button before very many lines, else the lines when they come near. */
  showBody() {
    const { added, removed, note } = this.file;
    this.node.classList.toggle("folded", this.tick.checked);
    if (this.tick.checked || this.table) return;
    if (added === null && note && !note.includes("not counted")) fill(this.body, el("p.quiet", note));
    else if (added === null || added + removed > MAX_LINES) {
      const lines = added === null ? "very many changed lines" : pluralise(added + removed, "changed line");
      fill(this.body, button(`Show ${lines}`, () => this.load()));
    } else this.review.visibility.observe(this.node);
  }

  /** @param {boolean} isSeen */
  setSeen(isSeen) {
    this.tick.checked = isSeen;
    setMark(SEEN_FILES, this.file.version, isSeen);
    this.showBody();
    this.review.showSummary();
  }

  load(context = this.context) {
    this.context = Math.min(context, CONTEXTS.length - 1);
    const query = { ...this.review.query, file: this.file.path, context: CONTEXTS[this.context] };
    const { view, visibility } = this.review;
    visibility.unobserve(this.node); // drawing it again would take the focus from a field
    return view.attempt(this.body, async () => {
      const { files } = await get("source/read_diff", query, view);
      this.whole = files[0];
      this.draw();
    });
  }

  draw() {
    if (!this.whole) return;
    const { path, hunks = [], note = hunks.length ? null : "No lines differ." } = this.whole;
    this.table = drawHunks({ path, hunks }, this.review.isSplit);
    fill(this.foot);
    this.more.hidden = !hunks.length || this.context === CONTEXTS.length - 1 || this.file.kind === "added";
    fill(this.body, hunks.length > 0 && this.table.node, note && el("p.quiet", note), this.foot);
    this.showRemarks();
  }

  /** The remark that the user is writing, and the threads with an open reply. */
  get inUse() {
    return [...this.node.querySelectorAll(".remark:has(textarea:focus), .remark[data-thread]:has(textarea)")];
  }

  /** Show remarks and drafts below their lines; those whose line is not shown are at the foot. */
  showRemarks() {
    const { table, review, inUse: kept } = this;
    if (!table) return;
    this.node.querySelectorAll("tr.remarks").forEach((row) => kept.some((node) => row.contains(node)) || row.remove());
    const stays = new Set(kept.map(subjectOf));
    const sinceOf = (/** @type {number} */ hunk) =>
      /** @type {HTMLElement} */ (table.heads[hunk].querySelector(".since"));
    table.heads.forEach((_, hunk) => fill(sinceOf(hunk)));
    const isHere = (/** @type {{file: string}} */ { file }) => file === this.file.path;
    /** @type {HTMLElement[]} */
    const atFoot = [];
    for (const thread of review.threads.filter(isHere)) {
      const { row, changed } = findRow(table.rows, thread);
      if (stays.has(thread.id)) continue;
      if (row) this.under(row, threadNode(thread, changed, review.options(thread)));
      else atFoot.push(threadWithLink(thread, review.options(thread)));
      if (row && changed) fill(sinceOf(row.hunk), el("span.tag.attention", "changed since your remark"));
    }
    for (const draft of review.drafts.list.filter((one) => isHere(one) && !stays.has(one))) {
      const { row } = findRow(table.rows, draft);
      const node = draftNode(draft, review.draftOptions(draft));
      row ? this.under(row, node) : atFoot.push(node);
    }
    fill(this.foot, [...this.foot.children].filter((node) => kept.some((one) => node.contains(one))), atFoot);
  }

  /**
   * Insert a node below a row and the remarks that are there already.
   * @param {Row} row
   * @param {HTMLElement} node
   */
  under(row, node) {
    /** @type {Element} */
    let after = row.node;
    while (after.nextElementSibling?.classList.contains("remarks")) after = after.nextElementSibling;
    after.after(el("tr.remarks", el("td", { colspan: 4 }, node)));
  }
}

const SIGNS = { same: " ", added: "+", removed: "−" };
const COLUMNS = { split: ["number", "text", "number", "text"], unified: ["number", "number", "sign", "text"] };

/**
 * Draw a table of lines; return it, its rows and the heads of its hunks.
 * @param {{path: string, hunks: Line[][]}} file
 * @param {boolean} isSplit
 */
function drawHunks(file, isSplit) {
  const body = el("tbody");
  /** @type {Row[]} */
  const rows = [];
  const moves = movesOf(file);
  const splitCells = (/** @type {Pair} */ { old, new: now }) =>
    [numberCell(old?.old), codeCell(old, moves), numberCell(now?.new), codeCell(now, moves)];
  const unifiedCells = (/** @type {Line} */ line) =>
    [numberCell(line.old), numberCell(line.new), signCell(line), codeCell(line, moves)];
  const heads = file.hunks.map((lines, hunk) => {
    const head = el("tr.hunk", el("td", { colspan: 4 }, hunkRange(file, lines), el("span.since")));
    body.append(head);
    const pairs = isSplit ? paired(lines) : lines.map(alone);
    pairs.forEach((pair, index) => {
      const node = el("tr.line", { tabindex: -1 }, isSplit ? splitCells(pair) : unifiedCells(lines[index]));
      const texts = { old: pair.old?.text, new: pair.new?.text };
      const row = { node, old: pair.old?.old ?? null, new: pair.new?.new ?? null, texts, hunk, near: null };
      setRow(node, row);
      rows.push(row);
      body.append(node);
    });
    return head;
  });
  // The line near a removed one is the next line that still exists.
  rows.reduceRight((near, row) => (row.near = row.new ?? near), /** @type {number | null} */ (null));
  const look = isSplit ? "split" : "unified";
  const columns = el("colgroup", COLUMNS[look].map((name) => el("col", { class: name })));
  const node = el(`table.diff.mono.${look}`, { "aria-label": `Differences in ${file.path}` }, columns, body);
  return { node, rows, heads };
}

/**
 * Return the lines that a hunk covers.
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
 * Return a line as a pair: a removed one has no new side, an added one no old side.
 * @param {Line} line
 * @returns {Pair}
 */
const alone = (line) => ({ removed: { old: line }, added: { new: line } })[line.kind] ?? { old: line, new: line };

/**
 * Return lines side by side: removed ones beside the added ones that replaced them.
 * @param {Line[]} lines
 */
function paired(lines) {
  /** @type {Pair[]} */
  const pairs = [];
  let [removed, added] = [0, 0]; // how many lines have been added or removed since `start`
  let start = 0;
  for (const line of lines) {
    if (line.kind === "removed") (pairs[start + removed++] ??= {}).old = line;
    else if (line.kind === "added") (pairs[start + added++] ??= {}).new = line;
    else {
      start = pairs.push({ old: line, new: line });
      removed = added = 0;
    }
  }
  return pairs;
}

/** @param {Line} line */
const look = (line) => (line.moved ? `${line.kind} moved` : line.kind);
/** @param {number | undefined} value */
const numberCell = (value) => el("td.line-number", value ?? "");
/** @param {Line} line */
const signCell = (line) => el("td", { class: `sign ${look(line)}` }, SIGNS[line.kind]);

/**
 * @param {Line | undefined} line
 * @param {Map<Line, string>} moves
 */
function codeCell(line, moves) {
  if (!line) return el("td.code.nothing");
  const note = (line.note !== "CRLF" || line.kind !== "same") && line.note;
  return el("td", { class: `code ${look(line)}`, dataset: { sign: SIGNS[line.kind] } }, markChanges(line),
    note && el("span.tag", note), moves.has(line) && el("span.tag.info", moves.get(line)));
}

/**
 * Return the text of a line with its changed words marked. Their positions count code points, not UTF-16 units.
 * @param {Line} line
 */
function markChanges({ text, changed }) {
  if (!changed.length) return text;
  const characters = [...text];
  const pieces = [];
  let at = 0;
  for (const [start, end] of changed) {
    pieces.push(characters.slice(at, start).join(""), el("mark", characters.slice(start, end).join("")));
    at = end;
  }
  return [...pieces, characters.slice(at).join("")];
}

/**
 * Describe where each moved block came from or went to, by its first line.
 * @param {{path: string, hunks: Line[][]}} file
 * @returns {Map<Line, string>}
 */
function movesOf({ path, hunks }) {
  const moves = new Map();
  for (const [kind, word] of [["removed", "to"], ["added", "from"]]) {
    /** @type {string | undefined} */
    let next;
    for (const line of hunks.flat().filter((one) => one.kind === kind)) {
      const [, file, number] = line.moved?.match(/^(.*):(\d+)$/s) ?? [];
      const there = file === path ? `line ${number}` : line.moved;
      if (file && line.moved !== next) moves.set(line, `moved ${word} ${there}`);
      next = file && `${file}:${Number(number) + 1}`;
    }
  }
  return moves;
}
