// The numbers of the map as a table that a click sorts; each links to its lines.

import { el, fill } from "../../dom.js";
import { address } from "../../router.js";
import { LINES, MEASURES } from "./measures.js";

const AT_ONCE = 50;

/** Fill a place with the table of files. `view` keeps the order in the address. */
export function showNumbers(view, place, files, measure) {
  const columns = [...new Set([measure, "lines", "hot_spot", "complexity", "churn", "debt"])].filter((name) => files.some((file) => file[name] !== undefined));
  let shown = AT_ONCE;
  const body = el("tbody"), head = el("thead"), more = el("div", { class: "row" });
  const redraw = () => {
    const [by, isUp] = (view.query.get("sort") ?? measure).split(".");
    const column = columns.includes(by) || by === "path" ? by : columns[0];
    const value = (file) => file[column] ?? -1;
    const sorted = files.toSorted((a, b) => (value(a) < value(b) ? 1 : value(a) > value(b) ? -1 : a.path < b.path ? -1 : 1));
    if (isUp) sorted.reverse();
    fill(head, el("tr", {}, ["path", ...columns].map((name) => header(name, name === column && (isUp ? "ascending" : "descending")))));
    fill(body, sorted.slice(0, shown).map((file) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: address("/code", file.path), title: file.path }, file.path)),
      columns.map((name) => el("td", { class: "number" }, cell(file, name))))));
    fill(more, shown < sorted.length && el("button", { class: "button plain", type: "button", on: { click: () => { shown += AT_ONCE; redraw(); } } }, `Show ${AT_ONCE} more of ${sorted.length - shown}`));
  };
  const sortBy = (name, now) => {
    const isUp = now ? now === "descending" : name === "path";
    view.setQuery({ sort: name === measure && !isUp ? null : isUp ? `${name}.up` : name });
    redraw();
    head.querySelector(`[data-column="${name}"]`).focus();
  };
  const header = (name, order) => el("th", { scope: "col", class: name === "path" ? "" : "number", "aria-sort": order || "none", title: MEASURES[name]?.says },
    el("button", { class: "sort", type: "button", dataset: { column: name }, on: { click: () => sortBy(name, order) } },
      name === "path" ? "File" : (MEASURES[name] ?? LINES).name, el("span", { "aria-hidden": "true" }, order ? (order === "ascending" ? " ▴" : " ▾") : "")));
  redraw();
  fill(place, el("table", { "aria-label": "Numbers of the files on the map" }, head, body), more);
}

function cell(file, name) {
  const value = file[name];
  if (value === undefined) return el("span", { class: "quiet" }, "–");
  const { write, line } = MEASURES[name] ?? LINES;
  const at = file[line];
  return at && value ? el("a", { href: `${address("/code", file.path)}#L${at}` }, write(value)) : write(value);
}
