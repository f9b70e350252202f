// Board: tasks by state, moved by hand, kept current while others work; its filters are in the address.

import { apiUrl, post } from "../api.js";
import { asked, button, choice, el, empty, field, fill, primary } from "../dom.js";
import { Board, PATH } from "./board/board.js";
import { makeMovable } from "./board/moving.js";
import { OPEN } from "./board/rules.js";

export async function show(view) {
  const { query } = view;
  const wanted = filtersOf(query);
  const board = new Board(view, wanted, { lanes: query.get("lanes"), unfolded: query.get("open")?.split(",") });
  const create = async () => {
    const id = await askTask(view, wanted);
    if (!id) return;
    view.announce(`${id} was added.`);
    await board.refresh([id]).catch(() => {}); // its event brings it as well
    board.focus(id);
  };
  const filters = filterLine(view);
  view.heading("Board", { json: apiUrl(PATH, wanted), tools: [primary("New task", create)], filters });
  const place = el("div.board-place", board.node);
  const keys = "Space lifts it, m opens its menu, arrows go to other cards.";
  view.main.append(place, el("p.visually-hidden", { id: "board-keys" }, keys));
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
    fill(place, beginning(view));
    return;
  }
  offer(filters, board.cards.values());
  board.settled = () => {
    const some = [...board.states.keys()].some((status) => board.total(status));
    if (some === board.node.isConnected) return;
    fill(place, some ? board.node : nothing(wanted, create));
    board.measure();
  };
  board.settled();
  const all = OPEN.reduce((sum, status) => sum + board.total(status), 0);
  const shown = [...board.cards.values()].filter((card) => OPEN.includes(card.status)).length;
  const words = `These are the first ${shown} of ${all} open tasks; a filter shows others.`;
  if (shown < all) place.prepend(el("p.quiet", words));
}

function beginning(view) {
  const again = () => view.signal.aborted || view.go("/board", { replace: true });
  const failure = el("div");
  const begin = () => view.attempt(failure, () => post("tasks/taskpilot_init").then(again));
  view.on("tasks", again); // somebody else may begin as well, and the first sign of it ends the view
  return [emptiness("The board shows the tasks that people and agents share. This repository has none yet.",
    begin, "Begin with a few tasks", "holdfast tasks init"), failure];
}

function nothing(filters, create) {
  const all = el("a.button", { href: "/board" }, "Show all tasks");
  if (Object.keys(filters).length) return empty("No task fits these filters.", all);
  return emptiness("Tasks stand here by their state. There are none yet.", create, "New task",
    'holdfast tasks add "What is to be done"');
}

const emptiness = (text, click, verb, command) =>
  empty(text, el("div.row.wrap", primary(verb, click), "or run", el("code", command)));

/** Ask for a new task and add it, one that fits the filters as far as a new one can; resolves to its id. */
function askTask(view, { label, milestone }) {
  const fields = [
    field("Title", el("input", { name: "title", required: true, maxlength: "200" })),
    field("Priority", choice("Priority", ["high", "medium", "low"], "medium", null, { name: "priority" })),
    field("Done when (one criterion on each line; optional)", el("textarea", { name: "criteria", rows: "3" })),
  ];
  const submit = async ({ title, priority, criteria: text }) => {
    const criteria = text.split("\n").map((line) => line.trim()).filter(Boolean);
    const body = { title, priority, criteria, labels: label && [label], milestone };
    return (await post("tasks/taskpilot_create_task", body)).task.id;
  };
  return asked(view, "New task", fields, { verb: "Add", submit });
}

const CHOICES = {
  priority: "Any priority", label: "Any label", agent: "Any agent", milestone: "Any milestone", lanes: "No lanes",
};
const SWITCHES = { mine: "Mine", ready: "Ready", blocked: "Waiting or blocked" };
const OTHERS = ["parent", "connected_file"];
const WORDS = ["query", "priority", "label", "agent", "milestone", ...Object.keys(SWITCHES), ...OTHERS];
const FIXED = { priority: ["high", "medium", "low"], lanes: ["agent", "milestone", "label"] };
const TYPED = 250;

/** Values met so far, so that choices stay when a filter hides the others. */
const met = { label: new Set(), agent: new Set(), milestone: new Set() };
let focused = null;

function filtersOf(query) {
  const given = WORDS.map((name) => [name, query.get(name)?.trim()]); // who types on has a space at the end
  const filters = Object.fromEntries(given.filter(([, value]) => value));
  const status = query.getAll("status").flatMap((text) => text.split(","));
  return status.length ? { ...filters, status } : filters;
}

/** Return the controls of the filter line. A choice is a step for Back; typing is not. */
function filterLine(view) {
  const { query, signal } = view;
  const change = (name, value, options) => {
    const next = new URLSearchParams(query);
    value?.trim() ? next.set(name, value) : next.delete(name);
    focused = name;
    view.go(`/board${next.size ? `?${next}` : ""}`, options);
  };
  const choices = Object.keys(CHOICES).map((name) => {
    const label = name === "lanes" ? "Lanes" : `Only of one ${name}`;
    const select = el("select", { name, "aria-label": label, on: { change: () => change(name, select.value) } });
    return fillChoice(select, query.get(name) ?? "");
  });
  const switches = Object.entries(SWITCHES).map(([name, text]) =>
    button(text, () => change(name, query.has(name) ? null : "true"), { name, "aria-pressed": query.has(name) }));
  const chip = (name) => {
    const named = { name, "aria-label": `Without ${name} ${query.get(name)}` };
    return button(`${name}: ${query.getAll(name)} ✕`, () => change(name, null), named);
  };
  const chips = ["status", ...OTHERS].filter((name) => query.has(name)).map(chip);
  const lanes = choices.pop();
  const controls = [search(query.get("query"), change, signal), ...choices, ...switches, ...chips, lanes];
  const again = controls.find(({ name }) => name === focused);
  focused = null;
  queueMicrotask(() => again?.focus());
  return controls;
}

function offer(controls, cards) {
  for (const card of cards) {
    for (const label of card.labels ?? []) met.label.add(label);
    if (card.claimed_by) met.agent.add(card.claimed_by);
    if (card.milestone) met.milestone.add(card.milestone);
  }
  for (const control of controls) if (control.name in met) fillChoice(control, control.value);
}

function search(value, change, signal) {
  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => change("query", input.value, { replace: true }), TYPED);
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  const named = { name: "query", placeholder: "Words in tasks", "aria-label": "Words in tasks" };
  const input = el("input", { type: "search", ...named, value, on: { input: later } });
  return input;
}

function fillChoice(select, chosen) {
  const { name } = select;
  if (chosen) met[name]?.add(chosen);
  const text = (value) => (name === "lanes" ? `Lanes by ${value}` : value);
  const values = FIXED[name] ?? [...met[name]].sort();
  fill(select, el("option", { value: "" }, CHOICES[name]), values.map((value) => el("option", { value }, text(value))));
  select.value = chosen;
  return select;
}
