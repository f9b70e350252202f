// Nodes from data: everything the page shows is made here, as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return an element. Children are text or nodes; null and false are left out. */
export function el(tag, properties = {}, ...children) {
  return made(document.createElement(tag), properties, children);
}

/** Return an element of a drawing. */
export function vector(tag, attributes = {}, ...children) {
  return made(document.createElementNS(SVG, tag), attributes, children);
}

/** Put other children into a node. */
export function fill(node, ...children) {
  node.replaceChildren(...nodes(children));
  return node;
}

function made(node, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) set(node, name, value);
  node.append(...nodes(children));
  return node;
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
  } else if (name === "dataset") {
    for (const [key, text] of Object.entries(value)) node.dataset[key] = text;
  } else if (name === "style") {
    for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
  } else if (name === "value" || name === "checked") {
    node[name] = value;
  } else if (name === "href") {
    const safe = safeAddress(value);
    if (safe !== null) node.setAttribute("href", safe);
  } else if (name.startsWith("on")) {
    throw new Error(`${name}: handlers belong into "on"`);
  } else {
    node.setAttribute(name, value === true ? "" : value);
  }
}

/** Return an address that may be linked: of this server, or http and https; null for any other. */
export function safeAddress(text) {
  try {
    const url = new URL(text, document.baseURI);
    return ["http:", "https:"].includes(url.protocol) ? String(text) : null;
  } catch {
    return null;
  }
}

const ALLOWED = {
  html: {
    elements: "p br hr h1 h2 h3 h4 h5 h6 strong em del s code pre blockquote ul ol li a table thead tbody tr th td",
    attributes: "href title start",
  },
  svg: {
    elements: "svg g path rect circle ellipse line polyline polygon text tspan title a defs marker",
    attributes: "viewBox width height x y x1 y1 x2 y2 cx cy r rx ry d points transform text-anchor dominant-baseline " +
      "class id href marker-end refX refY orient markerWidth markerHeight data-path data-id role aria-label tabindex",
  },
};

/** Return markup that the server made as nodes: only what is on the list is copied, with its text. */
export function adopt(text, kind) {
  const allowed = { elements: new Set(ALLOWED[kind].elements.split(" ")), attributes: new Set(ALLOWED[kind].attributes.split(" ")) };
  const parsed = new DOMParser().parseFromString(text, kind === "svg" ? "image/svg+xml" : "text/html");
  const fragment = document.createDocumentFragment();
  const roots = kind === "svg" ? [parsed.documentElement] : parsed.body.childNodes;
  for (const root of roots) copyInto(fragment, root, allowed, kind === "svg" ? vector : el);
  return fragment;
}

function copyInto(parent, node, allowed, make) {
  if (node.nodeType === Node.TEXT_NODE) parent.append(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE || !allowed.elements.has(node.localName)) return;
  const properties = {};
  for (const { name, value } of node.attributes) if (allowed.attributes.has(name)) properties[name] = value;
  if (node.localName === "a" && !/^(\/(?!\/)|#)/.test(properties.href ?? "")) properties.rel = "noopener noreferrer";
  const copy = make(node.localName, properties);
  for (const child of node.childNodes) copyInto(copy, child, allowed, make);
  parent.append(copy);
}
