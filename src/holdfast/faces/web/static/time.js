// Relative times that stay current: one timer updates all of them.

import { el } from "./dom.js";

const MINUTE = 60, HOUR = 3600, DAY = 86400;
/** @type {[below: number, size: number, unit: string][]} */
const STEPS = [
  [MINUTE, 1, "s"], [HOUR, MINUTE, "min"], [DAY, HOUR, "h"],
  [30 * DAY, DAY, "days"], [365 * DAY, 30 * DAY, "months"], [Infinity, 365 * DAY, "years"],
];
/** Up to this age an event happened "just now"; a judgement: below a minute the exact number only distracts. */
const JUST_NOW_S = 45;
/** A judgement: a sixth of the smallest unit that most texts show, so that none is wrong for long. */
const REFRESH_MS = 10_000;

/**
 * How to compute the text of each element that `selfUpdating` returned.
 * @type {WeakMap<Element, () => string>}
 */
const texts = new WeakMap();

/**
 * Return a duration in its largest unit: "12 min".
 * @param {number} seconds
 */
function duration(seconds) {
  const [, size, unit] = STEPS.find(([below]) => seconds < below) ?? STEPS[STEPS.length - 1];
  const count = Math.max(0, Math.floor(seconds / size));
  return `${count} ${count === 1 ? unit.replace(/s$/, "") || unit : unit}`;
}

/**
 * Return a time element that says how long ago something was and keeps itself current.
 * @param {string} iso
 */
export function ago(iso) {
  const node = el("time", { datetime: iso, title: new Date(iso).toLocaleString() });
  return selfUpdating(node, () => {
    const seconds = (Date.now() - Date.parse(iso)) / 1000;
    return seconds < JUST_NOW_S ? "just now" : `${duration(seconds)} ago`;
  });
}

/**
 * Return the time left until an instant as text, or null once it has passed.
 * @param {string} iso
 */
export function timeLeft(iso) {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  return seconds > 0 ? duration(seconds) : null;
}

/**
 * Set the text of an element now and again every few seconds, for as long as it is in the document.
 * @template {HTMLElement} Target
 * @param {Target} node
 * @param {() => string} text
 */
export function selfUpdating(node, text) {
  node.dataset.clock = "";
  texts.set(node, text);
  update(node);
  return node;
}

/** @param {Element} node */
function update(node) {
  const text = texts.get(node)?.() ?? node.textContent;
  if (node.textContent !== text) node.textContent = text; // an unchanged text is not announced again
}

/** Update all self-updating elements of the document. */
export function updateAll() {
  document.querySelectorAll("[data-clock]").forEach(update);
}

setInterval(() => document.hidden || updateAll(), REFRESH_MS);
