// One file of a review: its head and tick, its lines unified or side by side when they are near, its remarks.

import { button, codeAddress, counted, el, fill, plain, quiet } from "../../dom.js";
import { get } from "../../api.js";
import { SEEN, isMarked, setMark } from "../../memory.js";
import { draftNode, elsewhere, find, threadNode } from "./remarks.js";

const CONTEXTS = [3, 25, 5000];
const LONG = 800;

/** Return how many lines a file gained and lost, in words and signs. */
export function counts({ added, removed }) {
  if (added === null) return null;
  return el("span.counts.mono", el("span.plus", `+${added}`), " ", el("span.minus", `−${removed}`));
}

/** A file that is shown; `review` is what it belongs to. */
export class FileDiff {
  constructor(review, file) {
    Object.assign(this, { review, file, context: 0, drawn: null });
    this.body = el("div.body");
    this.tick = el("input", {
      type: "checkbox", checked: isMarked(SEEN, file.version), "aria-label": `Seen ${file.path}`,
      on: { change: () => this.setSeen(this.tick.checked) },
    });
    this.more = plain("More lines", () => this.load(this.context + 1), { hidden: true });
    this.node = el("section.file.card", { "aria-label": file.path }, this.head(), this.body);
    this.node.fileDiff = this;
    this.settle();
  }

  head() {
    const { file } = this;
    const name = [file.former && quiet(`${file.former} → `), file.path];
    return el("header.row",
      el("h2.mono", file.kind === "deleted" ? name : el("a", { href: codeAddress(file.path) }, name)),
      file.kind !== "changed" && el("span.tag", file.kind), file.mode && el("span.tag", `mode ${file.mode}`),
      counts(file), this.more, el("label.row.seen", this.tick, "Seen"));
  }

  /** Show what fits now: nothing of a file that was seen, a question before very many lines, else lines. */
  settle() {
    const { added, removed, note } = this.file;
    this.node.classList.toggle("folded", this.tick.checked);
    if (this.tick.checked || this.drawn) return;
    if (added === null && note && !note.includes("not counted")) fill(this.body, el("p.quiet", note));
    else if (added === null || added + removed > LONG) {
      const lines = added === null ? "very many changed lines" : counted(added + removed, "changed line");
      fill(this.body, button(`Show ${lines}`, () => this.load()));
    } else this.review.near.observe(this.node);
  }

  setSeen(on) {
    this.tick.checked = on;
    setMark(SEEN, this.file.version, on);
    this.settle();
    this.review.summarise();
  }

  load(context = this.context) {
    this.context = Math.min(context, CONTEXTS.length - 1);
    const asked = { ...this.review.asked, file: this.file.path, context: CONTEXTS[this.context] };
    const { view, near } = this.review;
    near.unobserve(this.node); // drawn a second time, what somebody began to write would lose the focus
    return view.attempt(this.body, async () => {
      const { files } = await get("source/read_diff", asked, view);
      this.whole = files[0];
      this.draw();
    });
  }

  draw() {
    if (!this.whole) return;
    const { path, hunks = [], note = hunks.length ? null : "No lines differ." } = this.whole;
    this.drawn = drawHunks({ path, hunks }, this.review.split);
    this.foot = el("div.foot.stack");
    this.more.hidden = !hunks.length || this.context === CONTEXTS.length - 1 || this.file.kind === "added";
    fill(this.body, hunks.length > 0 && this.drawn.node, note && el("p.quiet", note), this.foot);
    this.showRemarks();
  }

  /** The remark that somebody is writing here, and the threads with a reply that was begun. */
  get written() {
    return [...this.node.querySelectorAll(".remark:has(textarea:focus), .remark[data-thread]:has(textarea)")];
  }

  /** Put remarks and drafts under their lines; those whose line is not shown stand at the foot. */
  showRemarks() {
    if (!this.drawn) return;
    const { review, written: kept } = this;
    this.node.querySelectorAll("tr.remarks").forEach((row) => kept.some((node) => row.contains(node)) || row.remove());
    const stays = new Set(kept.map((node) => node.about));
    this.drawn.heads.forEach((head) => fill(head.querySelector(".since")));
    const isHere = ({ file }) => file === this.file.path;
    const homeless = [];
    for (const thread of review.threads.filter(isHere)) {
      const { row, changed } = find(this.drawn.rows, thread);
      if (stays.has(thread.id)) continue;
      if (row) this.under(row, threadNode(thread, changed, review.options(thread)));
      else homeless.push(elsewhere(thread, review.options(thread)));
      const since = changed && this.drawn.heads[row.hunk].querySelector(".since");
      if (since) fill(since, el("span.tag.attention", "changed since your remark"));
    }
    for (const draft of review.drafts.list.filter((one) => isHere(one) && !stays.has(one))) {
      const { row } = find(this.drawn.rows, draft);
      const node = draftNode(draft, review.draftOptions(draft));
      row ? this.under(row, node) : homeless.push(node);
    }
    fill(this.foot, [...this.foot.children].filter((node) => kept.some((one) => node.contains(one))), homeless);
  }

  under(row, node) {
    let after = row.node;
    while (after.nextElementSibling?.classList.contains("remarks")) after = after.nextElementSibling;
    after.after(el("tr.remarks", el("td", { colspan: 4 }, node)));
  }
}

const SIGNS = { same: " ", added: "+", removed: "−" };
const COLUMNS = { split: ["number", "text", "number", "text"], unified: ["number", "number", "sign", "text"] };

/** Return a table and its rows: `{node, old, new, texts, hunk}`, one for each line or pair of lines. */
function drawHunks(file, split) {
  const body = el("tbody");
  const rows = [];
  const moves = movesOf(file);
  const cells = split
    ? ({ old, new: now }) => [number(old?.old), code(old, moves), number(now?.new), code(now, moves)]
    : ({ old, new: now = old }) => [number(now.old), number(now.new), sign(now), code(now, moves)];
  const heads = file.hunks.map((lines, hunk) => {
    const head = el("tr.hunk", el("td", { colspan: 4 }, place(file, lines), el("span.since")));
    body.append(head);
    for (const pair of split ? paired(lines) : lines.map(alone)) {
      const node = el("tr.line", { tabindex: -1 }, cells(pair));
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
  const columns = el("colgroup", COLUMNS[look].map((name) => el("col", { class: name })));
  const node = el(`table.diff.mono.${look}`, { "aria-label": `What differs in ${file.path}` }, columns, body);
  return { node, rows, heads };
}

function place(file, lines) {
  const numbers = lines.map((line) => line.new).filter(Boolean);
  if (!numbers.length) return el("span", `was lines ${lines[0].old}–${lines.at(-1).old}`);
  const first = numbers[0], last = numbers.at(-1);
  return el("a", { href: codeAddress(file.path, first, last), title: "Open in Code" }, `lines ${first}–${last}`);
}

/** One line by itself: a removed one has no new side, an added one no old side. */
const alone = (line) => ({ removed: { old: line }, added: { new: line } })[line.kind] ?? { old: line, new: line };

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
const number = (value) => el("td.line-number", value ?? "");
const sign = (line) => el("td", { class: `sign ${look(line)}` }, SIGNS[line.kind]);

function code(line, moves) {
  if (!line) return el("td.code.nothing");
  const note = (line.note !== "CRLF" || line.kind !== "same") && line.note;
  return el("td", { class: `code ${look(line)}`, dataset: { sign: SIGNS[line.kind] } }, words(line),
    note && el("span.tag", note), moves.has(line) && el("span.tag.info", moves.get(line)));
}

/** Return the text of a line with its changed words marked; places count characters, not their halves. */
function words({ text, changed }) {
  if (!changed.length) return text;
  const characters = [...text];
  const pieces = [];
  let at = 0;
  for (const [start, end] of changed) {
    pieces.push(characters.slice(at, start).join(""), el("mark", characters.slice(start, end).join("")));
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
      const there = file === path ? `line ${number}` : line.moved;
      if (file && line.moved !== next) moves.set(line, `moved ${word} ${there}`);
      next = file && `${file}:${Number(number) + 1}`;
    }
  }
  return moves;
}
