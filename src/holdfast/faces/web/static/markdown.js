// Nodes from the server's markup. The server renders and sanitises Markdown, many texts per request.

import { post } from "./api.js";
import { el, fill, svgEl } from "./dom.js";

/** A judgement: below the number that the server accepts (`markdown_texts` in kernel/limits.py), and answered soon. */
const MAX_TEXTS_PER_REQUEST = 200;
/** JSON escapes a character in at most 6 bytes, so a request stays below the server's limit of 1 MiB. */
const MAX_CHARACTERS_PER_REQUEST = 150_000;
/** A judgement: more texts than a view shows at a time. */
const MAX_CACHED_TEXTS = 500;

/**
 * Rendered HTML by source text, the oldest first.
 * @type {Map<string, string>}
 */
const cache = new Map();
/** @typedef {{text: string, show: (html: string) => void}} Pending a text to render, and the function that shows it */
/** @type {Pending[]} */
let pending = [];

/**
 * Return an element that shows Markdown: first the source text, then the HTML that the server renders.
 * @param {string} text
 */
export function markdown(text) {
  const node = el("div.markdown.as-written", text);
  const show = (/** @type {string} */ html) => {
    node.classList.remove("as-written");
    fill(node, sanitise(html, "html"));
  };
  const cached = cache.get(text);
  if (cached !== undefined) {
    show(cached);
    return node;
  }
  pending.push({ text, show });
  if (pending.length === 1) queueMicrotask(renderPending); // later, so that the texts of a view share a request
  return node;
}

/** Render all pending texts, in as many requests as necessary. */
async function renderPending() {
  const texts = pending;
  pending = [];
  while (texts.length > 0) await render(texts.splice(0, batchSize(texts)));
}

/**
 * Return how many of the first texts fit into one request; at least one.
 * @param {Pending[]} texts
 */
function batchSize(texts) {
  let characters = 0;
  const firstTooMany = texts.findIndex(({ text }, index) => {
    characters += text.length;
    return index === MAX_TEXTS_PER_REQUEST || characters > MAX_CHARACTERS_PER_REQUEST;
  });
  return firstTooMany < 0 ? texts.length : Math.max(firstTooMany, 1);
}

/**
 * Render some texts in one request, show them and cache them.
 * @param {Pending[]} batch
 */
async function render(batch) {
  // If the request fails, the source texts stay.
  const { html } = await post("markdown", { texts: batch.map(({ text }) => text) }).catch(() => ({ html: [] }));
  for (const [index, { text, show }] of batch.entries()) {
    if (typeof html[index] !== "string") continue;
    cache.set(text, html[index]);
    show(html[index]);
  }
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED_TEXTS) break;
    cache.delete(oldest);
  }
}

/**
 * The allow list of elements and attributes, for each kind of markup: a second check, in case the server's allow list
 * has a gap.
 */
const ALLOWED = {
  html: {
    elements: "p br hr h1 h2 h3 h4 h5 h6 strong em del s code pre blockquote ul ol li a table thead tbody tr th td",
    attributes: "href title start class",
  },
  svg: {
    elements: "svg g path rect circle ellipse line polyline polygon text tspan title a defs marker",
    attributes: "viewBox width height x y x1 y1 x2 y2 cx cy r rx ry d points transform text-anchor " +
      "dominant-baseline class id href marker-end refX refY orient markerWidth markerHeight data-path data-id role " +
      "aria-label tabindex",
  },
};

/**
 * Return the server's markup as nodes. Only elements and attributes on the allow list are copied, with their text.
 * @param {string} text
 * @param {"html" | "svg"} kind
 */
export function sanitise(text, kind) {
  const elements = new Set(ALLOWED[kind].elements.split(" "));
  const attributes = new Set(ALLOWED[kind].attributes.split(" "));
  const create = kind === "svg" ? svgEl : el;
  /** @type {(node: any) => any} */
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (!elements.has(node.localName)) return null;
    const allowed = [...node.attributes].filter(({ name }) => attributes.has(name));
    const properties = Object.fromEntries(allowed.map(({ name, value }) => [name, value]));
    const isOfThisServer = /^(\/(?!\/)|#)/.test(properties.href ?? "");
    if (node.localName === "a" && !isOfThisServer) properties.rel = "noopener noreferrer";
    return create(node.localName, properties, [...node.childNodes].map(copy));
  };
  const parsed = new DOMParser().parseFromString(text, kind === "svg" ? "image/svg+xml" : "text/html");
  return fill(document.createDocumentFragment(), [...(parsed.body ?? parsed).childNodes].map(copy));
}
