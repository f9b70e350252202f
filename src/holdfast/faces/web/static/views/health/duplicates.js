// Duplicated code: groups of copies, two of them side by side with the differences marked.

import { button, choice } from "../../controls.js";
import { pluralise, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";
import { get } from "../../api.js";

/** @import { View } from "../../view.js" */

/** A copy: some lines of a file.
 * @typedef {{file: string, start_line: number, end_line: number}} Fragment
 */

/** @typedef {Fragment & {lines: string[]}} Side one of two copies that are compared */

const KINDS = { renamed: "With other names", exact: "Word for word", gapped: "With lines added or removed" };
/** Judgements: groups that are loaded and that are shown at first; the shortest copy; lines compared at most. */
const MAX_GROUPS = 30, SHOWN_AT_FIRST = 8, MIN_LINES = 10, MAX_LINES = 400;

/**
 * Show the duplicates of the kind that the address names.
 * @param {View} view
 * @param {HTMLElement} place
 */
export async function show(view, place) {
  const selected = () => {
    const given = view.query.get("copies") ?? "";
    return given in KINDS ? given : "renamed";
  };
  const kind = selected();
  const choose = (/** @type {string} */ other) => {
    view.setQuery({ copies: other === "renamed" ? null : other });
    view.runWithStatus(list, "Comparing; gapped copies take longest", () => show(view, place));
  };
  const select = choice("Which copies", Object.entries(KINDS), kind, choose);
  const list = el("div.stack");
  const query = { detection_type: kind, min_lines: MIN_LINES, limit: MAX_GROUPS };
  const found = await get("analyze/analyze_duplicates", query, view);
  if (selected() !== kind) return; // the user chose another one meanwhile
  const { clone_groups: total, duplicate_lines: lines } = found.summary;
  const totals = [pluralise(total, "group"), lines && `, ${pluralise(lines, "line")}`,
    total > MAX_GROUPS && `; the ${MAX_GROUPS} largest`];
  fill(place, el("div.row", select, quiet(total ? totals : `No copies of ${MIN_LINES} lines or more.`)), list);
  const groups = found.groups.map((group, index) => drawGroup(view, group, index === 0));
  const others = groups.splice(SHOWN_AT_FIRST);
  const more = button(`Show ${others.length} more`, () => more.replaceWith(...others));
  fill(list, groups, others.length > 0 && more);
}

/**
 * @param {View} view
 * @param {{fragments: Fragment[], copies: number, average_similarity: number}} group
 * @param {boolean} isOpen
 */
function drawGroup(view, group, isOpen) {
  const [first, ...others] = group.fragments;
  const pair = el("div.stack");
  /** @type {Fragment | null} */
  let shown = null;
  const compare = (/** @type {Fragment} */ other) => view.runWithStatus(pair, "Reading", async () => {
    shown = other;
    const [left, right] = await Promise.all([first, other].map((one) => read(one, view)));
    if (shown === other) fill(pair, sideBySide(left, right));
  });
  /** @type {[number, string][]} */
  const places = others.map((one, index) => [index, placeOf(one)]);
  const select = others.length > 1 && choice("Compare with", places, 0, (index) => compare(others[Number(index)]));
  const similarity = Math.round(group.average_similarity * 100);
  const title = `${first.end_line - first.start_line + 1} lines, ${group.copies} times, ${similarity} % similar: `;
  const details = el("details.card", { on: { toggle: () => details.open && !shown && compare(others[0]) } },
    el("summary", title, el("span.mono", placeOf(first))),
    select && el("label.row", "Compare with", select), pair);
  details.open = isOpen;
  return details;
}

/** @param {Fragment} fragment */
const placeOf = ({ file, start_line, end_line }) => `${file}:${start_line}–${end_line}`;

/**
 * Load the lines of a copy.
 * @param {Fragment} one
 * @param {View} view
 * @returns {Promise<Side>}
 */
async function read(one, view) {
  const { file, start_line: start, end_line: end } = one;
  const limit = Math.min(end - start + 1, MAX_LINES);
  const { lines } = await get("source/read_source", { file, start, limit }, view);
  const textOf = (/** @type {[string, string][]} */ pieces) => pieces.map(([, text]) => text).join("");
  return { ...one, lines: lines.map(textOf) };
}

/**
 * @param {Side} first
 * @param {Side} second
 */
function sideBySide(first, second) {
  const link = (/** @type {Side} */ one) => el("th", { colspan: "2", scope: "colgroup" },
    el("a.mono", { href: codeAddress(one.file, one.start_line, one.end_line) }, placeOf(one)));
  /** @type {(side: Side, index: number | null, other: string | undefined) => HTMLElement[]} */
  const cells = ({ start_line, lines }, index, other) => {
    if (index === null) return [el("td"), el("td.gap")];
    const code = other === undefined ? el("td.alone", lines[index]) : el("td", markChanges(lines[index], other));
    return [el("td.number.quiet", start_line + index), code];
  };
  const rows = align(first.lines, second.lines).map(([left, right]) =>
    el("tr", cells(first, left, second.lines[right ?? -1]), cells(second, right, first.lines[left ?? -1])));
  const properties = { role: "region", "aria-label": `${placeOf(first)} beside ${placeOf(second)}` };
  return el("div.pair.card", { tabindex: "0", ...properties },
    el("table", ["number", "", "number", ""].map((name) => el("col", { class: name })),
      el("thead", el("tr", link(first), link(second))), el("tbody", rows)));
}

/**
 * Align two texts by the longest common subsequence of their lines, where lines are equal if they differ only in words
 * and white space. Return pairs of line indexes, null where one side has no such line.
 * @param {string[]} left
 * @param {string[]} right
 */
export function align(left, right) {
  const shape = (line) => line.replace(/"[^"]*"|'[^']*'|[\p{L}\p{N}_]+/gu, "w").replace(/\s+/g, "");
  const [one, two] = [left.map(shape), right.map(shape)];
  const best = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let at = one.length - 1; at >= 0; at--) {
    for (let to = two.length - 1; to >= 0; to--) {
      best[at][to] = one[at] === two[to] ? best[at + 1][to + 1] + 1 : Math.max(best[at + 1][to], best[at][to + 1]);
    }
  }
  /** @type {[number | null, number | null][]} */
  const pairs = [];
  for (let at = 0, to = 0; at < one.length || to < two.length; ) {
    if (at < one.length && to < two.length && one[at] === two[to]) pairs.push([at++, to++]);
    else if (to >= two.length || (at < one.length && best[at + 1][to] >= best[at][to + 1])) pairs.push([at++, null]);
    else pairs.push([null, to++]);
  }
  return pairs;
}

/**
 * Return a line with the words marked that differ from those of another line.
 * @param {string} line
 * @param {string} other
 */
function markChanges(line, other) {
  /** @type {(text: string) => string[]} */
  const words = (text) => text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? [];
  const [mine, others] = [words(line.trim()), words(other.trim())];
  let start = 0, end = 0;
  while (start < mine.length && mine[start] === others[start]) start++;
  while (end < mine.length - start && end < others.length - start && mine.at(-1 - end) === others.at(-1 - end)) end++;
  const isShifted = mine.length !== others.length;
  const differs = (at) => at >= start && at < mine.length - end && (isShifted || mine[at] !== others[at]);
  return [line.match(/^\s*/)?.[0], mine.map((word, at) => (differs(at) ? el("mark", word) : word))];
}
