// Moves of cards by dragging, keys or a menu, which show where a card would land or why it cannot be moved.

import { plainButton } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { field, formDialog } from "../../forms.js";
import { CARD_PITCH } from "./list.js";
import { COLUMNS, FINISHED_STATUSES, columnOf, cardAfterMove, insertionIndex, refusal, statusOf } from "./rules.js";

/** @import { View } from "../../view.js" */
/** @import { Board } from "./board.js" */
/** @import { CardList } from "./list.js" */
/** @import { Card } from "./rules.js" */

/** The keys that move between columns, and their direction. */
const SIDEWAYS_KEYS = { ArrowLeft: -1, ArrowRight: 1 };
/** A judgement: a reason is one sentence. */
const MAX_REASON_CHARACTERS = 500;
/** The minimum distance between a menu and the edges of the window. */
const MENU_MARGIN_PX = 8;

/** The card that the user is moving, if any, and the column that it is over. */
class LiftedCard {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {string | null} */
    this.id = null;
    /** @type {string | null} */
    this.column = null;
    /** Marks the place where the card would land. */
    this.placeholder = el("div.landing");
    /** Says where the card would land, or why it cannot be moved. */
    this.message = el("p.verdict");
  }

  /** @param {string} id */
  lift(id) {
    this.id = id;
    this.board.listOfCard(id)?.nodes.get(id)?.classList.add("lifted");
  }

  /** Whether a card is lifted. A card that has left the board is released. */
  get isActive() {
    if (this.id && !this.board.cards.has(this.id)) this.release();
    return this.id !== null;
  }

  /**
   * Move the lifted card over a column; return why it cannot be dropped there, if so, and where it would land.
   * @param {string} column
   * @returns {{reason: string | null, landing: string}}
   */
  moveOver(column) {
    const { board } = this;
    const card = /** @type {Card} */ (board.cards.get(this.id ?? ""));
    const target = cardAfterMove(card, column);
    const reason = refusal(card, column, board.states);
    const list = board.lists.get(board.cellKey(target));
    const index = list ? insertionIndex(list.cards, target) : 0;
    const position = list ? `${index + 1} of ${list.cards.length + 1}` : "here";
    const landing = `Lands ${position}${needsReason(board, card, column) ? ", asks for a reason" : ""}`;
    if (column !== this.column) {
      this.clearTarget();
      this.column = column;
      if (column !== columnOf(card)) this.markTarget(column, reason, landing);
      this.placeholder.style.top = `${index * CARD_PITCH}px`;
      if (!reason) list?.node.append(this.placeholder);
    }
    return { reason, landing };
  }

  /**
   * Mark the column that the card is over.
   * @param {string} column
   * @param {string | null} reason
   * @param {string} landing
   */
  markTarget(column, reason, landing) {
    const name = reason ? "refused" : "aimed";
    for (const node of this.board.node.querySelectorAll(`[data-column="${column}"]`)) node.classList.add(name);
    this.board.heads.get(column)?.append(fill(this.message, reason ?? landing));
  }

  /** Remove the marks from the column that the card was over. */
  clearTarget() {
    this.placeholder.remove();
    this.message.remove();
    for (const node of this.board.node.querySelectorAll(".aimed, .refused")) node.classList.remove("aimed", "refused");
  }

  release() {
    this.clearTarget();
    this.board.node.querySelector(".lifted")?.classList.remove("lifted");
    this.id = this.column = null;
  }
}

/**
 * Return whether the server requires a reason for a move.
 * @param {Board} board
 * @param {Card} card
 * @param {string} column
 */
const needsReason = (board, card, column) =>
  Boolean(board.states.get(card.status)?.with_reason?.includes(statusOf(column)));

/**
 * Move a card, after asking for a reason if the server requires one.
 * @param {Board} board
 * @param {string} id
 * @param {string} column
 */
async function move(board, id, column) {
  const card = board.cards.get(id);
  const isRequired = card && needsReason(board, card, column);
  const reason = isRequired ? await askForReason(board.view, id, column) : null;
  const isCancelled = reason === undefined;
  if (isCancelled || !board.cards.has(id)) return board.focus(id);
  return board.move(id, column, reason);
}

/**
 * Ask for the reason of a move. Resolves to undefined if the user cancels.
 * @param {View} view
 * @param {string} id
 * @param {string} column
 */
function askForReason(view, id, column) {
  const question = field(column === "blocked" ? "What blocks it?" : "Why is it reopened?",
    el("input", { name: "reason", required: true, maxlength: MAX_REASON_CHARACTERS }));
  const submit = (/** @type {{reason: string}} */ { reason }) => reason;
  return formDialog(view, `${id} to ${COLUMNS.get(column)}`, question, { verb: "Move", submit });
}

/**
 * Make the cards of a board movable.
 * @param {Board} board
 */
export function makeMovable(board) {
  const lifted = new LiftedCard(board);
  /** @type {(event: any) => string | undefined} */
  const cardIdAt = (event) => event.target.closest?.("[data-id]")?.dataset.id;
  /** @type {(name: string, listener: (event: any) => void) => void} */
  const on = (name, listener) => board.node.addEventListener(name, listener);

  on("dragstart", (event) => {
    const id = cardIdAt(event);
    if (!id) return;
    event.dataTransfer.setData("text/plain", `${id} ${board.cards.get(id)?.title}`);
    event.dataTransfer.effectAllowed = "move";
    lifted.lift(id);
  });
  const handleDrag = (/** @type {any} */ event) => {
    const { column } = event.target.closest?.("[data-column]")?.dataset ?? {};
    if (!lifted.isActive || !column) return;
    const { reason } = lifted.moveOver(column);
    if (!reason) event.preventDefault(); // allows the drop
  };
  on("dragenter", handleDrag);
  on("dragover", handleDrag);
  on("drop", (event) => {
    const { id, column } = lifted;
    if (!lifted.isActive || !id || !column) return;
    event.preventDefault();
    lifted.release();
    move(board, id, column);
  });
  on("dragend", () => lifted.release());
  on("focusin", (event) => {
    const id = cardIdAt(event);
    if (id) board.setCurrent(id);
  });
  on("focusout", (event) => {
    if (lifted.id && event.relatedTarget) lifted.release();
  });
  on("keydown", (event) => {
    const pressesButton = event.target.closest("button") && [" ", "Enter"].includes(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey || pressesButton || !cardIdAt(event)) return;
    const handle = lifted.isActive ? handleKeyWhileLifted : handleKey;
    if (handle(board, lifted, event.key)) event.preventDefault();
  });
  on("click", (event) => {
    const button = event.target.closest(".more"), id = cardIdAt(event);
    if (button && id) openMenu(board, id, button);
  });
}

/**
 * Handle a key while a card is lifted; return whether it was used.
 * @param {Board} board
 * @param {LiftedCard} lifted
 * @param {string} key
 */
function handleKeyWhileLifted(board, lifted, key) {
  const { id, column } = lifted;
  const card = board.cards.get(id ?? "");
  if (!id || !card) return false;
  const currentColumn = columnOf(card);
  if (key in SIDEWAYS_KEYS) {
    const names = [...COLUMNS.keys()];
    const next = names[(names.indexOf(column ?? currentColumn) + SIDEWAYS_KEYS[key] + names.length) % names.length];
    const { reason, landing } = lifted.moveOver(next);
    board.heads.get(next)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    board.view.announce(`${COLUMNS.get(next)}. ${reason ?? landing}`);
  } else if (key === " " && column && column !== currentColumn) {
    const { reason } = lifted.moveOver(column);
    if (reason) {
      board.view.announce(`Not dropped. ${reason}`);
      return true;
    }
    lifted.release();
    move(board, id, column);
  } else if (key === " " || key === "Escape") {
    lifted.release();
    board.view.announce(`Not moved. ${id} is still in ${COLUMNS.get(currentColumn)}.`);
  }
  return key !== "Tab"; // other keys do nothing, so that none of them leaves the lifted card by accident
}

/**
 * Handle a key on a card; return whether it was used.
 * @param {Board} board
 * @param {LiftedCard} lifted
 * @param {string} key
 */
function handleKey(board, lifted, key) {
  const id = board.current;
  const list = board.listOfCard(id);
  if (!id || !list) return false;
  if (key === " ") {
    lifted.lift(id);
    lifted.moveOver(list.column);
    board.view.announce(`${id} lifted. Left and right choose a column, space drops, Escape cancels.`);
    return true;
  }
  const index = list.indexOf(id);
  const last = list.cards.length - 1;
  const targets = { ArrowUp: index - 1, k: index - 1, ArrowDown: index + 1, j: index + 1, Home: 0, End: last };
  if (key in targets) board.focus(list.cards[targets[key]]?.id ?? null);
  else if (key in SIDEWAYS_KEYS) moveFocusSideways(board, list, index, SIDEWAYS_KEYS[key]);
  else if (key === "m") openMenu(board, id, /** @type {HTMLElement} */ (list.nodes.get(id)?.querySelector(".more")));
  else return false;
  return true;
}

/**
 * Focus a card in the next or previous list that has cards, at the same index if possible.
 * @param {Board} board
 * @param {CardList} list
 * @param {number} index
 * @param {number} step 1 or -1
 */
function moveFocusSideways(board, list, index, step) {
  const lists = [...board.lists.values()].filter((other) => other === list || other.cards.length);
  const { cards } = lists[lists.indexOf(list) + step] ?? list;
  board.focus(cards[Math.min(index, cards.length - 1)].id);
}

/**
 * Return the entries of the menu of a card. Entries that are not possible show the reason.
 * @param {Board} board
 * @param {Card} card
 * @param {HTMLElement} menu
 */
function menuEntries(board, card, menu) {
  const { id } = card;
  /** @type {(text: string, run: () => any, reason?: string | null | false) => HTMLElement} */
  const entry = (text, run, reason) => {
    const click = () => {
      if (reason) return;
      menu.hidePopover();
      run();
    };
    return plainButton([text, reason && el("small", reason)], click, { "aria-disabled": reason ? true : null });
  };
  const reasonAgainst = (/** @type {string} */ column) => refusal(card, column, board.states);
  // Ready and Backlog are the same status; only the applicable one is offered.
  const offered = [...COLUMNS.keys()].filter((column) => {
    const status = statusOf(column);
    return board.states.get(card.status)?.goes_to.includes(status) && !(status === "backlog" && reasonAgainst(column));
  });
  return [
    offered.map((column) =>
      entry(`Move to ${COLUMNS.get(column)}`, () => move(board, id, column), reasonAgainst(column))),
    card.yours && entry("Release it", () => board.claim(id, "release")),
    !card.claimed_by && !FINISHED_STATUSES.includes(card.status) &&
      entry("Claim it", () => board.claim(id, "take"), card.status === "backlog" && reasonAgainst("in-progress")),
  ];
}

/**
 * Open the menu of a card.
 * @param {Board} board
 * @param {string} id
 * @param {HTMLElement} button the button that opens the menu
 */
function openMenu(board, id, button) {
  const card = board.cards.get(id);
  if (!card) return;
  const menu = el("div.card.menu", { popover: "auto", role: "group", "aria-label": `Actions for ${id}` });
  fill(menu, menuEntries(board, card, menu));
  board.node.append(menu);
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    menu.remove();
    if (document.activeElement === document.body) button.focus();
  });
  menu.addEventListener("keydown", ({ key }) => {
    const focused = document.activeElement;
    const next = { ArrowDown: focused?.nextElementSibling, ArrowUp: focused?.previousElementSibling }[key];
    if (next instanceof HTMLElement) next.focus();
  });
  menu.showPopover();
  // Below the button, but inside the window.
  const { bottom, right } = button.getBoundingClientRect();
  const top = Math.min(bottom, innerHeight - menu.offsetHeight - MENU_MARGIN_PX);
  menu.style.top = `${Math.max(MENU_MARGIN_PX, top)}px`;
  menu.style.left = `${Math.max(MENU_MARGIN_PX, right - menu.offsetWidth)}px`;
  menu.querySelector("button")?.focus();
}
