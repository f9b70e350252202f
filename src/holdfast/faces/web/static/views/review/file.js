// One file of a review: its head with what changed and a tick, its lines when they are near, its remarks.

import { el, fill } from "../../dom.js";
import { get } from "../../api.js";
import { button, codeAddress, plain } from "../../controls.js";
import { drawHunks } from "./lines.js";
import { draftNode, elsewhere, find, threadNode } from "./remarks.js";

const CONTEXTS = [3, 25, 5000];
const LONG = 800;

/** Return how many lines a file gained and lost, in words and signs. */
export function counts({ added, removed }) {
  if (added === null) return null;
  return el("span", { class: "counts mono" }, el("span", { class: "plus" }, `+${added}`), " ", el("span", { class: "minus" }, `−${removed}`));
}

/** A file that is shown; `review` is what it belongs to. */
export class FileDiff {
  constructor(review, file) {
    Object.assign(this, { review, file, context: 0, drawn: null });
    this.body = el("div", { class: "body" });
    const change = () => this.setSeen(this.tick.checked);
    this.tick = el("input", { type: "checkbox", checked: review.seen.has(file.version), "aria-label": `Seen ${file.path}`, on: { change } });
    this.more = plain("More lines", () => this.load(this.context + 1));
    this.more.hidden = true;
    this.node = el("section", { class: "file card", "aria-label": file.path }, this.head(), this.body);
    this.node.fileDiff = this;
    this.settle();
  }

  head() {
    const { file } = this;
    const name = file.former ? [el("span", { class: "quiet" }, `${file.former} → `), file.path] : file.path;
    return el("header", { class: "row" },
      el("h2", { class: "mono" }, file.kind === "deleted" ? name : el("a", { href: codeAddress(file.path) }, name)),
      file.kind !== "changed" && el("span", { class: "tag" }, file.kind), file.mode && el("span", { class: "tag" }, `mode ${file.mode}`),
      counts(file), this.more, el("label", { class: "row seen" }, this.tick, "Seen"));
  }

  /** Show what fits now: nothing of a file that was seen, a question before very many lines, else lines. */
  settle() {
    const { file } = this;
    this.node.classList.toggle("folded", this.tick.checked);
    if (this.tick.checked || this.drawn) return;
    if (file.added === null && file.note && !file.note.includes("not counted")) fill(this.body, el("p", { class: "quiet" }, file.note));
    else if (file.added === null || file.added + file.removed > LONG) {
      const count = file.added === null ? "Very many" : (file.added + file.removed).toLocaleString("en");
      fill(this.body, button(`Show ${count} changed lines`, () => this.load()));
    } else this.review.near.observe(this.node);
  }

  setSeen(on) {
    this.tick.checked = on;
    this.review.seen.set(this.file.version, on);
    this.settle();
    this.review.summarise();
  }

  /** Read the lines and draw them. */
  load(context = this.context) {
    this.context = Math.min(context, CONTEXTS.length - 1);
    const asked = { ...this.review.asked, file: this.file.path, context: CONTEXTS[this.context] };
    const { view } = this.review;
    return view.attempt(this.body, async () => {
      const { files } = await get("source/read_diff", asked, { signal: view.signal });
      this.whole = files[0];
      this.draw();
    });
  }

  draw() {
    if (!this.whole) return;
    const { path, hunks = [], note = hunks.length ? null : "No lines differ." } = this.whole;
    this.drawn = drawHunks({ path, hunks }, this.review.split);
    this.foot = el("div", { class: "foot stack" });
    this.more.hidden = !hunks.length || this.context === CONTEXTS.length - 1 || this.file.kind === "added";
    fill(this.body, hunks.length > 0 && this.drawn.node, note && el("p", { class: "quiet" }, note), this.foot);
    this.showRemarks();
  }

  /** Put remarks and drafts under their lines; those whose line is not shown stand at the foot. */
  showRemarks() {
    if (!this.drawn) return;
    const { review } = this;
    // What somebody is writing stays as it is.
    const kept = [...this.node.querySelectorAll(".remark")].filter((node) => node.matches(":has(textarea:focus), [data-thread]:has(textarea)"));
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
      if (changed) fill(this.drawn.heads[row.hunk].querySelector(".since"), el("span", { class: "tag attention" }, "changed since your remark"));
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
    after.after(el("tr", { class: "remarks" }, el("td", { colspan: 4 }, node)));
  }
}
