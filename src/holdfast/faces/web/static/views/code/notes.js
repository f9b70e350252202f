// Notes of a file: beside their lines, pushing each other down; those that lost their code on top.

import { get, post } from "../../api.js";
import { ago, arrange, button, choice, codeAddress, el, failure, fade, fill, form, plain, quiet } from "../../dom.js";
import { markdown } from "../../markdown.js";
import { ROW, coloured } from "./lines.js";

const GAP = 8;
const TAGS = ["NOTE", "TODO", "FIXME", "QUESTION", "STAR"];
const NAME = "author";
const SURE = { high: "sure", medium: "fairly sure", low: "not sure", none: "lost" };
const BESIDE = matchMedia("(min-width: 900px)");

export class Notes {
  constructor(view, path, lines, orphans, changed) {
    Object.assign(this, { view, path, lines, orphans, changed, cards: new Map(), comments: [], form: null });
    this.margin = el("div.margin", { role: "list", "aria-label": "Notes" });
    this.beside = el("div.notes-below");
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

  async load() {
    const found = get("comments/get_file_comments", { filePath: this.path }, this.view);
    const answer = await found.catch((problem) => problem);
    if (this.view.signal.aborted || answer === this.answer) return;
    const isFirst = !this.answer;
    this.answer = answer;
    if (answer instanceof Error) return void fill(this.orphans, answer.status === 403 ? null : failure(answer));
    this.comments = answer.comments;
    this.drawCards(isFirst);
    this.drawOrphans(this.comments.filter((comment) => comment.orphaned));
    this.changed();
  }

  /** Show notes as they are now; the card that somebody writes in stays as it was until they are done. */
  drawCards(isFirst = false) {
    const before = this.cards;
    const comments = this.comments.filter(({ orphaned }) => !orphaned).sort((left, right) => left.line - right.line);
    this.cards = new Map(comments.map((comment) => {
      const sign = JSON.stringify(comment);
      const known = before.get(comment.id);
      if (known?.sign === sign || known?.node.querySelector("form")) return [comment.id, { ...known, comment }];
      const node = this.card(comment);
      this.watcher.observe(node);
      if (!isFirst) fade(node);
      return [comment.id, { sign, node, comment }];
    }));
    const nodes = [...this.cards.values()].map(({ node }) => node);
    arrange(this.margin, this.form ? [...nodes, this.form] : nodes); // somebody may be writing in one
    this.lines.noted = Map.groupBy(comments, ({ line }) => line);
    this.lines.redraw();
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
    const { id, line, endLine: last = line, status, confidence, needsReview } = comment;
    const open = status === "open";
    const sure = needsReview && confidence === "high" ? "to be looked at" : SURE[confidence];
    const [point, leave] = [() => this.lines.point({ first: line, last }), () => this.lines.point(null)];
    const go = (event) => (event.preventDefault(), this.lines.select(line, last, { scroll: true }));
    const [next, said] = open ? ["resolved", "Resolved"] : ["open", "Reopened"];
    const settled = () => ({ filePath: this.path, commentId: id, status: next, author: authorName() });
    const settle = () => this.change(node, "resolve_comment", settled(), said);
    const node = el("article.note", {
      role: "listitem", tabindex: "-1", dataset: { id, line },
      on: { pointerenter: point, focusin: point, pointerleave: leave, focusout: leave },
    },
    el("header", comment.tag && el("strong", comment.tag), el("span", comment.author), ago(comment.created),
      el("a", { href: `#L${line}`, on: { click: go } }, `line ${line}`),
      el("span", { title: "How sure it is that this is the code the note was written for" }, sure),
      !open && el("span.tag.ok", status === "resolved" ? "resolved" : "won't fix")),
    el("div.note-text", markdown(comment.shownText ?? comment.text)),
    open && comment.replies.map(({ text, author, created }) =>
      el("div.reply", quiet(author, " "), ago(created), el("div", text))),
    needsReview && this.candidates(comment),
    el("footer", open && plain("Reply", () => this.reply(comment, node)), plain(open ? "Resolve" : "Reopen", settle)));
    node.classList.toggle("settled", !open);
    node.classList.toggle("unsure", confidence !== "high" || needsReview);
    return node;
  }

  drawOrphans(comments) {
    this.choices = [];
    if (!comments.length) return void fill(this.orphans);
    const title = comments.length === 1 ? "1 note has lost its code" : `${comments.length} notes have lost their code`;
    const orphans = comments.map((comment) => this.orphan(comment));
    fill(this.orphans, el("section.card", { "aria-label": title }, el("h2", title), orphans));
  }

  orphan(comment) {
    const { id, author, created, line, reason = "lost" } = comment;
    const choose = button("", () => this.move(comment, node, this.path, this.lines.selection.first));
    const node = el("div.orphan", { dataset: { id } },
      el("div.note-text", comment.shownText ?? comment.text),
      el("div.quiet", author, " · ", ago(created), ` · was on line ${line} · ${reason.replaceAll("_", " ")}`),
      this.candidates(comment), choose);
    this.choices.push(choose);
    this.offerSelection();
    return node;
  }

  /** Places where the code may be: each link shows one, the button beside it takes it. */
  candidates(comment) {
    const nowhere = "No place looks like its code. Select the line where it belongs.";
    if (!comment.candidates.length) return el("p.quiet", nowhere);
    const list = el("ul.candidates.plain-list", { "aria-label": "Where it may be" });
    return fill(list, comment.candidates.map(({ line, score, filePath }) => {
      const [file, words] = filePath ? [filePath, `${filePath}:${line}`] : [this.path, `line ${line}`];
      const click = (event) => !filePath && (event.preventDefault(), this.lines.select(line, line, { scroll: true }));
      const take = () => this.move(comment, list.parentElement, file, line);
      return el("li", el("a", { href: codeAddress(file, line), on: { click } }, words),
        quiet(`fits ${Math.round(score * 100)} %`),
        button(filePath || line !== comment.line ? "Put it here" : "Keep it here", take),
        filePath && this.excerpt(filePath, line));
    }));
  }

  /** Return a few lines of another file, as soon as they are here. */
  excerpt(file, line) {
    const place = el("pre.excerpt");
    get("source/read_source", { file, start: Math.max(1, line - 1), limit: 3 }, this.view)
      .then(({ lines }) => fill(place, lines.map((pieces) => [coloured(pieces), "\n"])))
      .catch((problem) => this.view.fail(place, problem));
    return place;
  }

  offerSelection() {
    const { selection } = this.lines;
    for (const button of this.choices ?? []) {
      button.disabled = !selection;
      button.textContent = selection ? `Put it on line ${selection.first}` : "Put it on the selected line";
    }
  }

  move({ id }, where, targetFile, targetLine) {
    const body = { sourceFile: this.path, targetFile, commentId: id, targetLine };
    return this.change(where, "move_comment", body, `The note is on line ${targetLine} now`);
  }

  async change(where, operation, body, said) {
    try {
      await post(`comments/${operation}`, body);
      this.view.announce(said);
      await this.load();
    } catch (problem) {
      where.querySelector(":scope > .problem")?.remove();
      where.append(failure(problem));
    }
  }

  reply({ id }, node) {
    if (node.querySelector("form")) return;
    const body = { filePath: this.path, commentId: id };
    const form = noteForm({
      label: "Reply", keep: `reply ${id}`, verb: "Reply", close: () => (form.remove(), this.drawCards()),
      run: ({ text, author }) => post("comments/reply_to_comment", { ...body, text, author }),
      done: () => this.load(),
    });
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
      keep: `${kind} ${this.path}`, // also while somebody chooses other lines
      label: isNote ? `Note on line ${first}` : `Remark to the agent on ${first === last ? "line" : "lines"} ${range}`,
      verb: isNote ? "Add the note" : "Send the remark", tags: isNote, close: () => this.cancel(),
      run: ({ text, tag, author }) => isNote
        ? post("comments/add_comment", { filePath: this.path, line: first, text, tag, author })
        : post("inbox/send_message", { file: this.path, line: range, comment: text, author }),
      done: () => (this.view.announce(isNote ? "The note is there" : "The remark waits for the agent"), this.load()),
    });
    this.form = el("div.note.writing", { role: "listitem", dataset: { line: first } }, form);
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
    this.drawCards();
    this.lines.box.focus({ preventScroll: true });
    return true;
  }

  /** Go to the note after or before where the selection is. */
  step(by) {
    const places = [...this.cards.values()], here = this.lines.selection?.first ?? 0;
    const isAhead = ({ comment }) => (comment.line - here) * by > 0;
    const next = by > 0 ? places.find(isAhead) : places.findLast(isAhead);
    if (!next) return;
    const { line, endLine = line } = next.comment;
    this.lines.select(line, endLine, { scroll: true });
    next.node.focus({ preventScroll: BESIDE.matches });
  }
}

/** Return the form; `run` sends what it holds and may fail, `done` follows it. */
function noteForm({ label, keep, verb, tags = false, run, done, close }) {
  const area = el("textarea", { name: "text", "aria-label": label, placeholder: label, required: true, rows: "3" });
  const tagged = tags && choice("Kind", TAGS, "NOTE", null, { name: "tag" });
  const named = { "aria-label": "Your name", title: "Your name", value: authorName(), size: "8" };
  const signed = el("input", { name: "author", ...named });
  const send = async ({ text, tag, author }) => {
    if (!text.trim()) return;
    localStorage.setItem(NAME, author.trim() || authorName());
    await run({ text, tag, author: authorName() });
    close();
    await done();
  };
  return form(area, { class: "stack note-form", verb, send, cancel: close, keep, beside: [tagged, signed] });
}

const authorName = () => localStorage.getItem(NAME) || "user";
