// Markup that the server made, as nodes; Markdown is rendered and sanitised there, many texts in one request.

import { post } from "./api.js";
import { el, fill, vector } from "./dom.js";

const MOST_TEXTS = 200;
const MOST_CHARACTERS = 150_000; // of one request: a megabyte, however the characters are spelled
const KEPT = 500;

/** Text to HTML, the oldest first. */
const known = new Map();
let waiting = [];

/** Return an element that shows a text's Markdown: as it was written until the server has rendered it. */
export function markdown(text) {
  const node = el("div.markdown.as-written", text);
  const show = (html) => {
    node.classList.remove("as-written");
    fill(node, adopt(html, "html"));
  };
  if (known.has(text)) show(known.get(text));
  else if (waiting.push({ text, show }) === 1) queueMicrotask(renderAll);
  return node;
}

async function renderAll() {
  const all = waiting;
  waiting = [];
  while (all.length > 0) {
    let [count, characters] = [0, 0];
    const fits = ({ text }) => count === 0 || characters + text.length <= MOST_CHARACTERS;
    while (count < Math.min(all.length, MOST_TEXTS) && fits(all[count])) characters += all[count++].text.length;
    await render(all.splice(0, count));
  }
}

async function render(batch) {
  const { html } = await post("markdown", { texts: batch.map(({ text }) => text) }).catch(() => ({ html: [] }));
  for (const [place, { text, show }] of batch.entries()) {
    if (typeof html[place] !== "string") continue; // it stays as it was written
    known.set(text, html[place]);
    show(html[place]);
  }
  for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - KEPT))) known.delete(oldest);
}

const ALLOWED = {
  html: {
    elements: "p br hr h1 h2 h3 h4 h5 h6 strong em del s code pre blockquote ul ol li a table thead tbody tr th td",
    attributes: "href title start",
  },
  svg: {
    elements: "svg g path rect circle ellipse line polyline polygon text tspan title a defs marker",
    attributes: "viewBox width height x y x1 y1 x2 y2 cx cy r rx ry d points transform text-anchor " +
      "dominant-baseline class id href marker-end refX refY orient markerWidth markerHeight data-path data-id role " +
      "aria-label tabindex",
  },
};

/** Return markup that the server made as nodes: only what is on the list is copied, with its text. */
export function adopt(text, kind) {
  const [elements, attributes] = Object.values(ALLOWED[kind]).map((names) => new Set(names.split(" ")));
  const [type, make] = kind === "svg" ? ["image/svg+xml", vector] : ["text/html", el];
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (!elements.has(node.localName)) return null;
    const properties = Object.fromEntries([...node.attributes].filter(({ name }) => attributes.has(name))
      .map(({ name, value }) => [name, value]));
    const isOutside = node.localName === "a" && !/^(\/(?!\/)|#)/.test(properties.href ?? "");
    if (isOutside) properties.rel = "noopener noreferrer";
    return make(node.localName, properties, [...node.childNodes].map(copy));
  };
  const parsed = new DOMParser().parseFromString(text, type);
  return fill(document.createDocumentFragment(), (parsed.body ?? parsed).childNodes.values().map(copy).toArray());
}
