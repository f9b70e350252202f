// The notes of a file: beside their lines, without overlapping. Notes whose code is gone are listed above the file.

import { authorName, get, post } from "../../api.js";
import { button, choice, plainButton } from "../../controls.js";
import { errorMessage, quiet } from "../../display.js";
import { arrange, el, fill, highlight } from "../../dom.js";
import { form } from "../../forms.js";
import { codeAddress } from "../../links.js";
import { person } from "../../people.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";
import { LINE_HEIGHT_PX, highlightSyntax } from "./lines.js";

/** @import { View } from "../../view.js" */
/** @import { Lines } from "./lines.js" */

/**
 * A note as the server describes it.
 * @typedef {Record<string, any>} Note
 */

/** @typedef {{text: string, tag?: string, author?: string}} NoteValues the values of the form of a note */

/** The distance between two notes, in pixels. */
const GAP_PX = 8;
const TAGS = ["NOTE", "TODO", "FIXME", "QUESTION", "STAR"];
/** The text that shows each confidence of a location. */
const CONFIDENCE_TEXTS = { high: "exact place", medium: "likely place", low: "uncertain place", none: "lost" };
/** Wide enough for notes in the margin. */
const WIDE = matchMedia("(min-width: 900px)");

/** The notes of a file and the forms that write them. */
export class Notes {
  /**
   * @param {View} view
   * @param {string} path
   * @param {Lines} lines
   * @param {HTMLElement} orphans the element for notes whose code is gone
   * @param {() => void} onChange called when the notes have changed
   */
  constructor(view, path, lines, orphans, onChange) {
    this.view = view;
    this.path = path;
    this.lines = lines;
    this.orphans = orphans;
    this.onChange = onChange;
    /** @type {Map<string, {json: string, node: HTMLElement, note: Note}>} by id */
    this.cards = new Map();
    /** @type {Note[]} */
    this.notes = [];
    /** @type {{node: HTMLElement, line: number} | null} the form of a new note or remark, and the line it is on */
    this.form = null;
    /** @type {any} the last response of the server, or its error */
    this.response = null;
    /** @type {HTMLButtonElement[]} the buttons that move an orphan to the selected line */
    this.orphanButtons = [];
    this.margin = el("div.margin", { role: "list", "aria-label": "Notes" });
    this.below = el("div.notes-below");
    this.placeMargin();
    WIDE.addEventListener("change", () => this.placeMargin(), { signal: view.signal });
    this.resizeObserver = new ResizeObserver(() => this.positionCards());
    view.signal.addEventListener("abort", () => this.resizeObserver.disconnect());
  }

  /** Put the notes into the margin if there is room, else into a list below the code. */
  placeMargin() {
    (WIDE.matches ? this.lines.canvas : this.below).append(this.margin);
    this.positionCards();
  }

  /** Load the notes and draw those that have changed. */
  async load() {
    const request = get("comments/get_file_comments", { filePath: this.path }, this.view);
    const response = await request.catch((/** @type {any} */ problem) => problem);
    if (this.view.signal.aborted || response === this.response) return;
    const isFirst = !this.response;
    this.response = response;
    if (response instanceof Error) {
      const isDenied = /** @type {any} */ (response).status === 403; // the role may read code, but not notes
      fill(this.orphans, isDenied ? null : errorMessage(response));
      return;
    }
    this.notes = response.comments;
    this.drawCards(isFirst);
    this.drawOrphans(this.notes.filter((note) => note.orphaned));
    this.onChange();
  }

  /** Draw the notes that have changed. A note with an open form stays until the form is sent or cancelled. */
  drawCards(isFirst = false) {
    const previous = this.cards;
    const notes = this.notes.filter(({ orphaned }) => !orphaned).sort((one, other) => one.line - other.line);
    this.cards = new Map(notes.map((note) => {
      const json = JSON.stringify(note);
      const card = previous.get(note.id);
      const isKept = card && (card.json === json || card.node.querySelector("form"));
      if (isKept) return [note.id, { ...card, note }];
      const node = this.drawCard(note);
      this.resizeObserver.observe(node);
      if (!isFirst) highlight(node);
      return [note.id, { json, node, note }];
    }));
    const nodes = [...this.cards.values()].map(({ node }) => node);
    arrange(this.margin, this.form ? [...nodes, this.form.node] : nodes);
    this.lines.notesByLine = Map.groupBy(notes, ({ line }) => line);
    this.lines.redraw();
    this.positionCards();
  }

  /** Position each card at its line, or below the previous card. */
  positionCards() {
    const cards = [...this.cards.values()].map(({ node, note }) => ({ node, line: Number(note.line) }));
    if (this.form) cards.push(this.form);
    cards.sort((one, other) => one.line - other.line);
    this.lines.box.classList.toggle("with-notes", cards.length > 0);
    let nextFree = GAP_PX / 2;
    for (const { node, line } of cards) {
      const lineTop = (line - 1) * LINE_HEIGHT_PX;
      const top = Math.max(lineTop, nextFree);
      node.style.setProperty("top", `${top}px`);
      node.style.setProperty("--drop", `${top - lineTop}px`);
      nextFree = top + node.offsetHeight + GAP_PX;
    }
    this.margin.style.setProperty("min-height", WIDE.matches && cards.length ? `${nextFree}px` : "0");
  }

  /** @param {Note} note */
  drawCard(note) {
    const { id, line, endLine: last = line, status, confidence, needsReview } = note;
    const isOpen = status === "open";
    const certainty = needsReview && confidence === "high" ? "needs review" : CONFIDENCE_TEXTS[confidence];
    const highlightLines = () => this.lines.highlight({ first: line, last });
    const removeHighlight = () => this.lines.highlight(null);
    const select = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.lines.select(line, last, { scroll: true });
    };
    const [nextStatus, message] = isOpen ? ["resolved", "Resolved"] : ["open", "Reopened"];
    const setStatus = () => this.change(node, "resolve_comment",
      { filePath: this.path, commentId: id, status: nextStatus }, message);
    const node = el("article.note", {
      role: "listitem", tabindex: "-1", dataset: { id, line },
      on: {
        pointerenter: highlightLines, focusin: highlightLines,
        pointerleave: removeHighlight, focusout: removeHighlight,
      },
    },
    el("header", note.tag && el("strong", note.tag), person(note.author), ago(note.created),
      el("a", { href: `#L${line}`, on: { click: select } }, `line ${line}`),
      el("span", { title: "Confidence that the note belongs to this line" }, certainty),
      !isOpen && el("span.tag.ok", status === "resolved" ? "resolved" : "won't fix")),
    el("div.note-text", markdown(note.shownText ?? note.text)),
    isOpen && note.replies.map(({ text, author, created }) =>
      el("div.reply", el("div.row", person(author), ago(created)), el("div", text))),
    needsReview && this.drawCandidates(note),
    el("footer", isOpen && plainButton("Reply", () => this.reply(note, node)),
      plainButton(isOpen ? "Resolve" : "Reopen", setStatus)));
    node.classList.toggle("closed", !isOpen);
    node.classList.toggle("uncertain", confidence !== "high" || needsReview);
    return node;
  }

  /** @param {Note[]} notes */
  drawOrphans(notes) {
    this.orphanButtons = [];
    if (!notes.length) {
      fill(this.orphans);
      return;
    }
    const title = notes.length === 1 ? "1 note has lost its code" : `${notes.length} notes have lost their code`;
    const orphans = notes.map((note) => this.drawOrphan(note));
    fill(this.orphans, el("section.card", { "aria-label": title }, el("h2", title), orphans));
  }

  /** @param {Note} note */
  drawOrphan(note) {
    const { id, author, created, line, reason = "lost" } = note;
    const moveButton = button("", () => {
      const { selection } = this.lines;
      return selection && this.move(note, node, this.path, selection.first);
    });
    const node = el("div.orphan", { dataset: { id } },
      el("div.note-text", note.shownText ?? note.text),
      el("div.quiet", person(author), " · ", ago(created), ` · was on line ${line}, ${reason.replaceAll("_", " ")}`),
      this.drawCandidates(note), moveButton);
    this.orphanButtons.push(moveButton);
    this.offerSelection();
    return node;
  }

  /**
   * Draw the places where the code of a note may be, each with a button that moves the note there.
   * @param {Note} note
   */
  drawCandidates(note) {
    const nowhere = "No similar code was found. Select the line that the note belongs to.";
    if (!note.candidates.length) return el("p.quiet", nowhere);
    const list = el("ul.candidates.plain-list", { "aria-label": "Where it may be" });
    return fill(list, note.candidates.map(({ line, score, filePath }) => {
      const isHere = !filePath; // candidates in other files have a path
      const file = filePath ?? this.path;
      const selectHere = (/** @type {Event} */ event) => {
        event.preventDefault();
        this.lines.select(line, line, { scroll: true });
      };
      const moveHere = () => this.move(note, /** @type {HTMLElement} */ (list.parentElement), file, line);
      const link = { href: codeAddress(file, line), on: isHere ? { click: selectHere } : {} };
      return el("li", el("a", link, isHere ? `line ${line}` : `${file}:${line}`),
        quiet(`${Math.round(score * 100)} % similar`),
        button(isHere && line === note.line ? "Keep it here" : "Move it here", moveHere),
        !isHere && this.excerpt(file, line));
    }));
  }

  /**
   * Return an element that loads and shows a few lines of another file.
   * @param {string} file
   * @param {number} line
   */
  excerpt(file, line) {
    const place = el("pre.excerpt");
    get("source/read_source", { file, start: Math.max(1, line - 1), limit: 3, highlight: true }, this.view)
      .then(({ lines }) => fill(place, lines.map((/** @type {any} */ pieces) => [highlightSyntax(pieces), "\n"])))
      .catch((problem) => this.view.showError(place, problem));
    return place;
  }

  /** Offer to move orphans to the selected line. */
  offerSelection() {
    const { selection } = this.lines;
    for (const button of this.orphanButtons) {
      button.disabled = !selection;
      button.textContent = selection ? `Move it to line ${selection.first}` : "Move it to the selected line";
    }
  }

  /**
   * Move a note to a line, which may be in another file.
   * @param {Note} note
   * @param {HTMLElement} place shows an error
   * @param {string} targetFile
   * @param {number} targetLine
   */
  move({ id }, place, targetFile, targetLine) {
    const body = { sourceFile: this.path, targetFile, commentId: id, targetLine };
    return this.change(place, "move_comment", body, `The note is now on line ${targetLine}`);
  }

  /**
   * Run an operation on a note and reload the notes.
   * @param {HTMLElement} place shows an error
   * @param {string} operation
   * @param {object} body
   * @param {string} message announced on success
   */
  async change(place, operation, body, message) {
    try {
      await post(`comments/${operation}`, body);
      this.view.announce(message);
      await this.load();
    } catch (problem) {
      place.querySelector(":scope > .problem")?.remove();
      place.append(errorMessage(problem));
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
    const close = () => {
      form.remove();
      this.drawCards();
    };
    const form = noteForm({
      label: "Reply", draftName: `reply ${id}`, verb: "Reply", close,
      send: ({ text, author }) => post("comments/reply_to_comment", { ...body, text, author }),
      onSent: () => this.load(),
    });
    node.append(form);
    form.querySelector("textarea")?.focus();
    this.positionCards();
  }

  /**
   * Open a form for a note or a remark on the selected lines.
   * @param {"note" | "remark"} kind
   */
  compose(kind) {
    if (!this.lines.selection) this.lines.step(0); // selects the first line in view
    if (!this.lines.selection) return;
    const { first, last } = this.lines.selection;
    this.closeForm();
    const range = first === last ? `${first}` : `${first}-${last}`;
    const { message, ...options } = {
      note: {
        label: `Note on line ${first}`, verb: "Add note", hasTags: true, message: "The note was added",
        send: (/** @type {NoteValues} */ { text, tag, author }) =>
          post("comments/add_comment", { filePath: this.path, line: first, text, tag, author }),
      },
      remark: {
        label: `Remark to the agent on ${first === last ? "line" : "lines"} ${range}`, verb: "Send remark",
        message: "The remark was sent to the agent",
        send: (/** @type {NoteValues} */ { text, author }) =>
          post("inbox/send_message", { file: this.path, line: range, comment: text, author }),
      },
    }[kind];
    const onSent = () => {
      this.view.announce(message);
      return this.load();
    };
    // The name is without the lines, so that the text is kept if the user selects others.
    const draftName = `${kind} ${this.path}`;
    const form = noteForm({ ...options, draftName, close: () => this.closeForm(), onSent });
    const node = el("div.note.writing", { role: "listitem" }, form);
    this.form = { node, line: first };
    this.resizeObserver.observe(node);
    this.margin.append(node);
    this.positionCards();
    form.querySelector("textarea")?.focus();
    node.scrollIntoView({ block: "nearest" });
  }

  /** Close the form of a new note, a remark or a reply; return whether there was one. */
  closeForm() {
    const open = this.form?.node ?? this.margin.querySelector("form");
    if (!open) return false;
    open.remove();
    this.form = null;
    this.drawCards();
    this.lines.box.focus({ preventScroll: true });
    return true;
  }

  /**
   * Go to the next or previous note, relative to the selection.
   * @param {number} direction 1 or -1
   */
  step(direction) {
    const cards = [...this.cards.values()];
    const current = this.lines.selection?.first ?? 0;
    const isAhead = (/** @type {{note: Note}} */ { note }) => (note.line - current) * direction > 0;
    const next = direction > 0 ? cards.find(isAhead) : cards.findLast(isAhead);
    if (!next) return;
    const { line, endLine = line } = next.note;
    this.lines.select(line, endLine, { scroll: true });
    next.node.focus({ preventScroll: WIDE.matches });
  }
}

/**
 * Return a form for a note, a remark or a reply.
 * @param {object} options
 * @param {string} options.label
 * @param {string} options.draftName see `form`
 * @param {string} options.verb
 * @param {boolean} [options.hasTags] whether the user can choose a tag
 * @param {(values: NoteValues) => Promise<any>} options.send may fail
 * @param {() => any} options.onSent called after success
 * @param {() => void} options.close
 */
function noteForm({ label, draftName, verb, hasTags = false, send, onSent, close }) {
  const area = el("textarea", { name: "text", "aria-label": label, placeholder: label, required: true, rows: "3" });
  const tagSelect = hasTags && choice("Kind", TAGS, "NOTE", null, { name: "tag" });
  const authorInput = el("input", { name: "author", "aria-label": "Your name", title: "Your name", size: "8" });
  authorName().then((name) => {
    authorInput.value ||= name;
  });
  const submit = async ({ text, tag, author }) => {
    if (!text.trim()) return;
    await send({ text, tag, author: author.trim() || undefined });
    close();
    await onSent();
  };
  const beside = [tagSelect, authorInput];
  return form(area, { class: "stack note-form", verb, send: submit, cancel: close, draftName, beside });
}
