// Small pieces of text and graphics that every view uses: muted text, counts, errors, empty states, bars.

import { el } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Return muted text.
 * @param {...any} children
 */
export const quiet = (...children) => el("span.quiet", children);

/** Shared, because creating one for each number takes long. */
const NUMBERS = new Intl.NumberFormat("en");

/**
 * Return a count with its noun: "1 note", "3 notes".
 * @param {number} number
 * @param {string} noun in the singular
 */
export const pluralise = (number, noun) => `${NUMBERS.format(number)} ${noun}${number === 1 ? "" : "s"}`;

/**
 * Return an error message with a hint about what to do.
 * @param {{message: string, hint?: string}} problem
 * @param {...any} next further content
 */
export const errorMessage = ({ message, hint }, ...next) =>
  el("div.problem", { role: "alert" }, el("strong", message), hint && el("p", hint), next);

/**
 * Return an empty state: what would be shown here and how to create it.
 * @param {string} symbol the icon of what would be shown
 * @param {string} text
 * @param {...any} next further content, such as a button or a command
 */
export const emptyState = (symbol, text, ...next) => el("div.empty", icon(symbol), el("p", text), next);

/**
 * Return a progress bar.
 * @param {string} label
 * @param {number} percent
 */
export const progressBar = (label, percent) => {
  const aria = { role: "progressbar", "aria-label": label, "aria-valuenow": percent };
  return el("div.bar", { ...aria, style: { "--share": `${percent}%` } });
};
