// The selection of lines for a remark, with the mouse or with keys.

import { button } from "../../controls.js";
import { FileDiff } from "./file.js";
import { rowOf } from "./hunks.js";

/** @import { Review } from "../review.js" */

/** The selected lines of a file, from the first to the current one. */
export class Selection {
  /**
   * @param {Review} review
   * @param {HTMLElement} list
   */
  constructor(review, list) {
    this.review = review;
    this.list = list;
    /** @type {HTMLElement | null} the row that keys act on, at the end of the selection */
    this.current = null;
    /** @type {HTMLElement | null} the row at which the selection started */
    this.first = null;
    this.isDragging = false;
    /** Starts a remark; shown in the margin of the row that has the mouse or the focus. */
    this.addButton = button("+", ({ detail }) => this.clickedAdd(detail), {
      class: "button add-remark", title: "Write a remark (r)", "aria-label": "Write a remark on this line",
    });
    this.followMouse();
    this.addKeys();
  }

  followMouse() {
    const { list, review: { view } } = this;
    list.addEventListener("mousedown", (event) => this.press(event));
    list.addEventListener("mouseup", (event) => this.release(event));
    list.addEventListener("mouseover", ({ target }) => {
      const row = target instanceof Element && target.closest("tr.line");
      if (!row) return;
      this.showAddButton(row);
      if (this.isDragging) this.move(/** @type {HTMLElement} */ (row), true);
    });
    list.addEventListener("focusin", ({ target }) => {
      const row = target instanceof Element && target.closest("tr.line");
      if (row) this.showAddButton(row);
    });
    document.addEventListener("mouseup", () => {
      if (this.isDragging) this.startRemark();
      this.isDragging = false;
    }, { signal: view.signal });
  }

  addKeys() {
    const { view } = this.review;
    view.addKey("j", "Next line", () => this.step(1));
    view.addKey("k", "Previous line", () => this.step(-1));
    view.addKey("J", "Select the next line too", () => this.step(1, true));
    view.addKey("K", "Select the previous line too", () => this.step(-1, true));
    view.addKey("]", "Next hunk", () => this.moveToHunk(1));
    view.addKey("[", "Previous hunk", () => this.moveToHunk(-1));
    view.addKey("r", "Write a remark on the selected lines", () => this.startRemark());
    const isCurrent = () => document.activeElement === this.current;
    view.addKey("Enter", "Write a remark on the selected lines", () => isCurrent() && this.startRemark());
    view.addKey("v", "Mark the file as seen, or not", () => {
      const file = this.file();
      file?.setSeen(!file.seenBox.checked);
    });
  }

  /**
   * Start a remark on the row of the button if it was pressed by key; a mouse has started it when it was released.
   * @param {number} clicks 0 for a key
   */
  clickedAdd(clicks) {
    if (clicks > 0) return;
    const row = /** @type {HTMLElement} */ (this.addButton.closest("tr.line"));
    if (!row.classList.contains("selected")) this.move(row);
    this.startRemark();
  }

  /** @param {Element} row */
  showAddButton(row) {
    const cell = [...row.querySelectorAll(".line-number")].at(-1);
    if (cell !== this.addButton.parentElement) cell?.append(this.addButton);
  }

  /**
   * Select the row whose code was clicked, or the rows of the text that was marked, which can still be copied.
   * @param {MouseEvent} event
   */
  release({ target, button, shiftKey }) {
    const row = /** @type {Element} */ (target).closest("tr.line");
    if (this.isDragging || button !== 0 || !row || /** @type {Element} */ (target).closest("a, button")) return;
    const marked = getSelection();
    const anchor = marked?.isCollapsed ? null : marked?.anchorNode?.parentElement?.closest("tr.line");
    if (anchor) this.move(/** @type {HTMLElement} */ (anchor));
    this.move(/** @type {HTMLElement} */ (row), shiftKey || Boolean(anchor));
  }

  /**
   * Start a selection on the line number under the mouse; with Shift, extend the selection. The remark starts when the
   * button is released.
   * @param {MouseEvent} event
   */
  press(event) {
    const row = /** @type {Element} */ (event.target).closest(".line-number")?.parentElement;
    if (!row || event.button !== 0) return;
    event.preventDefault();
    this.isDragging = true;
    this.move(row, event.shiftKey);
  }

  /**
   * Return the rows of all files that are not folded.
   * @returns {HTMLElement[]}
   */
  rows() {
    return /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll(".file:not(.folded) tr.line")]);
  }

  /** The file of the current row, or the first one. */
  file() {
    return FileDiff.of(this.current?.closest(".file")) ?? FileDiff.of(this.list.querySelector(".file"));
  }

  /**
   * Move by lines.
   * @param {number} offset
   * @param {boolean} [extending] whether the selection keeps its first row
   */
  step(offset, extending = false) {
    const rows = this.rows();
    const index = this.current ? rows.indexOf(this.current) : -1;
    this.move(rows[index < 0 ? 0 : index + offset], extending);
  }

  /**
   * Move to the next or previous hunk.
   * @param {number} direction 1 or -1
   */
  moveToHunk(direction) {
    const rows = this.rows();
    const starts = rows.filter((row) => row.previousElementSibling?.classList.contains("hunk"));
    const index = this.current ? rows.indexOf(this.current) : -1;
    const isInDirection = (/** @type {HTMLElement} */ row) => (rows.indexOf(row) - index) * direction > 0;
    this.move(direction > 0 ? starts.find(isInDirection) : starts.findLast(isInDirection));
  }

  /**
   * Move to a row; with `extending`, the selection keeps its first row.
   * @param {HTMLElement | null | undefined} row
   */
  move(row, extending = false) {
    if (!row) return;
    const isOtherFile = this.current && row.closest(".file") !== this.current.closest(".file");
    if (extending && isOtherFile) return;
    this.current = row;
    if (!extending || !this.first?.isConnected) this.first = row;
    for (const previous of this.list.querySelectorAll("tr.selected")) previous.classList.remove("selected");
    for (const selected of this.selectedRows()) selected.classList.add("selected");
    row.focus({ preventScroll: true });
    // During a drag, scrolling would move other lines under the pointer.
    if (!this.isDragging) row.scrollIntoView({ block: "nearest" });
  }

  /** Return the selected rows. */
  selectedRows() {
    const body = this.current?.closest("tbody");
    const rows = /** @type {(HTMLElement | null)[]} */ ([...body?.querySelectorAll("tr.line") ?? []]);
    const [from, to] = [rows.indexOf(this.first), rows.indexOf(this.current)].sort((one, other) => one - other);
    return /** @type {HTMLElement[]} */ (rows.slice(Math.max(from, 0), to + 1)); // the first row may have been redrawn
  }

  /** Start a remark on the selected lines; return whether there are any. */
  startRemark() {
    const diff = this.file();
    if (!this.current?.isConnected || !diff) return false;
    this.review.addDraft(diff.file.path, this.selectedRows().map(rowOf));
    return true;
  }
}
