// Health: where the code is hot, how that went, what is there twice, what depends on what, and whether the gate passes.

import { apiUrl, get } from "../api.js";
import { choice, counted, el, empty, fill, quiet } from "../dom.js";
import { draw, filesBelow, folderAt, moveFocus, tree } from "./health/treemap.js";
import { MEASURES, heat, number, showNumbers } from "./health/numbers.js";

const MOST_FILES = 1000;
const SECTIONS = [
  { id: "trends", title: "Trends", doing: "Reading the numbers of past commits" },
  { id: "duplicates", title: "Duplicates", doing: "Looking for copies" },
  { id: "graph", title: "Dependencies", doing: "Resolving imports" },
  { id: "gate", title: "Quality gate", doing: "Checking each rule" },
];

export async function show(view) {
  const place = el("section.stack.health-map", { "aria-label": "Map of the files" });
  view.main.append(place);
  view.key("Escape", "Go up a folder", () => (place.goUp ? place.goUp() : false));
  if (await showMap(view, place)) showSections(view);
}

/** Fill a place with the map and the table beside it; return whether there is a file. */
async function showMap(view, place) {
  const wanted = MEASURES[view.query.get("measure")] ? view.query.get("measure") : null;
  const query = { measure: wanted ?? "hot_spot", limit: MOST_FILES };
  const named = () => [view.query.get("measure"), view.query.get("folder")].join(" ");
  const asked = named();
  const ask = (project_path) => get("analyze/measure_files", { ...query, project_path }, view);
  heading(view, place, query);
  const found = await view.running(place, "Measuring files", async () => {
    const all = await ask(null), { path } = folderAt(tree(all.files, all.rest), view.query.get("folder"));
    return path && all.rest.length ? ask(path) : all; // too many to tell all: those of the folder
  });
  // It failed, or something else was chosen meanwhile; the sections may fare better.
  if (!found || asked !== named()) return true;
  if (!found.files_analyzed) {
    fill(place, empty("The map shows files in the languages that Holdfast reads, and this repository has none of " +
      "them yet.", el("pre", { tabindex: "0" }, "holdfast analyze files")));
    return false;
  }
  const missing = found.not_measured[query.measure];
  const measure = wanted ?? (missing ? "complexity" : "hot_spot");
  heading(view, place, { ...query, measure });
  const { step, ranges } = heat(found.files, measure);
  const root = tree(found.files, found.rest);
  const crumbs = el("nav.row.wrap.crumbs", { "aria-label": "Folder" });
  const label = "Files by size; arrows move, Enter opens, Escape goes up";
  const map = el("div.map.card", { role: "group", "aria-label": label });
  const table = el("div.numbers.card", { tabindex: "0", role: "region", "aria-label": "Numbers" });
  fill(place, missing && el("p.quiet", `No ${MEASURES[query.measure].name.toLowerCase()}: ${missing}.`),
    el("div.row.spread", crumbs, legend(measure, ranges)), el("div.beside", map, table), summary(found));
  const again = found.rest.length || found.project_path !== "." ? () => showMap(view, place) : null;
  place.goUp = live(view, { crumbs, map, table }, { root, measure, step, again });
  return true;
}

function heading(view, place, query) {
  const change = (measure) => {
    view.setQuery({ measure: measure === "hot_spot" ? null : measure, sort: null });
    showMap(view, place);
  };
  const measures = Object.entries(MEASURES).map(([value, { name }]) => [value, name]);
  const select = choice("Colour by", measures, query.measure, change, { id: "measure" });
  view.heading("Health", { json: apiUrl("analyze/measure_files", query),
    filters: [el("label.quiet", { for: "measure" }, "Colour by"), select, quiet(MEASURES[query.measure].says)] });
}

/** Draw the folder that the address names, and follow clicks, keys and the window's size; return what goes up. */
function live(view, { crumbs, map, table }, { root, measure, step, again }) {
  const zoom = (path) => {
    const query = new URLSearchParams(view.query);
    path ? query.set("folder", path) : query.delete("folder");
    return `/health${query.size ? `?${query}` : ""}`;
  };
  const title = (node) => (node.file ? words(node.file, measure) : folderWords(node, measure, step));
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
  const enter = async (path) => {
    if (path === folder().path) return;
    const hadFocus = map.contains(document.activeElement);
    history.pushState(null, "", zoom(path)); // Back shows the folder before
    path ? view.query.set("folder", path) : view.query.delete("folder");
    again ? await again() : redraw();
    if (hadFocus) view.main.querySelector(".map a")?.focus();
    view.announce(path || "All files");
  };
  const follow = (event) => {
    const link = event.target.closest("a[data-kind=folder]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    enter(link.dataset.path);
  };
  for (const node of [map, crumbs]) node.addEventListener("click", follow);
  map.addEventListener("keydown", (event) => moveFocus(map, event.key) && event.preventDefault());
  redraw();
  let width = map.clientWidth;
  new ResizeObserver(() => {
    if (map.clientWidth !== width) redrawMap(); // else what has the focus would lose it
    width = map.clientWidth;
  }).observe(map);
  return () => (folder().path ? void enter(folder().path.split("/").slice(0, -1).join("/")) : false);
}

const told = (file, name) => `${MEASURES[name].name.toLowerCase()} ${MEASURES[name].write(file[name])}`;

function words(file, measure) {
  const wanted = new Set([measure, "hot_spot", "complexity", "churn", "debt"]);
  const names = [...wanted].filter((name) => file[name] !== undefined);
  return `${file.path}: ${names.map((name) => told(file, name)).join(", ")}; ${number(file.lines)} lines`;
}

function folderWords(node, measure, step) {
  if (node.rest) return `${node.path || "the root"}: ${node.rest.files} more files, ${number(node.lines)} lines`;
  const files = filesBelow(node), [worst] = files.toSorted((one, other) => step(other) - step(one));
  const hottest = worst && step(worst) ? `; hottest ${worst.path}, ${told(worst, measure)}` : "";
  return `${node.path}: ${files.length} files, ${number(node.lines)} lines${hottest}`;
}

function legend(measure, ranges) {
  const { name, write } = MEASURES[measure];
  const range = ([low, high]) => (low === high ? write(low) : `${write(low)} – ${write(high)}`);
  return el("ul.legend.plain-list.row", { "aria-label": `Colours: ${name}` },
    ranges.map((ends, at) => ends && el("li.row", el("span", { class: `swatch heat-${at}` }), range(ends))));
}

function summary({ files_analyzed: all, total_lines: lines, files, rest, files_skipped }) {
  const others = all - files.length;
  const skipped = Object.entries(files_skipped).map(([reason, count]) => `${count} ${reason}`).join(", ");
  const summed = ` The worst ${number(files.length)} are told one by one; ${number(others)} others are summed up in ` +
    `${counted(rest.length, "folder")}, and none of them is worse.`;
  return el("p.quiet", `${counted(all, "file")}, ${counted(lines, "line")}.`,
    others > 0 && summed, skipped && ` Left out: ${skipped}.`);
}

/** Load the sections one after the other, the one that the address names first; each fails for itself. */
async function showSections(view) {
  const waits = () => el("div.stack", el("p.quiet", "Waits for other sections."));
  const sections = SECTIONS.map((section) => ({ ...section, place: waits() }));
  view.main.append(...sections.map(({ id, title, place }) =>
    el("section.stack.health-section", { id, "aria-label": title }, el("h2", title), place)));
  const isNamed = ({ id }) => location.hash === `#${id}`;
  let isHeld = sections.some(isNamed); // what grows above would push the section that was asked for out of sight
  const letGo = () => (isHeld = false);
  const { main, signal } = view;
  for (const event of ["wheel", "pointerdown", "keydown"]) main.addEventListener(event, letGo, { signal });
  for (const { id, doing, place } of sections.toSorted((one, other) => isNamed(other) - isNamed(one))) {
    await view.running(place, doing, async () => (await import(`./health/${id}.js`)).show(view, place));
    if (view.signal.aborted) return;
    if (isHeld) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }
}
