// Board: tasks by state, moved by hand, kept current while others work.

import { button } from "../controls.js";
import { el, fill } from "../dom.js";
import { empty } from "../view.js";
import { Board } from "./board/board.js";
import { filterLine, filtersOf, offer } from "./board/filters.js";
import { askTask } from "./board/forms.js";
import { makeMovable } from "./board/moving.js";
import { OPEN } from "./board/rules.js";
import { Source } from "./board/source.js";

const PRIMARY = { class: "button primary" };

export async function show(view) {
  const source = new Source(view, filtersOf(view.query));
  const board = new Board(view, source, { lanes: view.query.get("lanes"), unfolded: view.query.get("open")?.split(",") });
  const create = async () => {
    const id = await askTask(view, source);
    if (!id) return;
    view.announce(`${id} was added.`);
    await board.refresh([id]).catch(() => {}); // its event brings it as well
    board.focus(id);
  };
  const filters = filterLine(view);
  view.heading("Board", { json: source.json, tools: [button("New task", create, PRIMARY)], filters });
  const place = el("div", { class: "board-place" }, board.node);
  const keys = "Space lifts it, m opens its menu, arrows go to other cards.";
  view.main.append(place, el("p", { class: "visually-hidden", id: "board-keys" }, keys));
  view.key("n", "New task", create);
  view.key("j", "To the cards; then arrows, or j and k", () => board.focus(board.current));
  view.key("Space", "Lift the card; arrows choose a column, Space drops, Esc cancels", () => false);
  view.key("m", "Menu of the card", () => false);
  makeMovable(board);
  try {
    await board.load();
  } catch (problem) {
    if (problem.kind !== "not_initialized") throw problem;
    view.heading("Board");
    fill(place, beginning(view, source));
    return;
  }
  offer(filters, board.cards.values());
  board.settled = () => {
    const some = [...board.states.keys()].some((status) => board.total(status));
    if (some === board.node.isConnected) return;
    fill(place, some ? board.node : nothing(source, create));
    board.measure();
  };
  board.settled();
  const all = OPEN.reduce((sum, status) => sum + board.total(status), 0);
  const shown = [...board.cards.values()].filter((card) => OPEN.includes(card.status)).length;
  const words = `These are the first ${shown} of ${all} open tasks; a filter shows others.`;
  if (shown < all) place.prepend(el("p", { class: "quiet" }, words));
}

function beginning(view, source) {
  const again = () => view.signal.aborted || view.go("/board", { replace: true });
  const failure = el("div");
  const begin = () => view.attempt(failure, () => source.begin().then(again));
  view.on("tasks", again); // somebody else may begin as well
  return [emptiness("The board shows the tasks that people and agents share. This repository has none yet.",
    begin, "Begin with a few tasks", "holdfast tasks init"), failure];
}

function nothing(source, create) {
  const all = el("a", { class: "button", href: "/board" }, "Show all tasks");
  if (Object.keys(source.filters).length) return empty("No task fits these filters.", all);
  return emptiness("Tasks stand here by their state. There are none yet.", create, "New task", 'holdfast tasks add "What is to be done"');
}

function emptiness(text, click, verb, command) {
  return empty(text, el("div", { class: "row" }, button(verb, click, PRIMARY), "or run", el("code", {}, command)));
}
