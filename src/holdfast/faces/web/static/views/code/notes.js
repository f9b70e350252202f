// Notes of a file: beside their lines, pushing each other down; those that lost their code on top.

import { get, post } from "../../api.js";
import { button, codeAddress, plain } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";
import { failure } from "../../view.js";
import { noteForm } from "./form.js";
import { ROW, coloured } from "./lines.js";

const GAP = 8;
const SURE = { high: "sure", medium: "fairly sure", low: "not sure", none: "lost" };
const BESIDE = matchMedia("(min-width: 900px)");

/** The notes of one file. */
export class Notes {
  constructor(view, path, lines, orphans, changed) {
    Object.assign(this, { view, path, lines, orphans, changed, cards: new Map(), comments: [], form: null, loaded: false });
    this.margin = el("div", { class: "margin", role: "list", "aria-label": "Notes" });
    this.beside = el("div", { class: "notes-below" });
    this.place();
    BESIDE.addEventListener("change", () => this.place(), { signal: view.signal });
    this.watcher = new ResizeObserver(() => this.layOut());
    view.signal.addEventListener("abort", () => this.watcher.disconnect());
  }

  /** In the margin where there is room, else in a list below the code. */
  place() {
    (BESIDE.matches ? this.lines.canvas : this.beside).append(this.margin);
    this.layOut();
  }

  count() {
    return this.comments.filter((comment) => comment.status === "open").length;
  }

  async load() {
    const answer = await get("comments/get_file_comments", { filePath: this.path }, this.view).catch((problem) => problem);
    if (this.view.signal.aborted || answer === this.answer) return;
    this.answer = answer;
    if (answer instanceof Error) return void fill(this.orphans, answer.status === 403 ? null : failure(answer));
    this.comments = answer.comments;
    this.drawCards(this.comments.filter((comment) => !comment.orphaned));
    this.drawOrphans(this.comments.filter((comment) => comment.orphaned));
    this.loaded = true;
    this.changed();
  }

  drawCards(comments) {
    const noted = new Map();
    const kept = new Map();
    for (const comment of [...comments].sort((left, right) => left.line - right.line)) {
      const sign = JSON.stringify(comment);
      const known = this.cards.get(comment.id);
      const same = known && (known.sign === sign || known.node.querySelector("form"));
      const node = same ? known.node : this.card(comment);
      if (this.loaded && !same) node.classList.add("fresh");
      if (!same) this.watcher.observe(node);
      kept.set(comment.id, { sign, node, comment });
      noted.set(comment.line, (noted.get(comment.line) ?? 0) + 1);
    }
    this.cards = kept;
    fill(this.margin, [...kept.values()].map(({ node }) => node), this.form);
    this.lines.setNoted(noted);
    this.layOut();
  }

  /** Put each card at its line, or below the one before. */
  layOut() {
    const all = [...this.cards.values()].map(({ node, comment }) => [node, comment.line]);
    if (this.form) all.push([this.form, Number(this.form.dataset.line)]);
    all.sort(([, left], [, right]) => left - right);
    this.lines.box.classList.toggle("with-notes", all.length > 0);
    let free = GAP / 2;
    for (const [node, line] of all) {
      const wished = (line - 1) * ROW;
      const top = Math.max(wished, free);
      node.style.setProperty("top", `${top}px`);
      node.style.setProperty("--drop", `${top - wished}px`);
      free = top + node.offsetHeight + GAP;
    }
    this.margin.style.setProperty("min-height", BESIDE.matches && all.length ? `${free}px` : "0");
  }

  card(comment) {
    const { line, endLine: last = line, author, created, status, confidence, needsReview } = comment;
    const open = status === "open";
    const sure = needsReview && confidence === "high" ? "to be looked at" : SURE[confidence];
    const range = { first: line, last };
    const node = el("article", { class: `note${open ? "" : " settled"}${confidence === "high" && !needsReview ? "" : " unsure"}`, role: "listitem", tabindex: "-1", dataset: { id: comment.id, line } },
      el("header", {}, comment.tag ? el("strong", {}, comment.tag) : null, el("span", {}, author), ago(created),
        el("a", { href: `#L${line}`, on: { click: (event) => (event.preventDefault(), this.lines.select(line, last, { scroll: true })) } }, `line ${line}`),
        el("span", { title: "How sure it is that this is the code the note was written for" }, sure), open ? null : el("span", { class: "tag ok" }, status === "resolved" ? "resolved" : "won't fix")),
      el("div", { class: "note-text" }, markdown(comment.shownText ?? comment.text)), open ? comment.replies.map(({ text, author: who, created: when }) => el("div", { class: "reply" }, el("span", { class: "quiet" }, who, " "), ago(when), el("div", {}, text))) : null,
      needsReview ? this.candidates(comment) : null,
      el("footer", {}, open ? plain("Reply", () => this.reply(comment, node)) : null, plain(open ? "Resolve" : "Reopen", () => this.settle(comment, node, open ? "resolved" : "open"))));
    for (const event of ["pointerenter", "focusin"]) node.addEventListener(event, () => this.lines.point(range));
    for (const event of ["pointerleave", "focusout"]) node.addEventListener(event, () => this.lines.point(null));
    return node;
  }

  drawOrphans(comments) {
    this.choices = [];
    if (!comments.length) return void fill(this.orphans);
    const title = comments.length === 1 ? "1 note has lost its code" : `${comments.length} notes have lost their code`;
    fill(this.orphans, el("section", { class: "card", "aria-label": title }, el("h2", {}, title), comments.map((comment) => this.orphan(comment))));
  }

  orphan(comment) {
    const choose = button("", () => this.move(comment, choice, this.path, this.lines.selection.first));
    const choice = el("div", { class: "orphan", dataset: { id: comment.id } },
      el("div", { class: "note-text" }, comment.shownText ?? comment.text),
      el("div", { class: "quiet" }, comment.author, " · ", ago(comment.created), ` · was on line ${comment.line} · ${(comment.reason ?? "lost").replaceAll("_", " ")}`),
      this.candidates(comment), choose);
    this.choices.push(choose);
    this.offerSelection();
    return choice;
  }

  /** Places where the code may be: each link shows one, the button beside it takes it. */
  candidates(comment) {
    if (!comment.candidates.length) return el("p", { class: "quiet" }, "No place looks like its code. Select the line where it belongs.");
    const list = el("ul", { class: "candidates", "aria-label": "Where it may be" });
    return fill(list, comment.candidates.map(({ line, score, filePath }) => {
      const show = (event) => !filePath && (event.preventDefault(), this.lines.select(line, line, { scroll: true }));
      const link = el("a", { href: codeAddress(filePath ?? this.path, line), on: { click: show } }, filePath ? `${filePath}:${line}` : `line ${line}`);
      const take = button(filePath || line !== comment.line ? "Put it here" : "Keep it here", () => this.move(comment, list.parentElement, filePath ?? this.path, line));
      return el("li", {}, link, el("span", { class: "quiet" }, `fits ${Math.round(score * 100)} %`), take, filePath ? this.excerpt(filePath, line) : null);
    }));
  }

  /** Return a few lines of another file, as soon as they are here. */
  excerpt(file, line) {
    const place = el("pre", { class: "excerpt" });
    get("source/read_source", { file, start: Math.max(1, line - 1), limit: 3 }, this.view)
      .then(({ lines }) => fill(place, lines.map((pieces) => [coloured(pieces), "\n"])))
      .catch((problem) => this.view.fail(place, problem));
    return place;
  }

  /** Offer the selected line to notes without one. */
  offerSelection() {
    for (const button of this.choices ?? []) {
      button.disabled = !this.lines.selection;
      button.textContent = this.lines.selection ? `Put it on line ${this.lines.selection.first}` : "Put it on the selected line";
    }
  }

  move({ id }, where, targetFile, targetLine) {
    return this.change(where, "comments/move_comment", { sourceFile: this.path, targetFile, commentId: id, targetLine }, `The note is on line ${targetLine} now`);
  }

  settle({ id }, node, status) {
    return this.change(node, "comments/resolve_comment", { filePath: this.path, commentId: id, status, author: noteForm.author() }, status === "open" ? "Reopened" : "Resolved");
  }

  async change(where, operation, body, said) {
    try {
      await post(operation, body, this.view);
      this.view.announce(said);
      await this.load();
    } catch (problem) {
      where.querySelector(":scope > .problem")?.remove();
      where.append(failure(problem));
    }
  }

  reply({ id }, node) {
    if (node.querySelector("form")) return;
    const form = noteForm({ label: "Reply", verb: "Reply", close: () => (form.remove(), this.layOut()),
      run: ({ text, author }) => post("comments/reply_to_comment", { filePath: this.path, commentId: id, text, author }, this.view),
      done: () => this.load() });
    node.append(form);
    form.querySelector("textarea").focus();
    this.layOut();
  }

  /** Open a form for a note or a remark on the selected lines. */
  compose(kind) {
    if (!this.lines.selection) this.lines.step(0);
    const { first, last } = this.lines.selection;
    this.cancel();
    const range = first === last ? `${first}` : `${first}-${last}`;
    const isNote = kind === "note";
    const form = noteForm({
      label: isNote ? `Note on line ${first}` : `Remark to the agent on ${first === last ? "line" : "lines"} ${range}`,
      verb: isNote ? "Add the note" : "Send the remark", tags: isNote, close: () => this.cancel(),
      run: ({ text, tag, author }) => isNote
        ? post("comments/add_comment", { filePath: this.path, line: first, text, tag, author }, this.view)
        : post("inbox/send_message", { file: this.path, line: range, comment: text, author }, this.view),
      done: () => (this.view.announce(isNote ? "The note is there" : "The remark waits for the agent"), this.load()),
    });
    this.form = el("div", { class: "note writing", role: "listitem", dataset: { line: first } }, form);
    this.watcher.observe(this.form);
    this.margin.append(this.form);
    this.layOut();
    form.querySelector("textarea").focus();
    this.form.scrollIntoView({ block: "nearest" });
  }

  /** Close the form, if there is one, and say whether there was. */
  cancel() {
    const open = this.form ?? this.margin.querySelector("form");
    if (!open) return false;
    open.remove();
    this.form = null;
    this.layOut();
    this.lines.box.focus({ preventScroll: true });
    return true;
  }

  /** Go to the note after or before where the selection is. */
  step(by) {
    const places = [...this.cards.values()].map(({ comment, node }) => ({ line: comment.line, last: comment.endLine ?? comment.line, node }));
    const here = this.lines.selection?.first ?? 0;
    const next = by > 0 ? places.find(({ line }) => line > here) : places.findLast(({ line }) => line < here);
    if (!next) return;
    this.lines.select(next.line, next.last, { scroll: true });
    next.node.focus({ preventScroll: BESIDE.matches });
  }
}
