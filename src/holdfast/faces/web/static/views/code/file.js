// An open file: its lines or, of a document, what they say; its notes, heat, outline and past.

import { apiUrl, get } from "../../api.js";
import { button, plainButton } from "../../controls.js";
import { pluralise, emptyState } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";
import { loadBlame } from "./blame.js";
import { panel, showHeading } from "./heading.js";
import { lineOf } from "./lines.js";
import { Notes } from "./notes.js";
import { Outline } from "./outline.js";
import { drawDocument, isImage, isMarkdown, loadImage } from "./rendered.js";
import { Story, linesText } from "./story.js";
import { wordAt } from "./uses.js";

/** @import { View } from "../../view.js" */
/** @import { FunctionHeat, Lines, Range } from "./lines.js" */

/** The maximum that the server accepts as `limit` for functions. */
const MAX_FUNCTIONS = 10_000;

/** An open file: its lines, notes, heat and outline, updated when the file changes. */
export class FileView {
  /**
   * @param {View} view
   * @param {string} path
   * @param {Lines} lines
   * @param {HTMLElement} side
   * @param {HTMLElement} center
   */
  constructor(view, path, lines, side, center) {
    this.view = view;
    this.path = path;
    this.lines = lines;
    this.side = side;
    this.center = center;
    /** @type {FunctionHeat[]} */
    this.functions = [];
    /** @type {any} the heat of the file */
    this.heat = null;
    this.orphans = el("div.orphans");
    this.bar = el("div.selection-bar", { hidden: true });
    this.facts = el("div.facts.quiet");
    this.blameButton = button("Blame", () => this.toggleBlame(), { "aria-pressed": "false", hidden: !this.canBlame });
    this.documentButton = button("Source", () => this.toggleDocument(), { hidden: true });
    this.document = el("div.document-place", { hidden: true });
    this.outline = new Outline(lines);
    this.notes = lines.revision ? null : new Notes(view, path, lines, this.orphans, () => this.showFacts());
    this.story = new Story(view, path, lines, this.outline, () => this.notes?.notes ?? []);
    lines.onSelectionChange = () => this.showSelection();
    lines.onMove = () => this.outline.follow();
    lines.rows.addEventListener("click", (event) => this.followName(event));
  }

  /** Whether the lines are those of the work tree, whose last changes are known. */
  get canBlame() {
    return !this.lines.revision && !this.lines.firstPage.unshown;
  }

  async start() {
    const { view, lines } = this;
    const { unshown } = lines.firstPage; // why the lines are not shown, such as "binary"
    const historyButton = button("History", () => this.story.showHistory(null));
    const permalink = button("Permalink", () => this.goToPermalink(), { hidden: Boolean(lines.revision) });
    showHeading(view, this.path, apiUrl("source/read_source", lines.query), this.facts,
      [this.documentButton, this.blameButton, historyButton, permalink]);
    this.side.append(panel("Outline", this.outline.node));
    this.outline.draw(this.functions);
    this.showFacts();
    this.addKeys();
    if (unshown) return this.showUnshown(unshown);
    fill(this.center, this.orphans, lines.box, this.notes?.below ?? null, this.document, this.story.node, this.bar);
    lines.draw();
    await this.showDocument();
    lines.selectFromHash();
    addEventListener("hashchange", () => lines.selectFromHash(), { signal: view.signal });
    const refresh = view.onSource(() => this.refresh());
    view.on("comments", () => this.notes?.load());
    this.side.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    await Promise.all([this.notes?.load(), this.loadHeat(), this.loadBlame()]);
    await refresh(); // it may have changed since it was loaded
  }

  /**
   * Show the file as an image, or why its lines are not shown.
   * @param {string} reason
   */
  async showUnshown(reason) {
    const place = el("div.document-place");
    fill(this.center, place, this.story.node);
    const text = `This file is ${reason}, so its lines are not shown.`;
    if (!isImage(this.path)) return fill(place, emptyState("file", text));
    return this.view.attempt(place, async () =>
      fill(place, await loadImage(this.view, this.lines.query, this.path)));
  }

  /** Whether a document is shown as text, because the URL says so or names lines. */
  get isSource() {
    return this.view.query.get("source") === "true" || location.hash !== "";
  }

  /** Show a document or an image in text form instead of its lines, unless the URL says otherwise. */
  async showDocument() {
    const draws = isMarkdown(this.path) || isImage(this.path);
    this.documentButton.hidden = !draws;
    const isShown = draws && !this.isSource;
    const load = () => (isImage(this.path) ? loadImage(this.view, this.lines.query, this.path)
      : drawDocument(this.view, this.lines.query));
    // If it cannot be rendered, the lines are shown.
    const content = isShown ? await load().catch(() => null) : null;
    fill(this.document, content);
    this.document.hidden = !content;
    for (const part of [this.lines.box, this.notes?.below]) if (part) part.hidden = content !== null;
    this.documentButton.textContent = content ? "Source" : "Rendered";
    if (!content) this.lines.draw();
  }

  toggleDocument() {
    const isShown = !this.document.hidden;
    if (!isShown) this.lines.clear();
    this.view.setQuery({ source: isShown ? "true" : null });
    return this.showDocument();
  }

  /** Go to the selected lines, or to the file, as the last commit has them. */
  goToPermalink() {
    return this.view.attempt(this.orphans, () => this.story.goToPermalink(this.lines.selection));
  }

  toggleBlame() {
    this.view.setQuery({ blame: this.isBlamed ? null : "true" });
    return this.loadBlame();
  }

  get isBlamed() {
    return this.view.query.get("blame") === "true" && this.canBlame;
  }

  /** Show who last changed each line, or stop showing it. */
  loadBlame() {
    this.blameButton.ariaPressed = String(this.isBlamed);
    if (!this.isBlamed) return this.lines.blame && this.lines.setBlame(null);
    return this.view.attempt(this.orphans, async () => this.lines.setBlame(await loadBlame(this.view, this.path)));
  }

  /** If the file has changed, show its lines again and its notes at their new lines. */
  async refresh() {
    // If the server does not answer, the lines stay; the frame shows that it is disconnected.
    if (this.lines.revision || !(await this.lines.refresh().catch(() => false))) return;
    this.outline.draw(this.functions);
    if (!this.document.hidden) await this.showDocument();
    await Promise.all([this.notes?.load(), this.loadHeat(), this.loadBlame()]);
  }

  async loadHeat() {
    if (this.lines.revision || !this.lines.firstPage.language) return;
    const query = { project_path: this.path, limit: MAX_FUNCTIONS };
    const heat = await get("analyze/analyze_function_heat", query, this.view).catch(() => null);
    if (this.view.signal.aborted) return;
    this.heat = heat;
    this.functions = heat?.functions ?? [];
    this.lines.setHeat(this.functions);
    this.outline.draw(this.functions);
    this.showFacts();
  }

  /** Show a few numbers below the title. */
  showFacts() {
    const { firstPage: page, total, revision } = this.lines;
    const period = "Commits that changed this file, in the 90 days to the newest commit";
    const { max_cyclomatic: complexity, changes, reason = period } = this.heat ?? {};
    const open = this.notes?.notes.filter(({ status }) => status === "open") ?? [];
    const fact = (/** @type {string} */ text, /** @type {string} */ title) => el("span", { title }, text);
    fill(this.facts,
      fact(pluralise(open.length, "note"), "Open notes on this file"),
      fact(pluralise(total, "line"), page.language ?? "Not in a language that Holdfast parses"),
      complexity > 0 && fact(`complexity up to ${complexity}`, "Cyclomatic complexity of the most complex function"),
      this.heat && fact(changes === null ? "changes unknown" : `changed ${changes}× in 90 days`, reason),
      revision && fact(`as of ${page.revision.slice(0, 10)}`, "Not the current file"),
      revision && el("a", { href: codeAddress(this.path) }, "Show the current file"));
  }

  /**
   * With Ctrl or Command, go to the definition of the name under the pointer.
   * @param {MouseEvent} event
   */
  followName(event) {
    const line = lineOf(/** @type {Element} */ (event.target).closest("code"));
    const word = event.ctrlKey || event.metaKey ? wordAt(event.clientX, event.clientY) : "";
    if (line && word) this.view.attempt(this.orphans, () => this.story.goToDefinition(line, word));
  }

  /** Show the bar with the actions for the selected lines. */
  showSelection() {
    this.outline.follow();
    const { selection } = this.lines;
    this.bar.hidden = !selection;
    if (!selection) return;
    if (!this.document.hidden) this.showDocument();
    const name = linesText(selection).replace(/^l/, "L");
    /** @type {(text: string, key: string, run: () => any, make?: typeof button) => HTMLElement} */
    const action = (text, key, run, make = button) => make([text, " ", el("kbd", key)], run);
    fill(this.bar, el("span", name), this.lineActions.map(({ key, verb, run }) => action(verb, key, run)),
      action("Clear", "Esc", () => this.lines.clear(), plainButton));
    this.notes?.offerSelection();
    this.view.announce(`${name} selected`);
  }

  /** What can be done with the selected lines. */
  get lineActions() {
    const { notes, story, lines } = this;
    const withLines = (/** @type {(range: Range) => any} */ run) => () => {
      if (!lines.selection) lines.step(0); // selects the first line in view
      return lines.selection && run(lines.selection);
    };
    return [
      notes && { key: "c", verb: "Write a note", text: "Write a note on the selected lines",
        run: () => notes.compose("note") },
      notes && { key: "r", verb: "Send a remark", text: "Send a remark on the selected lines to the agent",
        run: () => notes.compose("remark") },
      { key: "w", verb: "Why?", text: "Why the selected lines are as they are",
        run: withLines((range) => story.explain(range)) },
      { key: "g", verb: "Uses", text: "Definitions and uses of the names in the selected lines",
        run: withLines((range) => story.showUses(range)) },
      { key: "h", verb: "History", text: "History of the selected lines, or of the file",
        run: () => story.showHistory(lines.selection) },
      !lines.revision && { key: "y", verb: "Permalink", text: "The selected lines as the last commit has them",
        run: () => this.goToPermalink() },
    ].filter((action) => action !== null && action !== false);
  }

  addKeys() {
    const { view, lines, notes } = this;
    if (!lines.firstPage.unshown) {
      view.addKey("j", "Next line", () => lines.step(1));
      view.addKey("k", "Previous line", () => lines.step(-1));
      view.addKey("J", "Select the next line too", () => lines.step(1, { extend: true }));
      view.addKey("K", "Select the previous line too", () => lines.step(-1, { extend: true }));
      for (const { key, text, run } of this.lineActions) view.addKey(key, text, () => void run());
    }
    if (notes && !lines.firstPage.unshown) {
      view.addKey("n", "Write a note on the selected lines", () => notes.compose("note"));
      view.addKey("[", "Previous note", () => notes.step(-1));
      view.addKey("]", "Next note", () => notes.step(1));
    }
    if (this.canBlame) view.addKey("b", "Who last changed each line", () => this.toggleBlame());
    if (isMarkdown(this.path) || isImage(this.path)) {
      view.addKey("m", "As text or rendered", () => !this.documentButton.hidden && this.toggleDocument());
    }
    view.addKey("Escape", "Close the form or the panel, or clear the selection", () => {
      if (!notes?.closeForm() && !this.story.close()) lines.clear();
    });
  }
}
