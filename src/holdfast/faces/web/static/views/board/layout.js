// The layout of the board: column headings with counts, and lanes with a list of cards for each column.

import { button } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { icon } from "../../icons.js";
import { CARD_HEIGHT, CardList } from "./list.js";
import { COLUMNS, columnOf, compareCards, laneOf, sortLanes, statusOf } from "./rules.js";

/** @import { Card, State } from "./rules.js" */

/** The number of cards above which Done is folded; a judgement: about two screens. */
const MAX_DONE_UNFOLDED = 20;

/** The width of a folded column in pixels: its title is vertical. */
const FOLDED_WIDTH_PX = 44;
/** Lanes farther out of view have no cards in the document; a judgement: cards are drawn before they come into view. */
const NEAR_PX = 400;

/** The cards in lists, one for each lane and column. */
export class Layout {
  /**
   * @param {Record<string, any>} filters
   * @param {{laneProperty?: string | null, unfolded?: string[]}} options the property of a task that makes lanes;
   *   columns that the user has unfolded
   */
  constructor(filters, { laneProperty = null, unfolded = [] }) {
    this.filters = filters;
    this.laneProperty = laneProperty;
    this.unfolded = unfolded;
    /** @type {string | null} the id of the card that Tab reaches and that keys act on */
    this.current = null;
    /** Whether all cards are in the document, not only those in view. */
    this.showsAll = false;
    /** @type {Map<string, Card>} by id */
    this.cards = new Map();
    /** @type {Map<string, State>} by status */
    this.states = new Map();
    /** @type {Map<string, CardList>} by lane and column, see `cellKey` */
    this.lists = new Map();
    /** @type {Map<string, HTMLElement>} the headings by column */
    this.heads = new Map();
    /** @type {Set<string>} the statuses whose cards have been loaded */
    this.loaded = new Set();
    this.node = el("div.board", { style: { "--card": `${CARD_HEIGHT}px` } });
    this.visibility = new IntersectionObserver((entries) => this.updateVisibility(entries),
      { root: this.node, rootMargin: `${NEAR_PX}px 0px` });
  }

  /**
   * Show the cards of lanes that are scrolled near, and remove those of lanes that are far from view.
   * @param {IntersectionObserverEntry[]} entries
   */
  updateVisibility(entries) {
    for (const { target, isIntersecting } of entries) {
      const list = this.lists.get(/** @type {HTMLElement} */ (target).dataset.key ?? "");
      if (!list) continue;
      list.isNear = isIntersecting;
      list.show();
    }
  }

  /** @param {string} column */
  canFold(column) {
    return column === "dropped" || (column === "done" && this.total(column) > MAX_DONE_UNFOLDED);
  }

  /** @param {string} column */
  isFolded(column) {
    return this.canFold(column) && !this.unfolded.includes(column) && !this.filters.status?.includes(column);
  }

  /**
   * Fold or unfold a column; overridden by the class that can load its cards.
   * @param {string} _column
   */
  async toggleFold(_column) {}

  /**
   * Return the number of tasks that have a status and match the filters.
   * @param {string} status
   */
  total(status) {
    const isExcluded = this.filters.status && !this.filters.status.includes(status);
    return isExcluded ? 0 : this.states.get(status)?.total ?? 0;
  }

  /** Build lanes, columns and lists from the loaded cards. */
  draw() {
    const cardsByCell = Map.groupBy(this.cards.values(), (card) => this.cellKey(card));
    const usedLanes = new Set([...cardsByCell.keys()].map((key) => key.split("\n")[0]));
    const names = this.laneProperty ? sortLanes([...usedLanes], this.laneProperty) : [""];
    const scrollTops = new Map([...this.lists].map(([key, list]) => [key, list.node.scrollTop]));
    this.lists.clear();
    this.visibility.disconnect();
    const lanes = names.map((name) => this.drawLane(name));
    this.heads = new Map([...COLUMNS].map(([column, title]) => [column, this.drawHead(column, title)]));
    this.node.classList.toggle("in-lanes", Boolean(this.laneProperty));
    const widths = [...COLUMNS.keys()].map((column) => 
      (this.isFolded(column) ? `${FOLDED_WIDTH_PX}px` : "var(--column)"));
    this.node.style.setProperty("--columns", widths.join(" "));
    fill(this.node, el("div.heads.columns", [...this.heads.values()]), lanes);
    for (const [key, list] of this.lists) list.cards = (cardsByCell.get(key) ?? []).sort(compareCards);
    if (!this.listOfCard(this.current)) this.current = this.firstCardId();
    this.measure();
    for (const [key, list] of this.lists) {
      const top = scrollTops.get(key);
      if (top) list.node.scrollTop = top;
    }
    this.updateCounts();
  }

  /** Return the id of the first card, or null. */
  firstCardId() {
    return [...this.lists.values()].find((list) => list.cards.length)?.cards[0].id ?? null;
  }

  /** @param {string} name "" if there is only one lane */
  drawLane(name) {
    const cells = [...COLUMNS].map(([column, title]) => {
      if (this.isFolded(column)) return el("div.cards.folded", { dataset: { column } });
      const key = `${name}\n${column}`;
      const list = new CardList(this, column, name ? `${title}, ${name}` : title, !this.laneProperty);
      list.node.dataset.key = key;
      this.lists.set(key, list);
      if (this.laneProperty) this.visibility.observe(list.node);
      return list.node;
    });
    const title = this.laneProperty && el("h2.lane-name", name);
    return el("section.lane", { "aria-label": name || null }, title, el("div.columns", cells));
  }

  /**
   * Draw the heading of a column; it is a button if the column can be folded.
   * @param {string} column
   * @param {string} title
   */
  drawHead(column, title) {
    const isFolded = this.isFolded(column);
    const symbol = column === "review" ? "in-review" : column;
    const text = [icon(symbol), el("span.title", title), " ", el("span.quiet.number")];
    const properties = { class: "button plain fold", title, "aria-expanded": !isFolded };
    const toggle = button([text, isFolded ? " ▸" : " ▾"], () => this.toggleFold(column), properties);
    const content = el("h2", this.canFold(column) ? toggle : text);
    return el(isFolded ? "div.head.folded" : "div.head", { dataset: { column } }, content);
  }

  /** Measure all lists, then show their cards. Measuring a list after changing another would force a layout. */
  measure() {
    const sizes = [...this.lists.values()].map((list) =>
      ({ list, scrollTop: list.node.scrollTop, height: list.node.clientHeight }));
    for (const { list, scrollTop, height } of sizes) {
      list.height = height;
      list.show(scrollTop);
    }
  }

  /**
   * Put all cards into the document, or only those in view.
   * @param {boolean} showsAll
   */
  setShowAll(showsAll) {
    if (showsAll === this.showsAll) return;
    this.showsAll = showsAll;
    for (const list of this.lists.values()) list.show();
  }

  /** Show the number of tasks in each column heading. */
  updateCounts() {
    const cardsByColumn = Map.groupBy(this.cards.values(), columnOf);
    for (const [column, head] of this.heads) {
      const number = head.querySelector(".number");
      const isLoaded = this.loaded.has(statusOf(column));
      const count = isLoaded ? cardsByColumn.get(column)?.length ?? 0 : this.total(column);
      if (number && number.textContent !== String(count)) number.textContent = String(count);
    }
  }

  /**
   * Return the key of the lane and column of a card.
   * @param {Card} card
   */
  cellKey(card) {
    return `${laneOf(card, this.laneProperty, this.filters)}\n${columnOf(card)}`;
  }

  /** @param {string | null} id */
  listOfCard(id) {
    const card = this.cards.get(id ?? "");
    return card && this.lists.get(this.cellKey(card));
  }
}
