// Moving cards: by dragging, by keys and by a menu; each shows first where a card would land, or why it may not.

import { el, fill } from "../../dom.js";
import { askReason } from "./forms.js";
import { COLUMNS, FINISHED, columnOf, statusOf } from "./rules.js";

/** What somebody holds above the board, and over which column. */
class Hold {
  constructor(board) {
    Object.assign(this, { board, id: null, column: null });
  }

  lift(id) {
    this.id = id;
    this.column = null;
    this.board.listOf(id).nodes.get(id).classList.add("lifted");
  }

  /** Tell whether a card is held; one that left the board meanwhile is let go. */
  get busy() {
    if (this.id && !this.board.cards.has(this.id)) this.release();
    return this.id !== null;
  }

  /** Hold the card over a column; return where it would land and why it may not. */
  aim(column) {
    const { board, id } = this;
    const why = board.refusal(id, column);
    if (column === this.column) return { why };
    this.rest();
    this.column = column;
    const { list, place } = board.landing(id, column);
    const here = column === columnOf(board.cards.get(id));
    const verdict = board.heads.get(column).querySelector(".verdict");
    const needs = board.needsReason(id, column) ? ", asks why" : "";
    const words = why ?? (list ? `Lands ${place + 1} of ${list.cards.length + 1}${needs}` : `Lands here${needs}`);
    if (here) return { why, words };
    for (const node of board.node.querySelectorAll(`[data-column="${column}"]`)) node.classList.add(why ? "refused" : "aimed");
    fill(verdict, words).hidden = false;
    if (!why) list?.land(place);
    return { why, words };
  }

  rest() {
    for (const list of this.board.lists.values()) if (!list.landing.hidden) list.land(null);
    for (const node of this.board.node.querySelectorAll(".aimed, .refused")) node.classList.remove("aimed", "refused");
    for (const head of this.board.heads.values()) head.querySelector(".verdict").hidden = true;
  }

  /** Let go without moving anything. */
  release() {
    this.rest();
    for (const node of this.board.node.querySelectorAll(".lifted")) node.classList.remove("lifted");
    this.id = this.column = null;
  }
}

/** Move a card, after asking why where that is needed. */
async function move(board, id, column) {
  const reason = board.needsReason(id, column) ? await askReason(board.view, id, COLUMNS.get(column)) : null;
  if (reason === undefined || !board.cards.has(id)) return board.focus(id);
  return board.move(id, column, reason);
}

/** Let cards of a board be moved. */
export function makeMovable(board) {
  const hold = new Hold(board);
  const idOf = (event) => event.target.closest?.("[data-id]")?.dataset.id;
  const columnUnder = (event) => event.target.closest?.("[data-column]")?.dataset.column;
  const on = (name, listener) => board.node.addEventListener(name, listener);

  on("dragstart", (event) => {
    const id = idOf(event);
    if (!id) return;
    event.dataTransfer.setData("text/plain", `${id} ${board.cards.get(id).title}`);
    event.dataTransfer.effectAllowed = "move";
    hold.lift(id);
  });
  for (const name of ["dragenter", "dragover"]) {
    on(name, (event) => {
      const column = hold.busy && columnUnder(event);
      if (column && !hold.aim(column).why) event.preventDefault();
    });
  }
  on("drop", (event) => {
    const { id, column } = hold;
    if (!hold.busy || !column) return;
    event.preventDefault();
    hold.release();
    move(board, id, column);
  });
  on("dragend", () => hold.release());
  on("focusin", (event) => {
    const id = idOf(event);
    if (id && id !== board.current) board.choose(id);
  });
  on("focusout", (event) => hold.id && event.relatedTarget && hold.release());
  on("keydown", (event) => {
    const pressed = event.target.closest("button") && [" ", "Enter"].includes(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey || pressed || !idOf(event)) return;
    if ((hold.busy ? held : walked)(board, hold, event.key) !== false) event.preventDefault();
  });
  on("click", (event) => {
    const button = event.target.closest(".more");
    if (button) openMenu(board, idOf(event), button);
  });
}

const SIDEWAYS = { ArrowLeft: -1, ArrowRight: 1 };

/** A key while a card is lifted. */
function held(board, hold, key) {
  const { id, column } = hold;
  const names = [...COLUMNS.keys()];
  if (key in SIDEWAYS) {
    const next = names[(names.indexOf(column) + SIDEWAYS[key] + names.length) % names.length];
    const { why, words } = hold.aim(next);
    board.heads.get(next).scrollIntoView({ block: "nearest", inline: "nearest" });
    board.view.announce(`${COLUMNS.get(next)}. ${why ?? words}`);
  } else if (key === " ") {
    const why = board.refusal(id, column);
    if (why && column !== columnOf(board.cards.get(id))) return board.view.announce(`Not dropped. ${why}`);
    hold.release();
    if (why) board.view.announce(`${id} stays where it is.`);
    else move(board, id, column);
  } else if (key === "Escape") {
    hold.release();
    board.view.announce(`Cancelled. ${id} is still in ${COLUMNS.get(columnOf(board.cards.get(id)))}.`);
  } else {
    return key === "Tab" ? (hold.release(), false) : undefined;
  }
}

/** A key while nothing is lifted. */
function walked(board, hold, key) {
  const id = board.current;
  const list = id && board.listOf(id);
  if (!list) return false;
  if (key === " ") {
    hold.lift(id);
    hold.aim(columnOf(board.cards.get(id)));
    return board.view.announce(`${id} lifted. Left and right choose a column, space drops, Escape cancels.`);
  }
  const index = list.index(id);
  const steps = { ArrowUp: index - 1, k: index - 1, ArrowDown: index + 1, j: index + 1, Home: 0, End: list.cards.length - 1 };
  if (key in steps) return list.cards[steps[key]] ? board.focus(list.cards[steps[key]].id) : undefined;
  if (key in SIDEWAYS) return sideways(board, list, index, SIDEWAYS[key]);
  if (key === "m") return openMenu(board, id, list.nodes.get(id).querySelector(".more"));
  return false;
}

function sideways(board, list, index, step) {
  const lists = [...board.lists.values()];
  for (let place = lists.indexOf(list) + step; lists[place]; place += step) {
    const { cards } = lists[place];
    if (cards.length) return board.focus(cards[Math.min(index, cards.length - 1)].id);
  }
}

/** Show what can be done with a card, and why not where something cannot. */
function openMenu(board, id, button) {
  const card = board.cards.get(id);
  const menu = el("div", { class: "menu", popover: "auto", role: "group", "aria-label": `What to do with ${id}` });
  const entry = (text, run, why = null) =>
    el("button", { class: "button plain", type: "button", "aria-disabled": why ? "true" : null, on: { click: () => why || (menu.hidePopover(), run()) } }, text, why && el("small", {}, why));
  // Ready and Backlog are one state: only the one that fits is offered.
  const possible = board.states.get(card.status).goes_to;
  const offered = [...COLUMNS].map(([column, title]) => ({ column, title, why: board.refusal(id, column) }))
    .filter(({ column, why }) => possible.includes(statusOf(column)) && !(why && statusOf(column) === "backlog"));
  fill(menu,
    offered.map(({ column, title, why }) => entry(`Move to ${title}`, () => move(board, id, column), why)),
    card.yours && entry("Give it back", () => board.claim(id, "release")),
    !card.claimed_by && !FINISHED.includes(card.status) && entry("Take it", () => board.claim(id, "take"), card.status === "backlog" ? board.refusal(id, "in-progress") : null));
  board.node.append(menu);
  menu.addEventListener("toggle", (event) => event.newState === "closed" && (menu.remove(), document.activeElement === document.body && button.focus()));
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (step) event.preventDefault();
    document.activeElement[step]?.focus();
  });
  menu.showPopover();
  const { bottom, right } = button.getBoundingClientRect();
  menu.style.top = `${Math.max(8, Math.min(bottom, innerHeight - menu.offsetHeight - 8))}px`;
  menu.style.left = `${Math.max(8, right - menu.offsetWidth)}px`;
  menu.querySelector("button").focus();
}
