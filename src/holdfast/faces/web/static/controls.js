// Buttons, selects and dialogs.

import { el } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Wrap a function so that it does not run twice at once: a call during a run returns the promise of that run.
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
 * Return a button that ignores clicks while an earlier click is being handled.
 * @param {any} text
 * @param {(event: MouseEvent) => any} click
 * @param {Record<string, any>} more further properties, such as another class or a label
 */
export const button = (text, click, more = {}) =>
  el("button.button", { type: "button", on: { click: singleFlight(click) }, ...more }, text);

/** @type {typeof button} A button without a border. */
export const plainButton = (text, click, more = {}) => button(text, click, { class: "button plain", ...more });

/** @type {typeof button} The button for a view's main action. */
export const primaryButton = (text, click, more = {}) => button(text, click, { class: "button primary", ...more });

/**
 * Return a select element.
 * @param {string} label
 * @param {(string | [value: any, text: string])[]} options values, or pairs of a value and its text
 * @param {any} chosen
 * @param {((value: string) => any) | null} [change] called with the value that the user chose
 * @param {Record<string, any>} more further properties
 */
export function choice(label, options, chosen, change, more = {}) {
  const items = options.map((option) => {
    const [value, text = value] = [option].flat();
    return el("option", { value }, text);
  });
  const node = el("select", { "aria-label": label, on: { change: () => change?.(node.value) }, ...more }, items);
  node.value = chosen ?? "";
  return node;
}

/**
 * Open a modal dialog and return it. Esc or a click outside closes it.
 * @param {string} title
 * @param {...any} children
 */
export function dialog(title, ...children) {
  const close = plainButton(icon("close"), () => box.close(), { "aria-label": "Close" });
  const box = el("dialog", { "aria-label": title }, el("header.row", el("h2", title), close), children);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  return box;
}
