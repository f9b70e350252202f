// A squarified treemap: files are rectangles with an area in proportion to their lines, in frames for their folders.

import { el, fill } from "../../dom.js";
import { address } from "../../router.js";

/**
 * A file or a folder. Only folders have `inner`; `rest` sums up the files of a folder that are not listed.
 * @typedef {{path: string, name: string, lines: number, inner?: Map<string, Node>, file?: any, rest?: any}} Node
 */

/** @typedef {Node & {inner: Map<string, Node>}} Folder */

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** In pixels: the title of a folder and the gap around its content, as in health.css. */
const HEADER = 24, GAP = 2;
/** Smaller folders are drawn as one tile, smaller tiles have no label, and the smallest are left out; judgements. */
const MIN_FRAME = { width: 72, height: 56 }, MIN_LABEL = { width: 56, height: 26 }, MIN_TILE = 3;
/** A pixel to the side counts as so many in the direction of the arrow key; a judgement. */
const SIDEWAYS_COST = 2;

/**
 * Build the tree of folders from files and from sums of the files that are not listed.
 * @param {any[]} files
 * @param {any[]} rest
 */
export function tree(files, rest) {
  /** @type {Folder} */
  const root = { path: "", name: "", lines: 0, inner: new Map() };
  const put = (/** @type {string} */ folder, /** @type {Node} */ leaf) => {
    let node = root;
    node.lines += leaf.lines;
    for (const name of folder ? folder.split("/") : []) {
      const path = node.path ? `${node.path}/${name}` : name;
      const folder = node.inner.get(name) ?? { path, name, lines: 0, inner: new Map() };
      node.inner.set(name, folder);
      node = /** @type {Folder} */ (folder);
      node.lines += leaf.lines;
    }
    node.inner.set(`/${leaf.name}`, leaf);
  };
  for (const file of files) {
    const { path, lines } = file, at = path.lastIndexOf("/");
    put(path.slice(0, Math.max(at, 0)), { path, name: path.slice(at + 1), lines, file });
  }
  for (const part of rest) {
    const { folder: path, files: count, lines } = part;
    put(path, { path, name: `${count} more`, lines, rest: part });
  }
  return root;
}

/**
 * Return the folder at a path, or the deepest one on the way there.
 * @param {Folder} root
 * @param {string | null} path
 */
export function folderAt(root, path) {
  let node = root;
  for (const name of path ? path.split("/") : []) {
    const next = node.inner.get(name);
    if (next?.inner) node = /** @type {Folder} */ (next);
  }
  return node;
}

/**
 * Return all files in a folder and the folders below it.
 * @param {Node} node
 * @returns {any[]}
 */
export const filesBelow = (node) => (node.file ? [node.file] : [...(node.inner?.values() ?? [])].flatMap(filesBelow));

/**
 * Lay out items in a box with the squarified treemap algorithm (Bruls, Huizing and van Wijk, 2000): rows are filled
 * along the shorter side for as long as that improves the worst aspect ratio.
 * @param {Node[]} items
 * @param {Box} box
 */
export function squarify(items, { x, y, width, height }) {
  const compare = (/** @type {Node} */ one, /** @type {Node} */ other) =>
    other.lines - one.lines || (one.path < other.path ? -1 : 1);
  const waiting = items.filter((item) => item.lines > 0).sort(compare);
  const scale = (width * height) / waiting.reduce((sum, item) => sum + item.lines, 0);
  /** @type {{item: Node, box: Box}[]} */
  const placed = [];
  for (let start = 0; start < waiting.length; ) {
    const side = Math.min(width, height), largest = waiting[start].lines * scale;
    let area = 0, end = start, worst = Infinity;
    for (; end < waiting.length; end++) {
      const next = waiting[end].lines * scale, sum = area + next;
      const ratio = Math.max((side * side * largest) / (sum * sum), (sum * sum) / (side * side * next));
      if (ratio > worst) break;
      [area, worst] = [sum, ratio];
    }
    const deep = area / side, isTall = width >= height;
    let along = 0;
    for (const item of waiting.slice(start, end)) {
      const long = (item.lines * scale) / deep;
      const size = isTall ? { width: deep, height: long } : { width: long, height: deep };
      placed.push({ item, box: { x: isTall ? x : x + along, y: isTall ? y + along : y, ...size } });
      along += long;
    }
    if (isTall) [x, width] = [x + deep, width - deep];
    else [y, height] = [y + deep, height - deep];
    start = end;
  }
  return placed;
}

/**
 * Draw a folder.
 * @param {HTMLElement} map
 * @param {Folder} folder
 * @param {{step: (file: any) => number, title: (node: Node) => string, zoom: (path: string) => string}} options the
 *   step of heat of a file, the description of a node, and the address of a folder
 */
export function draw(map, folder, { step, title, zoom }) {
  /** @type {HTMLElement[]} */
  const tiles = [];
  /** @type {(node: Node, box: Box, name: string, isFrame: boolean) => void} */
  const add = (node, { x, y, width, height }, name, isFrame) => {
    const label = title(node), kind = node.file ? "file" : node.rest && node.path === folder.path ? "rest" : "folder";
    // The heat of a folder is the mean of its files, weighted by lines.
    const mean = filesBelow(node).reduce((sum, file) => sum + step(file) * file.lines, 0) / node.lines;
    tiles.push(el("a", {
      class: isFrame ? "frame" : `tile heat-${Math.round(mean)}${node.file ? "" : " folded"}`,
      href: kind === "folder" ? zoom(node.path) : address("/code", node.path),
      title: label, "aria-label": label, tabindex: "-1", dataset: { path: node.path, kind },
      style: { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` },
    }, width > MIN_LABEL.width && height > MIN_LABEL.height && name));
  };
  const enter = (/** @type {Folder} */ node, /** @type {Box} */ box) => {
    for (const { item, box: { x, y, width, height } } of squarify([...node.inner.values()], box)) {
      let child = item, { name } = item;
      // A folder whose only entry is a folder is drawn as one frame.
      for (let [only] = onlyFolder(child); only; [only] = onlyFolder(child)) {
        child = only;
        name += `/${child.name}`;
      }
      if (width < MIN_TILE || height < MIN_TILE) continue;
      const isFrame = Boolean(child.inner) && width >= MIN_FRAME.width && height >= MIN_FRAME.height;
      add(child, { x, y, width, height }, name, isFrame);
      const content = { x: x + GAP, y: y + HEADER, width: width - 2 * GAP, height: height - HEADER - GAP };
      if (isFrame) enter(/** @type {Folder} */ (child), content);
    }
  };
  enter(folder, { x: 0, y: 0, width: map.clientWidth, height: map.clientHeight });
  fill(map, tiles);
  tiles[0]?.setAttribute("tabindex", "0");
}

/**
 * Return the only entry of a folder if it is a folder.
 * @param {Node} node
 * @returns {Node[]}
 */
function onlyFolder({ inner }) {
  const [first] = inner?.size === 1 ? inner.values() : [];
  return first?.inner ? [first] : [];
}

/**
 * Move the focus to the nearest tile in the direction of an arrow key; return whether there is one.
 * @param {HTMLElement} map
 * @param {string} key
 */
export function moveFocus(map, key) {
  const [right, down] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] ?? [0, 0];
  const from = /** @type {HTMLElement} */ (document.activeElement);
  const middle = (/** @type {HTMLElement} */ { offsetLeft, offsetTop, offsetWidth, offsetHeight, className }) =>
    [offsetLeft + offsetWidth / 2, className === "frame" ? offsetTop + HEADER / 2 : offsetTop + offsetHeight / 2];
  const [x, y] = middle(from);
  /** @type {HTMLElement | null} */
  let best = null;
  let least = Infinity;
  for (const other of /** @type {HTMLElement[]} */ ([...map.children])) {
    const [across, along] = middle(other);
    const ahead = (across - x) * right + (along - y) * down;
    const aside = Math.abs((across - x) * down) + Math.abs((along - y) * right);
    const distance = ahead + SIDEWAYS_COST * aside;
    if (ahead > 0.5 && distance < least) [best, least] = [other, distance];
  }
  if (!best) return false;
  from.tabIndex = -1;
  best.tabIndex = 0;
  best.focus();
  return true;
}
