// A column's cards: only those in view are nodes; the rest is space of the same height.

import { el } from "../../dom.js";
import { cardNode, paint } from "./card.js";
import { placeIn } from "./rules.js";

export const CARD_HEIGHT = 104;
const PITCH = CARD_HEIGHT + 8;
const BEYOND = 4;

/** The sorted cards of one column in one lane. */
export class CardList {
  constructor(column, label, describe) {
    Object.assign(this, { column, describe, cards: [], nodes: new Map(), height: 0, near: true, whole: false });
    this.landing = el("div", { class: "landing", hidden: true });
    this.items = el("ul", { role: "list", "aria-label": label });
    this.node = el("div", { class: "cards", tabindex: "-1", dataset: { column } }, this.items, this.landing);
    this.node.addEventListener("scroll", () => this.show(), { passive: true });
  }

  /** Add a card at its place. */
  add(card) {
    this.cards.splice(placeIn(this.cards, card), 0, card);
    this.show();
  }

  /** Take a card away. */
  remove(id) {
    const index = this.index(id);
    if (index >= 0) this.cards.splice(index, 1);
    this.show();
  }

  /** Show another state of a card that stays where it is; return whether it could. */
  replace(card) {
    const index = this.index(card.id);
    const rest = this.cards.toSpliced(index, 1);
    if (placeIn(rest, card) !== index) return false;
    this.cards[index] = card;
    this.repaint(card.id);
    return true;
  }

  /** Show a card anew, where it has a node. */
  repaint(id) {
    const node = this.nodes.get(id);
    if (node) paint(node, this.cards[this.index(id)], this.describe(id));
  }

  index(id) {
    return this.cards.findIndex((card) => card.id === id);
  }

  /** Bring a card into view and return its node. */
  reveal(id) {
    const top = this.index(id) * PITCH;
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    if (top + PITCH > this.node.scrollTop + this.node.clientHeight) this.node.scrollTop = top + PITCH - this.node.clientHeight;
    this.show();
    const node = this.nodes.get(id);
    node?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return node;
  }

  /** Mark a place where a card would land; null takes the mark away. */
  land(place) {
    this.landing.hidden = place === null;
    this.landing.style.top = `${place * PITCH}px`;
  }

  /** Note how much of the list is to be seen, and return how far it is scrolled; reading these makes the browser lay the page out. */
  measure() {
    this.height = this.node.clientHeight;
    return this.node.scrollTop;
  }

  /** Make nodes of the cards in view, and of one that is held or focused; drop the others. */
  show(scrollTop = this.node.scrollTop) {
    const first = this.whole ? 0 : Math.max(0, Math.floor(scrollTop / PITCH) - BEYOND);
    const end = this.whole ? Infinity : this.near ? Math.ceil((scrollTop + this.height) / PITCH) + BEYOND : 0;
    const last = Math.min(this.cards.length, end);
    const wanted = new Set();
    for (let index = first; index < last; index += 1) wanted.add(index);
    for (const [id, node] of this.nodes) {
      if (node.contains(document.activeElement) || node.classList.contains("lifted")) wanted.add(this.index(id));
    }
    this.arrange([...wanted].filter((index) => index >= 0).sort((one, other) => one - other));
  }

  arrange(indexes) {
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
    if (!node) paint((node = cardNode(card.id)), card, this.describe(card.id));
    put(node, "ariaPosInSet", String(index + 1));
    put(node, "ariaSetSize", String(this.cards.length));
    return node;
  }
}

function put(target, name, value) {
  if (target[name] !== value) target[name] = value;
}
