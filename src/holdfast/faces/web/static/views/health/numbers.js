// The measures of files: their names and formats, the steps of heat, and a sortable table.

import { plainButton } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";

/** @import { View } from "../../view.js" */

/**
 * A file as `measure_files` returns it, without the measures that could not be taken.
 * @typedef {Record<string, any>} File
 */

/** @param {number} value a share of one */
export const formatPercent = (value) => `${Math.round(value * 1000) / 10} %`;
/** Formats a number; shared, because the map formats thousands and creating one for each takes long. */
export const formatNumber = new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format;

/**
 * A measure: `line` is the field with the line number of the worst place; `isHighGood` is set if high values are good.
 * @typedef {{name: string, format: (value: number) => string, explanation?: string, line?: string,
 *   isHighGood?: boolean}} Measure
 */

/** @type {Record<string, Measure>} */
export const MEASURES = {
  hot_spot: {
    name: "Hot spot", format: formatNumber, explanation: "complexity × changes in the 90 days to the newest commit",
  },
  complexity: {
    name: "Complexity", format: formatNumber, line: "complex_line",
    explanation: "cyclomatic, of all functions",
  },
  churn: { name: "Changes", format: formatNumber, explanation: "commits in the 90 days to the newest one" },
  debt: {
    name: "Debt", format: formatNumber, line: "debt_line",
    explanation: "debt markers in comments, such as TODO",
  },
  duplication: { name: "Duplication", format: formatPercent, explanation: "share of lines with a copy elsewhere" },
  defects: { name: "Defects", format: formatPercent, explanation: "probability of a fix within a year" },
  coverage: {
    name: "Coverage", format: (percent) => `${percent} %`, isHighGood: true,
    explanation: "share of lines that tests run; low coverage is hot",
  },
};
/** @type {Measure} the size of a file, which is no measure of its health and cannot colour the map */
const LINES = { name: "Lines", format: formatNumber };

/** The shares of files below steps 2, 3 and 4 of heat; a judgement: the hottest step is the worst 5 %. */
const QUANTILES = [0.5, 0.8, 0.95];
/** The number of rows that are shown at first and with each click; a judgement: about two screens. */
const ROWS_PER_PAGE = 50;

/**
 * Divide files into steps of heat, 0 to 4. Return a function that returns the step of a file, and the lowest and
 * highest value of each step that has files.
 * @param {File[]} files
 * @param {string} measure
 */
export function heatScale(files, measure) {
  const { isHighGood } = MEASURES[measure];
  // NaN or undefined, which are not above 0, if the file was not measured.
  const badness = (/** @type {File} */ file) => (isHighGood ? 100 - file[measure] : file[measure]);
  const positive = files.map(badness).filter((value) => value > 0).sort((one, other) => one - other);
  const quantiles = QUANTILES.map((share) => positive[Math.floor(share * positive.length)]);
  const thresholds = quantiles.filter((value) => value > positive[0]);
  const step = (/** @type {File} */ file) => {
    const value = badness(file);
    return value > 0 ? 1 + thresholds.filter((threshold) => value >= threshold).length : 0;
  };
  const filesByStep = Map.groupBy(files.filter((file) => file[measure] !== undefined), step);
  /** @type {([lowest: number, highest: number] | undefined)[]} */
  const ranges = [0, 1, 2, 3, 4].map((index) => {
    const values = filesByStep.get(index)?.map((file) => file[measure]);
    return values && [Math.min(...values), Math.max(...values)];
  });
  return { step, ranges };
}

/**
 * Show the table of files. Its order is in the URL: "?sort=churn", or "?sort=churn.up" for the lowest first.
 * @param {View} view
 * @param {HTMLElement} place
 * @param {File[]} files
 * @param {string} measure
 */
export function showNumbers(view, place, files, measure) {
  const columns = [...new Set([measure, "lines", "hot_spot", "complexity", "churn", "debt"])]
    .filter((name) => files.some((file) => file[name] !== undefined));
  let rowCount = 0;
  const body = el("tbody"), head = el("thead");
  const more = plainButton("", () => redraw(ROWS_PER_PAGE));
  const redraw = (addedRows = 0) => {
    rowCount += addedRows;
    const [name, isAscending] = (view.query.get("sort") ?? measure).split(".");
    const column = columns.includes(name) || name === "path" ? name : columns[0];
    const value = (/** @type {File} */ file) => file[column] ?? -1;
    const compare = (/** @type {File} */ one, /** @type {File} */ other) =>
      Number(value(one) > value(other)) - Number(value(one) < value(other)) || (one.path < other.path ? 1 : -1);
    const sorted = files.toSorted(isAscending ? compare : (one, other) => compare(other, one));
    const order = isAscending ? "ascending" : "descending";
    fill(head, el("tr", ["path", ...columns].map((name) => header(name, name === column && order))));
    fill(body, sorted.slice(0, rowCount).map((file) => row(file, columns)));
    more.hidden = rowCount >= sorted.length;
    more.textContent = `Show ${ROWS_PER_PAGE} more of ${sorted.length - rowCount}`;
  };
  const sortBy = (/** @type {string} */ name, /** @type {string | false} */ currentOrder) => {
    const isAscending = currentOrder ? currentOrder === "descending" : name === "path";
    const isDefault = name === measure && !isAscending;
    view.setQuery({ sort: isDefault ? null : name + (isAscending ? ".up" : "") });
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
  redraw(ROWS_PER_PAGE);
  fill(place, el("table", { "aria-label": "Numbers of the files on the map" }, head, body), more);
}

/**
 * @param {File} file
 * @param {string[]} columns
 */
function row(file, columns) {
  const cell = (/** @type {string} */ name) => {
    const value = file[name];
    if (value === undefined) return quiet("–");
    const { format, line: lineField } = MEASURES[name] ?? LINES;
    const line = lineField && value && file[lineField];
    return line ? el("a", { href: codeAddress(file.path, line) }, format(value)) : format(value);
  };
  const [, folder, name] = file.path.match(/^(.*\/)?(.*)$/s) ?? [];
  const link = { class: "file", href: codeAddress(file.path), title: file.path, "aria-label": file.path };
  return el("tr", el("th", { scope: "row" }, el("a", link, el("span.quiet.one-line", folder), el("span", name))),
    columns.map((name) => el("td.number", cell(name))));
}
