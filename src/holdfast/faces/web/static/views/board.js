// The Board view: tasks by status, updated while others work. Its filters are in the URL.

import { apiUrl, post } from "../api.js";
import { button, choice, primaryButton } from "../controls.js";
import { emptyState } from "../display.js";
import { el, fill } from "../dom.js";
import { field, formDialog } from "../forms.js";
import { Board, PATH } from "./board/board.js";
import { makeMovable } from "./board/moves.js";
import { OPEN_STATUSES } from "./board/rules.js";

/** @import { View } from "../view.js" */
/** @import { Card } from "./board/rules.js" */

/** @param {View} view */
export async function show(view) {
  const { query } = view;
  const filters = readFilters(query);
  const board = new Board(view, filters, { lanes: query.get("lanes"), unfolded: query.get("open")?.split(",") });
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
  view.addKey("Space", "Lift the card; arrow keys choose a column, Space drops, Esc cancels", () => false);
  view.addKey("m", "Open the menu of the card", () => false);
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
 * Return an empty state for a board without cards.
 * @param {Record<string, any>} filters
 * @param {() => any} create
 */
function emptyMessage(filters, create) {
  const all = el("a.button", { href: "/board" }, "Show all tasks");
  if (Object.keys(filters).length) return emptyState("No task matches these filters.", all);
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
  emptyState(text, el("div.row.wrap", primaryButton(verb, click), "or run", el("code", command)));

/**
 * Ask the user for a new task and create it with the label and milestone of the filters. Resolves to its id.
 * @param {View} view
 * @param {Record<string, any>} filters
 * @returns {Promise<string | undefined>}
 */
function createTask(view, { label, milestone }) {
  const fields = [
    field("Title", el("input", { name: "title", required: true, maxlength: "200" })),
    field("Priority", choice("Priority", ["high", "medium", "low"], "medium", null, { name: "priority" })),
    field("Done when (one criterion per line; optional)", el("textarea", { name: "criteria", rows: "3" })),
  ];
  const submit = async ({ title, priority, criteria: text }) => {
    const criteria = text.split("\n").map((line) => line.trim()).filter(Boolean);
    const body = { title, priority, criteria, labels: label && [label], milestone };
    return (await post("tasks/taskpilot_create_task", body)).task.id;
  };
  return formDialog(view, "New task", fields, { verb: "Add", submit });
}

/** The filters with a select, and the text of the option that removes the filter. */
const CHOICES = {
  priority: "Any priority", label: "Any label", agent: "Any agent", milestone: "Any milestone", lanes: "No lanes",
};
/** The filters with a button that is pressed or not. */
const SWITCHES = { mine: "Mine", ready: "Ready", blocked: "Waiting or blocked" };
/** The filters that only links set; each has a button that removes it. */
const CHIPS = ["parent", "connected_file"];
const FILTERS = ["query", "priority", "label", "agent", "milestone", ...Object.keys(SWITCHES), ...CHIPS];
const FIXED_VALUES = { priority: ["high", "medium", "low"], lanes: ["agent", "milestone", "label"] };
/** The pause in typing after which the board is searched; a judgement: a redraw of the board is rare while typing. */
const TYPING_PAUSE_MS = 250;

/** The values of all cards shown so far, so that the user can choose them while a filter hides their cards. */
const knownValues = { label: new Set(), agent: new Set(), milestone: new Set() };
/** @type {string | null} the name of the control that changed the URL and gets the focus again */
let controlToFocus = null;

/**
 * Return the filters of a query, as arguments of the operation.
 * @param {URLSearchParams} query
 */
function readFilters(query) {
  const values = FILTERS.map((name) => [name, query.get(name)?.trim()]); // a search may end with a space while typing
  const filters = Object.fromEntries(values.filter(([, value]) => value));
  const status = query.getAll("status").flatMap((text) => text.split(","));
  return status.length ? { ...filters, status } : filters;
}

/**
 * Return the controls of the filters. Back undoes a choice, but not single keystrokes.
 * @param {View} view
 */
function filterControls(view) {
  const { query, signal } = view;
  /** @type {Change} */
  const change = (name, value, options) => {
    const next = new URLSearchParams(query);
    if (value?.trim()) next.set(name, value);
    else next.delete(name);
    controlToFocus = name;
    view.go(`/board${next.size ? `?${next}` : ""}`, options);
  };
  const choices = Object.keys(CHOICES).map((name) => {
    const label = name === "lanes" ? "Lanes" : `Filter by ${name}`;
    const select = el("select", { name, "aria-label": label, on: { change: () => change(name, select.value) } });
    return setOptions(select, query.get(name) ?? "");
  });
  const switches = Object.entries(SWITCHES).map(([name, text]) =>
    button(text, () => change(name, query.has(name) ? null : "true"), { name, "aria-pressed": query.has(name) }));
  const chip = (/** @type {string} */ name) => {
    const properties = { name, "aria-label": `Remove the filter ${name} ${query.get(name)}` };
    return button(`${name}: ${query.getAll(name)} ✕`, () => change(name, null), properties);
  };
  const chips = ["status", ...CHIPS].filter((name) => query.has(name)).map(chip);
  const lanes = choices.pop();
  const controls = [searchField(query.get("query"), change, signal), ...choices, ...switches, ...chips, lanes];
  const previous = controls.find((control) => control?.name === controlToFocus);
  controlToFocus = null;
  queueMicrotask(() => previous?.focus());
  return controls;
}

/** @typedef {(name: string, value: string | null, options?: {replace?: boolean}) => void} Change */

/**
 * Add the values of some cards to the selects.
 * @param {any[]} controls
 * @param {Iterable<Card>} cards
 */
function offerValues(controls, cards) {
  for (const card of cards) {
    for (const label of card.labels ?? []) knownValues.label.add(label);
    if (card.claimed_by) knownValues.agent.add(card.claimed_by);
    if (card.milestone) knownValues.milestone.add(card.milestone);
  }
  for (const control of controls) if (control.name in knownValues) setOptions(control, control.value);
}

/**
 * Return the search field, which changes the URL after a pause in typing.
 * @param {string | null} value
 * @param {Change} change
 * @param {AbortSignal} signal
 */
function searchField(value, change, signal) {
  /** @type {number | undefined} */
  let timer;
  const changeSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => change("query", input.value, { replace: true }), TYPING_PAUSE_MS);
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  const properties = { name: "query", placeholder: "Words in tasks", "aria-label": "Words in tasks" };
  const input = el("input", { type: "search", ...properties, value, on: { input: changeSoon } });
  return input;
}

/**
 * Set the options of a select.
 * @param {HTMLSelectElement} select
 * @param {string} chosen
 */
function setOptions(select, chosen) {
  const { name } = select;
  if (chosen) knownValues[name]?.add(chosen);
  const textOf = (/** @type {string} */ value) => (name === "lanes" ? `Lanes by ${value}` : value);
  const values = FIXED_VALUES[name] ?? [...knownValues[name]].sort();
  const options = values.map((value) => el("option", { value }, textOf(value)));
  fill(select, el("option", { value: "" }, CHOICES[name]), options);
  select.value = chosen;
  return select;
}
