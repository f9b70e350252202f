// Small things that views are made of: buttons, choices, quiet words, bars, and links to places in the code.

import { el } from "./dom.js";
import { address } from "./router.js";

/** Return a button; `more` gives it another look or a label. */
export const button = (text, click, more = {}) => el("button", { class: "button", type: "button", on: { click }, ...more }, text);

/** Return a button that does not stand out. */
export const plain = (text, click, more = {}) => button(text, click, { class: "button plain", ...more });

/** Return a choice among values, each one its own text or `[value, text]`; `change` gets the one that was chosen. */
export function choice(label, options, chosen, change, more = {}) {
  const items = options.map((option) => [option].flat()).map(([value, text = value]) => el("option", { value }, text));
  const node = el("select", { "aria-label": label, on: { change: () => change(node.value) }, ...more }, items);
  node.value = chosen ?? "";
  return node;
}

/** Return words that stand back. */
export const quiet = (...children) => el("span", { class: "quiet" }, children);

/** Return a thin line that is full up to a share of a hundred. */
export const bar = (label, share) =>
  el("div", { class: "bar", role: "progressbar", "aria-label": label, "aria-valuenow": share, style: { "--share": `${share}%` } });

/** Return where lines of a file are shown; without a line, where the file is. */
export const codeAddress = (file, first, last) =>
  `${address("/code", file)}${first ? `#L${first}${last > first ? `-L${last}` : ""}` : ""}`;

/** Return a link to a line of a file, or to the file. */
export const codeLink = (file, line) => el("a", { class: "mono", href: codeAddress(file, line) }, line ? `${file}:${line}` : file);

/** Return where a commit is reviewed. */
export const commitAddress = (revision) => `/review?what=commit&revision=${encodeURIComponent(revision)}`;

/** Let Ctrl-Enter send what is typed in a field or a form, and Esc leave it. */
export function sentByKeys(node, send, leave) {
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
    else if (event.key === "Escape" && leave) leave();
    else return;
    event.preventDefault();
  });
}
