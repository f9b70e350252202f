// How the board is laid out: lanes of columns, a list of cards for each, and heads that count them.

import { el, fill } from "../../dom.js";
import { CARD_HEIGHT, CardList } from "./list.js";
import { COLUMNS, FINISHED, columnOf, compare, inOrder, laneOf, statusOf } from "./rules.js";

const LONG = 20;

/** Cards in lists, by lane and column. */
export class Layout {
  constructor(filters, { lanes = null, unfolded = [] }) {
    Object.assign(this, { filters, lanes, unfolded, cards: new Map(), states: new Map(), lists: new Map(), loaded: new Set(), current: null });
    this.node = el("div", { class: "board", style: { "--card": `${CARD_HEIGHT}px` } });
    // Lanes far from view get their cards when they come near.
    this.nearness = new IntersectionObserver((entries) => entries.forEach((entry) => this.approach(entry)), { root: this.node, rootMargin: "400px 0px" });
  }

  isFolded(column) {
    if (!FINISHED.includes(column) || this.unfolded.includes(column)) return false;
    return column === "dropped" ? !this.filters.status?.includes(column) : this.total(column) > LONG;
  }

  /** How many cards of a state there are, as far as the filters let them be. */
  total(status) {
    return this.filters.status && !this.filters.status.includes(status) ? 0 : this.states.get(status)?.total ?? 0;
  }

  count(column) {
    if (!this.loaded.has(statusOf(column))) return this.total(column);
    return [...this.lists.values()].filter((list) => list.column === column).reduce((sum, list) => sum + list.cards.length, 0);
  }

  /** Make lanes, columns and lists from the cards at hand. */
  draw() {
    const groups = new Map();
    for (const card of this.cards.values()) {
      const key = this.key(card);
      groups.has(key) ? groups.get(key).push(card) : groups.set(key, [card]);
    }
    const names = this.lanes ? inOrder(new Set([...this.cards.values()].map((card) => this.lane(card))), this.lanes) : [""];
    const scrolled = new Map([...this.lists].map(([key, list]) => [key, list.node.scrollTop]));
    this.lists.clear();
    this.nearness.disconnect();
    const lanes = names.map((name) => this.drawLane(name));
    this.heads = new Map([...COLUMNS].map(([column, title]) => [column, this.drawHead(column, title)]));
    this.node.classList.toggle("in-lanes", Boolean(this.lanes));
    this.node.style.setProperty("--columns", [...COLUMNS.keys()].map((column) => (this.isFolded(column) ? "44px" : "var(--column)")).join(" "));
    fill(this.node, el("div", { class: "heads columns" }, [...this.heads.values()]), lanes);
    for (const [key, list] of this.lists) list.cards = (groups.get(key) ?? []).sort(compare);
    if (!this.listOf(this.current)) this.current = this.first();
    this.measure();
    for (const [key, top] of scrolled) if (top && this.lists.has(key)) this.lists.get(key).node.scrollTop = top;
    for (const column of COLUMNS.keys()) this.recount(column);
  }

  /** The first card that is to be seen. */
  first() {
    return [...this.lists.values()].find((list) => list.cards.length)?.cards[0].id ?? null;
  }

  drawLane(name) {
    const cells = [...COLUMNS].map(([column, title]) => {
      if (this.isFolded(column)) return el("div", { class: "cards folded", dataset: { column } });
      const list = new CardList(column, name ? `${title}, ${name}` : title, (id) => this.describe(id));
      list.near = !this.lanes;
      this.lists.set(`${name}\n${column}`, list);
      return list.node;
    });
    const title = this.lanes && el("h2", { class: "lane-name" }, name);
    const lane = el("section", { class: "lane", "aria-label": name || null, dataset: { lane: name } }, title, el("div", { class: "columns" }, cells));
    if (this.lanes) this.nearness.observe(lane);
    return lane;
  }

  approach({ target, isIntersecting }) {
    for (const column of COLUMNS.keys()) {
      const list = this.lists.get(`${target.dataset.lane}\n${column}`);
      if (list) list.near = isIntersecting;
      list?.show();
    }
  }

  drawHead(column, title) {
    const folds = column === "dropped" || (column === "done" && this.total(column) > LONG);
    const words = [el("span", { class: "title" }, title), " ", el("span", { class: "quiet number" })];
    const folded = this.isFolded(column);
    const name = folds ? el("button", { class: "button plain fold", type: "button", title, "aria-expanded": String(!folded), on: { click: () => this.fold(column) } }, words, folded ? " ▸" : " ▾") : words;
    return el("div", { class: folded ? "head folded" : "head", dataset: { column } }, el("h2", {}, name), el("p", { class: "verdict", hidden: true }));
  }

  /** Measure all lists at once, then show what is in view. */
  measure() {
    const scrolled = [...this.lists.values()].map((list) => [list, list.measure()]);
    for (const [list, top] of scrolled) list.show(top);
  }

  recount(column) {
    const number = this.heads.get(column).querySelector(".number");
    const text = String(this.count(column));
    if (number.textContent !== text) number.textContent = text;
  }

  lane(card) {
    return laneOf(card, this.lanes, this.filters);
  }

  key(card) {
    return `${this.lane(card)}\n${columnOf(card)}`;
  }

  listOf(id) {
    const card = this.cards.get(id);
    return card && this.lists.get(this.key(card));
  }
}
