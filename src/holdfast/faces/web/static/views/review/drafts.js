// Drafts: unsent remarks, which are kept in the browser until they are sent or deleted.

import { button, plainButton, primaryButton } from "../../controls.js";
import { errorMessage, quiet } from "../../display.js";
import { el } from "../../dom.js";
import { bindSubmitKeys } from "../../forms.js";
import { loadList, saveList } from "../../storage.js";
import { setKey } from "./remarks.js";

/** @import { Anchor } from "./remarks.js" */

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

  /** @param {Draft} draft */
  remove(draft) {
    this.save(this.list.filter((other) => other !== draft));
  }
}

/**
 * Return a draft: a form while the user edits it, else its text.
 * @param {Draft} draft
 * @param {{save: (changes: Partial<Draft>, isTyping?: boolean) => void, send: () => any, remove: () => void}} options
 */
export function draftNode(draft, { save, send, remove }) {
  const lines = draft.from === draft.to ? `line ${draft.from}` : `lines ${draft.from}–${draft.to}`;
  const error = draft.problem && errorMessage(draft.problem);
  const sendButton = primaryButton("Send", send);
  const keepDraft = () => {
    if (draft.text.trim()) save({ editing: false });
    else remove();
  };
  const editor = () => {
    const area = el("textarea", {
      "aria-label": `Remark on ${lines} of ${draft.file}`, placeholder: "What should the agent change, or explain?",
      value: draft.text, on: { input: () => save({ text: area.value }, true) },
    });
    bindSubmitKeys(area, send, keepDraft);
    const hint = el("span.quiet.hint", "Ctrl-Enter sends, Esc keeps it as a draft");
    const buttons = [sendButton, button("Keep as draft", keepDraft), plainButton("Cancel", remove)];
    return [area, error, el("div.row", buttons, hint)];
  };
  const preview = () => [el("div.row", el("span.tag", "draft"), quiet(lines)),
    el("div.said", draft.text), error,
    el("div.row", sendButton, plainButton("Edit", () => save({ editing: true })), plainButton("Delete", remove))];
  const content = draft.editing ? editor() : preview();
  const node = el("article.remark.card.stack", { "aria-label": `Draft on ${draft.file}`, tabindex: -1 }, content);
  setKey(node, draft.key);
  return node;
}
