// The Code view: a tree of files, and a folder, or a file with heat, outline and notes.

import { apiUrl, get } from "../api.js";
import { button, plainButton } from "../controls.js";
import { pluralise, emptyState } from "../display.js";
import { el, fill } from "../dom.js";
import { address } from "../router.js";
import { functionAt, heatMark, heatText, Lines } from "./code/lines.js";
import { Notes } from "./code/notes.js";

/** @import { View } from "../view.js" */
/** @import { Measured } from "./code/lines.js" */

/** How often the file is checked for changes; a judgement: one conditional request each time. */
const CHECK_MS = 2500;
/** The kinds of symbols in the outline, as the language server protocol names them. */
const OUTLINED = /^(Function|Method|Constructor|Class|Interface|Struct|Enum|Object|Module|Namespace)$/;
/** Wide enough to show the panels opened. */
const WIDE = matchMedia("(min-width: 1200px)");

/** @param {View} view */
export async function show(view) {
  const path = (view.parameters.path ?? "").replace(/\/+$/, "");
  const side = el("div.code-side");
  const center = el("div.code-center");
  view.main.append(el("div.code-view", side, center));
  fill(side, panel("Files", await tree(view, path)));
  if (!path) return showFolder(view, center, ".");
  const query = { file: path, revision: view.query.get("revision") };
  const lines = new Lines(view, query);
  try {
    lines.add(await lines.read(1));
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
 * @param {any} known the folder, if it has been loaded
 */
async function showFolder(view, center, path, known = null) {
  const folder = known ?? (await get("source/list_files", { folder: path }, view));
  showHeading(view, path === "." ? "" : path, apiUrl("source/list_files", { folder: path }));
  const nothing = emptyState("No files yet. Files that git tracks or would add appear here.", el("pre", "git add ."));
  fill(center, folder.entries.length ? folderTable(path, folder) : nothing);
}

/**
 * @param {View} view
 * @param {string} path
 * @param {string} json
 * @param {HTMLElement | null} facts
 */
function showHeading(view, path, json, facts = null) {
  const parts = path ? path.split("/") : [];
  const steps = parts.slice(0, -1).map((name, at) => [el("span", { "aria-hidden": "true" }, "/"),
    el("a", { href: address("/code", parts.slice(0, at + 1).join("/")) }, name)]);
  const crumbs = el("nav.row.wrap.crumbs.mono", { "aria-label": "Folders" }, el("a", { href: "/code" }, "root"), steps);
  view.setHeading(parts.at(-1) ?? "Code", { json, filters: parts.length ? [crumbs, facts] : null });
}

/**
 * @param {string} title
 * @param {any} content
 */
const panel = (title, content) => el("details.code-panel", { open: WIDE.matches }, el("summary", title), content);

/** An open file: its lines, notes, heat and outline, which are updated when the file changes. */
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
    /** @type {Measured[]} */
    this.functions = [];
    /** @type {any} the heat of the file */
    this.heat = null;
    this.orphans = el("div.orphans");
    this.bar = el("div.selection-bar", { hidden: true });
    this.facts = el("div.facts.quiet");
    this.outline = el("ul.outline.plain-list");
    this.notes = lines.revision ? null : new Notes(view, path, lines, this.orphans, () => this.showFacts());
    lines.selectionChanged = () => this.showSelection();
  }

  async start() {
    const { view, lines } = this;
    showHeading(view, this.path, apiUrl("source/read_source", lines.query), this.facts);
    this.side.append(panel("Outline", this.outline));
    this.drawOutline();
    this.showFacts();
    const { unshown } = lines.page;
    if (unshown) return fill(this.center, emptyState(`This file is ${unshown}, so its lines are not shown.`));
    fill(this.center, this.orphans, lines.box, this.notes?.beside ?? null, this.bar);
    lines.draw();
    this.keys();
    lines.followHash();
    addEventListener("hashchange", () => lines.followHash(), { signal: view.signal });
    view.poll(CHECK_MS, () => this.refresh());
    view.on("comments", () => this.notes?.load());
    this.side.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    await Promise.all([this.notes?.load(), this.measure()]);
  }

  /** If the file has changed, show it again with its notes in their new places. */
  async refresh() {
    // If the server does not answer, the lines stay; the frame shows that it is disconnected.
    if (this.lines.revision || !(await this.lines.refresh().catch(() => false))) return;
    this.drawOutline();
    await Promise.all([this.notes?.load(), this.measure()]);
  }

  /** Load the heat of the functions. */
  async measure() {
    if (this.lines.revision || !this.lines.page.language) return;
    const query = { project_path: this.path, limit: 10_000 };
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
    const { page, total, revision } = this.lines;
    const { max_cyclomatic: complexity, changes, reason = "Commits that changed this file" } = this.heat ?? {};
    const open = this.notes?.notes.filter(({ status }) => status === "open") ?? [];
    const part = (/** @type {string} */ text, /** @type {string} */ title) => el("span", { title }, text);
    fill(this.facts,
      part(pluralise(open.length, "note"), "Open notes on this file"),
      part(pluralise(total, "line"), page.language ?? "Not in a language that is parsed"),
      complexity > 0 && part(`complexity up to ${complexity}`, "Cyclomatic complexity of the most complex function"),
      this.heat && part(changes === null ? "changes unknown" : `changed ${changes}× in 90 days`, reason),
      revision && part(`as of ${page.revision.slice(0, 10)}`, "Not the current file"));
  }

  drawOutline() {
    const symbols = (this.lines.page.outline ?? []).filter((symbol) => OUTLINED.test(symbol.kind));
    fill(this.outline, symbols.length ? symbols.map((symbol) => this.symbol(symbol)) : el("li.quiet", "No symbols"));
  }

  /** Return an entry of the outline. */
  symbol({ name, kind, depth, start_line: start, end_line: end }) {
    const found = /Function|Method|Constructor/.test(kind) ? functionAt(this.functions, start, end) : null;
    const go = (event) => (event.preventDefault(), this.lines.select(start, start, { scroll: true }));
    const link = { href: `#L${start}`, title: found ? heatText(found) : kind, on: { click: go } };
    return el("li", { style: { "--depth": depth } }, el("a", link, heatMark(found), el("span.mono.one-line", name)));
  }

  showSelection() {
    const { selection } = this.lines;
    this.bar.hidden = !selection;
    if (!selection) return;
    const { first, last } = selection;
    const name = first === last ? `Line ${first}` : `Lines ${first}–${last}`;
    const act = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => any} */ run, make = button) =>
      make([text, " ", el("kbd", key)], run);
    const { notes } = this;
    const actions = notes && [
      act("Write a note", "c", () => notes.compose("note")),
      act("Send a remark", "r", () => notes.compose("remark")),
    ];
    fill(this.bar, el("span", name), actions, act("Clear", "Esc", () => this.lines.clear(), plainButton));
    this.notes?.offerSelection();
    this.view.announce(`${name} selected`);
  }

  keys() {
    const { view, lines, notes } = this;
    view.addKey("j", "Next line", () => lines.step(1));
    view.addKey("k", "Previous line", () => lines.step(-1));
    view.addKey("J", "Select the next line too", () => lines.step(1, true));
    view.addKey("K", "Select the previous line too", () => lines.step(-1, true));
    if (notes) {
      view.addKey("c", "Write a note on the selected lines", () => notes.compose("note"));
      view.addKey("n", "Write a note on the selected lines", () => notes.compose("note"));
      view.addKey("r", "Send a remark on the selected lines to the agent", () => notes.compose("remark"));
      view.addKey("[", "Previous note", () => notes.step(-1));
      view.addKey("]", "Next note", () => notes.step(1));
    }
    view.addKey("Escape", "Close the form, or clear the selection", () => notes?.cancel() || lines.clear());
  }
}

/** The ending of the files that hold the notes of another file. */
const SIDECAR = ".comments";
/**
 * The folders that are unfolded in the tree.
 * @type {Set<string>}
 */
const unfolded = new Set();

/**
 * Return the tree of files, unfolded down to a path.
 * @param {View} view
 * @param {string} path
 */
async function tree(view, path) {
  const parts = path.split("/");
  for (let at = 1; at < parts.length; at += 1) unfolded.add(parts.slice(0, at).join("/"));
  const list = el("ul.tree.plain-list");
  await branch(view, list, "", path);
  return list;
}

/**
 * Fill a list with the entries of a folder.
 * @param {View} view
 * @param {HTMLElement} list
 * @param {string} folder
 * @param {string} path the current file or folder
 */
async function branch(view, list, folder, path) {
  try {
    const found = await get("source/list_files", { folder: folder || "." }, view);
    const entries = visible(found.entries);
    const open = entries.filter((entry) => entry.kind === "folder" && unfolded.has(join(folder, entry.name)));
    const inner = new Map(open.map((entry) => [entry.name, el("ul")]));
    await Promise.all([...inner].map(([name, list]) => branch(view, list, join(folder, name), path)));
    const left = found.total - found.entries.length;
    const leaves = entries.map((entry) => leaf(view, entry, join(folder, entry.name), path, inner.get(entry.name)));
    fill(list, leaves, left > 0 && el("li.quiet", `… and ${left} more`));
  } catch (problem) {
    view.showError(list, problem);
  }
}

/**
 * @typedef {{name: string, kind: "file" | "folder" | "other", size: number | null}} Entry
 */

/**
 * Return an entry of the tree.
 * @param {View} view
 * @param {Entry} entry
 * @param {string} full its path
 * @param {string} path the current file or folder
 * @param {HTMLElement | undefined} inner the list of an unfolded folder
 */
function leaf(view, { name, kind }, full, path, inner) {
  if (kind === "other") return el("li.quiet", { title: "A symbolic link, or a name that is not valid text" }, name);
  const link = { href: address("/code", full), "aria-current": full === path ? "page" : null };
  if (kind === "file") return el("li", el("a", link, name));
  const list = inner ?? el("ul");
  const details = el("details", { open: Boolean(inner) }, el("summary", name), list);
  details.addEventListener("toggle", () => {
    details.open ? unfolded.add(full) : unfolded.delete(full);
    if (details.open && !list.children.length) branch(view, list, full, path);
  });
  return el("li", details);
}

/**
 * @param {string} path
 * @param {{entries: Entry[], total: number}} folder
 */
function folderTable(path, { entries, total }) {
  const prefix = path === "." ? "" : path;
  const link = (/** @type {string} */ name, /** @type {string} */ text) =>
    el("a", { href: address("/code", join(prefix, name)) }, text);
  const rows = visible(entries).map(({ name, kind, size }) => el("tr",
    el("td.mono", kind === "other" ? name : link(name, kind === "folder" ? `${name}/` : name)),
    el("td.number.quiet", size !== null && `${size.toLocaleString("en")} B`)));
  const left = total - entries.length;
  return el("table.folder",
    el("thead", el("tr", el("th", "Name"), el("th.number", "Size"))),
    el("tbody", rows, left ? el("tr", el("td.quiet", { colspan: "2" }, `… and ${left} more`)) : null));
}

/**
 * Leave out files that hold notes: the notes are shown with their source.
 * @param {Entry[]} entries
 */
function visible(entries) {
  const names = new Set(entries.map((entry) => entry.name));
  return entries.filter(({ name }) => !(name.endsWith(SIDECAR) && names.has(name.slice(0, -SIDECAR.length))));
}

/**
 * @param {string} folder
 * @param {string} name
 */
const join = (folder, name) => (folder ? `${folder}/${name}` : name);
