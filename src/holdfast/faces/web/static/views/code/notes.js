// The notes of a file: beside their lines, pushing each other down; those that lost their code are above it.

import { get, post } from "../../api.js";
import { button, choice, plainButton } from "../../controls.js";
import { errorMessage, quiet } from "../../display.js";
import { arrange, el, fill, highlight } from "../../dom.js";
import { form } from "../../forms.js";
import { codeAddress } from "../../links.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";
import { loadText, saveText } from "../../storage.js";
import { ROW, coloured } from "./lines.js";

/** @import { View } from "../../view.js" */
/** @import { Lines } from "./lines.js" */

/**
 * A note as the server describes it.
 * @typedef {Record<string, any>} Note
 */

/** Pixels between two notes. */
const GAP = 8;
const TAGS = ["NOTE", "TODO", "FIXME", "QUESTION", "STAR"];
/** The name under which the author's name is stored. */
const AUTHOR = "author";
const CONFIDENCE = { high: "exact place", medium: "likely place", low: "uncertain place", none: "lost" };
/** Wide enough for notes in the margin. */
const BESIDE = matchMedia("(min-width: 900px)");

/** The notes of a file and the forms that write them. */
export class Notes {
  /**
   * @param {View} view
   * @param {string} path
   * @param {Lines} lines
   * @param {HTMLElement} orphans the element for notes that lost their code
   * @param {() => void} changed called when the notes have changed
   */
  constructor(view, path, lines, orphans, changed) {
    this.view = view;
    this.path = path;
    this.lines = lines;
    this.orphans = orphans;
    this.changed = changed;
    /** @type {Map<string, {json: string, node: HTMLElement, note: Note}>} by id */
    this.cards = new Map();
    /** @type {Note[]} */
    this.notes = [];
    /** @type {HTMLElement | null} the form of a new note or remark */
    this.form = null;
    /** @type {any} the last answer of the server, or its error */
    this.answer = null;
    /** @type {HTMLButtonElement[]} buttons that move an orphan to the selected line */
    this.placeButtons = [];
    this.margin = el("div.margin", { role: "list", "aria-label": "Notes" });
    this.beside = el("div.notes-below");
    this.place();
    BESIDE.addEventListener("change", () => this.place(), { signal: view.signal });
    this.sizes = new ResizeObserver(() => this.layOut());
    view.signal.addEventListener("abort", () => this.sizes.disconnect());
  }

  /** Put the notes into the margin if there is room, else into a list below the code. */
  place() {
    (BESIDE.matches ? this.lines.canvas : this.beside).append(this.margin);
    this.layOut();
  }

  /** Load the notes and draw those that have changed. */
  async load() {
    const request = get("comments/get_file_comments", { filePath: this.path }, this.view);
    const answer = await request.catch((/** @type {any} */ problem) => problem);
    if (this.view.signal.aborted || answer === this.answer) return;
    const isFirst = !this.answer;
    this.answer = answer;
    if (answer instanceof Error) {
      const isDenied = /** @type {any} */ (answer).status === 403;
      return void fill(this.orphans, isDenied ? null : errorMessage(answer));
    }
    this.notes = answer.comments;
    this.drawCards(isFirst);
    this.drawOrphans(this.notes.filter((note) => note.orphaned));
    this.changed();
  }

  /** Draw the notes that have changed; one that the user is writing in stays until it is sent or cancelled. */
  drawCards(isFirst = false) {
    const before = this.cards;
    const notes = this.notes.filter(({ orphaned }) => !orphaned).sort((one, other) => one.line - other.line);
    this.cards = new Map(notes.map((note) => {
      const json = JSON.stringify(note);
      const known = before.get(note.id);
      if (known && (known.json === json || known.node.querySelector("form"))) return [note.id, { ...known, note }];
      const node = this.card(note);
      this.sizes.observe(node);
      if (!isFirst) highlight(node);
      return [note.id, { json, node, note }];
    }));
    const nodes = [...this.cards.values()].map(({ node }) => node);
    arrange(this.margin, this.form ? [...nodes, this.form] : nodes);
    this.lines.noted = Map.groupBy(notes, ({ line }) => line);
    this.lines.redraw();
    this.layOut();
  }

  /** Put each card at its line, or below the one before. */
  layOut() {
    const all = [...this.cards.values()].map(({ node, note }) => ({ node, line: Number(note.line) }));
    if (this.form) all.push({ node: this.form, line: Number(this.form.dataset.line) });
    all.sort((one, other) => one.line - other.line);
    this.lines.box.classList.toggle("with-notes", all.length > 0);
    let free = GAP / 2;
    for (const { node, line } of all) {
      const wanted = (line - 1) * ROW;
      const top = Math.max(wanted, free);
      node.style.setProperty("top", `${top}px`);
      node.style.setProperty("--drop", `${top - wanted}px`);
      free = top + node.offsetHeight + GAP;
    }
    this.margin.style.setProperty("min-height", BESIDE.matches && all.length ? `${free}px` : "0");
  }

  /** @param {Note} note */
  card(note) {
    const { id, line, endLine: last = line, status, confidence, needsReview } = note;
    const isOpen = status === "open";
    const certainty = needsReview && confidence === "high" ? "to be reviewed" : CONFIDENCE[confidence];
    const [point, leave] = [() => this.lines.point({ first: line, last }), () => this.lines.point(null)];
    const go = (event) => (event.preventDefault(), this.lines.select(line, last, { scroll: true }));
    const [next, message] = isOpen ? ["resolved", "Resolved"] : ["open", "Reopened"];
    const setStatus = () => this.change(node, "resolve_comment",
      { filePath: this.path, commentId: id, status: next, author: authorName() }, message);
    const node = el("article.note", {
      role: "listitem", tabindex: "-1", dataset: { id, line },
      on: { pointerenter: point, focusin: point, pointerleave: leave, focusout: leave },
    },
    el("header", note.tag && el("strong", note.tag), el("span", note.author), ago(note.created),
      el("a", { href: `#L${line}`, on: { click: go } }, `line ${line}`),
      el("span", { title: "How likely this is the code that the note was written for" }, certainty),
      !isOpen && el("span.tag.ok", status === "resolved" ? "resolved" : "won't fix")),
    el("div.note-text", markdown(note.shownText ?? note.text)),
    isOpen && note.replies.map(({ text, author, created }) =>
      el("div.reply", quiet(author, " "), ago(created), el("div", text))),
    needsReview && this.candidates(note),
    el("footer", isOpen && plainButton("Reply", () => this.reply(note, node)),
      plainButton(isOpen ? "Resolve" : "Reopen", setStatus)));
    node.classList.toggle("closed", !isOpen);
    node.classList.toggle("uncertain", confidence !== "high" || needsReview);
    return node;
  }

  /** @param {Note[]} notes */
  drawOrphans(notes) {
    this.placeButtons = [];
    if (!notes.length) return void fill(this.orphans);
    const title = notes.length === 1 ? "1 note has lost its code" : `${notes.length} notes have lost their code`;
    const orphans = notes.map((note) => this.orphan(note));
    fill(this.orphans, el("section.card", { "aria-label": title }, el("h2", title), orphans));
  }

  /** @param {Note} note */
  orphan(note) {
    const { id, author, created, line, reason = "lost" } = note;
    const choose = button("", () => {
      const { selection } = this.lines;
      return selection && this.move(note, node, this.path, selection.first);
    });
    const node = el("div.orphan", { dataset: { id } },
      el("div.note-text", note.shownText ?? note.text),
      el("div.quiet", author, " · ", ago(created), ` · was on line ${line} · ${reason.replaceAll("_", " ")}`),
      this.candidates(note), choose);
    this.placeButtons.push(choose);
    this.offerSelection();
    return node;
  }

  /**
   * Return the places where the code of a note may be, each with a button that moves the note there.
   * @param {Note} note
   */
  candidates(note) {
    const nowhere = "No place resembles its code. Select the line where it belongs.";
    if (!note.candidates.length) return el("p.quiet", nowhere);
    const list = el("ul.candidates.plain-list", { "aria-label": "Where it may be" });
    return fill(list, note.candidates.map(({ line, score, filePath }) => {
      const [file, name] = filePath ? [filePath, `${filePath}:${line}`] : [this.path, `line ${line}`];
      const click = (/** @type {Event} */ event) =>
        !filePath && (event.preventDefault(), this.lines.select(line, line, { scroll: true }));
      const take = () => this.move(note, /** @type {HTMLElement} */ (list.parentElement), file, line);
      return el("li", el("a", { href: codeAddress(file, line), on: { click } }, name),
        quiet(`${Math.round(score * 100)} % similar`),
        button(filePath || line !== note.line ? "Move it here" : "Keep it here", take),
        filePath && this.excerpt(filePath, line));
    }));
  }

  /**
   * Return an element that shows a few lines of another file once they are loaded.
   * @param {string} file
   * @param {number} line
   */
  excerpt(file, line) {
    const place = el("pre.excerpt");
    get("source/read_source", { file, start: Math.max(1, line - 1), limit: 3 }, this.view)
      .then(({ lines }) => fill(place, lines.map((/** @type {any} */ pieces) => [coloured(pieces), "\n"])))
      .catch((problem) => this.view.showError(place, problem));
    return place;
  }

  /** Offer the selected line to orphans. */
  offerSelection() {
    const { selection } = this.lines;
    for (const button of this.placeButtons) {
      button.disabled = !selection;
      button.textContent = selection ? `Move it to line ${selection.first}` : "Move it to the selected line";
    }
  }

  /**
   * @param {Note} note
   * @param {HTMLElement} where shows an error
   * @param {string} targetFile
   * @param {number} targetLine
   */
  move({ id }, where, targetFile, targetLine) {
    const body = { sourceFile: this.path, targetFile, commentId: id, targetLine };
    return this.change(where, "move_comment", body, `The note is now on line ${targetLine}`);
  }

  /**
   * Run an operation on a note and load the notes again.
   * @param {HTMLElement} where shows an error
   * @param {string} operation
   * @param {object} body
   * @param {string} message announced on success
   */
  async change(where, operation, body, message) {
    try {
      await post(`comments/${operation}`, body);
      this.view.announce(message);
      await this.load();
    } catch (problem) {
      where.querySelector(":scope > .problem")?.remove();
      where.append(errorMessage(problem));
    }
  }

  /**
   * Open a form for a reply.
   * @param {Note} note
   * @param {HTMLElement} node
   */
  reply({ id }, node) {
    if (node.querySelector("form")) return;
    const body = { filePath: this.path, commentId: id };
    const form = noteForm({
      label: "Reply", draftName: `reply ${id}`, verb: "Reply", close: () => (form.remove(), this.drawCards()),
      run: ({ text, author }) => post("comments/reply_to_comment", { ...body, text, author }),
      done: () => this.load(),
    });
    node.append(form);
    form.querySelector("textarea")?.focus();
    this.layOut();
  }

  /**
   * Open a form for a note or a remark on the selected lines.
   * @param {"note" | "remark"} kind
   */
  compose(kind) {
    if (!this.lines.selection) this.lines.step(0);
    if (!this.lines.selection) return;
    const { first, last } = this.lines.selection;
    this.cancel();
    const range = first === last ? `${first}` : `${first}-${last}`;
    const isNote = kind === "note";
    const form = noteForm({
      draftName: `${kind} ${this.path}`, // also if the user selects other lines
      label: isNote ? `Note on line ${first}` : `Remark to the agent on ${first === last ? "line" : "lines"} ${range}`,
      verb: isNote ? "Add the note" : "Send the remark", tags: isNote, close: () => this.cancel(),
      run: ({ text, tag, author }) => isNote
        ? post("comments/add_comment", { filePath: this.path, line: first, text, tag, author })
        : post("inbox/send_message", { file: this.path, line: range, comment: text, author }),
      done: () => (this.view.announce(isNote ? "The note was added" : "The remark was sent to the agent"), this.load()),
    });
    this.form = el("div.note.writing", { role: "listitem", dataset: { line: first } }, form);
    this.sizes.observe(this.form);
    this.margin.append(this.form);
    this.layOut();
    form.querySelector("textarea")?.focus();
    this.form.scrollIntoView({ block: "nearest" });
  }

  /** Close the form; return whether there was one. */
  cancel() {
    const open = this.form ?? this.margin.querySelector("form");
    if (!open) return false;
    open.remove();
    this.form = null;
    this.drawCards();
    this.lines.box.focus({ preventScroll: true });
    return true;
  }

  /**
   * Go to the next or previous note, as seen from the selection.
   * @param {number} by 1 or -1
   */
  step(by) {
    const cards = [...this.cards.values()], here = this.lines.selection?.first ?? 0;
    const isAhead = (/** @type {{note: Note}} */ { note }) => (note.line - here) * by > 0;
    const next = by > 0 ? cards.find(isAhead) : cards.findLast(isAhead);
    if (!next) return;
    const { line, endLine = line } = next.note;
    this.lines.select(line, endLine, { scroll: true });
    next.node.focus({ preventScroll: BESIDE.matches });
  }
}

/**
 * Return a form for a note, a remark or a reply.
 * @param {object} options
 * @param {string} options.label
 * @param {string} options.keep see `form`
 * @param {string} options.verb
 * @param {boolean} [options.tags] whether the user can choose a tag
 * @param {(values: {text: string, tag?: string, author: string}) => Promise<any>} options.run sends it; may fail
 * @param {() => any} options.done called after success
 * @param {() => void} options.close
 */
function noteForm({ label, keep, verb, tags = false, run, done, close }) {
  const area = el("textarea", { name: "text", "aria-label": label, placeholder: label, required: true, rows: "3" });
  const tagged = tags && choice("Kind", TAGS, "NOTE", null, { name: "tag" });
  const properties = { "aria-label": "Your name", title: "Your name", value: authorName(), size: "8" };
  const signed = el("input", { name: "author", ...properties });
  const send = async ({ text, tag, author }) => {
    if (!text.trim()) return;
    saveText(AUTHOR, author.trim() || authorName());
    await run({ text, tag, author: authorName() });
    close();
    await done();
  };
  return form(area, { class: "stack note-form", verb, send, cancel: close, keep, beside: [tagged, signed] });
}

const authorName = () => loadText(AUTHOR) || "user";
