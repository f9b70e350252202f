// Forms: errors appear above the buttons, nothing is submitted twice, and unsent text can survive a reload.

import { dialog, plainButton, singleFlight } from "./controls.js";
import { errorMessage } from "./display.js";
import { el, fill } from "./dom.js";
import { deleteText, loadText, saveText } from "./storage.js";

/** @import { View } from "./view.js" */

/**
 * Return a control with its label.
 * @param {string} label
 * @param {Node} control
 */
export const field = (label, control) => el("label.field", el("span", label), control);

/**
 * Return a submit button; `value` identifies it among the buttons of a form.
 * @param {string} text
 * @param {string | null} [value]
 * @param {string} look further classes
 */
export const submitButton = (text, value, look = "") =>
  el("button", { class: `button ${look}`, type: "submit", value }, text);

/**
 * @typedef {object} FormOptions
 * @property {string} [verb] the text of the submit button
 * @property {any} [buttons] several submit buttons instead of one
 * @property {(values: any, pressed?: string) => any} send gets the values and the button; may throw
 * @property {() => any} [cancel] adds a Cancel button
 * @property {any} [beside] content before the buttons
 * @property {string} [keep] a name under which the text area's content survives reload, Back and signing in again,
 *   until it is sent or cancelled
 * @property {string} [class]
 */

/**
 * Return a form.
 * @param {any} fields
 * @param {FormOptions} options
 */
export function form(fields, { verb = "", buttons = submitButton(verb, null, "primary"), send, cancel, beside, keep,
  ...more }) {
  const trouble = el("div");
  const forget = () => keep && deleteText(keep, "session");
  const leave = cancel && (() => (forget(), cancel()));
  const submitted = singleFlight(async (/** @type {SubmitEvent} */ { submitter }) => {
    try {
      await send(Object.fromEntries(new FormData(node)), /** @type {HTMLButtonElement | null} */ (submitter)?.value);
      forget();
      fill(trouble);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(trouble, errorMessage(problem));
    }
  });
  const row = el("div.row.wrap", beside, buttons, leave && plainButton("Cancel", leave));
  const submit = (/** @type {SubmitEvent} */ event) => (event.preventDefault(), submitted(event));
  const node = el("form.stack", { on: { submit }, ...more }, fields, trouble, row);
  bindSubmitKeys(node, () => node.requestSubmit(), leave);
  const area = keep ? node.querySelector("textarea") : null;
  if (keep && area) {
    area.value = loadText(keep, "session") ?? "";
    area.addEventListener("input", () => saveText(keep, area.value, "session"));
  }
  return node;
}

/**
 * Show a form in a dialog; resolve to what `submit` returns, or to undefined if the dialog is closed.
 * @param {View} view the dialog closes with it
 * @param {string} title
 * @param {any} fields
 * @param {{verb: string, submit: (values: any) => any}} options `submit` throws to refuse
 */
export function formDialog(view, title, fields, { verb, submit }) {
  return new Promise((resolve) => {
    let result;
    const send = async (values) => {
      result = await submit(values);
      box.close();
    };
    const box = dialog(title, form(fields, { verb, send, cancel: () => box.close() }));
    box.addEventListener("close", () => resolve(result));
    view.signal.addEventListener("abort", () => box.close());
    /** @type {HTMLElement | null} */ (box.querySelector("form input"))?.focus();
  });
}

/**
 * Send with Ctrl-Enter and leave with Esc while the focus is in a field or form.
 * @param {HTMLElement} node
 * @param {() => void} send
 * @param {(() => void) | undefined} leave
 */
export function bindSubmitKeys(node, send, leave) {
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
    else if (event.key === "Escape" && leave) leave();
    else return;
    event.preventDefault();
  });
}
