// The code: folders, a file's lines with their heat, its outline, and its notes in the margin.

import { apiUrl, get } from "../api.js";
import { button, plain } from "../controls.js";
import { el, fill } from "../dom.js";
import { address } from "../router.js";
import { empty } from "../view.js";
import { Lines } from "./code/lines.js";
import { Notes } from "./code/notes.js";
import { folderTable, tree } from "./code/tree.js";
import { functionAt, heatMark, heatWords } from "./code/heat.js";

const AGAIN = 2500;
const OUTLINED = /^(Function|Method|Constructor|Class|Interface|Struct|Enum|Object|Module|Namespace)$/;
const WIDE = matchMedia("(min-width: 1200px)");

/** Show a folder or a file. */
export async function show(view) {
  const path = (view.parameters.path ?? "").replace(/\/+$/, "");
  const side = el("div", { class: "code-side" });
  const center = el("div", { class: "code-center" });
  view.main.append(el("div", { class: "code-view" }, side, center));
  fill(side, panel("Files", await tree(view, path)));
  if (!path) return showFolder(view, center, ".");
  const query = { file: path, revision: view.query.get("revision") };
  const lines = new Lines(view, query);
  try {
    await lines.begin();
  } catch (problem) {
    if (["invalid_path", "not_found", "denied"].includes(problem.kind)) {
      const folder = await get("source/list_files", { folder: path }, view).catch(() => null);
      if (folder) return showFolder(view, center, path, folder);
    }
    head(view, path, apiUrl("source/read_source", query));
    throw problem;
  }
  await new FileView(view, path, lines, side, center).begin();
}

async function showFolder(view, center, path, known = null) {
  const folder = known ?? (await get("source/list_files", { folder: path }, view));
  head(view, path === "." ? "" : path, apiUrl("source/list_files", { folder: path }));
  const nothing = empty("No files yet. What git tracks or would add shows up here.", el("pre", {}, "git add ."));
  fill(center, folder.entries.length ? folderTable(path, folder) : nothing);
}

function head(view, path, json, facts = null) {
  const parts = path ? path.split("/") : [];
  const steps = parts.slice(0, -1).map((name, at) => [el("span", { "aria-hidden": "true" }, "/"), el("a", { href: address("/code", parts.slice(0, at + 1).join("/")) }, name)]);
  const crumbs = el("nav", { class: "crumbs mono", "aria-label": "Folders" }, el("a", { href: "/code" }, "root"), steps);
  view.heading(parts.at(-1) ?? "Code", { json, filters: parts.length ? [crumbs, facts] : null });
}

function panel(title, content) {
  return el("details", { class: "code-panel", open: WIDE.matches }, el("summary", {}, title), content);
}

/** One file while it is looked at: keeps lines, notes and heat together as they change. */
class FileView {
  constructor(view, path, lines, side, center) {
    Object.assign(this, { view, path, lines, side, center, functions: [], commits: null });
    this.orphans = el("div", { class: "orphans" });
    this.bar = el("div", { class: "selection-bar", hidden: true });
    this.facts = el("div", { class: "facts quiet" });
    this.outline = el("ul", { class: "outline" });
    this.notes = lines.revision ? null : new Notes(view, path, lines, this.orphans, () => this.showFacts());
    lines.selected = () => this.showSelection();
  }

  async begin() {
    const { view, lines } = this;
    head(view, this.path, apiUrl("source/read_source", lines.query), this.facts);
    this.side.append(panel("Outline", this.outline));
    this.drawOutline();
    this.showFacts();
    if (lines.page.unshown) return fill(this.center, empty(`This file is ${lines.page.unshown}, so its lines are not shown.`));
    fill(this.center, this.orphans, lines.box, this.notes?.beside ?? null, this.bar);
    lines.draw();
    this.keys();
    lines.followHash();
    addEventListener("hashchange", () => lines.followHash(), { signal: view.signal });
    view.every(AGAIN, () => this.look());
    view.on("comments", () => this.notes?.load());
    this.side.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    await Promise.all([this.notes?.load(), this.measure()]);
  }

  /** See whether the file changed elsewhere, and show it with its notes where they are now. */
  async look() {
    if (this.lines.revision || this.looking) return;
    this.looking = true;
    try {
      if (await this.lines.renew()) {
        this.drawOutline();
        await Promise.all([this.notes.load(), this.measure()]);
      }
    } catch {
      // The frame shows that the server is away; what is shown stays.
    } finally {
      this.looking = false;
    }
  }

  async measure() {
    if (this.lines.revision || !this.lines.page.language) return;
    const heat = await get("analyze/analyze_function_heat", { project_path: this.path, limit: 10_000 }, this.view).catch(() => null);
    if (this.view.signal.aborted) return;
    this.heat = heat;
    this.functions = heat?.functions ?? [];
    this.lines.setHeat(this.functions);
    this.drawOutline();
    this.showFacts();
  }

  showFacts() {
    const { heat } = this;
    const known = this.notes?.count() ?? 0;
    const part = (text, title) => el("span", { title }, text);
    fill(this.facts,
      part(`${known} ${known === 1 ? "note" : "notes"}`, "Open notes on this file"),
      part(`${this.lines.total.toLocaleString("en")} lines`, this.lines.page.language ?? "No language that is parsed: the text is plain"),
      heat?.max_cyclomatic ? part(`complexity up to ${heat.max_cyclomatic}`, "McCabe's complexity of the most complex function") : null,
      heat && part(heat.changes === null ? "changes unknown" : `changed ${heat.changes}× in 90 days`, heat.reason ?? "Commits that changed this file"),
      this.lines.revision ? part(`as of ${this.lines.page.revision.slice(0, 10)}`, "Not the present file") : null);
  }

  drawOutline() {
    const symbols = (this.lines.page.outline ?? []).filter((symbol) => OUTLINED.test(symbol.kind));
    fill(this.outline, symbols.length ? symbols.map((symbol) => this.symbol(symbol)) : el("li", { class: "quiet" }, "No symbols"));
  }

  symbol({ name, kind, depth, start_line: start, end_line: end }) {
    const found = /Function|Method|Constructor/.test(kind) ? functionAt(this.functions, start, end) : null;
    const go = (event) => (event.preventDefault(), this.lines.select(start, start, { scroll: true }));
    const link = el("a", { href: `#L${start}`, title: found ? heatWords(found) : kind, on: { click: go } }, heatMark(found), el("span", { class: "mono" }, name));
    return el("li", { style: { "--depth": depth } }, link);
  }

  showSelection() {
    const { selection } = this.lines;
    this.bar.hidden = !selection;
    if (!selection) return;
    const words = rangeWords(selection);
    const act = (text, key, run, make = button) => make([text, " ", el("kbd", {}, key)], run);
    const actions = this.notes && [act("Write a note", "c", () => this.notes.compose("note")), act("Send a remark", "r", () => this.notes.compose("remark"))];
    fill(this.bar, el("span", {}, words), actions, act("Clear", "Esc", () => this.lines.clear(), plain));
    this.notes?.offerSelection();
    this.view.announce(`${words} selected`);
  }

  keys() {
    const { view, lines, notes } = this;
    view.key("j", "Next line", () => lines.step(1));
    view.key("k", "Line before", () => lines.step(-1));
    view.key("J", "Select the next line too", () => lines.step(1, true));
    view.key("K", "Select the line before too", () => lines.step(-1, true));
    if (notes) {
      view.key("c", "Write a note on the selected lines", () => notes.compose("note"));
      view.key("n", "Write a note on the selected lines", () => notes.compose("note"));
      view.key("r", "Send a remark on the selected lines to the agent", () => notes.compose("remark"));
      view.key("[", "Note before", () => notes.step(-1));
      view.key("]", "Next note", () => notes.step(1));
    }
    view.key("Escape", "Leave the form, or select nothing", () => notes?.cancel() || lines.clear());
  }
}

/** Return lines in words. */
function rangeWords({ first, last }) {
  return first === last ? `Line ${first}` : `Lines ${first}–${last}`;
}
