// The selection of lines for a remark, by mouse or keys.

import { FileDiff } from "./file.js";
import { anchorFrom, rowOf } from "./remarks.js";

/** @import { Review } from "../review.js" */

/**
 * Where the lines of a remark are, as its text says.
 * @type {Record<string, (before?: string, now?: string) => string>}
 */
const WHERE = {
  worktree: () => "the work tree", unstaged: () => "the work tree", staged: () => "what is staged",
  commit: (_, now) => `commit ${now}`, range: (before, now) => `commits ${before}..${now}`, branch: () => "this branch",
};

/** The selected lines: from the first to the current one, in one file. */
export class Selection {
  /**
   * @param {Review} review
   * @param {HTMLElement} list
   */
  constructor(review, list) {
    this.review = review;
    this.list = list;
    /** @type {HTMLElement | null} the row that keys act on, where the selection ends */
    this.current = null;
    /** @type {HTMLElement | null} the row where the selection began */
    this.first = null;
    this.isDragging = false;
    const { view } = review, { signal } = view;
    list.addEventListener("mousedown", (event) => this.press(event));
    list.addEventListener("mouseover", ({ target }) => {
      if (this.isDragging && target instanceof Element) this.move(target.closest("tr.line"), true);
    });
    document.addEventListener("mouseup", () => {
      if (this.isDragging) this.write();
      this.isDragging = false;
    }, { signal });
    view.addKey("j", "Next line", () => this.step(1));
    view.addKey("k", "Previous line", () => this.step(-1));
    view.addKey("J", "Select the next line too", () => this.step(1, true));
    view.addKey("K", "Select the previous line too", () => this.step(-1, true));
    view.addKey("]", "Next hunk", () => this.moveToHunk(1));
    view.addKey("[", "Previous hunk", () => this.moveToHunk(-1));
    view.addKey("r", "Write a remark on the selected lines", () => this.write());
    const isCurrent = () => document.activeElement === this.current;
    view.addKey("Enter", "Write a remark on the selected lines", () => isCurrent() && this.write());
    view.addKey("v", "Mark the file as seen, or not", () => {
      const file = this.file();
      file?.setSeen(!file.tick.checked);
    });
  }

  /** @param {MouseEvent} event */
  press(event) {
    const row = /** @type {Element} */ (event.target).closest(".line-number")?.parentElement;
    if (!row || event.button !== 0) return;
    event.preventDefault();
    this.isDragging = true;
    this.move(row, event.shiftKey);
  }

  /** @returns {HTMLElement[]} */
  rows() {
    return /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll(".file:not(.folded) tr.line")]);
  }

  /** The file of the current row, or the first one. */
  file() {
    return FileDiff.of(this.current?.closest(".file")) ?? FileDiff.of(this.list.querySelector(".file"));
  }

  /**
   * Move by lines.
   * @param {number} by
   */
  step(by, extending = false) {
    const rows = this.rows();
    const at = this.current ? rows.indexOf(this.current) : -1;
    this.move(rows[at < 0 ? 0 : at + by], extending);
  }

  /**
   * Move to the next or previous hunk.
   * @param {number} by 1 or -1
   */
  moveToHunk(direction) {
    const rows = this.rows();
    const starts = rows.filter((row) => row.previousElementSibling?.classList.contains("hunk"));
    const at = this.current ? rows.indexOf(this.current) : -1;
    const isAhead = (/** @type {HTMLElement} */ row) => (rows.indexOf(row) - at) * by > 0;
    this.move(by > 0 ? starts.find(isAhead) : starts.findLast(isAhead));
  }

  /**
   * Move to a row; with `extending`, the selection keeps its beginning.
   * @param {HTMLElement | null | undefined} row
   */
  move(row, extending = false) {
    if (!row || (extending && this.current && row.closest(".file") !== this.current.closest(".file"))) return;
    this.current = row;
    if (!extending || !this.first?.isConnected) this.first = row;
    for (const old of this.list.querySelectorAll("tr.selected")) old.classList.remove("selected");
    for (const one of this.selected()) one.classList.add("selected");
    row.focus({ preventScroll: true });
    // While the mouse is pressed, scrolling would move other lines below it.
    if (!this.isDragging) row.scrollIntoView({ block: "nearest" });
  }

  /** Return the selected rows. */
  selected() {
    const body = this.current?.closest("tbody");
    const rows = /** @type {(HTMLElement | null)[]} */ ([...body?.querySelectorAll("tr.line") ?? []]);
    const [from, to] = [rows.indexOf(this.first), rows.indexOf(this.current)].sort((one, other) => one - other);
    return /** @type {HTMLElement[]} */ (rows.slice(Math.max(from, 0), to + 1));
  }

  /** Begin a remark on the selected lines; return whether there are any. */
  write() {
    const file = this.file();
    if (!this.current?.isConnected || !file) return false;
    const { review } = this;
    const { old, new: now } = review.data;
    const where = WHERE[review.query.what](old?.slice(0, 10), now?.slice(0, 10));
    const anchor = anchorFrom(file.file.path, this.selected().map(rowOf), where);
    const draft = { ...anchor, key: Math.random(), text: "", editing: false };
    review.drafts.save([...review.drafts.list, draft]);
    review.draftOptions(draft).save({ editing: true });
    return true;
  }
}
