// The measures of a file, the five steps of heat, and a sortable table of the numbers.

import { plainButton } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";

/** @import { View } from "../../view.js" */

/**
 * A file as `measure_files` describes it; a measure that was not taken is missing.
 * @typedef {Record<string, any>} File
 */

/** @param {number} value */
export const percent = (value) => `${Math.round(value * 1000) / 10} %`;
/** @param {number} value */
export const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });

/**
 * `line` is the field with the line of its worst place; with `isGood`, high values are good.
 * @typedef {{name: string, write: (value: number) => string, explanation?: string, line?: string, isGood?: boolean}}
 *   Measure
 */

/** @type {Record<string, Measure>} */
export const MEASURES = {
  hot_spot: { name: "Hot spot", write: number, explanation: "complexity × changes in 90 days" },
  complexity: { name: "Complexity", write: number, explanation: "cyclomatic, of all functions", line: "complex_line" },
  churn: { name: "Changes", write: number, explanation: "commits in the 90 days before the latest one" },
  debt: { name: "Debt", write: number, explanation: "debts that comments admit, such as TODO", line: "debt_line" },
  duplication: { name: "Duplication", write: percent, explanation: "share of lines with a copy elsewhere" },
  defects: { name: "Defects", write: percent, explanation: "probability of a fix within a year" },
  coverage: {
    name: "Coverage", write: (part) => `${part} %`, isGood: true,
    explanation: "share of lines that tests run; low is hot",
  },
};
/** @type {Measure} */
export const LINES = { name: "Lines", write: number };

/** The shares of files below each step; a judgement: the hottest step is the worst 5 %. */
const QUANTILES = [0.5, 0.8, 0.95];

/**
 * Return a function from a file to its step of heat, 0 to 4, and the range of values of each step that has files.
 * @param {File[]} files
 * @param {string} measure
 */
export function heat(files, measure) {
  const { isGood } = MEASURES[measure];
  // NaN if it was not measured.
  const badness = (/** @type {File} */ file) => (isGood ? 100 - file[measure] : file[measure]);
  const sorted = files.map(badness).filter((value) => value > 0).sort((a, b) => a - b);
  const cuts = QUANTILES.map((share) => sorted[Math.floor(share * sorted.length)]);
  const step = (/** @type {File} */ file) =>
    (badness(file) > 0 ? 1 + cuts.filter((cut) => badness(file) >= cut && cut > sorted[0]).length : 0);
  const steps = Map.groupBy(files.filter((file) => file[measure] !== undefined), step);
  const values = [0, 1, 2, 3, 4].map((at) => steps.get(at)?.map((file) => file[measure]));
  /** @type {([number, number] | undefined)[]} */
  const ranges = values.map((some) => some && [Math.min(...some), Math.max(...some)]);
  return { step, ranges };
}

/** Rows that are shown at a time. */
const PAGE_SIZE = 50;

/**
 * Show the table of files; its order is kept in the address.
 * @param {View} view
 * @param {HTMLElement} place
 * @param {File[]} files
 * @param {string} measure
 */
export function showNumbers(view, place, files, measure) {
  const columns = [...new Set([measure, "lines", "hot_spot", "complexity", "churn", "debt"])]
    .filter((name) => files.some((file) => file[name] !== undefined));
  let shown = 0;
  const body = el("tbody"), head = el("thead");
  const more = plainButton("", () => redraw(PAGE_SIZE));
  const redraw = (added = 0) => {
    shown += added;
    const [by, isUp] = (view.query.get("sort") ?? measure).split(".");
    const column = columns.includes(by) || by === "path" ? by : columns[0];
    const value = (/** @type {File} */ file) => file[column] ?? -1;
    const compare = (/** @type {File} */ one, /** @type {File} */ other) =>
      Number(value(one) > value(other)) - Number(value(one) < value(other)) || (one.path < other.path ? 1 : -1);
    const sorted = files.toSorted(isUp ? compare : (one, other) => compare(other, one));
    const order = isUp ? "ascending" : "descending";
    fill(head, el("tr", ["path", ...columns].map((name) => header(name, name === column && order))));
    fill(body, sorted.slice(0, shown).map((file) => row(file, columns)));
    more.hidden = shown >= sorted.length;
    more.textContent = `Show ${PAGE_SIZE} more of ${sorted.length - shown}`;
  };
  const sortBy = (/** @type {string} */ name, /** @type {string | false} */ now) => {
    const isUp = now ? now === "descending" : name === "path";
    view.setQuery({ sort: isUp ? `${name}.up` : name === measure ? null : name });
    redraw();
    /** @type {HTMLElement | null} */ (head.querySelector(`[data-column="${name}"]`))?.focus();
  };
  const header = (/** @type {string} */ name, /** @type {string | false} */ order) => {
    const sort = { class: "sort", type: "button", dataset: { column: name }, on: { click: () => sortBy(name, order) } };
    const arrow = el("span", { "aria-hidden": "true" }, { ascending: " ▴", descending: " ▾" }[order || ""]);
    const label = name === "path" ? "File" : (MEASURES[name] ?? LINES).name;
    const title = MEASURES[name]?.explanation;
    const properties = { class: name !== "path" && "number", "aria-sort": order || "none", title };
    return el("th", { scope: "col", ...properties }, el("button", sort, label, arrow));
  };
  redraw(PAGE_SIZE);
  fill(place, el("table", { "aria-label": "Numbers of the files on the map" }, head, body), more);
}

/**
 * @param {File} file
 * @param {string[]} columns
 */
function row(file, columns) {
  const cell = (/** @type {string} */ name) => {
    const value = file[name], { write, line } = MEASURES[name] ?? LINES;
    if (value === undefined) return quiet("–");
    const place = line && value && file[line];
    return place ? el("a", { href: codeAddress(file.path, place) }, write(value)) : write(value);
  };
  const [, folder, name] = file.path.match(/^(.*\/)?(.*)$/s) ?? [];
  const link = { class: "file", href: codeAddress(file.path), title: file.path, "aria-label": file.path };
  return el("tr", el("th", { scope: "row" }, el("a", link, el("span.quiet.one-line", folder), el("span", name))),
    columns.map((name) => el("td.number", cell(name))));
}
