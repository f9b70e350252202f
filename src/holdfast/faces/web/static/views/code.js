// The Code view: a tree of files beside a folder, or beside a file with its heat, outline and notes.

import { apiUrl, get } from "../api.js";
import { button, plainButton } from "../controls.js";
import { pluralise, emptyState } from "../display.js";
import { el, fill } from "../dom.js";
import { address } from "../router.js";
import { loadBlame } from "./code/blame.js";
import { findFunction, heatMark, describeHeat, Lines } from "./code/lines.js";
import { Notes } from "./code/notes.js";
import { drawTree, folderTable } from "./code/tree.js";

/** @import { View } from "../view.js" */
/** @import { FunctionHeat } from "./code/lines.js" */

/** The interval between checks for changes; a judgement: each check is one conditional request. */
const CHECK_MS = 2500;
/** The kinds of symbols in the outline, as the Language Server Protocol names them. */
const OUTLINE_KINDS = /^(Function|Method|Constructor|Class|Interface|Struct|Enum|Object|Module|Namespace)$/;
/** The maximum that the server accepts as `limit` for functions. */
const MAX_FUNCTIONS = 10_000;
/** Wide enough to open the side panels at first. */
const WIDE = matchMedia("(min-width: 1200px)");

/** @param {View} view */
export async function show(view) {
  const path = (view.parameters.path ?? "").replace(/\/+$/, "");
  const side = el("div.code-side");
  const center = el("div.code-center");
  view.main.append(el("div.code-view", side, center));
  fill(side, panel("Files", await drawTree(view, path)));
  if (!path) return showFolder(view, center, ".");
  const query = { file: path, revision: view.query.get("revision") };
  const lines = new Lines(view, query);
  try {
    lines.addPage(await lines.requestPage(1));
  } catch (problem) {
    if (["invalid_path", "not_found", "denied"].includes(problem.kind)) {
      const folder = await get("source/list_files", { folder: path }, view).catch(() => null);
      if (folder) return showFolder(view, center, path, folder);
    }
    showHeading(view, path, apiUrl("source/read_source", query));
    throw problem;
  }
  await new FileView(view, path, lines, side, center).start();
}

/**
 * @param {View} view
 * @param {HTMLElement} center
 * @param {string} path
 * @param {any} loaded the entries of the folder, if they have been loaded
 */
async function showFolder(view, center, path, loaded = null) {
  const folder = loaded ?? (await get("source/list_files", { folder: path }, view));
  showHeading(view, path === "." ? "" : path, apiUrl("source/list_files", { folder: path }));
  const empty = emptyState("No files yet. Files that git tracks or would add are shown here.", el("pre", "git add ."));
  fill(center, folder.entries.length ? folderTable(path, folder) : empty);
}

/**
 * Show the name of a file or folder, with links to the folders that contain it.
 * @param {View} view
 * @param {string} path
 * @param {string} json the URL of the response as JSON
 * @param {HTMLElement | null} facts
 * @param {HTMLElement | null} tool
 */
function showHeading(view, path, json, facts = null, tool = null) {
  const parts = path ? path.split("/") : [];
  const steps = parts.slice(0, -1).map((name, index) => [el("span", { "aria-hidden": "true" }, "/"),
    el("a", { href: address("/code", parts.slice(0, index + 1).join("/")) }, name)]);
  const crumbs = el("nav.row.wrap.crumbs.mono", { "aria-label": "Folders" }, el("a", { href: "/code" }, "root"), steps);
  view.setHeading(parts.at(-1) ?? "Code", { json, tools: [tool], filters: parts.length ? [crumbs, facts] : null });
}

/**
 * @param {string} title
 * @param {any} content
 */
const panel = (title, content) => el("details.code-panel", { open: WIDE.matches }, el("summary", title), content);

/** An open file: its lines, notes, heat and outline, updated when the file changes. */
class FileView {
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
    this.outline = el("ul.outline.plain-list");
    this.notes = lines.revision ? null : new Notes(view, path, lines, this.orphans, () => this.showFacts());
    lines.onSelectionChange = () => this.showSelection();
  }

  /** Whether the lines are those of the work tree, whose last changes are known. */
  get canBlame() {
    return !this.lines.revision && !this.lines.firstPage.unshown;
  }

  async start() {
    const { view, lines } = this;
    showHeading(view, this.path, apiUrl("source/read_source", lines.query), this.facts, this.blameButton);
    this.side.append(panel("Outline", this.outline));
    this.drawOutline();
    this.showFacts();
    const { unshown } = lines.firstPage; // why the lines are not shown, such as "binary"
    if (unshown) return fill(this.center, emptyState(`This file is ${unshown}, so its lines are not shown.`));
    fill(this.center, this.orphans, lines.box, this.notes?.below ?? null, this.bar);
    lines.draw();
    this.addKeys();
    lines.selectFromHash();
    addEventListener("hashchange", () => lines.selectFromHash(), { signal: view.signal });
    view.poll(CHECK_MS, () => this.refresh());
    view.on("comments", () => this.notes?.load());
    this.side.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    await Promise.all([this.notes?.load(), this.loadHeat(), this.loadBlame()]);
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
    this.drawOutline();
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
    this.drawOutline();
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
      revision && fact(`as of ${page.revision.slice(0, 10)}`, "Not the current file"));
  }

  drawOutline() {
    const symbols = (this.lines.firstPage.outline ?? []).filter((symbol) => OUTLINE_KINDS.test(symbol.kind));
    const entries = symbols.map((symbol) => this.outlineEntry(symbol));
    fill(this.outline, entries.length ? entries : el("li.quiet", "No symbols"));
  }

  /** Return the entry of a symbol in the outline. */
  outlineEntry({ name, kind, depth, start_line: start, end_line: end }) {
    const isFunction = /Function|Method|Constructor/.test(kind);
    const heat = isFunction ? findFunction(this.functions, start, end) : null;
    const select = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.lines.select(start, start, { scroll: true });
    };
    const link = { href: `#L${start}`, title: heat ? describeHeat(heat) : kind, on: { click: select } };
    return el("li", { style: { "--depth": depth } }, el("a", link, heatMark(heat), el("span.mono.one-line", name)));
  }

  /** Show the bar with the actions for the selected lines. */
  showSelection() {
    const { selection } = this.lines;
    this.bar.hidden = !selection;
    if (!selection) return;
    const { first, last } = selection;
    const name = first === last ? `Line ${first}` : `Lines ${first}–${last}`;
    /** @type {(text: string, key: string, run: () => any, make?: typeof button) => HTMLElement} */
    const action = (text, key, run, make = button) => make([text, " ", el("kbd", key)], run);
    const { notes } = this;
    const actions = notes && [
      action("Write a note", "c", () => notes.compose("note")),
      action("Send a remark", "r", () => notes.compose("remark")),
    ];
    fill(this.bar, el("span", name), actions, action("Clear", "Esc", () => this.lines.clear(), plainButton));
    this.notes?.offerSelection();
    this.view.announce(`${name} selected`);
  }

  addKeys() {
    const { view, lines, notes } = this;
    view.addKey("j", "Next line", () => lines.step(1));
    view.addKey("k", "Previous line", () => lines.step(-1));
    view.addKey("J", "Select the next line too", () => lines.step(1, { extend: true }));
    view.addKey("K", "Select the previous line too", () => lines.step(-1, { extend: true }));
    if (notes) {
      view.addKey("c", "Write a note on the selected lines", () => notes.compose("note"));
      view.addKey("n", "Write a note on the selected lines", () => notes.compose("note"));
      view.addKey("r", "Send a remark on the selected lines to the agent", () => notes.compose("remark"));
      view.addKey("[", "Previous note", () => notes.step(-1));
      view.addKey("]", "Next note", () => notes.step(1));
    }
    if (this.canBlame) view.addKey("b", "Who last changed each line", () => this.toggleBlame());
    view.addKey("Escape", "Close the form, or clear the selection", () => {
      const wasOpen = notes?.closeForm();
      if (!wasOpen) lines.clear();
    });
  }
}
