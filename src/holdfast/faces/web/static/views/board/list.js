// A column's cards: only those in view are nodes, the rest is space; a card has one height and one row of marks.

import { arrange, button, el, failure, fill, left, quiet, ticking } from "../../dom.js";
import { compare, waits } from "./rules.js";

export const CARD_HEIGHT = 104;
export const PITCH = CARD_HEIGHT + 8;
const BEYOND = 4;

/** The sorted cards of one column in one lane. `near` tells whether the lane is about to be seen. */
export class CardList {
  constructor(board, column, label, near) {
    Object.assign(this, { board, column, near, cards: [], nodes: new Map(), height: 0 });
    this.items = el("ul.plain-list", { role: "list", "aria-label": label });
    this.node = el("div.cards", { tabindex: "-1", dataset: { column } }, this.items);
    this.node.addEventListener("scroll", () => this.show(), { passive: true });
  }

  /** Show a card that is new here, or another state of one, at its place. */
  take(card) {
    this.cards = [...this.cards.filter(({ id }) => id !== card.id), card].sort(compare);
    this.show();
    this.repaint(card.id);
  }

  remove(id) {
    this.cards = this.cards.filter((card) => card.id !== id);
    this.show();
  }

  repaint(id) {
    const node = this.nodes.get(id);
    if (node) paint(node, this.cards[this.index(id)], this.board);
  }

  index(id) {
    return this.cards.findIndex((card) => card.id === id);
  }

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
    this.nodes = used;
    this.items.style.minHeight = `${this.cards.length * PITCH}px`;
    let next = 0;
    const placed = [...used.values()];
    placed.forEach((node, place) => {
      put(node.style, "marginTop", indexes[place] > next ? `${(indexes[place] - next) * PITCH}px` : "");
      next = indexes[place] + 1;
    });
    arrange(this.items, placed);
  }

  nodeAt(index) {
    const card = this.cards[index];
    let node = this.nodes.get(card.id);
    if (!node) {
      node = el("li.task.card", { draggable: "true", dataset: { id: card.id } });
      paint(node, card, this.board);
    }
    put(node, "ariaPosInSet", String(index + 1));
    put(node, "ariaSetSize", String(this.cards.length));
    return node;
  }
}

function put(target, name, value) {
  if (target[name] !== value) target[name] = value;
}

const PRIORITIES = { high: "▲ high", low: "▽ low" };
const CHANGED = "Changed since you last looked";

function paint(node, card, board) {
  const { id, priority, title } = card, tabindex = id === board.current ? "0" : "-1";
  const name = { href: `/task/${id}`, title, draggable: "false", tabindex, dataset: { part: "name" } };
  const more = { type: "button", tabindex, dataset: { part: "more" } };
  fill(
    node,
    el("div.row",
      quiet(id),
      PRIORITIES[priority] && el(`span.priority.${priority}`, PRIORITIES[priority]),
      board.isNews(card) && el("span.changed", { title: CHANGED }, el("span.visually-hidden", CHANGED)),
      el("button.button.plain.more", { ...more, "aria-label": `Move or take ${id}`, "aria-haspopup": "true" }, "⋯")),
    el("a.name.two-lines", { ...name, "aria-describedby": `marks-${id} board-keys` },
      el("span.visually-hidden", `${id}: `), title),
    el("div.marks.row", { id: `marks-${id}` }, marks(card)),
    board.problems.has(id) && failure(board.problems.get(id), button("Understood", () => board.dismiss(id))),
  );
}

function marks(card) {
  const { claimed_by: holder, lease_until: until, criteria, criteria_met: met } = card;
  const remaining = () => left(until).replace("over", "lease ran out");
  return [
    holder && el("span.holder", { title: `Held by ${holder}` }, el("span.dot"),
      el("span.one-line", card.yours ? "you" : holder), ticking(quiet(), remaining)),
    card.blocked_by && el("span.waits", waits(card)),
    criteria && el("span.criteria", { title: `${met} of ${criteria} criteria are met` }, `${met}/${criteria}`,
      el("span.bar", { "aria-hidden": "true", style: { "--share": `${(100 * met) / criteria}%` } })),
    card.unblocks && el("span.quiet", { title: "Tasks that wait for it" }, `holds up ${card.unblocks}`),
    card.remarks && el("span.quiet", { title: "Notes and remarks linked with it" }, `✎ ${card.remarks}`),
    card.labels?.map((label) => el("span.tag", label)),
  ];
}
