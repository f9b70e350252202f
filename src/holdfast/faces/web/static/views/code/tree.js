// Folders and files: a tree that remembers what was open, and one folder as a table.

import { el, fill } from "../../dom.js";
import { get } from "../../api.js";
import { address } from "../../router.js";

const SIDECAR = ".comments";
const opened = new Set();

/** Return the tree, open down to a path. */
export async function tree(view, path) {
  const parts = path.split("/");
  for (let at = 1; at < parts.length; at += 1) opened.add(parts.slice(0, at).join("/"));
  const list = el("ul", { class: "tree" });
  await branch(view, list, "", path);
  return list;
}

async function branch(view, list, folder, path) {
  try {
    const found = await get("source/list_files", { folder: folder || "." }, view);
    const entries = shown(found.entries);
    const open = entries.filter((entry) => entry.kind === "folder" && opened.has(below(folder, entry.name)));
    const inner = new Map(open.map((entry) => [entry.name, el("ul", {})]));
    await Promise.all(open.map((entry) => branch(view, inner.get(entry.name), below(folder, entry.name), path)));
    const left = found.total - found.entries.length;
    fill(list, entries.map((entry) => leaf(view, entry, below(folder, entry.name), path, inner.get(entry.name))), left ? el("li", { class: "quiet" }, `… and ${left} more`) : null);
  } catch (problem) {
    view.fail(list, problem);
  }
}

function leaf(view, { name, kind }, full, path, inner) {
  if (kind === "other") return el("li", { class: "quiet", title: "A link, or a name that no path can be written with" }, name);
  if (kind === "file") return el("li", {}, el("a", { href: address("/code", full), "aria-current": full === path ? "page" : null }, name));
  const list = inner ?? el("ul", {});
  const details = el("details", { open: Boolean(inner) }, el("summary", {}, name), list);
  details.addEventListener("toggle", () => {
    details.open ? opened.add(full) : opened.delete(full);
    if (details.open && !list.children.length) branch(view, list, full, path);
  });
  return el("li", {}, details);
}

/** Return one folder as a table. */
export function folderTable(path, { entries, total }) {
  const prefix = path === "." ? "" : path;
  const rows = shown(entries).map(({ name, kind, size }) => el("tr", {},
    el("td", { class: "mono" }, kind === "other" ? name : el("a", { href: address("/code", below(prefix, name)) }, kind === "folder" ? `${name}/` : name)),
    el("td", { class: "number quiet" }, size === null ? "" : `${size.toLocaleString("en")} B`)));
  const left = total - entries.length;
  return el("table", { class: "folder" },
    el("thead", {}, el("tr", {}, el("th", {}, "Name"), el("th", { class: "number" }, "Size"))),
    el("tbody", {}, rows, left ? el("tr", {}, el("td", { class: "quiet", colspan: "2" }, `… and ${left} more`)) : null));
}

/** Leave out the files that keep notes: their notes are shown with their source. */
function shown(entries) {
  const names = new Set(entries.map((entry) => entry.name));
  return entries.filter(({ name }) => !(name.endsWith(SIDECAR) && names.has(name.slice(0, -SIDECAR.length))));
}

function below(folder, name) {
  return folder ? `${folder}/${name}` : name;
}
