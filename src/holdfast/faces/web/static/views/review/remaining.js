// What is left of a review: a bar with the files that were seen and the remarks, and the way from remark to remark.

import { plainButton } from "../../controls.js";
import { pluralise, progressBar } from "../../display.js";
import { el, fill } from "../../dom.js";
import { icon } from "../../icons.js";
import { findRemark, lastMessage } from "./remarks.js";

/** @import { Review } from "../review.js" */
/** @import { Draft } from "./drafts.js" */
/** @import { FileDiff } from "./file.js" */

/** @typedef {{file: FileDiff, key: string | number}} Stop a remark or draft on a file of the diff */

/** The bar above the files, which stays in view. */
export class Remaining {
  /**
   * @param {Review} review
   * @param {HTMLElement} sendAllButton
   */
  constructor(review, sendAllButton) {
    this.review = review;
    /** @type {string | number | null} the key of the remark that was visited last */
    this.visited = null;
    /** @type {Draft | null} the draft that was deleted last */
    this.deleted = null;
    this.status = el("div.row.status");
    const { view } = review;
    const step = (/** @type {any} */ sign, /** @type {string} */ label, /** @type {string} */ key, direction) => {
      view.addKey(key, label, () => this.step(direction));
      return plainButton(sign, () => this.step(direction), { title: `${label} (${key})`, "aria-label": label });
    };
    this.steps = el("div.row.steps", { hidden: true },
      step(icon("up"), "Previous remark", "p", -1), step(icon("down"), "Next remark", "n", 1));
    const title = "Write the summary of the review";
    view.addKey("s", title, () => review.writeSummary());
    const summary = plainButton("Summary", () => review.writeSummary(), { title: `${title} (s)` });
    const label = { role: "group", "aria-label": "What is left to review", hidden: true };
    this.node = el("div.remaining.row", label, this.status, this.steps, summary, sendAllButton);
  }

  /** Show how many files were seen, and the remarks on them by their state. */
  show() {
    const { files: byPath, threads } = this.review;
    const files = [...byPath.values()];
    const seen = files.filter(({ seenBox }) => seenBox.checked).length;
    const last = threads.filter((thread) => this.review.isHere(thread)).map(lastMessage);
    const answered = last.filter(({ replies }) => replies > 0).length;
    const open = last.filter(({ replies, state }) => !replies && state !== "withdrawn").length;
    const text = `${seen} of ${pluralise(files.length, "file")} seen`;
    fill(this.status, files.length > 0 && [progressBar("Files seen", Math.round(100 * seen / (files.length || 1))),
      el("span", seen < files.length ? text : [el("span.tick", icon("done")), text])],
      open > 0 && el("span.tag.info", `${pluralise(open, "remark")} open`),
      answered > 0 && el("span.tag.ok", `${answered} answered`),
      this.deleted && el("span.row", "Remark deleted", plainButton("Undo", () => this.undo())));
    this.node.hidden = files.length === 0 && this.review.drafts.list.length === 0;
    this.steps.hidden = this.stops().length === 0;
  }

  /** @param {Draft | null} draft a draft that is deleted, which the user can restore until another one is */
  offerUndo(draft) {
    this.deleted = draft ?? this.deleted;
  }

  undo() {
    const { deleted, review } = this;
    if (!deleted) return;
    this.deleted = null;
    review.drafts.save([...review.drafts.list, deleted]);
    review.draftOptions(deleted).save({});
  }

  /**
   * Return the remarks and drafts on the files of the diff, in the order in which they are shown.
   * @returns {Stop[]}
   */
  stops() {
    return [...this.review.files.values()].flatMap((file) => file.remarkKeys().map((key) => ({ file, key })));
  }

  /**
   * Go to the next or previous remark, seen from the focused or last visited one or from the current line; after the
   * last one comes the first.
   * @param {number} direction 1 or -1
   */
  async step(direction) {
    const { view, selection } = this.review;
    const stops = this.stops();
    if (!stops.length) return view.announce("There are no remarks on these files.");
    const focused = document.activeElement?.closest(".remark, tr.line");
    const visited = stops.find(({ key }) => key === this.visited);
    const place = focused ?? (visited ? nodeOf(visited) : selection.current);
    const wanted = direction > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const isBeyond = (/** @type {Stop} */ stop) => {
      const position = place?.compareDocumentPosition(nodeOf(stop)) ?? 0;
      return (position & wanted) > 0 && !(position & Node.DOCUMENT_POSITION_CONTAINS);
    };
    const stop = (direction > 0 ? stops.find(isBeyond) : stops.findLast(isBeyond)) ?? stops.at(direction > 0 ? 0 : -1);
    if (stop) await this.visit(stop, stops.indexOf(stop) + 1, stops.length);
  }

  /**
   * Show a remark, loading the lines of its file if necessary, and focus it.
   * @param {Stop} stop
   * @param {number} number
   * @param {number} total
   */
  async visit({ file, key }, number, total) {
    this.visited = key;
    await file.reveal();
    const node = findRemark(file.node, key);
    node?.scrollIntoView({ block: "center" });
    (node?.querySelector("textarea") ?? node)?.focus({ preventScroll: true });
    this.review.view.announce(`Remark ${number} of ${total}, on ${file.file.path}`);
  }
}

/**
 * Return the element of a remark, or its file while the lines are not loaded.
 * @param {Stop} stop
 */
const nodeOf = ({ file, key }) => findRemark(file.node, key) ?? file.node;
