// Moving cards by dragging, by keys and by a menu; each shows where a card would land or why it may not.

import { plainButton } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { field, formDialog } from "../../forms.js";
import { CARD_PITCH } from "./list.js";
import { COLUMNS, FINISHED, columnOf, cardAfterMove, insertionIndex, refusal, statusOf } from "./rules.js";

/** @import { View } from "../../view.js" */
/** @import { Board } from "./board.js" */
/** @import { CardList } from "./list.js" */
/** @import { Card } from "./rules.js" */

const SIDEWAYS = { ArrowLeft: -1, ArrowRight: 1 };

/** The card that is lifted, and the column that it is over. */
class Hold {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {string | null} */
    this.id = null;
    /** @type {string | null} */
    this.column = null;
    this.landing = el("div.landing");
    this.verdict = el("p.verdict");
  }

  /** @param {string} id */
  lift(id) {
    this.id = id;
    this.board.listOfCard(id)?.nodes.get(id)?.classList.add("lifted");
  }

  /** Whether a card is lifted; one that has left the board is released. */
  get isActive() {
    if (this.id && !this.board.cards.has(this.id)) this.release();
    return this.id !== null;
  }

  /**
   * Move the lifted card over a column; return why it may not go there, and where it would land.
   * @param {string} column
   */
  aim(column) {
    const { board } = this, card = /** @type {Card} */ (board.cards.get(this.id ?? "")), target = cardAfterMove(card, column);
    const why = refusal(card, column, board.states);
    const list = board.lists.get(board.cellKey(target)), index = list ? insertionIndex(list.cards, target) : 0;
    const where = list ? `${index + 1} of ${list.cards.length + 1}` : "here";
    const lands = `Lands ${where}${needsReason(board, card, column) ? ", asks why" : ""}`;
    if (column === this.column) return { why, lands };
    this.rest();
    this.column = column;
    if (column === columnOf(card)) return { why, lands };
    const look = why ? "refused" : "aimed";
    for (const node of board.node.querySelectorAll(`[data-column="${column}"]`)) node.classList.add(look);
    board.heads.get(column)?.append(fill(this.verdict, why ?? lands));
    this.landing.style.top = `${index * CARD_PITCH}px`;
    if (!why) list?.node.append(this.landing);
    return { why, lands };
  }

  rest() {
    this.landing.remove();
    this.verdict.remove();
    for (const node of this.board.node.querySelectorAll(".aimed, .refused")) node.classList.remove("aimed", "refused");
  }

  release() {
    this.rest();
    this.board.node.querySelector(".lifted")?.classList.remove("lifted");
    this.id = this.column = null;
  }
}

/**
 * @param {Board} board
 * @param {Card} card
 * @param {string} column
 */
const needsReason = (board, card, column) =>
  Boolean(board.states.get(card.status)?.with_reason?.includes(statusOf(column)));

/**
 * Move a card, with a reason if the server requires one.
 * @param {Board} board
 * @param {string} id
 * @param {string} column
 */
async function move(board, id, column) {
  const card = board.cards.get(id);
  const reason = card && needsReason(board, card, column) ? await askReason(board.view, id, column) : null;
  if (reason === undefined || !board.cards.has(id)) return board.focus(id);
  return board.move(id, column, reason);
}

/**
 * @param {View} view
 * @param {string} id
 * @param {string} column
 */
function askReason(view, id, column) {
  const question = field(column === "blocked" ? "What is in its way?" : "Why is it reopened?",
    el("input", { name: "reason", required: true, maxlength: "500" }));
  const submit = (/** @type {{reason: string}} */ { reason }) => reason;
  return formDialog(view, `${id} to ${COLUMNS.get(column)}`, question, { verb: "Move", submit });
}

/**
 * Let the cards of a board be moved.
 * @param {Board} board
 */
export function makeMovable(board) {
  const hold = new Hold(board);
  /** @type {(event: any) => string | undefined} */
  const idOf = (event) => event.target.closest?.("[data-id]")?.dataset.id;
  /** @type {(name: string, listener: (event: any) => void) => void} */
  const on = (name, listener) => board.node.addEventListener(name, listener);

  on("dragstart", (event) => {
    const id = idOf(event);
    if (!id) return;
    event.dataTransfer.setData("text/plain", `${id} ${board.cards.get(id)?.title}`);
    event.dataTransfer.effectAllowed = "move";
    hold.lift(id);
  });
  const aim = (/** @type {any} */ event) => {
    const { column } = event.target.closest?.("[data-column]")?.dataset ?? {};
    if (hold.isActive && column && !hold.aim(column).why) event.preventDefault();
  };
  on("dragenter", aim);
  on("dragover", aim);
  on("drop", (event) => {
    const { id, column } = hold;
    if (!hold.isActive || !id || !column) return;
    event.preventDefault();
    hold.release();
    move(board, id, column);
  });
  on("dragend", () => hold.release());
  on("focusin", (event) => idOf(event) && board.setCurrent(idOf(event) ?? null));
  on("focusout", (event) => hold.id && event.relatedTarget && hold.release());
  on("keydown", (event) => {
    const pressed = event.target.closest("button") && [" ", "Enter"].includes(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey || pressed || !idOf(event)) return;
    if ((hold.isActive ? pressWhileLifted : press)(board, hold, event.key) !== false) event.preventDefault();
  });
  on("click", (event) => {
    const button = event.target.closest(".more"), id = idOf(event);
    if (button && id) openMenu(board, id, button);
  });
}

/**
 * Handle a key while a card is lifted; return false if it was not used.
 * @param {Board} board
 * @param {Hold} hold
 * @param {string} key
 */
function pressWhileLifted(board, hold, key) {
  const { id, column } = hold, card = board.cards.get(id ?? "");
  if (!id || !card) return false;
  const here = columnOf(card);
  if (key in SIDEWAYS) {
    const names = [...COLUMNS.keys()];
    const next = names[(names.indexOf(column ?? here) + SIDEWAYS[key] + names.length) % names.length];
    const { why, lands } = hold.aim(next);
    board.heads.get(next)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    board.view.announce(`${COLUMNS.get(next)}. ${why ?? lands}`);
  } else if (key === " " && column && column !== here) {
    const { why } = hold.aim(column);
    if (why) {
      board.view.announce(`Not dropped. ${why}`);
      return true;
    }
    hold.release();
    move(board, id, column);
  } else if (key === " " || key === "Escape") {
    hold.release();
    board.view.announce(`Not moved. ${id} is still in ${COLUMNS.get(here)}.`);
  } else return key !== "Tab";
  return true;
}

/**
 * Handle a key on a card; return false if it was not used.
 * @param {Board} board
 * @param {Hold} hold
 * @param {string} key
 */
function press(board, hold, key) {
  const id = board.current, list = board.listOfCard(id);
  if (!id || !list) return false;
  if (key === " ") {
    hold.lift(id);
    hold.aim(list.column);
    board.view.announce(`${id} lifted. Left and right choose a column, space drops, Escape cancels.`);
    return true;
  }
  const index = list.index(id), last = list.cards.length - 1;
  const steps = { ArrowUp: index - 1, k: index - 1, ArrowDown: index + 1, j: index + 1, Home: 0, End: last };
  if (key in steps) board.focus(list.cards[steps[key]]?.id ?? null);
  else if (key in SIDEWAYS) moveFocusSideways(board, list, index, SIDEWAYS[key]);
  else if (key === "m") openMenu(board, id, /** @type {HTMLElement} */ (list.nodes.get(id)?.querySelector(".more")));
  else return false;
  return true;
}

/**
 * Focus a card in the next list that has any.
 * @param {Board} board
 * @param {CardList} list
 * @param {number} index
 * @param {number} step
 */
function moveFocusSideways(board, list, index, step) {
  const lists = [...board.lists.values()].filter((other) => other === list || other.cards.length);
  const { cards } = lists[lists.indexOf(list) + step] ?? list;
  board.focus(cards[Math.min(index, cards.length - 1)].id);
}

/**
 * Show what can be done with a card; entries that are not possible say why.
 * @param {Board} board
 * @param {string} id
 * @param {HTMLElement} button the one that opens the menu
 */
function openMenu(board, id, button) {
  const card = board.cards.get(id);
  if (!card) return;
  const menu = el("div.card.menu", { popover: "auto", role: "group", "aria-label": `What to do with ${id}` });
  /** @type {(text: string, run: () => any, why?: string | null | false) => HTMLElement} */
  const entry = (text, run, why) => {
    const click = () => why || (menu.hidePopover(), run());
    return plainButton([text, why && el("small", why)], click, { "aria-disabled": why ? true : null });
  };
  const refused = (/** @type {string} */ column) => refusal(card, column, board.states);
  // Ready and Backlog are the same status: only the one that applies is offered.
  const offered = [...COLUMNS.keys()].filter((column) => {
    const status = statusOf(column);
    return board.states.get(card.status)?.goes_to.includes(status) && !(status === "backlog" && refused(column));
  });
  fill(menu,
    offered.map((column) => entry(`Move to ${COLUMNS.get(column)}`, () => move(board, id, column), refused(column))),
    card.yours && entry("Give it back", () => board.claim(id, "release")),
    !card.claimed_by && !FINISHED.includes(card.status) &&
      entry("Take it", () => board.claim(id, "take"), card.status === "backlog" && refused("in-progress")));
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
  const { bottom, right } = button.getBoundingClientRect();
  menu.style.top = `${Math.max(8, Math.min(bottom, innerHeight - menu.offsetHeight - 8))}px`;
  menu.style.left = `${Math.max(8, right - menu.offsetWidth)}px`;
  menu.querySelector("button")?.focus();
}
