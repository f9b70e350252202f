// How the board is laid out: lanes of columns, a list of cards for each, and heads that count them.

import { button, el, fill } from "../../dom.js";
import { CARD_HEIGHT, CardList } from "./list.js";
import { COLUMNS, columnOf, compare, inOrder, laneOf, statusOf } from "./rules.js";

const LONG = 20;

/** Cards in lists, by lane and column. */
export class Layout {
  constructor(filters, { lanes, unfolded = [] }) {
    Object.assign(this, { filters, lanes, unfolded, current: null, isWhole: false });
    Object.assign(this, { cards: new Map(), states: new Map(), lists: new Map(), loaded: new Set() });
    this.node = el("div.board", { style: { "--card": `${CARD_HEIGHT}px` } });
    // Lanes far from view get their cards when they come near.
    this.nearness = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
      const list = this.lists.get(target.dataset.key);
      if (list) list.near = isIntersecting;
      list?.show();
    }), { root: this.node, rootMargin: "400px 0px" });
  }

  canFold(column) {
    return column === "dropped" || (column === "done" && this.total(column) > LONG);
  }

  isFolded(column) {
    return this.canFold(column) && !this.unfolded.includes(column) && !this.filters.status?.includes(column);
  }

  /** How many cards of a state there are, as far as the filters let them be. */
  total(status) {
    return this.filters.status && !this.filters.status.includes(status) ? 0 : this.states.get(status)?.total ?? 0;
  }

  /** Make lanes, columns and lists from the cards at hand. */
  draw() {
    const groups = Map.groupBy(this.cards.values(), (card) => this.key(card));
    const names = this.lanes ? inOrder([...new Set(groups.keys().map((key) => key.split("\n")[0]))], this.lanes) : [""];
    const scrolled = new Map([...this.lists].map(([key, list]) => [key, list.node.scrollTop]));
    this.lists.clear();
    this.nearness.disconnect();
    const lanes = names.map((name) => this.drawLane(name));
    this.heads = new Map([...COLUMNS].map(([column, title]) => [column, this.drawHead(column, title)]));
    this.node.classList.toggle("in-lanes", Boolean(this.lanes));
    const widths = [...COLUMNS.keys()].map((column) => (this.isFolded(column) ? "44px" : "var(--column)"));
    this.node.style.setProperty("--columns", widths.join(" "));
    fill(this.node, el("div.heads.columns", [...this.heads.values()]), lanes);
    for (const [key, list] of this.lists) list.cards = (groups.get(key) ?? []).sort(compare);
    if (!this.listOf(this.current)) this.current = this.first();
    this.measure();
    for (const [key, list] of this.lists) if (scrolled.get(key)) list.node.scrollTop = scrolled.get(key);
    this.recount();
  }

  /** The first card that is to be seen. */
  first() {
    return [...this.lists.values()].find((list) => list.cards.length)?.cards[0].id ?? null;
  }

  drawLane(name) {
    const cells = [...COLUMNS].map(([column, title]) => {
      if (this.isFolded(column)) return el("div.cards.folded", { dataset: { column } });
      const list = new CardList(this, column, name ? `${title}, ${name}` : title, !this.lanes);
      list.node.dataset.key = `${name}\n${column}`;
      this.lists.set(list.node.dataset.key, list);
      if (this.lanes) this.nearness.observe(list.node);
      return list.node;
    });
    const title = this.lanes && el("h2.lane-name", name);
    return el("section.lane", { "aria-label": name || null }, title, el("div.columns", cells));
  }

  drawHead(column, title) {
    const folded = this.isFolded(column);
    const words = [el("span.title", title), " ", el("span.quiet.number")];
    const fold = { class: "button plain fold", title, "aria-expanded": !folded };
    const name = this.canFold(column) ? button([words, folded ? " ▸" : " ▾"], () => this.fold(column), fold) : words;
    return el(folded ? "div.head.folded" : "div.head", { dataset: { column } }, el("h2", name));
  }

  /** Measure all lists at once, since each reading after a change lays the page out; then show what is in view. */
  measure() {
    const measured = [...this.lists.values()].map((list) => [list, list.node.scrollTop, list.node.clientHeight]);
    for (const [list, top, height] of measured) Object.assign(list, { height }).show(top);
  }

  /** Make nodes of all cards, or of those in view only. */
  unroll(isWhole) {
    if (isWhole === this.isWhole) return;
    this.isWhole = isWhole;
    for (const list of this.lists.values()) list.show();
  }

  recount() {
    const columns = Map.groupBy(this.cards.values(), columnOf);
    for (const [column, head] of this.heads) {
      const number = head.querySelector(".number"), count = columns.get(column)?.length ?? 0;
      const text = String(this.loaded.has(statusOf(column)) ? count : this.total(column));
      if (number.textContent !== text) number.textContent = text;
    }
  }

  key(card) {
    return `${laneOf(card, this.lanes, this.filters)}\n${columnOf(card)}`;
  }

  listOf(id) {
    const card = this.cards.get(id);
    return card && this.lists.get(this.key(card));
  }
}
