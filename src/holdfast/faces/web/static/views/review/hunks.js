// The lines of a file in a diff, as a table: unified, or old and new side by side.

import { el } from "../../dom.js";
import { codeAddress } from "../../links.js";

/** @import { Row } from "./remarks.js" */

/**
 * A line of a diff. `old` and `new` are its line numbers; `changed` holds the ranges of changed words, `styles` those
 * that are coloured.
 * @typedef {{kind: "same" | "added" | "removed", text: string, old?: number, new?: number, changed: [number, number][],
 *   styles: [number, number, string][], moved?: string, note?: string}} Line
 */

/** @typedef {{old?: Line, new?: Line}} Pair an old and a new line that are shown side by side */

/** The sign of a line, by its kind. */
const SIGNS = { same: " ", added: "+", removed: "−" };
/** The classes of the columns in each layout. */
const COLUMNS = { split: ["number", "text", "number", "text"], unified: ["number", "number", "sign", "text"] };

/**
 * The row that an element shows.
 * @type {WeakMap<Element, Row>}
 */
const rowsByNode = new WeakMap();

/** @param {Element} node the element of a row */
export const rowOf = (node) => /** @type {Row} */ (rowsByNode.get(node));

/** @typedef {{from: number, to: number}} Gap unchanged lines of the new version that are not shown */

/**
 * Return the gap before each hunk and, last, the one after them; null where nothing is left out.
 * @param {Line[][]} hunks
 * @param {number | null} total the number of lines of the new version
 * @returns {(Gap | null)[]}
 */
export function gapsBetween(hunks, total) {
  let next = 1;
  const gaps = hunks.map((lines) => {
    const numbers = lines.map((line) => line.new ?? 0).filter(Boolean);
    if (!numbers.length) return null;
    const gap = numbers[0] > next ? { from: next, to: numbers[0] - 1 } : null;
    next = numbers[numbers.length - 1] + 1;
    return gap;
  });
  return [...gaps, hunks.length && total && total >= next ? { from: next, to: total } : null];
}

/**
 * Draw the lines of a file as a table; return its node, its rows and the heads of its hunks.
 * @param {{path: string, hunks: Line[][]}} file
 * @param {boolean} isSplit
 */
export function drawHunks(file, isSplit) {
  const body = el("tbody");
  /** @type {Row[]} */
  const rows = [];
  const moves = describeMoves(file);
  const splitCells = (/** @type {Pair} */ pair) => [numberCell(pair.old?.old), codeCell(pair.old, moves),
    numberCell(pair.new?.new), codeCell(pair.new, moves)];
  const unifiedCells = (/** @type {Line} */ line) =>
    [numberCell(line.old), numberCell(line.new), signCell(line), codeCell(line, moves)];
  const heads = file.hunks.map((lines, hunk) => {
    const head = el("tr.hunk", el("td", { colspan: 4 }, hunkRange(file, lines), el("span.unfold"),
      el("span.since")));
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
