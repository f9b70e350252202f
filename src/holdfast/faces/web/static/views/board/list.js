// A virtual list of cards: only those in view are in the document; every card has the same height.

import { button } from "../../controls.js";
import { errorMessage, quiet } from "../../display.js";
import { arrange, el, fill } from "../../dom.js";
import { selfUpdating, timeLeft } from "../../time.js";
import { compareCards, describeBlockers } from "./rules.js";

/** @import { Card } from "./rules.js" */
/** @import { Board } from "./board.js" */

/** Two lines of title, one of marks and one of buttons, with the paddings of board.css. */
export const CARD_HEIGHT = 104;
/** The distance from one card to the next. */
export const CARD_PITCH = CARD_HEIGHT + 8;
/** Cards kept above and below those in view; a judgement: as many as a fast scroll shows before the next frame. */
const OVERSCAN = 4;

/** The sorted cards of one column in one lane. */
export class CardList {
  /**
   * @param {any} board the `Board` that it belongs to
   * @param {string} column
   * @param {string} label
   * @param {boolean} isNear whether its lane is in view or close to it
   */
  constructor(board, column, label, isNear) {
    /** @type {Board} */
    this.board = board;
    this.column = column;
    this.isNear = isNear;
    /** @type {Card[]} */
    this.cards = [];
    /** @type {Map<string, HTMLElement>} the cards in the document, by id */
    this.nodes = new Map();
    this.height = 0;
    this.items = el("ul.plain-list", { role: "list", "aria-label": label });
    this.node = el("div.cards", { tabindex: "-1", dataset: { column } }, this.items);
    this.node.addEventListener("scroll", () => this.show(), { passive: true });
  }

  /**
   * Insert or update a card.
   * @param {Card} card
   */
  put(card) {
    this.cards = [...this.cards.filter(({ id }) => id !== card.id), card].sort(compareCards);
    this.show();
    this.redraw(card.id);
  }

  /** @param {string} id */
  remove(id) {
    this.cards = this.cards.filter((card) => card.id !== id);
    this.show();
  }

  /** @param {string} id */
  redraw(id) {
    const node = this.nodes.get(id);
    if (node) paint(node, this.cards[this.index(id)], this.board);
  }

  /** @param {string | null} id */
  index(id) {
    return this.cards.findIndex((card) => card.id === id);
  }

  /**
   * Scroll a card into view and return its element.
   * @param {string} id
   */
  reveal(id) {
    const top = this.index(id) * CARD_PITCH, { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + CARD_PITCH > scrollTop + clientHeight) this.node.scrollTop = top + CARD_PITCH - clientHeight;
    this.show();
    const node = this.nodes.get(id);
    node?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return node;
  }

  /** Put the cards in view into the document, and one that is lifted or focused; remove the others. */
  show(scrollTop = this.node.scrollTop) {
    const { isWhole } = this.board;
    const first = isWhole ? 0 : Math.floor(scrollTop / CARD_PITCH) - OVERSCAN;
    const end = isWhole ? Infinity : this.isNear ? Math.ceil((scrollTop + this.height) / CARD_PITCH) + OVERSCAN : 0;
    const isPinned = (/** @type {HTMLElement | undefined} */ node) =>
      node && (node.contains(document.activeElement) || node.classList.contains("lifted"));
    const isShown = (/** @type {Card} */ { id }, /** @type {number} */ index) =>
      (index >= first && index < end) || isPinned(this.nodes.get(id));
    const indexes = this.cards.flatMap((card, index) => (isShown(card, index) ? index : []));
    this.nodes = new Map(indexes.map((index) => [this.cards[index].id, this.nodeAt(index)]));
    this.items.style.minHeight = `${this.cards.length * CARD_PITCH}px`;
    let next = 0;
    const placed = [...this.nodes.values()];
    placed.forEach((node, place) => {
      assign(node.style, "marginTop", indexes[place] > next ? `${(indexes[place] - next) * CARD_PITCH}px` : "");
      next = indexes[place] + 1;
    });
    arrange(this.items, placed);
  }

  /** @param {number} index */
  nodeAt(index) {
    const card = this.cards[index];
    let node = this.nodes.get(card.id);
    if (!node) {
      node = el("li.task.card", { draggable: "true", dataset: { id: card.id } });
      paint(node, card, this.board);
    }
    assign(node, "ariaPosInSet", String(index + 1));
    assign(node, "ariaSetSize", String(this.cards.length));
    return node;
  }
}

/**
 * Set a property only if it differs: even an assignment of the same value may cost a style recalculation.
 * @param {any} target
 * @param {string} name
 * @param {string} value
 */
function assign(target, name, value) {
  if (target[name] !== value) target[name] = value;
}

const PRIORITIES = { high: "▲ high", low: "▽ low" };
const CHANGED = "Changed since you last looked";

/**
 * @param {HTMLElement} node
 * @param {Card} card
 * @param {Board} board
 */
function paint(node, card, board) {
  const { id, priority, title } = card, tabindex = id === board.current ? "0" : "-1";
  const name = { href: `/task/${id}`, title, draggable: "false", tabindex, dataset: { part: "name" } };
  const more = { type: "button", tabindex, dataset: { part: "more" } };
  const problem = board.problems.get(id);
  fill(
    node,
    el("div.row",
      quiet(id),
      PRIORITIES[priority] && el(`span.priority.${priority}`, PRIORITIES[priority]),
      board.isUnseen(card) && el("span.changed", { title: CHANGED }, el("span.visually-hidden", CHANGED)),
      el("button.button.plain.more", { ...more, "aria-label": `Move or take ${id}`, "aria-haspopup": "true" }, "⋯")),
    el("a.name.two-lines", { ...name, "aria-describedby": `marks-${id} board-keys` },
      el("span.visually-hidden", `${id}: `), title),
    el("div.marks.row", { id: `marks-${id}` }, marks(card)),
    problem && errorMessage(problem, button("Understood", () => board.dismiss(id))),
  );
}

/** @param {Card} card */
function marks(card) {
  const { claimed_by: holder, lease_until: until, criteria, criteria_met: met = 0 } = card;
  return [
    holder && el("span.holder", { title: `Held by ${holder}` }, el("span.dot"),
      el("span.one-line", card.yours ? "you" : holder),
      selfUpdating(quiet(), () => timeLeft(until ?? "") ?? "lease ran out")),
    card.blocked_by && el("span.waits", describeBlockers(card)),
    criteria && el("span.criteria", { title: `${met} of ${criteria} criteria are met` }, `${met}/${criteria}`,
      el("span.bar", { "aria-hidden": "true", style: { "--share": `${(100 * met) / criteria}%` } })),
    card.unblocks && el("span.quiet", { title: "Tasks that wait for it" }, `blocks ${card.unblocks}`),
    card.remarks && el("span.quiet", { title: "Notes and remarks linked to it" }, `✎ ${card.remarks}`),
    card.labels?.map((label) => el("span.tag", label)),
  ];
}
