// A squarified treemap: files are tiles with an area proportional to their lines, inside frames for their folders.

import { el, fill } from "../../dom.js";
import { address } from "../../router.js";

/**
 * A file or a folder. Only folders have `inner`; a node with `rest` represents the unlisted files of a folder.
 * @typedef {{path: string, name: string, lines: number, inner?: Map<string, Node>, file?: any, rest?: any}} Node
 */

/** @typedef {Node & {inner: Map<string, Node>}} Folder */

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** The height of a frame's title, as in health.css. */
const HEADER_PX = 24;
/** The distance between a frame and its tiles. */
const GAP_PX = 2;
/** A smaller folder is drawn as one tile; a judgement: room for the title and a tile, in pixels. */
const MIN_FRAME_SIZE = { width: 64, height: 44 };
/** A smaller tile has a small label; a judgement: room for a few letters in the usual size, in pixels. */
const MIN_LABEL_SIZE = { width: 56, height: 26 };
/** A tile needs this length and breadth for a small label, which runs along its longer side; as in health.css. */
const SMALL_LABEL_SIZE = { length: 26, breadth: 14 };
/** A smaller tile is left out; a judgement: the pointer cannot hit it. */
const MIN_TILE_PX = 3;
/** The weight of the distance across the direction of an arrow key; a judgement: prefers tiles straight ahead. */
const SIDEWAYS_WEIGHT = 2;

/**
 * @param {any[]} files
 * @param {any[]} rest the number and the lines of the files that are not listed, by folder
 */
export function buildTree(files, rest) {
  /** @type {Folder} */
  const root = { path: "", name: "", lines: 0, inner: new Map() };
  const insert = (/** @type {string} */ folderPath, /** @type {Node} */ leaf) => {
    let folder = root;
    folder.lines += leaf.lines;
    for (const name of folderPath ? folderPath.split("/") : []) {
      const path = folder.path ? `${folder.path}/${name}` : name;
      const child = folder.inner.get(name) ?? { path, name, lines: 0, inner: new Map() };
      folder.inner.set(name, child);
      folder = /** @type {Folder} */ (child);
      folder.lines += leaf.lines;
    }
    folder.inner.set(`/${leaf.name}`, leaf); // the slash keeps it apart from a folder with the same name
  };
  for (const file of files) {
    const { path, lines } = file;
    const slash = path.lastIndexOf("/");
    insert(path.slice(0, Math.max(slash, 0)), { path, name: path.slice(slash + 1), lines, file });
  }
  for (const part of rest) {
    const { folder: path, files: count, lines } = part;
    insert(path, { path, name: `${count} more`, lines, rest: part });
  }
  return root;
}

/**
 * Return the folder at a path, or its deepest ancestor that exists.
 * @param {Folder} root
 * @param {string | null} path
 */
export function folderAt(root, path) {
  let folder = root;
  for (const name of path ? path.split("/") : []) {
    const child = folder.inner.get(name);
    if (child?.inner) folder = /** @type {Folder} */ (child);
  }
  return folder;
}

/**
 * Return all files in a folder and the folders below it.
 * @param {Node} node
 * @returns {any[]}
 */
export const filesBelow = (node) => (node.file ? [node.file] : [...(node.inner?.values() ?? [])].flatMap(filesBelow));

/**
 * Lay out items in a box with the squarified treemap algorithm (Bruls, Huizing and van Wijk, 2000): a row along the
 * shorter side takes items, the largest first, while that improves the worst aspect ratio in the row.
 * @param {Node[]} items
 * @param {Box} box
 */
function squarify(items, { x, y, width, height }) {
  const compare = (/** @type {Node} */ one, /** @type {Node} */ other) =>
    other.lines - one.lines || (one.path < other.path ? -1 : 1);
  const sorted = items.filter((item) => item.lines > 0).sort(compare);
  const areaPerLine = (width * height) / sorted.reduce((sum, item) => sum + item.lines, 0);
  const areas = sorted.map((item) => item.lines * areaPerLine);
  /** @type {{item: Node, box: Box}[]} */
  const placed = [];
  for (let start = 0; start < sorted.length; ) {
    const { end, area } = fillRow(areas, start, Math.min(width, height));
    const isVertical = width >= height; // the row goes along the left edge, else along the top
    const thickness = area / Math.min(width, height);
    let offset = 0;
    for (let index = start; index < end; index += 1) {
      const length = areas[index] / thickness;
      const box = isVertical
        ? { x, y: y + offset, width: thickness, height: length }
        : { x: x + offset, y, width: length, height: thickness };
      placed.push({ item: sorted[index], box });
      offset += length;
    }
    if (isVertical) {
      x += thickness;
      width -= thickness;
    } else {
      y += thickness;
      height -= thickness;
    }
    start = end;
  }
  return placed;
}

/**
 * Return the index after the last item of a row, and the area of the row.
 * @param {number[]} areas of all items, the largest first
 * @param {number} start the index of the first item of the row
 * @param {number} side the length of the row
 */
function fillRow(areas, start, side) {
  const largest = areas[start];
  let end = start, area = 0, worstRatio = Infinity;
  while (end < areas.length) {
    const smallest = areas[end], total = area + smallest;
    const ratio = Math.max((side * side * largest) / (total * total), (total * total) / (side * side * smallest));
    if (ratio > worstRatio) break;
    area = total;
    worstRatio = ratio;
    end += 1;
  }
  return { end, area };
}

/**
 * Draw the files and folders in a folder.
 * @param {HTMLElement} map
 * @param {Folder} folder
 * @param {{step: (file: any) => number, title: (node: Node) => string, folderUrl: (path: string) => string,
 *   fileUrl: (path: string) => string, selected: string | null}} options the step of heat of a file, the description of
 *   a node, the URLs of a folder and of a file, and the selected file
 */
export function drawMap(map, folder, { step, title, folderUrl, fileUrl, selected }) {
  /** @type {HTMLElement[]} */
  const tiles = [];
  /** @type {(node: Node, box: Box, name: string, isFrame: boolean) => void} */
  const add = (node, { x, y, width, height }, name, isFrame) => {
    const label = title(node), fit = labelClass(width, height);
    let kind = node.file ? "file" : "folder", href = node.file ? fileUrl(node.path) : folderUrl(node.path);
    if (node.rest && node.path === folder.path) {
      kind = "rest";
      href = address("/code", node.path);
    }
    // The heat of a folder is the mean of its files, weighted by lines.
    const mean = filesBelow(node).reduce((sum, file) => sum + step(file) * file.lines, 0) / node.lines;
    tiles.push(el("a", {
      class: isFrame ? "frame" : `tile heat-${Math.round(mean)}${node.file ? "" : " folded"} ${fit}`, href,
      "aria-current": kind === "file" && node.path === selected ? "true" : null,
      title: label, "aria-label": label, tabindex: "-1", dataset: { path: node.path, kind },
      style: { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` },
    }, (isFrame || fit !== "bare") && el("span", name)));
  };
  const drawFolder = (/** @type {Folder} */ parent, /** @type {Box} */ outer) => {
    for (const { item, box } of squarify([...parent.inner.values()], outer)) {
      const { x, y, width, height } = box;
      if (width < MIN_TILE_PX || height < MIN_TILE_PX) continue;
      const { node, name } = skipSingleFolders(item);
      const isFrame = Boolean(node.inner) && width >= MIN_FRAME_SIZE.width && height >= MIN_FRAME_SIZE.height;
      add(node, box, name, isFrame);
      const content = {
        x: x + GAP_PX, y: y + HEADER_PX, width: width - 2 * GAP_PX, height: height - HEADER_PX - GAP_PX,
      };
      if (isFrame) drawFolder(/** @type {Folder} */ (node), content);
    }
  };
  drawFolder(folder, { x: 0, y: 0, width: map.clientWidth, height: map.clientHeight });
  fill(map, tiles);
  tiles[0]?.setAttribute("tabindex", "0");
}

/**
 * Return the class for the label of a tile: "" for the usual size, or how it is made to fit; "bare" without a label.
 * @param {number} width
 * @param {number} height
 */
function labelClass(width, height) {
  if (width > MIN_LABEL_SIZE.width && height > MIN_LABEL_SIZE.height) return "";
  const { length, breadth } = SMALL_LABEL_SIZE;
  if (width >= length && height >= breadth) return "small";
  return height >= length && width >= breadth ? "small upright" : "bare";
}

/**
 * Follow folders whose only entry is a folder, so that they are drawn as one: "src/holdfast".
 * @param {Node} node
 */
function skipSingleFolders(node) {
  let { name } = node;
  while (node.inner?.size === 1) {
    const [only] = node.inner.values();
    if (!only.inner) break;
    node = only;
    name += `/${only.name}`;
  }
  return { node, name };
}

/**
 * Move the focus to the nearest tile in the direction of an arrow key; return whether there is one.
 * @param {HTMLElement} map
 * @param {string} key
 */
export function moveFocus(map, key) {
  const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  const [right, down] = directions[key] ?? [0, 0];
  const current = /** @type {HTMLElement} */ (document.activeElement);
  const from = centre(current);
  /** @type {HTMLElement | null} */
  let nearest = null;
  let minDistance = Infinity;
  for (const tile of /** @type {HTMLElement[]} */ ([...map.children])) {
    const { x, y } = centre(tile);
    const ahead = (x - from.x) * right + (y - from.y) * down;
    const aside = Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right);
    const distance = ahead + SIDEWAYS_WEIGHT * aside;
    const isAhead = ahead > 0.5; // pixels, because positions are rounded
    if (isAhead && distance < minDistance) {
      nearest = tile;
      minDistance = distance;
    }
  }
  if (!nearest) return false;
  current.tabIndex = -1;
  nearest.tabIndex = 0;
  nearest.focus();
  return true;
}

/**
 * Return the centre of a tile, or of the title of a frame.
 * @param {HTMLElement} tile
 */
function centre({ offsetLeft, offsetTop, offsetWidth, offsetHeight, className }) {
  const height = className === "frame" ? HEADER_PX : offsetHeight;
  return { x: offsetLeft + offsetWidth / 2, y: offsetTop + height / 2 };
}
