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
    /** @type {HTMLElement[]} the rows that are shown as selected */
    this.marked = [];
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
    view.addKey("R", "Write a remark on the file", () => {
      const path = this.file()?.file.path;
      if (path) this.review.addDraft(path, []);
    });
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

  /** The file of the current row, or the first one. */
  file() {
    return FileDiff.of(this.current?.closest(".file")) ?? FileDiff.of(this.list.querySelector(".file"));
  }

  /**
   * Move by a line.
   * @param {number} direction 1 or -1
   * @param {boolean} [extending] whether the selection keeps its first row
   */
  step(direction, extending = false) {
    this.move(this.current?.isConnected ? neighbour(this.current, direction) : this.firstRow, extending);
  }

  /**
   * Move to the next or previous hunk.
   * @param {number} direction 1 or -1
   */
  moveToHunk(direction) {
    let row = this.current?.isConnected ? neighbour(this.current, direction) : this.firstRow;
    while (row && !row.previousElementSibling?.classList.contains("hunk")) row = neighbour(row, direction);
    this.move(row);
  }

  /** @returns {HTMLElement | null} the first row of the files that are not folded */
  get firstRow() {
    return this.list.querySelector(".file:not(.folded) tr.line");
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
    for (const previous of this.marked) previous.classList.remove("selected");
    this.marked = this.selectedRows();
    for (const selected of this.marked) selected.classList.add("selected");
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

/**
 * Return the row after or before a row, also in another file that is not folded.
 * @param {HTMLElement} row
 * @param {number} direction 1 or -1
 * @returns {HTMLElement | null}
 */
function neighbour(row, direction) {
  const next = (/** @type {Element | null | undefined} */ node) =>
    (direction > 0 ? node?.nextElementSibling : node?.previousElementSibling);
  for (let node = next(row); node; node = next(node)) {
    if (node.matches("tr.line")) return /** @type {HTMLElement} */ (node);
  }
  for (let file = next(row.closest(".file")); file; file = next(file)) {
    const rows = file.matches(".folded") ? [] : file.querySelectorAll("tr.line");
    if (rows.length) return /** @type {HTMLElement} */ (rows[direction > 0 ? 0 : rows.length - 1]);
  }
  return null;
}
