// The lines of a file: only those in sight are in the document, pages come as they are scrolled to.

import { get } from "../../api.js";
import { counted, el, fill } from "../../dom.js";

export const ROW = 20;
const PAGE = 1000;
const AROUND = 25;

/** The lines of one file, and which of them are selected. */
export class Lines {
  constructor(view, query) {
    Object.assign(this, { view, query, revision: query.revision, selection: null, pointed: null, dragged: null });
    Object.assign(this, { lines: [], nodes: new Map(), asked: new Set(), heat: new Map(), noted: new Map() });
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

  read(start, limit = PAGE) {
    return get("source/read_source", { ...this.query, start, limit }, this.view);
  }

  take(page) {
    this.page = page.start === 1 ? page : this.page;
    page.lines.forEach((pieces, at) => (this.lines[page.start + at] = pieces));
  }

  /** Look whether the text is another by now; if so show that, and say so. */
  async renew() {
    const seen = await this.read(2, 1); // which has no outline
    if (seen.digest === this.page.digest) return false;
    const [first, last] = this.inSight();
    const pages = await Promise.all([this.read(1), ...(last > PAGE ? [this.read(first)] : [])]);
    if (this.view.signal.aborted) return false;
    this.lines = [];
    this.nodes.clear();
    this.asked.clear();
    pages.forEach((page) => this.take(page));
    if (this.selection && this.selection.last > this.total) this.clear();
    this.draw();
    return true;
  }

  inSight() {
    const first = Math.floor(this.box.scrollTop / ROW) - AROUND;
    const last = Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + AROUND;
    return [Math.max(1, first), Math.min(this.total, last)];
  }

  /** Put the lines in sight into the document, and ask for those that are not here yet. */
  draw() {
    const [first, last] = this.inSight();
    this.column.style.setProperty("height", `${this.total * ROW}px`);
    this.column.style.setProperty("--digits", String(this.total).length);
    this.rows.style.setProperty("padding-top", `${(first - 1) * ROW}px`);
    const kept = new Map();
    let missing = null;
    for (let line = first; line <= last; line += 1) {
      if (this.lines[line] === undefined) missing ??= line;
      kept.set(line, this.nodes.get(line) ?? this.row(line));
    }
    this.nodes = kept;
    fill(this.rows, [...kept.values()]);
    if (missing !== null) this.fetch(missing);
  }

  async fetch(start) {
    if (this.asked.has(start)) return;
    this.asked.add(start);
    const page = await this.read(start).catch(() => null);
    if (!page || page.digest !== this.page.digest) return void this.asked.delete(start);
    this.take(page);
    page.lines.forEach((_, at) => this.nodes.delete(page.start + at));
    this.draw();
  }

  row(line) {
    const noted = this.noted.get(line)?.length;
    const number = el("span.number", { title: noted && counted(noted, "note"), "data-noted": noted }, line);
    return el("div", { class: `line${this.marks(line)}`, dataset: { line } },
      number, heatMark(this.heat.get(line)), el("code", coloured(this.lines[line] ?? [])));
  }

  marks(line) {
    const within = (range) => range !== null && line >= range.first && line <= range.last;
    return (within(this.selection) ? " selected" : "") + (within(this.pointed) ? " pointed" : "");
  }

  remark() {
    for (const [line, node] of this.nodes) node.className = `line${this.marks(line)}`;
  }

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

  /** Point at lines while somebody looks at what belongs to them; null ends it. */
  point(range) {
    this.pointed = range;
    this.remark();
  }

  /** Select lines: the address says so, and `scroll` brings them into sight. */
  select(first, last, { scroll = false, address = true } = {}) {
    const inside = (line) => Math.min(Math.max(1, line), Math.max(1, this.total));
    const [start, end] = [inside(Math.min(first, last)), inside(Math.max(first, last))];
    this.selection = { first: start, last: end, from: inside(first), to: inside(last) };
    if (address) history.replaceState(null, "", `#L${start}${end > start ? `-L${end}` : ""}`);
    if (scroll) this.reveal(inside(last), start);
    this.remark();
    this.selected();
  }

  clear() {
    this.selection = null;
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    this.remark();
    this.selected();
  }

  reveal(line, start = line) {
    const top = (line - 1) * ROW;
    const { scrollTop, clientHeight } = this.box;
    const isSeen = top >= scrollTop + ROW && top <= scrollTop + clientHeight - 3 * ROW;
    if (!isSeen) this.box.scrollTop = Math.max(0, (start - 1) * ROW - clientHeight / 3);
    this.draw();
  }

  /** Move by lines from where the selection ends; `extend` keeps its beginning. */
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
    this.box.addEventListener("scroll", () => this.draw()); // at most once for each frame that is painted
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

  /** Select by the numbers: press, drag, or press with Shift. */
  press(event) {
    const line = lineOf(event.target.closest(".number"));
    if (!line || event.button !== 0) return;
    event.preventDefault();
    this.dragged = event.shiftKey && this.selection ? this.selection.from : line; // where the selection begins
    this.select(this.dragged, line);
  }
}

export const coloured = (pieces) =>
  (pieces.map(([kind, part]) => (kind ? el("span", { class: `is-${kind}` }, part) : part)));

const lineOf = (node) => Number(node?.closest("[data-line]")?.dataset.line ?? 0);

// Heat of functions: complexity times changes in five steps, as a mark that is wider the hotter it is.

/** Return what a function's heat means, in words. */
export function heatWords({ function: name, cyclomatic, changes, heat }) {
  if (heat === null) return `${name}: complexity ${cyclomatic}; how often it changed is not known`;
  return `${name}: complexity ${cyclomatic} × ${counted(changes, "change")} in 90 days, heat ${heat} of 5`;
}

/** Return the mark of a function's heat; an empty one where there is none. */
export const heatMark = (found) =>
  el("span.heat", { title: found && heatWords(found), dataset: { step: found?.heat ?? 0 } });

/** Return the function that an outline's symbol is, by its lines: decorators may come before its own first line. */
export const functionAt = (functions, start, end) =>
  functions.find((one) => one.line >= start && one.end_line === end) ?? null;
