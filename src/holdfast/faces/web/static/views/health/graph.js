// The graph of imports, drawn by the server: zoom, pan, highlighted neighbours; cycles as text.

import { button } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeLink } from "../../links.js";
import { sanitise } from "../../markdown.js";
import { get } from "../../api.js";
import { number } from "./numbers.js";

/** @import { View } from "../../view.js" */

/** Judgements: boxes that are still legible; one step of zooming and of moving; the closest zoom; the frame. */
const MAX_BOXES = 60, ZOOM = 1.25, MOVE_PX = 60, MAX_SCALE = 4, HEIGHT_PX = 440;
/** Files that are named of a cycle, and cycles that are listed unfolded. */
const MAX_NAMES = 8, MAX_CYCLES = 5;
/** Moved less than this, a press of the pointer is a click. */
const CLICK_PX = 4;

/**
 * @param {View} view
 * @param {HTMLElement} place
 */
export async function show(view, place) {
  const found = await get("analyze/draw_dependency_graph", { limit: MAX_BOXES }, view);
  const { boxes, folders, dependencies, not_drawn: alone } = found;
  const text = [`${boxes} boxes`,
    folders > 0 && `, of which ${folders} are folders, since more than ${MAX_BOXES} files import each other`,
    `; ${dependencies} lines from importing to imported files. Boxes with a dashed edge import each other.`,
    alone > 0 && ` ${number(alone)} files without imports are left out.`];
  const svg = () => /** @type {SVGElement} */ (sanitise(found.svg, "svg").firstChild);
  fill(place, el("p.quiet", boxes ? text : "No file imports another one of this repository."),
    boxes > 0 && frameOf(svg()), cyclesOf(found));
}

/**
 * Return the graph in a frame in which it can be moved and zoomed.
 * @param {SVGElement} svg
 */
function frameOf(svg) {
  const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
  const label = "Graph of imports; plus and minus zoom, arrow keys move, 0 shows all";
  const style = { height: `${Math.min(HEIGHT_PX, height) + 2}px` };
  const frame = el("div.graph.card", { tabindex: "0", role: "region", "aria-label": label, style }, svg);
  let scale = 1;
  const zoom = (/** @type {number} */ factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) => {
    const least = Math.min(frame.clientWidth / width, frame.clientHeight / height, 1), before = scale;
    scale = Math.min(Math.max(scale * factor, least), MAX_SCALE);
    const { scrollLeft, scrollTop } = frame;
    // The point below the pointer stays where it is.
    const scrolled = (/** @type {number} */ from, /** @type {number} */ at) => ((from + at) * scale) / before - at;
    svg.setAttribute("width", String(width * scale));
    svg.setAttribute("height", String(height * scale));
    frame.scrollTo(scrolled(scrollLeft, x), scrolled(scrollTop, y));
    frame.dataset.scale = scale.toFixed(2);
  };
  const [closer, farther, all] = [() => zoom(ZOOM), () => zoom(1 / ZOOM), () => zoom(0)];
  const keys = { "+": closer, "=": closer, "-": farther, 0: all,
    ArrowLeft: () => frame.scrollBy(-MOVE_PX, 0), ArrowRight: () => frame.scrollBy(MOVE_PX, 0),
    ArrowUp: () => frame.scrollBy(0, -MOVE_PX), ArrowDown: () => frame.scrollBy(0, MOVE_PX) };
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });
  frame.addEventListener("wheel", (event) => {
    // Without the focus, the wheel scrolls the page past the graph.
    if (!event.ctrlKey && !frame.contains(document.activeElement)) return;
    event.preventDefault();
    const edge = frame.getBoundingClientRect();
    zoom(event.deltaY < 0 ? ZOOM : 1 / ZOOM, event.clientX - edge.left, event.clientY - edge.top);
  }, { passive: false });
  pan(frame);
  highlightNeighbours(svg);
  // The layers of the graph are centred, so there is always something in the middle.
  requestAnimationFrame(() => frame.scrollTo(0, (height - HEIGHT_PX) / 2));
  frame.dataset.scale = scale.toFixed(2);
  const control = (/** @type {string} */ text, /** @type {() => void} */ run, /** @type {string} */ title) =>
    button(text, run, { title, "aria-label": title });
  return el("div.stack", frame,
    el("div.row", control("+", closer, "Zoom in"), control("−", farther, "Zoom out"), button("Show all", all),
      quiet("Drag to move; the wheel zooms while the graph has the focus.")));
}

/**
 * Move the graph by dragging.
 * @param {HTMLElement} frame
 */
function pan(frame) {
  let moved = 0;
  frame.addEventListener("pointerdown", () => (moved = 0));
  frame.addEventListener("pointermove", (event) => {
    if (!(event.buttons & 1)) return;
    moved += Math.abs(event.movementX) + Math.abs(event.movementY);
    if (moved > CLICK_PX) frame.setPointerCapture(event.pointerId);
    frame.scrollBy(-event.movementX, -event.movementY);
  });
  frame.addEventListener("click", (event) => moved > CLICK_PX && event.preventDefault(), true);
  frame.addEventListener("dragstart", (event) => event.preventDefault());
}

/**
 * Highlight the neighbours of a box while the pointer or the focus is on it.
 * @param {SVGElement} svg
 */
function highlightNeighbours(svg) {
  const point = (/** @type {any} */ event) => {
    const id = event.target.closest?.(".node")?.dataset.id;
    const near = new Set(id === undefined ? [] : [id]);
    for (const edge of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".edge"))) {
      const ends = edge.dataset.id?.split(" ") ?? [], isLit = ends.includes(id);
      edge.classList.toggle("lit", isLit);
      if (isLit) ends.forEach((end) => near.add(end));
    }
    const nodes = /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".node"));
    for (const node of nodes) node.classList.toggle("lit", near.has(node.dataset.id));
    svg.classList.toggle("pointed", id !== undefined);
  };
  for (const event of ["pointerover", "pointerleave", "focusin", "focusout"]) svg.addEventListener(event, point);
}

/** @param {{total_cycles: number, cycles: {files: string[], size: number, at_load: boolean}[]}} found */
function cyclesOf({ total_cycles, cycles }) {
  /** @type {(cycle: typeof cycles[0]) => HTMLElement} */
  const item = ({ files, size, at_load }) => el("li",
    `${size} files import each other${at_load ? " while they load" : ", only in functions or for types"}: `,
    files.slice(0, MAX_NAMES).map((file, at) => [at > 0 && ", ", codeLink(file)]),
    size > MAX_NAMES && ` and ${size - MAX_NAMES} more`);
  const list = (/** @type {typeof cycles} */ some) => el("ul.cycles", some.map(item));
  const title = total_cycles ? `Cycles, ${total_cycles}` : "No cycles";
  return el("div.stack", el("h3", title), list(cycles.slice(0, MAX_CYCLES)),
    cycles.length > MAX_CYCLES &&
      el("details", el("summary", `${cycles.length - MAX_CYCLES} more`), list(cycles.slice(MAX_CYCLES))));
}
