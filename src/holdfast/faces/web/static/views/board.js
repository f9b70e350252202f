// The Board view: tasks by status, updated while others work. Its filters are in the URL.

import { apiUrl, post } from "../api.js";
import { choice, primaryButton } from "../controls.js";
import { emptyState } from "../display.js";
import { el, fill } from "../dom.js";
import { field, formDialog } from "../forms.js";
import { Board, PATH } from "./board/board.js";
import { filterControls, offerValues, readFilters } from "./board/filters.js";
import { makeMovable } from "./board/moves.js";
import { MAX_TITLE_CHARACTERS, OPEN_STATUSES, PRIORITIES } from "./board/rules.js";

/** @import { View } from "../view.js" */

/** @param {View} view */
export async function show(view) {
  const { query } = view;
  const filters = readFilters(query);
  const options = { laneProperty: query.get("lanes"), unfolded: query.get("open")?.split(",") };
  const board = new Board(view, filters, options);
  const create = async () => {
    const id = await createTask(view, filters);
    if (!id) return; // cancelled
    view.announce(`${id} was added.`);
    await board.refresh([id]).catch(() => {}); // the event of the new task refreshes the board as well
    board.focus(id);
  };
  const controls = filterControls(view);
  const tools = [primaryButton("New task", create)];
  view.setHeading("Board", { json: apiUrl(PATH, filters), tools, filters: controls });
  const place = el("div.board-place", board.node);
  const keys = "Space lifts the card, m opens its menu, arrow keys go to other cards.";
  view.main.append(place, el("p.visually-hidden", { id: "board-keys" }, keys));
  view.addKey("n", "New task", create);
  view.addKey("j", "Go to the cards; then arrow keys, or j and k", () => board.focus(board.current));
  // The cards handle these two keys; here they are only added to the list of keys.
  view.addKey("Space", "Lift the card; arrow keys choose a column, Space drops, Esc cancels", null);
  view.addKey("m", "Open the menu of the card", null);
  makeMovable(board);
  try {
    await board.load();
  } catch (problem) {
    if (problem.kind !== "not_initialized") throw problem;
    view.setHeading("Board");
    fill(place, notInitialized(view));
    return;
  }
  offerValues(controls, board.cards.values());
  board.onRefresh = () => {
    const hasCards = [...board.states.keys()].some((status) => board.total(status));
    if (hasCards === board.node.isConnected) return;
    fill(place, hasCards ? board.node : emptyMessage(filters, create));
    board.measure();
  };
  board.onRefresh();
  const total = OPEN_STATUSES.reduce((sum, status) => sum + board.total(status), 0);
  const loaded = [...board.cards.values()].filter((card) => OPEN_STATUSES.includes(card.status)).length;
  if (view.query.has("new")) {
    view.setQuery({ new: null });
    create();
  }
  const note = `These are the first ${loaded} of ${total} open tasks. Use a filter to see others.`;
  if (loaded < total) place.prepend(el("p.quiet", note));
}

/**
 * Return an empty state for a repository without tasks, with a button that initializes it.
 * @param {View} view
 */
function notInitialized(view) {
  const showAgain = () => {
    if (!view.signal.aborted) view.go("/board", { replace: true });
  };
  const errorPlace = el("div");
  const initialize = () => view.attempt(errorPlace, () => post("tasks/taskpilot_init").then(showAgain));
  view.on("tasks", showAgain); // somebody else may initialize the repository
  return [emptyBoard("The board shows the tasks that people and agents share. This repository has none yet.",
    initialize, "Begin with a few tasks", "holdfast tasks init"), errorPlace];
}

/**
 * @param {Record<string, any>} filters
 * @param {() => any} create
 */
function emptyMessage(filters, create) {
  const all = el("a.button", { href: "/board" }, "Show all tasks");
  if (Object.keys(filters).length) return emptyState("search", "No task matches these filters.", all);
  return emptyBoard("The board shows tasks by status. There are none yet.", create, "New task",
    'holdfast tasks add "What is to be done"');
}

/**
 * Return an empty state with a button, and a command that does the same.
 * @param {string} text
 * @param {() => any} click
 * @param {string} verb the text of the button
 * @param {string} command
 */
const emptyBoard = (text, click, verb, command) =>
  emptyState("board", text, el("div.row.wrap", primaryButton(verb, click), "or run", el("code", command)));

/**
 * Ask the user for a new task and create it with the label and milestone of the filters. Resolves to its id.
 * @param {View} view
 * @param {Record<string, any>} filters
 * @returns {Promise<string | undefined>}
 */
function createTask(view, { label, milestone }) {
  const fields = [
    field("Title", el("input", { name: "title", required: true, maxlength: MAX_TITLE_CHARACTERS })),
    field("Priority", choice("Priority", PRIORITIES, "medium", null, { name: "priority" })),
    field("Done when (one criterion per line; optional)", el("textarea", { name: "criteria", rows: "3" })),
  ];
  const submit = async ({ title, priority, criteria: text }) => {
    const criteria = text.split("\n").map((line) => line.trim()).filter(Boolean);
    const body = { title, priority, criteria, labels: label && [label], milestone };
    return (await post("tasks/taskpilot_create_task", body)).task.id;
  };
  return formDialog(view, "New task", fields, { verb: "Add", submit });
}
