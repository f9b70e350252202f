// The picture of what imports what, made by the server: zoom, pan, neighbours on pointing, cycles in words.

import { adopt, el, fill } from "../../dom.js";
import { get } from "../../api.js";
import { address } from "../../router.js";

const BOXES = 60, FACTOR = 1.25, STEP = 60, NEAREST = 4, HEIGHT = 440, NAMED = 8, EDGE = 4;

/** Fill a place with the graph and its cycles. */
export async function showGraph(view, place) {
  const found = await get("analyze/draw_dependency_graph", { limit: BOXES }, { signal: view.signal });
  if (!found.boxes) {
    fill(place, el("p", { class: "quiet" }, "No file imports another one of this repository."), cyclesOf(found));
    return;
  }
  const svg = adopt(found.svg, "svg").firstChild;
  const folders = found.folders ? `, of which ${found.folders} are folders, since more than ${BOXES} files import each other` : "";
  const alone = found.not_drawn ? ` ${found.not_drawn.toLocaleString("en")} files that no import touches are left out.` : "";
  const words = `${found.boxes} boxes${folders}; ${found.dependencies} lines from what uses to what is used. Boxes with a dashed edge use each other.${alone}`;
  fill(place, el("p", { class: "quiet" }, words), frameOf(svg), cyclesOf(found));
}

function frameOf(svg) {
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const label = "Graph of imports; plus and minus zoom, arrows move, 0 shows all";
  const frame = el("div", { class: "graph", tabindex: "0", role: "region", "aria-label": label, style: { height: `${Math.min(HEIGHT, height) + 2}px` } }, svg);
  const state = { x: 0, y: (height - HEIGHT) / 2, scale: 1 }; // layers are centred: their middle is never empty
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  const apply = () => {
    const [across, down] = [frame.clientWidth / state.scale, frame.clientHeight / state.scale];
    const within = (value, shown, all) => (shown >= all ? (all - shown) / 2 : Math.min(Math.max(value, 0), all - shown));
    Object.assign(state, { x: within(state.x, across, width), y: within(state.y, down, height) });
    svg.setAttribute("viewBox", `${state.x} ${state.y} ${across} ${down}`);
    frame.dataset.scale = state.scale.toFixed(2);
  };
  const least = () => Math.min(frame.clientWidth / width, frame.clientHeight / height, 1);
  const zoom = (factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) => {
    const scale = Math.min(Math.max(state.scale * factor, least()), NEAREST);
    state.x += x / state.scale - x / scale;
    state.y += y / state.scale - y / scale;
    state.scale = scale;
    apply();
  };
  const move = (x, y) => {
    state.x += x / state.scale;
    state.y += y / state.scale;
    apply();
  };
  const all = () => zoom(0);
  const keys = { "+": () => zoom(FACTOR), "=": () => zoom(FACTOR), "-": () => zoom(1 / FACTOR), 0: all,
    ArrowLeft: () => move(-STEP, 0), ArrowRight: () => move(STEP, 0), ArrowUp: () => move(0, -STEP), ArrowDown: () => move(0, STEP) };
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !frame.contains(document.activeElement)) return; // else the page could not be scrolled past it
    event.preventDefault();
    const edge = frame.getBoundingClientRect();
    zoom(event.deltaY < 0 ? FACTOR : 1 / FACTOR, event.clientX - edge.left, event.clientY - edge.top);
  }, { passive: false });
  svg.addEventListener("focusin", (event) => {
    const [box, edge] = [event.target.getBoundingClientRect(), frame.getBoundingClientRect()];
    const beyond = (low, high, from, to) => Math.min(low - from - EDGE, 0) || Math.max(high - to + EDGE, 0); // keys reach boxes that are out of sight
    move(beyond(box.left, box.right, edge.left, edge.right), beyond(box.top, box.bottom, edge.top, edge.bottom));
  });
  pan(frame, move);
  pointAtNeighbours(svg);
  new ResizeObserver(apply).observe(frame);
  const button = (words, text, run) => el("button", { class: "button", type: "button", "aria-label": words, title: words, on: { click: run } }, text);
  const buttons = [button("Zoom in", "+", keys["+"]), button("Zoom out", "−", keys["-"]), button("Show all", "Show all", all)];
  return el("div", { class: "stack" }, frame, el("div", { class: "row" }, buttons, el("span", { class: "quiet" }, "Drag to move; the wheel zooms once the graph has the focus.")));
}

function pan(frame, move) {
  let last = null, moved = 0;
  frame.addEventListener("pointerdown", (event) => event.button === 0 && ([last, moved] = [[event.clientX, event.clientY], 0]));
  frame.addEventListener("pointermove", (event) => {
    if (!last || !(event.buttons & 1)) return void (last = null);
    const [x, y] = last;
    moved += Math.abs(event.clientX - x) + Math.abs(event.clientY - y);
    if (moved > 4) frame.setPointerCapture(event.pointerId);
    move(x - event.clientX, y - event.clientY);
    last = [event.clientX, event.clientY];
  });
  frame.addEventListener("pointerup", () => (last = null));
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
  const link = (file) => el("a", { class: "mono", href: address("/code", file) }, file);
  const words = ({ files, size, at_load }) => el("li", {}, `${size} files import each other${at_load ? " while they load" : ", only in functions or for types"}: `,
    files.slice(0, NAMED).map((file, at) => [at ? ", " : "", link(file)]), size > NAMED ? ` and ${size - NAMED} more` : "");
  const list = (some) => el("ul", { class: "cycles" }, some.map(words));
  return el("div", { class: "stack" }, el("h3", {}, total_cycles ? `Cycles, ${total_cycles}` : "No cycles"), list(cycles.slice(0, 5)),
    cycles.length > 5 && el("details", {}, el("summary", {}, `${cycles.length - 5} more`), list(cycles.slice(5))));
}
