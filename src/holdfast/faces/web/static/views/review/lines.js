// The lines of one file's diff as a table: unified or side by side, changed words and moved blocks marked.

import { el } from "../../dom.js";
import { address } from "../../router.js";

const SIGNS = { same: " ", added: "+", removed: "−" };

/** Return a table and its rows: `{node, old, new, texts, hunk}`, one for each line or pair of lines. */
export function drawHunks(file, split) {
  const body = el("tbody");
  const rows = [];
  const heads = file.hunks.map((lines, hunk) => {
    const head = el("tr", { class: "hunk" }, el("td", { colspan: 4 }, place(file, lines), el("span", { class: "since" })));
    body.append(head);
    for (const pair of split ? paired(lines) : lines.map(alone)) {
      const row = { old: pair.old?.old ?? null, new: pair.new?.new ?? null, texts: { old: pair.old?.text, new: pair.new?.text }, hunk };
      row.node = el("tr", { class: "line", tabindex: -1 }, split ? sides(pair) : whole(pair.new ?? pair.old));
      row.node.row = row;
      rows.push(row);
      body.append(row.node);
    }
    return head;
  });
  // A removed line is near the next line that is still there.
  rows.reduceRight((near, row) => (row.near = row.new ?? near), null);
  noteMoves(file, rows);
  const label = `What differs in ${file.path}`;
  return { node: el("table", { class: split ? "diff split mono" : "diff mono", "aria-label": label }, columns(split), body), rows, heads };
}

function columns(split) {
  return el("colgroup", {}, (split ? ["number", "text", "number", "text"] : ["number", "number", "sign", "text"]).map((name) => el("col", { class: name })));
}

function place(file, lines) {
  const numbers = lines.map((line) => line.new).filter(Boolean);
  if (!numbers.length) return el("span", {}, `was lines ${lines[0].old}–${lines.at(-1).old}`);
  const [first, last] = [numbers[0], numbers.at(-1)];
  return el("a", { href: `${address("/code", file.path)}#L${first}-L${last}`, title: "Open in Code" }, `lines ${first}–${last}`);
}

/** One line by itself: a removed one has no new side, an added one no old side. */
function alone(line) {
  return { old: line.kind === "added" ? null : line, new: line.kind === "removed" ? null : line };
}

/** Lines side by side: removed ones beside the added ones that took their place. */
function paired(lines) {
  const pairs = [];
  let removed = [], added = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) pairs.push({ old: removed[at] ?? null, new: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push({ old: line, new: line });
    }
  }
  flush();
  return pairs;
}

function whole(line) {
  return [number(line.old), number(line.new), ...code(line)];
}

function sides({ old, new: now }) {
  return [number(old?.old), ...code(old), number(now?.new), ...code(now)].filter((cell) => !cell.classList.contains("sign"));
}

function number(value) {
  return el("td", { class: "line-number" }, value ?? "");
}

function code(line) {
  if (!line) return [el("td", { class: "sign" }), el("td", { class: "code nothing" })];
  const kind = line.moved ? `${line.kind} moved` : line.kind;
  return [
    el("td", { class: `sign ${kind}` }, SIGNS[line.kind]),
    el("td", { class: `code ${kind}`, dataset: { sign: SIGNS[line.kind], moved: line.moved ?? "" } }, words(line), line.note && (line.note !== "CRLF" || line.kind !== "same") && el("span", { class: "tag" }, line.note)),
  ];
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

/** Say once for each moved block where it came from or went to. */
function noteMoves(file, rows) {
  for (const side of ["removed", "added"]) {
    let before = null;
    for (const { node } of rows) {
      const cell = node.querySelector(`.code.${side}`);
      const [, path, line] = cell?.dataset.moved.match(/^(.*):(\d+)$/s) ?? [];
      if (path && !(before?.path === path && before.line + 1 === Number(line))) {
        const words = `moved ${side === "added" ? "from" : "to"} ${path === file.path ? "line" : `${path}:`}${path === file.path ? " " : ""}${line}`;
        cell.append(el("span", { class: "tag info" }, words));
      }
      if (cell) before = path ? { path, line: Number(line) } : null;
    }
  }
}
