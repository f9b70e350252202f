// Drafts: unsent remarks, which are kept in the browser until they are sent or deleted.

import { button, plainButton, primaryButton } from "../../controls.js";
import { errorMessage, quiet } from "../../display.js";
import { el } from "../../dom.js";
import { bindSubmitKeys } from "../../forms.js";
import { loadList, saveList } from "../../storage.js";
import { REPOSITORY, setKey } from "./remarks.js";
import { canSuggest, insertSuggestion, remarkText } from "./suggestion.js";

/** @import { Anchor } from "./remarks.js" */

/** The most lines that a form shows without scrolling; a judgement: half a screen. */
const MAX_ROWS = 20;

/**
 * An unsent remark. `where` describes the diff: "the work tree"; `near` is the next line number on the new side; `key`
 * identifies the draft in all windows.
 * @typedef {Anchor & {where: string, near: number | null, key: number, text: string, editing: boolean,
 *   problem?: any}} Draft
 */

/** The unsent remarks of one repository, shared by all windows. The error of a failed attempt to send is not stored. */
export class Drafts {
  /** @param {string} repository */
  constructor(repository) {
    this.name = `review drafts ${repository}`;
    /** @type {Draft[]} */
    this.list = [];
    this.reload();
  }

  /** Read the drafts that another window may have changed. A draft that was read before stays the same object. */
  reload() {
    const previous = new Map(this.list.map((draft) => [draft.key, draft]));
    this.list = loadList(this.name).map((draft) => Object.assign(previous.get(draft.key) ?? {}, draft));
  }

  /** Replace the list of drafts and store it. */
  save(list = this.list) {
    this.list = list;
    saveList(this.name, list.map(({ problem, ...draft }) => draft));
  }

  /** The drafts that the user has added to a review. */
  get collected() {
    return this.list.filter(({ text, editing }) => text.trim() && !editing);
  }

  /** @param {Draft} draft */
  remove(draft) {
    this.save(this.list.filter((other) => other !== draft));
  }
}

/**
 * What the user can do with a draft. `isReview` tells whether other remarks are collected in a review.
 * @typedef {object} DraftOptions
 * @property {boolean} isReview
 * @property {(changes: Partial<Draft>, isTyping?: boolean) => void} save
 * @property {() => any} send
 * @property {() => void} remove
 */

/**
 * Return a draft: a form while the user edits it, else its text.
 * @param {Draft} draft
 * @param {DraftOptions} options
 */
export function draftNode(draft, options) {
  const content = draft.editing ? editor(draft, options) : preview(draft, options);
  const label = draft.file === REPOSITORY ? "Draft of the summary" : `Draft on ${draft.file}`;
  const node = el("article.remark.card.stack", { "aria-label": label, tabindex: -1 }, content);
  setKey(node, draft.key);
  return node;
}

/**
 * Return what a draft is, and a name for it that tells its file too.
 * @param {Draft} draft
 */
function describe({ file, from, to }) {
  if (file === REPOSITORY) return ["summary", "Summary of the review"];
  if (from === null) return ["the file", `Remark on the file ${file}`];
  const lines = from === to ? `line ${from}` : `lines ${from}–${to}`;
  return [lines, `Remark on ${lines} of ${file}`];
}

/** @param {Draft} draft */
const draftError = ({ problem }) => problem && errorMessage(problem);

/**
 * Return the form of a draft. Its main button sends the remark or, once a review was started, adds it to that.
 * @param {Draft} draft
 * @param {DraftOptions} options
 */
function editor(draft, { isReview, save, send, remove }) {
  const collect = () => {
    if (draft.text.trim()) save({ editing: false });
    else remove();
  };
  const area = el("textarea", {
    "aria-label": describe(draft)[1], placeholder: "What should the agent change, or explain?",
    value: draft.text, on: { input: () => write() },
  });
  const fit = () => {
    area.rows = Math.min(MAX_ROWS, area.value.split("\n").length + 1);
  };
  const write = () => {
    fit();
    save({ text: area.value }, true);
  };
  fit();
  bindSubmitKeys(area, isReview ? collect : send, collect);
  const buttons = isReview ? [primaryButton("Add to review", collect), button("Send", send)]
    : [primaryButton("Send", send), button("Start a review", collect)];
  const suggest = canSuggest(draft) && plainButton("Suggest a change", () => insertSuggestion(area, draft.quote));
  const hint = isReview ? "Ctrl-Enter adds it to the review" : "Ctrl-Enter sends, Esc collects it in a review";
  return [area, draftError(draft),
    el("div.row", buttons, suggest, plainButton("Cancel", remove), el("span.quiet.hint", hint))];
}

/**
 * Return a draft that was added to the review.
 * @param {Draft} draft
 * @param {DraftOptions} options
 */
const preview = (draft, { save, send, remove }) => [
  el("div.row", el("span.tag.attention", "not sent"), quiet(`${describe(draft)[0]} · in your review`)),
  remarkText(draft.text, draft.quote), draftError(draft),
  el("div.row", button("Send now", send), plainButton("Edit", () => save({ editing: true })),
    plainButton("Delete", remove)),
];
