// The comments and the history of an issue or milestone; it can be closed with a comment.

import { get } from "../../api.js";
import { button, plainButton } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill, patch, renderKeyed } from "../../dom.js";
import { form, submitButton } from "../../forms.js";
import { person } from "../../people.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";

/** @import { Detail } from "./detail.js" */
/** @import { Item } from "./entity.js" */

/** The number of events of the history that are loaded at a time; a judgement: about two screens. */
const EVENTS_PER_PAGE = 50;
/** The maximum that the server accepts as `limit`. */
const MAX_EVENTS_PER_REQUEST = 500;
/** Longer values are shortened; a judgement: about one line. */
const MAX_VALUE_CHARACTERS = 80;

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
    const toggle = () => this.history.open && detail.attempt(() => this.loadHistory());
    this.history = el("details.changes", { on: { toggle } }, el("summary", "History"), this.log);
    const commentForm = form(this.input, {
      buttons: this.buttons,
      send: (values, operation) => this.send(values, operation),
      draftName: `comment ${detail.view.parameters.id}`,
    });
    this.node = el("section.stack", { "aria-label": "Comments" }, this.omitted, this.list, commentForm,
      this.history);
  }

  /**
   * Send the comment; other buttons close or open the item with an optional comment.
   * @param {{body: string}} values
   * @param {string} operation
   */
  async send({ body: text }, operation = "comment") {
    const comment = text.trim();
    const clear = () => (this.input.value = "");
    if (operation !== "comment") return this.detail.write(operation, { comment: comment || null }, clear);
    if (!comment) return this.input.focus();
    return this.detail.write("comment", { body: comment }, clear);
  }

  /**
   * Draw the comments and, if it is open, the history.
   * @param {Item} item
   * @param {string} me the name of the user
   */
  async draw(item, me) {
    const transitions = { open: ["Close", "close"], draft: ["Open", "open"] };
    const [text, operation] = transitions[item.status] ?? ["Reopen", "open"];
    patch(this.buttons, item.status, () =>
      [submitButton("Comment", "comment", "primary"), submitButton(text, operation)]);
    this.omitted.hidden = !item.comments_omitted;
    fill(this.omitted, `${item.comments_omitted} older comments are not shown here; git mile log lists them.`);
    const draw = (/** @type {any} */ comment, /** @type {HTMLElement} */ node) =>
      this.drawComment(comment, comment.author === me, node);
    renderKeyed(this.list, item.comments, draw, "li.card");
    if (this.history.open) await this.loadHistory();
  }

  /**
   * Draw a comment; the user can edit and delete their own comments.
   * @param {any} comment
   * @param {boolean} isMine
   * @param {HTMLElement} node
   */
  drawComment(comment, isMine, node) {
    const tools = el("div.row");
    const showTools = () =>
      fill(tools, plainButton("Edit", () => this.edit(comment, node)), plainButton("Delete", confirmDelete));
    const confirmDelete = () => {
      const deleteComment = () => this.detail.act("delete_comment", { commentId: comment.id });
      const confirm = button("Delete in every clone", deleteComment, { class: "button danger" });
      fill(tools, confirm, plainButton("Keep", showTools));
      confirm.focus();
    };
    if (isMine && !comment.deleted) showTools();
    const edited = comment.edited && quiet("edited ", ago(comment.edited));
    return [
      el("header.row", el("strong", person(comment.author)), ago(comment.ts), edited, tools),
      comment.deleted ? el("p.quiet", "Deleted.") : markdown(comment.body),
    ];
  }

  /**
   * @param {any} comment
   * @param {HTMLElement} node
   */
  edit(comment, node) {
    if (node.querySelector("form")) return;
    const input = el("textarea", { name: "body", "aria-label": "Edit the comment", value: comment.body });
    const send = (/** @type {{body: string}} */ { body }) =>
      this.detail.write("comment", { body, replaces: comment.id }, () => editForm.remove());
    const cancel = () => {
      editForm.remove();
      this.detail.refresh();
    };
    const editForm = form(input, { verb: "Save", send, cancel });
    node.append(editForm);
    input.focus();
  }

  /**
   * Load a page of older events, or without a cursor the newest ones, at least as many as are shown.
   * @param {string | null} cursor
   */
  async loadHistory(cursor = null) {
    const { view, item } = this.detail;
    const shown = Math.min(MAX_EVENTS_PER_REQUEST, Math.max(EVENTS_PER_PAGE, this.log.childElementCount));
    const limit = cursor ? EVENTS_PER_PAGE : shown;
    const page = await get("milestones/git_mile_log", { id: item.id, cursor, limit }, view);
    const loadOlder = () => {
      more.remove();
      return this.detail.attempt(() => this.loadHistory(page.nextCursor));
    };
    const more = page.nextCursor && el("li", button("Older", loadOlder));
    const line = (event) => el("li", ago(event.ts), el("span", person(event.actor), ` ${describeEvent(event)}`));
    fill(this.log, cursor && [...this.log.children], page.events.map(line), more);
  }
}

/**
 * Describe an event: "set due to 2026-12-31".
 * @param {{action: string, field?: string, value?: string}} event
 */
function describeEvent({ action, field, value }) {
  const isLong = value && value.length > MAX_VALUE_CHARACTERS;
  const short = isLong ? `${value.slice(0, MAX_VALUE_CHARACTERS)}…` : value;
  const texts = {
    create: "created it", set: `set ${field} to ${short ?? "nothing"}`, add: `added ${short} to ${field}`,
    remove: `removed ${short} from ${field}`, comment: "commented", edit: "edited a comment",
    delete: "deleted a comment", claim: `claimed it ${short ?? ""}`, release: "released it",
  };
  return texts[action] ?? action;
}
