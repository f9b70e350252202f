// The lines of one file's diff as a table: unified or side by side, changed words and moved blocks marked.

import { codeAddress } from "../../controls.js";
import { el } from "../../dom.js";

const SIGNS = { same: " ", added: "+", removed: "−" };
const COLUMNS = { split: ["number", "text", "number", "text"], unified: ["number", "number", "sign", "text"] };

/** Return a table and its rows: `{node, old, new, texts, hunk}`, one for each line or pair of lines. */
export function drawHunks(file, split) {
  const body = el("tbody");
  const rows = [];
  const moves = movesOf(file);
  const cells = split
    ? ({ old, new: now }) => [number(old?.old), code(old, moves), number(now?.new), code(now, moves)]
    : ({ old, new: now = old }) => [number(now.old), number(now.new), sign(now), code(now, moves)];
  const heads = file.hunks.map((lines, hunk) => {
    const head = el("tr", { class: "hunk" }, el("td", { colspan: 4 }, place(file, lines), el("span", { class: "since" })));
    body.append(head);
    for (const pair of split ? paired(lines) : lines.map(alone)) {
      const node = el("tr", { class: "line", tabindex: -1 }, cells(pair));
      const texts = { old: pair.old?.text, new: pair.new?.text };
      node.row = { node, old: pair.old?.old ?? null, new: pair.new?.new ?? null, texts, hunk };
      rows.push(node.row);
      body.append(node);
    }
    return head;
  });
  // A removed line is near the next line that is still there.
  rows.reduceRight((near, row) => (row.near = row.new ?? near), null);
  const look = split ? "split" : "unified";
  const columns = el("colgroup", {}, COLUMNS[look].map((name) => el("col", { class: name })));
  return { node: el("table", { class: `diff ${look} mono`, "aria-label": `What differs in ${file.path}` }, columns, body), rows, heads };
}

function place(file, lines) {
  const numbers = lines.map((line) => line.new).filter(Boolean);
  if (!numbers.length) return el("span", {}, `was lines ${lines[0].old}–${lines.at(-1).old}`);
  const [first, last] = [numbers[0], numbers.at(-1)];
  return el("a", { href: codeAddress(file.path, first, last), title: "Open in Code" }, `lines ${first}–${last}`);
}

/** One line by itself: a removed one has no new side, an added one no old side. */
const alone = (line) => ({ ...(line.kind !== "added" && { old: line }), ...(line.kind !== "removed" && { new: line }) });

/** Lines side by side: removed ones beside the added ones that took their place. */
function paired(lines) {
  const pairs = [];
  let [removed, added] = [0, 0]; // how many pairs have this side already, of those since the last line that stayed
  let start = 0;
  for (const line of lines) {
    if (line.kind === "removed") (pairs[start + removed++] ??= {}).old = line;
    else if (line.kind === "added") (pairs[start + added++] ??= {}).new = line;
    else {
      start = pairs.push({ old: line, new: line });
      removed = added = 0;
    }
  }
  return pairs;
}

const look = (line) => (line.moved ? `${line.kind} moved` : line.kind);
const number = (value) => el("td", { class: "line-number" }, value ?? "");
const sign = (line) => el("td", { class: `sign ${look(line)}` }, SIGNS[line.kind]);

function code(line, moves) {
  if (!line) return el("td", { class: "code nothing" });
  const note = (line.note !== "CRLF" || line.kind !== "same") && line.note;
  return el("td", { class: `code ${look(line)}`, dataset: { sign: SIGNS[line.kind] } }, words(line),
    note && el("span", { class: "tag" }, note), moves.has(line) && el("span", { class: "tag info" }, moves.get(line)));
}

/** Return the text of a line with its changed words marked; places count characters, not their halves. */
function words({ text, changed }) {
  if (!changed.length) return text;
  const characters = [...text];
  const pieces = [];
  let at = 0;
  for (const [start, end] of changed) {
    pieces.push(characters.slice(at, start).join(""), el("mark", {}, characters.slice(start, end).join("")));
    at = end;
  }
  return [...pieces, characters.slice(at).join("")];
}

/** Return where each moved block came from or went to, by the block's first line. */
function movesOf({ path, hunks }) {
  const moves = new Map();
  for (const [kind, word] of [["removed", "to"], ["added", "from"]]) {
    let next = null;
    for (const line of hunks.flat().filter((one) => one.kind === kind)) {
      const [, file, number] = line.moved?.match(/^(.*):(\d+)$/s) ?? [];
      if (file && line.moved !== next) moves.set(line, `moved ${word} ${file === path ? `line ${number}` : line.moved}`);
      next = file && `${file}:${Number(number) + 1}`;
    }
  }
  return moves;
}
