// Forms: fields with their labels, and a verb; what goes wrong is told above the buttons, and nothing is sent twice.

import { plain, sentByKeys } from "./controls.js";
import { el, fill } from "./dom.js";
import { failure } from "./view.js";

/** Return a control below its label. */
export const field = (label, control) => el("label", { class: "field" }, el("span", {}, label), control);

/** Return a form; `send` gets what its fields hold and may fail, `cancel` leaves it, `beside` stands in the row of its buttons. */
export function form(fields, { verb, send, cancel, beside, ...more }) {
  const trouble = el("div");
  let isBusy = false;
  const submit = async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    try {
      await send(Object.fromEntries(new FormData(node)));
    } catch (problem) {
      if (problem.name !== "AbortError") fill(trouble, failure(problem));
    }
    isBusy = false;
  };
  const buttons = el("div", { class: "row" }, beside, el("button", { class: "button primary", type: "submit" }, verb), cancel && plain("Cancel", cancel));
  const node = el("form", { class: "stack", on: { submit }, ...more }, fields, trouble, buttons);
  sentByKeys(node, () => node.requestSubmit(), cancel);
  return node;
}
