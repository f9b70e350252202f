// Lines that are selected for a remark, by mouse or keys.

import { anchorOf } from "./remarks.js";

const WHERE = {
  worktree: () => "the work tree", unstaged: () => "the work tree", staged: () => "what is staged",
  commit: (_, now) => `commit ${now}`, range: (before, now) => `commits ${before}..${now}`, branch: () => "this branch",
};

/** The selected lines of a review: from where the selection began to the current one, in one file. */
export class Selection {
  constructor(review, list) {
    Object.assign(this, { review, list, current: null, first: null, dragging: false });
    const { view } = review, { signal } = view;
    list.addEventListener("mousedown", (event) => this.press(event));
    list.addEventListener("mouseover", ({ target }) => this.dragging && this.move(target.closest("tr.line"), true));
    document.addEventListener("mouseup", () => {
      if (this.dragging) this.write();
      this.dragging = false;
    }, { signal });
    view.key("j", "Next line", () => this.step(1));
    view.key("k", "Previous line", () => this.step(-1));
    view.key("J", "Select the next line, too", () => this.step(1, true));
    view.key("K", "Select the previous line, too", () => this.step(-1, true));
    view.key("]", "Next hunk", () => this.hop(1));
    view.key("[", "Previous hunk", () => this.hop(-1));
    view.key("r", "Write a remark on the selected lines", () => this.write());
    const isCurrent = () => document.activeElement === this.current;
    view.key("Enter", "Write a remark on the selected lines", () => isCurrent() && this.write());
    view.key("v", "Mark the file as seen, or not", () => this.file()?.setSeen(!this.file().tick.checked));
  }

  press(event) {
    const row = event.target.closest(".line-number")?.parentElement;
    if (!row || event.button !== 0) return;
    event.preventDefault();
    this.dragging = true;
    this.move(row, event.shiftKey);
  }

  rows() {
    return [...this.list.querySelectorAll(".file:not(.folded) tr.line")];
  }

  file() {
    return this.current?.closest(".file")?.fileDiff ?? this.list.querySelector(".file")?.fileDiff;
  }

  step(by, extending = false) {
    const rows = this.rows();
    const at = rows.indexOf(this.current);
    this.move(rows[at < 0 ? 0 : at + by], extending);
  }

  hop(by) {
    const rows = this.rows();
    const starts = rows.filter((row) => row.previousElementSibling?.classList.contains("hunk"));
    const at = rows.indexOf(this.current);
    const isAhead = (row) => (rows.indexOf(row) - at) * by > 0;
    this.move(by > 0 ? starts.find(isAhead) : starts.findLast(isAhead));
  }

  move(row, extending = false) {
    if (!row || (extending && this.current && row.closest(".file") !== this.current.closest(".file"))) return;
    this.current = row;
    if (!extending || !this.first?.isConnected) this.first = row;
    for (const old of this.list.querySelectorAll("tr.selected")) old.classList.remove("selected");
    for (const one of this.selected()) one.classList.add("selected");
    row.focus({ preventScroll: true });
    // Under a mouse that is held, scrolling would bring other lines.
    if (!this.dragging) row.scrollIntoView({ block: "nearest" });
  }

  selected() {
    const rows = [...this.current.closest("tbody").querySelectorAll("tr.line")];
    const [from, to] = [rows.indexOf(this.first), rows.indexOf(this.current)].sort((one, other) => one - other);
    return rows.slice(Math.max(from, 0), to + 1);
  }

  write() {
    if (!this.current?.isConnected) return false;
    const { review } = this;
    const { old, new: now } = review.data;
    const where = WHERE[review.asked.what](old?.slice(0, 10), now?.slice(0, 10));
    const anchor = anchorOf(this.file().file.path, this.selected().map((node) => node.row), where);
    const draft = { ...anchor, key: Math.random(), text: "", editing: false };
    review.drafts.save([...review.drafts.list, draft]);
    review.draftOptions(draft).save({ editing: true });
    return true;
  }
}
