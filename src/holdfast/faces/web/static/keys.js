// Keys: one listener for the page; a view adds its own, and `?` shows them all.

import { el, fill } from "./dom.js";

const [local, global] = [[], []];
const EDITABLE = "input, textarea, select, [contenteditable]";

/** Add a key of the whole page. */
export const addKey = (key, text, run) => global.push({ key, text, run });

/** Add a key of the view that is shown. */
export const addViewKey = (key, text, run) => local.push({ key, text, run });

/** Forget the keys of the view that was left. */
export const clearViewKeys = () => local.splice(0);

/** Begin to listen. */
export function begin() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest?.(EDITABLE);
    if (typing && event.key !== "Escape" && !(event.ctrlKey || event.metaKey)) return;
    const name = `${event.ctrlKey || event.metaKey ? "Ctrl-" : ""}${event.key}`;
    const found = [...local, ...global].find((entry) => entry.key === name);
    if (!found || event.altKey) return;
    if (found.run(event) !== false) event.preventDefault();
  });
  addKey("?", "Show the keys", showKeys);
}

function showKeys() {
  const rows = [...local, ...global].map(({ key, text }) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, text)));
  dialog("Keys", el("table", { class: "keys" }, el("tbody", {}, rows)));
}

/** Show something above the page until Esc or a click beside it; return the dialog. */
export function dialog(title, ...children) {
  const box = el("dialog", { "aria-label": title });
  const close = el("button", { class: "button plain", type: "button", "aria-label": "Close", on: { click: () => box.close() } }, "✕");
  fill(box, el("header", { class: "row" }, el("h2", {}, title), close), children);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  return box;
}
