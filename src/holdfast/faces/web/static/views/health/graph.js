// The picture of what imports what, made by the server: zoom, pan, neighbours on pointing, cycles in words.

import { button, codeLink, el, fill, quiet } from "../../dom.js";
import { adopt } from "../../markdown.js";
import { get } from "../../api.js";
import { number } from "./numbers.js";

const BOXES = 60, FACTOR = 1.25, STEP = 60, NEAREST = 4, HEIGHT = 440, NAMED = 8;

export async function show(view, place) {
  const found = await get("analyze/draw_dependency_graph", { limit: BOXES }, view);
  const { boxes, folders, dependencies, not_drawn: alone } = found;
  const words = [`${boxes} boxes`,
    folders > 0 && `, of which ${folders} are folders, since more than ${BOXES} files import each other`,
    `; ${dependencies} lines from what uses to what is used. Boxes with a dashed edge use each other.`,
    alone > 0 && ` ${number(alone)} files that no import touches are left out.`];
  fill(place, el("p.quiet", boxes ? words : "No file imports another one of this repository."),
    boxes > 0 && frameOf(adopt(found.svg, "svg").firstChild), cyclesOf(found));
}

function frameOf(svg) {
  const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
  const label = "Graph of imports; plus and minus zoom, arrows move, 0 shows all";
  const style = { height: `${Math.min(HEIGHT, height) + 2}px` };
  const frame = el("div.graph.card", { tabindex: "0", role: "region", "aria-label": label, style }, svg);
  let scale = 1;
  const zoom = (factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) => {
    const least = Math.min(frame.clientWidth / width, frame.clientHeight / height, 1), before = scale;
    scale = Math.min(Math.max(scale * factor, least), NEAREST);
    const { scrollLeft, scrollTop } = frame;
    const kept = (from, at) => ((from + at) * scale) / before - at; // what is under the pointer stays there
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    frame.scrollTo(kept(scrollLeft, x), kept(scrollTop, y));
    frame.dataset.scale = scale.toFixed(2);
  };
  const [closer, farther, all] = [() => zoom(FACTOR), () => zoom(1 / FACTOR), () => zoom(0)];
  const keys = { "+": closer, "=": closer, "-": farther, 0: all,
    ArrowLeft: () => frame.scrollBy(-STEP, 0), ArrowRight: () => frame.scrollBy(STEP, 0),
    ArrowUp: () => frame.scrollBy(0, -STEP), ArrowDown: () => frame.scrollBy(0, STEP) };
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });
  frame.addEventListener("wheel", (event) => {
    // Else the page could not be scrolled past it.
    if (!event.ctrlKey && !frame.contains(document.activeElement)) return;
    event.preventDefault();
    const edge = frame.getBoundingClientRect();
    zoom(event.deltaY < 0 ? FACTOR : 1 / FACTOR, event.clientX - edge.left, event.clientY - edge.top);
  }, { passive: false });
  pan(frame);
  pointAtNeighbours(svg);
  // Layers are centred: their middle is never empty.
  requestAnimationFrame(() => frame.scrollTo(0, (height - HEIGHT) / 2));
  frame.dataset.scale = scale.toFixed(2);
  const sign = (text, run, title) => button(text, run, { title, "aria-label": title });
  return el("div.stack", frame,
    el("div.row", sign("+", closer, "Zoom in"), sign("−", farther, "Zoom out"), button("Show all", all),
      quiet("Drag to move; the wheel zooms once the graph has the focus.")));
}

function pan(frame) {
  let moved = 0;
  frame.addEventListener("pointerdown", () => (moved = 0));
  frame.addEventListener("pointermove", (event) => {
    if (!(event.buttons & 1)) return;
    moved += Math.abs(event.movementX) + Math.abs(event.movementY);
    if (moved > 4) frame.setPointerCapture(event.pointerId);
    frame.scrollBy(-event.movementX, -event.movementY);
  });
  frame.addEventListener("click", (event) => moved > 4 && event.preventDefault(), true);
  frame.addEventListener("dragstart", (event) => event.preventDefault());
}

function pointAtNeighbours(svg) {
  const point = (event) => {
    const id = event.target.closest?.(".node")?.dataset.id;
    const near = new Set(id === undefined ? [] : [id]);
    for (const edge of svg.querySelectorAll(".edge")) {
      const ends = edge.dataset.id.split(" "), isLit = ends.includes(id);
      edge.classList.toggle("lit", isLit);
      if (isLit) ends.forEach((end) => near.add(end));
    }
    for (const node of svg.querySelectorAll(".node")) node.classList.toggle("lit", near.has(node.dataset.id));
    svg.classList.toggle("pointed", id !== undefined);
  };
  for (const event of ["pointerover", "pointerleave", "focusin", "focusout"]) svg.addEventListener(event, point);
}

function cyclesOf({ total_cycles, cycles }) {
  const words = ({ files, size, at_load }) => el("li",
    `${size} files import each other${at_load ? " while they load" : ", only in functions or for types"}: `,
    files.slice(0, NAMED).map((file, at) => [at > 0 && ", ", codeLink(file)]),
    size > NAMED && ` and ${size - NAMED} more`);
  const list = (some) => el("ul.cycles", some.map(words));
  return el("div.stack", el("h3", total_cycles ? `Cycles, ${total_cycles}` : "No cycles"), list(cycles.slice(0, 5)),
    cycles.length > 5 && el("details", el("summary", `${cycles.length - 5} more`), list(cycles.slice(5))));
}
