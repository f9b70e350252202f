// The remarks that are not on a file of the diff: the summary of the review above the files, all others below them.

import { el, fill } from "../../dom.js";
import { codeLink } from "../../links.js";
import { draftNode } from "./drafts.js";
import { REPOSITORY, threadNode, threadWithLink } from "./remarks.js";

/** @import { Review } from "../review.js" */
/** @import { Draft } from "./drafts.js" */
/** @import { Thread } from "./remarks.js" */

/** The number of threads on other files that are shown unfolded; a judgement: about a screen. */
const MAX_THREADS_UNFOLDED = 5;

/** The remarks outside the files of a review. */
export class Outside {
  /** @param {Review} review */
  constructor(review) {
    this.review = review;
    this.summaries = el("section.stack", { "aria-label": "Summary" });
    this.elsewhere = el("section.stack", { "aria-label": "Remarks elsewhere" });
  }

  /** Show these threads and drafts, except where the user is working. */
  show() {
    const { elsewhere, review, summaries } = this;
    if (!review.diff) return;
    if (!isInUse(summaries)) this.showSummaries();
    if (!isInUse(elsewhere)) this.showElsewhere();
  }

  showSummaries() {
    const { review, summaries } = this;
    const isSummary = (/** @type {Thread | Draft} */ one) => one.file === REPOSITORY && review.isHere(one);
    fill(summaries, review.threads.filter(isSummary).map((thread) => threadNode(thread, review.threadOptions(thread))),
      review.drafts.list.filter(isSummary).map((draft) => draftNode(draft, review.draftOptions(draft))));
  }

  showElsewhere() {
    const { review } = this;
    const isElsewhere = (/** @type {Thread | Draft} */ one) => !review.isHere(one);
    const others = review.threads.filter(isElsewhere).reverse(); // the newest first
    const nodes = others.map((thread) => threadWithLink(thread, review.threadOptions(thread)));
    const older = nodes.splice(MAX_THREADS_UNFOLDED);
    const drafts = review.drafts.list.filter(isElsewhere).map((draft) =>
      el("div.stack", codeLink(draft.file, draft.near), draftNode(draft, review.draftOptions(draft))));
    fill(this.elsewhere, nodes.length + drafts.length > 0 && el("h2", "Remarks elsewhere"), drafts, nodes,
      older.length > 0 && el("details", el("summary", `${older.length} older`), el("div.stack", older)));
  }
}

/** @param {Element} place */
const isInUse = (place) => place.querySelector("form, textarea:focus") !== null;
