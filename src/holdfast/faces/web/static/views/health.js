// The Health view: a map of hot spots, then trends, duplicates, dependencies and the quality gate.

import { apiUrl, get } from "../api.js";
import { choice } from "../controls.js";
import { pluralise, emptyState, quiet } from "../display.js";
import { el, fill } from "../dom.js";
import { validChoice } from "../view.js";
import { FileMap } from "./health/map.js";
import { buildTree, folderAt } from "./health/treemap.js";
import { MEASURES, formatNumber, heatScale } from "./health/numbers.js";

/** @import { View } from "../view.js" */

/** The number of files that are shown individually; a judgement: more tiles would be too small to see. */
const MAX_FILES_SHOWN = 1000;
/** The sections below the map; the module of each has the name of its id. */
const SECTIONS = [
  { id: "trends", title: "Trends", activity: "Reading the metrics of past commits" },
  { id: "duplicates", title: "Duplicates", activity: "Looking for copies" },
  { id: "graph", title: "Dependencies", activity: "Resolving imports" },
  { id: "gate", title: "Quality gate", activity: "Checking each rule" },
];

/** @type {() => any} shows the parent folder; returns false at the root */
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
  const chosenMeasure = validChoice(view.query.get("measure"), MEASURES, "");
  const query = { measure: chosenMeasure || "hot_spot", limit: MAX_FILES_SHOWN };
  const currentSelection = () => [view.query.get("measure"), view.query.get("folder")].join(" ");
  const selection = currentSelection();
  const measureFiles = (/** @type {string | null} */ project_path) =>
    get("analyze/measure_files", { ...query, project_path }, view);
  showHeading(view, place, query);
  const report = await view.runWithStatus(place, "Measuring files", async () => {
    const all = await measureFiles(null);
    const { path } = folderAt(buildTree(all.files, all.rest), view.query.get("folder"));
    const isIncomplete = all.rest.length > 0; // too many files, so those of the folder are requested again
    return path && isIncomplete ? measureFiles(path) : all;
  });
  // The sections are shown even if the request failed or the user has chosen something else.
  if (!report || selection !== currentSelection()) return true;
  if (!report.files_analyzed) {
    const text = "The map shows files in the languages that Holdfast parses; this repository has none yet.";
    fill(place, emptyState("health", text, el("a.button", { href: "/code" }, "See the files")));
    return false;
  }
  const reasonMissing = report.not_measured[query.measure];
  const measure = chosenMeasure || (reasonMissing ? "complexity" : "hot_spot");
  showHeading(view, place, { ...query, measure });
  const { step, ranges } = heatScale(report.files, measure);
  const root = buildTree(report.files, report.rest);
  const crumbs = el("nav.row.wrap.crumbs", { "aria-label": "Folder" });
  const label = "Files by size; arrow keys move, Enter opens, Escape closes the panel or goes up";
  const map = el("div.map.card", { role: "group", "aria-label": label });
  const work = el("div");
  const panel = el("section.file-panel.card.stack", { hidden: true, "aria-label": "The selected file" });
  const table = el("div.numbers.card", { tabindex: "0", role: "region", "aria-label": "Numbers" });
  fill(place, reasonMissing && el("p.quiet", `No ${MEASURES[query.measure].name.toLowerCase()}: ${reasonMissing}.`),
    el("div.row.spread", el("div.row.wrap", crumbs, work), legend(measure, ranges)), el("div.beside", map, panel),
    summary(report), table);
  const reload = report.rest.length || report.project_path !== "." ? () => showMap(view, place) : null;
  const fileMap = new FileMap(view, { crumbs, work, map, panel, table }, { root, measure, step, reload });
  goUp = () => fileMap.goUp();
  return true;
}

/**
 * Show the heading, with a select for the measure that colours the map.
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
 * @param {string} measure
 * @param {([number, number] | undefined)[]} ranges the lowest and highest value of each step
 */
function legend(measure, ranges) {
  const { name, format } = MEASURES[measure];
  const rangeText = ([low, high]) => (low === high ? format(low) : `${format(low)} – ${format(high)}`);
  return el("ul.legend.plain-list.row", { "aria-label": `Colours: ${name}` },
    ranges.map((range, index) =>
      range && el("li.row", el("span", { class: `swatch heat-${index}` }), rangeText(range))));
}

/**
 * Return the number of files and lines, and which files are not shown.
 * @param {any} report as `measure_files` returns it
 */
function summary({ files_analyzed: all, total_lines: lines, files, rest, files_skipped }) {
  const others = all - files.length;
  const skipped = Object.entries(files_skipped).map(([reason, count]) => `${count} ${reason}`).join(", ");
  const omitted = ` The worst ${formatNumber(files.length)} are shown individually, ` +
    `the ${formatNumber(others)} others as part of ${pluralise(rest.length, "folder")}.`;
  return el("p.quiet", `${pluralise(all, "file")}, ${pluralise(lines, "line")}.`,
    others > 0 && omitted, skipped && ` Left out: ${skipped}.`);
}

/**
 * Load the sections one after the other, starting with the one in the URL. An error in one does not affect the others.
 * @param {View} view
 */
async function showSections(view) {
  const placeholder = () => el("div.stack", el("p.quiet", "Waiting for other sections…"));
  const sections = SECTIONS.map((section) => ({ ...section, place: placeholder() }));
  view.main.append(...sections.map(({ id, title, place }) =>
    el("section.stack.health-section", { id, "aria-label": title }, el("h2", title), place)));
  const isTarget = (/** @type {{id: string}} */ { id }) => location.hash === `#${id}`;
  // Until the user scrolls, clicks or types, the target stays in view while sections above it grow.
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
  const trends = sections.find(({ id }) => id === "trends");
  if (trends) await (await import("./health/trends.js")).backfill(view, trends.place);
}
