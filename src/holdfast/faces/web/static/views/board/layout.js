// The layout of the board: lanes of columns, a list of cards in each, and column heads with counts.

import { button } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { CARD_HEIGHT, CardList } from "./list.js";
import { COLUMNS, columnOf, compareCards, laneOf, sortLanes, statusOf } from "./rules.js";

/** @import { Card, State } from "./rules.js" */

/** From so many cards on, Done is folded; a judgement: about two screens. */
const FOLD_ABOVE = 20;

/** Cards in lists, by lane and column. */
export class Layout {
  /**
   * @param {Record<string, any>} filters
   * @param {{lanes?: string | null, unfolded?: string[]}} options the property that makes lanes; columns that the user
   *   has unfolded
   */
  constructor(filters, { lanes = null, unfolded = [] }) {
    this.filters = filters;
    this.lanes = lanes;
    this.unfolded = unfolded;
    /** @type {string | null} the id of the card that keys act on */
    this.current = null;
    /** Whether all cards are in the document, not only those in view. */
    this.showsAll = false;
    /** @type {Map<string, Card>} by id */
    this.cards = new Map();
    /** @type {Map<string, State>} by status */
    this.states = new Map();
    /** @type {Map<string, CardList>} by lane and column, see `key` */
    this.lists = new Map();
    /** @type {Map<string, HTMLElement>} by column */
    this.heads = new Map();
    /** @type {Set<string>} the statuses whose cards have been loaded */
    this.loaded = new Set();
    this.node = el("div.board", { style: { "--card": `${CARD_HEIGHT}px` } });
    // Lanes far from view get their cards when they are scrolled near.
    this.visibility = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
      const list = this.lists.get(/** @type {HTMLElement} */ (target).dataset.key ?? "");
      if (list) list.isNear = isIntersecting;
      list?.show();
    }), { root: this.node, rootMargin: "400px 0px" });
  }

  /** @param {string} column */
  canFold(column) {
    return column === "dropped" || (column === "done" && this.total(column) > FOLD_ABOVE);
  }

  /** @param {string} column */
  isFolded(column) {
    return this.canFold(column) && !this.unfolded.includes(column) && !this.filters.status?.includes(column);
  }

  /**
   * Fold or unfold a column.
   * @param {string} _column
   */
  async fold(_column) {}

  /**
   * Return how many cards with a status pass the filters.
   * @param {string} status
   */
  total(status) {
    return this.filters.status && !this.filters.status.includes(status) ? 0 : this.states.get(status)?.total ?? 0;
  }

  /** Build lanes, columns and lists from the loaded cards. */
  draw() {
    const groups = Map.groupBy(this.cards.values(), (card) => this.cellKey(card));
    const lanesOfCards = [...new Set([...groups.keys()].map((key) => key.split("\n")[0]))];
    const names = this.lanes ? sortLanes(lanesOfCards, this.lanes) : [""];
    const scrolled = new Map([...this.lists].map(([key, list]) => [key, list.node.scrollTop]));
    this.lists.clear();
    this.visibility.disconnect();
    const lanes = names.map((name) => this.drawLane(name));
    this.heads = new Map([...COLUMNS].map(([column, title]) => [column, this.drawHead(column, title)]));
    this.node.classList.toggle("in-lanes", Boolean(this.lanes));
    const widths = [...COLUMNS.keys()].map((column) => (this.isFolded(column) ? "44px" : "var(--column)"));
    this.node.style.setProperty("--columns", widths.join(" "));
    fill(this.node, el("div.heads.columns", [...this.heads.values()]), lanes);
    for (const [key, list] of this.lists) list.cards = (groups.get(key) ?? []).sort(compareCards);
    if (!this.listOfCard(this.current)) this.current = this.firstCardId();
    this.measure();
    for (const [key, list] of this.lists) {
      const top = scrolled.get(key);
      if (top) list.node.scrollTop = top;
    }
    this.updateCounts();
  }

  /** Return the id of the first card, or null. */
  firstCardId() {
    return [...this.lists.values()].find((list) => list.cards.length)?.cards[0].id ?? null;
  }

  /** @param {string} name */
  drawLane(name) {
    const cells = [...COLUMNS].map(([column, title]) => {
      if (this.isFolded(column)) return el("div.cards.folded", { dataset: { column } });
      const key = `${name}\n${column}`;
      const list = new CardList(this, column, name ? `${title}, ${name}` : title, !this.lanes);
      list.node.dataset.key = key;
      this.lists.set(key, list);
      if (this.lanes) this.visibility.observe(list.node);
      return list.node;
    });
    const title = this.lanes && el("h2.lane-name", name);
    return el("section.lane", { "aria-label": name || null }, title, el("div.columns", cells));
  }

  /**
   * @param {string} column
   * @param {string} title
   */
  drawHead(column, title) {
    const isFolded = this.isFolded(column);
    const text = [el("span.title", title), " ", el("span.quiet.number")];
    const fold = { class: "button plain fold", title, "aria-expanded": !isFolded };
    const name = this.canFold(column) ? button([text, isFolded ? " ▸" : " ▾"], () => this.fold(column), fold) : text;
    return el(isFolded ? "div.head.folded" : "div.head", { dataset: { column } }, el("h2", name));
  }

  /** Measure all lists before changing any, since reading a size after a change forces a layout; then show cards. */
  measure() {
    const measured = [...this.lists.values()].map((list) =>
      ({ list, top: list.node.scrollTop, height: list.node.clientHeight }));
    for (const { list, top, height } of measured) {
      list.height = height;
      list.show(top);
    }
  }

  /**
   * Put all cards into the document, or only those in view.
   * @param {boolean} isWhole
   */
  setShowAll(isWhole) {
    if (isWhole === this.showsAll) return;
    this.showsAll = isWhole;
    for (const list of this.lists.values()) list.show();
  }

  updateCounts() {
    const columns = Map.groupBy(this.cards.values(), columnOf);
    for (const [column, head] of this.heads) {
      const number = head.querySelector(".number"), count = columns.get(column)?.length ?? 0;
      const text = String(this.loaded.has(statusOf(column)) ? count : this.total(column));
      if (number && number.textContent !== text) number.textContent = text;
    }
  }

  /**
   * Return the lane and the column of a card.
   * @param {Card} card
   */
  cellKey(card) {
    return `${laneOf(card, this.lanes, this.filters)}\n${columnOf(card)}`;
  }

  /** @param {string | null} id */
  listOfCard(id) {
    const card = this.cards.get(id ?? "");
    return card && this.lists.get(this.cellKey(card));
  }
}
