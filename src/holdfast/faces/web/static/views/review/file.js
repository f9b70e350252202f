// A file of a diff with its remarks. Its lines are loaded when they are scrolled near.

import { button, plainButton } from "../../controls.js";
import { pluralise, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { SIDECAR_SUFFIX, codeAddress } from "../../links.js";
import { get } from "../../api.js";
import { SEEN_FILES, setMark } from "../../storage.js";
import { draftNode } from "./drafts.js";
import { drawHunks, gapsBetween } from "./hunks.js";
import { drawNotes, noteChanges } from "./notes.js";
import { findRemark, findRow, keyOf, threadNode, threadWithLink } from "./remarks.js";

/** @import { Review } from "../review.js" */
/** @import { Gap } from "./hunks.js" */
/** @import { NoteChange } from "./notes.js" */
/** @import { Draft } from "./drafts.js" */
/** @import { Row, Thread } from "./remarks.js" */

/** The number of lines around each change: git's default. */
const CONTEXT_LINES = 3;
/** The number of lines of context with which all lines of a file are shown: the most that the server accepts. */
const ALL_LINES = 5000;
/** The heights of a file's header and of a line, as in review.css. */
const HEADER_PX = 42, LINE_PX = 20;
/** The height of a file in lines while nothing is known about it; a judgement: most changes are short. */
const UNKNOWN_LINES = 8;
/** The number of lines that are unfolded at once; a judgement: half a screen. */
const STEP_LINES = 20;
/** A file with more changed lines is loaded only on request; a judgement: about twenty screens. */
const MAX_LINES_LOADED = 800;

/**
 * The file that an element shows.
 * @type {WeakMap<Element, FileDiff>}
 */
const diffs = new WeakMap();
/**
 * Return whether a file belongs to Holdfast itself: a sidecar with notes, or a rule or document of the workspace.
 * @param {string} path
 */
export const isOwn = (path) => path.endsWith(SIDECAR_SUFFIX) || path.startsWith(".task/");

/**
 * Return the numbers of added and removed lines; null if they are unknown.
 * @param {{added?: number | null, removed?: number | null}} file
 */
export function changeCounts({ added, removed }) {
  if (added === null || added === undefined) return null;
  return el("span.counts.mono", el("span.plus", `+${added}`), " ", el("span.minus", `−${removed}`));
}

/** A file of a diff. */
export class FileDiff {
  /**
   * @param {Review} review
   * @param {Record<string, any>} file as `read_diff` lists it
   */
  constructor(review, file) {
    this.review = review;
    this.file = file;
    /** Whether all lines are shown. */
    this.isWhole = false;
    /** @type {string[]} the ranges of unchanged lines that the user has unfolded */
    this.shown = [];
    /** @type {ReturnType<typeof drawHunks> | null} the lines, once they have been loaded */
    this.table = null;
    /** @type {any} the file as `read_diff` returns it with its lines */
    this.content = null;
    /** Whether the changed notes are shown instead of the lines of their document, unless it cannot be read. */
    this.showsNotes = file.path.endsWith(SIDECAR_SUFFIX);
    this.isLoading = false;
    /** Whether the lines are loaded when the file is scrolled near. */
    this.isObserved = false;
    /** Whether the lines were loaded before they were searched for moved blocks. */
    this.isQuick = false;
    /** The remarks on the whole file. */
    this.head = el("div.head.stack");
    /** The remarks on lines that are not shown. */
    this.foot = el("div.foot.stack");
    this.body = el("div.body");
    this.counts = el("span", changeCounts(file));
    this.seenBox = el("input", {
      type: "checkbox", checked: review.seen.has(file.version), "aria-label": `Seen ${file.path}`,
      on: { change: () => this.setSeen(this.seenBox.checked) },
    });
    this.moreButton = plainButton("All lines", () => {
      this.isWhole = true;
      return this.load();
    }, { hidden: true });
    this.node = el("section.file.card", { "aria-label": file.path }, this.drawHeader(), this.head, this.body);
    diffs.set(this.node, this);
    this.showBody();
    this.drawRemarks();
  }

  /** @param {Element | null | undefined} node */
  static of(node) {
    return node ? diffs.get(node) : undefined;
  }

  drawHeader() {
    const { file } = this;
    const name = [file.former && quiet(`${file.former} → `), file.path];
    return el("header.row",
      el("h2.mono", file.kind === "deleted" ? name : el("a", { href: codeAddress(file.path) }, name)),
      file.kind !== "changed" && el("span.tag", file.kind), file.mode && el("span.tag", `mode ${file.mode}`),
      this.counts, this.moreButton,
      plainButton("Remark", () => this.review.addDraft(file.path, []), { title: "Write a remark on the file (R)" }),
      el("label.row.seen", this.seenBox, "Seen"));
  }

  /**
   * Fold a file that was seen; offer to load very many lines, or those of a file of Holdfast itself; load others, and
   * notes, when the file is scrolled near.
   */
  showBody() {
    const { visibility, isQuick } = this.review;
    const { added, removed, note } = this.file;
    const isSeen = this.seenBox.checked;
    this.node.classList.toggle("folded", isSeen);
    if (isSeen || this.content || this.isLoading) return;
    visibility.unobserve(this.node);
    const isUncounted = added === null && !isQuick;
    this.node.style.setProperty("--lines", String(Math.min(added + removed, MAX_LINES_LOADED) || UNKNOWN_LINES));
    // A binary file, for example; the note of one that differs too much says that its lines were "not compared".
    const hasNoLines = isUncounted && note && !note.includes("not compared");
    if (hasNoLines) fill(this.body, el("p.quiet", note));
    else if (isUncounted || added + removed > MAX_LINES_LOADED || isOwn(this.file.path) && !this.showsNotes) {
      const lines = added === null ? "the changed lines" : pluralise(added + removed, "changed line");
      fill(this.body, button(`Show ${lines}`, () => this.load()));
    } else {
      visibility.observe(this.node);
      this.isObserved = true;
    }
  }

  /**
   * Show what has become known about the file since its difference was listed.
   * @param {Record<string, any>} file
   */
  update(file) {
    if (this.file.added !== file.added || this.file.note !== file.note) {
      this.file = file;
      fill(this.counts, changeCounts(file));
      this.showBody();
    }
    if (this.isQuick && !this.review.isQuick) this.loadMoves();
  }

  /**
   * Load the lines again, now that moved blocks are known, and draw them if that is a difference. If it fails, the next
   * check for changes reports it.
   */
  async loadMoves() {
    this.isQuick = false;
    const { content, review } = this;
    const loaded = await get("source/read_diff", this.contentQuery(), review.view).catch(() => null);
    if (!loaded) return;
    const isInUse = [document.activeElement, review.selection.current].some((node) => this.node.contains(node));
    if (content !== this.content || isInUse) return;
    const isSame = JSON.stringify(loaded.files[0].hunks) === JSON.stringify(content.hunks);
    this.content = loaded.files[0];
    if (!isSame) this.draw();
  }

  /** @param {boolean} isSeen */
  setSeen(isSeen) {
    this.seenBox.checked = isSeen;
    setMark(SEEN_FILES, this.file.version, isSeen);
    this.showBody();
    this.review.showSummary();
  }

  /**
   * Show the same unchanged lines as another version of the file.
   * @param {FileDiff} previous
   */
  loadLike({ isWhole, shown }) {
    this.isWhole = isWhole;
    this.shown = shown;
    return this.load();
  }

  /**
   * Unfold unchanged lines.
   * @param {number} from
   * @param {number} to
   */
  unfold(from, to) {
    this.shown.push(`${from}-${to}`);
    return this.load();
  }

  /**
   * Remove the lines, unless there are remarks or they are in use. They are loaded again when the file is near.
   * @param {number} height the height of the file, which it keeps
   */
  unload(height) {
    const { content, node, remarks: { threads, drafts }, review } = this;
    const isInUse = [document.activeElement, review.selection.current].some((one) => node.contains(one));
    if (!content || isInUse || threads.length + drafts.length > 0) return;
    if (content.added + content.removed > MAX_LINES_LOADED) return; // the user has asked for these
    review.distance.unobserve(node);
    this.content = this.table = null;
    this.isQuick = false;
    // New elements, because a browser keeps the nodes of an element's last layout.
    const previous = this.body;
    this.body = el("div.body");
    this.foot = el("div.foot.stack");
    previous.replaceWith(this.body);
    this.showBody();
    node.style.setProperty("--lines", String((height - HEADER_PX) / LINE_PX));
  }

  /** The query for the lines, with some lines of context. */
  contentQuery() {
    const context = this.isWhole || this.showsNotes ? ALL_LINES : CONTEXT_LINES;
    const { query, isQuick } = this.review;
    return { ...query, file: this.file.path, context, shown: this.shown, highlight: true, quick: isQuick };
  }

  /** Load the lines, and draw them; with `onlyShort`, not if there turn out to be very many of them. */
  load(onlyShort = false) {
    const { view, visibility, isQuick } = this.review;
    visibility.unobserve(this.node); // redrawing it later would take the focus from a field
    this.isLoading = true;
    return view.attempt(this.body, async () => {
      const { files: [content] } = await get("source/read_diff", this.contentQuery(), view);
      const show = () => {
        this.content = content;
        this.isQuick = isQuick;
        this.draw();
        this.review.distance.observe(this.node);
        if (isQuick && !this.review.isQuick) this.loadMoves();
      };
      const { added, removed } = content;
      if (!onlyShort || added + removed <= MAX_LINES_LOADED) show();
      else fill(this.body, button(`Show ${pluralise(added + removed, "changed line")}`, show));
    }).finally(() => {
      this.isLoading = false;
    });
  }

  loadUnlessLong() {
    return this.load(true);
  }

  draw() {
    if (!this.content) return;
    const notes = this.showsNotes ? noteChanges(this.content.hunks ?? []) : null;
    if (notes) this.drawNotes(notes);
    else this.drawLines();
    this.showRemarks();
  }

  /** @param {NoteChange[]} notes */
  drawNotes(notes) {
    const showLines = plainButton("Show as lines", () => {
      this.showsNotes = false;
      return this.load();
    });
    fill(this.foot);
    fill(this.body, drawNotes(this.file.path, notes), showLines, this.foot);
  }

  drawLines() {
    const { path, lines } = this.content;
    const hunks = this.content.hunks ?? [];
    const note = this.content.note ?? (hunks.length ? null : "No lines differ.");
    this.table = drawHunks({ path, hunks }, this.review.isSplit);
    const gaps = gapsBetween(hunks, lines);
    this.table.heads.forEach((head, hunk) =>
      fill(unfoldButtons(head), this.gapButtons(gaps[hunk], hunk > 0, true)));
    const end = gaps.at(-1);
    if (end) this.table.node.tBodies[0].append(foldedRow(this.gapButtons(end, true, false)));
    fill(this.foot);
    this.moreButton.hidden = !gaps.some(Boolean);
    fill(this.body, hunks.length > 0 && this.table.node, note && el("p.quiet", note), this.foot);
  }

  /**
   * Return buttons that show unchanged lines.
   * @param {Gap | null} gap
   * @param {boolean} isBelow whether there are lines above the gap
   * @param {boolean} isAbove whether there are lines below the gap
   */
  gapButtons(gap, isBelow, isAbove) {
    if (!gap) return [];
    const { from, to } = gap;
    const show = (/** @type {string} */ text, /** @type {number} */ first, /** @type {number} */ last) =>
      plainButton(text, () => this.unfold(first, last));
    if (to - from < STEP_LINES) return [show(`Show ${pluralise(to - from + 1, "line")}`, from, to)];
    return [isBelow && show(`↓ ${STEP_LINES} lines`, from, from + STEP_LINES - 1),
      isAbove && show(`↑ ${STEP_LINES} lines`, to - STEP_LINES + 1, to),
      show(`All ${to - from + 1} lines`, from, to)].filter((node) => node !== false);
  }

  /** The remark that the user is writing, and the threads with an open reply form. */
  get openRemarks() {
    return [...this.node.querySelectorAll(".remark:has(textarea:focus), .remark[data-thread]:has(textarea)")];
  }

  /** Unfold the file, and load its lines if that has not been done. */
  async reveal() {
    this.node.classList.remove("folded");
    if (!this.content) await this.load();
  }

  /** The threads and drafts on this file. */
  get remarks() {
    const isHere = (/** @type {{file: string}} */ { file }) => file === this.file.path;
    return { threads: this.review.threads.filter(isHere), drafts: this.review.drafts.list.filter(isHere) };
  }

  /**
   * Return the ids of the threads and the keys of the drafts, from top to bottom.
   * @returns {(string | number)[]}
   */
  remarkKeys() {
    if (this.content) return [...this.node.querySelectorAll(".remark")].map((node) => keyOf(node) ?? "");
    const { threads, drafts } = this.remarks;
    const places = [...threads.map(({ id, from }) => ({ key: id, from })), ...drafts];
    return places.sort((one, other) => Number(one.from) - Number(other.from)).map(({ key }) => key);
  }

  /** Draw the threads and drafts again; the focus stays in the same one. */
  showRemarks() {
    const focused = document.activeElement?.closest(".remark");
    const key = focused && this.node.contains(focused) ? keyOf(focused) : null;
    this.drawRemarks();
    if (key && !focused?.isConnected) findRemark(this.node, key)?.focus({ preventScroll: true });
  }

  /**
   * Show threads and drafts below their lines, and those whose lines are not shown at the foot. Until the lines are
   * loaded, only those on the whole file are shown.
   */
  drawRemarks() {
    const { review, openRemarks, content, head } = this;
    const { threads, drafts } = this.remarks;
    const { rows, heads } = this.table ?? { rows: [], heads: [] };
    const isOpen = (/** @type {Element} */ node) => openRemarks.some((remark) => node.contains(remark));
    for (const row of this.node.querySelectorAll("tr.remarks")) if (!isOpen(row)) row.remove();
    for (const head of heads) fill(changeNotice(head));
    const openKeys = new Set(openRemarks.map(keyOf));
    /** @type {HTMLElement[]} */
    const whole = [];
    /** @type {HTMLElement[]} */
    const withoutLine = [];
    const isShown = (/** @type {Thread | Draft} */ { from }) => content || from === null;
    for (const thread of threads.filter((one) => isShown(one) && !openKeys.has(one.id))) {
      const { row, isChanged } = findRow(rows, thread);
      const options = review.threadOptions(thread);
      if (thread.from === null) whole.push(threadNode(thread, options));
      else if (row) insertBelow(row, threadNode(thread, options, isChanged));
      else withoutLine.push(threadWithLink(thread, options));
      const notice = el("span.tag.attention", "changed since your remark");
      if (row && isChanged) fill(changeNotice(heads[row.hunk]), notice);
    }
    for (const draft of drafts.filter((one) => isShown(one) && !openKeys.has(one.key))) {
      const { row } = findRow(rows, draft);
      const node = draftNode(draft, review.draftOptions(draft));
      if (draft.from === null) whole.push(node);
      else if (row) insertBelow(row, node);
      else withoutLine.push(node);
    }
    fill(head, [...head.children].filter(isOpen), whole);
    fill(this.foot, [...this.foot.children].filter(isOpen), withoutLine);
  }
}

/**
 * Return the element in the head of a hunk that says that its lines have changed.
 * @param {HTMLElement} head
 */
const changeNotice = (head) => /** @type {HTMLElement} */ (head.querySelector(".since"));

/** @param {HTMLElement} head */
const unfoldButtons = (head) => /** @type {HTMLElement} */ (head.querySelector(".unfold"));
/** @param {HTMLElement[]} buttons */
const foldedRow = (buttons) => el("tr.hunk", el("td", { colspan: 4 }, el("span.unfold", buttons)));

/**
 * Insert a node below a row and the remarks that are already there.
 * @param {Row} row
 * @param {HTMLElement} node
 */
function insertBelow(row, node) {
  /** @type {Element} */
  let previous = row.node;
  while (previous.nextElementSibling?.classList.contains("remarks")) previous = previous.nextElementSibling;
  previous.after(el("tr.remarks", el("td", { colspan: 4 }, node)));
}
