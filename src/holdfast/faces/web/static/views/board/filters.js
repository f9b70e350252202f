// The filters of the board: their values are in the URL, and the user changes them with the controls below the title.

import { button } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { PRIORITIES } from "./rules.js";

/** @import { View } from "../../view.js" */
/** @import { Card } from "./rules.js" */

/**
 * Shows the board with another value of a filter; null or an empty value removes the filter.
 * @typedef {(name: string, value: string | null, options?: {replace?: boolean}) => void} Change
 */

/** The text of the option that removes a filter, for each select. Lanes are no filter, but have a select as well. */
const EMPTY_OPTIONS = {
  priority: "Any priority", label: "Any label", agent: "Any agent", milestone: "Any milestone", lanes: "No lanes",
};
/** The filters with a select. */
const CHOICES = ["priority", "label", "agent", "milestone"];
/** The filters with a button that is pressed or not. */
const SWITCHES = { mine: "Mine", ready: "Ready", blocked: "Waiting or blocked" };
/** The filters that only links set; each has a button that removes it. */
const CHIPS = ["parent", "connected_file"];
const FILTERS = ["query", ...CHOICES, ...Object.keys(SWITCHES), ...CHIPS];
/** The options of the other selects are the values of the cards. */
const FIXED_VALUES = { priority: PRIORITIES, lanes: ["agent", "milestone", "label"] };
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
export function readFilters(query) {
  const values = FILTERS.map((name) => [name, query.get(name)?.trim()]); // a search may end with a space while typing
  const filters = Object.fromEntries(values.filter(([, value]) => value));
  const status = query.getAll("status").flatMap((text) => text.split(","));
  return status.length ? { ...filters, status } : filters;
}

/**
 * Return the controls of the filters. Back undoes a choice, but not single keystrokes.
 * @param {View} view
 */
export function filterControls(view) {
  const { query, signal } = view;
  /** @type {Change} */
  const change = (name, value, options) => {
    const next = new URLSearchParams(query);
    if (value?.trim()) next.set(name, value);
    else next.delete(name);
    controlToFocus = name;
    view.go(`/board${next.size ? `?${next}` : ""}`, options);
  };
  const choice = (/** @type {string} */ name, label = `Filter by ${name}`) => {
    const select = el("select", { name, "aria-label": label, on: { change: () => change(name, select.value) } });
    return setOptions(select, query.get(name) ?? "");
  };
  const choices = CHOICES.map((name) => choice(name));
  const switches = Object.entries(SWITCHES).map(([name, text]) =>
    button(text, () => change(name, query.has(name) ? null : "true"), { name, "aria-pressed": query.has(name) }));
  const chip = (/** @type {string} */ name) => {
    const properties = { name, "aria-label": `Remove the filter ${name} ${query.get(name)}` };
    return button(`${name}: ${query.getAll(name)} ✕`, () => change(name, null), properties);
  };
  const chips = ["status", ...CHIPS].filter((name) => query.has(name)).map(chip);
  const search = searchField(query.get("query"), change, signal);
  const controls = [search, ...choices, ...switches, ...chips, choice("lanes", "Lanes")];
  const previous = controls.find((control) => control.name === controlToFocus);
  controlToFocus = null;
  queueMicrotask(() => previous?.focus()); // the caller has then added the controls to the document
  return controls;
}

/**
 * Add the values of some cards to the selects.
 * @param {any[]} controls
 * @param {Iterable<Card>} cards
 */
export function offerValues(controls, cards) {
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
 * @param {HTMLSelectElement} select
 * @param {string} chosen
 */
function setOptions(select, chosen) {
  const { name } = select;
  if (chosen) knownValues[name]?.add(chosen);
  const textOf = (/** @type {string} */ value) => (name === "lanes" ? `Lanes by ${value}` : value);
  const values = FIXED_VALUES[name] ?? [...knownValues[name]].sort();
  const options = values.map((value) => el("option", { value }, textOf(value)));
  fill(select, el("option", { value: "" }, EMPTY_OPTIONS[name]), options);
  select.value = chosen;
  return select;
}
