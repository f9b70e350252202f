// A treemap: files as rectangles, as large as their lines, in frames that are their folders.

import { el, fill } from "../../dom.js";
import { address } from "../../router.js";

const HEADER = 24, GAP = 2, ROOM = { width: 72, height: 56 }, LABEL = { width: 56, height: 26 }, SMALLEST = 3;

/** Return files and what is left of folders as a tree; a node has `lines`, `path`, and `inner` or `file` or `rest`. */
export function tree(files, rest) {
  const root = { path: "", name: "", lines: 0, inner: new Map() };
  const put = (folder, leaf) => {
    let node = root;
    node.lines += leaf.lines;
    for (const name of folder ? folder.split("/") : []) {
      const path = node.path ? `${node.path}/${name}` : name;
      if (!node.inner.has(name)) node.inner.set(name, { path, name, lines: 0, inner: new Map() });
      node = node.inner.get(name);
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

/** Return the folder at a path, or the deepest one on the way there. */
export function folderAt(root, path) {
  let node = root;
  for (const name of path ? path.split("/") : []) if (node.inner.get(name)?.inner) node = node.inner.get(name);
  return node;
}

export const filesBelow = (node) => (node.file ? [node.file] : [...(node.inner?.values() ?? [])].flatMap(filesBelow));

/** Place items in a box, each with an area in proportion to its lines and as square as it goes. */
export function squarify(items, { x, y, width, height }) {
  const compare = (a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1);
  const waiting = items.filter((item) => item.lines > 0).sort(compare);
  const scale = (width * height) / waiting.reduce((sum, item) => sum + item.lines, 0);
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

/** Draw a folder: `step(file)` is the heat of a file, `title(node)` its words, `zoom(path)` a folder's address. */
export function draw(map, folder, { step, title, zoom }) {
  const tiles = [];
  const add = (node, { x, y, width, height }, name, isFrame) => {
    const words = title(node), kind = node.file ? "file" : node.rest && node.path === folder.path ? "rest" : "folder";
    // Of a folder the mean, by lines.
    const warmth = filesBelow(node).reduce((sum, file) => sum + step(file) * file.lines, 0) / node.lines;
    tiles.push(el("a", {
      class: isFrame ? "frame" : `tile heat-${Math.round(warmth)}${node.file ? "" : " folded"}`,
      href: kind === "folder" ? zoom(node.path) : address("/code", node.path),
      title: words, "aria-label": words, tabindex: "-1", dataset: { path: node.path, kind },
      style: { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` },
    }, width > LABEL.width && height > LABEL.height && name));
  };
  const enter = (node, box) => {
    for (const { item, box: { x, y, width, height } } of squarify([...node.inner.values()], box)) {
      let child = item, { name } = item;
      while (child.inner?.size === 1 && child.inner.values().next().value.inner) {
        [child] = child.inner.values();
        name += `/${child.name}`;
      }
      if (width < SMALLEST || height < SMALLEST) continue;
      const isFrame = child.inner && width >= ROOM.width && height >= ROOM.height;
      add(child, { x, y, width, height }, name, isFrame);
      if (isFrame) enter(child, { x: x + GAP, y: y + HEADER, width: width - 2 * GAP, height: height - HEADER - GAP });
    }
  };
  enter(folder, { x: 0, y: 0, width: map.clientWidth, height: map.clientHeight });
  fill(map, tiles);
  tiles[0]?.setAttribute("tabindex", "0");
}

/** Move the focus to the nearest tile in the direction of an arrow key; return whether there is one. */
export function moveFocus(map, key) {
  const [right, down] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] ?? [0, 0];
  const from = document.activeElement;
  const middle = ({ offsetLeft, offsetTop, offsetWidth, offsetHeight, className }) =>
    [offsetLeft + offsetWidth / 2, className === "frame" ? offsetTop + HEADER / 2 : offsetTop + offsetHeight / 2];
  const [x, y] = middle(from);
  let best = null, least = Infinity;
  for (const other of map.children) {
    const [across, along] = middle(other);
    const ahead = (across - x) * right + (along - y) * down;
    const aside = Math.abs((across - x) * down) + Math.abs((along - y) * right);
    if (ahead > 0.5 && ahead + 2 * aside < least) [best, least] = [other, ahead + 2 * aside];
  }
  if (!best) return false;
  from.tabIndex = -1;
  best.tabIndex = 0;
  best.focus();
  return true;
}
