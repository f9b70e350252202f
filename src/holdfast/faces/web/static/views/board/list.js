// A virtual list of cards: only the cards in view are in the document. Every card has the same height.

import { button } from "../../controls.js";
import { errorMessage, quiet } from "../../display.js";
import { arrange, el, fill } from "../../dom.js";
import { icon } from "../../icons.js";
import { label, person } from "../../people.js";
import { keepUpdated, timeLeft } from "../../time.js";
import { compareCards, describeBlockers } from "./rules.js";

/** @import { Card } from "./rules.js" */
/** @import { Board } from "./board.js" */

/** In pixels: two lines of title, one of marks and one of buttons, with the paddings of board.css. */
export const CARD_HEIGHT = 104;
/** The distance from the top of a card to the top of the next, in pixels. */
export const CARD_PITCH = CARD_HEIGHT + 8;
/** Cards in the document above and below those in view; a judgement: a fast scroll moves that far in a frame. */
const OVERSCAN_CARDS = 4;
/** How a card shows its priority; medium is not shown. */
const MARKED_PRIORITIES = ["high", "low"];
const CHANGED = "Changed since your last visit";

/** The sorted cards of one column in one lane. */
export class CardList {
  /**
   * @param {any} board the `Board` that it belongs to
   * @param {string} column
   * @param {string} label
   * @param {boolean} isNear whether the lane is in view or near it
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
    /** The height of the list in pixels, as the layout last measured it. */
    this.height = 0;
    this.items = el("ul.plain-list", { role: "list", "aria-label": label });
    this.node = el("div.cards", { tabindex: "-1", dataset: { column } }, this.items);
    this.node.addEventListener("scroll", () => this.show(), { passive: true });
  }

  /** @param {Card} card */
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

  /**
   * Draw a card again if it is in the document.
   * @param {string} id
   */
  redraw(id) {
    const node = this.nodes.get(id);
    if (node) drawCard(node, this.cards[this.indexOf(id)], this.board);
  }

  /**
   * Return the index of a card, or -1.
   * @param {string | null} id
   */
  indexOf(id) {
    return this.cards.findIndex((card) => card.id === id);
  }

  /**
   * Scroll a card into view and return its element.
   * @param {string} id
   */
  reveal(id) {
    const top = this.indexOf(id) * CARD_PITCH;
    const { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + CARD_PITCH > scrollTop + clientHeight) this.node.scrollTop = top + CARD_PITCH - clientHeight;
    this.show();
    const node = this.nodes.get(id);
    node?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return node;
  }

  /** Put the cards in view into the document, and one that is lifted or focused; remove the others. */
  show(scrollTop = this.node.scrollTop) {
    const [first, end] = this.visibleRange(scrollTop);
    const isPinned = (/** @type {HTMLElement | undefined} */ node) =>
      node && (node.contains(document.activeElement) || node.classList.contains("lifted"));
    const isShown = (/** @type {Card} */ { id }, /** @type {number} */ index) =>
      (index >= first && index < end) || isPinned(this.nodes.get(id));
    const indexes = [...this.cards.keys()].filter((index) => isShown(this.cards[index], index));
    this.nodes = new Map(indexes.map((index) => [this.cards[index].id, this.nodeAt(index)]));
    this.items.style.minHeight = `${this.cards.length * CARD_PITCH}px`;
    // A margin above a card takes the space of the cards that are not in the document.
    const nodes = [...this.nodes.values()];
    let nextIndex = 0;
    for (const [position, index] of indexes.entries()) {
      const skipped = index - nextIndex;
      setIfChanged(nodes[position].style, "marginTop", skipped > 0 ? `${skipped * CARD_PITCH}px` : "");
      nextIndex = index + 1;
    }
    arrange(this.items, nodes);
  }

  /**
   * Return the index of the first card to show and the index after the last one.
   * @param {number} scrollTop
   */
  visibleRange(scrollTop) {
    if (this.board.showsAll) return [0, Infinity];
    if (!this.isNear) return [0, 0];
    const first = Math.floor(scrollTop / CARD_PITCH) - OVERSCAN_CARDS;
    const end = Math.ceil((scrollTop + this.height) / CARD_PITCH) + OVERSCAN_CARDS;
    return [first, end];
  }

  /**
   * Return the element of a card, which is drawn if it is new.
   * @param {number} index
   */
  nodeAt(index) {
    const card = this.cards[index];
    let node = this.nodes.get(card.id);
    if (!node) {
      node = el("li.task.card", { draggable: "true", dataset: { id: card.id } });
      drawCard(node, card, this.board);
    }
    setIfChanged(node, "ariaPosInSet", String(index + 1));
    setIfChanged(node, "ariaSetSize", String(this.cards.length));
    return node;
  }
}

/**
 * Set a property only if it differs, because assigning the same value may cause a style recalculation.
 * @param {any} target
 * @param {string} name
 * @param {string} value
 */
function setIfChanged(target, name, value) {
  if (target[name] !== value) target[name] = value;
}

/**
 * @param {HTMLElement} node
 * @param {Card} card
 * @param {Board} board
 */
function drawCard(node, card, board) {
  const { id, priority, title } = card, tabindex = id === board.current ? "0" : "-1";
  const name = { href: `/task/${id}`, title, draggable: "false", tabindex, dataset: { part: "name" } };
  const more = { type: "button", tabindex, dataset: { part: "more" }, "aria-haspopup": "true" };
  const problem = board.problems.get(id);
  fill(
    node,
    el("div.row",
      quiet(id),
      MARKED_PRIORITIES.includes(priority) && el(`span.priority.${priority}`, icon(priority), priority),
      board.isUnseen(card) && el("span.changed", { title: CHANGED }, el("span.visually-hidden", CHANGED)),
      el("button.button.plain.more", { ...more, "aria-label": `Move or claim ${id}` }, icon("more"))),
    el("a.name.two-lines", { ...name, "aria-describedby": `marks-${id} board-keys` },
      el("span.visually-hidden", `${id}: `), title),
    el("div.marks.row", { id: `marks-${id}` }, marks(card)),
    problem && errorMessage(problem, el("div.row", problem.takeOver && button("Take over", problem.takeOver),
      button("Dismiss", () => board.dismissProblem(id)))),
  );
}

/**
 * Return the facts in the last line of a card: holder, dependencies, criteria, remarks, labels.
 * @param {Card} card
 */
function marks(card) {
  const { claimed_by: holder, lease_until: until, criteria, criteria_met: met = 0 } = card;
  return [
    holder && el("span.holder", { title: `Held by ${holder}` }, person(holder),
      keepUpdated(quiet(), () => timeLeft(until ?? "") ?? "lease expired")),
    card.blocked_by && el("span.waits", describeBlockers(card)),
    criteria && el("span.criteria", { title: `${met} of ${criteria} criteria are met` }, `${met}/${criteria}`,
      el("span.bar", { "aria-hidden": "true", style: { "--share": `${(100 * met) / criteria}%` } })),
    card.unblocks && el("span.quiet", { title: "Tasks that wait for this one" }, `blocks ${card.unblocks}`),
    card.remarks && el("span.quiet", { title: "Linked notes and remarks" }, icon("remark"), card.remarks),
    card.labels?.map(label),
  ];
}
