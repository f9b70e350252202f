// Comments and history of a milestone or issue, and closing it with or without a word.

import { get } from "../../api.js";
import { button, quiet } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { form } from "../../form.js";
import { markdown } from "../../markdown.js";
import { ago } from "../../time.js";
import { patch, person } from "./parts.js";

/** What people said about one thing, and what they did to it. */
export class Discussion {
  constructor(detail) {
    this.detail = detail;
    this.nodes = new Map();
    this.list = el("ol", { class: "comments" });
    this.omitted = el("p", { class: "quiet" });
    this.input = el("textarea", { "aria-label": "Comment", placeholder: "Write a comment, in Markdown" });
    this.buttons = el("div", { class: "row" });
    this.problem = el("div", {});
    this.log = el("ol", { class: "history" });
    this.told = el("details", { class: "told", on: { toggle: () => this.told.open && detail.try(() => this.tell()) } }, el("summary", {}, "History"), this.log);
    const form = el("form", { class: "stack", on: { submit: (event) => this.send(event) } }, this.input, this.problem, this.buttons);
    this.node = el("section", { class: "stack", "aria-label": "Comments" }, this.omitted, this.list, form, this.told);
  }

  /** Write the comment, and close or open with it where that button was pressed. */
  async send(event) {
    event.preventDefault();
    const body = this.input.value.trim();
    const what = event.submitter?.value ?? "comment";
    if (what === "comment" && !body) return this.input.focus();
    const said = what === "comment" ? { body } : { comment: body || null };
    await this.detail.view.attempt(this.problem, () => this.detail.write(what, said, () => (fill(this.problem), this.input.value = "")));
  }

  async draw(it, me) {
    const doing = (text, value, kind) => el("button", { class: `button ${kind}`, type: "submit", value }, text);
    patch(this.buttons, it.status, () => [doing("Comment", "comment", "primary"), it.status === "open" ? doing("Close", "close", "") : doing(it.status === "draft" ? "Open" : "Reopen", "open", "")]);
    fill(this.omitted, it.comments_omitted ? `${it.comments_omitted} older comments are not shown; git mile log tells them.` : null);
    this.omitted.hidden = !it.comments_omitted;
    for (const comment of it.comments) {
      if (!this.nodes.has(comment.id)) {
        this.nodes.set(comment.id, el("li", { class: "card" }));
        this.list.append(this.nodes.get(comment.id));
      }
      const node = this.nodes.get(comment.id);
      patch(node, comment, () => this.comment(comment, comment.author === me, node));
    }
    if (this.told.open) await this.tell();
  }

  comment(comment, mine, node) {
    const tools = el("div", { class: "row" });
    const tool = (text, click, kind = "plain") => button(text, click, { class: `button ${kind}` });
    const calm = () => fill(tools, tool("Edit", () => this.rewrite(comment, node)), tool("Delete", sure));
    const sure = () => {
      const remove = tool("Delete in every clone", () => this.detail.act("delete_comment", { commentId: comment.id }), "danger");
      fill(tools, remove, tool("Keep", calm));
      remove.focus();
    };
    if (mine && !comment.deleted) calm();
    return [
      el("header", { class: "row" }, el("strong", {}, person(comment.author)), ago(comment.ts), comment.edited && quiet("edited ", ago(comment.edited)), tools),
      comment.deleted ? el("p", { class: "quiet" }, "Deleted.") : markdown(comment.body),
    ];
  }

  rewrite(comment, node) {
    if (node.querySelector("form")) return;
    const input = el("textarea", { name: "body", "aria-label": "Comment, anew", value: comment.body });
    const send = ({ body }) => this.detail.write("comment", { body, replaces: comment.id }, () => again.remove());
    const again = form(input, { class: "stack editing", verb: "Save", send, cancel: () => (again.remove(), this.detail.refresh()) });
    node.append(again);
    input.focus();
  }

  /** Tell who did what, newest first. */
  async tell(cursor = null) {
    const { view, it } = this.detail;
    const page = await get("milestones/git_mile_log", { id: it.id, cursor, limit: 50 }, { signal: view.signal });
    const older = () => (more.remove(), this.detail.try(() => this.tell(page.nextCursor)));
    const more = page.nextCursor && el("li", {}, button("Older", older));
    const lines = page.events.map((event) => el("li", {}, ago(event.ts), el("span", {}, person(event.actor), ` ${phrase(event)}`)));
    if (!cursor) fill(this.log);
    this.log.append(...lines, ...(more ? [more] : []));
  }
}

const LONGEST = 80;

function phrase({ action, field, value }) {
  const short = value && (value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
  const verbs = { create: "created it", set: `set ${field} to ${short ?? "nothing"}`, add: `added ${short} to ${field}`, remove: `removed ${short} from ${field}`, comment: "commented", edit: "edited a comment", delete: "deleted a comment", claim: `claimed it ${short ?? ""}`, release: "released it" };
  return verbs[action] ?? action;
}
