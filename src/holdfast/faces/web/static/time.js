// Time in words that stay true: "4 min ago", "12 min left", renewed by one clock for the whole page.

import { el } from "./dom.js";

const MINUTE = 60, HOUR = 3600, DAY = 86400;
const STEPS = [[MINUTE, 1, "s"], [HOUR, MINUTE, "min"], [DAY, HOUR, "h"], [30 * DAY, DAY, "days"], [365 * DAY, 30 * DAY, "months"], [Infinity, 365 * DAY, "years"]];
const EACH = 10_000;

/** Return a duration in its largest unit: "12 min". */
export function duration(seconds) {
  const [, size, unit] = STEPS.find(([limit]) => seconds < limit);
  const count = Math.max(0, Math.floor(seconds / size));
  return `${count} ${count === 1 ? unit.replace(/s$/, "") || unit : unit}`;
}

/** Return a time element that says how long ago a moment was, and keeps itself current. */
export function ago(iso) {
  const node = el("time", { datetime: iso, title: new Date(iso).toLocaleString() });
  return ticking(node, () => {
    const seconds = (Date.now() - new Date(iso)) / 1000;
    const text = seconds < 45 ? "just now" : `${duration(seconds)} ago`;
    if (node.textContent !== text) node.textContent = text;
  });
}

/** Return how much is left until a moment, or "over". */
export function left(iso) {
  const seconds = (new Date(iso) - Date.now()) / 1000;
  return seconds > 0 ? duration(seconds) : "over";
}

/** Keep a node true: call back now, and every few seconds while it is shown. */
export function ticking(node, renew) {
  node.dataset.clock = "";
  node.renew = renew;
  renew();
  return node;
}

setInterval(() => {
  if (!document.hidden) document.querySelectorAll("[data-clock]").forEach((node) => node.renew?.());
}, EACH);
