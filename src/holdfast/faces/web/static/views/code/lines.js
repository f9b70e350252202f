// The lines of a file: only the lines in view are in the document, and pages are loaded when they are scrolled to.

import { get } from "../../api.js";
import { pluralise } from "../../display.js";
import { el, fill } from "../../dom.js";
import { blameMark } from "./blame.js";

/** @import { View } from "../../view.js" */
/** @import { Span } from "./blame.js" */

/**
 * The complexity of a function, its changes in 90 days, and its heat from 1 to 5; null if the changes are unknown.
 * @typedef {{function: string, line: number, end_line: number, cyclomatic: number, changes: number,
 *   heat: number | null}} FunctionHeat
 */

/** @typedef {{first: number, last: number}} Range a range of lines */

/**
 * A piece of a line: the kind of token, which determines the colour, and the text.
 * @typedef {[kind: string | null, text: string]} Piece
 */

/** The height of a line in pixels, as in code.css. */
export const LINE_HEIGHT_PX = 20;
/** The number of lines that are loaded at a time; a judgement: some tens of kilobytes. */
const LINES_PER_PAGE = 1000;
/** The number of lines in the document above and below those in view; a judgement: half a screen. */
const OVERSCAN_LINES = 25;

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
    /** @type {(Range & {from: number, to: number}) | null} selected from `from` to `to`, in either direction */
    this.selection = null;
    /** @type {Range | null} the lines of the note under the pointer */
    this.highlighted = null;
    /** @type {number | null} the line at which a selection with the mouse started */
    this.dragStart = null;
    /** @type {any} the first page, which has the facts about the file */
    this.firstPage = null;
    this.onSelectionChange = () => {};
    this.onMove = () => {};
    /** @type {Piece[][]} by line number; undefined where a page has not been loaded */
    this.lines = [];
    /** @type {Map<number, HTMLElement>} the elements in the document, by line number */
    this.nodes = new Map();
    /** @type {Set<number>} the first line numbers of the pages that are being loaded */
    this.loading = new Set();
    /** @type {Map<number, FunctionHeat>} the heat of the innermost function around each line */
    this.heat = new Map();
    /** @type {Map<number, Span> | null} who last changed each line; null while that is not shown */
    this.blame = null;
    /** @type {Map<number, any[]>} the notes of each line */
    this.notesByLine = new Map();
    this.rows = el("div.rows");
    this.column = el("div.column", this.rows);
    this.canvas = el("div.canvas", this.column);
    const label = `Source of ${query.file}`;
    this.box = el("div.code-box.card", { tabindex: "0", role: "region", "aria-label": label }, this.canvas);
    this.addListeners();
  }

  /** The number of lines. */
  get total() {
    return this.firstPage.total_lines;
  }

  /** @param {number} start */
  requestPage(start, limit = LINES_PER_PAGE) {
    return get("source/read_source", { ...this.query, start, limit, highlight: true }, this.view);
  }

  /** @param {{start: number, lines: Piece[][]}} page */
  addPage(page) {
    if (page.start === 1) this.firstPage = page;
    page.lines.forEach((pieces, index) => (this.lines[page.start + index] = pieces));
  }

  /** Check whether the file has changed, and if so show its new lines. Return whether it has. */
  async refresh() {
    const current = await this.requestPage(2, 1); // only a response from line 1 has the outline, so this one is small
    if (current.digest === this.firstPage.digest) return false;
    const [first, last] = this.visibleRange();
    const starts = last > LINES_PER_PAGE ? [1, first] : [1];
    const pages = await Promise.all(starts.map((start) => this.requestPage(start)));
    if (this.view.signal.aborted) return false;
    this.lines = [];
    this.nodes.clear();
    this.loading.clear();
    pages.forEach((page) => this.addPage(page));
    if (this.selection && this.selection.last > this.total) this.clear();
    this.draw();
    return true;
  }

  /** Return the numbers of the first and the last line to show: those in view and some around them. */
  visibleRange() {
    const first = Math.floor(this.box.scrollTop / LINE_HEIGHT_PX) - OVERSCAN_LINES;
    const last = Math.ceil((this.box.scrollTop + this.box.clientHeight) / LINE_HEIGHT_PX) + OVERSCAN_LINES;
    return [Math.max(1, first), Math.min(this.total, last)];
  }

  /** The line that the user is at: the end of the selection if it is in view, else the first line in view. */
  get currentLine() {
    const { scrollTop, clientHeight } = this.box;
    const top = Math.floor(scrollTop / LINE_HEIGHT_PX) + 1;
    const bottom = Math.floor((scrollTop + clientHeight) / LINE_HEIGHT_PX) + 1;
    const selected = this.selection?.to ?? 0;
    return top <= selected && selected <= bottom ? selected : top;
  }

  /**
   * Return the text of some lines, as far as they have been loaded.
   * @param {Range} range
   */
  textOf({ first, last }) {
    const texts = this.lines.slice(first, last + 1).map((pieces) => (pieces ?? []).map(([, part]) => part).join(""));
    return texts.join("\n");
  }

  /** Put the lines in view into the document, and load those that are missing. */
  draw() {
    const [first, last] = this.visibleRange();
    this.column.style.setProperty("height", `${this.total * LINE_HEIGHT_PX}px`);
    this.column.style.setProperty("--digits", String(String(this.total).length));
    this.rows.style.setProperty("padding-top", `${(first - 1) * LINE_HEIGHT_PX}px`);
    const kept = new Map();
    /** @type {number | null} */
    let missing = null;
    for (let line = first; line <= last; line += 1) {
      if (this.lines[line] === undefined) missing ??= line;
      kept.set(line, this.nodes.get(line) ?? this.drawLine(line));
    }
    this.nodes = kept;
    fill(this.rows, [...kept.values()]);
    if (missing !== null) this.loadPage(missing);
  }

  /**
   * Load the page that starts at a line and draw it.
   * @param {number} start
   */
  async loadPage(start) {
    if (this.loading.has(start)) return;
    this.loading.add(start);
    const page = await this.requestPage(start).catch(() => null);
    if (!page || page.digest !== this.firstPage.digest) {
      this.loading.delete(start); // failed or of a newer version: the next draw requests it again
      return;
    }
    this.addPage(page);
    page.lines.forEach((_, index) => this.nodes.delete(page.start + index));
    this.draw();
  }

  /** @param {number} line */
  drawLine(line) {
    const noteCount = this.notesByLine.get(line)?.length;
    const title = noteCount && pluralise(noteCount, "note");
    const number = el("span.number", { title, "data-noted": noteCount }, line);
    return el("div", { class: this.lineClass(line), dataset: { line } },
      this.blame && blameMark(this.blame.get(line), line), number, heatMark(this.heat.get(line)),
      el("code", highlightSyntax(this.lines[line] ?? [])));
  }

  /** @param {number} line */
  lineClass(line) {
    const isWithin = (/** @type {Range | null} */ range) => range && line >= range.first && line <= range.last;
    const classes = ["line", isWithin(this.selection) && "selected", isWithin(this.highlighted) && "pointed"];
    return classes.filter(Boolean).join(" ");
  }

  /** Mark the lines that are selected or highlighted. */
  updateMarks() {
    for (const [line, node] of this.nodes) node.className = this.lineClass(line);
  }

  /** @param {FunctionHeat[]} functions */
  setHeat(functions) {
    this.heat.clear();
    // An inner function starts after the outer one and so replaces its heat.
    for (const heat of functions.toSorted((one, other) => one.line - other.line)) {
      for (let line = heat.line; line <= heat.end_line; line += 1) this.heat.set(line, heat);
    }
    this.redraw();
  }

  /** @param {Map<number, Span> | null} blame */
  setBlame(blame) {
    this.blame = blame;
    this.box.classList.toggle("blamed", blame !== null);
    this.redraw();
  }

  /** Draw all lines in view again. */
  redraw() {
    this.nodes.clear();
    this.draw();
  }

  /**
   * Highlight the lines of the note under the pointer; null removes the highlight.
   * @param {Range | null} range
   */
  highlight(range) {
    this.highlighted = range;
    this.updateMarks();
  }

  /**
   * Select lines. With `address` they are put into the URL, with `scroll` they are scrolled into view.
   * @param {number} first
   * @param {number} last
   * @param {{scroll?: boolean, address?: boolean}} options
   */
  select(first, last, { scroll = false, address = true } = {}) {
    const clamp = (/** @type {number} */ line) => Math.min(Math.max(1, line), Math.max(1, this.total));
    const from = clamp(first), to = clamp(last);
    const start = Math.min(from, to), end = Math.max(from, to);
    this.selection = { first: start, last: end, from, to };
    if (address) history.replaceState(null, "", `#L${start}${end > start ? `-L${end}` : ""}`);
    if (scroll) this.reveal(to, start);
    this.updateMarks();
    this.onSelectionChange();
  }

  clear() {
    this.selection = null;
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    this.updateMarks();
    this.onSelectionChange();
  }

  /**
   * Unless a line is in view and not at the edge, scroll the selection that contains it into the upper third.
   * @param {number} line
   * @param {number} start the first line of the selection
   */
  reveal(line, start = line) {
    const top = (line - 1) * LINE_HEIGHT_PX;
    const { scrollTop, clientHeight } = this.box;
    const isVisible = top >= scrollTop + LINE_HEIGHT_PX && top <= scrollTop + clientHeight - 3 * LINE_HEIGHT_PX;
    if (!isVisible) this.box.scrollTop = Math.max(0, (start - 1) * LINE_HEIGHT_PX - clientHeight / 3);
    this.draw();
  }

  /**
   * Move the end of the selection by some lines; `extend` keeps its start. Without a selection, select the first line
   * in view.
   * @param {number} offset
   * @param {{extend?: boolean}} options
   */
  step(offset, { extend = false } = {}) {
    const top = Math.floor(this.box.scrollTop / LINE_HEIGHT_PX) + 1;
    const wanted = this.selection ? this.selection.to + offset : top;
    const next = Math.min(Math.max(1, wanted), this.total);
    this.select(extend && this.selection ? this.selection.from : next, next);
    this.reveal(next);
  }

  /** Select the lines in the fragment of the URL: "#L3-L5". */
  selectFromHash() {
    const { first, last = first } = location.hash.match(/^#L(?<first>\d+)(?:-L?(?<last>\d+))?$/)?.groups ?? {};
    if (first) this.select(Number(first), Number(last), { scroll: true, address: false });
  }

  addListeners() {
    const { signal } = this.view;
    this.box.addEventListener("scroll", () => { // browsers send it at most once per frame
      this.draw();
      this.onMove();
    });
    addEventListener("resize", () => this.firstPage && this.draw(), { signal });
    this.rows.addEventListener("pointerdown", (event) => this.press(event));
    this.rows.addEventListener("pointerover", ({ target }) => {
      const line = lineOf(/** @type {Element} */ (target));
      if (this.dragStart && line) this.select(this.dragStart, line);
    });
    addEventListener("pointerup", () => (this.dragStart = null), { signal });
    this.box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.target !== this.box || !step) return;
      event.preventDefault();
      this.step(step, { extend: event.shiftKey });
    });
  }

  /**
   * Start a selection on a line number; with Shift, extend the selection.
   * @param {PointerEvent} event
   */
  press(event) {
    const line = lineOf(/** @type {Element} */ (event.target).closest(".number"));
    if (!line || event.button !== 0) return;
    event.preventDefault();
    this.dragStart = event.shiftKey && this.selection ? this.selection.from : line;
    this.select(this.dragStart, line);
  }
}

/** @param {Piece[]} pieces */
export const highlightSyntax = (pieces) =>
  (pieces.map(([kind, part]) => (kind ? el("span", { class: `is-${kind}` }, part) : part)));

/**
 * Return the number of the line that contains an element, or 0.
 * @param {Element | null | undefined} node
 */
export const lineOf = (node) =>
  Number(/** @type {HTMLElement | null | undefined} */ (node?.closest("[data-line]"))?.dataset.line ?? 0);

/** @param {FunctionHeat} measured */
export function describeHeat({ function: name, cyclomatic, changes, heat }) {
  if (heat === null) return `${name}: complexity ${cyclomatic}; the number of changes is unknown`;
  return `${name}: complexity ${cyclomatic} × ${pluralise(changes, "change")} in 90 days, heat ${heat} of 5`;
}

/**
 * Return a mark that shows the heat of a function by its width; outside functions it is empty.
 * @param {FunctionHeat | null | undefined} heat
 */
export const heatMark = (heat) =>
  el("span.heat", { title: heat && describeHeat(heat), dataset: { step: heat?.heat ?? 0 } });

/**
 * Find the function for a symbol of the outline by its lines. A symbol may start earlier, at its decorators.
 * @param {FunctionHeat[]} functions
 * @param {number} start
 * @param {number} end
 */
export const findFunction = (functions, start, end) =>
  functions.find(({ line, end_line }) => line >= start && end_line === end) ?? null;
