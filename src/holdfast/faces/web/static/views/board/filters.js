// The filter line: the words of `holdfast tasks list`, kept in the address.

import { el, fill } from "../../dom.js";

const WORDS = ["ready", "blocked", "mine", "agent", "priority", "label", "parent", "milestone", "connected_file", "query"];
const CHOICES = { priority: "Any priority", label: "Any label", agent: "Any agent", milestone: "Any milestone" };
const SWITCHES = { mine: "Mine", ready: "Ready", blocked: "Waiting or blocked" };
const LANES = { "": "No lanes", agent: "Lanes by agent", milestone: "Lanes by milestone", label: "Lanes by label" };
const PRIORITIES = ["high", "medium", "low"];
const TYPED = 250;

/** Values met so far, so that choices stay when a filter hides the others. */
const met = { label: new Set(), agent: new Set(), milestone: new Set() };
let focused = null;

/** Return the filters that an address names. */
export function filtersOf(query) {
  const filters = Object.fromEntries(WORDS.filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
  const status = query.getAll("status").flatMap((text) => text.split(","));
  return status.length ? { ...filters, status } : filters;
}

/** Return the controls of the filter line. A choice is a step for Back; typing is not. */
export function filterLine(view) {
  const change = (name, value, options) => {
    const query = new URLSearchParams(view.query);
    value ? query.set(name, value) : query.delete(name);
    focused = name;
    view.go(`/board${query.size ? `?${query}` : ""}`, options);
  };
  const choices = [...Object.keys(CHOICES), "lanes"].map((name) => choice(view, name, change));
  const switches = Object.keys(SWITCHES).map((name) => toggle(view, name, change));
  const controls = [search(view, change), ...choices.slice(0, -1), ...switches, ...chips(view, change), choices.at(-1)];
  const again = focused;
  focused = null;
  queueMicrotask(() => controls.find((control) => control.name === again)?.focus());
  return controls;
}

/** Offer the values that cards have as choices. */
export function offer(controls, cards) {
  for (const card of cards) {
    for (const label of card.labels ?? []) met.label.add(label);
    if (card.claimed_by) met.agent.add(card.claimed_by);
    if (card.milestone) met.milestone.add(card.milestone);
  }
  for (const control of controls.filter(({ name }) => met[name])) fillChoice(control, control.value);
}

function search(view, change) {
  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => change("query", input.value.trim(), { replace: true }), TYPED);
  };
  view.signal.addEventListener("abort", () => clearTimeout(timer));
  const input = el("input", { type: "search", name: "query", placeholder: "Words in tasks", "aria-label": "Words in tasks", value: view.query.get("query") ?? "", on: { input: later } });
  return input;
}

function choice(view, name, change) {
  const select = el("select", { name, "aria-label": name === "lanes" ? "Lanes" : `Only of one ${name}`, on: { change: () => change(name, select.value) } });
  fillChoice(select, view.query.get(name) ?? "");
  return select;
}

function fillChoice(select, chosen) {
  const { name } = select;
  const offered = name === "lanes" ? Object.keys(LANES) : ["", ...(name === "priority" ? PRIORITIES : [...met[name].union(new Set(chosen ? [chosen] : []))].sort())];
  fill(select, offered.map((value) => el("option", { value }, name === "lanes" ? LANES[value] : value || CHOICES[name])));
  select.value = chosen;
}

function toggle(view, name, change) {
  const pressed = Boolean(view.query.get(name));
  return el("button", { class: "button", type: "button", name, "aria-pressed": String(pressed), on: { click: () => change(name, pressed ? null : "true") } }, SWITCHES[name]);
}

function chips(view, change) {
  const others = ["status", "parent", "connected_file"].filter((name) => view.query.get(name));
  return others.map((name) => el("button", { class: "button", type: "button", name, "aria-label": `Without ${name} ${view.query.get(name)}`, on: { click: () => change(name, null) } }, `${name}: ${view.query.getAll(name).join(", ")} ✕`));
}
