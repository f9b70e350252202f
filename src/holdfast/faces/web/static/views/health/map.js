// The map of the files: zooms into folders, and selects a file, by pointer, keys and address.

import { el, fill } from "../../dom.js";
import { changeParameters } from "../../view.js";
import { workButtons } from "./actions.js";
import { showFile } from "./file.js";
import { MEASURES, formatNumber, showNumbers } from "./numbers.js";
import { drawMap, filesBelow, folderAt, moveFocus } from "./treemap.js";

/** @import { View } from "../../view.js" */
/** @import { Folder, Node as TreeNode } from "./treemap.js" */

/** The map, with the folder and the file in the URL. */
export class FileMap {
  /**
   * @param {View} view
   * @param {Record<"crumbs" | "work" | "map" | "panel" | "table", HTMLElement>} parts
   * @param {{root: Folder, measure: string, step: (file: any) => number, reload: (() => any) | null}} data `reload`
   *   loads another folder, if there were too many files to load all of them
   */
  constructor(view, { crumbs, work, map, panel, table }, { root, measure, step, reload }) {
    this.view = view;
    this.crumbs = crumbs;
    this.work = work;
    this.map = map;
    this.panel = panel;
    this.table = table;
    this.root = root;
    this.measure = measure;
    this.step = step;
    this.reload = reload;
    for (const node of [map, crumbs]) node.addEventListener("click", (event) => this.follow(event));
    map.addEventListener("keydown", (event) => moveFocus(map, event.key) && event.preventDefault());
    this.redraw();
    if (this.file) this.choose(this.file);
    let width = map.clientWidth;
    new ResizeObserver(() => {
      if (map.clientWidth !== width) this.redrawMap(); // only if necessary: a redraw takes the focus from a tile
      width = map.clientWidth;
    }).observe(map);
  }

  get folder() {
    return folderAt(this.root, this.view.query.get("folder"));
  }

  /** The path of the selected file, or null. */
  get file() {
    return this.view.query.get("file");
  }

  /** @param {Record<string, string | null>} changes */
  urlWith(changes) {
    const query = new URLSearchParams(this.view.query);
    changeParameters(query, changes);
    return `/health${query.size ? `?${query}` : ""}`;
  }

  /** @param {string} path */
  folderUrl(path) {
    return this.urlWith({ folder: path, file: null });
  }

  redrawMap() {
    const { measure, step, file: selected } = this;
    drawMap(this.map, this.folder, {
      step, selected, folderUrl: (path) => this.folderUrl(path), fileUrl: (path) => this.urlWith({ file: path }),
      title: (node) => (node.file ? fileText(node.file, measure) : folderText(node, measure, step)),
    });
  }

  /** Draw the folder: the links to those around it, the map and the numbers. */
  redraw() {
    const names = this.folder.path.split("/").filter(Boolean);
    fill(this.crumbs, ["all files", ...names].map((name, depth) => {
      const path = names.slice(0, depth).join("/");
      const link = { href: this.folderUrl(path), dataset: { path, kind: "folder" } };
      return [depth > 0 && el("span.quiet", { "aria-hidden": "true" }, "/"),
        depth === names.length ? el("strong", { "aria-current": "true" }, name) : el("a", link, name)];
    }));
    this.redrawMap();
    const { folder } = this;
    fill(this.work, folder.path && workButtons(this.view, { file: null, title: `Improve ${folder.path}/`,
      text: folderText(folder, this.measure, this.step), links: [{ kind: "file", ref: folder.path }] }));
    showNumbers(this.view, this.table, filesBelow(folder), this.measure);
  }

  /**
   * Go to a folder.
   * @param {string} path
   */
  async enter(path) {
    const { view, map } = this;
    if (path === this.folder.path) return;
    const hadFocus = map.contains(document.activeElement);
    history.pushState(null, "", this.folderUrl(path)); // Back returns to the previous folder
    changeParameters(view.query, { folder: path, file: null });
    this.panel.hidden = true;
    if (this.reload) await this.reload();
    else this.redraw();
    if (hadFocus) /** @type {HTMLElement | null} */ (view.main.querySelector(".map a"))?.focus();
    view.announce(path || "All files");
  }

  /**
   * Open the panel of a file; null closes it and returns to the file's tile.
   * @param {string | null} path
   */
  choose(path) {
    const previous = this.file, files = filesBelow(this.root);
    this.view.setQuery({ file: path });
    const file = path && files.find((other) => other.path === path);
    this.panel.hidden = !file;
    this.redrawMap();
    if (file) return showFile(this.view, this.panel, file, files, () => this.choose(null));
    focusTile(this.map, previous);
    return fill(this.panel);
  }

  /** Close the panel, or else go up a folder; return whether there was anything to do. */
  goUp() {
    const { path } = this.folder;
    if (this.file) this.choose(null);
    else if (path) this.enter(path.split("/").slice(0, -1).join("/"));
    else return false;
    return true;
  }

  /** @param {MouseEvent} event */
  follow(event) {
    const target = /** @type {Element} */ (event.target);
    const link = /** @type {HTMLElement | null} */ (target.closest("a[data-kind=folder], a[data-kind=file]"));
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { kind, path = "" } = link.dataset;
    if (kind === "file") this.choose(path);
    else this.enter(path);
  }
}

/**
 * Move the focus to the tile of a file, if it is on the map.
 * @param {HTMLElement} map
 * @param {string | null} path
 */
function focusTile(map, path) {
  const tiles = /** @type {HTMLElement[]} */ ([...map.children]);
  const tile = tiles.find(({ dataset }) => dataset.kind === "file" && dataset.path === path);
  if (!tile) return;
  for (const other of tiles) other.tabIndex = other === tile ? 0 : -1;
  tile.focus();
}

/**
 * Return a measure of a file as text: "complexity 12".
 * @param {Record<string, any>} file
 * @param {string} name
 */
const measureText = (file, name) => `${MEASURES[name].name.toLowerCase()} ${MEASURES[name].format(file[name])}`;

/**
 * Describe a file: its path and main measures.
 * @param {Record<string, any>} file
 * @param {string} measure
 */
function fileText(file, measure) {
  const main = new Set([measure, "hot_spot", "complexity", "churn", "debt"]);
  const names = [...main].filter((name) => file[name] !== undefined);
  return `${file.path}: ${names.map((name) => measureText(file, name)).join(", ")}; ${formatNumber(file.lines)} lines`;
}

/**
 * Describe a folder: its size and hottest file.
 * @param {TreeNode} node
 * @param {string} measure
 * @param {(file: any) => number} step
 */
function folderText(node, measure, step) {
  if (node.rest) return `${node.path || "the root"}: ${node.rest.files} more files, ${formatNumber(node.lines)} lines`;
  const files = filesBelow(node);
  const hottest = files.reduce((one, other) => (step(other) > step(one) ? other : one), files[0]);
  const isHot = hottest && step(hottest) > 0;
  const detail = isHot ? `; hottest ${hottest.path}, ${measureText(hottest, measure)}` : "";
  return `${node.path}: ${files.length} files, ${formatNumber(node.lines)} lines${detail}`;
}
