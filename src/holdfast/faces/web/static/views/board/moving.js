// Moving cards: by dragging, by keys and by a menu; each shows first where a card would land, or why it may not.

import { asked, el, field, fill, plain } from "../../dom.js";
import { PITCH } from "./list.js";
import { COLUMNS, FINISHED, columnOf, moved, placeIn, refusal, statusOf } from "./rules.js";

const SIDEWAYS = { ArrowLeft: -1, ArrowRight: 1 };

/** What somebody holds above the board, and over which column. */
class Hold {
  constructor(board) {
    Object.assign(this, { board, id: null, column: null });
    this.landing = el("div.landing");
    this.verdict = el("p.verdict");
  }

  lift(id) {
    this.id = id;
    this.board.listOf(id).nodes.get(id).classList.add("lifted");
  }

  /** Tell whether a card is held; one that left the board meanwhile is let go. */
  get busy() {
    if (this.id && !this.board.cards.has(this.id)) this.release();
    return this.id !== null;
  }

  /** Hold the card over a column; return why it may not go there, else where it would land. */
  aim(column) {
    const { board } = this, card = board.cards.get(this.id), there = moved(card, column);
    const why = refusal(card, column, board.states);
    const list = board.lists.get(board.key(there)), place = list && placeIn(list.cards, there);
    const where = list ? `${place + 1} of ${list.cards.length + 1}` : "here";
    const lands = `Lands ${where}${needsReason(board, card, column) ? ", asks why" : ""}`;
    if (column === this.column) return { why, lands };
    this.rest();
    this.column = column;
    if (column === columnOf(card)) return { why, lands };
    const look = why ? "refused" : "aimed";
    for (const node of board.node.querySelectorAll(`[data-column="${column}"]`)) node.classList.add(look);
    board.heads.get(column).append(fill(this.verdict, why ?? lands));
    this.landing.style.top = `${place * PITCH}px`;
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

const needsReason = (board, card, column) => board.states.get(card.status).with_reason?.includes(statusOf(column));

async function move(board, id, column) {
  const isAsked = needsReason(board, board.cards.get(id), column);
  const reason = isAsked ? await askReason(board.view, id, column) : null;
  if (reason === undefined || !board.cards.has(id)) return board.focus(id);
  return board.move(id, column, reason);
}

function askReason(view, id, column) {
  const question = field(column === "blocked" ? "What is in its way?" : "Why is it opened again?",
    el("input", { name: "reason", required: true, maxlength: "500" }));
  return asked(view, `${id} to ${COLUMNS.get(column)}`, question, { verb: "Move", submit: ({ reason }) => reason });
}

export function makeMovable(board) {
  const hold = new Hold(board);
  const idOf = (event) => event.target.closest?.("[data-id]")?.dataset.id;
  const on = (name, listener) => board.node.addEventListener(name, listener);

  on("dragstart", (event) => {
    const id = idOf(event);
    if (!id) return;
    event.dataTransfer.setData("text/plain", `${id} ${board.cards.get(id).title}`);
    event.dataTransfer.effectAllowed = "move";
    hold.lift(id);
  });
  const aim = (event) => {
    const { column } = event.target.closest?.("[data-column]")?.dataset ?? {};
    if (hold.busy && column && !hold.aim(column).why) event.preventDefault();
  };
  on("dragenter", aim);
  on("dragover", aim);
  on("drop", (event) => {
    const { id, column } = hold;
    if (!hold.busy || !column) return;
    event.preventDefault();
    hold.release();
    move(board, id, column);
  });
  on("dragend", () => hold.release());
  on("focusin", (event) => idOf(event) && board.choose(idOf(event)));
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

function held(board, hold, key) {
  const { id, column } = hold;
  const here = columnOf(board.cards.get(id));
  if (key in SIDEWAYS) {
    const names = [...COLUMNS.keys()];
    const next = names[(names.indexOf(column) + SIDEWAYS[key] + names.length) % names.length];
    const { why, lands } = hold.aim(next);
    board.heads.get(next).scrollIntoView({ block: "nearest", inline: "nearest" });
    board.view.announce(`${COLUMNS.get(next)}. ${why ?? lands}`);
  } else if (key === " " && column !== here) {
    const { why } = hold.aim(column);
    if (why) return board.view.announce(`Not dropped. ${why}`);
    hold.release();
    move(board, id, column);
  } else if (key === " " || key === "Escape") {
    hold.release();
    board.view.announce(`Not moved. ${id} is still in ${COLUMNS.get(here)}.`);
  } else return key !== "Tab";
}

function walked(board, hold, key) {
  const id = board.current, list = board.listOf(id);
  if (!list) return false;
  if (key === " ") {
    hold.lift(id);
    hold.aim(list.column);
    return board.view.announce(`${id} lifted. Left and right choose a column, space drops, Escape cancels.`);
  }
  const index = list.index(id), last = list.cards.length - 1;
  const steps = { ArrowUp: index - 1, k: index - 1, ArrowDown: index + 1, j: index + 1, Home: 0, End: last };
  if (key in steps) return list.cards[steps[key]] && board.focus(list.cards[steps[key]].id);
  if (key in SIDEWAYS) return sideways(board, list, index, SIDEWAYS[key]);
  if (key === "m") return openMenu(board, id, list.nodes.get(id).querySelector(".more"));
  return false;
}

function sideways(board, list, index, step) {
  const lists = [...board.lists.values()].filter((other) => other === list || other.cards.length);
  const { cards } = lists[lists.indexOf(list) + step] ?? list;
  board.focus(cards[Math.min(index, cards.length - 1)].id);
}

/** Show what can be done with a card, and why not where something cannot. */
function openMenu(board, id, button) {
  const card = board.cards.get(id);
  const menu = el("div.card.menu", { popover: "auto", role: "group", "aria-label": `What to do with ${id}` });
  const entry = (text, run, why) => {
    const click = () => why || (menu.hidePopover(), run());
    return plain([text, why && el("small", why)], click, { "aria-disabled": why ? true : null });
  };
  const refused = (column) => refusal(card, column, board.states);
  // Ready and Backlog are one state: only the one that fits is offered.
  const offered = [...COLUMNS.keys()].filter((column) => {
    const status = statusOf(column);
    return board.states.get(card.status).goes_to.includes(status) && !(status === "backlog" && refused(column));
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
    const { nextElementSibling: next, previousElementSibling: previous } = document.activeElement;
    ({ ArrowDown: next, ArrowUp: previous })[key]?.focus();
  });
  menu.showPopover();
  const { bottom, right } = button.getBoundingClientRect();
  menu.style.top = `${Math.max(8, Math.min(bottom, innerHeight - menu.offsetHeight - 8))}px`;
  menu.style.left = `${Math.max(8, right - menu.offsetWidth)}px`;
  menu.querySelector("button").focus();
}
