// Builds and updates elements from data: text is inserted as text, never as markup, and updates keep the focus.

const SVG = "http://www.w3.org/2000/svg";

/**
 * The element type for a name such as "input" or "input.mono".
 * @template {string} Name
 * @typedef {Name extends `${infer Tag}.${string}` ? ElementOf<Tag>
 *   : Name extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Name] : HTMLElement} ElementOf
 */

/**
 * Create an element: `el("p.quiet", {title}, ...children)`.
 *
 * Properties are optional. Children are text, nodes or nested arrays of them; null, undefined and false are skipped.
 * @template {string} Name
 * @param {Name} name a tag, followed by classes
 * @param {...any} rest
 * @returns {ElementOf<Name>}
 */
export function el(name, ...rest) {
  const [tag, ...classes] = name.split(".");
  return /** @type {any} */ (build(document.createElement(tag), classes, rest));
}

/**
 * Create an SVG element; properties and children as for `el`.
 * @param {string} tag
 * @param {...any} rest
 */
export const svgEl = (tag, ...rest) => build(document.createElementNS(SVG, tag), [], rest);

/**
 * Replace the children of a node. If the focused element is removed, the focus moves to its equivalent among the new
 * children, found by its accessible name or link target.
 * @template {HTMLElement | SVGElement | DocumentFragment} Parent
 * @param {Parent} node
 * @param {...any} children
 */
export function fill(node, ...children) {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const hadFocus = node !== /** @type {any} */ (focused) && node.contains(focused);
  node.replaceChildren(...flatten(children));
  if (hadFocus) {
    const target = node.contains(focused) ? focused : findControl(node, focused.localName, controlName(focused));
    target?.focus({ preventScroll: true });
  }
  return node;
}

/**
 * Find the control that matches a selector and has a name, see `controlName`.
 * @param {ParentNode} node
 * @param {string} selector
 * @param {string} name
 * @returns {HTMLElement | undefined}
 */
export const findControl = (node, selector, name) => {
  const controls = /** @type {NodeListOf<HTMLElement>} */ (node.querySelectorAll(selector));
  return [...controls].find((control) => controlName(control) === name);
};

/**
 * Return the text that identifies a control among others: its `data-focus`, link target, label or text.
 * @param {HTMLElement} node
 */
const controlName = (node) => node.dataset.focus ?? node.getAttribute("href") ?? node.ariaLabel ?? node.textContent;

/**
 * Add classes, properties and children to a new element.
 * @param {HTMLElement | SVGElement} node
 * @param {string[]} classes
 * @param {any[]} rest the properties, if any, then the children
 */
function build(node, classes, rest) {
  const hasProperties = rest[0]?.constructor === Object;
  node.classList.add(...classes);
  for (const [name, value] of Object.entries(hasProperties ? rest[0] : {})) setProperty(node, name, value);
  node.append(...flatten(hasProperties ? rest.slice(1) : rest));
  return node;
}

/**
 * Return children as a flat list of nodes and strings.
 * @param {any[]} children
 * @returns {(Node | string)[]}
 */
function flatten(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/**
 * Set a property, an attribute, or with `on`, `dataset` and `style` several; null, undefined and false are skipped.
 * @param {any} node
 * @param {string} name
 * @param {any} value
 */
function setProperty(node, name, value) {
  if (typeof value === "boolean" && name.startsWith("aria-")) value = String(value);
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
  } else if (name === "dataset") {
    Object.assign(node.dataset, value);
  } else if (name === "style") {
    for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
  } else if (name === "value" || name === "checked") {
    node[name] = value;
  } else if (name === "href") {
    if (isSafe(value)) node.setAttribute("href", value);
  } else if (name.startsWith("on")) {
    throw new Error(`${name}: pass handlers in "on"`);
  } else {
    node.setAttribute(name, value === true ? "" : value);
  }
}

/**
 * Return whether a link target is allowed: only http and https, so no scripts; a relative one has this server's scheme.
 * @param {string} text
 */
const isSafe = (text) => ["http:", "https:"].includes(URL.parse(text, document.baseURI)?.protocol ?? "");

/**
 * Make `wanted` the children of a parent, in that order. Remaining nodes are moved only if necessary, because the user
 * may be focusing or dragging one.
 * @param {Element} parent
 * @param {Element[]} wanted
 */
export function arrange(parent, wanted) {
  for (const node of [...parent.children]) if (!wanted.includes(node)) node.remove();
  const focused = document.activeElement;
  wanted.forEach((node, index) => {
    const current = parent.children[index] ?? null;
    if (current !== node) parent.insertBefore(node, current);
  });
  if (focused instanceof HTMLElement && focused !== document.activeElement && parent.contains(focused)) focused.focus();
}

/**
 * Render a keyed list: each item keeps its node while its `id` is in the list.
 * @template {{id: string}} Item
 * @param {HTMLElement} parent
 * @param {Item[]} items
 * @param {(item: Item, node: HTMLElement) => any} draw
 * @param {string} name the element of each item, as for `el`
 */
export function renderKeyed(parent, items, draw, name = "li") {
  const existing = /** @type {HTMLElement[]} */ ([...parent.children]);
  const nodesByKey = new Map(existing.map((node) => [node.dataset.key, node]));
  arrange(parent, items.map((item) => {
    const node = nodesByKey.get(item.id) ?? /** @type {HTMLElement} */ (el(name, { dataset: { key: item.id } }));
    patch(node, item, () => draw(item, node));
    return node;
  }));
}

/**
 * The data that each node was last rendered from, as JSON.
 * @type {WeakMap<Element, string>}
 */
const renderedData = new WeakMap();

/**
 * Render a node again if its data changed, unless it contains a form or opened details.
 * @param {HTMLElement} node
 * @param {any} data
 * @param {() => any} render
 * @param {boolean} isRemote whether somebody else made the change; if so it is highlighted
 */
export function patch(node, data, render, isRemote = true) {
  const json = JSON.stringify(data ?? null);
  const isInUse = node.querySelector("details[open], form:not(details *)");
  if (renderedData.get(node) === json || isInUse) return;
  fill(node, render());
  if (isRemote && renderedData.has(node)) highlight(node);
  renderedData.set(node, json);
}

/**
 * Make the next `patch` of a node render it even if its data is the same.
 * @param {Element} node
 */
export const invalidate = (node) => renderedData.delete(node);

/**
 * Highlight a node briefly, because somebody else changed it.
 * @param {Element} node
 */
export function highlight(node) {
  node.classList.add("fresh");
  node.addEventListener("animationend", () => node.classList.remove("fresh"), { once: true });
}
