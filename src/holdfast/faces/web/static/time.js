// Relative times that stay current: one timer updates all of them.

import { el } from "./dom.js";

const MINUTE = 60, HOUR = 3600, DAY = 86400;
export const DAY_MS = 1000 * DAY;
/**
 * The unit for durations below a limit, and its size; limit and size are in seconds.
 * @type {[below: number, size: number, unit: string][]}
 */
const UNITS = [
  [MINUTE, 1, "s"], [HOUR, MINUTE, "min"], [DAY, HOUR, "h"],
  [30 * DAY, DAY, "days"], [365 * DAY, 30 * DAY, "months"], [Infinity, 365 * DAY, "years"],
];
/** A judgement: an event of the last 45 seconds is "just now", as its exact age only distracts. */
const JUST_NOW_S = 45;
/** A judgement: most texts count minutes, so none is more than 10 seconds late. */
const REFRESH_MS = 10_000;

/**
 * The function that computes the text of each element that `keepUpdated` returned.
 * @type {WeakMap<Element, () => string>}
 */
const textFunctions = new WeakMap();

/**
 * Return a duration in the largest unit that fits: "12 min".
 * @param {number} seconds
 */
function formatDuration(seconds) {
  const [, size, unit] = UNITS.find(([below]) => seconds < below) ?? UNITS[UNITS.length - 1];
  const count = Math.max(0, Math.floor(seconds / size));
  const singular = unit.replace(/(?<=.)s$/, ""); // the "s" of seconds stays
  return `${count} ${count === 1 ? singular : unit}`;
}

/**
 * Return a time element that shows the age of an event and keeps itself current. What is no date is shown as it is.
 * @param {string} iso
 */
export function ago(iso) {
  if (Number.isNaN(Date.parse(iso))) return el("time", iso || "no date");
  const node = el("time", { datetime: iso, title: new Date(iso).toLocaleString() });
  return keepUpdated(node, () => {
    const seconds = (Date.now() - Date.parse(iso)) / 1000;
    return seconds < JUST_NOW_S ? "just now" : `${formatDuration(seconds)} ago`;
  });
}

/**
 * Return the time left until a point in time as text, or null once it has passed.
 * @param {string} iso
 */
export function timeLeft(iso) {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  return seconds > 0 ? formatDuration(seconds) : null;
}

/**
 * Set the text of an element now, and again every 10 seconds while it is in the document.
 * @template {HTMLElement} Target
 * @param {Target} node
 * @param {() => string} textOf
 */
export function keepUpdated(node, textOf) {
  node.dataset.clock = ""; // so that `updateAll` finds it
  textFunctions.set(node, textOf);
  update(node);
  return node;
}

/** @param {Element} node */
function update(node) {
  const text = textFunctions.get(node)?.() ?? node.textContent;
  if (node.textContent !== text) node.textContent = text; // screen readers would announce an unchanged text again
}

/** Update all self-updating elements of the document. */
export function updateAll() {
  document.querySelectorAll("[data-clock]").forEach(update);
}

setInterval(() => document.hidden || updateAll(), REFRESH_MS);
