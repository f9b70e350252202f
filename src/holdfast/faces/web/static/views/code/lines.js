// The lines of a file: only those in view are in the document; pages are loaded when they are scrolled to.

import { get } from "../../api.js";
import { pluralise } from "../../display.js";
import { el, fill } from "../../dom.js";

/** @import { View } from "../../view.js" */

/**
 * The heat of a function: how complex it is and how often it has changed.
 * @typedef {{function: string, line: number, end_line: number, cyclomatic: number, changes: number,
 *   heat: number | null}} Measured
 */

/** @typedef {{first: number, last: number}} Range of lines */

/** A piece of a line: how to colour it, and its text.
 * @typedef {[kind: string | null, text: string]} Piece
 */

/** The height of a line in pixels, as in code.css. */
export const ROW = 20;
/** Lines that are loaded at a time; a judgement: some tens of kilobytes. */
const PAGE_SIZE = 1000;
/** Lines kept above and below those in view; a judgement: half a screen. */
const OVERSCAN = 25;

/** The lines of a file, and which of them are selected. */
export class Lines {
  /**
   * @param {View} view
   * @param {{file: string, revision: string | null}} query
   */
  constructor(view, query) {
    this.view = view;
    this.query = query;
    this.revision = query.revision;
    /** @type {(Range & {from: number, to: number}) | null} it goes from `from` to `to`, in either direction */
    this.selection = null;
    /** @type {Range | null} lines that are highlighted while the pointer is on their note */
    this.pointed = null;
    /** @type {number | null} the line where a selection by mouse began */
    this.dragged = null;
    /** @type {any} the first page */
    this.page = null;
    this.selectionChanged = () => {};
    /** @type {Piece[][]} by line number; holes where a page has not been loaded */
    this.lines = [];
    /** @type {Map<number, HTMLElement>} the lines in the document */
    this.nodes = new Map();
    /** @type {Set<number>} the first lines of the pages that are being loaded */
    this.loading = new Set();
    /** @type {Map<number, Measured>} the function around each line */
    this.heat = new Map();
    /** @type {Map<number, any[]>} the notes of each line */
    this.noted = new Map();
    this.rows = el("div.rows");
    this.column = el("div.column", this.rows);
    this.canvas = el("div.canvas", this.column);
    const label = `Source of ${query.file}`;
    this.box = el("div.code-box.card", { tabindex: "0", role: "region", "aria-label": label }, this.canvas);
    this.listen();
  }

  get total() {
    return this.page.total_lines;
  }

  /**
   * Load a page.
   * @param {number} start
   */
  read(start, limit = PAGE_SIZE) {
    return get("source/read_source", { ...this.query, start, limit }, this.view);
  }

  /**
   * Add a page.
   * @param {{start: number, lines: Piece[][]}} page
   */
  add(page) {
    this.page = page.start === 1 ? page : this.page;
    page.lines.forEach((pieces, index) => (this.lines[page.start + index] = pieces));
  }

  /** Check whether the text has changed; if so show the new one. Return whether it has. */
  async refresh() {
    const current = await this.read(2, 1); // from the second line on an answer has no outline and is small
    if (current.digest === this.page.digest) return false;
    const [first, last] = this.inView();
    const pages = await Promise.all([this.read(1), ...(last > PAGE_SIZE ? [this.read(first)] : [])]);
    if (this.view.signal.aborted) return false;
    this.lines = [];
    this.nodes.clear();
    this.loading.clear();
    pages.forEach((page) => this.add(page));
    if (this.selection && this.selection.last > this.total) this.clear();
    this.draw();
    return true;
  }

  /** Return the first and the last line in view, with some around them. */
  inView() {
    const first = Math.floor(this.box.scrollTop / ROW) - OVERSCAN;
    const last = Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + OVERSCAN;
    return [Math.max(1, first), Math.min(this.total, last)];
  }

  /** Put the lines in view into the document, and load those that are missing. */
  draw() {
    const [first, last] = this.inView();
    this.column.style.setProperty("height", `${this.total * ROW}px`);
    this.column.style.setProperty("--digits", String(String(this.total).length));
    this.rows.style.setProperty("padding-top", `${(first - 1) * ROW}px`);
    const kept = new Map();
    /** @type {number | null} */
    let missing = null;
    for (let line = first; line <= last; line += 1) {
      if (this.lines[line] === undefined) missing ??= line;
      kept.set(line, this.nodes.get(line) ?? this.row(line));
    }
    this.nodes = kept;
    fill(this.rows, [...kept.values()]);
    if (missing !== null) this.fetch(missing);
  }

  /** @param {number} start */
  async fetch(start) {
    if (this.loading.has(start)) return;
    this.loading.add(start);
    const page = await this.read(start).catch(() => null);
    if (!page || page.digest !== this.page.digest) return void this.loading.delete(start);
    this.add(page);
    page.lines.forEach((_, index) => this.nodes.delete(page.start + index));
    this.draw();
  }

  /** @param {number} line */
  row(line) {
    const noted = this.noted.get(line)?.length;
    const number = el("span.number", { title: noted && pluralise(noted, "note"), "data-noted": noted }, line);
    return el("div", { class: `line${this.marks(line)}`, dataset: { line } },
      number, heatMark(this.heat.get(line)), el("code", coloured(this.lines[line] ?? [])));
  }

  /** @param {number} line */
  marks(line) {
    const within = (/** @type {Range | null} */ range) => range !== null && line >= range.first && line <= range.last;
    return (within(this.selection) ? " selected" : "") + (within(this.pointed) ? " pointed" : "");
  }

  updateMarks() {
    for (const [line, node] of this.nodes) node.className = `line${this.marks(line)}`;
  }

  /** @param {Measured[]} functions */
  setHeat(functions) {
    this.heat.clear();
    for (const one of functions.toSorted((left, right) => left.line - right.line)) {
      for (let line = one.line; line <= one.end_line; line += 1) this.heat.set(line, one);
    }
    this.redraw();
  }

  redraw() {
    this.nodes.clear();
    this.draw();
  }

  /**
   * Highlight lines while the pointer is on their note; null ends it.
   * @param {Range | null} range
   */
  point(range) {
    this.pointed = range;
    this.updateMarks();
  }

  /**
   * Select lines, put them into the address, and with `scroll` scroll them into view.
   * @param {number} first
   * @param {number} last
   * @param {{scroll?: boolean, address?: boolean}} options
   */
  select(first, last, { scroll = false, address = true } = {}) {
    const inside = (/** @type {number} */ line) => Math.min(Math.max(1, line), Math.max(1, this.total));
    const [start, end] = [inside(Math.min(first, last)), inside(Math.max(first, last))];
    this.selection = { first: start, last: end, from: inside(first), to: inside(last) };
    if (address) history.replaceState(null, "", `#L${start}${end > start ? `-L${end}` : ""}`);
    if (scroll) this.reveal(inside(last), start);
    this.updateMarks();
    this.selectionChanged();
  }

  clear() {
    this.selection = null;
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    this.updateMarks();
    this.selectionChanged();
  }

  /**
   * Scroll a line into view.
   * @param {number} line
   * @param {number} start the first line of the selection that it belongs to
   */
  reveal(line, start = line) {
    const top = (line - 1) * ROW;
    const { scrollTop, clientHeight } = this.box;
    const isVisible = top >= scrollTop + ROW && top <= scrollTop + clientHeight - 3 * ROW;
    if (!isVisible) this.box.scrollTop = Math.max(0, (start - 1) * ROW - clientHeight / 3);
    this.draw();
  }

  /**
   * Move the selection by lines from its end; `extend` keeps its beginning.
   * @param {number} by
   */
  step(by, extend = false) {
    const top = Math.floor(this.box.scrollTop / ROW) + 1;
    const { from, to } = this.selection ?? { from: null, to: top - by };
    const next = Math.min(Math.max(1, to + by), this.total);
    this.select(extend ? from ?? next : next, next);
    this.reveal(next);
  }

  followHash() {
    const found = location.hash.match(/^#L(\d+)(?:-L?(\d+))?$/);
    if (found) this.select(Number(found[1]), Number(found[2] ?? found[1]), { scroll: true, address: false });
  }

  listen() {
    const { signal } = this.view;
    this.box.addEventListener("scroll", () => this.draw()); // browsers send it at most once per frame
    addEventListener("resize", () => this.page && this.draw(), { signal });
    this.rows.addEventListener("pointerdown", (event) => this.press(event));
    const drag = ({ target }) => this.dragged && lineOf(target) && this.select(this.dragged, lineOf(target));
    this.rows.addEventListener("pointerover", drag);
    addEventListener("pointerup", () => (this.dragged = null), { signal });
    this.box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.target !== this.box || !step) return;
      event.preventDefault();
      this.step(step, event.shiftKey);
    });
  }

  /**
   * Select by the line numbers: press, drag, or press with Shift.
   * @param {PointerEvent} event
   */
  press(event) {
    const line = lineOf(/** @type {Element} */ (event.target).closest(".number"));
    if (!line || event.button !== 0) return;
    event.preventDefault();
    this.dragged = event.shiftKey && this.selection ? this.selection.from : line;
    this.select(this.dragged, line);
  }
}

/**
 * Return the pieces of a line as nodes.
 * @param {Piece[]} pieces
 */
export const coloured = (pieces) =>
  (pieces.map(([kind, part]) => (kind ? el("span", { class: `is-${kind}` }, part) : part)));

/** @param {Element | null | undefined} node */
const lineOf = (node) =>
  Number(/** @type {HTMLElement | null | undefined} */ (node?.closest("[data-line]"))?.dataset.line ?? 0);

/**
 * Explain the heat of a function: its complexity times its changes, in five steps.
 * @param {Measured} measured
 */
export function heatText({ function: name, cyclomatic, changes, heat }) {
  if (heat === null) return `${name}: complexity ${cyclomatic}; the number of changes is unknown`;
  return `${name}: complexity ${cyclomatic} × ${pluralise(changes, "change")} in 90 days, heat ${heat} of 5`;
}

/**
 * Return the mark of a function's heat, the wider the hotter; an empty one outside functions.
 * @param {Measured | null | undefined} found
 */
export const heatMark = (found) =>
  el("span.heat", { title: found && heatText(found), dataset: { step: found?.heat ?? 0 } });

/**
 * Find the function of a symbol of the outline by its lines; a symbol may begin earlier, with decorators.
 * @param {Measured[]} functions
 * @param {number} start
 * @param {number} end
 */
export const functionAt = (functions, start, end) =>
  functions.find((one) => one.line >= start && one.end_line === end) ?? null;
