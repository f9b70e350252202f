// What a file is measured by, the five steps of heat, and the numbers as a table that a click sorts.

import { codeAddress, el, fill, plain, quiet } from "../../dom.js";

export const percent = (value) => `${Math.round(value * 1000) / 10} %`;
export const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });

export const MEASURES = {
  hot_spot: { name: "Hot spot", write: number, says: "complexity × changes in 90 days" },
  complexity: { name: "Complexity", write: number, says: "cyclomatic, of all functions", line: "complex_line" },
  churn: { name: "Changes", write: number, says: "commits in the 90 days before the last one" },
  debt: { name: "Debt", write: number, says: "debts that comments admit, such as TODO", line: "debt_line" },
  duplication: { name: "Duplication", write: percent, says: "share of lines with a copy elsewhere" },
  defects: { name: "Defects", write: percent, says: "probability of a fix within a year" },
  coverage: { name: "Coverage", write: (part) => `${part} %`, says: "share that tests run; low is hot", isGood: true },
};
export const LINES = { name: "Lines", write: number };

/** Return a function from a file to its step, 0 to 4, and for each step that has files the range of their values. */
export function heat(files, measure) {
  const { isGood } = MEASURES[measure];
  const bad = ({ [measure]: value }) => (isGood ? 100 - value : value); // not a number where it was not measured
  const sorted = files.map(bad).filter((value) => value > 0).sort((a, b) => a - b);
  const cuts = [0.5, 0.8, 0.95].map((share) => sorted[Math.floor(share * sorted.length)]);
  const step = (file) => (bad(file) > 0 ? 1 + cuts.filter((cut) => bad(file) >= cut && cut > sorted[0]).length : 0);
  const steps = Map.groupBy(files.filter((file) => file[measure] !== undefined), step);
  const values = [0, 1, 2, 3, 4].map((at) => steps.get(at)?.map((file) => file[measure]));
  return { step, ranges: values.map((some) => some && [Math.min(...some), Math.max(...some)]) };
}

const AT_ONCE = 50;

/** Fill a place with the table of files. `view` keeps the order in the address. */
export function showNumbers(view, place, files, measure) {
  const columns = [...new Set([measure, "lines", "hot_spot", "complexity", "churn", "debt"])]
    .filter((name) => files.some((file) => file[name] !== undefined));
  let shown = 0;
  const body = el("tbody"), head = el("thead");
  const more = plain("", () => redraw(AT_ONCE));
  const redraw = (added = 0) => {
    shown += added;
    const [by, isUp] = (view.query.get("sort") ?? measure).split(".");
    const column = columns.includes(by) || by === "path" ? by : columns[0];
    const value = (file) => file[column] ?? -1;
    const compare = (a, b) => (value(a) > value(b)) - (value(a) < value(b)) || (a.path < b.path ? 1 : -1);
    const sorted = files.toSorted(isUp ? compare : (a, b) => compare(b, a));
    const order = isUp ? "ascending" : "descending";
    fill(head, el("tr", ["path", ...columns].map((name) => header(name, name === column && order))));
    fill(body, sorted.slice(0, shown).map((file) => row(file, columns)));
    more.hidden = shown >= sorted.length;
    more.textContent = `Show ${AT_ONCE} more of ${sorted.length - shown}`;
  };
  const sortBy = (name, now) => {
    const isUp = now ? now === "descending" : name === "path";
    view.setQuery({ sort: isUp ? `${name}.up` : name === measure ? null : name });
    redraw();
    head.querySelector(`[data-column="${name}"]`).focus();
  };
  const header = (name, order) => {
    const sort = { class: "sort", type: "button", dataset: { column: name }, on: { click: () => sortBy(name, order) } };
    const arrow = el("span", { "aria-hidden": "true" }, { ascending: " ▴", descending: " ▾" }[order]);
    const words = name === "path" ? "File" : (MEASURES[name] ?? LINES).name;
    const more = { class: name !== "path" && "number", "aria-sort": order || "none", title: MEASURES[name]?.says };
    return el("th", { scope: "col", ...more }, el("button", sort, words, arrow));
  };
  redraw(AT_ONCE);
  fill(place, el("table", { "aria-label": "Numbers of the files on the map" }, head, body), more);
}

function row(file, columns) {
  const cell = (name) => {
    const value = file[name], { write, line } = MEASURES[name] ?? LINES;
    if (value === undefined) return quiet("–");
    return file[line] && value ? el("a", { href: codeAddress(file.path, file[line]) }, write(value)) : write(value);
  };
  const [, folder, name] = file.path.match(/^(.*\/)?(.*)$/s);
  const link = { class: "file", href: codeAddress(file.path), title: file.path, "aria-label": file.path };
  return el("tr", el("th", { scope: "row" }, el("a", link, el("span.quiet.one-line", folder), el("span", name))),
    columns.map((name) => el("td.number", cell(name))));
}
