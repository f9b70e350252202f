// The code: folders, a tree of files, a file's lines with their heat, its outline, its notes in the margin.

import { apiUrl, get } from "../api.js";
import { button, counted, el, empty, fill, plain } from "../dom.js";
import { address } from "../router.js";
import { functionAt, heatMark, heatWords, Lines } from "./code/lines.js";
import { Notes } from "./code/notes.js";

const AGAIN = 2500;
const OUTLINED = /^(Function|Method|Constructor|Class|Interface|Struct|Enum|Object|Module|Namespace)$/;
const WIDE = matchMedia("(min-width: 1200px)");

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
    lines.take(await lines.read(1));
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
  const nothing = empty("No files yet. What git tracks or would add shows up here.", el("pre", "git add ."));
  fill(center, folder.entries.length ? folderTable(path, folder) : nothing);
}

function head(view, path, json, facts = null) {
  const parts = path ? path.split("/") : [];
  const steps = parts.slice(0, -1).map((name, at) => [el("span", { "aria-hidden": "true" }, "/"),
    el("a", { href: address("/code", parts.slice(0, at + 1).join("/")) }, name)]);
  const crumbs = el("nav.row.wrap.crumbs.mono", { "aria-label": "Folders" }, el("a", { href: "/code" }, "root"), steps);
  view.heading(parts.at(-1) ?? "Code", { json, filters: parts.length ? [crumbs, facts] : null });
}

const panel = (title, content) => el("details.code-panel", { open: WIDE.matches }, el("summary", title), content);

/** One file while it is looked at: keeps lines, notes and heat together as they change. */
class FileView {
  constructor(view, path, lines, side, center) {
    Object.assign(this, { view, path, lines, side, center, functions: [], commits: null });
    this.orphans = el("div.orphans");
    this.bar = el("div.selection-bar", { hidden: true });
    this.facts = el("div.facts.quiet");
    this.outline = el("ul.outline.plain-list");
    this.notes = lines.revision ? null : new Notes(view, path, lines, this.orphans, () => this.showFacts());
    lines.selected = () => this.showSelection();
  }

  async begin() {
    const { view, lines } = this;
    head(view, this.path, apiUrl("source/read_source", lines.query), this.facts);
    this.side.append(panel("Outline", this.outline));
    this.drawOutline();
    this.showFacts();
    const { unshown } = lines.page;
    if (unshown) return fill(this.center, empty(`This file is ${unshown}, so its lines are not shown.`));
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
    // Without an answer what is shown stays: the frame shows that the server is away.
    if (this.lines.revision || !(await this.lines.renew().catch(() => false))) return;
    this.drawOutline();
    await Promise.all([this.notes.load(), this.measure()]);
  }

  async measure() {
    if (this.lines.revision || !this.lines.page.language) return;
    const question = { project_path: this.path, limit: 10_000 };
    const heat = await get("analyze/analyze_function_heat", question, this.view).catch(() => null);
    if (this.view.signal.aborted) return;
    this.heat = heat;
    this.functions = heat?.functions ?? [];
    this.lines.setHeat(this.functions);
    this.drawOutline();
    this.showFacts();
  }

  showFacts() {
    const { page, total, revision } = this.lines;
    const { max_cyclomatic: complexity, changes, reason = "Commits that changed this file" } = this.heat ?? {};
    const open = this.notes?.comments.filter(({ status }) => status === "open") ?? [];
    const part = (text, title) => el("span", { title }, text);
    fill(this.facts,
      part(counted(open.length, "note"), "Open notes on this file"),
      part(counted(total, "line"), page.language ?? "No language that is parsed: the text is plain"),
      complexity > 0 && part(`complexity up to ${complexity}`, "McCabe's complexity of the most complex function"),
      this.heat && part(changes === null ? "changes unknown" : `changed ${changes}× in 90 days`, reason),
      revision && part(`as of ${page.revision.slice(0, 10)}`, "Not the present file"));
  }

  drawOutline() {
    const symbols = (this.lines.page.outline ?? []).filter((symbol) => OUTLINED.test(symbol.kind));
    fill(this.outline, symbols.length ? symbols.map((symbol) => this.symbol(symbol)) : el("li.quiet", "No symbols"));
  }

  symbol({ name, kind, depth, start_line: start, end_line: end }) {
    const found = /Function|Method|Constructor/.test(kind) ? functionAt(this.functions, start, end) : null;
    const go = (event) => (event.preventDefault(), this.lines.select(start, start, { scroll: true }));
    const link = { href: `#L${start}`, title: found ? heatWords(found) : kind, on: { click: go } };
    return el("li", { style: { "--depth": depth } }, el("a", link, heatMark(found), el("span.mono.one-line", name)));
  }

  showSelection() {
    const { selection } = this.lines;
    this.bar.hidden = !selection;
    if (!selection) return;
    const { first, last } = selection;
    const words = first === last ? `Line ${first}` : `Lines ${first}–${last}`;
    const act = (text, key, run, make = button) => make([text, " ", el("kbd", key)], run);
    const actions = this.notes && [
      act("Write a note", "c", () => this.notes.compose("note")),
      act("Send a remark", "r", () => this.notes.compose("remark")),
    ];
    fill(this.bar, el("span", words), actions, act("Clear", "Esc", () => this.lines.clear(), plain));
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

const SIDECAR = ".comments";
const opened = new Set();

async function tree(view, path) {
  const parts = path.split("/");
  for (let at = 1; at < parts.length; at += 1) opened.add(parts.slice(0, at).join("/"));
  const list = el("ul.tree.plain-list");
  await branch(view, list, "", path);
  return list;
}

async function branch(view, list, folder, path) {
  try {
    const found = await get("source/list_files", { folder: folder || "." }, view);
    const entries = shown(found.entries);
    const open = entries.filter((entry) => entry.kind === "folder" && opened.has(below(folder, entry.name)));
    const inner = new Map(open.map((entry) => [entry.name, el("ul")]));
    await Promise.all(open.map((entry) => branch(view, inner.get(entry.name), below(folder, entry.name), path)));
    const left = found.total - found.entries.length;
    const leaves = entries.map((entry) => leaf(view, entry, below(folder, entry.name), path, inner.get(entry.name)));
    fill(list, leaves, left > 0 && el("li.quiet", `… and ${left} more`));
  } catch (problem) {
    view.fail(list, problem);
  }
}

function leaf(view, { name, kind }, full, path, inner) {
  if (kind === "other") return el("li.quiet", { title: "A link, or a name that no path can be written with" }, name);
  const link = { href: address("/code", full), "aria-current": full === path ? "page" : null };
  if (kind === "file") return el("li", el("a", link, name));
  const list = inner ?? el("ul");
  const details = el("details", { open: Boolean(inner) }, el("summary", name), list);
  details.addEventListener("toggle", () => {
    details.open ? opened.add(full) : opened.delete(full);
    if (details.open && !list.children.length) branch(view, list, full, path);
  });
  return el("li", details);
}

function folderTable(path, { entries, total }) {
  const prefix = path === "." ? "" : path;
  const link = (name, words) => el("a", { href: address("/code", below(prefix, name)) }, words);
  const rows = shown(entries).map(({ name, kind, size }) => el("tr",
    el("td.mono", kind === "other" ? name : link(name, kind === "folder" ? `${name}/` : name)),
    el("td.number.quiet", size !== null && `${size.toLocaleString("en")} B`)));
  const left = total - entries.length;
  return el("table.folder",
    el("thead", el("tr", el("th", "Name"), el("th.number", "Size"))),
    el("tbody", rows, left ? el("tr", el("td.quiet", { colspan: "2" }, `… and ${left} more`)) : null));
}

/** Leave out the files that keep notes: their notes are shown with their source. */
function shown(entries) {
  const names = new Set(entries.map((entry) => entry.name));
  return entries.filter(({ name }) => !(name.endsWith(SIDECAR) && names.has(name.slice(0, -SIDECAR.length))));
}

const below = (folder, name) => (folder ? `${folder}/${name}` : name);
