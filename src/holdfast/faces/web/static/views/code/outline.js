// The outline of a file: its symbols with their heat; the one that is in view is marked.

import { el, fill } from "../../dom.js";
import { describeHeat, findFunction, heatMark } from "./lines.js";

/** @import { FunctionHeat, Lines } from "./lines.js" */

/**
 * A symbol: `path` is its name after those of the symbols around it, joined by dots.
 * @typedef {{name: string, path: string, kind: string, depth: number, start_line: number, end_line: number}} CodeSymbol
 */

/** The kinds of symbols in the outline, as the Language Server Protocol names them. */
const OUTLINE_KINDS = /^(Function|Method|Constructor|Class|Interface|Struct|Enum|Object|Module|Namespace)$/;
const FUNCTION_KINDS = /^(Function|Method|Constructor)$/;

/** The outline of a file. */
export class Outline {
  /** @param {Lines} lines */
  constructor(lines) {
    this.lines = lines;
    /** @type {CodeSymbol[]} in source order, so that an inner symbol follows the outer one */
    this.symbols = [];
    /** @type {HTMLElement | null} the entry that is marked */
    this.marked = null;
    this.node = el("ul.outline.plain-list");
  }

  /** @param {FunctionHeat[]} functions */
  draw(functions) {
    this.symbols = withPaths(this.lines.firstPage.outline ?? []);
    const shown = this.symbols.filter(({ kind }) => OUTLINE_KINDS.test(kind));
    fill(this.node, shown.length ? shown.map((symbol) => this.entry(symbol, functions)) : el("li.quiet", "No symbols"));
    this.marked = null;
    this.follow();
  }

  /**
   * @param {CodeSymbol} symbol
   * @param {FunctionHeat[]} functions
   */
  entry({ name, kind, depth, start_line: start, end_line: end }, functions) {
    const heat = FUNCTION_KINDS.test(kind) ? findFunction(functions, start, end) : null;
    const select = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.lines.select(start, start, { scroll: true });
    };
    const title = heat ? describeHeat(heat) : kind;
    const link = { href: `#L${start}`, title, dataset: { start }, on: { click: select } };
    return el("li", { style: { "--depth": depth } }, el("a", link, heatMark(heat), el("span.mono.one-line", name)));
  }

  /**
   * Return the innermost symbol of the outline around a line.
   * @param {number} line
   */
  symbolAt(line) {
    return this.symbols.findLast(({ kind, start_line: start, end_line: end }) =>
      OUTLINE_KINDS.test(kind) && start <= line && line <= end) ?? null;
  }

  /** Mark the symbol around the selected line, or else around the first line in view. */
  follow() {
    const symbol = this.symbolAt(this.lines.currentLine);
    const entry = symbol && this.node.querySelector(`[data-start="${symbol.start_line}"]`);
    if (entry === this.marked) return;
    this.marked?.removeAttribute("aria-current");
    this.marked = /** @type {HTMLElement | null} */ (entry);
    this.marked?.setAttribute("aria-current", "location");
    this.marked?.scrollIntoView({ block: "nearest" });
  }
}

/**
 * @param {Omit<CodeSymbol, "path">[]} outline
 * @returns {CodeSymbol[]}
 */
function withPaths(outline) {
  /** @type {string[]} */
  const names = [];
  return outline.map((symbol) => {
    names.splice(symbol.depth, Infinity, symbol.name);
    return { ...symbol, path: names.join(".") };
  });
}
