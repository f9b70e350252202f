// Duplicated code: groups of copies. Two copies are shown side by side with their differences marked.

import { button, choice } from "../../controls.js";
import { pluralise, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";
import { get } from "../../api.js";
import { workButtons } from "./actions.js";
import { validChoice } from "../../view.js";

/** @import { View } from "../../view.js" */

/**
 * A copy: a range of lines of a file.
 * @typedef {{file: string, start_line: number, end_line: number}} Fragment
 */

/** @typedef {Fragment & {lines: string[]}} Side one of the two copies that are compared */

/** The kinds of copies, as the operation names them. */
const KINDS = { renamed: "With other names", exact: "Word for word", gapped: "With lines added or removed" };
/** The number of groups that are loaded, the largest first; a judgement: enough for a day of work. */
const MAX_GROUPS = 30;
/** The number of groups that are shown at first; a judgement: about a screen. */
const MAX_GROUPS_AT_FIRST = 8;
/** The minimum length of a copy; a judgement: shorter ones are rarely worth a refactoring. */
const MIN_COPY_LINES = 10;
/** The number of lines that are compared; a judgement: the alignment takes quadratic time and memory. */
const MAX_LINES_COMPARED = 400;

/**
 * Show the duplicates of the kind in the URL.
 * @param {View} view
 * @param {HTMLElement} place
 */
export async function show(view, place) {
  const selectedKind = () => validChoice(view.query.get("copies"), KINDS, "renamed");
  const kind = selectedKind();
  const choose = (/** @type {string} */ other) => {
    view.setQuery({ copies: other === "renamed" ? null : other });
    view.runWithStatus(list, "Comparing (copies with added or removed lines take longest)", () => show(view, place));
  };
  const select = choice("Which copies", Object.entries(KINDS), kind, choose);
  const list = el("div.stack");
  const query = { detection_type: kind, min_lines: MIN_COPY_LINES, limit: MAX_GROUPS };
  const duplicates = await get("analyze/analyze_duplicates", query, view);
  if (selectedKind() !== kind) return; // the user has chosen another kind
  const { clone_groups: total, duplicate_lines: lines } = duplicates.summary;
  const totals = [pluralise(total, "group"), ` of ${MIN_COPY_LINES} lines or more`,
    lines > 0 && `, ${pluralise(lines, "line")} in all`,
    total > MAX_GROUPS && `; the ${MAX_GROUPS} largest`];
  fill(place, el("div.row", select, quiet(total ? totals : `No copies of ${MIN_COPY_LINES} lines or more.`)), list);
  const groups = duplicates.groups.map((group, index) => drawGroup(view, group, index === 0));
  const others = groups.splice(MAX_GROUPS_AT_FIRST);
  const more = button(`Show ${others.length} more`, () => more.replaceWith(...others));
  fill(list, groups, others.length > 0 && more);
}

/**
 * Draw a group; when it is opened, its first two copies are compared.
 * @param {View} view
 * @param {{fragments: Fragment[], copies: number, average_similarity: number}} group
 * @param {boolean} isOpen
 */
function drawGroup(view, group, isOpen) {
  const [first, ...others] = group.fragments;
  const pair = el("div.stack");
  /** @type {Fragment | null} the copy that is compared with the first */
  let compared = null;
  const compare = (/** @type {Fragment} */ other) => view.runWithStatus(pair, "Reading", async () => {
    compared = other;
    const [left, right] = await Promise.all([loadLines(first, view), loadLines(other, view)]);
    if (compared === other) fill(pair, drawSideBySide(left, right));
  });
  /** @type {[number, string][]} */
  const places = others.map((fragment, index) => [index, placeOf(fragment)]);
  const select = others.length > 1 && choice("Compare with", places, 0, (index) => compare(others[Number(index)]));
  const similarity = Math.round(group.average_similarity * 100);
  const title = `${first.end_line - first.start_line + 1} lines, ${group.copies} times, ${similarity} % similar: `;
  const compareFirst = () => {
    if (details.open && !compared) compare(others[0]);
  };
  const details = el("details.card", { on: { toggle: compareFirst } },
    el("summary", title, el("span.mono", placeOf(first))),
    select && el("label.row", "Compare with", select), workButtons(view, subjectOf(group)), pair);
  details.open = isOpen;
  return details;
}

/**
 * Describe a group for a task, a remark or a note.
 * @param {{fragments: Fragment[], copies: number}} group
 */
function subjectOf({ fragments, copies }) {
  const [{ file, start_line: line, end_line: endLine }] = fragments;
  const places = fragments.map(placeOf);
  const text = `${pluralise(endLine - line + 1, "line")} exist ${copies} times: ${places.join(", ")}.`;
  const links = fragments.map((fragment) => ({ kind: "file", ref: fragment.file, title: placeOf(fragment) }));
  return { file, line, endLine, title: `Merge the copies of ${places[0]}`, text, links };
}

/** @param {Fragment} fragment */
const placeOf = ({ file, start_line, end_line }) => `${file}:${start_line}–${end_line}`;

/**
 * Load the lines of a copy.
 * @param {Fragment} fragment
 * @param {View} view
 * @returns {Promise<Side>}
 */
async function loadLines(fragment, view) {
  const { file, start_line: start, end_line: end } = fragment;
  const limit = Math.min(end - start + 1, MAX_LINES_COMPARED);
  const { lines } = await get("source/read_source", { file, start, limit }, view);
  const textOf = (/** @type {[string, string][]} */ pieces) => pieces.map(([, text]) => text).join("");
  return { ...fragment, lines: lines.map(textOf) };
}

/**
 * @param {Side} first
 * @param {Side} second
 */
function drawSideBySide(first, second) {
  const heading = (/** @type {Side} */ side) => el("th", { colspan: "2", scope: "colgroup" },
    el("a.mono", { href: codeAddress(side.file, side.start_line, side.end_line) }, placeOf(side)));
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
      el("thead", el("tr", heading(first), heading(second))), el("tbody", rows)));
}

/**
 * Align two texts by the longest common subsequence (LCS) of their lines. Lines that differ only in words and white
 * space are equal. Return pairs of line indexes; an index is null where a side has no matching line.
 * @param {string[]} left
 * @param {string[]} right
 */
function align(left, right) {
  const normalise = (/** @type {string} */ line) =>
    line.replace(/"[^"]*"|'[^']*'|[\p{L}\p{N}_]+/gu, "w").replace(/\s+/g, "");
  const one = left.map(normalise), two = right.map(normalise);
  // commonLengths[i][j] is the length of the LCS of one[i..] and two[j..].
  const commonLengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1) {
      commonLengths[i][j] = one[i] === two[j]
        ? commonLengths[i + 1][j + 1] + 1
        : Math.max(commonLengths[i + 1][j], commonLengths[i][j + 1]);
    }
  }
  /** @type {[number | null, number | null][]} */
  const pairs = [];
  let i = 0, j = 0;
  while (i < one.length && j < two.length) {
    if (one[i] === two[j]) pairs.push([i++, j++]);
    else if (commonLengths[i + 1][j] >= commonLengths[i][j + 1]) pairs.push([i++, null]);
    else pairs.push([null, j++]);
  }
  while (i < one.length) pairs.push([i++, null]);
  while (j < two.length) pairs.push([null, j++]);
  return pairs;
}

/**
 * Return a line with the words marked that differ from another line, between their common prefix and suffix.
 * @param {string} line
 * @param {string} other
 */
function markChanges(line, other) {
  /** @type {(text: string) => string[]} */
  const words = (text) => text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? [];
  const own = words(line.trim()), others = words(other.trim());
  const maxCommon = Math.min(own.length, others.length);
  let prefix = 0, suffix = 0;
  while (prefix < maxCommon && own[prefix] === others[prefix]) prefix += 1;
  while (suffix < maxCommon - prefix && own.at(-1 - suffix) === others.at(-1 - suffix)) suffix += 1;
  const isShifted = own.length !== others.length; // then words at the same index cannot be compared
  const differs = (/** @type {number} */ index) =>
    index >= prefix && index < own.length - suffix && (isShifted || own[index] !== others[index]);
  const indent = line.match(/^\s*/)?.[0];
  return [indent, own.map((word, index) => (differs(index) ? el("mark", word) : word))];
}
