// The files of the repository: the tree in the side column, and the table of one folder.

import { get } from "../../api.js";
import { el, fill } from "../../dom.js";
import { SIDECAR_SUFFIX } from "../../links.js";
import { address } from "../../router.js";

/** @import { View } from "../../view.js" */

/** @typedef {{name: string, kind: "file" | "folder" | "other", size: number | null}} Entry an entry of a folder */

/**
 * The folders that are unfolded in the tree, also in the next view.
 * @type {Set<string>}
 */
const unfolded = new Set();

/**
 * Return the tree of files, unfolded down to a path.
 * @param {View} view
 * @param {string} path
 */
export async function drawTree(view, path) {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth += 1) unfolded.add(parts.slice(0, depth).join("/"));
  const list = el("ul.tree.plain-list");
  await fillFolder(view, list, "", path);
  return list;
}

/**
 * Fill a list with the entries of a folder, and with those of its unfolded folders.
 * @param {View} view
 * @param {HTMLElement} list
 * @param {string} folder
 * @param {string} currentPath the current file or folder
 */
async function fillFolder(view, list, folder, currentPath) {
  try {
    const { entries: all, total } = await get("source/list_files", { folder: folder || "." }, view);
    const entries = withoutSidecars(all);
    const open = entries.filter(({ kind, name }) => kind === "folder" && unfolded.has(join(folder, name)));
    const sublists = new Map(open.map(({ name }) => [name, el("ul")]));
    await Promise.all([...sublists].map(([name, sublist]) =>
      fillFolder(view, sublist, join(folder, name), currentPath)));
    const rest = total - all.length;
    const items = entries.map((entry) =>
      treeItem(view, entry, join(folder, entry.name), currentPath, sublists.get(entry.name)));
    fill(list, items, rest > 0 && el("li.quiet", `… and ${rest} more`));
  } catch (problem) {
    view.showError(list, problem);
  }
}

/**
 * @param {View} view
 * @param {Entry} entry
 * @param {string} path the path of the entry
 * @param {string} currentPath the current file or folder
 * @param {HTMLElement | undefined} sublist the list of an unfolded folder
 */
function treeItem(view, { name, kind }, path, currentPath, sublist) {
  if (kind === "other") return el("li.quiet", { title: "A symbolic link, or a name that is not valid text" }, name);
  const link = { href: address("/code", path), "aria-current": path === currentPath ? "page" : null };
  if (kind === "file") return el("li", el("a", link, name));
  const list = sublist ?? el("ul");
  const details = el("details", { open: Boolean(sublist) }, el("summary", name), list);
  details.addEventListener("toggle", () => {
    if (details.open) unfolded.add(path);
    else unfolded.delete(path);
    if (details.open && !list.children.length) fillFolder(view, list, path, currentPath);
  });
  return el("li", details);
}

/**
 * Return the entries of a folder as a table.
 * @param {string} path
 * @param {{entries: Entry[], total: number}} folder
 */
export function folderTable(path, { entries, total }) {
  const prefix = path === "." ? "" : path;
  const link = (/** @type {string} */ name, /** @type {string} */ text) =>
    el("a", { href: address("/code", join(prefix, name)) }, text);
  const rows = withoutSidecars(entries).map(({ name, kind, size }) => el("tr",
    el("td.mono", kind === "other" ? name : link(name, kind === "folder" ? `${name}/` : name)),
    el("td.number.quiet", size !== null && `${size.toLocaleString("en")} B`)));
  const rest = total - entries.length;
  return el("table.folder",
    el("thead", el("tr", el("th", "Name"), el("th.number", "Size"))),
    el("tbody", rows, rest ? el("tr", el("td.quiet", { colspan: "2" }, `… and ${rest} more`)) : null));
}

/**
 * Leave out the sidecars, because notes are shown with the file that they are on.
 * @param {Entry[]} entries
 */
function withoutSidecars(entries) {
  const names = new Set(entries.map((entry) => entry.name));
  const isSidecar = (/** @type {Entry} */ { name }) =>
    name.endsWith(SIDECAR_SUFFIX) && names.has(name.slice(0, -SIDECAR_SUFFIX.length));
  return entries.filter((entry) => !isSidecar(entry));
}

/**
 * Return the path of an entry; the root folder is "".
 * @param {string} folder
 * @param {string} name
 */
const join = (folder, name) => (folder ? `${folder}/${name}` : name);
