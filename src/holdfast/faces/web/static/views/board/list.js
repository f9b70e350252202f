// A column's cards: only those in view are nodes; the rest is space of the same height.

import { el } from "../../dom.js";
import { paint } from "./card.js";
import { placeIn } from "./rules.js";

export const CARD_HEIGHT = 104;
export const PITCH = CARD_HEIGHT + 8;
const BEYOND = 4;

/** The sorted cards of one column in one lane. `near` tells whether the lane is about to be seen. */
export class CardList {
  constructor(board, column, label, near) {
    Object.assign(this, { board, column, near, cards: [], nodes: new Map(), height: 0 });
    this.items = el("ul", { class: "plain-list", role: "list", "aria-label": label });
    this.node = el("div", { class: "cards", tabindex: "-1", dataset: { column } }, this.items);
    this.node.addEventListener("scroll", () => this.show(), { passive: true });
  }

  add(card) {
    this.cards.splice(placeIn(this.cards, card), 0, card);
    this.show();
  }

  remove(id) {
    this.cards = this.cards.filter((card) => card.id !== id);
    this.show();
  }

  /** Show another state of a card that stays where it is; return whether it could. */
  replace(card) {
    const index = this.index(card.id);
    if (placeIn(this.cards.toSpliced(index, 1), card) !== index) return false;
    this.cards[index] = card;
    this.repaint(card.id);
    return true;
  }

  /** Show a card anew, where it has a node. */
  repaint(id) {
    const node = this.nodes.get(id);
    if (node) paint(node, this.cards[this.index(id)], this.board);
  }

  index(id) {
    return this.cards.findIndex((card) => card.id === id);
  }

  /** Bring a card into view and return its node. */
  reveal(id) {
    const top = this.index(id) * PITCH, { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + PITCH > scrollTop + clientHeight) this.node.scrollTop = top + PITCH - clientHeight;
    this.show();
    const node = this.nodes.get(id);
    node?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return node;
  }

  /** Make nodes of the cards in view, and of one that is held or focused; drop the others. */
  show(scrollTop = this.node.scrollTop) {
    const { isWhole } = this.board;
    const first = isWhole ? 0 : Math.floor(scrollTop / PITCH) - BEYOND;
    const end = isWhole ? Infinity : this.near ? Math.ceil((scrollTop + this.height) / PITCH) + BEYOND : 0;
    const isKept = (node) => node && (node.contains(document.activeElement) || node.classList.contains("lifted"));
    const isWanted = ({ id }, index) => (index >= first && index < end) || isKept(this.nodes.get(id));
    const indexes = this.cards.flatMap((card, index) => (isWanted(card, index) ? index : []));
    const used = new Map(indexes.map((index) => [this.cards[index].id, this.nodeAt(index)]));
    for (const [id, node] of this.nodes) if (!used.has(id)) node.remove();
    this.nodes = used;
    this.items.style.minHeight = `${this.cards.length * PITCH}px`;
    // Nodes that stay are not moved: one that has the focus or is being dragged would lose it.
    let next = 0;
    [...used.values()].forEach((node, place) => {
      put(node.style, "marginTop", indexes[place] > next ? `${(indexes[place] - next) * PITCH}px` : "");
      next = indexes[place] + 1;
      if (this.items.children[place] !== node) this.items.insertBefore(node, this.items.children[place] ?? null);
    });
  }

  nodeAt(index) {
    const card = this.cards[index];
    let node = this.nodes.get(card.id);
    if (!node) paint((node = el("li", { class: "task card", draggable: "true", dataset: { id: card.id } })), card, this.board);
    put(node, "ariaPosInSet", String(index + 1));
    put(node, "ariaSetSize", String(this.cards.length));
    return node;
  }
}

function put(target, name, value) {
  if (target[name] !== value) target[name] = value;
}
