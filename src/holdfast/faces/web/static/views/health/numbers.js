// The numbers of the map as a table that a click sorts; each links to its lines.

import { codeAddress, plain, quiet } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { LINES, MEASURES } from "./measures.js";

const AT_ONCE = 50;

/** Fill a place with the table of files. `view` keeps the order in the address. */
export function showNumbers(view, place, files, measure) {
  const columns = [...new Set([measure, "lines", "hot_spot", "complexity", "churn", "debt"])]
    .filter((name) => files.some((file) => file[name] !== undefined));
  let shown = AT_ONCE;
  const body = el("tbody"), head = el("thead");
  const showMore = () => {
    shown += AT_ONCE;
    redraw();
  };
  const more = plain("", showMore);
  const redraw = () => {
    const [by, isUp] = (view.query.get("sort") ?? measure).split(".");
    const column = columns.includes(by) || by === "path" ? by : columns[0];
    const value = (file) => file[column] ?? -1;
    const sorted = files.toSorted((a, b) => (value(a) < value(b) ? 1 : value(a) > value(b) ? -1 : a.path < b.path ? -1 : 1));
    if (isUp) sorted.reverse();
    fill(head, el("tr", {}, ["path", ...columns].map((name) => header(name, name === column && (isUp ? "ascending" : "descending")))));
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
    return el("th", { scope: "col", class: name !== "path" && "number", "aria-sort": order || "none", title: MEASURES[name]?.says },
      el("button", sort, words, arrow));
  };
  redraw();
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
  return el("tr", {}, el("th", { scope: "row" }, el("a", link, el("span", { class: "quiet one-line" }, folder), el("span", {}, name))),
    columns.map((name) => el("td", { class: "number" }, cell(name))));
}
