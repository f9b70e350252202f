// Nodes from data, as text, never as markup: elements, and the controls, forms and times that views are made of.

import { address } from "./router.js";

const SVG = "http://www.w3.org/2000/svg";

/** Return an element: `el("p.quiet", {title}, ...)`. Children are text or nodes; null and false are left out. */
export function el(name, ...rest) {
  const [tag, ...classes] = name.split(".");
  return made(document.createElement(tag), classes, rest);
}

export const vector = (tag, ...rest) => made(document.createElementNS(SVG, tag), [], rest);

/** Put other children into a node; what had the focus keeps it, or gives it to what took its place. */
export function fill(node, ...children) {
  const focused = document.activeElement;
  const isWithin = node !== focused && node.contains(focused);
  node.replaceChildren(...nodes(children));
  const kept = isWithin && (node.contains(focused) ? focused : named(node, focused.localName, nameOf(focused)));
  if (kept) kept.focus({ preventScroll: true });
  return node;
}

/** Return the control below a node, among those of a selector, that leads to something or is called so. */
export const named = (node, selector, name) => [...node.querySelectorAll(selector)].find((one) => nameOf(one) === name);

const nameOf = (node) => node.dataset.focus ?? node.getAttribute("href") ?? node.ariaLabel ?? node.textContent;

function made(node, classes, [first, ...others]) {
  const isPlain = first?.constructor === Object;
  node.classList.add(...classes);
  for (const [name, value] of Object.entries(isPlain ? first : {})) set(node, name, value);
  node.append(...nodes(isPlain ? others : [first, others]));
  return node;
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

function set(node, name, value) {
  if (typeof value === "boolean" && name.startsWith("aria-")) value = String(value);
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
  } else if (name === "dataset") {
    Object.assign(node.dataset, value);
  } else if (name === "style") {
    for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
  } else if (name === "value" || name === "checked") {
    node[name] = value;
  } else if (name === "href") {
    if (isSafe(value)) node.setAttribute("href", value);
  } else if (name.startsWith("on")) {
    throw new Error(`${name}: handlers belong into "on"`);
  } else {
    node.setAttribute(name, value === true ? "" : value);
  }
}

/** Tell whether an address may be linked: of this server, or http and https. */
const isSafe = (text) => ["http:", "https:"].includes(URL.parse(text, document.baseURI)?.protocol);

/** Put nodes into a parent in their order, without touching those that stay: one may have the focus, or be dragged. */
export function arrange(parent, wanted) {
  for (const node of [...parent.children]) if (!wanted.includes(node)) node.remove();
  const focused = document.activeElement;
  wanted.forEach((node, place) => {
    const there = parent.children[place] ?? null;
    if (there !== node) parent.insertBefore(node, there);
  });
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus();
}

/** Show things in a list, each in a node of its own that stays as long as the thing does. */
export function keyed(parent, items, draw, name = "li") {
  const before = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  arrange(parent, items.map((item) => {
    const node = before.get(item.id) ?? el(name, { dataset: { key: item.id } });
    patch(node, item, () => draw(item, node));
    return node;
  }));
}

/** Fill a node anew when what it shows has changed, unless somebody is writing in it; what others did fades. */
export function patch(node, data, render, elsewhere = true) {
  const text = JSON.stringify(data ?? null);
  if (node.shows === text || node.querySelector("details[open], form:not(details *)")) return;
  fill(node, render());
  if (elsewhere && node.shows) fade(node);
  node.shows = text;
}

/** Let something that changed elsewhere fade once. */
export function fade(node) {
  node.classList.add("fresh");
  node.addEventListener("animationend", () => node.classList.remove("fresh"), { once: true });
}

// Words

/** Return words that stand back. */
export const quiet = (...children) => el("span.quiet", children);

/** Return a number with its noun: "1 note", "3 notes". */
export const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** Return a failure in words, with what to do. */
export const failure = ({ message, hint }, ...next) =>
  el("div.problem", { role: "alert" }, el("strong", message), hint && el("p", hint), next);

/** Return what an empty place says: what belongs there, and what brings it. */
export const empty = (text, ...next) => el("div.empty", el("p", text), next);

/** Return a thin line that is full up to a share of a hundred. */
export const bar = (label, share) => {
  const named = { role: "progressbar", "aria-label": label, "aria-valuenow": share };
  return el("div.bar", { ...named, style: { "--share": `${share}%` } });
};

/** Return where lines of a file are shown; without a line, where the file is. */
export const codeAddress = (file, first, last) =>
  `${address("/code", file)}${first ? `#L${first}${last > first ? `-L${last}` : ""}` : ""}`;

export const codeLink = (file, line) => el("a.mono", { href: codeAddress(file, line) }, file, line && `:${line}`);

export const commitAddress = (revision) => `/review?what=commit&revision=${encodeURIComponent(revision)}`;

// Controls

/** Return what runs something, but not again while it still runs: a second click finds the first one at work. */
export function unhurried(run) {
  let running = null;
  return (event) => (running ??= Promise.resolve(run(event)).finally(() => (running = null)));
}

/** Return a button; `more` gives it another look or a label. */
export const button = (text, click, more = {}) =>
  el("button.button", { type: "button", on: { click: unhurried(click) }, ...more }, text);

/** Return a button that does not stand out. */
export const plain = (text, click, more = {}) => button(text, click, { class: "button plain", ...more });

/** Return the button of what a view is mostly for. */
export const primary = (text, click, more = {}) => button(text, click, { class: "button primary", ...more });

/** Return a choice among values, each one its own text or `[value, text]`; `change` gets the one that was chosen. */
export function choice(label, options, chosen, change, more = {}) {
  const items = options.map((option) => [option].flat()).map(([value, text = value]) => el("option", { value }, text));
  const node = el("select", { "aria-label": label, on: { change: () => change?.(node.value) }, ...more }, items);
  node.value = chosen ?? "";
  return node;
}

/** Show something above the page until Esc or a click beside it; return the dialog. */
export function dialog(title, ...children) {
  const close = plain("✕", () => box.close(), { "aria-label": "Close" });
  const box = el("dialog", { "aria-label": title }, el("header.row", el("h2", title), close), children);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  return box;
}

// Forms: what goes wrong is told above the buttons, and nothing is sent twice.

export const field = (label, control) => el("label.field", el("span", label), control);

/** Return a button that sends a form; `value` tells it from others of the same form. */
export const submit = (text, value, look = "") =>
  el("button", { class: `button ${look}`, type: "submit", value }, text);

/**
 * Return a form. `send` gets what its fields hold and the value of the button, and may fail; `cancel` leaves it.
 * Its buttons are `verb`, or `buttons`; `beside` stands in their row. With `keep`, a name, what is typed into its text
 * outlives a reload, Back and a new sign-in until it is sent or cancelled.
 */
export function form(fields, { verb, buttons = submit(verb, null, "primary"), send, cancel, beside, keep, ...more }) {
  const trouble = el("div");
  const forget = () => keep && sessionStorage.removeItem(keep);
  const leave = cancel && (() => (forget(), cancel()));
  const submitted = unhurried(async ({ submitter }) => {
    try {
      await send(Object.fromEntries(new FormData(node)), submitter?.value);
      forget();
      fill(trouble);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(trouble, failure(problem));
    }
  });
  const row = el("div.row.wrap", beside, buttons, cancel && plain("Cancel", leave));
  const submit = (event) => (event.preventDefault(), submitted(event));
  const node = el("form.stack", { on: { submit }, ...more }, fields, trouble, row);
  sentByKeys(node, () => node.requestSubmit(), leave);
  const area = keep && node.querySelector("textarea");
  if (area) area.value = sessionStorage.getItem(keep) ?? "";
  area?.addEventListener("input", () => sessionStorage.setItem(keep, area.value));
  return node;
}

/** Ask for something above the page; `submit` may refuse by throwing. Resolves to undefined when it was cancelled. */
export function asked(view, title, fields, { verb, submit }) {
  return new Promise((resolve) => {
    let answer;
    const send = async (values) => {
      answer = await submit(values);
      box.close();
    };
    const box = dialog(title, form(fields, { verb, send, cancel: () => box.close() }));
    box.addEventListener("close", () => resolve(answer));
    view.signal.addEventListener("abort", () => box.close());
    box.querySelector("form input").focus();
  });
}

/** Let Ctrl-Enter send what is typed in a field or a form, and Esc leave it. */
export function sentByKeys(node, send, leave) {
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
    else if (event.key === "Escape" && leave) leave();
    else return;
    event.preventDefault();
  });
}

// Time in words that stay true: one clock renews them for the whole page.

const MINUTE = 60, HOUR = 3600, DAY = 86400;
const STEPS = [
  [MINUTE, 1, "s"], [HOUR, MINUTE, "min"], [DAY, HOUR, "h"],
  [30 * DAY, DAY, "days"], [365 * DAY, 30 * DAY, "months"], [Infinity, 365 * DAY, "years"],
];
const EACH = 10_000;

/** Return a duration in its largest unit: "12 min". */
function duration(seconds) {
  const [, size, unit] = STEPS.find(([limit]) => seconds < limit);
  const count = Math.max(0, Math.floor(seconds / size));
  return `${count} ${count === 1 ? unit.replace(/s$/, "") || unit : unit}`;
}

/** Return a time element that says how long ago a moment was, and keeps itself current. */
export function ago(iso) {
  const node = el("time", { datetime: iso, title: new Date(iso).toLocaleString() });
  return ticking(node, () => {
    const seconds = (Date.now() - new Date(iso)) / 1000;
    return seconds < 45 ? "just now" : `${duration(seconds)} ago`;
  });
}

/** Return how much is left until a moment, or "over". */
export function left(iso) {
  const seconds = (new Date(iso) - Date.now()) / 1000;
  return seconds > 0 ? duration(seconds) : "over";
}

/** Keep the words of a node true: ask for them now, and every few seconds while it is shown. */
export function ticking(node, words) {
  node.dataset.clock = "";
  node.renew = () => {
    const text = words();
    if (node.textContent !== text) node.textContent = text; // what says the same is not touched
  };
  node.renew();
  return node;
}

setInterval(() => {
  if (!document.hidden) document.querySelectorAll("[data-clock]").forEach((node) => node.renew?.());
}, EACH);
