// Buttons, selects and dialogs.

import { el } from "./dom.js";

/**
 * Wrap a function so that calls made while it is still running join that run instead of starting another.
 * @template Argument, Result
 * @param {(argument: Argument) => Result | Promise<Result>} run
 * @returns {(argument?: Argument) => Promise<Result>}
 */
export function singleFlight(run) {
  /** @type {Promise<Result> | null} */
  let running = null;
  return (argument) => (running ??= Promise.resolve(run(/** @type {Argument} */ (argument))).finally(() => {
    running = null;
  }));
}

/**
 * Return a button that ignores further clicks while the first one is still being handled.
 * @param {any} text
 * @param {(event: MouseEvent) => any} click
 * @param {Record<string, any>} more further properties, such as another class or a label
 */
export const button = (text, click, more = {}) =>
  el("button.button", { type: "button", on: { click: singleFlight(click) }, ...more }, text);

/** @type {typeof button} A button without a frame. */
export const plainButton = (text, click, more = {}) => button(text, click, { class: "button plain", ...more });

/** @type {typeof button} The button of a view's main action. */
export const primaryButton = (text, click, more = {}) => button(text, click, { class: "button primary", ...more });

/**
 * Return a select.
 * @param {string} label
 * @param {(string | [value: any, text: string])[]} options a value that is its own text, or a value and its text
 * @param {any} chosen
 * @param {((value: string) => any) | null} [change] called with the value that was chosen
 * @param {Record<string, any>} more further properties
 */
export function choice(label, options, chosen, change, more = {}) {
  const items = options.map((option) => [option].flat()).map(([value, text = value]) => el("option", { value }, text));
  const node = el("select", { "aria-label": label, on: { change: () => change?.(node.value) }, ...more }, items);
  node.value = chosen ?? "";
  return node;
}

/**
 * Open a modal dialog, which Esc or a click outside closes; return it.
 * @param {string} title
 * @param {...any} children
 */
export function dialog(title, ...children) {
  const close = plainButton("✕", () => box.close(), { "aria-label": "Close" });
  const box = el("dialog", { "aria-label": title }, el("header.row", el("h2", title), close), children);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  return box;
}
