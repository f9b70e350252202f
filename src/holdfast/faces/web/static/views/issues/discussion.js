// Comments and history of a milestone or issue, and closing it with or without a word.

import { get } from "../../api.js";
import { ago, button, el, fill, form, keyed, patch, plain, quiet, submit } from "../../dom.js";
import { markdown } from "../../markdown.js";
import { person } from "./parts.js";

/** What people said about one thing, and what they did to it. */
export class Discussion {
  constructor(detail) {
    this.detail = detail;
    this.list = el("ol.comments.plain-list.stack");
    this.omitted = el("p.quiet");
    this.input = el("textarea", { name: "body", "aria-label": "Comment", placeholder: "Write a comment, in Markdown" });
    this.buttons = el("div.row");
    this.log = el("ol.history.plain-list.stack");
    const toggle = () => this.told.open && detail.try(() => this.tell());
    this.told = el("details.told", { on: { toggle } }, el("summary", "History"), this.log);
    const send = (values, what) => this.send(values, what);
    const writing = form(this.input, { buttons: this.buttons, send, keep: `comment ${detail.view.parameters.id}` });
    this.node = el("section.stack", { "aria-label": "Comments" }, this.omitted, this.list, writing, this.told);
  }

  /** Write the comment, and close or open with it where that button was pressed. */
  async send({ body: text }, what = "comment") {
    const body = text.trim();
    if (what === "comment" && !body) return this.input.focus();
    const said = what === "comment" ? { body } : { comment: body || null };
    await this.detail.write(what, said, () => (this.input.value = ""));
  }

  async draw(it, me) {
    const turns = { open: ["Close", "close"], draft: ["Open", "open"] };
    const turn = submit(...(turns[it.status] ?? ["Reopen", "open"]));
    patch(this.buttons, it.status, () => [submit("Comment", "comment", "primary"), turn]);
    this.omitted.hidden = !it.comments_omitted;
    fill(this.omitted, `${it.comments_omitted} older comments are not shown; git mile log tells them.`);
    keyed(this.list, it.comments, (comment, node) => this.comment(comment, comment.author === me, node), "li.card");
    if (this.told.open) await this.tell();
  }

  comment(comment, mine, node) {
    const tools = el("div.row");
    const calm = () => fill(tools, plain("Edit", () => this.rewrite(comment, node)), plain("Delete", sure));
    const sure = () => {
      const erase = () => this.detail.act("delete_comment", { commentId: comment.id });
      const remove = button("Delete in every clone", erase, { class: "button danger" });
      fill(tools, remove, plain("Keep", calm));
      remove.focus();
    };
    if (mine && !comment.deleted) calm();
    const edited = comment.edited && quiet("edited ", ago(comment.edited));
    return [
      el("header.row", el("strong", person(comment.author)), ago(comment.ts), edited, tools),
      comment.deleted ? el("p.quiet", "Deleted.") : markdown(comment.body),
    ];
  }

  rewrite(comment, node) {
    if (node.querySelector("form")) return;
    const input = el("textarea", { name: "body", "aria-label": "Comment, anew", value: comment.body });
    const send = ({ body }) => this.detail.write("comment", { body, replaces: comment.id }, () => again.remove());
    const cancel = () => (again.remove(), this.detail.refresh());
    const again = form(input, { verb: "Save", send, cancel });
    node.append(again);
    input.focus();
  }

  async tell(cursor = null) {
    const { view, it } = this.detail;
    const limit = cursor ? 50 : Math.min(500, Math.max(50, this.log.childElementCount)); // as many as are shown
    const page = await get("milestones/git_mile_log", { id: it.id, cursor, limit }, view);
    const older = () => (more.remove(), this.detail.try(() => this.tell(page.nextCursor)));
    const more = page.nextCursor && el("li", button("Older", older));
    const line = (event) => el("li", ago(event.ts), el("span", person(event.actor), ` ${phrase(event)}`));
    fill(this.log, cursor && [...this.log.children], page.events.map(line), more);
  }
}

const LONGEST = 80;

function phrase({ action, field, value }) {
  const short = value && (value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
  const verbs = {
    create: "created it", set: `set ${field} to ${short ?? "nothing"}`, add: `added ${short} to ${field}`,
    remove: `removed ${short} from ${field}`, comment: "commented", edit: "edited a comment",
    delete: "deleted a comment", claim: `claimed it ${short ?? ""}`, release: "released it",
  };
  return verbs[action] ?? action;
}
