// The filter line: the words of `holdfast tasks list`, kept in the address.

import { button } from "../../controls.js";
import { el, fill } from "../../dom.js";

const CHOICES = { priority: "Any priority", label: "Any label", agent: "Any agent", milestone: "Any milestone", lanes: "No lanes" };
const SWITCHES = { mine: "Mine", ready: "Ready", blocked: "Waiting or blocked" };
const OTHERS = ["parent", "connected_file"];
const WORDS = ["query", "priority", "label", "agent", "milestone", ...Object.keys(SWITCHES), ...OTHERS];
const FIXED = { priority: ["high", "medium", "low"], lanes: ["agent", "milestone", "label"] };
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
  const { query, signal } = view;
  const change = (name, value, options) => {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    focused = name;
    view.go(`/board${next.size ? `?${next}` : ""}`, options);
  };
  const choices = Object.keys(CHOICES).map((name) => {
    const label = name === "lanes" ? "Lanes" : `Only of one ${name}`;
    const select = el("select", { name, "aria-label": label, on: { change: () => change(name, select.value) } });
    return fillChoice(select, query.get(name) ?? "");
  });
  const switches = Object.entries(SWITCHES).map(([name, text]) =>
    button(text, () => change(name, query.has(name) ? null : "true"), { name, "aria-pressed": String(query.has(name)) }));
  const chips = ["status", ...OTHERS].filter((name) => query.has(name)).map((name) =>
    button(`${name}: ${query.getAll(name)} ✕`, () => change(name, null), { name, "aria-label": `Without ${name} ${query.get(name)}` }));
  const controls = [search(query.get("query"), change, signal), ...choices.slice(0, -1), ...switches, ...chips, choices.at(-1)];
  const again = controls.find(({ name }) => name === focused);
  focused = null;
  queueMicrotask(() => again?.focus());
  return controls;
}

/** Offer the values that cards have as choices. */
export function offer(controls, cards) {
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
    timer = setTimeout(() => change("query", input.value.trim(), { replace: true }), TYPED);
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  const words = "Words in tasks";
  const input = el("input", { type: "search", name: "query", placeholder: words, "aria-label": words, value, on: { input: later } });
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
