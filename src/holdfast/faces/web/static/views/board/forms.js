// What the board asks for: a new task, and the reason for a move.

import { choice } from "../../controls.js";
import { el } from "../../dom.js";
import { field, form } from "../../form.js";
import { dialog } from "../../keys.js";

/** Show a form above the page. `submit` may refuse by throwing; resolves to undefined when it was cancelled. */
function asked(view, title, verb, fields, submit) {
  return new Promise((resolve) => {
    let answer;
    const send = async (values) => {
      answer = await submit(values);
      box.close();
    };
    const box = dialog(title, form(fields, { verb, send, cancel: () => box.close() }));
    box.addEventListener("close", () => resolve(answer));
    view.signal.addEventListener("abort", () => box.close());
    box.querySelector("input").focus();
  });
}

/** Ask why a card moves; undefined when somebody thought better of it. */
export function askReason(view, id, column) {
  const input = el("input", { name: "reason", required: true, maxlength: "500" });
  const question = column === "Blocked" ? "What is in its way?" : "Why is it opened again?";
  return asked(view, `${id} to ${column}`, "Move", field(question, input), ({ reason }) => reason);
}

/** Ask for a new task and add it; resolves to its id. */
export function askTask(view, source) {
  const fields = [
    field("Title", el("input", { name: "title", required: true, maxlength: "200" })),
    field("Priority", choice("Priority", ["high", "medium", "low"], "medium", () => {}, { name: "priority" })),
    field("Done when (one criterion on each line; optional)", el("textarea", { name: "criteria", rows: "3" })),
  ];
  return asked(view, "New task", "Add", fields, async ({ title, priority, criteria: text }) => {
    const criteria = text.split("\n").map((line) => line.trim()).filter(Boolean);
    const { task } = await source.add({ title, priority, criteria });
    return task.id;
  });
}
