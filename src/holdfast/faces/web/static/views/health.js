// The Health view: a map of hot spots, trends, duplicates, dependencies, and the quality gate.

import { apiUrl, get } from "../api.js";
import { choice } from "../controls.js";
import { pluralise, emptyState, quiet } from "../display.js";
import { el, fill } from "../dom.js";
import { draw, filesBelow, folderAt, moveFocus, tree } from "./health/treemap.js";
import { MEASURES, heat, number, showNumbers } from "./health/numbers.js";

/** @import { View } from "../view.js" */
/** @import { Folder, Node as TreeNode } from "./health/treemap.js" */

/** Files that are listed one by one; a judgement: smaller tiles could not be seen. */
const MAX_FILES = 1000;
const SECTIONS = [
  { id: "trends", title: "Trends", activity: "Reading the numbers of past commits" },
  { id: "duplicates", title: "Duplicates", activity: "Looking for copies" },
  { id: "graph", title: "Dependencies", activity: "Resolving imports" },
  { id: "gate", title: "Quality gate", activity: "Checking each rule" },
];

/** @type {() => any} goes up a folder; returns false at the top */
let goUp = () => false;

/** @param {View} view */
export async function show(view) {
  const place = el("section.stack.health-map", { "aria-label": "Map of the files" });
  view.main.append(place);
  goUp = () => false;
  view.addKey("Escape", "Go up a folder", () => goUp());
  if (await showMap(view, place)) showSections(view);
}

/**
 * Show the map and the table beside it; return whether there are any files.
 * @param {View} view
 * @param {HTMLElement} place
 */
async function showMap(view, place) {
  const given = view.query.get("measure") ?? "";
  const wanted = given in MEASURES ? given : null;
  const query = { measure: wanted ?? "hot_spot", limit: MAX_FILES };
  const selection = () => [view.query.get("measure"), view.query.get("folder")].join(" ");
  const selected = selection();
  const measure = (/** @type {string | null} */ project_path) =>
    get("analyze/measure_files", { ...query, project_path }, view);
  showHeading(view, place, query);
  const found = await view.runWithStatus(place, "Measuring files", async () => {
    const all = await measure(null), { path } = folderAt(tree(all.files, all.rest), view.query.get("folder"));
    return path && all.rest.length ? measure(path) : all; // too many files to list: those of the folder
  });
  // It failed, or the user chose something else meanwhile; the sections are independent of it.
  if (!found || selected !== selection()) return true;
  if (!found.files_analyzed) {
    fill(place, emptyState("The map shows files in the languages that Holdfast parses; this repository has none yet.",
      el("pre", { tabindex: "0" }, "holdfast analyze files")));
    return false;
  }
  const missing = found.not_measured[query.measure];
  const shown = wanted ?? (missing ? "complexity" : "hot_spot");
  showHeading(view, place, { ...query, measure: shown });
  const { step, ranges } = heat(found.files, shown);
  const root = tree(found.files, found.rest);
  const crumbs = el("nav.row.wrap.crumbs", { "aria-label": "Folder" });
  const label = "Files by size; arrow keys move, Enter opens, Escape goes up";
  const map = el("div.map.card", { role: "group", "aria-label": label });
  const table = el("div.numbers.card", { tabindex: "0", role: "region", "aria-label": "Numbers" });
  fill(place, missing && el("p.quiet", `No ${MEASURES[query.measure].name.toLowerCase()}: ${missing}.`),
    el("div.row.spread", crumbs, legend(shown, ranges)), el("div.beside", map, table), summary(found));
  const reload = found.rest.length || found.project_path !== "." ? () => showMap(view, place) : null;
  goUp = makeInteractive(view, { crumbs, map, table }, { root, measure: shown, step, reload });
  return true;
}

/**
 * @param {View} view
 * @param {HTMLElement} place
 * @param {{measure: string, limit: number}} query
 */
function showHeading(view, place, query) {
  const change = (/** @type {string} */ measure) => {
    view.setQuery({ measure: measure === "hot_spot" ? null : measure, sort: null });
    showMap(view, place);
  };
  /** @type {[string, string][]} */
  const measures = Object.entries(MEASURES).map(([value, { name }]) => [value, name]);
  const select = choice("Colour by", measures, query.measure, change, { id: "measure" });
  view.setHeading("Health", { json: apiUrl("analyze/measure_files", query),
    filters: [el("label.quiet", { for: "measure" }, "Colour by"), select,
      quiet(MEASURES[query.measure].explanation)] });
}

/**
 * Draw the folder that the address names, and handle clicks, keys and changes of size; return how to go up a folder.
 * @param {View} view
 * @param {Record<"crumbs" | "map" | "table", HTMLElement>} parts
 * @param {{root: Folder, measure: string, step: (file: any) => number, reload: (() => any) | null}} data `reload`: how
 *   to load another folder, if the files of all folders were too many
 */
function makeInteractive(view, { crumbs, map, table }, { root, measure, step, reload }) {
  const zoom = (/** @type {string} */ path) => {
    const query = new URLSearchParams(view.query);
    path ? query.set("folder", path) : query.delete("folder");
    return `/health${query.size ? `?${query}` : ""}`;
  };
  const title = (/** @type {TreeNode} */ node) =>
    (node.file ? fileText(node.file, measure) : folderText(node, measure, step));
  const folder = () => folderAt(root, view.query.get("folder"));
  const redrawMap = () => draw(map, folder(), { step, title, zoom });
  const redraw = () => {
    const steps = folder().path.split("/").filter(Boolean);
    fill(crumbs, ["all files", ...steps].map((name, at) => {
      const path = steps.slice(0, at).join("/"), link = { href: zoom(path), dataset: { path, kind: "folder" } };
      return [at > 0 && el("span.quiet", { "aria-hidden": "true" }, "/"),
        at === steps.length ? el("strong", { "aria-current": "true" }, name) : el("a", link, name)];
    }));
    redrawMap();
    showNumbers(view, table, filesBelow(folder()), measure);
  };
  const enter = async (/** @type {string} */ path) => {
    if (path === folder().path) return;
    const hadFocus = map.contains(document.activeElement);
    history.pushState(null, "", zoom(path)); // Back returns to the previous folder
    path ? view.query.set("folder", path) : view.query.delete("folder");
    reload ? await reload() : redraw();
    if (hadFocus) /** @type {HTMLElement | null} */ (view.main.querySelector(".map a"))?.focus();
    view.announce(path || "All files");
  };
  const follow = (/** @type {MouseEvent} */ event) => {
    const target = /** @type {Element} */ (event.target);
    const link = /** @type {HTMLElement | null} */ (target.closest("a[data-kind=folder]"));
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    enter(link.dataset.path ?? "");
  };
  for (const node of [map, crumbs]) node.addEventListener("click", follow);
  map.addEventListener("keydown", (event) => moveFocus(map, event.key) && event.preventDefault());
  redraw();
  let width = map.clientWidth;
  new ResizeObserver(() => {
    if (map.clientWidth !== width) redrawMap(); // redrawing takes the focus from a tile, so only if it is necessary
    width = map.clientWidth;
  }).observe(map);
  return () => (folder().path ? void enter(folder().path.split("/").slice(0, -1).join("/")) : false);
}

/**
 * @param {Record<string, any>} file
 * @param {string} name
 */
const measureText = (file, name) => `${MEASURES[name].name.toLowerCase()} ${MEASURES[name].write(file[name])}`;

/**
 * @param {Record<string, any>} file
 * @param {string} measure
 */
function fileText(file, measure) {
  const wanted = new Set([measure, "hot_spot", "complexity", "churn", "debt"]);
  const names = [...wanted].filter((name) => file[name] !== undefined);
  return `${file.path}: ${names.map((name) => measureText(file, name)).join(", ")}; ${number(file.lines)} lines`;
}

/**
 * @param {TreeNode} node
 * @param {string} measure
 * @param {(file: any) => number} step
 */
function folderText(node, measure, step) {
  if (node.rest) return `${node.path || "the root"}: ${node.rest.files} more files, ${number(node.lines)} lines`;
  const files = filesBelow(node), [worst] = files.toSorted((one, other) => step(other) - step(one));
  const hottest = worst && step(worst) ? `; hottest ${worst.path}, ${measureText(worst, measure)}` : "";
  return `${node.path}: ${files.length} files, ${number(node.lines)} lines${hottest}`;
}

/**
 * @param {string} measure
 * @param {([number, number] | undefined)[]} ranges the lowest and highest value of each step
 */
function legend(measure, ranges) {
  const { name, write } = MEASURES[measure];
  const range = ([low, high]) => (low === high ? write(low) : `${write(low)} – ${write(high)}`);
  return el("ul.legend.plain-list.row", { "aria-label": `Colours: ${name}` },
    ranges.map((ends, at) => ends && el("li.row", el("span", { class: `swatch heat-${at}` }), range(ends))));
}

/** @param {any} found */
function summary({ files_analyzed: all, total_lines: lines, files, rest, files_skipped }) {
  const others = all - files.length;
  const skipped = Object.entries(files_skipped).map(([reason, count]) => `${count} ${reason}`).join(", ");
  const omitted = ` The worst ${number(files.length)} are shown individually; ${number(others)} others, none of them ` +
    `worse, are summed up in ${pluralise(rest.length, "folder")}.`;
  return el("p.quiet", `${pluralise(all, "file")}, ${pluralise(lines, "line")}.`,
    others > 0 && omitted, skipped && ` Left out: ${skipped}.`);
}

/**
 * Load the sections one after the other, the one that the address names first; an error in one does not affect others.
 * @param {View} view
 */
async function showSections(view) {
  const placeholder = () => el("div.stack", el("p.quiet", "Waiting for other sections."));
  const sections = SECTIONS.map((section) => ({ ...section, place: placeholder() }));
  view.main.append(...sections.map(({ id, title, place }) =>
    el("section.stack.health-section", { id, "aria-label": title }, el("h2", title), place)));
  const isTarget = (/** @type {{id: string}} */ { id }) => location.hash === `#${id}`;
  // Until the user acts, the target stays in view although sections above it grow.
  let isPinned = sections.some(isTarget);
  const unpin = () => (isPinned = false);
  const { main, signal } = view;
  for (const event of ["wheel", "pointerdown", "keydown"]) main.addEventListener(event, unpin, { signal });
  const sorted = sections.toSorted((one, other) => Number(isTarget(other)) - Number(isTarget(one)));
  for (const { id, activity, place } of sorted) {
    await view.runWithStatus(place, activity, async () => (await import(`./health/${id}.js`)).show(view, place));
    if (view.signal.aborted) return;
    if (isPinned) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }
}
