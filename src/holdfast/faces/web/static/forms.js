// Forms: errors are shown above the buttons, nothing is submitted twice, and unsent text can survive a reload.

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
 * @param {string} classes in addition to "button"
 */
export const submitButton = (text, value, classes = "") =>
  el("button", { class: `button ${classes}`, type: "submit", value }, text);

/**
 * @typedef {object} FormOptions
 * @property {string} [verb] the text of the submit button
 * @property {any} [buttons] several submit buttons instead of one
 * @property {(values: any, pressed?: string) => any} send gets the values of the fields and of the button; may throw
 * @property {() => any} [cancel] adds a Cancel button
 * @property {any} [beside] content before the buttons
 * @property {string} [draftName] the name under which the content of the text area is stored until it is sent or
 *   cancelled, so that it survives a reload, Back and signing in again
 * @property {string} [class]
 */

/**
 * Return a form.
 * @param {any} fields
 * @param {FormOptions} options
 */
export function form(fields, { verb = "", buttons = submitButton(verb, null, "primary"), send, cancel, beside,
  draftName, ...more }) {
  const errorPlace = el("div");
  const discardDraft = () => draftName && deleteText(draftName, "session");
  const close = cancel && (() => {
    discardDraft();
    cancel();
  });
  const sendOnce = singleFlight(async (/** @type {SubmitEvent} */ { submitter }) => {
    const pressed = /** @type {HTMLButtonElement | null} */ (submitter)?.value;
    try {
      await send(Object.fromEntries(new FormData(node)), pressed);
      discardDraft();
      fill(errorPlace);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(errorPlace, errorMessage(problem));
    }
  });
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    return sendOnce(event);
  };
  const row = el("div.row.wrap", beside, buttons, close && plainButton("Cancel", close));
  const node = el("form.stack", { on: { submit }, ...more }, fields, errorPlace, row);
  bindSubmitKeys(node, () => node.requestSubmit(), close);
  if (draftName) keepDraft(node, draftName);
  return node;
}

/**
 * Store the text of a form's text area while the user types, and restore it.
 * @param {HTMLFormElement} node
 * @param {string} name
 */
function keepDraft(node, name) {
  const area = node.querySelector("textarea");
  if (!area) return;
  area.value = loadText(name, "session") ?? "";
  area.addEventListener("input", () => saveText(name, area.value, "session"));
}

/**
 * Show a form in a dialog. Resolves to the result of `submit`, or to undefined if the user closes the dialog.
 * @param {View} view the dialog is closed when the view is left
 * @param {string} title
 * @param {any} fields
 * @param {{verb: string, submit: (values: any) => any}} options `submit` may throw an error, which is shown
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
 * Send with Ctrl-Enter and cancel with Esc while the focus is in a field or form.
 * @param {HTMLElement} node
 * @param {() => void} send
 * @param {(() => void) | undefined} cancel
 */
export function bindSubmitKeys(node, send, cancel) {
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
    else if (event.key === "Escape" && cancel) cancel();
    else return;
    event.preventDefault();
  });
}
