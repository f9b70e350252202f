// Small things that views are made of: buttons, choices, fields, quiet words, bars, and links to places in the code.

import { el } from "./dom.js";
import { address } from "./router.js";

/** Return a button; `more` gives it another look or a label. */
export function button(text, click, more = {}) {
  return el("button", { class: "button", type: "button", on: { click }, ...more }, text);
}

/** Return a button that does not stand out. */
export function plain(text, click, more = {}) {
  return button(text, click, { class: "button plain", ...more });
}

/** Return a choice among values, each one its own text or `[value, text]`; `change` gets the one that was chosen. */
export function choice(label, options, chosen, change, more = {}) {
  const items = options.map((option) => [option].flat()).map(([value, text = value]) => el("option", { value }, text));
  const node = el("select", { "aria-label": label, on: { change: () => change(node.value) }, ...more }, items);
  node.value = chosen ?? "";
  return node;
}

/** Return words that stand back. */
export function quiet(...children) {
  return el("span", { class: "quiet" }, children);
}

/** Return a thin line that is full up to a share of a hundred. */
export function bar(label, share) {
  return el("div", { class: "bar", role: "progressbar", "aria-label": label, "aria-valuenow": share, style: { "--share": `${share}%` } });
}

/** Return where lines of a file are shown; without a line, where the file is. */
export function codeAddress(file, first, last) {
  return `${address("/code", file)}${first ? `#L${first}${last > first ? `-L${last}` : ""}` : ""}`;
}

/** Return a link to a line of a file, or to the file. */
export function codeLink(file, line) {
  return el("a", { class: "mono", href: codeAddress(file, line) }, line ? `${file}:${line}` : file);
}

/** Return where a commit is reviewed. */
export function commitAddress(revision) {
  return `/review?what=commit&revision=${encodeURIComponent(revision)}`;
}

/** Let Ctrl-Enter send what is typed in a field, and Esc leave it. */
export function sentByKeys(field, send, leave) {
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  });
}
