// The graph of imports, by folder first: cycles as text, and a drawing by the server with zoom, pan and neighbours.

import { button, choice, plainButton } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeLink } from "../../links.js";
import { sanitise } from "../../markdown.js";
import { get } from "../../api.js";
import { validChoice } from "../../view.js";
import { formatNumber } from "./numbers.js";

/** @import { View } from "../../view.js" */

/** The number of boxes that fit the frame when it is enlarged; a judgement. */
const MAX_FOLDERS = 60;
/** What is drawn: the subfolders, or the files as far as a number of boxes allows; the server accepts up to 150. */
const BOX_LIMITS = { folders: "Folders", 60: "Files, up to 60 boxes", 150: "Files, up to 150 boxes" };
/** The factor of one zoom step; a judgement: three steps about double the size. */
const ZOOM_STEP = 1.25;
/** The distance of one step with an arrow key; a judgement: about a seventh of the frame. */
const PAN_STEP_PX = 60;
/** A judgement: text is larger than necessary beyond this scale. */
const MAX_SCALE = 4;
/** A judgement: a wide graph is drawn smaller to fit the frame, but not so small that its text is hard to read. */
const MIN_LEGIBLE_SCALE = 0.65;
/** The height of the frame; a judgement: the graph and its heading fit on a screen. */
const MAX_FRAME_HEIGHT_PX = 440;
/** The number of files that are named for each cycle; a judgement: about three lines. */
const MAX_FILES_NAMED = 8;
/** The number of cycles that are listed unfolded; a judgement: about half a screen. */
const MAX_CYCLES_UNFOLDED = 5;
/** If the pointer moves less between press and release, it is a click; a judgement: more than a hand shakes. */
const MAX_CLICK_DISTANCE_PX = 4;

/**
 * Show the graph and the cycles.
 * @param {View} view
 * @param {HTMLElement} place
 */
export async function show(view, place) {
  const folder = view.query.get("dependencies") ?? "";
  const drawn = validChoice(view.query.get("boxes"), BOX_LIMITS, "folders");
  const foldersFirst = drawn === "folders", limit = foldersFirst ? MAX_FOLDERS : Number(drawn);
  const query = { project_path: folder || ".", limit, folders_first: foldersFirst };
  const graph = await get("analyze/draw_dependency_graph", query, view);
  const change = async (/** @type {Record<string, string | null>} */ changes) => {
    view.setQuery(changes);
    await view.runWithStatus(place, "Resolving imports", () => show(view, place));
    /** @type {HTMLElement | null} */ (place.querySelector(".graph, .crumbs strong"))?.focus();
  };
  const enter = (/** @type {string} */ path) => change({ dependencies: path || null });
  const detail = choice("What is drawn", ["folders", "60", "150"].map((value) => [value, BOX_LIMITS[value]]), drawn,
    (boxes) => change({ boxes: boxes === "folders" ? null : boxes }));
  const { boxes, folders, dependencies, not_drawn: isolated } = graph;
  const text = [`${boxes} boxes`, folders > 0 && `, of which ${folders} are folders, which open with a click or Enter`,
    `; ${dependencies} lines from importing to imported files. Boxes with a dashed edge import each other.`,
    isolated > 0 && ` ${formatNumber(isolated)} files without imports are left out.`];
  const svg = () => /** @type {SVGElement} */ (sanitise(graph.svg, "svg").firstChild);
  const none = folder ? `No file in ${folder} imports another file there.`
    : "No file imports another file of this repository.";
  fill(place, drawCycles(graph), el("div.row.wrap.spread", drawCrumbs(folder, enter), detail),
    el("p.quiet", boxes ? text : none), boxes > 0 && drawFrame(svg(), enter));
}

/**
 * Return buttons for the folders around the drawn one.
 * @param {string} folder
 * @param {(path: string) => any} enter
 */
function drawCrumbs(folder, enter) {
  const names = folder.split("/").filter(Boolean);
  return el("nav.row.wrap.crumbs", { "aria-label": "Drawn folder" }, ["all files", ...names].map((name, depth) => [
    depth > 0 && el("span.quiet", { "aria-hidden": "true" }, "/"),
    depth === names.length ? el("strong", { "aria-current": "true", tabindex: "-1" }, name)
      : plainButton(name, () => enter(names.slice(0, depth).join("/")))]));
}

/**
 * Return the graph in a frame in which the user can pan and zoom, and open folders.
 * @param {SVGElement} svg
 * @param {(path: string) => any} enter called with the folder that the user opens
 */
function drawFrame(svg, enter) {
  const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
  const label = "Graph of imports; plus and minus zoom, arrow keys move, 0 shows all";
  const style = { height: `${Math.min(MAX_FRAME_HEIGHT_PX, height) + 2}px` };
  const frame = el("div.graph.card", { tabindex: "0", role: "region", "aria-label": label, style }, svg);
  let scale = 1;
  const zoom = (/** @type {number} */ factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) => {
    const minScale = Math.min(frame.clientWidth / width, frame.clientHeight / height, 1);
    const previousScale = scale;
    scale = Math.min(Math.max(scale * factor, minScale), MAX_SCALE);
    const { scrollLeft, scrollTop } = frame;
    // The point under the pointer stays there.
    const scrolled = (/** @type {number} */ scroll, /** @type {number} */ offset) =>
      ((scroll + offset) * scale) / previousScale - offset;
    svg.setAttribute("width", String(width * scale));
    svg.setAttribute("height", String(height * scale));
    frame.scrollTo(scrolled(scrollLeft, x), scrolled(scrollTop, y));
    frame.dataset.scale = scale.toFixed(2);
  };
  const zoomIn = () => zoom(ZOOM_STEP);
  const zoomOut = () => zoom(1 / ZOOM_STEP);
  const showAll = () => zoom(0);
  const keys = { "+": zoomIn, "=": zoomIn, "-": zoomOut, 0: showAll,
    ArrowLeft: () => frame.scrollBy(-PAN_STEP_PX, 0), ArrowRight: () => frame.scrollBy(PAN_STEP_PX, 0),
    ArrowUp: () => frame.scrollBy(0, -PAN_STEP_PX), ArrowDown: () => frame.scrollBy(0, PAN_STEP_PX) };
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });
  frame.addEventListener("wheel", (event) => {
    // While the graph has no focus, the wheel scrolls the page.
    if (!event.ctrlKey && !frame.contains(document.activeElement)) return;
    event.preventDefault();
    const edge = frame.getBoundingClientRect();
    zoom(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, event.clientX - edge.left, event.clientY - edge.top);
  }, { passive: false });
  panByDragging(frame);
  svg.addEventListener("click", (event) => {
    const node = /** @type {SVGElement | null} */ (/** @type {Element} */ (event.target).closest(".node.folder"));
    if (!node?.dataset.path || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    enter(node.dataset.path);
  });
  highlightNeighbours(svg);
  requestAnimationFrame(() => {
    const fitting = frame.clientWidth / width;
    if (fitting < 1 && fitting >= MIN_LEGIBLE_SCALE) zoom(fitting, 0, 0);
    // Start in the middle: the layers of the graph are centred, so there are always boxes.
    frame.scrollTo(0, (height * scale - MAX_FRAME_HEIGHT_PX) / 2);
  });
  frame.dataset.scale = scale.toFixed(2);
  const control = (/** @type {string} */ text, /** @type {() => void} */ run, /** @type {string} */ title) =>
    button(text, run, { title, "aria-label": title });
  return el("div.stack", frame,
    el("div.row", control("+", zoomIn, "Zoom in"), control("−", zoomOut, "Zoom out"), button("Show all", showAll),
      quiet("Drag to move; the wheel zooms while the graph has the focus.")));
}

/** @param {HTMLElement} frame */
function panByDragging(frame) {
  let distance = 0; // since the press, in pixels
  frame.addEventListener("pointerdown", () => (distance = 0));
  frame.addEventListener("pointermove", (event) => {
    if (!(event.buttons & 1)) return;
    distance += Math.abs(event.movementX) + Math.abs(event.movementY);
    if (distance > MAX_CLICK_DISTANCE_PX) frame.setPointerCapture(event.pointerId);
    frame.scrollBy(-event.movementX, -event.movementY);
  });
  frame.addEventListener("click", (event) => distance > MAX_CLICK_DISTANCE_PX && event.preventDefault(), true);
  frame.addEventListener("dragstart", (event) => event.preventDefault());
}

/**
 * Highlight a box and its neighbours while the pointer or the focus is on the box.
 * @param {SVGElement} svg
 */
function highlightNeighbours(svg) {
  const highlight = (/** @type {any} */ event) => {
    const id = event.target.closest?.(".node")?.dataset.id;
    const litIds = new Set(id === undefined ? [] : [id]);
    for (const edge of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".edge"))) {
      const ends = edge.dataset.id?.split(" ") ?? [], isLit = ends.includes(id);
      edge.classList.toggle("lit", isLit);
      if (isLit) ends.forEach((end) => litIds.add(end));
    }
    const nodes = /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".node"));
    for (const node of nodes) node.classList.toggle("lit", litIds.has(node.dataset.id));
    svg.classList.toggle("pointed", id !== undefined);
  };
  for (const event of ["pointerover", "pointerleave", "focusin", "focusout"]) svg.addEventListener(event, highlight);
}

/** @param {{total_cycles: number, cycles: {files: string[], size: number, at_load: boolean}[]}} graph */
function drawCycles({ total_cycles, cycles }) {
  /** @type {(cycle: typeof cycles[0]) => HTMLElement} */
  const item = ({ files, size, at_load }) => el("li",
    `${size} files import each other${at_load ? " when they are loaded" : ", only in functions or for types"}: `,
    files.slice(0, MAX_FILES_NAMED).map((file, index) => [index > 0 && ", ", codeLink(file)]),
    size > MAX_FILES_NAMED && ` and ${size - MAX_FILES_NAMED} more`);
  const list = (/** @type {typeof cycles} */ some) => el("ul.cycles", some.map(item));
  const folded = cycles.slice(MAX_CYCLES_UNFOLDED);
  const title = total_cycles ? `Cycles, ${total_cycles}` : "No cycles";
  return el("div.stack", el("h3", title), list(cycles.slice(0, MAX_CYCLES_UNFOLDED)),
    folded.length > 0 && el("details", el("summary", `${folded.length} more`), list(folded)));
}
