// Code that is there twice: groups of copies, and two of them side by side with what differs marked.

import { button, choice, codeAddress, counted, el, fill, quiet } from "../../dom.js";
import { get } from "../../api.js";

const KINDS = { renamed: "With other names", exact: "Word for word", gapped: "With lines added or removed" };
const GROUPS = 30, AT_FIRST = 8, LINES = 10, MOST_LINES = 400;

/** Fill a place with the duplicates of the kind that the address names. */
export async function show(view, place) {
  const named = () => (KINDS[view.query.get("copies")] ? view.query.get("copies") : "renamed");
  const kind = named();
  const choose = (other) => {
    view.setQuery({ copies: other === "renamed" ? null : other });
    view.running(list, "Comparing; code with gaps takes longest", () => show(view, place));
  };
  const select = choice("Which copies", Object.entries(KINDS), kind, choose);
  const list = el("div.stack");
  const query = { detection_type: kind, min_lines: LINES, limit: GROUPS };
  const found = await get("analyze/analyze_duplicates", query, view);
  if (named() !== kind) return; // another one was chosen meanwhile
  const { clone_groups: total, duplicate_lines: lines } = found.summary;
  const some = [counted(total, "group"), lines && `, ${counted(lines, "line")}`,
    total > GROUPS && `; the ${GROUPS} largest`];
  fill(place, el("div.row", select, quiet(total ? some : `No copies of ${LINES} lines or more.`)), list);
  const groups = found.groups.map((group, at) => groupOf(view, group, at === 0));
  const others = groups.splice(AT_FIRST);
  const more = button(`Show ${others.length} more`, () => more.replaceWith(...others));
  fill(list, groups, others.length > 0 && more);
}

function groupOf(view, group, isOpen) {
  const [first, ...others] = group.fragments;
  const pair = el("div.stack");
  let shown = null;
  const compare = (other) => view.running(pair, "Reading", async () => {
    shown = other;
    const sides = await Promise.all([first, other].map((one) => read(one, view)));
    if (shown === other) fill(pair, sideBySide(...sides));
  });
  const places = others.map((one, at) => [at, placeOf(one)]);
  const select = others.length > 1 && choice("Compare with", places, 0, (at) => compare(others[at]));
  const alike = Math.round(group.average_similarity * 100);
  const words = `${first.end_line - first.start_line + 1} lines, ${group.copies} times, ${alike} % alike: `;
  const details = el("details.card", { on: { toggle: () => details.open && !shown && compare(others[0]) } },
    el("summary", words, el("span.mono", placeOf(first))),
    select && el("label.row", "Compare with", select), pair);
  details.open = isOpen;
  return details;
}

const placeOf = ({ file, start_line, end_line }) => `${file}:${start_line}–${end_line}`;

async function read(one, view) {
  const { file, start_line: start, end_line: end } = one;
  const limit = Math.min(end - start + 1, MOST_LINES);
  const { lines } = await get("source/read_source", { file, start, limit }, view);
  return { ...one, lines: lines.map((pieces) => pieces.map(([, text]) => text).join("")) };
}

function sideBySide(first, second) {
  const link = (one) => el("th", { colspan: "2", scope: "colgroup" },
    el("a.mono", { href: codeAddress(one.file, one.start_line, one.end_line) }, placeOf(one)));
  const cells = ({ start_line, lines }, at, other) => {
    if (at === null) return [el("td"), el("td.gap")];
    const code = other === undefined ? el("td.alone", lines[at]) : el("td", marked(lines[at], other));
    return [el("td.number.quiet", start_line + at), code];
  };
  const rows = aligned(first.lines, second.lines).map(([at, to]) =>
    el("tr", cells(first, at, second.lines[to]), cells(second, to, first.lines[at])));
  const named = { role: "region", "aria-label": `${placeOf(first)} beside ${placeOf(second)}` };
  return el("div.pair.card", { tabindex: "0", ...named },
    el("table", ["number", "", "number", ""].map((name) => el("col", { class: name })),
      el("thead", el("tr", link(first), link(second))), el("tbody", rows)));
}

/** Return pairs of line numbers, null where one side has no such line, with as many lines of one shape as can be. */
export function aligned(left, right) {
  const shape = (line) => line.replace(/"[^"]*"|'[^']*'|[\p{L}\p{N}_]+/gu, "w").replace(/\s+/g, "");
  const [one, two] = [left.map(shape), right.map(shape)];
  const best = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let at = one.length - 1; at >= 0; at--) {
    for (let to = two.length - 1; to >= 0; to--) {
      best[at][to] = one[at] === two[to] ? best[at + 1][to + 1] + 1 : Math.max(best[at + 1][to], best[at][to + 1]);
    }
  }
  const pairs = [];
  for (let at = 0, to = 0; at < one.length || to < two.length; ) {
    if (at < one.length && to < two.length && one[at] === two[to]) pairs.push([at++, to++]);
    else if (to >= two.length || (at < one.length && best[at + 1][to] >= best[at][to + 1])) pairs.push([at++, null]);
    else pairs.push([null, to++]);
  }
  return pairs;
}

/** Return a line with the words marked that another one of the same shape does not have in their place. */
function marked(line, other) {
  const words = (text) => text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? [];
  const [mine, others] = [words(line.trim()), words(other.trim())];
  let start = 0, end = 0;
  while (start < mine.length && mine[start] === others[start]) start++;
  while (end < mine.length - start && end < others.length - start && mine.at(-1 - end) === others.at(-1 - end)) end++;
  const isMoved = mine.length !== others.length;
  const differs = (at) => at >= start && at < mine.length - end && (isMoved || mine[at] !== others[at]);
  return [line.match(/^\s*/)[0], mine.map((word, at) => (differs(at) ? el("mark", word) : word))];
}
