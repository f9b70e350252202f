// The lines of a file: only those in sight are in the document, pages come as they are scrolled to.

import { el, fill } from "../../dom.js";
import { get } from "../../api.js";
import { functionsByLine, heatMark } from "./heat.js";

export const ROW = 20;
const PAGE = 1000;
const AROUND = 25;

/** The lines of one file, and which of them are selected. */
export class Lines {
  constructor(view, query) {
    Object.assign(this, { view, query, revision: query.revision, lines: [], nodes: new Map(), asked: new Set(), heat: new Map(), noted: new Map() });
    this.selection = null;
    this.pointed = null;
    this.selected = () => {};
    this.rows = el("div", { class: "rows" });
    this.column = el("div", { class: "column" }, this.rows);
    this.canvas = el("div", { class: "canvas" }, this.column);
    this.box = el("div", { class: "code-box", tabindex: "0", role: "region", "aria-label": `Source of ${query.file}` }, this.canvas);
    this.listen();
  }

  /** Read the first page. */
  async begin() {
    this.take(await this.read(1));
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
    const pieces = this.lines[line] ?? [];
    const found = this.heat.get(line) ?? null;
    const notes = this.noted.get(line);
    const number = el("span", { class: "number", title: notes ? `${notes} ${notes === 1 ? "note" : "notes"}` : null, "data-noted": notes ?? null }, line);
    const text = el("code", {}, coloured(pieces));
    return el("div", { class: `line${this.marks(line)}`, dataset: { line } }, number, heatMark(found), text);
  }

  marks(line) {
    const within = (range) => range !== null && line >= range.first && line <= range.last;
    return (within(this.selection) ? " selected" : "") + (within(this.pointed) ? " pointed" : "");
  }

  remark() {
    for (const [line, node] of this.nodes) node.className = `line${this.marks(line)}`;
  }

  /** Draw anew with the heat of functions. */
  setHeat(functions) {
    this.heat = functionsByLine(functions);
    this.redraw();
  }

  /** Draw anew with how many notes each line has. */
  setNoted(noted) {
    this.noted = noted;
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
    if (address) history.replaceState(null, "", `${location.pathname}${location.search}#L${start}${end > start ? `-L${end}` : ""}`);
    if (scroll) this.reveal(inside(last), start);
    this.remark();
    this.selected();
  }

  /** Select nothing. */
  clear() {
    this.selection = null;
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    this.remark();
    this.selected();
  }

  reveal(line, start = line) {
    const top = (line - 1) * ROW;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop + ROW || top > scrollTop + clientHeight - 3 * ROW) this.box.scrollTop = Math.max(0, (start - 1) * ROW - clientHeight / 3);
    this.draw();
  }

  /** Move by lines from where the selection ends; `extend` keeps its beginning. */
  step(by, extend = false) {
    const { from, to } = this.selection ?? { from: null, to: this.inSight()[0] + (this.box.scrollTop > AROUND * ROW ? AROUND : 0) - by };
    const next = Math.min(Math.max(1, to + by), this.total);
    this.select(extend ? from ?? next : next, next);
    this.reveal(next);
  }

  /** Select what the address names. */
  followHash() {
    const found = location.hash.match(/^#L(\d+)(?:-L?(\d+))?$/);
    if (found) this.select(Number(found[1]), Number(found[2] ?? found[1]), { scroll: true, address: false });
  }

  listen() {
    const { signal } = this.view;
    let frame = 0;
    this.box.addEventListener("scroll", () => (frame ||= requestAnimationFrame(() => ((frame = 0), this.draw()))), { signal });
    addEventListener("resize", () => this.page && this.draw(), { signal });
    this.rows.addEventListener("pointerdown", (event) => this.press(event), { signal });
    this.box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.target !== this.box || !step) return;
      event.preventDefault();
      this.step(step, event.shiftKey);
    }, { signal });
  }

  /** Select by the numbers: press, drag, or press with Shift. */
  press(event) {
    const line = lineOf(event.target.closest(".number"));
    if (!line || event.button !== 0) return;
    event.preventDefault();
    const from = event.shiftKey && this.selection ? this.selection.from : line;
    this.select(from, line);
    const drag = (moved) => {
      const over = lineOf(document.elementFromPoint(moved.clientX, moved.clientY)?.closest(".line"));
      if (over && over !== this.selection.to) this.select(from, over);
    };
    const end = () => (removeEventListener("pointermove", drag), removeEventListener("pointerup", end));
    addEventListener("pointermove", drag, { signal: this.view.signal });
    addEventListener("pointerup", end, { signal: this.view.signal });
  }
}

/** Return the pieces of a line as nodes. */
export function coloured(pieces) {
  return pieces.map(([kind, part]) => (kind ? el("span", { class: `is-${kind}` }, part) : part));
}

function lineOf(node) {
  return Number(node?.closest("[data-line]")?.dataset.line ?? 0);
}
