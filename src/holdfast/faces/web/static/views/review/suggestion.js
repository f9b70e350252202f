// Suggestions: a fenced block in a remark with the lines that should replace those the remark is about.

import { post } from "../../api.js";
import { plainButton } from "../../controls.js";
import { el, fill } from "../../dom.js";

/** @import { View } from "../../view.js" */
/** @import { Draft } from "./drafts.js" */

/** The block: a fence of at least three backticks, "suggestion", the lines, and a fence as long. */
const BLOCK = /^(?<fence>`{3,})suggestion[ \t]*\n(?<lines>(?:.*\n)*?)\k<fence>`*[ \t]*$/m;

/** @param {string} text */
export const hasSuggestion = (text) => BLOCK.test(text);

/**
 * Return whether lines can be suggested for a draft: it quotes each line it is about, and these still exist.
 * @param {Draft} draft
 */
export const canSuggest = ({ side, from, to, quote }) =>
  side === "new" && from !== null && quote.length === Number(to) - from + 1;

/**
 * Insert a block with lines into a text area, and select these lines.
 * @param {HTMLTextAreaElement} area
 * @param {string[]} lines
 */
export function insertSuggestion(area, lines) {
  const content = lines.join("\n");
  const longest = Math.max(2, ...(content.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const { value, selectionEnd } = area;
  const isLineStart = selectionEnd === 0 || value[selectionEnd - 1] === "\n";
  const head = `${isLineStart ? "" : "\n"}${fence}suggestion\n`;
  area.setRangeText(`${head}${content}\n${fence}\n`, selectionEnd, selectionEnd, "end");
  area.setSelectionRange(selectionEnd + head.length, selectionEnd + head.length + content.length);
  area.dispatchEvent(new Event("input"));
  area.focus();
}

/**
 * Return the text of a remark, with a suggestion shown as a diff against the quoted lines.
 * @param {string} text
 * @param {string[]} quote
 */
export function remarkText(text, quote = []) {
  const found = text.match(BLOCK);
  if (!found) return el("div.said", text);
  const before = text.slice(0, found.index).trim();
  const after = text.slice((found.index ?? 0) + found[0].length).trim();
  const lines = (found.groups?.lines ?? "").split("\n").slice(0, -1);
  const said = (/** @type {string} */ part) => part !== "" && el("div.said", part);
  return el("div.stack", said(before), suggestionDiff(quote, lines), said(after));
}

/**
 * @param {string[]} before
 * @param {string[]} after
 */
function suggestionDiff(before, after) {
  const isSame = (/** @type {string} */ line, /** @type {number} */ index) => line === after[index];
  const start = before.every(isSame) ? Math.min(before.length, after.length)
    : before.findIndex((line, index) => !isSame(line, index));
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const row = (/** @type {string} */ kind, /** @type {string} */ sign) => (/** @type {string} */ line) =>
    el("tr", el("td", { class: `sign ${kind}` }, sign), el("td", { class: `code ${kind}` }, line));
  const rows = [...after.slice(0, start).map(row("same", " ")),
    ...before.slice(start, before.length - end).map(row("removed", "−")),
    ...after.slice(start, after.length - end).map(row("added", "+")),
    ...after.slice(after.length - end).map(row("same", " "))];
  const columns = el("colgroup", el("col.sign"), el("col"));
  const label = { "aria-label": "Suggested change" };
  return el("table.diff.mono.suggestion", label, columns, el("tbody", rows));
}

/**
 * Return a button that applies the suggestion of a message to the work tree, and a place for what prevents it.
 * @param {string} id
 * @param {View} view
 * @param {() => any} reload called when it was applied
 */
export function applyButton(id, view, reload) {
  const errorPlace = el("div");
  const apply = () => view.attempt(errorPlace, async () => {
    await post("inbox/apply_suggestion", { message_id: id });
    fill(errorPlace);
    view.announce("Suggestion applied");
    await reload();
  });
  const title = "Put these lines into the work tree";
  return { button: plainButton("Apply", apply, { title }), errorPlace };
}
