// The comments and the history of an issue or milestone; it can be closed with a comment.

import { get } from "../../api.js";
import { button, plainButton } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill, patch, renderKeyed } from "../../dom.js";
import { form, submitButton } from "../../forms.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";
import { personName } from "./entity.js";

/** @import { Detail } from "./detail.js" */
/** @import { Item } from "./entity.js" */

/** Events of the history that are loaded at a time. */
const PAGE_SIZE = 50;
/** The most events that the server returns at a time. */
const MAX_PAGE_SIZE = 500;

/** The comments and the history of an issue or milestone. */
export class Discussion {
  /** @param {Detail} detail */
  constructor(detail) {
    this.detail = detail;
    this.list = el("ol.comments.plain-list.stack");
    this.omitted = el("p.quiet");
    this.input = el("textarea", { name: "body", "aria-label": "Comment", placeholder: "Write a comment, in Markdown" });
    this.buttons = el("div.row");
    this.log = el("ol.history.plain-list.stack");
    const toggle = () => this.history.open && detail.try(() => this.loadHistory());
    this.history = el("details.changes", { on: { toggle } }, el("summary", "History"), this.log);
    const send = (/** @type {any} */ values, /** @type {string | undefined} */ what) => this.send(values, what);
    const commentForm = form(this.input, { buttons: this.buttons, send, draftName: `comment ${detail.view.parameters.id}` });
    this.node = el("section.stack", { "aria-label": "Comments" }, this.omitted, this.list, commentForm,
      this.history);
  }

  /**
   * Write the comment, and close or open the issue with it if that button was pressed.
   * @param {{body: string}} values
   * @param {string} what the operation
   */
  async send({ body: text }, what = "comment") {
    const body = text.trim();
    if (what === "comment" && !body) return this.input.focus();
    const content = what === "comment" ? { body } : { comment: body || null };
    await this.detail.write(what, content, () => (this.input.value = ""));
  }

  /**
   * @param {Item} it
   * @param {string} me
   */
  async draw(it, me) {
    const transitions = { open: ["Close", "close"], draft: ["Open", "open"] };
    const [text, operation] = transitions[it.status] ?? ["Reopen", "open"];
    patch(this.buttons, it.status, () =>
      [submitButton("Comment", "comment", "primary"), submitButton(text, operation)]);
    this.omitted.hidden = !it.comments_omitted;
    fill(this.omitted, `${it.comments_omitted} older comments are not shown here; git mile log lists them.`);
    const draw = (/** @type {any} */ comment, /** @type {HTMLElement} */ node) =>
      this.comment(comment, comment.author === me, node);
    renderKeyed(this.list, it.comments, draw, "li.card");
    if (this.history.open) await this.loadHistory();
  }

  /**
   * @param {any} comment
   * @param {boolean} isMine
   * @param {HTMLElement} node
   */
  comment(comment, isMine, node) {
    const tools = el("div.row");
    const showTools = () =>
      fill(tools, plainButton("Edit", () => this.rewrite(comment, node)), plainButton("Delete", confirmDelete));
    const confirmDelete = () => {
      const erase = () => this.detail.act("delete_comment", { commentId: comment.id });
      const remove = button("Delete in every clone", erase, { class: "button danger" });
      fill(tools, remove, plainButton("Keep", showTools));
      remove.focus();
    };
    if (isMine && !comment.deleted) showTools();
    const edited = comment.edited && quiet("edited ", ago(comment.edited));
    return [
      el("header.row", el("strong", personName(comment.author)), ago(comment.ts), edited, tools),
      comment.deleted ? el("p.quiet", "Deleted.") : markdown(comment.body),
    ];
  }

  /**
   * @param {any} comment
   * @param {HTMLElement} node
   */
  rewrite(comment, node) {
    if (node.querySelector("form")) return;
    const input = el("textarea", { name: "body", "aria-label": "Edit the comment", value: comment.body });
    const send = (/** @type {{body: string}} */ { body }) =>
      this.detail.write("comment", { body, replaces: comment.id }, () => editForm.remove());
    const cancel = () => (editForm.remove(), this.detail.refresh());
    const editForm = form(input, { verb: "Save", send, cancel });
    node.append(editForm);
    input.focus();
  }

  /**
   * Load the newest events, as many as are shown, or a page of older ones.
   * @param {string | null} cursor
   */
  async loadHistory(cursor = null) {
    const { view, it } = this.detail;
    const shown = Math.min(MAX_PAGE_SIZE, Math.max(PAGE_SIZE, this.log.childElementCount));
    const limit = cursor ? PAGE_SIZE : shown;
    const page = await get("milestones/git_mile_log", { id: it.id, cursor, limit }, view);
    const older = () => (more.remove(), this.detail.try(() => this.loadHistory(page.nextCursor)));
    const more = page.nextCursor && el("li", button("Older", older));
    const line = (event) => el("li", ago(event.ts), el("span", personName(event.actor), ` ${phrase(event)}`));
    fill(this.log, cursor && [...this.log.children], page.events.map(line), more);
  }
}

/** Values longer than this are cut; a judgement: about one line. */
const MAX_VALUE = 80;

/**
 * Describe an event.
 * @param {{action: string, field?: string, value?: string}} event
 */
function phrase({ action, field, value }) {
  const short = value && (value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value);
  const verbs = {
    create: "created it", set: `set ${field} to ${short ?? "nothing"}`, add: `added ${short} to ${field}`,
    remove: `removed ${short} from ${field}`, comment: "commented", edit: "edited a comment",
    delete: "deleted a comment", claim: `claimed it ${short ?? ""}`, release: "released it",
  };
  return verbs[action] ?? action;
}
