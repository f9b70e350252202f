// Markup that the server made, as nodes; Markdown is rendered and sanitised there, many texts per request.

import { post } from "./api.js";
import { el, fill, svgEl } from "./dom.js";

/** What the server accepts in one request (`markdown_texts` in kernel/limits.py). */
const MAX_TEXTS = 200;
/** Keeps a request below the server's limit of 1 MiB, whatever the encoding of the characters; a judgement. */
const MAX_CHARACTERS = 150_000;
/** A judgement: more texts than a view shows at a time. */
const MAX_CACHED = 500;

/**
 * Rendered HTML by source text, the oldest first.
 * @type {Map<string, string>}
 */
const cache = new Map();
/** @typedef {{text: string, show: (html: string) => void}} Pending */
/** @type {Pending[]} */
let pending = [];

/**
 * Return an element that shows Markdown: the source at first, then what the server makes of it.
 * @param {string} text
 */
export function markdown(text) {
  const node = el("div.markdown.as-written", text);
  const show = (/** @type {string} */ html) => {
    node.classList.remove("as-written");
    fill(node, sanitise(html, "html"));
  };
  const known = cache.get(text);
  if (known !== undefined) show(known);
  else if (pending.push({ text, show }) === 1) queueMicrotask(renderPending);
  return node;
}

async function renderPending() {
  const all = pending;
  pending = [];
  while (all.length > 0) {
    let [count, characters] = [0, 0];
    const fits = (/** @type {Pending} */ { text }) => count === 0 || characters + text.length <= MAX_CHARACTERS;
    while (count < Math.min(all.length, MAX_TEXTS) && fits(all[count])) characters += all[count++].text.length;
    await render(all.splice(0, count));
  }
}

/** @param {Pending[]} batch */
async function render(batch) {
  const { html } = await post("markdown", { texts: batch.map(({ text }) => text) }).catch(() => ({ html: [] }));
  for (const [index, { text, show }] of batch.entries()) {
    if (typeof html[index] !== "string") continue; // the source stays
    cache.set(text, html[index]);
    show(html[index]);
  }
  for (const oldest of [...cache.keys()].slice(0, Math.max(0, cache.size - MAX_CACHED))) cache.delete(oldest);
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

/**
 * Return the server's markup as nodes: only elements and attributes on the list are copied, with their text.
 * @param {string} text
 * @param {"html" | "svg"} kind
 */
export function sanitise(text, kind) {
  const [elements, attributes] = Object.values(ALLOWED[kind]).map((names) => new Set(names.split(" ")));
  const create = kind === "svg" ? svgEl : el;
  /** @type {(node: any) => any} */
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (!elements.has(node.localName)) return null;
    const properties = Object.fromEntries([...node.attributes].filter(({ name }) => attributes.has(name))
      .map(({ name, value }) => [name, value]));
    const isExternal = node.localName === "a" && !/^(\/(?!\/)|#)/.test(properties.href ?? "");
    if (isExternal) properties.rel = "noopener noreferrer";
    return create(node.localName, properties, [...node.childNodes].map(copy));
  };
  const parsed = new DOMParser().parseFromString(text, kind === "svg" ? "image/svg+xml" : "text/html");
  return fill(document.createDocumentFragment(), [...(parsed.body ?? parsed).childNodes].map(copy));
}
